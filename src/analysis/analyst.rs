//! Who searches the positions: the engine itself, or another program that speaks USI.

use super::result::SearchedLine;
use crate::eval::Evaluation;
use crate::movegen::is_legal;
use crate::notation::score::ReportedScore;
use crate::position::{Declaration, EnteringKingRule, GameRules, Position};
use crate::search::{Bound, Limits, Report, ThreadPool};
use crate::types::{Move, StopToken};
use std::time::Duration;
use thiserror::Error;

/// Limit of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchLimit {
    /// Nodes.
    Nodes(u64),
    /// Milliseconds.
    Millis(u64),
    /// Depth in plies.
    Depth(u32),
}

impl SearchLimit {
    /// The limit of a second look: four times the nodes or the time, or two plies more.
    pub fn deeper(self) -> SearchLimit {
        match self {
            SearchLimit::Nodes(nodes) => SearchLimit::Nodes(nodes.saturating_mul(4)),
            SearchLimit::Millis(millis) => SearchLimit::Millis(millis.saturating_mul(4)),
            SearchLimit::Depth(depth) => SearchLimit::Depth(depth.saturating_add(2)),
        }
    }
}

/// Question about a position.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Limit of the search.
    pub limit: SearchLimit,
    /// Number of the best moves that are wanted.
    pub lines: usize,
    /// Search this move only.
    pub only: Option<Move>,
    /// Depth in plies at which the search may end before its limit.
    pub depth: Option<u32>,
}

/// Result of a search.
#[derive(Clone, Debug, Default)]
pub struct Searched {
    /// The lines, best first.
    pub lines: Vec<SearchedLine>,
    /// The best moves of the iterations of depth 1 to 4.
    pub early: Vec<Move>,
}

/// Why a position could not be searched.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct AnalystError(pub String);

/// Searches positions one after the other.
pub trait Analyst: Send {
    /// Forgets what it has learnt from the positions before, so that the next ones do not depend on them.
    fn forget(&mut self) -> Result<(), AnalystError>;

    /// Searches a position, which knows the game that led to it. Lines are legal to their last move.
    fn search(&mut self, pos: &Position, request: &Request) -> Result<Searched, AnalystError>;

    /// Nodes searched so far.
    fn nodes(&self) -> u64;
}

/// Iterations up to this depth show what is obvious.
const EARLY_DEPTH: usize = 4;

/// The engine itself.
pub struct OwnAnalyst {
    pool: ThreadPool,
    rules: GameRules,
    nodes: u64,
}

impl OwnAnalyst {
    /// An analyst with `threads` threads and a table of `megabytes`, or of as much as the machine has.
    pub fn new(evaluation: Evaluation, threads: usize, megabytes: usize, rules: GameRules) -> OwnAnalyst {
        let mut pool = ThreadPool::new(threads, megabytes);
        pool.set_evaluation(evaluation);
        OwnAnalyst { pool, rules, nodes: 0 }
    }
}

impl Analyst for OwnAnalyst {
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
        let outcome = self.pool.search(pos, rules, &limits, &StopToken::new(), &mut keep);
        let outcome = outcome.map_err(|error| AnalystError(error.to_string()))?;
        self.nodes += outcome.nodes;
        if last.is_empty() {
            last.extend(outcome.report);
        }
        let lines = last.iter().map(|report| of_report(report, outcome.nodes)).collect();
        Ok(Searched { lines, early })
    }

    fn nodes(&self) -> u64 {
        self.nodes
    }
}

fn of_report(report: &Report, nodes: u64) -> SearchedLine {
    let score = match report.score.mate_plies() {
        Some(plies) => ReportedScore::Mate(plies),
        None => ReportedScore::Centipawns(report.score.0),
    };
    SearchedLine { score, depth: report.depth as u32, nodes, pv: report.pv.clone() }
}

/// The line up to its first illegal move.
pub(super) fn legal_part(pos: &Position, line: impl IntoIterator<Item = Move>) -> Vec<Move> {
    let mut pos = pos.clone();
    let mut legal = Vec::new();
    for mv in line {
        if !is_legal(&pos, mv) {
            break;
        }
        pos.do_move(mv);
        legal.push(mv);
    }
    legal
}
