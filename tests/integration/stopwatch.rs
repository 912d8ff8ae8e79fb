//! Time without the wait for a core: how long a program took as if the machine had nothing else to do.
//!
//! Bounds of tests hold for the program, not for what runs beside it. Linux tells for each thread how long it was ready
//! to run and had no core (`/proc/PID/task/TID/schedstat`); that much is taken off. Sleep, locks, input and work all
//! count. On other systems it is the time on the wall.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A thread, as the folder where the system tells of it; nothing is told of an empty one.
#[derive(Clone)]
pub(crate) struct Thread(PathBuf);

impl Thread {
    /// The calling thread.
    pub(crate) fn this() -> Thread {
        Thread(fs::read_link("/proc/thread-self").map(|task| Path::new("/proc").join(task)).unwrap_or_default())
    }

    /// The threads of a process that are there.
    fn all_of(process: u32) -> Vec<Thread> {
        let tasks = fs::read_dir(format!("/proc/{process}/task"));
        tasks.into_iter().flatten().flatten().map(|task| Thread(task.path())).collect()
    }

    /// How long it has been ready to run without a core: the second number of `schedstat`, in nanoseconds.
    fn waited(&self) -> Duration {
        let text = fs::read_to_string(self.0.join("schedstat")).unwrap_or_default();
        let nanos = text.split_ascii_whitespace().nth(1).and_then(|number| number.parse().ok());
        Duration::from_nanos(nanos.unwrap_or_default())
    }
}

/// Whose waits do not count.
enum Threads {
    One(Thread),
    /// All of a process and the one that asks, to which its answers come.
    Of(u32, Thread),
}

/// Runs from its making on.
pub(crate) struct Stopwatch {
    started: Instant,
    threads: Threads,
    /// How long each thread had waited at the start.
    before: HashMap<PathBuf, Duration>,
    /// The longest wait that was seen: a thread that ends takes its own with it.
    waited: Duration,
}

impl Stopwatch {
    /// For what this thread does.
    pub(crate) fn of_this_thread() -> Stopwatch {
        Stopwatch::of_thread(Thread::this())
    }

    /// For what a thread does.
    pub(crate) fn of_thread(thread: Thread) -> Stopwatch {
        Stopwatch::new(Threads::One(thread))
    }

    /// For what this program does; other tests that run beside this one make its time shorter than it was.
    pub(crate) fn of_this_program() -> Stopwatch {
        Stopwatch::of(std::process::id())
    }

    /// For what a process does.
    pub(crate) fn of(process: u32) -> Stopwatch {
        Stopwatch::new(Threads::Of(process, Thread::this()))
    }

    fn new(threads: Threads) -> Stopwatch {
        let before = waits(&threads);
        Stopwatch { started: Instant::now(), threads, before, waited: Duration::ZERO }
    }

    /// The time since the start that was not spent on waiting for a core.
    pub(crate) fn elapsed(&mut self) -> Duration {
        let elapsed = self.started.elapsed();
        let of_thread = |(thread, wait): (PathBuf, Duration)| {
            wait.saturating_sub(self.before.get(&thread).copied().unwrap_or_default())
        };
        self.waited = self.waited.max(waits(&self.threads).into_iter().map(of_thread).sum());
        elapsed.saturating_sub(self.waited)
    }

    /// Whether more than this has passed. Waits are looked up only if it has on the wall.
    pub(crate) fn exceeds(&mut self, limit: Duration) -> bool {
        self.started.elapsed() > limit && self.elapsed() > limit
    }
}

/// How long each thread has waited so far.
fn waits(threads: &Threads) -> HashMap<PathBuf, Duration> {
    let list = match threads {
        Threads::One(thread) => vec![thread.clone()],
        Threads::Of(process, asking) => {
            let mut list = Thread::all_of(*process);
            list.push(asking.clone());
            list
        }
    };
    list.into_iter().map(|thread| (thread.0.clone(), thread.waited())).collect()
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
