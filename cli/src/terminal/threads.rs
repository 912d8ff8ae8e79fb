//! Threads of a tool: as many as the system gives.

use super::{Failure, complain};
use komainu::host::RayonPool;
use komainu::search::ThreadPoolBuilder;
use komainu::system::free_megabytes;
use std::io;
use std::thread;

/// Stack of a worker that shares its work through rayon.
const STACK: usize = 2 << 20;

/// A pool of the threads that `--threads` names, or of fewer with a word on it; `each` is the number of threads that
/// one of them comes to while it works.
pub(crate) fn worker_pool(threads: u32, each: usize) -> Result<RayonPool, Failure> {
    let mut wanted = threads.max(1) as usize;
    if each > 1 {
        // What a worker starts later must not be what the system has no room for.
        let room = RayonPool::new("room", wanted * each, STACK).map_or(0, |pool| pool.threads());
        wanted = (room / each).clamp(1, wanted);
    }
    let Some(pool) = RayonPool::new("worker", wanted, STACK) else {
        return Err(Failure::Usage(format!("--threads {threads}: the system gives no thread")));
    };
    say_fewer(threads as usize, pool.threads());
    Ok(pool)
}

/// Checks that there is memory for a search.
pub(crate) fn check_memory_of_search() -> Result<(), Failure> {
    let least = ThreadPoolBuilder::LEAST_BYTES.div_ceil(1 << 20);
    let free = free_megabytes();
    if free < least {
        return Err(Failure::Usage(format!("a search needs {least} MB of memory, {free} MB are free")));
    }
    Ok(())
}

/// Says that there are fewer threads than were asked for, if that is so.
pub(crate) fn say_fewer(asked: usize, there: usize) {
    if there < asked {
        complain(format_args!("the system gives {there} of {asked} threads"));
    }
}

/// Starts up to `wanted` threads of a scope with `start`: fewer if the system gives no more, with a word on it. An
/// error means that it gives none.
pub(crate) fn start_workers<'scope>(
    wanted: usize,
    mut start: impl FnMut(usize, thread::Builder) -> io::Result<thread::ScopedJoinHandle<'scope, ()>>,
) -> Result<(), Failure> {
    for id in 0..wanted {
        let builder = thread::Builder::new().name(format!("worker {id}")).stack_size(komainu::search::STACK_BYTES);
        if let Err(error) = start(id, builder) {
            if id == 0 {
                return Err(Failure::Usage(format!("no thread: {error}")));
            }
            say_fewer(wanted, id);
            break;
        }
    }
    Ok(())
}
