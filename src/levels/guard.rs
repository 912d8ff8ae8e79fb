//! Moves that no person of a level would play: gifts, and checks that only throw pieces away.

use crate::mate::mate_in_one;
use crate::position::{CheckInfo, Position};
use crate::types::Move;

/// Centipawns from which on a move that loses them by the captures on its destination is a gift.
const GIFT: i32 = 500;
/// Centipawns from which on a check that costs them is a sacrifice.
const SACRIFICE: i32 = 300;
/// Centipawns from which on whoever is behind by them is losing.
const LOSING: i32 = 600;
/// Centipawns that the move in place of a gift may be worse: beyond the noise of the level, or without it.
pub(super) const MARGIN: i32 = 150;

/// Tests whether a move gives something away at once: a piece on its destination, or a mate in one.
pub(super) fn is_gift(pos: &mut Position, mv: Move) -> bool {
    if !pos.see_ge(mv, 1 - GIFT) {
        return true;
    }
    pos.do_move(mv);
    let mates = mate_in_one(pos).is_some();
    pos.undo();
    mates
}

/// Tests whether a move is a check that only throws a piece away in a lost game; `score` is the mover's.
pub(super) fn is_spite_check(pos: &Position, mv: Move, score: i32) -> bool {
    score <= -LOSING && CheckInfo::new(pos).gives_check(pos, mv) && !pos.see_ge(mv, 1 - SACRIFICE)
}
