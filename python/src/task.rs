//! Work that may take long: on a thread of its own, without the interpreter's lock, ended by Ctrl-C.

use komainu::host::lock;
use komainu::mate::spawn_deep;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Interval at which it is looked whether a signal has come.
pub(crate) const SIGNAL_INTERVAL: Duration = Duration::from_millis(30);

/// Does work while other Python threads run. If a signal handler raises, `stop` is called, the end of the work is
/// waited for, and the exception goes on. A panic is a `RuntimeError`.
pub(crate) fn run<T: Send>(py: Python<'_>, stop: impl Fn(), work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let is_over = Mutex::new(false);
    let changed = Condvar::new();
    thread::scope(|scope| {
        let body = || {
            let result = catch_unwind(AssertUnwindSafe(work));
            *lock(&is_over) = true;
            changed.notify_all();
            result
        };
        let handle = spawn_deep(scope, "komainu", body)?;
        let mut raised = None;
        let wait = || {
            let over = lock(&is_over);
            *changed.wait_timeout_while(over, SIGNAL_INTERVAL, |over| !*over).unwrap_or_else(PoisonError::into_inner).0
        };
        while !py.detach(wait) {
            if raised.is_none()
                && let Err(error) = py.check_signals()
            {
                stop();
                raised = Some(error);
            }
        }
        let result = py.detach(|| handle.join()).and_then(|result| result);
        match raised {
            Some(error) => Err(error),
            None => result.map_err(|panic| PyRuntimeError::new_err(fault(&*panic))),
        }
    })
}

/// Words for a panic: a fault of this library.
fn fault(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    format!("a fault of komainu: {}", text.unwrap_or("no more is known"))
}
