//! Steps that leave out what will not matter: razoring, reverse futility, mate in one, null move, internal iterative
//! reduction, probcut, shallow pruning.

use super::node::{MoveInfo, Node, NodeType, NonPv, Window};
use super::reduction::PLY;
use super::stack::NO_EVAL;
use super::worker::Worker;
use crate::mate::mate_in_one;
use crate::search::bound::Bound;
use crate::search::line::MAX_PLY;
use crate::search::ordering::picker::Picker;
use crate::search::params::*;
use crate::search::tt::Entry;
use crate::types::Score;

impl Worker {
    /// Mate in one. It needs no search, and a shogi king is often mated by a drop that no other step would try first
    /// (YaneuraOu). It is looked for after the tests that cut off by the evaluation alone: what cuts off needs no mate.
    #[inline(always)]
    pub(super) fn mate_in_one_cutoff<N: NodeType>(&mut self, depth: i32, ply: usize) -> Option<Score> {
        if !self.pos.may_mate(&self.rules) {
            return None;
        }
        let mv = mate_in_one(&self.pos)?;
        if N::PV {
            self.pv[ply].clear();
            self.pv[ply].push(mv);
        }
        let score = Score::mate_in(ply + 1);
        let entry = Entry {
            mv: Some(mv),
            score: Some(score),
            eval: None,
            depth: (depth + 6).min(MAX_PLY as i32 - 1),
            bound: Bound::EXACT,
            tt_pv: self.stack[ply].tt_pv,
        };
        self.shared.table.store(self.pos.key(), ply, entry);
        Some(score)
    }

    /// Steps 7 to 12: what can be said of the node without going through its moves.
    #[inline(always)]
    pub(super) fn prune_node<N: NodeType>(&mut self, node: &mut Node) -> Option<Score> {
        if !node.in_check {
            // Step 7. Razoring.
            if let Some(score) = self.razoring::<N>(node) {
                return Some(score);
            }
            // Step 8. Reverse futility pruning, and a mate in one where that does not cut off.
            if let Some(score) = self.reverse_futility(node) {
                return Some(score);
            }
            let is_tested = N::ROOT || node.excluded.is_some() || node.tt_depth() > 0;
            if !is_tested && let Some(score) = self.mate_in_one_cutoff::<N>(node.depth, node.ply) {
                return Some(score);
            }
            // Step 9. Null-move pruning.
            if let Some(score) = self.null_move(node) {
                return Some(score);
            }
            node.improving |= node.static_eval >= node.window.beta;
            // Step 10. Internal iterative reduction.
            node.depth -= self.internal_reduction::<N>(node);
            // Step 11. Probcut.
            if !N::ROOT
                && let Some(score) = self.probcut(node)
            {
                return Some(score);
            }
        }
        // Step 12. The small probcut.
        if N::ROOT { None } else { self.small_probcut(node) }
    }

    /// Step 7: so far below alpha that only captures could help: ask the quiescence search (Birmingham and Kent 1977; in
    /// this form Strelka and Stockfish).
    #[inline(always)]
    fn razoring<N: NodeType>(&mut self, node: &Node) -> Option<Score> {
        let Node { window, depth, ply, .. } = *node;
        if N::PV || node.eval >= window.alpha - razor() - razor_depth() * depth * depth {
            return None;
        }
        Some(self.quiescence::<NonPv>(window, 0, ply))
    }

    /// Step 8: the position is so good that a quiet move keeps it above beta (Heinz 1998, "static null move"). The margin
    /// grows with the depth and with how unsure the evaluation is.
    #[inline(always)]
    fn reverse_futility(&self, node: &Node) -> Option<Score> {
        let Node { window: Window { beta, .. }, depth, eval, .. } = *node;
        let may_hold = !node.tt_pv
            && depth <= rfp_depth()
            && eval >= beta
            && (node.tt_move.is_none() || node.tt_capture)
            && !beta.is_loss()
            && !eval.is_win();
        if !may_hold {
            return None;
        }
        let a_ply = rfp() - rfp_no_hit() * i32::from(node.entry.is_none());
        let opponent_worsening = node.static_eval > -self.stack.back(node.ply, 1).static_eval;
        let off = rfp_improving() * i32::from(node.improving) + rfp_worsening() * i32::from(opponent_worsening);
        let margin = a_ply * depth - off * a_ply / 1_024 + node.correction.abs() / rfp_correction();
        let blend = rfp_blend();
        (eval - margin >= beta).then(|| Score((blend * beta.0 + (100 - blend) * eval.0) / 100))
    }

