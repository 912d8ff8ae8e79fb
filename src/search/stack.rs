//! Stack of the search: an entry for each ply of the current path.

use super::history::{ContHistIndex, PieceTo};
use crate::types::{Move, Score};
use arrayvec::ArrayVec;

/// The deepest ply that the search reaches.
pub const MAX_PLY: usize = 246;

/// A line of moves.
pub(crate) type Line = ArrayVec<Move, { MAX_PLY + 1 }>;

/// No static evaluation: in check at the first plies. Larger than every score, so that such a node is neither improving
/// nor better than its neighbours.
pub(crate) const NO_EVAL: Score = Score(32_002);

/// Plies above the root that may be asked for: there is nothing on them.
const ABOVE: usize = 7;
/// Plies below the deepest one that may be reset.
const BELOW: usize = 3;

/// Entry of one ply.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackEntry {
    /// The move that is being searched; `None` for a null move.
    pub(crate) mv: Option<Move>,
    /// Move as a piece on its destination.
    pub(crate) piece_to: PieceTo,
    /// Where the continuation history keeps the answers to that move.
    pub(crate) cont_hist: ContHistIndex,
    /// The move that a search at this ply leaves out.
    pub(crate) excluded: Option<Move>,
    /// The corrected static evaluation, or [`NO_EVAL`].
    pub(crate) static_eval: Score,
    /// Sum of the histories of the move that is being searched.
    pub(crate) stat_score: i32,
    /// Number of the move that is being searched, from 1; 0 before the first.
    pub(crate) move_count: i32,
    pub(crate) in_check: bool,
    pub(crate) tt_hit: bool,
    /// The position is or was on a principal variation.
    pub(crate) tt_pv: bool,
    /// The path to this ply is the last iteration's best line.
    pub(crate) follow_pv: bool,
    /// Number of nodes of this ply that cut off since their grandparent was entered.
    pub(crate) cutoffs: i32,
    /// Plies that are taken off the search of the move; 0 unless that search runs.
    pub(crate) reduction: i32,
    /// Number of nodes in a row, up to this one, that were searched no shallower than their parents.
    pub(crate) extension_streak: i32,
}

impl StackEntry {
    const EMPTY: StackEntry = StackEntry {
        mv: None,
        piece_to: PieceTo::NONE,
        cont_hist: ContHistIndex::NONE,
        excluded: None,
        static_eval: NO_EVAL,
        stat_score: 0,
        move_count: 0,
        in_check: false,
        tt_hit: false,
        tt_pv: false,
        follow_pv: false,
        cutoffs: 0,
        reduction: 0,
        extension_streak: 0,
    };
}

/// The entries of all plies, with empty ones above the root.
pub(crate) struct Stack(Box<[StackEntry; ABOVE + MAX_PLY + BELOW]>);

impl Stack {
    pub(crate) fn new() -> Stack {
        Stack(Box::new([StackEntry::EMPTY; ABOVE + MAX_PLY + BELOW]))
    }

    /// Forgets all plies.
    pub(crate) fn clear(&mut self) {
        self.0.fill(StackEntry::EMPTY);
    }

    /// The entry a number of plies (0 to 7) above this ply.
    pub(crate) fn back(&self, ply: usize, plies: usize) -> &StackEntry {
        &self.0[ABOVE + ply - plies]
    }

    /// The entry of the ply before.
    pub(crate) fn parent_mut(&mut self, ply: usize) -> &mut StackEntry {
        &mut self.0[ABOVE + ply - 1]
    }
}

impl std::ops::Index<usize> for Stack {
    type Output = StackEntry;
    fn index(&self, ply: usize) -> &StackEntry {
        &self.0[ABOVE + ply]
    }
}

impl std::ops::IndexMut<usize> for Stack {
    fn index_mut(&mut self, ply: usize) -> &mut StackEntry {
        &mut self.0[ABOVE + ply]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn above_the_root_there_is_no_move_and_no_evaluation() {
        let mut stack = Stack::new();
        stack[0].static_eval = Score(35);
        stack[0].cutoffs = 3;
        assert!((1..=7).all(|plies| stack.back(0, plies).mv.is_none()));
        assert!((1..=7).all(|plies| stack.back(0, plies).static_eval == NO_EVAL));
        assert_eq!(stack.back(3, 3).static_eval, Score(35));
        stack[MAX_PLY + 2].cutoffs = 1;
        stack.clear();
        assert_eq!((stack[0].static_eval, stack[0].cutoffs, stack[MAX_PLY + 2].cutoffs), (NO_EVAL, 0, 0));
    }
}
