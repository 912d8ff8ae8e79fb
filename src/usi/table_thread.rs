//! The thread on which tables are allocated and freed and searches begin, one job after the other.
//!
//! It is there from the start, so that a search can begin however few threads the system gives later. It is always the
//! same thread: allocators keep freed memory with the thread that had allocated it, so tables allocated by a new thread
//! each time would leave as many of them behind as there have been threads.

use crate::host::{HAS_THREADS, spawn};
use crate::search::STACK_BYTES;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::thread;

type Job = Box<dyn FnOnce() + Send>;

/// The handle of the thread, which runs jobs until this is dropped. Where there are no threads there is no sender: jobs
/// are tasks of the host.
pub(super) struct TableThread(Option<Sender<Job>>);

impl TableThread {
    pub(super) fn start() -> io::Result<TableThread> {
        if !HAS_THREADS {
            return Ok(TableThread(None));
        }
        let (sender, jobs) = channel::<Job>();
        thread::Builder::new().name("tables".into()).stack_size(STACK_BYTES).spawn(move || {
            for job in jobs {
                // A job that breaks down must not take those after it with it.
                _ = catch_unwind(AssertUnwindSafe(job));
            }
        })?;
        Ok(TableThread(Some(sender)))
    }

    /// Runs this job when all that were submitted before have run.
    pub(super) fn submit(&self, job: impl FnOnce() + Send + 'static) {
        match &self.0 {
            Some(sender) => sender.send(Box::new(job)).expect("the thread lives as long as its handle"),
            None => spawn("tables", job).expect("a task can always be had"),
        }
    }
}
