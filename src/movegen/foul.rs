//! The rule that a move breaks, for records of games that ended by it.

use super::legality::{answers_check, is_legal};
use crate::bitboard::{Bitboard, attacks};
use crate::position::Position;
use crate::types::{Color, Move, MoveKind, PieceType, Square};
use std::fmt::{self, Display, Formatter};

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

impl Display for Foul {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
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
    Some(match () {
        _ if is_pawn && pos.pieces_of(us, PieceType::Pawn).intersects(Bitboard::file(to.file())) => Foul::Nifu,
        _ if piece_type.is_dead_on(us, to.rank()) => Foul::DeadPiece,
        _ if is_pawn && answers_check(pos, to) => Foul::Uchifuzume,
        _ => Foul::KingInCheck,
    })
}

fn foul_on_board(pos: &Position, from: Square, to: Square, promote: bool) -> Option<Foul> {
    let us: Color = pos.side();
    let piece = pos.piece_on(from).filter(|piece| piece.color() == us)?.piece_type();
    let zone = Bitboard::zone(us);
    let may_promote = piece.can_promote() && (zone.contains(from) || zone.contains(to));
    let reaches = attacks(us, piece, from, pos.occupied()).contains(to) && !pos.pieces(us).contains(to);
    if !reaches || promote && !may_promote {
        return None;
    }
    Some(if !promote && piece.is_dead_on(us, to.rank()) { Foul::DeadPiece } else { Foul::KingInCheck })
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
