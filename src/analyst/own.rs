//! The engine itself as the one that searches.

use super::{Analyst, AnalystError, EARLY_DEPTH, Request, SearchLimit, Searched, SearchedLine};
use crate::eval::Evaluation;
use crate::position::{Declaration, EnteringKingRule, GameRules, Position};
use crate::search::{Bound, Limits, Report, ThreadPool};
use crate::types::StopToken;
use std::time::Duration;

/// The engine itself.
#[derive(Debug)]
pub struct Own {
    pool: ThreadPool,
    rules: GameRules,
    nodes: u64,
    stop: StopToken,
}

impl Own {
    /// An analyst with `threads` threads and a table of `megabytes`, or as much of both as the machine has.
    pub fn new(evaluation: Evaluation, threads: usize, megabytes: usize, rules: GameRules) -> Own {
        let mut pool = ThreadPool::new(threads, megabytes);
        pool.set_evaluation(evaluation);
        pool.start_threads();
        Own { pool, rules, nodes: 0, stop: StopToken::new() }
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
        self.nodes += outcome.nodes;
        if last.is_empty() {
            last.extend(outcome.report);
        }
        let lines = last.iter().map(|report| of_report(report, outcome.nodes)).collect();
        Ok(Searched { lines, early })
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

    fn nodes(&self) -> u64 {
        self.nodes
    }
}

fn of_report(report: &Report, nodes: u64) -> SearchedLine {
    SearchedLine { score: report.score.into(), depth: report.depth as u32, nodes, pv: report.pv.clone() }
}
