//! Breakdowns of a search, and the thread that answers for them.
//!
//! A panic of the caller's own function is the caller's: it ends the search and goes on in the caller's thread. A panic
//! of a worker must not take the answer with it: it becomes a word in the result.

use crate::search::signals::Signals;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

type Panic = Box<dyn Any + Send>;

/// Breakdown of one search.
#[derive(Default)]
pub(super) struct Breakdown {
    /// The first panic of a function of the caller's.
    callback: Mutex<Option<Panic>>,
    /// The first panic of a worker, with the name of its thread.
    inner: Mutex<Option<String>>,
}

impl Breakdown {
    /// Calls a function of the caller's; if it panics the search ends, and no such function is called any more.
    pub(super) fn call_back(&self, signals: &Signals, function: impl FnOnce()) {
        if lock(&self.callback).is_some() {
            return;
        }
        if let Err(panic) = catch_unwind(AssertUnwindSafe(function)) {
            lock(&self.callback).get_or_insert(panic);
            signals.end();
        }
    }

    /// Does a worker's work, whose panic is noted.
    pub(super) fn guard(&self, worker: usize, work: impl FnOnce()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            let text = message(&*panic);
            lock(&self.inner).get_or_insert_with(|| format!("thread {worker} of the search broke down: {text}"));
        }
    }

    /// Goes on with the caller's panic, if there was one; else tells what broke down inside.
    pub(super) fn settle(self) -> Option<String> {
        if let Some(panic) = into_inner(self.callback) {
            resume_unwind(panic);
        }
        into_inner(self.inner)
    }
}

/// The message of a panic, if it has one.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without a message")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No holder of the lock can panic half way through a change.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}
