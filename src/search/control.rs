//! Control of a running search: what its threads and whoever has started it tell each other.
//!
//! [`SearchControl`] is shared by all of them. [`Limiter`] is what one thread makes of it: it counts the thread's nodes
//! and looks at limits, orders and clock once in about a thousand of them.

use super::limits::Limits;
use super::params::FIRST_ITERATION_NODES;
use super::time::{Budget, Clock, Timing};
use crate::host::{Instant, give_way, lock};
use crate::types::StopToken;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// Control of one search: its limits, orders to it from outside (stop, ponder hit, number of lines), its progress.
///
/// A search that is only to be stopped needs no more than a [`StopToken`]; this is for one in the opponent's time, and
/// for whoever shows its progress.
///
/// ```
/// use komainu::position::{GameRules, Position};
/// use komainu::search::{Callbacks, Clock, Limits, SearchControl, ThreadPool};
/// use komainu::types::StopToken;
/// use std::sync::Arc;
/// use std::thread;
/// use std::time::{Duration, Instant};
///
/// // The opponent plays the expected move: from then on the search has 50 ms.
/// let mut pool = ThreadPool::new(1, 1);
/// let clock = Clock { byoyomi: Duration::from_millis(50), ..Clock::default() };
/// let limits = Limits { clock: Some(clock), ponder: true, ..Limits::default() };
/// let control = Arc::new(SearchControl::new(limits, &StopToken::new()));
/// let callbacks = Callbacks { chooser: None, on_block: &mut |_| (), on_answer: &mut |_| () };
/// let result = thread::scope(|scope| {
///     scope.spawn(|| control.ponder_hit(Instant::now(), None));
///     pool.search_and_answer(&Position::startpos(), GameRules::default(), &control, callbacks)
/// })?;
/// assert!(result.report.is_some());
/// # Ok::<(), komainu::search::SearchError>(())
/// ```
#[derive(Debug)]
pub struct SearchControl {
    limits: Limits,
    stop: StopToken,
    /// The search has been answered, or has broken down.
    is_over: AtomicBool,
    /// The first thread has ended: the others end too.
    is_halted: AtomicBool,
    pondering: AtomicBool,
    began: Instant,
    /// Milliseconds after `began` at which the clock started to run.
    clock_start: AtomicU64,
    /// The clock that counts from the ponder hit on, in place of the one at the start.
    hit_clock: Mutex<Option<(Clock, Timing)>>,
    /// Number of the best moves that are wanted from the next iteration on.
    multi_pv: AtomicUsize,
    /// Nodes of all threads, added in steps.
    nodes: AtomicU64,
    /// Number of threads that search.
    threads: AtomicUsize,
    /// Changes of the helpers' best moves since the first thread asked last.
    changes: AtomicU32,
    /// Number of threads for which another iteration is not worth its time.
    finished: AtomicUsize,
}

impl SearchControl {
    /// Control of a search that begins now, has these limits, and ends with the token.
    pub fn new(limits: Limits, stop: &StopToken) -> SearchControl {
        SearchControl {
            stop: stop.clone(),
            is_over: AtomicBool::new(false),
            is_halted: AtomicBool::new(false),
            pondering: AtomicBool::new(limits.ponder),
            began: Instant::now(),
            clock_start: AtomicU64::new(0),
            hit_clock: Mutex::new(None),
            multi_pv: AtomicUsize::new(limits.multi_pv),
            nodes: AtomicU64::new(0),
            threads: AtomicUsize::new(1),
            changes: AtomicU32::new(0),
            finished: AtomicUsize::new(0),
            limits,
        }
    }

    /// Control of a search that has been running since then.
    pub fn since(self, began: Instant) -> SearchControl {
        SearchControl { began, ..self }
    }

    /// The limits that the search began with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Tells the search to end with its answer.
    pub fn stop(&self) {
        self.stop.stop();
    }

    /// The expected move was played: from now on the clock runs, the one given here if there is one.
    ///
    /// `at` is when the news arrived. Means nothing to a search that is not pondering.
    pub fn ponder_hit(&self, at: Instant, clock: Option<(Clock, Timing)>) {
        if !self.is_pondering() {
            return;
        }
        *self.lock_hit_clock() = clock;
        self.clock_start.store(at.saturating_duration_since(self.began).as_millis() as u64, Ordering::Relaxed);
        self.pondering.store(false, Ordering::Release);
        self.stop.wake();
    }

