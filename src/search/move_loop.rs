//! Steps 13 to 20: the loop over the moves of a node. What leaves a move out (14), what extends it (15), how much less
//! deep it is searched and with which window (17 to 19), and what its score means (20).
//!
//! Reductions are in 1/1,024 ply. A late move is most likely no better than the first ones, and history, node type and
//! table say how likely (Romstad 2006, Glaurung; the terms: Stockfish).

use super::history::PieceTo;
use super::node::{MoveInfo, MoveLoop, Node, NodeType, NonPv, Prune, Pv, Window};
use super::params::*;
use super::picker::Picker;
use super::report::Bound;
use super::stack::{NO_EVAL, StackEntry};
use super::worker::Worker;
use crate::types::{Move, Score};
use arrayvec::ArrayVec;
use std::ops::ControlFlow;

/// Moves with a number up to this are remembered to be punished if another one turns out best.
const REMEMBERED: i32 = 32;

/// Moves of a node that were searched and are not the best.
#[derive(Default)]
pub(crate) struct SearchedMoves {
    pub(crate) quiets: ArrayVec<MoveInfo, { REMEMBERED as usize }>,
    pub(crate) captures: ArrayVec<MoveInfo, { REMEMBERED as usize }>,
}

/// Step 15. Result of a search without the TT move.
enum Singular {
    /// Plies by which the TT move is searched deeper; shallower if below zero.
    Extend(i32),
    /// Other moves cut off as well: the node is done, with this score.
    MultiCut(Score),
}

/// From this ply on a piece that walks to and fro is not searched deeper.
const SHUFFLE_PLY: usize = 18;

/// One ply.
pub(crate) const PLY: i32 = 1_024;

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

/// Steps 14 and 17. A scaled logarithm of a depth or move number (1 or more): the product of two of them is a
/// reduction.
fn scaled_log(x: i32) -> i32 {
    LOGARITHMS[x.clamp(0, 255) as usize] * lmr_scale() / LOG2_UNIT
}

impl Worker {
    /// Steps 13 to 20: the loop over the moves. It breaks with the score of a node that need not be looked at further.
    pub(crate) fn search_moves<N: NodeType>(
        &mut self,
        node: &mut Node,
        others: &mut SearchedMoves,
    ) -> ControlFlow<Score, MoveLoop> {
        let ply = node.ply;
        let mut found = MoveLoop::new(node.window);
        // Step 13. Loop over moves, best first.
        let all_moves = self.path.limiter.limits.all_moves || N::ROOT;
        let mut picker = Picker::new(&self.path.pos, node.tt_move, node.keys).with_all_moves(all_moves);
        while let Some(mv) = picker.next(&self.path.pos, &self.learnt.history) {
            let root_move = if N::ROOT { self.root.find_root_move(mv) } else { None };
            if node.excluded == Some(mv) || N::ROOT && root_move.is_none() {
                continue;
            }
            found.count += 1;
            self.stack[ply].move_count = found.count;
            let info = self.move_info(mv, found.count);
            let base = self.base_reduction(node, found.count, found.window.width());
            // Step 14. Shallow pruning.
            if !N::ROOT && !found.best.is_loss() {
                if self.is_late(node, found.count) {
                    picker.skip_quiets();
                }
                let gives_check = picker.gives_check(&self.path.pos, mv);
                match self.shallow_pruning::<N>(node, &info, &found, gives_check, base) {
                    Prune::Keep => {}
                    Prune::Skip => continue,
                    Prune::SkipWithBound(bound) => {
                        found.raise_to(bound);
                        continue;
                    }
                }
            }
            // Step 15. Extensions: a move that stands alone.
            let mut extension = 0;
            if !N::ROOT && node.tt_move == Some(mv) {
                let singular = self.singular::<N>(node, mv);
                node.tt_pv = self.stack[ply].tt_pv;
                if self.stopped() {
                    break;
                }
                match singular {
                    Singular::Extend(plies) => extension = plies,
                    Singular::MultiCut(score) => {
                        self.learn_multi_cut(node);
                        return ControlFlow::Break(score);
                    }
                }
            }
            let new_depth = node.depth - 1 + extension;
            node.depth += i32::from(extension > 0);
            // Step 16. Make the move.
            let stat_score = self.stat_score(node, &info);
            self.stack[ply].stat_score = stat_score;
            let reduction = self.reduction::<N>(node, &info, found.window.alpha, base);
            let nodes = self.nodes();
            self.do_move(mv, ply);
            // Steps 17 to 19.
            let score = self.search_move::<N>(node, &info, &found, new_depth, reduction);
            self.undo_move();
            if self.stopped() {
                break;
            }
            if let Some(at) = root_move {
                self.note_root_move(at, &info, score, found.window, self.nodes() - nodes);
            }
            // Step 20. Best move.
            if self.note_score::<N>(node, &info, &mut found, score) {
                if score >= node.window.beta {
                    self.stack[ply].cutoffs += i32::from(extension < 2 || N::PV);
                    break;
                }
                // Once a move has raised alpha, another one is less likely to.
                if node.depth > 2 && node.depth < alpha_raise_max_depth() && !score.is_decisive() {
                    node.depth -= alpha_raise_reduction();
                }
                found.window.alpha = score;
            } else if found.count <= REMEMBERED {
                if info.captured.is_some() { &mut others.captures } else { &mut others.quiets }.push(info);
            }
        }
        ControlFlow::Continue(found)
    }

