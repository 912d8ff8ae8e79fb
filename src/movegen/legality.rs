//! Legality of a move that came from elsewhere (a hash table, a record, a person).

use super::drops::pawn_drops;
use crate::bitboard::{Bitboard, attacks, between, line_through};
use crate::position::Position;
use crate::types::{Move, MoveKind, Piece, PieceType, Square};

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

/// Where a move of any piece but the king must go when the side is in check: onto the checker or in between.
pub(super) fn answers_check(pos: &Position, to: Square) -> bool {
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

fn is_legal_board_move(pos: &Position, piece: Piece, from: Square, to: Square, promote: bool) -> bool {
    let (us, piece_type) = (piece.color(), piece.piece_type());
    if pos.pieces(us).contains(to) || !attacks(us, piece_type, from, pos.occupied()).contains(to) {
        return false;
    }
    let zone = Bitboard::zone(us);
    let may_stay = if promote {
        piece_type.can_promote() && (zone.contains(from) || zone.contains(to))
    } else {
        !piece_type.is_dead_on(us, to.rank())
    };
    if !may_stay {
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
