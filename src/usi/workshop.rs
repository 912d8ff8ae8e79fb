//! The thread on which tables are made and given back, one job after the other.
//!
//! It is always the same thread: allocators keep what was given back with the thread that had asked for it, so tables
//! made by a new thread each time would leave as many of them behind as there have been threads.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::thread;

type Job = Box<dyn FnOnce() + Send>;

/// A thread that does jobs until this is dropped.
pub(super) struct Workshop(Sender<Job>);

impl Workshop {
    pub(super) fn open() -> io::Result<Workshop> {
        let (sender, jobs) = channel::<Job>();
        thread::Builder::new().name("tables".into()).spawn(move || {
            for job in jobs {
                // A job that breaks down must not take those after it with it.
                _ = catch_unwind(AssertUnwindSafe(job));
            }
        })?;
        Ok(Workshop(sender))
    }

    /// Does this when what was handed in before is done.
    pub(super) fn hand_in(&self, job: impl FnOnce() + Send + 'static) {
        self.0.send(Box::new(job)).expect("the thread lives as long as the workshop");
    }
}
