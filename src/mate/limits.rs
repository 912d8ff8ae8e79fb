//! The limits of a search for a mate, and the reports of its progress.

use crate::host::{Instant, give_way};
use crate::types::{Move, StopToken};
use std::time::Duration;

/// Limits of a solver's work.
#[derive(Clone, Copy, Debug, Default)]
pub struct MateLimits<'a> {
    /// Wall-clock time, the verification of a mate included.
    pub time: Option<Duration>,
    /// Positions expanded.
    pub nodes: Option<u64>,
    /// Ends the search at once.
    pub stop: Option<&'a StopToken>,
}

/// Why a question was left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenReason {
    /// The time was up.
    Time,
    /// The number of nodes was reached.
    Nodes,
    /// The stop token was set.
    Stopped,
    /// No mate as long as the solver looks for ([`MAX_PLIES`](super::MAX_PLIES)).
    Length,
    /// A mate was found, but it could not be walked through within the memory that is there.
    Memory,
    /// The system gives no thread to search on.
    Thread,
}

/// The progress of a running solver.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MateProgress {
    /// Time since the start.
    pub time: Duration,
    /// Positions expanded.
    pub nodes: u64,
    /// Filled part of the table, in thousandths.
    pub hashfull: u32,
    /// The length of the shortest mate found so far.
    pub mate: Option<u32>,
    /// The current line from the position of the query on; empty in a subsearch.
    pub line: Vec<Move>,
}

impl MateProgress {
    /// Nodes a second.
    pub fn nps(&self) -> u64 {
        (self.nodes as u128 * 1_000_000_000 / self.time.as_nanos().max(1)) as u64
    }
}

/// Nodes between two reads of the clock: well under a millisecond.
const NODES_PER_CLOCK_READ: u64 = 128;
/// The time of the first report: whoever answers sooner need not report.
const FIRST_REPORT: Duration = Duration::from_millis(100);
/// Time between two reports.
const REPORT_EVERY: Duration = Duration::from_secs(1);

/// The most nodes of a search on a stack that is not deep: what such a search has spent is lost if it needs more, and
/// mates in seven plies take fewer.
const SHALLOW_NODES: u64 = 600;

/// The most plies of it, each of which takes 1,800 bytes of the stack at most.
const SHALLOW_PLIES: usize = 32;

/// Counts nodes and checks the limits.
pub(crate) struct LimitChecker<'a> {
    limits: MateLimits<'a>,
    report: Option<&'a (dyn Fn(&MateProgress) + Sync)>,
    started: Instant,
    next_report: Instant,
    nodes: u64,
    steps: u64,
    mate: Option<u32>,
    over: Option<OpenReason>,
    report_is_due: bool,
    /// The running search does not start at the position of the query: it serves the verifier or another subsearch.
    is_subsearch: bool,
    /// The count of nodes at which a subsearch is given up.
    budget: Option<u64>,
    /// The stack is not deep: what takes more plies or nodes than it allows ends with [`OpenReason::Thread`].
    is_shallow: bool,
}

impl<'a> LimitChecker<'a> {
    pub(crate) fn new(limits: MateLimits<'a>, report: Option<&'a (dyn Fn(&MateProgress) + Sync)>) -> LimitChecker<'a> {
        let started = Instant::now();
        let mut limit_checker = LimitChecker {
            limits,
            report,
            started,
            next_report: started + FIRST_REPORT,
            nodes: 0,
            steps: 0,
            mate: None,
            over: None,
            report_is_due: false,
            is_subsearch: false,
            budget: None,
            is_shallow: false,
        };
        limit_checker.check_limits();
        limit_checker
    }

    /// A search that ends with [`OpenReason::Thread`] where it needs a deep stack.
    pub(crate) fn shallow(self) -> LimitChecker<'a> {
        LimitChecker { is_shallow: true, ..self }
    }

    pub(crate) fn is_shallow(&self) -> bool {
        self.is_shallow
    }

    /// Ends a shallow search, which needs a deep stack.
    #[cold]
    pub(crate) fn ask_for_depth(&mut self) {
        self.over = Some(OpenReason::Thread);
    }

    /// Ends a shallow search that is to go so many plies deep if the stack might be too small for that.
    pub(crate) fn check_depth(&mut self, plies: usize) {
        if self.is_shallow && plies > SHALLOW_PLIES {
            self.ask_for_depth();
        }
    }

    /// Counts a node; tells how many there were before.
    pub(crate) fn count_node(&mut self) -> u64 {
        let before = self.nodes;
        self.nodes += 1;
        if self.is_shallow && self.nodes > SHALLOW_NODES {
            self.ask_for_depth();
        }
        if self.nodes.is_multiple_of(NODES_PER_CLOCK_READ) || self.limits.nodes == Some(self.nodes) {
            self.check_limits();
        }
        before
    }

    /// Counts a step of a verification, which is no node.
    pub(crate) fn count_step(&mut self) {
        self.steps += 1;
        if self.steps.is_multiple_of(NODES_PER_CLOCK_READ) {
            self.check_limits();
        }
    }

    /// A mate of this length was found.
    pub(crate) fn found_mate(&mut self, length: u32) {
        self.mate = Some(length);
    }

    /// Declares the searches from now on subsearches, or not.
    pub(crate) fn set_subsearch(&mut self, is_subsearch: bool) {
        self.is_subsearch = is_subsearch;
    }

    /// Limits the following subsearches to this many nodes.
    pub(crate) fn set_budget(&mut self, nodes: u64) {
        self.budget = Some(self.nodes + nodes);
    }

    /// Ends the limit of [`LimitChecker::set_budget`].
    pub(crate) fn end_budget(&mut self) {
        if self.budget.take().is_some_and(|budget| self.nodes >= budget) {
            self.over = None;
            self.check_limits();
        }
    }

    /// Tests whether the work must end, checked now.
    pub(crate) fn check_now(&mut self) -> bool {
        self.check_limits();
        self.is_over()
    }

    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Why the work must end, if it must.
    pub(crate) fn over(&self) -> Option<OpenReason> {
        self.over
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.is_some()
    }

    /// Tests whether it is time for a report.
    pub(crate) fn is_report_due(&self) -> bool {
        self.report_is_due
    }

    /// Reports.
    #[cold]
    pub(crate) fn report(&mut self, hashfull: u32, line: Vec<Move>) {
        self.report_is_due = false;
        self.next_report = Instant::now() + REPORT_EVERY;
        if let Some(report) = self.report {
            report(&self.progress(hashfull, line));
        }
    }

    /// Progress of the work so far.
    pub(crate) fn progress(&self, hashfull: u32, line: Vec<Move>) -> MateProgress {
        let line = if self.is_subsearch { Vec::new() } else { line };
        MateProgress { time: self.started.elapsed(), nodes: self.nodes, hashfull, mate: self.mate, line }
    }

    /// Checks the clock, the counter and the stop token.
    #[cold]
    fn check_limits(&mut self) {
        if self.over == Some(OpenReason::Thread) {
            return;
        }
        give_way();
        let now = Instant::now();
        self.report_is_due = self.report.is_some() && now >= self.next_report;
        if self.limits.stop.is_some_and(StopToken::is_stopped) {
            self.over = Some(OpenReason::Stopped);
        } else if self.limits.time.is_some_and(|time| now.duration_since(self.started) >= time) {
            self.over = Some(OpenReason::Time);
        } else if self.limits.nodes.into_iter().chain(self.budget).any(|nodes| self.nodes >= nodes) {
            self.over = Some(OpenReason::Nodes);
        }
    }
}
