//! Iterative deepening: one depth after the other, each with a window around the mean of the last scores.

use super::root_move::RootMove;
use super::skill::{self, CHOICES};
use crate::search::bound::Bound;
use crate::search::line::MAX_PLY;
use crate::search::params::*;
use crate::search::report::Report;
use crate::search::tree::node::{MoveInfo, Root, Window};
use crate::search::tree::worker::Worker;
use crate::types::{Move, Score};
use std::time::Duration;

/// In an iteration after so long, searches that miss their window are reported as bounds.
const BOUNDS_AFTER: Duration = Duration::from_secs(1);

/// Who is told of the best lines: one report for each.
pub(in crate::search) type OnBlock<'a> = &'a mut (dyn FnMut(&[Report]) + Send);

impl Worker {
    /// Deepens until a limit is met. Returns the last report on the best move, which is the move to play.
    pub(in crate::search) fn iterate(&mut self, on_block: OnBlock) -> Option<Report> {
        if let Some(settings) = self.limits.played_level() {
            return self.play_level(settings, on_block);
        }
        let weakened = self.limits.weakened();
        let deepest = self.limits.depth.unwrap_or(MAX_PLY - 1).clamp(1, MAX_PLY - 1);
        let deepest = weakened.map_or(deepest, |level| deepest.min(skill::depth(level)));
        let mut last: Option<Report> = None;
        // Iterations of the second half of the time: of four, one goes deeper than the one before.
        let mut late = 0;
        for iteration in 1.. {
            self.root_depth = iteration - 3 * (late + 1) / 4;
            if self.root_depth > deepest {
                break;
            }
            let lines = self.signals.multi_pv(self.limits.multi_pv).clamp(1, self.root_moves.len());
            let places = if weakened.is_some() { lines.max(CHOICES).min(self.root_moves.len()) } else { lines };
            self.root_moves.iter_mut().for_each(RootMove::begin_iteration);
            for place in 0..places {
                self.aspirate(place, lines == 1, on_block);
                if self.stopped {
                    break;
                }
            }
            if self.stopped {
                last = self.last_proven(last, lines);
                break;
            }
            self.follow_line = self.root_moves[0].pv().into_iter().collect();
            let reports = self.reports(lines);
            on_block(&reports);
            last = reports.into_iter().next();
            if self.is_settled(&mut late) {
                break;
            }
        }
        self.flush_nodes();
        if let Some(average) = self.root_moves[0].average {
            self.stability.end_search(average);
        }
        if let (Some(level), Some(_)) = (weakened, &last) {
            let choice = skill::choose(&self.root_moves[..CHOICES.min(self.root_moves.len())], level, self.pos.key());
            self.root_moves[..=choice].rotate_right(1);
            last = self.reports(1).into_iter().next();
        }
        last
    }

    /// The last thing that a stopped search has proven: the best move of the unfinished iteration with its own depth and
    /// score, or what the iteration before has found. An unfinished iteration that sees the game lost is not believed,
    /// one with several lines would show lines that do not belong together, and a lower bound for the same move says less
    /// than its score and line.
    pub(in crate::search) fn last_proven(&mut self, last: Option<Report>, lines: usize) -> Option<Report> {
        let best = &self.root_moves[0];
        let is_believed =
            lines == 1 && best.is_proven_at(self.root_depth) && !best.shown_score().is_some_and(Score::is_loss);
        let is_another = last.as_ref().and_then(|last| last.pv.first()) != Some(&best.mv);
        let is_news = is_believed && (best.bound == Bound::EXACT || is_another);
        match last {
            Some(last) if !is_news => {
                let now = self.progress();
                Some(Report { nodes: now.nodes, time: now.time, hashfull: now.hashfull, ..last })
            }
            _ => {
                self.reports(lines).into_iter().next().map(|report| Report { pv: self.lengthened(report.pv), ..report })
            }
        }
    }

