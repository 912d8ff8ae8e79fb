//! Quiescence search: captures, and every answer to a check, until the position is quiet.

use super::node::{NodeType, Window};
use super::worker::Worker;
use crate::search::bound::Bound;
use crate::search::ordering::correction::corrected;
use crate::search::ordering::history::HistoryKeys;
use crate::search::ordering::picker::Picker;
use crate::search::params::*;
use crate::search::tt::Entry;
use crate::types::{Move, Score};

/// Facts about the node that the tests of a capture need.
struct Reach {
    alpha: Score,
    /// The evaluation and what a quiet move may add to it; in check below all scores.
    base: Score,
    /// Where the last move went.
    last_to: Option<crate::types::Square>,
    /// Only recaptures are searched: else boards full of loose pieces never end.
    only_recaptures: bool,
}

impl Worker {
    /// The score of the position once captures are played out, `depth` (0 or less) plies below the search proper.
    pub(super) fn quiescence<N: NodeType>(&mut self, window: Window, depth: i32, ply: usize) -> Score {
        if N::PV {
            self.pv[ply].clear();
        }
        if self.must_stop() {
            return Score::DRAW;
        }
        self.seldepth = self.seldepth.max(ply);
        if let Some(score) = self.game_end(ply) {
            return score;
        }
        let Window { mut alpha, beta } = window;
        let key = self.pos.key();
        let entry = self.shared.table.probe(key, ply);
        if !N::PV
            && let Some(score) = entry.filter(|entry| entry.depth >= 0).and_then(|entry| entry.answers(beta))
        {
            return score;
        }
        if let Some(score) = self.declaration_win(ply) {
            return score;
        }
        let in_check = self.pos.in_check();
        let tt_pv = entry.is_some_and(|entry| entry.tt_pv);
        let mut best = -Score::INFINITE;
        let mut raw = None;
        let mut base = -Score::INFINITE;
        let ends = depth <= -QUIESCENCE_PLIES;
        // In check nothing asks for the evaluation, neither here nor in the table, unless the search ends.
        if !in_check || ends {
            let stored = entry.filter(|_| !in_check).and_then(|entry| entry.eval);
            let eval = stored.unwrap_or_else(|| self.eval.evaluate(&self.pos).clamp_eval());
            best = corrected(eval, self.correction(ply));
            if ends {
                return best;
            }
            raw = Some(eval);
            base = best + quiescence_base();
            // Standing pat: some quiet move is at least as good as the evaluation says.
            let known = entry.and_then(|entry| entry.improves(best)).filter(|score| !score.is_decisive());
            best = known.unwrap_or(best);
            if best >= beta {
                return self.stand_pat(best, beta, raw, entry.is_none(), ply);
            }
            // A mate in one, at a position that was not searched before.
            if entry.is_none_or(|entry| entry.depth < 0) {
                self.stack[ply].tt_pv = tt_pv;
                if let Some(score) = self.mate_in_one_cutoff::<N>(0, ply) {
                    return score;
                }
            }
            alpha = alpha.max(best);
        }
        self.stack[ply].in_check = in_check;
        let last_to = self.stack.back(ply, 1).mv.map(Move::to);
        let only_recaptures = !in_check && depth <= -RECAPTURE_PLIES;
        let mut best_move = None;
        let mut count = 0;
        // Only answers to a check are weighed by what led here.
        let keys = if in_check { self.history_keys(ply) } else { HistoryKeys::default() };
        let mut picker =
            Picker::quiescence(&self.pos, entry.and_then(|entry| entry.mv), keys).with_all_moves(self.limits.all_moves);
        while let Some(mv) = picker.next(&self.pos, &self.history) {
            count += 1;
            let reach = Reach { alpha, base, last_to, only_recaptures };
            if !best.is_loss() && self.is_useless(&mut picker, mv, count, &reach, &mut best) {
                continue;
            }
            self.do_move(mv, ply);
            let score = -self.quiescence::<N>(-Window { alpha, beta }, depth - 1, ply + 1);
            self.undo_move();
            if self.stopped {
                return Score::DRAW;
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    if N::PV {
                        self.extend_pv(mv, ply);
                    }
                    alpha = score;
                    if alpha >= beta {
                        break;
                    }
                }
            }
        }
        if in_check && best == -Score::INFINITE {
            return Score::mated_in(ply);
        }
        if best > beta && !best.is_decisive() {
            best = Score((best.0 + beta.0) / 2);
        }
        let bound = if best >= beta { Bound::LOWER } else { Bound::UPPER };
        let entry = Entry { mv: best_move, score: Some(best), eval: raw, depth: 0, bound, tt_pv };
        self.shared.table.store(key, ply, entry);
        best
    }

    /// The score of a position that is above beta without a move; it is stored if the table knew nothing.
    #[inline(always)]
    fn stand_pat(&mut self, best: Score, beta: Score, raw: Option<Score>, is_new: bool, ply: usize) -> Score {
        let score = if best.is_decisive() { best } else { Score((best.0 + beta.0) / 2) };
        if is_new && let Some(raw) = raw {
            let entry = Entry { score: Some(score), bound: Bound::LOWER, ..Entry::unsearched(raw, false) };
            self.shared.table.store(self.pos.key(), ply, entry);
        }
        score
    }

    /// Tests whether a move is not worth a search, now that one is known which does not lose: a capture that cannot
    /// reach alpha and neither gives check nor recaptures, a capture that loses material, a quiet answer to a check.
    #[inline(always)]
    fn is_useless(&self, picker: &mut Picker, mv: Move, count: i32, reach: &Reach, best: &mut Score) -> bool {
        let victim = self.pos.piece_on(mv.to()).map(|piece| piece.piece_type());
        let recaptures = reach.last_to == Some(mv.to());
        if reach.only_recaptures && !recaptures {
            return true;
        }
        if !recaptures && !reach.base.is_loss() && !picker.gives_check(&self.pos, mv) {
            if count > quiescence_moves() {
                return true;
            }
            let reachable = reach.base + victim.map_or(0, |victim| victim.capture_gain() / 2);
            if reachable <= reach.alpha {
                *best = (*best).max(reachable);
                return true;
            }
            // An exchange counts a captured piece twice: on the board and in hand.
            if !self.pos.see_ge(mv, 2 * (reach.alpha.0 - reach.base.0)) {
                *best = (*best).max(reach.alpha.min(reach.base));
                return true;
            }
        }
        victim.is_none() || !self.pos.see_ge(mv, -quiescence_see())
    }
}
