//! Orders from outside to a running search, and what can be seen of it from there.

use crate::host::Instant;
use crate::search::limits::Limits;
use crate::search::team::Team;
use crate::search::time::{Clock, Timing};
use crate::types::StopToken;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Signals to and from a running search: its stop token, a ponder hit, the number of lines, its progress.
///
/// A search that is only to be stopped needs no more than a [`StopToken`]; this is for one in the opponent's time, and
/// for whoever shows its progress.
///
/// ```
/// use komainu::position::{GameRules, Position};
/// use komainu::search::{Callbacks, Clock, Limits, Signals, ThreadPool};
/// use komainu::types::StopToken;
/// use std::sync::Arc;
/// use std::thread;
/// use std::time::{Duration, Instant};
///
/// // The opponent plays the expected move: from then on the search has 50 ms.
/// let mut pool = ThreadPool::new(1, 1);
/// let signals = Arc::new(Signals::pondering(&StopToken::new()));
/// let clock = Clock { byoyomi: Duration::from_millis(50), ..Clock::default() };
/// let limits = Limits { clock: Some(clock), ponder: true, ..Limits::default() };
/// let callbacks = Callbacks { chooser: None, on_block: &mut |_| (), on_answer: &mut |_| () };
/// let result = thread::scope(|scope| {
///     scope.spawn(|| signals.ponder_hit(Instant::now(), None));
///     pool.search_and_answer(&Position::startpos(), GameRules::default(), &limits, &signals, callbacks)
/// })?;
/// assert!(result.report.is_some());
/// # Ok::<(), komainu::search::SearchError>(())
/// ```
#[derive(Debug)]
pub struct Signals {
    stop: StopToken,
    /// The first thread has ended: the others end too.
    halt: AtomicBool,
    /// The search has been answered, or has broken down.
    is_over: AtomicBool,
    pondering: AtomicBool,
    began: Instant,
    /// Milliseconds after `began` at which the clock started to run.
    clock_start: AtomicU64,
    /// The clock that counts from the ponder hit on, in place of the one at the start.
    hit_clock: Mutex<Option<(Clock, Timing)>>,
    /// Number of the best moves that are wanted from the next iteration on; 0 for as many as the limits say.
    multi_pv: AtomicUsize,
    /// Nodes of all threads, added in steps.
    nodes: AtomicU64,
    /// Notes of the threads for each other.
    pub(in crate::search) team: Team,
}

impl Signals {
    /// Signals of a search that begins now, on the own clock, and ends with the token.
    pub fn new(stop: &StopToken) -> Signals {
        Signals {
            stop: stop.clone(),
            halt: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
            pondering: AtomicBool::new(false),
            began: Instant::now(),
            clock_start: AtomicU64::new(0),
            hit_clock: Mutex::new(None),
            multi_pv: AtomicUsize::new(0),
            nodes: AtomicU64::new(0),
            team: Team::default(),
        }
    }

    /// Signals of a search that begins now, in the opponent's time: the own clock starts with a ponder hit.
    pub fn pondering(stop: &StopToken) -> Signals {
        Signals { pondering: AtomicBool::new(true), ..Signals::new(stop) }
    }

    /// Signals of a search that has been running since then.
    pub fn since(self, began: Instant) -> Signals {
        Signals { began, ..self }
    }

    /// The search is over: whoever looks now need not tell it to stop. The token is left as it is.
    pub(crate) fn end(&self) {
        self.is_over.store(true, Ordering::Release);
        self.stop.wake();
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
        self.stop.wake();
    }

    /// Tests whether the search was told to end, or has ended.
    pub fn is_stopped(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || self.stop.is_stopped()
    }

    /// Ends the other threads, after the first one.
    pub(in crate::search) fn halt(&self) {
        self.halt.store(true, Ordering::Relaxed);
    }

    /// Returns true if the first thread has ended.
    pub(in crate::search) fn is_halted(&self) -> bool {
        self.halt.load(Ordering::Relaxed)
    }

    /// Returns true if the opponent's clock is running.
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

    /// Number of the best moves that are wanted, where the limits wanted `limit`.
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

    /// Time since the search began, on whosever clock.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Time that the own clock has been running.
    pub fn thinking_time(&self) -> Duration {
        let started = Duration::from_millis(self.clock_start.load(Ordering::Relaxed));
        self.began.elapsed().saturating_sub(started)
    }

    /// Waits until an answer is wanted: at once, after a ponder hit, or after a stop.
    pub(in crate::search) fn wait(&self, limits: &Limits) {
        self.stop.wait_until(|| self.is_stopped() || !(limits.infinite || self.is_pondering()));
    }

    /// Waits for an order, but no longer than this. Returns whether none came.
    pub(crate) fn nap(&self, time: Duration) -> bool {
        self.stop.nap(time)
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Clock, Timing)>> {
        // No holder of the lock can panic.
        self.hit_clock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
