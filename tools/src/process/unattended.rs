//! The output of a program, read by a thread alone: on Windows nobody can wait for a pipe up to a moment.

use super::NoLine;
use super::pipes::{OutputLine, read_lines};
use std::convert::Infallible;
use std::io;
use std::marker::PhantomData;
use std::process::ChildStdout;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Whoever hears the lines. It is dropped at their end.
type Hear = Box<dyn FnMut(OutputLine) + Send>;

/// The reading end of a program's output, until it is read.
pub(super) struct AttendedOutput(Mutex<Option<(ChildStdout, Hear)>>);

impl AttendedOutput {
    pub(super) fn new(output: ChildStdout, hear: Hear) -> io::Result<Arc<AttendedOutput>> {
        Ok(Arc::new(AttendedOutput(Mutex::new(Some((output, hear))))))
    }

    /// Reads to the end.
    pub(super) fn read_on(&self) {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((output, mut hear)) = taken {
            read_lines(output, |line| {
                hear(line);
                true
            });
        }
    }

    /// Nobody else can read.
    pub(super) fn attend(&self) -> Option<Attendance<'_>> {
        None
    }
}

/// The sole right to read an output, which nobody has.
pub(crate) struct Attendance<'a>(Infallible, PhantomData<&'a ()>);

impl Attendance<'_> {
    pub(crate) fn read(&mut self, _: Option<Instant>) -> Result<(), NoLine> {
        match self.0 {}
    }
}
