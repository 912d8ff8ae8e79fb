//! The host of WebAssembly: a clock and a seed that the embedding program gives, and in place of threads tasks that run
//! in slices, one after the other.

#[cfg(feature = "suspend")]
use super::suspend::{enter, leave, suspend};
use std::collections::VecDeque;
use std::io;
use std::ops::{Add, Sub};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::time::Duration;

/// Functions that the embedding program gives.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// Milliseconds of a clock that never goes back.
    pub now: fn() -> f64,
    /// A random number.
    pub seed: fn() -> u64,
}

/// Called once. Not `FnOnce`, whose call from a box the compiler may put into a function of its own: only the call
/// through a table that stands in [`run_tasks`] itself can be suspended.
type Task = Box<dyn FnMut() + Send>;

static HOST: OnceLock<Host> = OnceLock::new();
/// Tasks that have not begun, in their order.
static WAITING: Mutex<VecDeque<Task>> = Mutex::new(VecDeque::new());
/// Tasks that have not ended, the running one among them.
static TASKS: AtomicUsize = AtomicUsize::new(0);
/// The end of the slice, in microseconds of the clock.
static SLICE_END: AtomicU64 = AtomicU64::new(0);

/// Takes the functions of the host; the first ones count.
pub fn install(host: Host) {
    _ = HOST.set(host);
}

/// True once there is a clock.
pub fn has_clock() -> bool {
    HOST.get().is_some()
}

/// Time of the host's clock; zero as long as there is no host.
fn now() -> Duration {
    let millis = HOST.get().map_or(0.0, |host| (host.now)());
    Duration::from_micros((millis * 1_000.0) as u64)
}

/// A number that two games do not share.
pub fn seed() -> u64 {
    HOST.get().map_or(0, |host| (host.seed)())
}

/// Runs this when all that were spawned before have ended. No error comes of it.
pub fn spawn(_name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    TASKS.fetch_add(1, Ordering::Relaxed);
    let mut body = Some(body);
    waiting().push_back(Box::new(move || {
        if let Some(body) = body.take() {
            body();
        }
    }));
    Ok(())
}

/// Tests whether a task waits or is suspended.
pub fn has_task() -> bool {
    TASKS.load(Ordering::Relaxed) > 0
}

/// Begins a slice of `millis` milliseconds.
pub fn begin_slice(millis: f64) {
    let end = now() + Duration::from_micros((millis.max(0.0) * 1_000.0) as u64);
    SLICE_END.store(end.as_micros() as u64, Ordering::Relaxed);
}

/// Without Asyncify a task is run in one piece.
#[cfg(not(feature = "suspend"))]
fn suspend() {}

/// Runs all tasks to their ends. Its name tells wasm-opt that what it calls through a table may be suspended.
#[inline(never)]
pub fn run_tasks() {
    loop {
        let task = waiting().pop_front();
        let Some(mut task) = task else { return };
        (*task)();
        TASKS.fetch_sub(1, Ordering::Relaxed);
        // Whoever waits for the end of the task is told before the next one begins.
        rest();
    }
}

/// Runs the tasks until they have ended or suspend themselves. It has no frame on the stack in memory, nor may its
/// callers up to the host have one ([`super::suspend`]).
#[cfg(feature = "suspend")]
#[inline(never)]
pub fn run_slice() {
    enter();
    run_tasks();
    leave();
}

/// Suspends the running task if its slice is over.
#[inline(never)]
pub fn give_way() {
    if now().as_micros() as u64 >= SLICE_END.load(Ordering::Relaxed) {
        suspend();
    }
}

/// Suspends the running task although its slice is not over: it waits for an order.
#[inline(never)]
pub fn rest() {
    suspend();
}

fn waiting() -> MutexGuard<'static, VecDeque<Task>> {
    super::lock(&WAITING)
}

/// A moment, as `std::time::Instant` is one: only what lies between two of them has a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(Duration);

impl Instant {
    /// This moment.
    pub fn now() -> Instant {
        Instant(now())
    }

    /// Time since then.
    pub fn elapsed(&self) -> Duration {
        Instant::now().saturating_duration_since(*self)
    }

    /// Time since an earlier moment; zero since a later one.
    pub fn duration_since(&self, earlier: Instant) -> Duration {
        self.saturating_duration_since(earlier)
    }

    /// Time since an earlier moment; zero since a later one.
    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// The moment so much later, if the clock goes so far.
    pub fn checked_add(&self, time: Duration) -> Option<Instant> {
        self.0.checked_add(time).map(Instant)
    }

    /// The moment so much earlier, if the clock goes back so far.
    pub fn checked_sub(&self, time: Duration) -> Option<Instant> {
        self.0.checked_sub(time).map(Instant)
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;

    fn add(self, time: Duration) -> Instant {
        Instant(self.0 + time)
    }
}

impl Sub for Instant {
    type Output = Duration;

    fn sub(self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }
}
