//! The machine: its memory, its large pages, its cores.
//!
//! [`free_megabytes`] and [`total_megabytes`] bound tables, [`large_shared`] puts them into large pages, [`prefetch`]
//! fetches a cache line ahead of its use, and [`cores`] is the number of threads that run at a time.

mod memory;

pub use memory::{advise_large_pages, free_megabytes, large_shared, prefetch, return_large_blocks, total_megabytes};

/// Threads that run at a time on this machine, at least 1; 1 on a system of which nothing is known.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
