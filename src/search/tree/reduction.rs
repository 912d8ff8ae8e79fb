//! Steps 17 to 19: how deep each move is searched, and with which window.
//!
//! Reductions are in 1/1,024 ply. A late move is most likely no better than the first ones, and history, node type and
//! table say how likely (Romstad 2006, Glaurung; the terms: Stockfish).

use super::node::{MoveInfo, MoveLoop, Node, NodeType, NonPv, Pv, Window};
use super::worker::Worker;
use crate::search::params::*;
use crate::types::Score;

/// One ply.
pub(super) const PLY: i32 = 1_024;

/// Base-2 logarithm in 1/256, rounded down, for 1 and more: by squaring, a bit of the fraction at a time. Integers, so
/// that every machine searches the same tree.
const fn log2(x: u32) -> i32 {
    let whole = x.ilog2();
    let mut result = whole << 8;
    // The mantissa, 1 to 2, in 1/2^31.
    let mut mantissa = (x as u64) << (31 - whole);
    let mut bit = 1 << 7;
    while bit > 0 {
        mantissa = (mantissa * mantissa) >> 31;
        if mantissa >= 1 << 32 {
            mantissa >>= 1;
            result += bit;
        }
        bit >>= 1;
    }
    result as i32
}

/// Logarithms of depths and move numbers.
static LOGARITHMS: [i32; 256] = {
    let mut table = [0; 256];
    let mut x = 1;
    while x < 256 {
        table[x as usize] = log2(x);
        x += 1;
    }
    table
};

/// A logarithm in 1/256 to base 2 times this makes 128 times one to base e.
const LOG2_UNIT: i32 = 47_275;

/// A scaled logarithm of a depth or move number (1 or more): the product of two of them is a reduction.
#[inline(always)]
fn scaled_log(x: i32) -> i32 {
    LOGARITHMS[x.clamp(0, 255) as usize] * lmr_scale() / LOG2_UNIT
}

impl Worker {
    /// Late-move reduction: what the number of a move takes off its depth. `width` is that of the node's window.
    #[inline(always)]
    pub(super) fn base_reduction(&self, node: &Node, count: i32, width: i32) -> i32 {
        let product = scaled_log(node.depth) * scaled_log(count);
        let worsening = i32::from(!node.improving) * (product * lmr_worsening() / 512);
        // Nearly all windows are one point wide: for them the quotient was taken at the root.
        let open = if width == 1 { self.root.share } else { self.root.share_of(width) };
        product - open + worsening + lmr_offset() + lmr_line_before() * i32::from(node.tt_pv)
    }

    /// Step 17. Late-move reduction: the whole reduction of a move in 1/1,024 ply, given its base; alpha is that of the
    /// moment. The sum of its histories stands in the ply's entry of the stack.
    #[inline(always)]
    pub(super) fn reduction<N: NodeType>(&self, node: &Node, info: &MoveInfo, alpha: Score, base: i32) -> i32 {
        let all_node = node.is_all_node::<N>();
        let mut reduction = base;
        if node.tt_pv {
            let is_deep = node.tt_depth() >= node.depth;
            reduction -= lmr_line()
                + lmr_pv() * i32::from(N::PV)
                + lmr_line_value() * i32::from(node.tt_score_above(alpha))
                + i32::from(is_deep) * (lmr_line_depth() + lmr_line_depth_cut() * i32::from(node.cut_node));
        }
        reduction += lmr_base() - lmr_count() * info.count.min(lmr_count_max());
        reduction -= node.correction.abs() / lmr_correction();
        if node.cut_node {
            reduction += lmr_cut() + lmr_cut_no_move() * i32::from(node.tt_move.is_none());
        }
        reduction += lmr_tt_capture() * i32::from(node.tt_capture);
        let cutoffs = self.stack[node.ply + 1].cutoffs;
        if cutoffs > 1 {
            reduction +=
                lmr_cutoffs_two() + lmr_cutoffs() * i32::from(cutoffs > 2) + lmr_cutoffs_all() * i32::from(all_node);
        }
        reduction -= lmr_tt_move() * i32::from(node.tt_move == Some(info.mv));
        reduction -= self.stack[node.ply].stat_score * lmr_history() / 4_096;
        if all_node {
            reduction += reduction * lmr_all() / (256 * node.depth + 260);
        }
        reduction
    }

