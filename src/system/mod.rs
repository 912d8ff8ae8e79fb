//! The machine: its memory, its large pages, its cores.
//!
//! [`free_megabytes`] and [`total_megabytes`] bound tables, [`large_shared`] puts them into large pages, [`prefetch`]
//! fetches a cache line ahead of its use, [`cores`] is the number of threads that run at a time, and [`CoreWaits`],
//! [`WaitGauge`] and [`core_wait`] say how long threads have waited for a core.

mod memory;
mod waits;

pub use memory::{
    advise_large_pages, fitting_stacks, free_megabytes, large_shared, prefetch, return_large_blocks, total_megabytes,
};
pub use waits::{CoreWaits, WaitGauge, core_wait};

/// Threads that run at a time on this machine, at least 1; 1 on a system of which nothing is known.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Makes a write beyond the limit of a file's size an error of that write. To be called when a program starts.
///
/// Without it the system ends the program with a signal (`SIGXFSZ`). Programs that are started later inherit it.
pub fn refuse_large_files() {
    #[cfg(unix)]
    // SAFETY: a signal that is ignored runs no code of the program.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    };
}
