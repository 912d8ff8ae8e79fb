//! Updates of the histories: the moves of a node that were good and that were not, and the error of the evaluation.
//!
//! After Stockfish's updates of its histories, in this form measured by YaneuraOu for shogi.

use super::history::{CONTINUATIONS, PieceTo};
use super::move_loop::SearchedMoves;
use super::node::{MoveInfo, MoveLoop, Node, NodeType};
use super::params::*;
use super::stack::NO_EVAL;
use super::worker::Worker;
use crate::types::{Move, PieceType, Score};

impl Worker {
    /// Steps 4, 17 and 21. Learns about a move as the answer to the moves one to six plies before `ply`; in check only
    /// to the last two.
    fn update_continuations(&mut self, ply: usize, piece_to: PieceTo, bonus: i32) {
        let weights = [
            cont_hist_weight_1(),
            cont_hist_weight_2(),
            cont_hist_weight_3(),
            cont_hist_weight_4(),
            cont_hist_weight_5(),
            cont_hist_weight_6(),
        ];
        let back = if self.stack[ply].in_check { 2 } else { CONTINUATIONS };
        for (plies, weight) in (1..=back).zip(weights) {
            let earlier = self.stack.back(ply, plies);
            if earlier.mv.is_some() {
                let extra = if plies == 1 { cont_hist_extra_1() } else { 0 };
                self.learnt.history.update_continuation(earlier.cont_hist, piece_to, bonus * weight / 1_024 + extra);
            }
        }
    }

    /// Steps 4 and 21. Learns about a quiet move of a node.
    fn update_quiet(&mut self, ply: usize, mv: Move, piece_to: PieceTo, bonus: i32) {
        self.learnt.history.update_main(self.path.pos.side(), mv, bonus);
        self.learnt.history.update_low_ply(ply, mv, bonus * stat_low_ply_share() / 1_024);
        self.update_continuations(ply, piece_to, bonus * stat_continuation_share() / 1_024);
        let share = if bonus > 0 { stat_bonus_pawn_share() } else { stat_malus_pawn_share() };
        self.learnt.history.update_pawn(self.correction_keys.pawn(), piece_to, bonus * share / 1_024);
    }

    /// Step 4. Transposition-table cutoff: a TT move that cuts off once more is rewarded, and an early quiet move
    /// before it is refuted once more.
    pub(crate) fn learn_tt_cutoff(&mut self, node: &Node, score: Score) {
        let Some(mv) = node.tt_move else { return };
        if score < node.window.beta {
            return;
        }
        if !node.tt_capture {
            // A collision of keys may have brought a move that starts on an empty square: it teaches nothing.
            let Some(piece_to) = self.piece_to_if_possible(mv) else { return };
            let bonus = (tt_cut_bonus_scale() * node.depth - tt_cut_bonus_offset()).min(tt_cut_bonus_max());
            self.update_quiet(node.ply, mv, piece_to, bonus);
        }
        let before = *self.stack.back(node.ply, 1);
        if before.mv.is_some() && before.move_count <= 4 && self.path.pos.captured().is_none() {
            self.update_continuations(node.ply - 1, before.piece_to, -tt_cut_malus());
        }
    }

    /// The move as a piece on its destination, unless it starts on a square that holds no piece of its side.
    fn piece_to_if_possible(&self, mv: Move) -> Option<PieceTo> {
        if let Some(from) = mv.from()
            && self.path.pos.piece_on(from)?.color() != self.path.pos.side()
        {
            return None;
        }
        Some(PieceTo::of(&self.path.pos, mv))
    }

    /// Step 6. Evaluation difference: a quiet move after which the evaluation rose was good.
    #[inline(always)]
    pub(crate) fn learn_evaluation_difference(&mut self, node: &Node) {
        let before = *self.stack.back(node.ply, 1);
        let Some(mv) = before.mv else { return };
        if before.in_check || before.static_eval == NO_EVAL || self.path.pos.captured().is_some() {
            return;
        }
        let sum = before.static_eval.0 + node.static_eval.0;
        let difference = (-sum).clamp(eval_diff_min(), eval_diff_max()) + eval_diff_offset();
        self.learnt.history.update_main(!self.path.pos.side(), mv, difference * eval_diff_main_weight());
        if node.entry.is_none() && self.moved_type(mv) != Some(PieceType::Pawn) && !mv.is_promotion() {
            let bonus = difference * eval_diff_pawn_weight();
            self.learnt.history.update_pawn(self.correction_keys.pawn(), before.piece_to, bonus);
        }
    }

    /// The type of the piece that the last move put on its destination.
    fn moved_type(&self, last: Move) -> Option<PieceType> {
        self.path.pos.piece_on(last.to()).map(|piece| piece.piece_type())
    }

    /// Step 15. Multi-cut: several moves cut off, the TT move is one of many.
    pub(crate) fn learn_multi_cut(&mut self, node: &Node) {
        let malus = (multi_cut_malus_offset() + multi_cut_malus_scale() * node.depth).min(multi_cut_malus_max());
        self.learnt.history.update_tt_move_history(-malus);
    }

    /// Step 17. Late-move reduction: a move was better than a shallow search had to show.
    pub(crate) fn learn_late_move(&mut self, node: &Node, info: &MoveInfo) {
        self.update_continuations(node.ply, info.piece_to, lmr_again_bonus());
    }

