//! Orders from outside to a running search, and what can be seen of it from there.

use crate::search::limits::Limits;
use crate::search::time::{Clock, Timing};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Orders from outside to a running search.
///
/// ```
/// use komainu::position::{GameRules, Position};
/// use komainu::search::{Limits, Signals, ThreadPool};
/// use std::sync::Arc;
/// use std::thread;
///
/// // Another thread ends a search that would go on for ever.
/// let mut pool = ThreadPool::new(1, 1);
/// let signals = Arc::new(Signals::default());
/// let limits = Limits { infinite: true, ..Limits::default() };
/// let result = thread::scope(|scope| {
///     let search = scope.spawn(|| {
///         pool.search(&Position::startpos(), GameRules::default(), &limits, &signals, &mut |_| ())
///     });
///     signals.stop();
///     search.join().expect("the search does not panic")
/// });
/// assert!(signals.is_stopped() && result.report.is_some());
/// ```
#[derive(Debug)]
pub struct Signals {
    stop: AtomicBool,
    pondering: AtomicBool,
    began: Instant,
    /// Milliseconds after `began` at which the clock started to run.
    clock_start: AtomicU64,
    /// The clock that counts from the ponder hit on, in place of the one at the start.
    hit_clock: Mutex<Option<(Clock, Timing)>>,
    /// Goes with the lock of `hit_clock`.
    changed: Condvar,
    /// How many of the best moves are wanted from the next iteration on; 0 for as many as the limits say.
    multi_pv: AtomicUsize,
    /// Nodes of all threads, added in steps.
    nodes: AtomicU64,
}

/// Signals of a search that begins now, on the own clock.
impl Default for Signals {
    fn default() -> Signals {
        Signals {
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(false),
            began: Instant::now(),
            clock_start: AtomicU64::new(0),
            hit_clock: Mutex::new(None),
            changed: Condvar::new(),
            multi_pv: AtomicUsize::new(0),
            nodes: AtomicU64::new(0),
        }
    }
}

impl Signals {
    /// Signals of a search that begins now, in the opponent's time: the own clock starts with a ponder hit.
    pub fn pondering() -> Signals {
        Signals { pondering: AtomicBool::new(true), ..Signals::default() }
    }

    /// Signals of a search that has been running since then.
    pub fn since(self, began: Instant) -> Signals {
        Signals { began, ..self }
    }

    /// Ends the search.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.wake();
    }

    /// The expected move was played: from now on the clock runs, the one given here if there is one.
    ///
    /// `at` is when the news arrived. Means nothing to a search that is not pondering.
    pub fn ponder_hit(&self, at: Instant, clock: Option<(Clock, Timing)>) {
        if !self.is_pondering() {
            return;
        }
        *self.lock() = clock;
        self.clock_start.store(at.saturating_duration_since(self.began).as_millis() as u64, Ordering::Relaxed);
        self.pondering.store(false, Ordering::Release);
        self.wake();
    }

    fn wake(&self) {
        let _guard = self.lock();
        self.changed.notify_all();
    }

    /// Whether the search was told to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether the opponent's clock is running.
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Acquire)
    }

    /// The clock that counts from the ponder hit on.
    pub(in crate::search) fn hit_clock(&self) -> Option<(Clock, Timing)> {
        *self.lock()
    }

    /// Changes, from the next iteration on, how many of the best moves are searched to an exact score and reported.
    pub fn set_multi_pv(&self, lines: usize) {
        self.multi_pv.store(lines, Ordering::Relaxed);
    }

    /// How many of the best moves are wanted, where the limits wanted so many.
    pub(super) fn multi_pv(&self, limit: usize) -> usize {
        match self.multi_pv.load(Ordering::Relaxed) {
            0 => limit,
            changed => changed,
        }
    }

    /// Nodes of all threads so far; the threads add theirs about every 1,000 nodes.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Adds a thread's nodes.
    pub(in crate::search) fn add_nodes(&self, nodes: u64) {
        self.nodes.fetch_add(nodes, Ordering::Relaxed);
    }

    /// How long the search has been running, on whosever clock.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// How long the own clock has been running.
    pub fn thinking_time(&self) -> Duration {
        let started = Duration::from_millis(self.clock_start.load(Ordering::Relaxed));
        self.began.elapsed().saturating_sub(started)
    }

    /// Waits until an answer is wanted: at once, after a ponder hit, or after a stop.
    pub(super) fn wait(&self, limits: &Limits) {
        let mut guard = self.lock();
        while !self.is_stopped() && (limits.infinite || self.is_pondering()) {
            guard = self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits for an order, but no longer than this. Returns whether none came.
    pub(in crate::search) fn nap(&self, time: Duration) -> bool {
        self.changed.wait_timeout(self.lock(), time).unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Clock, Timing)>> {
        // No holder of the lock can panic.
        self.hit_clock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