    /// Steps 14 and 17. Late-move reduction: what the number of a move takes off its depth. `width` is that of the
    /// node's window.
    pub(crate) fn base_reduction(&self, node: &Node, count: i32, width: i32) -> i32 {
        let product = scaled_log(node.depth) * scaled_log(count);
        let worsening = i32::from(!node.improving) * (product * lmr_worsening() / 512);
        // Nearly all windows are one point wide: for them the quotient was taken at the root.
        let open = if width == 1 { self.root.share } else { self.root.share_of(width) };
        product - open + worsening + lmr_offset() + lmr_tt_pv_before() * i32::from(node.tt_pv)
    }

    /// Step 14. Late-move pruning: after `count` better-looking moves without success no further quiet one is looked at
    /// (Romstad). At the root no move is left out: were answers to them, short searches would flatter the side to move.
    pub(crate) fn is_late(&self, node: &Node, count: i32) -> bool {
        let is_answer = node.ply == 1 && self.root_depth() as i32 <= lmp_answers_depth();
        let is_kept = is_answer && self.path.limiter.is_within_nodes(lmp_answers_nodes());
        !is_kept && count >= (lmp_base() + node.depth * node.depth) / (2 - i32::from(node.improving))
    }

    /// Step 14. Shallow pruning: whether a move is left out unsearched, now that one is known which does not lose.
    /// `base` is the move's base reduction.
    fn shallow_pruning<N: NodeType>(
        &self,
        node: &Node,
        info: &MoveInfo,
        found: &MoveLoop,
        gives_check: bool,
        base: i32,
    ) -> Prune {
        let depth = node.depth - 1 - base / PLY;
        if info.captured.is_some() || gives_check {
            let may_reach = gives_check || self.capture_may_reach(node, info, found.window.alpha, depth);
            return if may_reach && !self.capture_loses(node, info) { Prune::Keep } else { Prune::Skip };
        }
        if N::PV && node.follow_pv { Prune::Keep } else { self.prune_quiet(node, info, found, depth) }
    }

    /// Step 14. Futility of captures: whether one may bring the score above alpha.
    #[inline(always)]
    fn capture_may_reach(&self, node: &Node, info: &MoveInfo, alpha: Score, depth: i32) -> bool {
        if depth >= capture_futility_limit() || node.static_eval == NO_EVAL {
            return true;
        }
        let learnt = self.learnt.history.capture(info.piece_to, info.captured);
        let reachable = node.static_eval
            + capture_futility_margin()
            + capture_futility_depth_margin() * depth
            + info.victim_value()
            + capture_futility_history() * learnt / 1_024;
        reachable > alpha
    }

    /// Step 14. Exchanges of captures and checks: whether one loses too much.
    fn capture_loses(&self, node: &Node, info: &MoveInfo) -> bool {
        let learnt = self.learnt.history.capture(info.piece_to, info.captured);
        self.prefetch_after(info.mv);
        let allowed = (see_capture_margin() * node.depth + see_capture_history() * learnt / 1_024).max(0);
        !self.path.pos.see_ge(info.mv, -allowed)
    }

    /// Step 14. History pruning, futility pruning and exchanges: whether a quiet move never helped, cannot bring the
    /// score up to alpha (Heinz 1998), or loses too much.
    #[inline(always)]
    fn prune_quiet(&self, node: &Node, info: &MoveInfo, found: &MoveLoop, depth: i32) -> Prune {
        let history = &self.learnt.history;
        let mut learnt = history.continuation(&node.keys, 1, info.piece_to)
            + history.continuation(&node.keys, 2, info.piece_to)
            + history.pawn(&node.keys, info.piece_to);
        if learnt < -history_pruning_margin() * node.depth {
            return Prune::Skip;
        }
        learnt += history_pruning_main_weight() * history.main(self.path.pos.side(), info.mv) / 32;
        let depth = depth + learnt / history_pruning_depth_divisor();
        if !node.in_check && depth < futility_limit() {
            let alpha = found.window.alpha;
            let reachable = node.static_eval
                + futility_base()
                + futility_no_best() * i32::from(found.best_move.is_none())
                + futility_depth_margin() * depth
                + futility_above() * i32::from(node.static_eval > alpha);
            if reachable <= alpha {
                return Prune::SkipWithBound(reachable);
            }
        }
        // Most moves that come so far are searched: the table's answer is on its way while the exchange is played out.
        self.prefetch_after(info.mv);
        let depth = depth.max(0);
        if self.path.pos.see_ge(info.mv, -see_quiet_margin() * depth * depth) { Prune::Keep } else { Prune::Skip }
    }

