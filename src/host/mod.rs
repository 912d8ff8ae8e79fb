//! The host: whoever runs the engine, and what the engine takes from it: the time, a seed, threads, files.
//!
//! Under an operating system that is the standard library. WebAssembly has none of the three: a web page or node gives
//! the time and a seed (`Host`), and what would be a thread is a task that runs in slices: a computation calls
//! [`give_way`] where it looks at its limits, and is suspended there when its slice is over.
//!
//! In WebAssembly `install` must be called before the first search with a clock or a time: without it such a search is
//! refused with `SearchError::NoClock`. Without the feature `suspend` a search runs to its end in one piece.

#[cfg(any(feature = "book", feature = "search"))]
mod crew;
mod files;
#[cfg(target_family = "wasm")]
mod instant;
#[cfg(all(target_family = "wasm", feature = "suspend"))]
mod slice;
#[cfg(all(target_family = "wasm", feature = "suspend"))]
mod suspend;
#[cfg(target_family = "wasm")]
mod tasks;
#[cfg(not(target_family = "wasm"))]
mod threads;

#[cfg(any(feature = "book", feature = "search"))]
pub use crew::{Crew, share};
pub use files::{open_file, open_regular, read_file, read_text};
#[cfg(target_family = "wasm")]
pub use instant::Instant;
#[cfg(all(target_family = "wasm", feature = "suspend"))]
pub use slice::run_slice;
#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;
#[cfg(target_family = "wasm")]
pub use tasks::{Host, begin_slice, give_way, has_clock, has_task, install, rest, run_tasks, seed, spawn};
#[cfg(not(target_family = "wasm"))]
pub use threads::{give_way, has_clock, seed, spawn};

/// True if the host has files.
pub const HAS_FILES: bool = cfg!(not(target_family = "wasm"));

/// True if the host has threads. Without them nothing may wait: work that is spawned runs in turns with its owner.
pub const HAS_THREADS: bool = cfg!(not(target_family = "wasm"));
