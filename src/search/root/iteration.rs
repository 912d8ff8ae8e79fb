//! Iterative deepening: what a worker does once an iteration, not once a node, and what it reports.

use super::aspiration::Aspiration;
use crate::movegen::is_legal;
use crate::search::bound::Bound;
use crate::search::chooser::MoveChooser;
use crate::search::line::MAX_PLY;
use crate::search::report::{Decision, Report, SearchResult};
use crate::search::tree::node::Root;
use crate::search::tree::root_move::RootMove;
use crate::search::tree::worker::Worker;
use crate::types::{Move, Score};
use std::time::Duration;

/// In an iteration after so long, searches that miss their window are reported as bounds.
const BOUNDS_AFTER: Duration = Duration::from_secs(1);

/// Who is told of the best lines: one report for each.
pub(crate) type OnBlock<'a> = &'a mut (dyn FnMut(&[Report]) + Send);

impl Worker {
    /// Has another search choose the move. Not inlined: where there are no threads a call through a table of functions
    /// can be suspended only in a function that is known by name (docs/architecture.md, "Without threads").
    #[inline(never)]
    fn let_choose(&mut self, chooser: &dyn MoveChooser, on_block: OnBlock) -> Report {
        let moves: Vec<Move> = self.root.moves.iter().map(|root| root.mv).collect();
        let report = chooser.choose(&mut self.path, &moves, on_block);
        self.path.limiter.flush_nodes();
        report
    }

