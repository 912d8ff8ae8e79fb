//! Iterative deepening: one depth after the other, each with a window around the mean of the last scores.

use super::root_move::RootMove;
use crate::search::bound::Bound;
use crate::search::chooser::MoveChooser;
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
pub(crate) type OnBlock<'a> = &'a mut (dyn FnMut(&[Report]) + Send);

impl Worker {
    /// Finds the move to play: the search of full strength, or whoever chooses in its place. Returns the last report,
    /// whose line begins with the move.
    pub(super) fn think(&mut self, chooser: Option<&dyn MoveChooser>, on_block: OnBlock) -> Option<Report> {
        match chooser {
            None => self.iterate(on_block),
            Some(chooser) => Some(self.let_choose(chooser, on_block)),
        }
    }

    /// Has another search choose the move. Not inlined: where there are no threads a call through a table of functions
    /// can be suspended only in a function that is known by name (docs/architecture.md, "Without threads").
    #[inline(never)]
    fn let_choose(&mut self, chooser: &dyn MoveChooser, on_block: OnBlock) -> Report {
        let moves: Vec<Move> = self.root.moves.iter().map(|root| root.mv).collect();
        let report = chooser.choose(&mut self.path, &moves, on_block);
        self.path.limiter.flush_nodes();
        report
    }

    /// Iterative deepening: one depth after the other until a limit is met. Returns the last report on the best move,
    /// which is the move to play.
    pub(in crate::search) fn iterate(&mut self, on_block: OnBlock) -> Option<Report> {
        let deepest = self.path.limiter.limits.depth.unwrap_or(MAX_PLY - 1).clamp(1, MAX_PLY - 1);
        let mut last: Option<Report> = None;
        // Iterations of the second half of the time: of four, one goes deeper than the one before.
        let mut late = 0;
        for iteration in 1.. {
            self.path.limiter.root_depth = iteration - 3 * (late + 1) / 4;
            if self.root_depth() > deepest {
                break;
            }
            let wanted = self.path.limiter.signals.multi_pv(self.path.limiter.limits.multi_pv);
            let lines = wanted.clamp(1, self.root.moves.len());
            self.root.moves.iter_mut().for_each(RootMove::begin_iteration);
            for place in 0..lines {
                self.aspirate(place, lines == 1, on_block);
                if self.stopped() {
                    break;
                }
            }
            if self.stopped() {
                last = self.last_proven(last, lines);
                break;
            }
            self.root.follow_line = self.root.moves[0].pv().into_iter().collect();
            let reports = self.reports(lines);
            on_block(&reports);
            last = reports.into_iter().next();
            let worth = self.note_iteration();
            if self.should_stop_deepening(worth) {
                break;
            }
            late += usize::from(self.is_in_second_half(worth));
        }
        self.path.limiter.flush_nodes();
        if let Some(average) = self.root.moves[0].average {
            self.root.stability.end_search(average);
        }
        last
    }

    /// The last thing that a stopped search has proven: the best move of the unfinished iteration with its own depth
    /// and score, or what the iteration before has found. An unfinished iteration that sees the game lost is not
    /// believed, one with several lines would show lines that do not belong together, and a lower bound for the same
    /// move says less than its score and line.
    pub(in crate::search) fn last_proven(&mut self, last: Option<Report>, lines: usize) -> Option<Report> {
        let best = &self.root.moves[0];
        let is_believed =
            lines == 1 && best.is_proven_at(self.root_depth()) && !best.shown_score().is_some_and(Score::is_loss);
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

    /// Notes the end of an iteration. Returns how many times its usual time the move is worth by now.
    fn note_iteration(&mut self) -> f64 {
        let best = &self.root.moves[0];
        let effort = best.nodes as f64 / self.nodes().max(1) as f64;
        self.root.stability.note(best.mv, best.score, effort);
        let worth = self.root.stability.factor();
        self.root.stability.end_iteration();
        if self.path.limiter.is_first() {
            self.path.limiter.take_ponder_hit();
        }
        worth
    }

    /// Returns true if another iteration is not worth its time, for a move that is worth `worth` times the usual time.
    /// Only the first worker knows that: the others go on until they are told to end.
    pub(in crate::search) fn should_stop_deepening(&self, worth: f64) -> bool {
        let limiter = &self.path.limiter;
        if !limiter.is_first() || limiter.limits.must_wait() {
            return false;
        }
        // A mate that was searched for so much deeper than it is long will not become shorter.
        let mate_plies = self.root.moves[0].score.mate_plies();
        if mate_plies.is_some_and(|plies| (plies.unsigned_abs() as usize + 2) * 5 / 2 < limiter.root_depth) {
            return true;
        }
        if limiter.limits.nodes.is_some_and(|limit| limiter.nodes >= limit) {
            return true;
        }
        let Some(budget) = limiter.limits.budget(worth) else { return false };
        // A single legal move needs no thought in a game.
        let is_forced = self.root.moves.len() == 1 && limiter.limits.clock.is_some();
        is_forced || limiter.signals.thinking_time() >= budget.soft
    }

    /// Returns true if more than half of the time for the move is spent. An iteration that goes no deeper then has a
    /// better chance to end.
    fn is_in_second_half(&self, worth: f64) -> bool {
        let limiter = &self.path.limiter;
        let is_on_clock = limiter.is_first() && limiter.limits.clock.is_some() && !limiter.limits.must_wait();
        let budget = limiter.limits.budget(worth).filter(|_| is_on_clock);
        budget.is_some_and(|budget| limiter.signals.thinking_time() * 2 > budget.soft)
    }

    /// One iteration for one place of the order, with a window around the mean of the move's last scores that widens
    /// until the score lies inside. The moves before that place are left out.
    pub(in crate::search) fn aspirate(&mut self, place: usize, shows_bounds: bool, on_block: OnBlock) {
        let root = &self.root.moves[place];
        let mut delta =
            aspiration_delta() + (self.id % 8) as i32 + root.mean_square.abs() / aspiration_square_divisor();
        let mut window = root.average.map_or(Window::FULL, |average| Window::around(average, delta));
        let mut highs = 0;
        loop {
            let depth = (self.root_depth() as i32 - highs).max(1);
            self.root.begin_window(place, window.width());
            let score = self.negamax::<Root>(window, depth, 0, false);
            // Stable: moves that did not raise alpha keep their order.
            self.root.moves[place..].sort_by_key(RootMove::order);
            if self.stopped() {
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
            if shows_bounds && self.path.limiter.signals.elapsed() >= BOUNDS_AFTER {
                self.report_bound(score, bound, on_block);
            }
        }
        // A later place may turn out better than an earlier one.
        self.root.moves[..=place].sort_by_key(RootMove::order);
    }

    /// Tells that the best move's score lies outside of the window.
    fn report_bound(&mut self, score: Score, bound: Bound, on_block: OnBlock) {
        let now = self.progress();
        let pv = self.lengthened(self.root.moves[0].pv());
        on_block(&[Report { score, bound, pv, ..now }]);
    }

    /// A move of the root, which stands `at` this place, was searched in this window.
    pub(in crate::search) fn note_root_move(
        &mut self,
        at: usize,
        info: &MoveInfo,
        score: Score,
        window: Window,
        nodes: u64,
    ) {
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
            self.root.stability.note_change();
        }
    }
}
