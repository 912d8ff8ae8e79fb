//! Moves that no person of a level would play: gifts, and checks that only throw pieces away.

use crate::mate::mate_in_one;
use crate::position::{CheckInfo, Position};
use crate::types::Move;

/// A move that loses so many centipawns by the captures on its destination is a gift.
const GIFT: i32 = 500;
/// A check that costs so many centipawns is a sacrifice.
const SACRIFICE: i32 = 300;
/// Whoever is so many centipawns behind is losing.
const LOSING: i32 = 600;
/// How much worse than a gift the move in its place may be, in centipawns: beyond the noise of the level, or without it.
pub(super) const MARGIN: i32 = 150;

/// Whether a move gives something away at once: a piece on its destination, or a mate in one.
pub(super) fn is_gift(pos: &mut Position, mv: Move) -> bool {
    if !pos.see_ge(mv, 1 - GIFT) {
        return true;
    }
    pos.do_move(mv);
    let mates = mate_in_one(pos).is_some();
    pos.undo();
    mates
}

/// Whether a move is a check that only throws a piece away in a lost game; `score` is the mover's.
pub(super) fn is_spite_check(pos: &Position, mv: Move, score: i32) -> bool {
    score <= -LOSING && CheckInfo::new(pos).gives_check(pos, mv) && !pos.see_ge(mv, 1 - SACRIFICE)
}
