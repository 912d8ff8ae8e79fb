//! Legality of a move that came from elsewhere (a hash table, a record, a person), and the rule that an illegal one
//! breaks.

use super::generator::pawn_drops;
use super::{All, MoveList, generate};
use crate::bitboard::{Bitboard, attacks, between, line_through};
use crate::position::Position;
use crate::types::{Move, MoveKind, Piece, PieceType, Square};
use std::fmt;
use thiserror::Error;

/// Tests whether a move, any 16-bit value, is legal in the position.
///
/// ```
/// use komainu::movegen::is_legal;
/// use komainu::position::Position;
///
/// // Nifu: black has a pawn on the fifth file already.
/// let position = Position::from_sfen("4k4/9/9/9/9/9/4P4/9/4K4 b P 1")?;
/// assert!(!is_legal(&position, "P*5e".parse()?));
/// assert!(is_legal(&position, "P*4e".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn is_legal(pos: &Position, mv: Move) -> bool {
    match mv.kind() {
        MoveKind::Drop { piece_type, to } => is_legal_drop(pos, piece_type, to),
        MoveKind::Board { from, to, promote } => match pos.piece_on(from) {
            Some(piece) if piece.color() == pos.side() => is_legal_board_move(pos, piece, from, to, promote),
            _ => false,
        },
    }
}

/// Tests whether a move of another piece than the king to this square ends a check, if there is one: it captures the
/// checker or comes in between.
fn answers_check(pos: &Position, to: Square) -> bool {
    match (pos.king(pos.side()), pos.checkers().first()) {
        (Some(king), Some(checker)) => {
            !pos.checkers().is_many() && (to == checker || between(king, checker).contains(to))
        }
        _ => true,
    }
}

fn is_legal_drop(pos: &Position, piece_type: PieceType, to: Square) -> bool {
    let us = pos.side();
    if !pos.hand(us).has(piece_type)
        || pos.piece_on(to).is_some()
        || piece_type.is_dead_on(us, to.rank())
        || !answers_check(pos, to)
    {
        return false;
    }
    let square = Bitboard::from_square(to);
    piece_type != PieceType::Pawn || pawn_drops(us, pos, square) == square
}

fn may_promote(piece: Piece, from: Square, to: Square) -> bool {
    let zone = Bitboard::zone(piece.color());
    piece.piece_type().can_promote() && (zone.contains(from) || zone.contains(to))
}

fn is_legal_board_move(pos: &Position, piece: Piece, from: Square, to: Square, promote: bool) -> bool {
    let us = piece.color();
    let piece_type = piece.piece_type();
    if pos.pieces(us).contains(to) || !attacks(us, piece_type, from, pos.occupied()).contains(to) {
        return false;
    }
    let is_possible = if promote { may_promote(piece, from, to) } else { !piece_type.is_dead_on(us, to.rank()) };
    if !is_possible {
        return false;
    }
    if piece_type == PieceType::King {
        return !pos.is_attacked(!us, to, pos.occupied() ^ Bitboard::from_square(from));
    }
    let stays_on_pin = match pos.king(us) {
        Some(king) if pos.pinned().contains(from) => line_through(king, from).contains(to),
        _ => true,
    };
    stays_on_pin && answers_check(pos, to)
}

/// A move that the rules do not allow in the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{0} is not legal")]
pub struct IllegalMove(pub Move);

impl Position {
    /// All legal moves, in no particular order. If there is none the side to move has lost.
    ///
    /// ```
    /// use komainu::position::Position;
    ///
    /// let position = Position::startpos();
    /// assert_eq!(position.legal_moves().len(), 30);
    /// for mv in &position.legal_moves() {
    ///     let after = position.after(mv);
    ///     assert_eq!(after.legal_moves().len(), 30);
    /// }
    /// ```
    pub fn legal_moves(&self) -> MoveList {
        generate::<All>(self)
    }

    /// Makes a move if it is legal, and changes nothing if it is not.
    ///
    /// ```
    /// use komainu::movegen::IllegalMove;
    /// use komainu::position::Position;
    ///
    /// let mut position = Position::startpos();
    /// position.play("7g7f".parse()?)?;
    /// let again = "7g7f".parse()?;
    /// assert_eq!(position.play(again), Err(IllegalMove(again)));
    /// assert_eq!(position.play(again).unwrap_err().to_string(), "7g7f is not legal");
    /// assert_eq!(position.moves_made(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if !is_legal(self, mv) {
            return Err(IllegalMove(mv));
        }
        self.do_move(mv);
        Ok(())
    }
}

/// A rule that is broken by a move which its piece could make otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foul {
    /// A second pawn of the side on a file. 二歩
    #[doc(alias = "二歩")]
    Nifu,
    /// A pawn that mates by being dropped. 打ち歩詰め
    #[doc(alias = "打ち歩詰め")]
    Uchifuzume,
    /// A piece that could never move again. 行き所のない駒
    DeadPiece,
    /// The own king can be taken after the move. 王手放置
    KingInCheck,
}