    /// Changes, from the next iteration on, how many of the best moves are searched to an exact score and reported.
    pub fn set_multi_pv(&self, lines: usize) {
        self.multi_pv.store(lines, Ordering::Relaxed);
    }

    /// Tests whether the search was told to end, or has ended.
    pub fn is_stopped(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || self.stop.is_stopped()
    }

    /// Tests whether the opponent's clock is running.
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Acquire)
    }

    /// Nodes of all threads so far; the threads add theirs about every 1,000 nodes.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Time since the search began, on whosever clock.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Time that the own clock has been running.
    pub fn thinking_time(&self) -> Duration {
        let started = Duration::from_millis(self.clock_start.load(Ordering::Relaxed));
        self.began.elapsed().saturating_sub(started)
    }

    /// The search is over: whoever looks now need not tell it to stop. The token is left as it is.
    pub(crate) fn end(&self) {
        self.is_over.store(true, Ordering::Release);
        self.stop.wake();
    }

    /// Waits until an answer is wanted: at once, after a ponder hit, or after a stop.
    pub(crate) fn wait(&self) {
        self.stop.wait_until(|| self.is_stopped() || !(self.limits.infinite || self.is_pondering()));
    }

    /// Waits for an order, but no longer than this. Returns whether none came.
    pub(crate) fn nap(&self, time: Duration) -> bool {
        self.stop.nap(time)
    }

    /// The time for the move as it counts now: after a ponder hit by the clock that came with it. `None` while time
    /// does not bound the search.
    pub(crate) fn budget(&self) -> Option<Budget> {
        let mut limits = self.limits.clone();
        if limits.ponder && !self.is_pondering() {
            limits.begin_clock(self.hit_clock());
        }
        if limits.must_wait() { None } else { limits.budget(1.0) }
    }

    /// The clock that counts from the ponder hit on.
    fn hit_clock(&self) -> Option<(Clock, Timing)> {
        *self.lock_hit_clock()
    }

    fn lock_hit_clock(&self) -> MutexGuard<'_, Option<(Clock, Timing)>> {
        // No holder of the lock can panic.
        lock(&self.hit_clock)
    }
}

/// What the threads of a search tell each other.
impl SearchControl {
    /// Begins a search with so many threads.
    pub(crate) fn set_threads(&self, threads: usize) {
        self.threads.store(threads, Ordering::Relaxed);
    }

    /// Number of threads that search.
    pub(crate) fn threads(&self) -> usize {
        self.threads.load(Ordering::Relaxed)
    }

    /// Number of the best moves that are wanted in the next iteration.
    pub(crate) fn multi_pv(&self) -> usize {
        self.multi_pv.load(Ordering::Relaxed)
    }

    /// Ends the other threads, after the first one.
    pub(crate) fn halt(&self) {
        self.is_halted.store(true, Ordering::Relaxed);
    }

