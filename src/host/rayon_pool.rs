//! A pool of rayon with as many threads as the system gives.
//!
//! rayon makes all threads of a pool or none, and panics where its global pool cannot be made. Here the threads are
//! started first, and the pool is made of those that have started.

use super::HAS_THREADS;
use rayon::{ThreadBuilder, ThreadPoolBuilder};
use std::io;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Stack of a thread that only fills tables, in bytes.
const SMALL_STACK: usize = 1 << 20;
/// Bytes to fill that are worth a thread of their own.
const BYTES_PER_THREAD: usize = 16 << 20;
/// Attempts to start a thread, and the pause between them: threads that have just ended still count for a moment.
const ATTEMPTS: usize = 3;
const PAUSE: Duration = Duration::from_millis(5);

/// A pool of rayon whose threads have ended when it is dropped.
#[derive(Debug)]
pub struct RayonPool {
    /// Taken only by the drop.
    pool: Option<rayon::ThreadPool>,
    threads: Vec<JoinHandle<()>>,
}

impl RayonPool {
    /// A pool of `wanted` threads with stacks of so many bytes, or of as many as the system gives; `None` if it gives
    /// no thread at all.
    pub fn new(name: &str, wanted: usize, stack: usize) -> Option<RayonPool> {
        if !HAS_THREADS {
            return None;
        }
        let mut threads = Vec::new();
        let mut senders = Vec::new();
        for id in 0..wanted {
            let Some((thread, sender)) = start(&format!("{name} {id}"), stack) else { break };
            threads.push(thread);
            senders.push(sender);
        }
        if threads.is_empty() {
            return None;
        }
        let mut senders = senders.into_iter();
        let give_body = |body: ThreadBuilder| match senders.next() {
            Some(sender) if sender.send(body).is_ok() => Ok(()),
            _ => Err(io::Error::from(io::ErrorKind::BrokenPipe)),
        };
        let pool = ThreadPoolBuilder::new().num_threads(threads.len()).spawn_handler(give_body).build().ok()?;
        Some(RayonPool { pool: Some(pool), threads })
    }

    /// The number of threads, 1 or more.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// The pool of rayon.
    pub fn rayon(&self) -> &rayon::ThreadPool {
        self.pool.as_ref().expect("it is there until the drop")
    }

    /// Runs work within the pool.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.rayon().install(work)
    }
}

impl Drop for RayonPool {
    fn drop(&mut self) {
        drop(self.pool.take());
        for thread in self.threads.drain(..) {
            _ = thread.join();
        }
    }
}

/// Starts a thread that waits for its body.
fn start(name: &str, stack: usize) -> Option<(JoinHandle<()>, Sender<ThreadBuilder>)> {
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            thread::sleep(PAUSE);
        }
        let (sender, receiver) = channel::<ThreadBuilder>();
        let run = move || {
            if let Ok(body) = receiver.recv() {
                body.run();
            }
        };
        if let Ok(thread) = thread::Builder::new().name(name.into()).stack_size(stack).spawn(run) {
            return Some((thread, sender));
        }
    }
    None
}

/// Runs work on `bytes` bytes that rayon may share: within the pool of the calling thread if it has one, else in a pool
/// for this work alone, with one thread for each core at most. Where there are no threads the calling one does it all.
pub fn with_thread_pool<R: Send>(bytes: usize, work: impl FnOnce() -> R + Send) -> R {
    if rayon::current_thread_index().is_some() {
        return work();
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let wanted = bytes.div_ceil(BYTES_PER_THREAD).clamp(1, cores);
    if let Some(pool) = RayonPool::new("tables", wanted, SMALL_STACK) {
        return pool.install(work);
    }
    if HAS_THREADS {
        // The calling thread becomes a pool of its own, for good: else rayon would ask for threads and panic.
        let alone = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
        std::mem::forget(alone);
    }
    work()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_pool_has_the_threads_that_were_asked_for_and_all_of_them_work() {
        let pool = RayonPool::new("pool", 3, SMALL_STACK).unwrap();
        assert_eq!(pool.threads(), 3);
        assert_eq!(pool.rayon().current_num_threads(), 3);
        let names = pool.rayon().broadcast(|_| thread::current().name().map(str::to_string));
        assert_eq!(names.into_iter().flatten().collect::<Vec<_>>(), ["pool 0", "pool 1", "pool 2"]);
    }

    #[test]
    fn stacks_that_the_system_has_no_memory_for_leave_fewer_threads_or_none() {
        // No machine has the address space for a thousand of these.
        let pool = RayonPool::new("huge", 1_000, 1 << 40);
        assert!(pool.is_none_or(|pool| pool.threads() < 1_000));
        assert!(RayonPool::new("impossible", 2, usize::MAX >> 1).is_none());
    }

    #[test]
    fn work_is_shared_also_within_a_pool_and_by_a_thread_alone() {
        let sum = || (0..1_000_u64).into_par_iter().sum::<u64>();
        assert_eq!(with_thread_pool(1 << 30, sum), 499_500);
        assert_eq!(with_thread_pool(0, || with_thread_pool(1, sum)), 499_500);
    }

    #[test]
    fn all_threads_have_ended_when_a_pool_is_dropped() {
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
        let pool = RayonPool::new("pool", 4, SMALL_STACK).unwrap();
        pool.rayon().broadcast(|_| MARK.with(|_| ()));
        assert_eq!(ALIVE.load(Ordering::SeqCst), 4);
        drop(pool);
        assert_eq!(ALIVE.load(Ordering::SeqCst), 0);
    }
}