    /// Tests whether another iteration is not worth its time. Only the first worker knows that: the others go on until
    /// they are told to end.
    pub(in crate::search) fn is_settled(&mut self, late: &mut usize) -> bool {
        if self.id != 0 {
            return false;
        }
        let best = &self.root_moves[0];
        let (mv, score, nodes) = (best.mv, best.score, best.nodes);
        self.stability.note(mv, score, nodes as f64 / self.nodes.max(1) as f64);
        let worth = self.stability.factor();
        self.stability.end_iteration();
        let budget = self.budget_now();
        if self.limits.must_wait() {
            return false;
        }
        // A mate that was searched for so much deeper than it is long will not become shorter.
        if score.mate_plies().is_some_and(|plies| (plies.unsigned_abs() as usize + 2) * 5 / 2 < self.root_depth) {
            return true;
        }
        if self.limits.nodes.is_some_and(|limit| self.nodes >= limit) {
            return true;
        }
        if budget.is_none() {
            return false;
        }
        // A single legal move needs no thought in a game.
        if self.root_moves.len() == 1 && self.limits.clock.is_some() {
            return true;
        }
        let Some(budget) = self.limits.budget(worth) else { return false };
        let spent = self.signals.thinking_time();
        // In the second half of the time an iteration that goes no deeper has a better chance to end.
        *late += usize::from(self.limits.clock.is_some() && spent * 2 > budget.soft);
        spent >= budget.soft
    }

    /// One iteration for one place of the order, with a window around the mean of the move's last scores that widens until
    /// the score lies inside. The moves before that place are left out.
    pub(in crate::search) fn aspirate(&mut self, place: usize, shows_bounds: bool, on_block: OnBlock) {
        self.root_place = place;
        let root = &self.root_moves[place];
        let mut delta = window() + (self.id % 8) as i32 + root.mean_square.abs() / window_square();
        let mut window = root.average.map_or(Window::FULL, |average| Window::around(average, delta));
        let mut highs = 0;
        loop {
            let depth = (self.root_depth as i32 - highs).max(1);
            self.root_delta = window.width().max(1);
            self.root_share = self.share_of_root(1);
            self.root_order.clear();
            self.root_order.extend(self.root_moves[place..].iter().map(|root| root.mv));
            let score = self.negamax::<Root>(window, depth, 0, false);
            // Stable: moves that did not raise alpha keep their order.
            self.root_moves[place..].sort_by_key(RootMove::order);
            if self.stopped {
                return;
            }
            let bound = if score <= window.alpha {
                window = Window { alpha: (score - delta).max(-Score::INFINITE), beta: window.alpha };
                highs = 0;
                Bound::UPPER
            } else if score >= window.beta {
                let alpha = (window.beta - delta).max(window.alpha);
                window = Window { alpha, beta: (score + delta).min(Score::INFINITE) };
                // The score of a later line is not one to act on but to compare: it is searched as deep as the first.
                highs += i32::from(place == 0);
                Bound::LOWER
            } else {
                break;
            };
            delta += delta / 3;
            if shows_bounds && self.signals.elapsed() >= BOUNDS_AFTER {
                self.report_bound(score, bound, on_block);
            }
        }
        // A later place may turn out better than an earlier one.
        self.root_moves[..=place].sort_by_key(RootMove::order);
    }

    /// Tells that the best move's score lies outside of the window.
    fn report_bound(&mut self, score: Score, bound: Bound, on_block: OnBlock) {
        let now = self.progress();
        let pv = self.lengthened(self.root_moves[0].pv());
        on_block(&[Report { score, bound, pv, ..now }]);
    }

    /// Tests whether a move is one of those that the root searches at this place. If so, [`Worker::note_root_move`] is
    /// about it.
    #[inline(always)]
    pub(in crate::search) fn is_root_move(&mut self, mv: Move) -> bool {
        let at = self.root_order.iter().position(|&root| root == mv);
        self.root_searched = self.root_place + at.unwrap_or(0);
        at.is_some()
    }

    /// The move of the root that was asked for last was searched in this window.
    pub(in crate::search) fn note_root_move(&mut self, info: &MoveInfo, score: Score, window: Window, nodes: u64) {
        let depth = self.root_depth;
        let place = self.root_place;
        let root = &mut self.root_moves[self.root_searched];
        debug_assert_eq!(root.mv, info.mv);
        root.note(score, nodes);
        if info.count > 1 && score <= window.alpha {
            // Only known to be no better: behind all that are.
            root.score = -Score::INFINITE;
            return;
        }
        let bound = if score >= window.beta {
            Bound::LOWER
        } else if score <= window.alpha {
            Bound::UPPER
        } else {
            Bound::EXACT
        };
        root.set_best(score, bound, depth, &self.pv[1]);
        if info.count > 1 && place == 0 {
            self.stability.note_change();
        }
    }
}
