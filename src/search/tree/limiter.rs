//! The end of a search: limits, orders and clock, looked at once in some thousand nodes.

use crate::host::give_way;
use crate::search::limits::Limits;
use crate::search::params::FIRST_ITERATION_NODES;
use crate::search::signals::Signals;
use crate::search::time::Budget;
use crate::types::StopToken;
use std::sync::Arc;
use std::time::Duration;

/// Nodes between two looks at clock and signals; fewer under a small limit of nodes.
const CHECK_INTERVAL: u64 = 1_024;

/// The limits of a search as one thread sees them, and the nodes that it has counted.
pub(crate) struct Limiter {
    /// The first worker keeps the limits; the others go on until they are told to end.
    is_first: bool,
    pub(crate) limits: Limits,
    /// The time that the limits give, as long as no ponder hit has brought another clock.
    pub(in crate::search) budget: Option<Budget>,
    pub(crate) signals: Arc<Signals>,
    /// Nodes of this thread.
    pub(crate) nodes: u64,
    /// Nodes of this thread that the signals know of.
    reported_nodes: u64,
    /// The count of nodes at which limits and signals are looked at next.
    next_check: u64,
    /// When they were looked at last, from the start of the search.
    last_check: Duration,
    /// The longest time between two looks.
    longest_pause: Duration,
    /// Depth of the running iteration, in plies.
    pub(crate) root_depth: usize,
    /// Another iteration is not worth its time for this thread, as the others know.
    is_finished: bool,
    /// The search must end: whoever sees it returns at once, with a score that means nothing.
    pub(crate) stopped: bool,
}

impl Limiter {
    /// Limiter of the worker with this number, without limits.
    pub(in crate::search) fn new(id: usize) -> Limiter {
        Limiter {
            is_first: id == 0,
            limits: Limits::default(),
            budget: None,
            signals: Arc::new(Signals::new(&StopToken::new())),
            nodes: 0,
            reported_nodes: 0,
            next_check: 0,
            last_check: Duration::ZERO,
            longest_pause: Duration::ZERO,
            root_depth: 0,
            is_finished: false,
            stopped: false,
        }
    }

    /// Begins a search.
    pub(in crate::search) fn begin(&mut self, limits: &Limits, signals: &Arc<Signals>) {
        *self = Limiter {
            is_first: self.is_first,
            limits: limits.clone(),
            budget: limits.budget(1.0),
            signals: Arc::clone(signals),
            last_check: signals.elapsed(),
            ..Limiter::new(0)
        };
    }

    /// Looks at limits and signals, if it is time to.
    pub(crate) fn poll(&mut self) {
        if self.nodes >= self.next_check && !self.stopped {
            self.look();
        }
    }

    #[cold]
    fn look(&mut self) {
        give_way();
        self.flush_nodes();
        self.next_check = self.nodes + self.limits.nodes.map_or(CHECK_INTERVAL, |n| (n / 128).clamp(1, CHECK_INTERVAL));
        let mut stop = self.signals.is_stopped() || self.signals.is_halted();
        if self.is_first {
            let now = self.signals.elapsed();
            self.longest_pause = self.longest_pause.max(now.saturating_sub(self.last_check));
            self.last_check = now;
            if let Some(limit) = self.limits.nodes {
                let all = self.signals.nodes();
                stop |= all >= limit;
                self.next_check = self.next_check.min(self.nodes + limit.saturating_sub(all).max(1));
            }
            self.take_ponder_hit();
            stop |= self.budget().is_some_and(|budget| self.signals.thinking_time() >= budget.maximum);
            // The helpers have had enough while this iteration went on.
            stop |= !self.limits.must_wait() && self.signals.team.is_finished(false);
        }
        self.stopped = stop && (self.root_depth > 1 || self.nodes >= FIRST_ITERATION_NODES);
    }

    /// Tells the others whether another iteration is worth its time for this thread.
    pub(in crate::search) fn vote(&mut self, is_finished: bool) {
        if std::mem::replace(&mut self.is_finished, is_finished) != is_finished {
            self.signals.team.vote(is_finished);
        }
    }

    /// From a ponder hit on the clock counts, the one that came with it if there is one.
    pub(crate) fn take_ponder_hit(&mut self) {
        if self.limits.ponder && !self.signals.is_pondering() {
            self.limits.begin_clock(self.signals.hit_clock());
            self.budget = self.limits.budget(1.0);
        }
    }

    /// The time for this move, unless it is not bounded by time or the opponent's clock was running when last looked
    /// at.
    pub(crate) fn budget(&self) -> Option<Budget> {
        self.budget.filter(|_| !self.limits.ponder)
    }

    /// Tests whether the search is limited to so many nodes or fewer.
    pub(crate) fn is_within_nodes(&self, nodes: i32) -> bool {
        self.limits.nodes.is_some_and(|limit| limit <= nodes as u64)
    }

    /// Goes on after the limit of nodes, with `nodes` more.
    pub(crate) fn allow_nodes(&mut self, nodes: u64) {
        self.limits.nodes = Some(self.nodes + nodes);
        (self.next_check, self.stopped) = (0, false);
    }

    /// Adds this thread's nodes to the count of all.
    pub(crate) fn flush_nodes(&mut self) {
        self.signals.add_nodes(self.nodes - self.reported_nodes);
        self.reported_nodes = self.nodes;
    }

    /// True if the worker is the one that keeps the limits.
    pub(in crate::search) fn is_first(&self) -> bool {
        self.is_first
    }

    /// The longest time for which clock and signals were not looked at.
    pub(in crate::search) fn longest_pause(&self) -> Duration {
        self.longest_pause
    }
}
