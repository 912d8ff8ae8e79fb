//! The machine: its memory, its large pages, its cores.
//!
//! [`free_megabytes`] and [`total_megabytes`] bound tables, [`large_shared`] puts them into large pages, [`prefetch`]
//! fetches a cache line ahead of its use, [`cores`] is the number of threads that run at a time, [`CoreWaits`],
//! [`WaitGauge`] and [`core_wait`] tell for how long threads have waited for one, and [`refuse_large_files`] makes an
//! error of a signal.

mod memory;
mod signals;
mod waits;

pub use memory::{
    advise_large_pages, fitting_stacks, free_megabytes, large_shared, prefetch, return_large_blocks, total_megabytes,
};
pub use signals::refuse_large_files;
pub use waits::{CoreWaits, WaitGauge, core_wait};

/// Threads that run at a time on this machine, at least 1; 1 on a system of which nothing is known.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