    /// Step 15. Singular extension: if all moves but the TT move fail far below its score, it stands alone and is
    /// looked at deeper, by one to three plies. If they do not, and reach beta themselves, the node is done; if they do
    /// not and the TT score is above beta or the node is expected to cut off, the move is looked at less deep
    /// (Anantharaman, Campbell and Hsu 1988; multi-cut: Björnsson and Marsland 1999; all by one search: Stockfish).
    fn singular<N: NodeType>(&mut self, node: &Node, mv: Move) -> Singular {
        match self.singular_score(node, mv) {
            Some(score) => self.test_alone::<N>(node, mv, score),
            None => Singular::Extend(0),
        }
    }

    /// Step 15. The TT score, if it is good enough to ask whether the move stands alone.
    #[inline(always)]
    fn singular_score(&self, node: &Node, mv: Move) -> Option<Score> {
        let entry = node.entry?;
        let score = entry.score?;
        let is_deep = node.depth >= singular_min_depth() + i32::from(node.tt_pv) && entry.depth >= node.depth - 3;
        let asks = !score.is_decisive()
            && is_deep
            && node.excluded.is_none()
            && entry.bound.contains(Bound::LOWER)
            && node.ply < 3 * self.root_depth()
            && !self.is_shuffling(node, mv);
        if asks { Some(score) } else { None }
    }

    /// Step 15. Searches all other moves below the TT score.
    fn test_alone<N: NodeType>(&mut self, node: &Node, mv: Move, tt_score: Score) -> Singular {
        let Node { window, depth, ply, .. } = *node;
        let tt_pv = i32::from(node.tt_pv && !N::PV);
        let singular_beta = tt_score - (singular_margin() + singular_tt_pv_margin() * tt_pv) * depth / 55;
        // The search at the same ply writes into its entry of the stack. What it finds out of the node stays: that the
        // node cuts off, or that it belongs to the surroundings of a principal variation.
        let kept = self.stack[ply];
        self.stack[ply].excluded = Some(mv);
        let score = self.negamax::<NonPv>(Window::reaches(singular_beta), (depth - 1) / 2, ply, node.cut_node);
        let StackEntry { tt_pv, cutoffs, .. } = self.stack[ply];
        self.stack[ply] = StackEntry { tt_pv, cutoffs, ..kept };
        if self.stopped() {
            return Singular::Extend(0);
        }
        if score < singular_beta {
            return Singular::Extend(self.limited(ply, 1 + self.further_plies::<N>(node, singular_beta.0 - score.0)));
        }
        if score >= window.beta && !score.is_decisive() {
            return Singular::MultiCut(score);
        }
        if tt_score >= window.beta {
            return Singular::Extend(-negative_extension_tt());
        }
        Singular::Extend(if node.cut_node { -negative_extension_cut() } else { 0 })
    }

    /// Step 15. Plies beyond one that a move is extended which stands alone by `lead` centipawns.
    fn further_plies<N: NodeType>(&self, node: &Node, lead: i32) -> i32 {
        let pv = i32::from(N::PV);
        let quiet = i32::from(!node.tt_capture);
        let deep = i32::from(node.ply > self.root_depth());
        let unsure = node.correction.abs() / singular_correction();
        let double_margin = double_extension_base() + double_extension_pv() * pv
            - double_extension_quiet() * quiet
            - unsure
            - self.learnt.history.tt_move_history() * double_extension_tt_history() / 128
            - double_extension_deep() * deep;
        let triple_margin = triple_extension_base() + triple_extension_pv() * pv - triple_extension_quiet() * quiet
            + triple_extension_tt_pv() * i32::from(self.stack[node.ply].tt_pv)
            - unsure
            - triple_extension_deep() * deep;
        i32::from(lead > double_margin) + i32::from(lead > triple_margin)
    }

    /// Deep below the root a move is extended by no more than one ply, so that every iteration ends.
    fn limited(&self, ply: usize, extension: i32) -> i32 {
        if ply >= 2 * self.root_depth() { extension.min(1) } else { extension }
    }

