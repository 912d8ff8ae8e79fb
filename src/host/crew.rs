//! Threads that share the work of rayon: as many as the system gives.
//!
//! rayon makes all threads of a pool or none, and panics where its own common pool cannot be made. Here the threads are
//! started first, and the pool is made of those that there are.

use super::HAS_THREADS;
use rayon::{ThreadBuilder, ThreadPool, ThreadPoolBuilder};
use std::io;
use std::sync::mpsc::channel;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Stack of a thread that only fills tables, in bytes.
const SMALL_STACK: usize = 1 << 20;
/// Bytes to fill that are worth a thread of their own.
const BYTES_PER_THREAD: usize = 16 << 20;
/// Times that a thread is asked for, and the pause between them: threads that have just ended still count for a moment.
const TRIES: usize = 3;
const PAUSE: Duration = Duration::from_millis(5);

/// A pool of rayon whose threads have ended when it is dropped.
#[derive(Debug)]
pub struct Crew {
    /// Taken only by the drop.
    pool: Option<ThreadPool>,
    threads: Vec<JoinHandle<()>>,
}

impl Crew {
    /// A pool of `wanted` threads with stacks of so many bytes, or of as many as the system gives; `None` if it gives
    /// no thread at all.
    pub fn assemble(name: &str, wanted: usize, stack: usize) -> Option<Crew> {
        if !HAS_THREADS {
            return None;
        }
        let started = (0..wanted).map_while(|id| start(&format!("{name} {id}"), stack));
        let (threads, orders): (Vec<_>, Vec<_>) = started.unzip();
        if threads.is_empty() {
            return None;
        }
        let mut orders = orders.into_iter();
        let hand_out = |body: ThreadBuilder| {
            let order = orders.next().and_then(|order| order.send(body).ok());
            order.ok_or_else(|| io::ErrorKind::BrokenPipe.into())
        };
        let pool = ThreadPoolBuilder::new().num_threads(threads.len()).spawn_handler(hand_out).build().ok()?;
        Some(Crew { pool: Some(pool), threads })
    }

    /// The number of threads, 1 or more.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// The pool.
    pub fn pool(&self) -> &ThreadPool {
        self.pool.as_ref().expect("it is there until the drop")
    }

    /// Does work within the pool.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.pool().install(work)
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        drop(self.pool.take());
        for thread in self.threads.drain(..) {
            _ = thread.join();
        }
    }
}

/// Starts a thread that waits for what it is to run.
fn start(name: &str, stack: usize) -> Option<(JoinHandle<()>, std::sync::mpsc::Sender<ThreadBuilder>)> {
    for attempt in 0..TRIES {
        if attempt > 0 {
            thread::sleep(PAUSE);
        }
        let (sender, order) = channel::<ThreadBuilder>();
        let body = move || {
            if let Ok(body) = order.recv() {
                body.run();
            }
        };
        if let Ok(thread) = thread::Builder::new().name(name.into()).stack_size(stack).spawn(body) {
            return Some((thread, sender));
        }
    }
    None
}

/// Does work on `bytes` bytes that rayon may share: within the pool of the calling thread if it has one, else among
/// threads that live as long as the work does, one for each core at most. Where there are none the calling thread does
/// all of it.
pub fn share<R: Send>(bytes: usize, work: impl FnOnce() -> R + Send) -> R {
    if rayon::current_thread_index().is_some() {
        return work();
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let wanted = bytes.div_ceil(BYTES_PER_THREAD).clamp(1, cores);
    match Crew::assemble("tables", wanted, SMALL_STACK) {
        Some(crew) => crew.install(work),
        None => {
            if HAS_THREADS {
                // The calling thread becomes a pool of its own, for good: else rayon would ask for threads and panic.
                let alone = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
                std::mem::forget(alone);
            }
            work()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_crew_has_the_threads_that_were_asked_for_and_all_of_them_work() {
        let crew = Crew::assemble("crew", 3, SMALL_STACK).unwrap();
        assert_eq!(crew.threads(), 3);
        assert_eq!(crew.pool().current_num_threads(), 3);
        let names = crew.pool().broadcast(|_| thread::current().name().map(str::to_string));
        assert_eq!(names.into_iter().flatten().collect::<Vec<_>>(), ["crew 0", "crew 1", "crew 2"]);
    }

    #[test]
    fn stacks_that_the_system_has_no_memory_for_leave_fewer_threads_or_none() {
        // No machine has the address space for a thousand of these.
        let crew = Crew::assemble("huge", 1_000, 1 << 40);
        assert!(crew.is_none_or(|crew| crew.threads() < 1_000));
        assert!(Crew::assemble("impossible", 2, usize::MAX >> 1).is_none());
    }

    #[test]
    fn work_is_shared_also_within_a_pool_and_by_a_thread_alone() {
        let sum = || (0..1_000_u64).into_par_iter().sum::<u64>();
        assert_eq!(share(1 << 30, sum), 499_500);
        assert_eq!(share(0, || share(1, sum)), 499_500);
    }

    #[test]
    fn all_threads_have_ended_when_a_crew_is_dropped() {
        static ALIVE: AtomicUsize = AtomicUsize::new(0);
        struct Mark;
        impl Drop for Mark {
            fn drop(&mut self) {
                ALIVE.fetch_sub(1, Ordering::SeqCst);
            }
        }
        thread_local!(static MARK: Mark = {
            ALIVE.fetch_add(1, Ordering::SeqCst);
            Mark
        });
        let crew = Crew::assemble("crew", 4, SMALL_STACK).unwrap();
        crew.pool().broadcast(|_| MARK.with(|_| ()));
        assert_eq!(ALIVE.load(Ordering::SeqCst), 4);
        drop(crew);
        assert_eq!(ALIVE.load(Ordering::SeqCst), 0);
    }
}