    /// Finds the move to play: by iterative deepening, one depth after the other until a limit is met, or by whoever
    /// chooses in its place. Returns the last report on the best move, which is the move to play.
    pub(super) fn iterate(&mut self, chooser: Option<&dyn MoveChooser>, on_block: OnBlock) -> Option<Report> {
        if let Some(chooser) = chooser {
            return Some(self.let_choose(chooser, on_block));
        }
        let deepest = self.path.limiter.limits.depth.unwrap_or(MAX_PLY - 1).clamp(1, MAX_PLY - 1);
        let mut last: Option<Report> = None;
        // Iterations of the second half of the time: of four, one goes deeper than the one before.
        let mut late = 0;
        for iteration in 1.. {
            self.path.limiter.root_depth = iteration - 3 * (late + 1) / 4;
            if self.root_depth() > deepest {
                break;
            }
            let lines = self.begin_iteration();
            for place in 0..lines {
                let mut aspiration = Aspiration::new(place, &self.root.moves[place], self.id);
                while !self.stopped() && !aspiration.is_over {
                    self.root.begin_window(place, aspiration.window.width());
                    let depth = aspiration.depth(self.root_depth());
                    let score = self.negamax::<Root>(aspiration.window, depth, 0, false);
                    self.end_window(&mut aspiration, score, lines == 1, on_block);
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

    /// Begins an iteration. Returns the number of lines that it is to find.
    fn begin_iteration(&mut self) -> usize {
        self.root.moves.iter_mut().for_each(RootMove::begin_iteration);
        let wanted = self.path.limiter.signals.multi_pv(self.path.limiter.limits.multi_pv);
        wanted.clamp(1, self.root.moves.len())
    }

    /// Sorts the moves after a search in a window; if the score lies outside of it the window is widened.
    fn end_window(&mut self, aspiration: &mut Aspiration, score: Score, shows_bounds: bool, on_block: OnBlock) {
        let place = aspiration.place;
        // Stable: moves that did not raise alpha keep their order.
        self.root.moves[place..].sort_by_key(RootMove::order);
        if self.stopped() {
            return;
        }
        let bound = aspiration.adjust(score);
        if aspiration.is_over {
            // A later place may turn out better than an earlier one.
            self.root.moves[..=place].sort_by_key(RootMove::order);
        } else if shows_bounds && self.path.limiter.signals.elapsed() >= BOUNDS_AFTER {
            self.report_bound(score, bound, on_block);
        }
    }

    /// The last thing that a stopped search has proven: the best move of the unfinished iteration with its own depth
    /// and score, or what the iteration before has found. An unfinished iteration that sees the game lost is not
    /// believed, one with several lines would show lines that do not belong together, and a lower bound for the same
    /// move says less than its score and line.
    pub(super) fn last_proven(&mut self, last: Option<Report>, lines: usize) -> Option<Report> {
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
        if self.path.limiter.is_first() {
            let team = &self.path.limiter.signals.team;
            let changes = f64::from(team.take_changes()) / team.threads() as f64;
            self.root.stability.note_changes(changes);
        }
        let worth = self.root.stability.factor();
        self.root.stability.end_iteration();
        self.path.limiter.take_ponder_hit();
        worth
    }

    /// Returns true if another iteration is not worth its time, for a move that is worth `worth` times the usual time.
    /// Each worker votes on its time; only the first one ends the search, with most of them.
    pub(super) fn should_stop_deepening(&mut self, worth: f64) -> bool {
        let limiter = &mut self.path.limiter;
        if limiter.limits.must_wait() {
            return false;
        }
        let budget = limiter.limits.budget(worth);
        let is_enough = budget.is_some_and(|budget| limiter.signals.thinking_time() >= budget.soft);
        limiter.vote(is_enough);
        if !limiter.is_first() {
            return false;
        }
        // A mate that was searched for so much deeper than it is long will not become shorter.
        let mate_plies = self.root.moves[0].score.mate_plies();
        let is_settled =
            mate_plies.is_some_and(|plies| (plies.unsigned_abs() as usize + 2) * 5 / 2 < limiter.root_depth);
        // A single legal move needs no thought in a game.
        let is_forced = self.root.moves.len() == 1 && limiter.limits.clock.is_some();
        let is_counted = limiter.limits.nodes.is_some_and(|limit| limiter.nodes >= limit);
        is_settled || is_forced || is_counted || limiter.signals.team.is_finished(is_enough)
    }

    /// Returns true if more than half of the time for the move is spent. An iteration that goes no deeper then has a
    /// better chance to end.
    fn is_in_second_half(&self, worth: f64) -> bool {
        let limiter = &self.path.limiter;
        let is_on_clock = limiter.is_first() && limiter.limits.clock.is_some() && !limiter.limits.must_wait();
        let budget = limiter.limits.budget(worth).filter(|_| is_on_clock);
        budget.is_some_and(|budget| limiter.signals.thinking_time() * 2 > budget.soft)
    }

    /// Tells that the best move's score lies outside of the window.
    fn report_bound(&mut self, score: Score, bound: Bound, on_block: OnBlock) {
        let now = self.progress();
        let pv = self.lengthened(self.root.moves[0].pv());
        on_block(&[Report { score, bound, pv, ..now }]);
    }

    /// Result of the search, with the report whose line begins with the move to play.
    pub(super) fn result(&self, report: Option<Report>) -> SearchResult {
        let root = &self.root.moves[0];
        let searched = if report.is_none() { root.pv() } else { Vec::new() };
        let line = report.as_ref().map_or(&searched, |report| &report.pv);
        let best = line.first().copied().unwrap_or(root.mv);
        let answer = line.get(1).copied().or_else(|| self.lengthened(vec![best]).get(1).copied());
        SearchResult {
            decision: Decision::Play(best, answer),
            report,
            nodes: self.path.limiter.signals.nodes(),
            longest_pause: self.path.limiter.longest_pause(),
            fault: None,
        }
    }

    /// A line from the root with what the table knows of its rest, as far as the iteration is deep. Lines are short
    /// where a move has turned out better than the window: its answers were searched for a bound only.
    fn lengthened(&self, mut line: Vec<Move>) -> Vec<Move> {
        let mut pos = self.path.pos.clone();
        line.iter().for_each(|&mv| pos.do_move(mv));
        while line.len() < self.root_depth() && pos.occurrences() == 1 {
            let known = self.table.probe(pos.key(), line.len()).and_then(|entry| entry.mv);
            let Some(mv) = known.filter(|&mv| is_legal(&pos, mv)) else { break };
            pos.do_move(mv);
            line.push(mv);
        }
        line
    }

    /// The state of the search at this moment, one report for each of the best `lines` root moves.
    fn reports(&mut self, lines: usize) -> Vec<Report> {
        let now = self.progress();
        let report = |(place, root): (usize, &RootMove)| Report {
            multi_pv: (lines > 1).then_some(place + 1),
            depth: root.depth.max(1),
            bound: root.bound,
            score: root.shown_score().unwrap_or(now.score),
            pv: root.pv(),
            ..now
        };
        self.root.moves.iter().take(lines).enumerate().map(report).collect()
    }

    /// A report without line; its score is the static evaluation of the root.
    fn progress(&mut self) -> Report {
        let (score, hashfull) = (self.root_eval(), self.table.hashfull());
        Report { score, hashfull, ..self.path.progress() }
    }
}