    /// Tests whether a move goes on with a walk of one piece: to extend it would only put the end off.
    fn is_shuffling(&self, node: &Node, mv: Move) -> bool {
        if node.ply < SHUFFLE_PLY || node.tt_capture {
            return false;
        }
        if (1..=6).any(|back| self.stack.back(node.ply, back).mv.is_none()) {
            return false;
        }
        let own = self.stack.back(node.ply, 2).mv;
        let before = self.stack.back(node.ply, 4).mv;
        goes_on(mv, own) && own.is_some_and(|own| goes_on(own, before))
    }

    /// Step 17. Late-move reduction: the whole reduction of a move in 1/1,024 ply, given its base; alpha is that of the
    /// moment. The sum of its histories stands in the ply's entry of the stack.
    pub(crate) fn reduction<N: NodeType>(&self, node: &Node, info: &MoveInfo, alpha: Score, base: i32) -> i32 {
        let all_node = node.is_all_node::<N>();
        let mut reduction = base;
        if node.tt_pv {
            let is_deep = node.tt_depth() >= node.depth;
            reduction -= lmr_tt_pv()
                + lmr_pv() * i32::from(N::PV)
                + lmr_tt_pv_value() * i32::from(node.tt_score_above(alpha))
                + i32::from(is_deep) * (lmr_tt_pv_depth() + lmr_tt_pv_depth_cut() * i32::from(node.cut_node));
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

    /// Step 17. Sum of the histories of a move, for its reduction.
    #[inline(always)]
    pub(crate) fn stat_score(&self, node: &Node, info: &MoveInfo) -> i32 {
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
    pub(crate) fn search_move<N: NodeType>(
        &mut self,
        node: &Node,
        info: &MoveInfo,
        found: &MoveLoop,
        mut depth: i32,
        mut reduction: i32,
    ) -> Score {
        let Node { ply, cut_node, .. } = *node;
        let MoveLoop { window, best, .. } = *found;
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

    /// Step 20: counts the score of a move. Returns whether it has raised alpha.
    ///
    /// Of equal moves near the horizon one in eight is taken for better, so that lines differ; not on the principal
    /// variation, where such a move has no line of its own.
    fn note_score<N: NodeType>(&mut self, node: &Node, info: &MoveInfo, found: &mut MoveLoop, score: Score) -> bool {
        let is_tie = !N::PV
            && score == found.best
            && node.ply as i32 + 2 >= self.root_depth() as i32
            && self.nodes() & 14 == 0
            && !Score(score.0.abs() + 1).is_win();
        if score <= found.best && !is_tie {
            return false;
        }
        found.best = score;
        let raises = score.0 + i32::from(is_tie) > found.window.alpha.0;
        if raises {
            found.best_move = Some(*info);
            if N::PV && !N::ROOT {
                self.path.extend_pv(info.mv, node.ply);
            }
        }
        raises
    }

    pub(crate) fn move_info(&self, mv: Move, count: i32) -> MoveInfo {
        let captured = self.path.pos.piece_on(mv.to()).map(|piece| piece.piece_type());
        MoveInfo { mv, count, piece_to: PieceTo::of(&self.path.pos, mv), captured }
    }

    /// A move after the first has turned out best at the root.
    fn note_change(&mut self) {
        let control = &self.path.limiter.control;
        if self.path.limiter.is_first() {
            self.root.stability.note_changes(1.0 / control.threads() as f64);
        } else {
            self.root.stability.note_changes(1.0);
            control.note_change();
        }
    }

    /// Step 20 at the root: a move, which stands `at` this place, was searched in this window.
    fn note_root_move(&mut self, at: usize, info: &MoveInfo, score: Score, window: Window, nodes: u64) {
        let depth = self.root_depth();
        let root = &mut self.root.moves[at];
        debug_assert_eq!(root.mv, info.mv);
        root.note(score, nodes);
        if info.count > 1 && score <= window.alpha {
            // Only known to be no better: behind all that are.
            root.score = -Score::INFINITE;
            return;
        }
        root.set_best(score, window.bound_of(score), depth, &self.path.pv[1]);
        if info.count > 1 && self.root.place == 0 {
            self.note_change();
        }
    }
}

/// Tests whether a move starts where an earlier one has ended.
fn goes_on(mv: Move, earlier: Option<Move>) -> bool {
    mv.from().is_some_and(|from| earlier.map(Move::to) == Some(from))
}

/// Plies beyond twice the depth of the iteration that a line may have: first iterations need some.
const SPARE_PLIES: i32 = 16;

/// The most plies of a line before its captures are played out: twice the depth of the iteration (Stockfish), and some.
pub(crate) fn longest_line(root_depth: usize) -> i32 {
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
