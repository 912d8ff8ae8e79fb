//! The thread on which tables are allocated and freed, one job after the other.
//!
//! It is always the same thread: allocators keep freed memory with the thread that had allocated it, so tables allocated by
//! a new thread each time would leave as many of them behind as there have been threads.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::thread;

type Job = Box<dyn FnOnce() + Send>;

/// The handle of the thread, which runs jobs until this is dropped.
pub(super) struct TableThread(Sender<Job>);

impl TableThread {
    pub(super) fn start() -> io::Result<TableThread> {
        let (sender, jobs) = channel::<Job>();
        thread::Builder::new().name("tables".into()).spawn(move || {
            for job in jobs {
                // A job that breaks down must not take those after it with it.
                _ = catch_unwind(AssertUnwindSafe(job));
            }
        })?;
        Ok(TableThread(sender))
    }

    /// Runs this job when all that were submitted before have run.
    pub(super) fn submit(&self, job: impl FnOnce() + Send + 'static) {
        self.0.send(Box::new(job)).expect("the thread lives as long as its handle");
    }
}
