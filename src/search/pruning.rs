//! Steps that leave out what will not matter: reverse futility, null move, shallow pruning, reductions.

use super::MAX_PLY;
use super::negamax::{Candidate, Node, NodeType, NonPv, Window};
use super::params::*;
use super::worker::Worker;
use crate::position::CheckInfo;
use crate::types::{Move, Score};

/// Base-2 logarithm in 1/256, rounded down, for 1 and more. Integers, so that every machine searches the same tree.
const fn log2(x: u32) -> u32 {
    let whole = x.ilog2();
    // The mantissa in 1/256 above the power of two is close enough to the logarithm's fraction.
    let fraction = (x << 8 >> whole) - 256;
    whole * 256 + fraction
}

/// `[depth][move number]`: plies taken off late quiet moves.
static REDUCTIONS: [[u8; 64]; 64] = {
    let mut table = [[0; 64]; 64];
    let mut depth = 1;
    while depth < 64 {
        let mut number = 1;
        while number < 64 {
            // About 0.5 + 0.2 * log2(depth) * log2(number).
            table[depth][number] = ((log2(depth as u32) * log2(number as u32) / 256 * 51 / 256 + 128) / 256) as u8;
            number += 1;
        }
        depth += 1;
    }
    table
};

impl Worker {
    /// Step 8: the position is so good that a quiet move keeps it above beta.
    #[inline(always)]
    pub(super) fn reverse_futility(&self, node: &Node) -> Option<Score> {
        let margin = REVERSE_FUTILITY_MARGIN * (node.depth - node.improving as i32);
        let holds = node.depth <= REVERSE_FUTILITY_DEPTH
            && node.eval - margin >= node.window.beta
            && !node.window.beta.is_mate()
            && !node.eval.is_mate();
        holds.then_some(node.eval - margin)
    }

    /// Step 9: if even a pass keeps the score above beta, a move will.
    #[inline(always)]
    pub(super) fn null_move(&mut self, node: &Node) -> Option<Score> {
        let Node { window, depth, ply, .. } = *node;
        let after_null = self.path[ply - 1].is_none();
        if depth < NULL_MOVE_DEPTH || after_null || node.eval < window.beta || window.beta.is_mate() {
            return None;
        }
        let reduction = NULL_MOVE_REDUCTION + depth / 4 + ((node.eval.0 - window.beta.0) / 300).min(2);
        self.path[ply] = None;
        self.nodes += 1;
        self.pos.do_null_move();
        let question = Window { alpha: window.beta - 1, beta: window.beta };
        let score = -self.negamax::<NonPv>(-question, depth - 1 - reduction, ply + 1);
        self.pos.undo_null_move();
        // A mate found behind a pass is no mate.
        (!self.stopped && score >= window.beta).then(|| if score.is_mate() { window.beta } else { score })
    }

    /// Step 14: whether a move near the leaves can be left out unsearched.
    #[inline(always)]
    pub(super) fn is_prunable<N: NodeType>(
        &self,
        node: &Node,
        candidate: &Candidate,
        check_info: &mut Option<CheckInfo>,
    ) -> bool {
        let Candidate { mv, count, is_quiet, best } = *candidate;
        if best <= Score::mated_in(MAX_PLY) || node.in_check || N::PV {
            return false;
        }
        let depth = node.depth;
        if is_quiet {
            // Late moves: so many better-looking ones did not help.
            let enough = LATE_MOVE_BASE + depth * depth * (1 + node.improving as i32);
            if depth <= LATE_MOVE_DEPTH && count as i32 > enough {
                return true;
            }
            // Futility: a quiet move will not bring the score up to alpha.
            let reachable = node.eval + FUTILITY_BASE + FUTILITY_MARGIN * depth;
            if depth <= FUTILITY_DEPTH && reachable <= node.window.alpha {
                let info = check_info.get_or_insert_with(|| CheckInfo::new(&self.pos));
                return !info.gives_check(&self.pos, mv);
            }
        }
        // Exchanges that lose more than the depth can bring back.
        depth <= SEE_DEPTH && !self.pos.see_ge(mv, -SEE_MARGIN * depth)
    }

    /// Step 17: by how many plies a late move is searched shallower.
    #[inline(always)]
    pub(super) fn reduction<N: NodeType>(&self, node: &Node, count: usize, quiet: Option<Move>) -> i32 {
        if node.depth < REDUCTION_DEPTH || count <= REDUCTION_MOVES {
            return 0;
        }
        let table = REDUCTIONS[node.depth.clamp(0, 63) as usize][count.min(63)] as i32;
        // The move has been made: the side that made it is not to move now.
        let history = quiet.map_or(0, |mv| self.history.quiet(!self.pos.side(), mv) / 4_096);
        let reduction = table - history - N::PV as i32 - node.in_check as i32 + !node.improving as i32;
        reduction.clamp(0, node.depth - 2)
    }
}