    /// A helper's best move has changed.
    pub(crate) fn note_change(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes the number of changes of the helpers' best moves since the last call.
    pub(crate) fn take_changes(&self) -> u32 {
        self.changes.swap(0, Ordering::Relaxed)
    }

    /// A thread changes its mind on whether another iteration is worth its time.
    pub(crate) fn vote(&self, is_finished: bool) {
        if is_finished {
            self.finished.fetch_add(1, Ordering::Relaxed);
        } else {
            self.finished.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Tests whether another iteration is not worth its time for most threads; of half of them the first must be one.
    pub(crate) fn is_finished(&self, for_the_first: bool) -> bool {
        2 * self.finished.load(Ordering::Relaxed) + usize::from(for_the_first) > self.threads()
    }
}

/// Nodes between two looks at clock and control; fewer under a small limit of nodes.
const CHECK_INTERVAL: u64 = 1_024;

/// The limits of a search as one thread sees them, and the nodes that it has counted.
pub(crate) struct Limiter {
    /// The first worker keeps the limits; the others go on until they are told to end.
    is_first: bool,
    pub(crate) limits: Limits,
    /// The time that the limits give, as long as no ponder hit has brought another clock.
    pub(crate) budget: Option<Budget>,
    pub(crate) control: Arc<SearchControl>,
    /// Nodes of this thread.
    pub(crate) nodes: u64,
    /// Nodes of this thread that the control knows of.
    reported_nodes: u64,
    /// The count of nodes at which limits and control are looked at next.
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
    pub(crate) fn new(id: usize) -> Limiter {
        Limiter {
            is_first: id == 0,
            limits: Limits::default(),
            budget: None,
            control: Arc::new(SearchControl::new(Limits::default(), &StopToken::new())),
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
    pub(crate) fn begin(&mut self, control: &Arc<SearchControl>) {
        *self = Limiter {
            is_first: self.is_first,
            limits: control.limits.clone(),
            budget: control.limits.budget(1.0),
            control: Arc::clone(control),
            last_check: control.elapsed(),
            ..Limiter::new(0)
        };
    }

    /// Looks at limits and control, if it is time to.
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
        let mut stop = self.control.is_stopped() || self.control.is_halted.load(Ordering::Relaxed);
        if self.is_first {
            let now = self.control.elapsed();
            self.longest_pause = self.longest_pause.max(now.saturating_sub(self.last_check));
            self.last_check = now;
            if let Some(limit) = self.limits.nodes {
                let all = self.control.nodes();
                stop |= all >= limit;
                self.next_check = self.next_check.min(self.nodes + limit.saturating_sub(all).max(1));
            }
            self.take_ponder_hit();
            stop |= self.budget().is_some_and(|budget| self.control.thinking_time() >= budget.maximum);
            // The helpers have had enough while this iteration went on.
            stop |= !self.limits.must_wait() && self.control.is_finished(false);
        }
        self.stopped = stop && (self.root_depth > 1 || self.nodes >= FIRST_ITERATION_NODES);
    }

    /// Tells the others whether another iteration is worth its time for this thread.
    pub(crate) fn vote(&mut self, is_finished: bool) {
        if self.is_finished != is_finished {
            self.is_finished = is_finished;
            self.control.vote(is_finished);
        }
    }

    /// From a ponder hit on the clock counts, the one that came with it if there is one.
    pub(crate) fn take_ponder_hit(&mut self) {
        if self.limits.ponder && !self.control.is_pondering() {
            self.limits.begin_clock(self.control.hit_clock());
            self.budget = self.limits.budget(1.0);
        }
    }

    /// The time for this move, unless it is not bounded by time or the opponent's clock was running when last looked
    /// at.
    pub(crate) fn budget(&self) -> Option<Budget> {
        if self.limits.ponder { None } else { self.budget }
    }

    /// Tests whether the search is limited to so many nodes or fewer.
    pub(crate) fn is_within_nodes(&self, nodes: i32) -> bool {
        self.limits.nodes.is_some_and(|limit| limit <= nodes as u64)
    }

    /// Goes on after the limit of nodes, with `nodes` more.
    pub(crate) fn allow_nodes(&mut self, nodes: u64) {
        self.limits.nodes = Some(self.nodes + nodes);
        self.next_check = 0;
        self.stopped = false;
    }

    /// Adds this thread's nodes to the count of all.
    pub(crate) fn flush_nodes(&mut self) {
        self.control.nodes.fetch_add(self.nodes - self.reported_nodes, Ordering::Relaxed);
        self.reported_nodes = self.nodes;
    }

    /// True if the worker is the one that keeps the limits.
    pub(crate) fn is_first(&self) -> bool {
        self.is_first
    }

    /// The longest time for which clock and control were not looked at.
    pub(crate) fn longest_pause(&self) -> Duration {
        self.longest_pause
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control() -> SearchControl {
        SearchControl::new(Limits::default(), &StopToken::new())
    }

    #[test]
    fn a_single_thread_decides_alone_and_of_two_the_first() {
        let control = control();
        assert!(!control.is_finished(false));
        control.vote(true);
        assert!(control.is_finished(true));
        control.vote(false);
        control.set_threads(2);
        control.vote(true);
        assert!(control.is_finished(true) && !control.is_finished(false));
    }

    #[test]
    fn most_threads_decide_and_may_change_their_minds() {
        let control = control();
        control.set_threads(5);
        control.vote(true);
        control.vote(true);
        assert!(!control.is_finished(true));
        control.vote(true);
        assert!(control.is_finished(false));
        control.vote(false);
        assert!(!control.is_finished(true));
    }

    #[test]
    fn changes_are_taken_once() {
        let control = control();
        control.note_change();
        control.note_change();
        assert_eq!(control.take_changes(), 2);
        assert_eq!(control.take_changes(), 0);
    }
}
