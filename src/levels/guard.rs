//! Moves that no person of a level would play: gifts, and checks that only throw pieces away.

use crate::mate::mate_in_one;
use crate::movegen::{Captures, generate};
use crate::position::{CheckInfo, Position};
use crate::types::{Move, Piece, PieceType, Square};

/// Centipawns from which on a move that loses them by the captures on its destination is a gift.
const GIFT: i32 = 500;
/// Centipawns from which on a check that costs them is a sacrifice.
const SACRIFICE: i32 = 300;
/// Centipawns from which on whoever is behind by them is losing.
const LOSING: i32 = 600;
/// Centipawns that the move in place of a gift may be worse: beyond the noise of the level, or without it.
pub(super) const MARGIN: i32 = 150;

/// Centipawns from which on a piece that is left to the opponent is a gift: a bishop.
const LEFT: i32 = 700;

/// Tests whether a move gives something away at once: what [`gives_away`] tells, or a bishop or rook that it leaves
/// where it is taken, without having taken as much.
pub(super) fn is_gift(pos: &mut Position, mv: Move) -> bool {
    if gives_away(pos, mv) {
        return true;
    }
    let taken = pos.piece_on(mv.to()).map_or(0, |victim| victim.piece_type().capture_gain());
    pos.do_move(mv);
    let leaves = taken < GIFT && !pos.in_check() && leaves_a_piece(pos, mv.to());
    pos.undo();
    leaves
}

/// Tests whether a move gives away a piece on its destination, or a mate in one.
pub(super) fn gives_away(pos: &mut Position, mv: Move) -> bool {
    if !pos.see_ge(mv, 1 - GIFT) {
        return true;
    }
    pos.do_move(mv);
    let mates = mate_in_one(pos).is_some();
    pos.undo();
    mates
}

/// Tests whether the side to move can take a bishop or rook that did not just move, for less than it is worth.
fn leaves_a_piece(pos: &Position, moved: Square) -> bool {
    let is_heavy = |piece: Piece| {
        matches!(piece.piece_type(), PieceType::Bishop | PieceType::Rook | PieceType::Horse | PieceType::Dragon)
    };
    let takes = |mv: Move| mv.to() != moved && pos.piece_on(mv.to()).is_some_and(is_heavy) && pos.see_ge(mv, LEFT);
    generate::<Captures>(pos).into_iter().any(takes)
}

/// Tests whether a move is a check that only throws a piece away in a lost game; `score` is the mover's.
pub(super) fn is_spite_check(pos: &Position, mv: Move, score: i32) -> bool {
    score <= -LOSING && CheckInfo::new(pos).gives_check(pos, mv) && !pos.see_ge(mv, 1 - SACRIFICE)
}
