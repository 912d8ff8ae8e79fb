//! Time without the wait for a core: how long a program took as if the machine had nothing else to do.
//!
//! Bounds of tests hold for the program, not for what runs beside it. Linux tells for each thread how long it was ready to
//! run and had no core (`/proc/PID/task/TID/schedstat`); that much is taken off. Sleep, locks, input and work all count. On
//! other systems it is the time on the wall.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Whose threads may wait.
#[derive(Clone, Copy)]
enum Threads {
    Calling,
    Of(u32),
}

/// Runs from its making on.
pub(crate) struct Stopwatch {
    started: Instant,
    threads: Threads,
    before: Duration,
    /// The longest wait that was seen: a thread that ends takes its own with it.
    waited: Duration,
}

impl Stopwatch {
    /// For what this thread does.
    pub(crate) fn of_this_thread() -> Stopwatch {
        Stopwatch::new(Threads::Calling)
    }

    /// For what this program does; other tests that run beside this one make its time shorter than it was.
    pub(crate) fn of_this_program() -> Stopwatch {
        Stopwatch::of(std::process::id())
    }

    /// For what a process does.
    pub(crate) fn of(process: u32) -> Stopwatch {
        Stopwatch::new(Threads::Of(process))
    }

    fn new(threads: Threads) -> Stopwatch {
        let before = waited(threads);
        Stopwatch { started: Instant::now(), threads, before, waited: before }
    }

    /// The time since the start that was not spent on waiting for a core.
    pub(crate) fn elapsed(&mut self) -> Duration {
        let elapsed = self.started.elapsed();
        self.waited = self.waited.max(waited(self.threads));
        elapsed.saturating_sub(self.waited - self.before)
    }

    /// Whether more than this has passed. Waits are looked up only if it has on the wall.
    pub(crate) fn exceeds(&mut self, limit: Duration) -> bool {
        self.started.elapsed() > limit && self.elapsed() > limit
    }
}

/// How long threads have been ready to run without a core, all of them together. Of another process the answers come to this
/// thread, which may have to wait as well.
fn waited(threads: Threads) -> Duration {
    let calling = || waited_of(Path::new("/proc/thread-self"));
    let of_all = |process: u32| {
        let tasks = fs::read_dir(format!("/proc/{process}/task"));
        tasks.into_iter().flatten().flatten().map(|task| waited_of(&task.path())).sum::<Duration>()
    };
    match threads {
        Threads::Calling => calling(),
        Threads::Of(process) if process == std::process::id() => of_all(process),
        Threads::Of(process) => of_all(process) + calling(),
    }
}

/// The second number of `schedstat`, in nanoseconds; none where there is no such file.
fn waited_of(task: &Path) -> Duration {
    let text = fs::read_to_string(task.join("schedstat")).unwrap_or_default();
    let nanos = text.split_ascii_whitespace().nth(1).and_then(|number| number.parse().ok());
    Duration::from_nanos(nanos.unwrap_or_default())
}

#[test]
fn sleep_and_work_count_and_the_wait_for_a_core_does_not() {
    let mut asleep = Stopwatch::of_this_thread();
    std::thread::sleep(Duration::from_millis(60));
    assert!(asleep.elapsed() >= Duration::from_millis(50), "{:?}", asleep.elapsed());
    // More threads than cores, all of them busy for as long: each of them gets a share of the time.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let busy = Duration::from_millis(200);
    std::thread::scope(|scope| {
        let work = || {
            let (mut watch, started) = (Stopwatch::of_this_thread(), Instant::now());
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
