//! Quiescence search: captures, and every answer to a check, until the position is quiet.

use super::correction::corrected;
use super::history::HistoryKeys;
use super::node::{NodeType, Prune, Window, check_entry, check_window};
use super::params::*;
use super::picker::Picker;
use super::report::Bound;
use super::stack::MAX_PLY;
use super::tt::Entry;
use super::worker::Worker;
use crate::types::{Move, Score, Square};

/// The loop over the moves of a quiescence node: what it knows of the node, and what it has come to.
struct CaptureLoop {
    /// The node's window, with alpha as the moves so far have raised it.
    window: Window,
    best: Score,
    best_move: Option<Move>,
    /// Number of moves.
    count: i32,
    /// The evaluation and what a quiet move may add to it; in check below all scores.
    base: Score,
    /// Where the last move went.
    last_to: Option<Square>,
    /// Only recaptures are searched: else boards full of loose pieces never end.
    only_recaptures: bool,
}

impl Worker {
    /// The score of the position once captures are played out, `depth` (0 or less) plies below the search proper.
    pub(crate) fn quiescence<N: NodeType>(&mut self, window: Window, depth: i32, ply: usize) -> Score {
        if N::PV {
            self.path.pv[ply].clear();
        }
        check_window::<N>(window, ply);
        debug_assert!(depth <= 0, "{depth} plies are no quiescence search's");
        self.path.limiter.poll();
        if self.stopped() {
            return Score::DRAW;
        }
        self.path.seldepth = self.path.seldepth.max(ply);
        if let Some(score) = self.path.game_end(ply) {
            return score;
        }
        if ply >= MAX_PLY {
            return self.path.evaluate();
        }
        let Window { mut alpha, beta } = window;
        let key = self.path.pos.key();
        let entry = self.table.probe(key, ply);
        if !N::PV
            && let Some(score) = entry.filter(|entry| entry.depth >= 0).and_then(|entry| entry.answers(beta))
        {
            return score;
        }
        if let Some(score) = self.path.declaration_win(ply) {
            return score;
        }
        let in_check = self.path.pos.in_check();
        let tt_pv = entry.is_some_and(|entry| entry.tt_pv);
        let mut best = -Score::INFINITE;
        let mut raw = None;
        let mut base = -Score::INFINITE;
        let ends = depth <= -QUIESCENCE_PLIES;
        // In check nothing asks for the evaluation, neither here nor in the table, unless the search ends.
        if !in_check || ends {
            let stored = if in_check { None } else { entry.and_then(|entry| entry.eval) };
            let eval = stored.unwrap_or_else(|| self.path.evaluate());
            best = corrected(eval, self.correction(ply));
            if ends {
                return best;
            }
            raw = Some(eval);
            base = best + quiescence_futility_margin();
            // Standing pat: some quiet move is at least as good as the evaluation says.
            let known = entry.and_then(|entry| entry.improves(best)).filter(|score| !score.is_decisive());
            best = known.unwrap_or(best);
            if best >= beta {
                return self.stand_pat(best, beta, raw, entry.is_none(), ply);
            }
            // A mate in one, at a position that was not searched before.
            if entry.is_none_or(|entry| entry.depth < 0) {
                self.stack[ply].tt_pv = tt_pv;
                if let Some(mv) = self.mate_in_one_cutoff() {
                    return self.store_mate_in_one::<N>(mv, 0, ply);
                }
            }
            alpha = alpha.max(best);
        }
        self.stack[ply].in_check = in_check;
        let last_to = self.stack.back(ply, 1).mv.map(Move::to);
        let only_recaptures = !in_check && depth <= -RECAPTURE_PLIES;
        let window = Window { alpha, beta };
        let mut found = CaptureLoop { window, best, best_move: None, count: 0, base, last_to, only_recaptures };
        // Only answers to a check are weighed by what led here.
        let keys = if in_check { self.history_keys(ply) } else { HistoryKeys::default() };
        let picker = Picker::quiescence(&self.path.pos, entry.and_then(|entry| entry.mv), keys);
        self.search_captures::<N>(&mut found, picker, depth, ply);
        if self.stopped() {
            return Score::DRAW;
        }
        let mut best = found.best;
        if in_check && best == -Score::INFINITE {
            return Score::mated_in(ply);
        }
        if best > beta && !best.is_decisive() {
            best = Score((best.0 + beta.0) / 2);
        }
        let bound = if best >= beta { Bound::LOWER } else { Bound::UPPER };
        let entry = Entry { mv: found.best_move, score: Some(best), eval: raw, depth: 0, bound, tt_pv };
        check_entry(&entry);
        self.table.store(key, ply, entry);
        best
    }

