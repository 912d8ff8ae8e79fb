//! Time without the wait for a core: how long a program took as if the machine had nothing else to do.
//!
//! Bounds of tests hold for the program, not for what runs beside it. Linux tells for each thread how long it was ready
//! to run and had no core (`/proc/PID/task/TID/schedstat`); that much is taken off. Sleep, locks, input and work all
//! count. On other systems it is the time on the wall.

use komainu::system::{CoreWaits, WaitGauge};
use std::fs;
use std::path::Path;
use std::process;
use std::time::{Duration, Instant};

/// The number of the calling thread, where the system tells it.
pub(crate) fn this_thread() -> u32 {
    let task = fs::read_link("/proc/thread-self").unwrap_or_default();
    task.file_name().and_then(|name| name.to_str()?.parse().ok()).unwrap_or_default()
}

/// Runs from its making on.
pub(crate) struct Stopwatch {
    started: Instant,
    /// A process whose waits do not count.
    process: Option<u32>,
    /// Nor do those of a thread of this program.
    thread: WaitGauge,
    /// The waits of both at the start.
    before: [CoreWaits; 2],
    /// The longest wait that was seen: a thread that ends takes its own with it.
    waited: Duration,
}

impl Stopwatch {
    /// For what this thread does.
    pub(crate) fn of_this_thread() -> Stopwatch {
        Stopwatch::of_thread(this_thread())
    }

    /// For what a thread of this program does.
    pub(crate) fn of_thread(thread: u32) -> Stopwatch {
        Stopwatch::new(None, &[thread])
    }

    /// For what this program does; other tests that run beside this one make its time shorter than it was.
    pub(crate) fn of_this_program() -> Stopwatch {
        Stopwatch::new(Some(process::id()), &[])
    }

    /// For what another process does, and this thread, to which its answers come.
    pub(crate) fn of(process: u32) -> Stopwatch {
        Stopwatch::new(Some(process), &[this_thread()])
    }

    fn new(process: Option<u32>, threads: &[u32]) -> Stopwatch {
        let thread = WaitGauge::of_own(threads);
        let mut watch =
            Stopwatch { started: Instant::now(), process, thread, before: Default::default(), waited: Duration::ZERO };
        watch.before = watch.waits();
        watch.started = Instant::now();
        watch
    }

    fn waits(&mut self) -> [CoreWaits; 2] {
        [self.process.map(CoreWaits::of).unwrap_or_default(), self.thread.read()]
    }

    /// The time since the start that was not spent on waiting for a core.
    pub(crate) fn elapsed(&mut self) -> Duration {
        let elapsed = self.started.elapsed();
        let [all, one] = self.waits();
        let waited = all.total_since(&self.before[0]) + one.total_since(&self.before[1]);
        self.waited = self.waited.max(waited);
        elapsed.saturating_sub(self.waited)
    }

    /// Whether more than this has passed. Waits are looked up only if it has on the wall.
    pub(crate) fn exceeds(&mut self, limit: Duration) -> bool {
        self.started.elapsed() > limit && self.elapsed() > limit
    }
}

#[test]
fn sleep_and_work_count_and_the_wait_for_a_core_does_not() {
    let mut asleep = Stopwatch::of_this_thread();
    std::thread::sleep(Duration::from_millis(60));
    assert!(asleep.elapsed() >= Duration::from_millis(50), "{:?}", asleep.elapsed());
    // More threads than cores, all of them busy for as long: each of them gets a share of the time.
    let cores = komainu::system::cores();
    let busy = Duration::from_millis(200);
    std::thread::scope(|scope| {
        let work = || {
            let mut watch = Stopwatch::of_this_thread();
            let started = Instant::now();
            while started.elapsed() < busy {
                std::hint::spin_loop();
            }
            watch.elapsed()
        };
        let threads: Vec<_> = (0..4 * cores).map(|_| scope.spawn(work)).collect();
        let shortest = threads.into_iter().map(|thread| thread.join().expect("it ends")).min().expect("a thread");
        assert!(shortest > Duration::ZERO);
        if Path::new("/proc/thread-self/schedstat").exists() {
            assert!(shortest < busy * 3 / 4, "{shortest:?}");
        }
    });
}
