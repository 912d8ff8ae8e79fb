//! Steps 7 to 12, which spare the moves of a node: razoring, reverse futility, mate in one, null move, internal
//! iterative reduction, probcut.

use super::node::{Node, NodeType, NonPv, Window};
use super::params::*;
use super::picker::Picker;
use super::report::Bound;
use super::stack::{MAX_PLY, NO_EVAL};
use super::tt::Entry;
use super::worker::Worker;
use crate::mate::mate_in_one;
use crate::types::{Move, Score};

/// Step 7. Razoring: so far below alpha only captures could help, so the quiescence search is asked (Birmingham and
/// Kent 1977; in this form Strelka and Stockfish).
fn is_razored(node: &Node) -> bool {
    node.eval < node.window.alpha - razoring_margin() - razoring_depth_margin() * node.depth * node.depth
}

impl Worker {
    /// Steps 7 to 9: what the evaluation says of a node out of check.
    pub(crate) fn prune_by_evaluation<N: NodeType>(&mut self, node: &Node) -> Option<Score> {
        // Step 7. Razoring.
        if !N::PV && is_razored(node) {
            return Some(self.quiescence::<NonPv>(node.window, 0, node.ply));
        }
        // Step 8. Reverse futility pruning, and a mate in one where that does not cut off.
        if let Some(score) = self.reverse_futility(node) {
            return Some(score);
        }
        let is_tested = N::ROOT || node.excluded.is_some() || node.tt_depth() > 0;
        if !is_tested && let Some(mv) = self.mate_in_one_cutoff() {
            return Some(self.store_mate_in_one::<N>(mv, node.depth, node.ply));
        }
        // Step 9. Null-move pruning.
        if self.may_pass(node) { self.null_move(node) } else { None }
    }

    /// Mate in one: it needs no search, and a shogi king is often mated by a drop that no other step would try first
    /// (YaneuraOu). It is looked for after the tests that cut off by the evaluation alone: what cuts off needs no mate.
    #[inline(always)]
    pub(crate) fn mate_in_one_cutoff(&self) -> Option<Move> {
        if self.path.pos.may_mate(&self.path.rules) { mate_in_one(&self.path.pos) } else { None }
    }