    /// Step 9: if even a pass keeps the score above beta, a move will (Goetsch and Campbell 1990; adaptive: Heinz 1999).
    /// Only where a cut is expected and the evaluation lies clearly above beta; a deep answer is verified by a search
    /// without null moves (Feldmann 1997; in this form Stockfish).
    #[inline(always)]
    pub(super) fn null_move(&mut self, node: &Node) -> Option<Score> {
        let Node { window: Window { beta, .. }, depth, ply, .. } = *node;
        let margin = nmp_offset() - nmp_depth() * depth - nmp_improving() * i32::from(node.improving);
        let is_safe = node.cut_node
            && node.static_eval >= beta + margin
            && node.static_eval != NO_EVAL
            && node.excluded.is_none()
            && ply >= self.null_move_min_ply
            && !beta.is_loss();
        if !is_safe {
            return None;
        }
        let reduced = depth - nmp_reduction() - depth / nmp_divisor();
        self.do_null_move(ply);
        self.stack[ply + 1].extension_streak = 0;
        let score = -self.negamax::<NonPv>(-Window::reaches(beta), reduced, ply + 1, false);
        self.undo_null_move();
        // A win found behind a pass is no win.
        if self.stopped || score < beta || score.is_win() {
            return None;
        }
        if depth < nmp_verify_depth() || self.null_move_min_ply > 0 {
            return Some(score);
        }
        self.verify_null_move(node, reduced).then_some(score)
    }

    /// Step 9: the same question by a search without null moves in the plies next to the node.
    #[cold]
    fn verify_null_move(&mut self, node: &Node, reduced: i32) -> bool {
        let Node { window: Window { beta, .. }, ply, .. } = *node;
        let kept = self.stack[ply];
        self.null_move_min_ply = ply + (3 * reduced.max(0) / 4) as usize;
        let score = self.negamax::<NonPv>(Window::reaches(beta), reduced, ply, false);
        self.null_move_min_ply = 0;
        self.stack[ply] = kept;
        !self.stopped && score >= beta
    }

    /// Step 10: a ply that is taken off a node without a move from the table, where the order of moves is poor: the next
    /// iteration will have one (Schröder 2018, Rebel).
    #[inline(always)]
    fn internal_reduction<N: NodeType>(&self, node: &Node) -> i32 {
        let is_poor = node.tt_move.is_none() && node.depth >= iir_depth() && node.prior_reduction <= 3;
        i32::from(is_poor && !node.follow_pv && !node.is_all_node::<N>())
    }

    /// Step 11: a capture that brings a shallower search far above beta will bring this one above it (Buro 1995; in this
    /// form Stockfish).
    fn probcut(&mut self, node: &Node) -> Option<Score> {
        let Node { window: Window { beta, .. }, depth, ply, .. } = *node;
        let raised = beta + probcut() - probcut_improving() * i32::from(node.improving);
        if depth < 3 || beta.is_decisive() || node.tt_score().is_some_and(|score| score < raised) {
            return None;
        }
        // An exchange counts a captured piece twice: on the board and in hand.
        let threshold = 2 * (raised.0 - node.static_eval.0);
        let reduced = depth - probcut_reduction();
        let mut picker = Picker::winning(&self.pos, node.tt_move, threshold);
        while let Some(mv) = picker.next(&self.pos, &self.history) {
            if node.excluded == Some(mv) {
                continue;
            }
            self.do_move(mv, ply);
            self.stack[ply + 1].extension_streak = 0;
            let mut score = -self.quiescence::<NonPv>(-Window::reaches(raised), 0, ply + 1);
            if score >= raised && reduced > 0 {
                score = -self.negamax::<NonPv>(-Window::reaches(raised), reduced, ply + 1, !node.cut_node);
            }
            self.undo_move();
            if self.stopped {
                return None;
            }
            if score >= raised {
                let (depth, eval) = (reduced + 1, node.raw_eval);
                let entry =
                    Entry { mv: Some(mv), score: Some(score), eval, depth, bound: Bound::LOWER, tt_pv: node.tt_pv };
                self.shared.table.store(self.pos.key(), ply, entry);
                if !score.is_decisive() {
                    return Some(score - (raised.0 - beta.0));
                }
            }
        }
        None
    }