    /// Step 21. Histories: the best move of the node is rewarded; without one the move before it, which all answers
    /// failed to refute.
    pub(crate) fn learn_from_node<N: NodeType>(&mut self, node: &Node, found: &MoveLoop, others: &SearchedMoves) {
        if let Some(best) = &found.best_move {
            self.learn_best_move(node, best, others);
            if !N::PV {
                let is_tt_move = node.tt_move == Some(best.mv);
                let bonus = if is_tt_move { tt_move_history_bonus() } else { -tt_move_history_malus() };
                self.learnt.history.update_tt_move_history(bonus);
            }
        } else if !N::ROOT
            && let Some(mv) = self.stack.back(node.ply, 1).mv
        {
            match self.path.pos.captured() {
                None => self.learn_prior_quiet(node, mv, found.best),
                Some(captured) => {
                    let piece_to = self.stack.back(node.ply, 1).piece_to;
                    self.learnt.history.update_capture(piece_to, Some(captured.piece_type()), prior_bonus_capture());
                }
            }
        }
    }

    /// Step 21. A move cut off or raised alpha: it gets a bonus, and those that were searched without success a
    /// penalty.
    fn learn_best_move(&mut self, node: &Node, best: &MoveInfo, others: &SearchedMoves) {
        let before = *self.stack.back(node.ply, 1);
        let is_tt_move = i32::from(node.tt_move == Some(best.mv));
        let bonus = (stat_bonus_scale() * node.depth - stat_bonus_offset()).min(stat_bonus_max())
            + stat_bonus_tt_move() * is_tt_move
            + before.stat_score / 32;
        let malus = (stat_malus_scale() * node.depth - stat_malus_offset()).min(stat_malus_max());
        if best.captured.is_some() {
            let bonus = bonus * stat_bonus_capture_share() / 1_024;
            self.learnt.history.update_capture(best.piece_to, best.captured, bonus);
        } else {
            self.update_quiet(node.ply, best.mv, best.piece_to, bonus * stat_bonus_quiet_share() / 1_024);
            let mut malus = malus * stat_malus_quiet_share() / 1_024;
            for info in &others.quiets {
                malus = malus * stat_malus_decay() / 1_024;
                self.update_quiet(node.ply, info.mv, info.piece_to, -malus);
            }
        }
        for info in &others.captures {
            let malus = malus * stat_malus_capture_share() / 1_024;
            self.learnt.history.update_capture(info.piece_to, info.captured, -malus);
        }
        // The first quiet move at the node before was refuted.
        let first = 1 + i32::from(before.tt_hit);
        if before.mv.is_some() && self.path.pos.captured().is_none() && before.move_count == first {
            self.update_continuations(node.ply - 1, before.piece_to, -malus * stat_malus_refuted_share() / 1_024);
        }
    }

    /// Step 21. All moves failed: the quiet move that led here did well, the more the less that was to be expected.
    fn learn_prior_quiet(&mut self, node: &Node, mv: Move, score: Score) {
        let before = *self.stack.back(node.ply, 1);
        let is_below = !node.in_check && score <= node.static_eval - prior_bonus_below_margin();
        let is_above = !before.in_check
            && before.static_eval != NO_EVAL
            && score <= -before.static_eval - prior_bonus_above_margin();
        let factor = -prior_bonus_base() - before.stat_score / prior_bonus_stat()
            + (prior_bonus_depth() * node.depth).min(prior_bonus_depth_max())
            + prior_bonus_late() * i32::from(before.move_count > 8)
            + prior_bonus_below() * i32::from(is_below)
            + prior_bonus_above() * i32::from(is_above);
        let scale = (prior_bonus_scale() * node.depth - prior_bonus_offset()).min(prior_bonus_max());
        let bonus = i64::from(scale) * i64::from(factor.max(0));
        let continuation = bonus * i64::from(prior_bonus_continuation()) / 16_384;
        self.update_continuations(node.ply - 1, before.piece_to, continuation as i32);
        let main = bonus * i64::from(prior_bonus_main()) / 32_768;
        self.learnt.history.update_main(!self.path.pos.side(), mv, main as i32);
        if self.moved_type(mv) != Some(PieceType::Pawn) && !mv.is_promotion() {
            let pawn = bonus * i64::from(prior_bonus_pawn()) / 8_192;
            self.learnt.history.update_pawn(self.correction_keys.pawn(), before.piece_to, pawn as i32);
        }
    }

    /// Step 22. Corrections: by how much the search has found the static evaluation to be off, if the position is
    /// quiet.
    #[inline(always)]
    pub(crate) fn learn_evaluation(&mut self, node: &Node, found: &MoveLoop) {
        let best = found.best;
        let best_move = &found.best_move;
        let is_quiet = best_move.as_ref().is_none_or(|info| info.captured.is_none());
        let tells = (best > node.static_eval) == best_move.is_some();
        if node.in_check || !is_quiet || !tells || best.is_decisive() {
            return;
        }
        let weight = if best_move.is_some() { correction_best_weight() } else { correction_no_best_weight() };
        let bonus = (best.0 - node.static_eval.0) * node.depth * weight / 128;
        self.learn_correction(node.ply, bonus.clamp(-correction_max(), correction_max()) * correction_share() / 1_024);
    }
}