    /// Sum of the histories of a move, for its reduction.
    #[inline(always)]
    pub(super) fn stat_score(&self, node: &Node, info: &MoveInfo) -> i32 {
        if info.captured.is_some() {
            let learnt = self.learnt.history.capture(info.piece_to, info.captured);
            return lmr_capture_value() * info.victim_value() / 128 + learnt;
        }
        2 * self.learnt.history.main(self.path.pos.side(), info.mv)
            + self.learnt.history.continuation(&node.keys, 1, info.piece_to)
            + self.learnt.history.continuation(&node.keys, 2, info.piece_to)
    }

    /// Steps 17 to 19: the move has been made; its score from the view of the side that made it. `depth` is that of an
    /// unreduced search.
    #[inline(always)]
    pub(super) fn search_move<N: NodeType>(
        &mut self,
        node: &Node,
        info: &MoveInfo,
        found: &MoveLoop,
        mut depth: i32,
        mut reduction: i32,
    ) -> Score {
        let Node { ply, cut_node, .. } = *node;
        let (window, best) = (found.window, found.best);
        let mut score = -Score::INFINITE;
        if node.depth >= 2 && info.count > 1 {
            // Step 17. Late-move reduction: first ask a shallower search whether the move is worth more.
            let reduced = (depth - reduction / PLY).min(depth + 2).max(1) + i32::from(N::PV);
            self.stack[ply].reduction = depth - reduced;
            score = self.search_child::<NonPv>(node, window.null(), reduced, true);
            self.stack[ply].reduction = 0;
            if score > window.alpha && !self.stopped() {
                // A little deeper or shallower if the score says so.
                depth += i32::from(reduced < depth && score > best + lmr_deeper_margin());
                depth -= i32::from(score < best + lmr_shallower_margin());
                if depth > reduced {
                    score = self.search_child::<NonPv>(node, window.null(), depth, !cut_node);
                }
                self.learn_late_move(node, info);
            }
        } else if !N::PV || info.count > 1 {
            // Step 18. Zero-window search, a little shallower where much would have been taken off.
            reduction += full_depth_no_move() * i32::from(node.tt_move.is_none());
            let taken = i32::from(reduction > full_depth_reduction())
                + i32::from(reduction > full_depth_second_reduction() && depth > 2);
            score = self.search_child::<NonPv>(node, window.null(), depth - taken, !cut_node);
        }
        // Step 19. The first move, or one that is better than the best so far: its exact score is wanted.
        if N::PV && (info.count == 1 || score > window.alpha) && !self.stopped() {
            if node.tt_move == Some(info.mv) && self.is_worth_a_ply(node) {
                depth = depth.max(1);
            }
            score = self.search_child::<Pv>(node, window, depth, false);
        }
        score
    }

    /// Tests whether the TT move must not fall into the quiescence search: it was searched deeper before.
    #[inline(always)]
    fn is_worth_a_ply(&self, node: &Node) -> bool {
        node.tt_depth() > 1 || node.tt_depth() > 0 && node.tt_score().is_some_and(Score::is_decisive)
    }

    /// Searches the position after a move, no deeper than the node less a ply if the last eight nodes of the path were
    /// no shallower than their parents, and never deeper than a line may be long: else extensions could go on for ever.
    #[inline(always)]
    fn search_child<C: NodeType>(&mut self, node: &Node, window: Window, depth: i32, cut_node: bool) -> Score {
        const MOST: i32 = 8;
        let extension_streak = self.stack[node.ply].extension_streak;
        let depth = if extension_streak >= MOST { depth.min(node.depth - 1) } else { depth };
        let depth = depth.min(longest_line(self.root_depth()) - node.ply as i32 - 1);
        debug_assert!(extension_streak < MOST || depth < node.depth, "extensions go on for ever");
        self.stack[node.ply + 1].extension_streak = if depth >= node.depth { extension_streak + 1 } else { 0 };
        -self.negamax::<C>(-window, depth, node.ply + 1, cut_node)
    }
}

/// Plies beyond twice the depth of the iteration that a line may have: first iterations need some.
const SPARE_PLIES: i32 = 16;

/// The most plies of a line before its captures are played out: twice the depth of the iteration (Stockfish), and some.
#[inline(always)]
pub(super) fn longest_line(root_depth: usize) -> i32 {
    2 * root_depth as i32 + SPARE_PLIES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_those_of_real_numbers_rounded_down() {
        for x in 1..256 {
            let exact = (f64::from(x).log2() * 256.0).floor() as i32;
            assert!((LOGARITHMS[x as usize] - exact).abs() <= 1, "{x}: {} {exact}", LOGARITHMS[x as usize]);
            let scaled = (f64::from(x).ln() * f64::from(lmr_scale()) / 128.0) as i32;
            assert!((scaled_log(x) - scaled).abs() <= 1, "{x}: {} {scaled}", scaled_log(x));
        }
    }
}