    /// The score of a node at which a move mates, once the move is stored.
    pub(crate) fn store_mate_in_one<N: NodeType>(&mut self, mv: Move, depth: i32, ply: usize) -> Score {
        if N::PV {
            self.path.pv[ply].clear();
            self.path.pv[ply].push(mv);
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
        self.table.store(self.path.pos.key(), ply, entry);
        score
    }

    /// Step 8. Reverse futility pruning: the position is so good that a quiet move keeps it above beta (Heinz 1998,
    /// "static null move"). The margin grows with the depth and with how unsure the evaluation is.
    #[inline(always)]
    fn reverse_futility(&self, node: &Node) -> Option<Score> {
        let Node { window: Window { beta, .. }, depth, eval, .. } = *node;
        let may_hold = !node.tt_pv
            && depth <= rfp_max_depth()
            && eval >= beta
            && (node.tt_move.is_none() || node.tt_capture)
            && !beta.is_loss()
            && !eval.is_win();
        if !may_hold {
            return None;
        }
        let a_ply = rfp_margin() - rfp_no_hit() * i32::from(node.entry.is_none());
        let opponent_worsening = node.static_eval > -self.stack.back(node.ply, 1).static_eval;
        let off = rfp_improving() * i32::from(node.improving) + rfp_worsening() * i32::from(opponent_worsening);
        let margin = a_ply * depth - off * a_ply / 1_024 + node.correction.abs() / rfp_correction();
        let blend = rfp_blend();
        if eval - margin < beta {
            return None;
        }
        Some(Score((blend * beta.0 + (100 - blend) * eval.0) / 100))
    }

    /// Step 9. Null-move pruning: whether to pass. Only where a cut is expected and the evaluation lies clearly above
    /// beta.
    pub(crate) fn may_pass(&self, node: &Node) -> bool {
        let Node { window: Window { beta, .. }, depth, ply, .. } = *node;
        let margin = nmp_offset() - nmp_depth() * depth - nmp_improving() * i32::from(node.improving);
        node.cut_node
            && node.static_eval >= beta + margin
            && node.static_eval != NO_EVAL
            && node.excluded.is_none()
            && ply >= self.null_move_min_ply
            && !beta.is_loss()
    }

    /// Step 9. Null-move pruning: if even a pass keeps the score above beta, a move will (Goetsch and Campbell 1990;
    /// adaptive: Heinz 1999). A deep answer is verified by a search without null moves (Feldmann 1997; in this form
    /// Stockfish).
    #[inline(always)]
    pub(crate) fn null_move(&mut self, node: &Node) -> Option<Score> {
        let Node { window: Window { beta, .. }, depth, ply, .. } = *node;
        let reduced = depth - nmp_reduction() - depth / nmp_divisor();
        self.do_null_move(ply);
        self.stack[ply + 1].extension_streak = 0;
        let score = -self.negamax::<NonPv>(-Window::reaches(beta), reduced, ply + 1, false);
        self.path.undo_null_move();
        // A win found behind a pass is no win.
        if self.stopped() || score < beta || score.is_win() {
            return None;
        }
        if depth < nmp_verify_depth() || self.null_move_min_ply > 0 {
            return Some(score);
        }
        let verified = self.verify_null_move(node, reduced);
        if self.stopped() || verified < beta { None } else { Some(score) }
    }

    /// Step 9. Null-move verification: the node's score by a search without null moves in the plies next to it.
    #[cold]
    fn verify_null_move(&mut self, node: &Node, reduced: i32) -> Score {
        let Node { window: Window { beta, .. }, ply, .. } = *node;
        let kept = self.stack[ply];
        self.null_move_min_ply = ply + (3 * reduced.max(0) / 4) as usize;
        let score = self.negamax::<NonPv>(Window::reaches(beta), reduced, ply, false);
        self.null_move_min_ply = 0;
        self.stack[ply] = kept;
        score
    }

    /// Step 10. Internal iterative reduction: a ply is taken off a node without a TT move, where the order of moves is
    /// poor; the next iteration will have one (Schröder 2018, Rebel).
    pub(crate) fn internal_iterative_reduction<N: NodeType>(&self, node: &Node) -> i32 {
        let is_poor = node.tt_move.is_none() && node.depth >= iir_min_depth() && node.prior_reduction <= 3;
        i32::from(is_poor && !node.follow_pv && !node.is_all_node::<N>())
    }

    /// Steps 11 and 12: what a shallower search, or the table, says of a node far above beta.
    #[inline(always)]
    pub(crate) fn probcut(&mut self, node: &Node) -> Option<Score> {
        if !node.in_check
            && let Some(score) = self.capture_probcut(node)
        {
            return Some(score);
        }
        small_probcut(node)
    }

    /// Step 11. Probcut: a capture that brings a shallower search far above beta will bring this one above it (Buro
    /// 1995; in this form Stockfish).
    fn capture_probcut(&mut self, node: &Node) -> Option<Score> {
        let Node { window: Window { beta, .. }, depth, ply, .. } = *node;
        let prob_cut_beta = beta + probcut_margin() - probcut_improving() * i32::from(node.improving);
        // The search may have come to its end behind the null move.
        if depth < 3
            || beta.is_decisive()
            || node.tt_score().is_some_and(|score| score < prob_cut_beta)
            || self.stopped()
        {
            return None;
        }
        // An exchange counts a captured piece twice: on the board and in hand.
        let threshold = 2 * (prob_cut_beta.0 - node.static_eval.0);
        let reduced = depth - probcut_reduction();
        let mut picker = Picker::winning(&self.path.pos, node.tt_move, threshold);
        while let Some(mv) = picker.next(&self.path.pos, &self.learnt.history) {
            if node.excluded == Some(mv) {
                continue;
            }
            self.do_move(mv, ply);
            self.stack[ply + 1].extension_streak = 0;
            let mut score = -self.quiescence::<NonPv>(-Window::reaches(prob_cut_beta), 0, ply + 1);
            if score >= prob_cut_beta && reduced > 0 {
                score = -self.negamax::<NonPv>(-Window::reaches(prob_cut_beta), reduced, ply + 1, !node.cut_node);
            }
            self.undo_move();
            if self.stopped() {
                return None;
            }
            if score >= prob_cut_beta {
                let entry = Entry {
                    mv: Some(mv),
                    score: Some(score),
                    eval: node.raw_eval,
                    depth: reduced + 1,
                    bound: Bound::LOWER,
                    tt_pv: node.tt_pv,
                };
                self.table.store(self.path.pos.key(), ply, entry);
                if !score.is_decisive() {
                    return Some(score - (prob_cut_beta.0 - beta.0));
                }
            }
        }
        None
    }
}

/// Step 12. Small probcut: the table knows a score so far above beta that a shallower search is proof enough
/// (Stockfish).
fn small_probcut(node: &Node) -> Option<Score> {
    let prob_cut_beta = node.window.beta + small_probcut_margin();
    let entry = node.entry?;
    let is_proof = entry.bound.contains(Bound::LOWER)
        && entry.depth >= node.depth - 4
        && entry.score.is_some_and(|score| score >= prob_cut_beta && !score.is_decisive())
        && !node.window.beta.is_decisive();
    if is_proof { Some(prob_cut_beta) } else { None }
}