    /// Searches the moves that are worth it, until one cuts off.
    #[inline(always)]
    fn search_captures<N: NodeType>(&mut self, found: &mut CaptureLoop, picker: Picker, depth: i32, ply: usize) {
        let mut picker = picker.with_all_moves(self.path.limiter.limits.all_moves);
        while let Some(mv) = picker.next(&self.path.pos, &self.learnt.history) {
            found.count += 1;
            if !found.best.is_loss() {
                match self.prune_capture(&picker, mv, found) {
                    Prune::Keep => {}
                    Prune::Skip => continue,
                    Prune::SkipWithBound(bound) => {
                        found.best = found.best.max(bound);
                        continue;
                    }
                }
            }
            self.do_move(mv, ply);
            let score = -self.quiescence::<N>(-found.window, depth - 1, ply + 1);
            self.undo_move();
            if self.stopped() {
                return;
            }
            if score > found.best {
                found.best = score;
                if score > found.window.alpha {
                    found.best_move = Some(mv);
                    if N::PV {
                        self.path.extend_pv(mv, ply);
                    }
                    found.window.alpha = score;
                    if score >= found.window.beta {
                        return;
                    }
                }
            }
        }
    }

    /// The score of a position that is above beta without a move; it is stored if the table knew nothing.
    #[inline(always)]
    fn stand_pat(&mut self, best: Score, beta: Score, raw: Option<Score>, is_new: bool, ply: usize) -> Score {
        let score = if best.is_decisive() { best } else { Score((best.0 + beta.0) / 2) };
        if is_new && let Some(raw) = raw {
            let entry = Entry { score: Some(score), bound: Bound::LOWER, ..Entry::unsearched(raw, false) };
            self.table.store(self.path.pos.key(), ply, entry);
        }
        score
    }

    /// Delta pruning and exchanges: whether a move is left out, now that one is known which does not lose. Left out are
    /// captures that cannot reach alpha and neither give check nor recapture, captures that lose material, quiet
    /// answers to a check.
    #[inline(always)]
    fn prune_capture(&self, picker: &Picker, mv: Move, found: &CaptureLoop) -> Prune {
        let pos = &self.path.pos;
        let victim = pos.piece_on(mv.to()).map(|piece| piece.piece_type());
        let recaptures = found.last_to == Some(mv.to());
        if found.only_recaptures && !recaptures {
            return Prune::Skip;
        }
        // What the exchange is known to win at least.
        let mut won = i32::MIN;
        if !recaptures && !found.base.is_loss() && !picker.gives_check(pos, mv) {
            if found.count > quiescence_max_moves() {
                return Prune::Skip;
            }
            let alpha = found.window.alpha;
            let base = found.base;
            let reachable = base + victim.map_or(0, |victim| victim.capture_gain() / 2);
            if reachable <= alpha {
                return Prune::SkipWithBound(reachable);
            }
            // An exchange counts a captured piece twice: on the board and in hand.
            let needed = 2 * (alpha.0 - base.0);
            if !pos.see_ge(mv, needed) {
                return Prune::SkipWithBound(alpha.min(base));
            }
            won = needed;
        }
        let least = -quiescence_see_margin();
        if victim.is_some() && (won >= least || pos.see_ge(mv, least)) { Prune::Keep } else { Prune::Skip }
    }
}
