//! The host: whoever runs the engine, and what the engine takes from it: the time, a seed, threads, files.
//!
//! Under an operating system that is the standard library. WebAssembly has none of them: a web page or node gives the
//! time and a seed (`Host`), and what would be a thread is a task that runs in slices: a computation calls [`give_way`]
//! where it looks at its limits, and is suspended there when its slice is over.
//!
//! In WebAssembly `install` must be called before the first search with a clock or a time: without it such a search is
//! refused with `SearchError::NoClock`. Without the feature `suspend` a search runs to its end in one piece.

mod files;
#[cfg(any(feature = "book", feature = "search"))]
mod rayon_pool;
#[cfg(all(target_family = "wasm", feature = "suspend"))]
mod suspend;
#[cfg(target_family = "wasm")]
mod wasm;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use files::{STDIN, in_file, open_file, open_regular, read_file, read_input, read_input_text, read_text};
#[cfg(not(target_family = "wasm"))]
pub use native::{Instant, give_way, has_clock, seed, spawn};
#[cfg(any(feature = "book", feature = "search"))]
pub use rayon_pool::{RayonPool, with_thread_pool};
#[cfg(all(target_family = "wasm", feature = "suspend"))]
pub use wasm::run_slice;
#[cfg(target_family = "wasm")]
pub use wasm::{Host, Instant, begin_slice, give_way, has_clock, has_task, install, rest, run_tasks, seed, spawn};

/// Locks a mutex, also one whose holder has panicked: what is behind the locks of this workspace is whole at any time.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// True if the host has files.
pub const HAS_FILES: bool = cfg!(not(target_family = "wasm"));

/// True if the host has threads. Without them nothing may wait: work that is spawned runs in turns with its owner.
pub const HAS_THREADS: bool = cfg!(not(target_family = "wasm"));

/// The host as the standard library knows it.
#[cfg(not(target_family = "wasm"))]
mod native {
    pub use std::time::Instant;
    use std::time::SystemTime;
    use std::{io, process, thread};

    /// True once there is a clock.
    pub fn has_clock() -> bool {
        true
    }

    /// A number that two games, and two engines that start at the same moment, do not share.
    pub fn seed() -> u64 {
        let now = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos() as u64);
        now ^ u64::from(process::id()) << 40
    }

    /// Runs this on a thread of its own with this name. An error means that the system has no thread to give.
    pub fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
        thread::Builder::new().name(name.into()).spawn(body).map(drop)
    }

    /// Lets others run, where there is one thread for all: here the system sees to that.
    #[inline(always)]
    pub fn give_way() {}
}