    /// Step 12: the table knows a score so far above beta that a shallower search is proof enough (Stockfish).
    #[inline(always)]
    fn small_probcut(&self, node: &Node) -> Option<Score> {
        let raised = node.window.beta + small_probcut();
        let entry = node.entry?;
        let is_proof = entry.bound.contains(Bound::LOWER)
            && entry.depth >= node.depth - 4
            && entry.score.is_some_and(|score| score >= raised && !score.is_decisive())
            && !node.window.beta.is_decisive();
        is_proof.then_some(raised)
    }

    /// Step 14: whether a move can be left out unsearched: one of many late ones (Romstad), one that cannot bring the
    /// score up to alpha (Heinz 1998), one that never helped, one that loses an exchange. Called only once a move is known
    /// that does not lose. `base` is the move's base reduction, `raised` whether a move has raised alpha.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "inlined: what the loop over the moves knows")]
    pub(super) fn is_prunable<N: NodeType>(
        &mut self,
        node: &Node,
        picker: &mut Picker,
        info: &MoveInfo,
        window: Window,
        base: i32,
        raised: bool,
        best: &mut Score,
    ) -> bool {
        // Late moves: enough better-looking ones did not help. From the next one on no quiet move is looked at.
        if info.count >= (late_base() + node.depth * node.depth) / (2 - i32::from(node.improving)) {
            picker.skip_quiets();
        }
        let depth = node.depth - 1 - base / PLY;
        let gives_check = picker.gives_check(&self.pos, info.mv);
        if info.captured.is_some() || gives_check {
            return self.is_hopeless_capture(node, info, window, depth, gives_check);
        }
        !(N::PV && node.follow_pv) && self.is_hopeless_quiet(node, info, window, depth, raised, best)
    }

    /// Step 14: whether a capture or check cannot reach alpha or loses too much.
    #[inline(always)]
    fn is_hopeless_capture(&self, node: &Node, info: &MoveInfo, window: Window, depth: i32, gives_check: bool) -> bool {
        let learnt = self.history.capture(info.piece_to, info.captured);
        if !gives_check && depth < capture_futility_limit() && node.static_eval != NO_EVAL {
            let reachable = node.static_eval
                + capture_futility()
                + capture_futility_depth() * depth
                + info.victim_value()
                + capture_futility_history() * learnt / 1_024;
            if reachable <= window.alpha {
                return true;
            }
        }
        self.prefetch_after(info.mv);
        let allowed = (see_capture() * node.depth + see_capture_history() * learnt / 1_024).max(0);
        !self.pos.see_ge(info.mv, -allowed)
    }

    /// Step 14: whether a quiet move never helped, cannot reach alpha, or loses too much.
    #[inline(always)]
    fn is_hopeless_quiet(
        &self,
        node: &Node,
        info: &MoveInfo,
        window: Window,
        depth: i32,
        raised: bool,
        best: &mut Score,
    ) -> bool {
        let mut learnt = self.history.continuation(&node.keys, 1, info.piece_to)
            + self.history.continuation(&node.keys, 2, info.piece_to)
            + self.history.pawn(&node.keys, info.piece_to);
        if learnt < -history_prune() * node.depth {
            return true;
        }
        learnt += history_main() * self.history.main(self.pos.side(), info.mv) / 32;
        let depth = depth + learnt / history_depth();
        if !node.in_check && depth < futility_limit() {
            let reachable = node.static_eval
                + futility_base()
                + futility_no_best() * i32::from(!raised)
                + futility_depth() * depth
                + futility_above() * i32::from(node.static_eval > window.alpha);
            if reachable <= window.alpha {
                if *best <= reachable && !best.is_decisive() && !reachable.is_win() {
                    *best = reachable;
                }
                return true;
            }
        }
        // Most moves that come so far are searched: the table's answer is on its way while the exchange is played out.
        self.prefetch_after(info.mv);
        let depth = depth.max(0);
        !self.pos.see_ge(info.mv, -see_quiet() * depth * depth)
    }
}