impl fmt::Display for Foul {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Foul::Nifu => "a second pawn on the file (nifu)",
            Foul::Uchifuzume => "a dropped pawn that mates (uchifuzume)",
            Foul::DeadPiece => "a piece that could never move again",
            Foul::KingInCheck => "the king is left in check",
        })
    }
}

/// The rule that a move breaks; `None` for a legal move, and for one that no piece of the side to move could make.
///
/// ```
/// use komainu::movegen::{Foul, foul};
/// use komainu::position::Position;
///
/// let position = Position::from_sfen("4k4/9/9/9/9/9/4P4/9/4K4 b P 1")?;
/// assert_eq!(foul(&position, "P*5e".parse()?), Some(Foul::Nifu));
/// assert_eq!(foul(&position, "P*4e".parse()?), None);
/// assert_eq!(foul(&position, "G*4e".parse()?), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn foul(pos: &Position, mv: Move) -> Option<Foul> {
    if is_legal(pos, mv) {
        return None;
    }
    match mv.kind() {
        MoveKind::Drop { piece_type, to } => foul_of_drop(pos, piece_type, to),
        MoveKind::Board { from, to, promote } => foul_on_board(pos, from, to, promote),
    }
}

fn foul_of_drop(pos: &Position, piece_type: PieceType, to: Square) -> Option<Foul> {
    let us = pos.side();
    if !pos.hand(us).has(piece_type) || pos.piece_on(to).is_some() {
        return None;
    }
    let is_pawn = piece_type == PieceType::Pawn;
    if is_pawn && pos.pieces_of(us, PieceType::Pawn).intersects(Bitboard::file(to.file())) {
        Some(Foul::Nifu)
    } else if piece_type.is_dead_on(us, to.rank()) {
        Some(Foul::DeadPiece)
    } else if is_pawn && answers_check(pos, to) {
        Some(Foul::Uchifuzume)
    } else {
        Some(Foul::KingInCheck)
    }
}

fn foul_on_board(pos: &Position, from: Square, to: Square, promote: bool) -> Option<Foul> {
    let us = pos.side();
    let piece = pos.piece_on(from)?;
    if piece.color() != us {
        return None;
    }
    let piece_type = piece.piece_type();
    if pos.pieces(us).contains(to) || !attacks(us, piece_type, from, pos.occupied()).contains(to) {
        return None;
    }
    if promote && !may_promote(piece, from, to) {
        return None;
    }
    if !promote && piece_type.is_dead_on(us, to.rank()) { Some(Foul::DeadPiece) } else { Some(Foul::KingInCheck) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_named_that_a_move_breaks() {
        for (sfen, mv, wanted) in [
            ("4k4/9/9/9/9/9/4P4/9/4K4 b P 1", "P*5e", Some(Foul::Nifu)),
            ("4k4/9/9/9/9/9/4P4/9/4K4 b P 1", "P*5a", None),
            ("4k4/9/9/9/9/9/9/9/4K4 b PLN 1", "P*1a", Some(Foul::DeadPiece)),
            ("4k4/9/9/9/9/9/9/9/4K4 b PLN 1", "N*1b", Some(Foul::DeadPiece)),
            ("4k4/8L/9/9/9/9/9/9/4K4 b - 1", "1b1a", Some(Foul::DeadPiece)),
            ("4k4/8L/9/9/9/9/9/9/4K4 b - 1", "1b1a+", None),
            // The king takes the pawn, or gold and rook hold every square.
            ("8k/9/9/9/9/9/9/9/4K4 b P 1", "P*1b", None),
            ("7nk/6R2/8G/9/9/9/9/9/4K4 b P 1", "P*1b", Some(Foul::Uchifuzume)),
            ("4r4/9/9/9/9/9/9/9/k3K4 b P 1", "P*1e", Some(Foul::KingInCheck)),
            ("4r4/9/9/9/9/4G4/9/9/k3K4 b - 1", "5f4f", Some(Foul::KingInCheck)),
            ("3r5/9/9/9/9/9/9/9/k3K4 b - 1", "5i6i", Some(Foul::KingInCheck)),
            ("4k4/9/9/9/9/9/4P4/9/4K4 b P 1", "5g5e", None),
            ("4k4/9/9/9/9/9/4P4/9/4K4 b P 1", "5g5f+", None),
            ("4k4/9/9/9/9/9/4P4/9/4K4 b P 1", "5a5b", None),
            ("4k4/9/9/9/9/9/4P4/9/4K4 b P 1", "S*5e", None),
        ] {
            let found = foul(&Position::from_sfen(sfen).unwrap(), mv.parse().unwrap());
            assert_eq!(found, wanted, "{mv} in {sfen}");
        }
    }
}
