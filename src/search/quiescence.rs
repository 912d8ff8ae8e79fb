//! Quiescence search: captures, and every answer to a check, until the position is quiet.

use super::negamax::{NodeType, Window, cut_off};
use super::params::{QUIESCENCE_PLIES, RECAPTURE_PLIES, delta_margin, quiescence_evasions, quiescence_moves};
use super::picker::Picker;
use super::tt::{Bound, Entry};
use super::worker::Worker;
use crate::types::{Move, Score};

impl Worker {
    /// The score of the position once captures are played out, `depth` (0 or less) plies below the search proper.
    pub(super) fn quiescence<N: NodeType>(&mut self, window: Window, depth: i32, ply: usize) -> Score {
        self.pv[ply].clear();
        if self.must_stop() {
            return Score::DRAW;
        }
        self.seldepth = self.seldepth.max(ply);
        if let Some(score) = self.game_end(ply) {
            return score;
        }
        let key = self.pos.key();
        let entry = self.shared.table.probe(key, ply);
        if let Some(score) = entry.and_then(|entry| cut_off::<N>(&entry, window, 0)) {
            return score;
        }
        if let Some(score) = self.declaration_win(ply) {
            return score;
        }
        let in_check = self.pos.in_check();
        if entry.is_none()
            && !in_check
            && let Some(score) = self.mate_at_once(0, ply)
        {
            return score;
        }
        let Window { mut alpha, beta } = window;
        let mut best = -Score::INFINITE;
        let ends = depth <= -QUIESCENCE_PLIES;
        let (mut raw, mut eval) = (Score::DRAW, Score::DRAW);
        // In check nothing asks for the evaluation, neither here nor in the table, unless the search ends.
        if !in_check || ends {
            let stored = entry.filter(|_| !in_check).map(|entry| entry.eval);
            raw = stored.unwrap_or_else(|| self.eval.evaluate(&self.pos).clamp_eval());
            eval = self.corrected(raw);
        }
        if ends {
            return eval;
        }
        if !in_check {
            // Standing pat: some quiet move is at least as good as the evaluation says.
            best = eval;
            alpha = alpha.max(best);
            if alpha >= beta {
                return best;
            }
        }
        let mut best_move = None;
        let table_move = entry.and_then(|entry| entry.mv);
        let mut picker =
            Picker::quiescence(&self.pos, table_move, self.context(ply)).with_all_moves(self.limits.all_moves);
        let mut count = 0;
        while let Some(mv) = picker.next(&self.pos, &self.history) {
            count += 1;
            if count > if in_check { quiescence_evasions() } else { quiescence_moves() } {
                break;
            }
            if !in_check && (self.cannot_reach(alpha, eval, mv) || self.is_off_the_square(mv, depth, ply)) {
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
        let bound = if best >= beta { Bound::LOWER } else { Bound::UPPER };
        self.shared.table.store(
            key,
            ply,
            Entry { mv: best_move, score: best, eval: raw, depth: 0, bound, was_pv: N::PV },
        );
        best
    }

    /// Whether a capture deep in the quiescence search is no recapture: else boards full of loose pieces never end.
    fn is_off_the_square(&self, mv: Move, depth: i32, ply: usize) -> bool {
        depth <= -RECAPTURE_PLIES && self.path[ply - 1].is_some_and(|last| last.to() != mv.to())
    }

    /// Whether a capture gains too little to bring the score up to alpha.
    fn cannot_reach(&self, alpha: Score, eval: Score, mv: Move) -> bool {
        let captured = self.pos.piece_on(mv.to()).map_or(0, |piece| piece.piece_type().capture_gain());
        !mv.is_promotion() && eval + captured + delta_margin() <= alpha
    }
}
