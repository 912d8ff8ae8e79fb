//! The engine itself as the one that searches.

use super::{Analyst, AnalystError, EARLY_DEPTH, Request, SearchLimit, Searched, SearchedLine};
use komainu::eval::Evaluation;
use komainu::notation::score::ReportedScore;
use komainu::position::{Declaration, EnteringKingRule, GameRules, Position};
use komainu::search::{Bound, Limits, Report, ThreadPool};
use komainu::types::{Move, StopToken};
use std::time::Duration;

/// The engine itself.
#[derive(Debug)]
pub struct Own {
    pool: ThreadPool,
    evaluation: Evaluation,
    rules: GameRules,
    stop: StopToken,
}

impl Own {
    /// An analyst with `threads` threads and a table of `megabytes`, or as much of both as the machine has.
    pub fn new(evaluation: Evaluation, threads: usize, megabytes: usize, rules: GameRules) -> Own {
        let mut pool = ThreadPool::new(threads, megabytes);
        pool.set_evaluation(evaluation.clone());
        pool.start_threads();
        Own { pool, evaluation, rules, stop: StopToken::new() }
    }

    /// Has its searches end with this token.
    pub fn until(mut self, stop: StopToken) -> Own {
        self.stop = stop;
        self
    }

    /// The token that ends a search from another thread. What was found until then is the result.
    pub fn stop_token(&self) -> StopToken {
        self.stop.clone()
    }

    /// Searches within any limits. Lines are legal to their last move.
    pub fn search_within(&mut self, pos: &Position, limits: &Limits) -> Result<Searched, AnalystError> {
        // A declaration would end the search before it begins.
        let mut rules = self.rules;
        if pos.declaration(rules.entering_king) == Some(Declaration::Win) {
            rules.entering_king = EnteringKingRule::NoEnteringKing;
        }
        let mut last: Vec<Report> = Vec::new();
        let mut early = Vec::new();
        // After a second of thought bounds are reported too: they say less than the lines before.
        let mut keep = |block: &[Report]| {
            let Some(first) = block.first().filter(|report| report.bound == Bound::EXACT) else { return };
            if first.depth <= EARLY_DEPTH {
                early.push(first.pv[0]);
            }
            last = block.to_vec();
        };
        let outcome = self.pool.search(pos, rules, limits, &self.stop, &mut keep);
        let outcome = outcome.map_err(|error| AnalystError(error.to_string()))?;
        // The last report is that of the move to play, which the unfinished iteration or another thread may have found.
        if let Some(mut decided) = outcome.report {
            // Of a move that was found to be better than the window its score is a bound only.
            if decided.bound != Bound::EXACT
                && let Some(known) = last.first()
            {
                decided.score = known.score;
                decided.depth = known.depth;
            }
            last.retain(|report| report.pv[0] != decided.pv[0]);
            last.insert(0, decided);
            last.truncate(limits.multi_pv.max(1));
        }
        let lines = last.iter().map(|report| self.line(pos, report, outcome.nodes)).collect();
        Ok(Searched { lines, early })
    }

    fn line(&self, pos: &Position, report: &Report, nodes: u64) -> SearchedLine {
        let Report { score, depth, pv, .. } = report;
        // A superior repetition is worth what follows it, with the better hands.
        let score = if score.is_superior() { self.value_after(pos, pv) } else { (*score).into() };
        SearchedLine { score, depth: *depth as u32, nodes, pv: pv.clone() }
    }

    /// The evaluation at the end of a line, from the side to move where it begins.
    fn value_after(&self, pos: &Position, line: &[Move]) -> ReportedScore {
        let mut pos = pos.clone();
        for &mv in line {
            pos.do_move(mv);
        }
        let value = ReportedScore::from(self.evaluation.start(&pos).evaluate(&pos));
        if line.len().is_multiple_of(2) { value } else { value.turned() }
    }

    /// The threads that search: fewer than were asked for if the system gives no more.
    pub fn threads(&self) -> usize {
        self.pool.fewer_threads().unwrap_or(self.pool.threads())
    }
}

impl Analyst for Own {
    fn forget(&mut self) -> Result<(), AnalystError> {
        self.pool.clear();
        Ok(())
    }

    fn search(&mut self, pos: &Position, request: &Request) -> Result<Searched, AnalystError> {
        let mut limits =
            Limits { multi_pv: request.lines, search_moves: request.only.map(|mv| vec![mv]), ..Limits::default() };
        match request.limit {
            SearchLimit::Nodes(nodes) => limits.nodes = Some(nodes),
            SearchLimit::Millis(millis) => limits.movetime = Some(Duration::from_millis(millis)),
            SearchLimit::Depth(depth) => limits.depth = Some(depth as usize),
        }
        let depths = limits.depth.into_iter().chain(request.depth.map(|depth| depth as usize));
        limits.depth = depths.min();
        self.search_within(pos, &limits)
    }
}
