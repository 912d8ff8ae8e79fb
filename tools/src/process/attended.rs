//! The output of a program, read by whoever waits for it, and by a thread while nobody does.
//!
//! A thread that is woken by another one, which was woken by the program, answers late: on some machines a wake-up
//! costs as much as all else between two moves. So the thread that waits reads. The other one keeps the program from
//! standing still before a full pipe.

use super::NoLine;
use super::pipes::{LineSplitter, OutputLine, PIECE_BYTES};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio, read};
use std::io;
use std::os::fd::OwnedFd;
use std::process::ChildStdout;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Time for which the thread leaves the output to those who have waited for a line: they will wait for the next one.
const LEFT_ALONE: Duration = Duration::from_millis(50);

/// Pieces that are read at most once the moment has come up to which one waits: twice what a pipe holds. A program that
/// never stops to write could else be listened to for ever.
const MAX_LATE_PIECES: usize = 16;

/// Whoever hears the lines. It is dropped at their end.
type Hear = Box<dyn FnMut(OutputLine) + Send>;

/// The reading end of a program's output.
pub(super) struct AttendedOutput {
    pipe: OwnedFd,
    reading: Mutex<Reading>,
}

struct Reading {
    splitter: LineSplitter,
    piece: Box<[u8; PIECE_BYTES]>,
    /// None once the output has ended.
    hear: Option<Hear>,
    /// When somebody last stopped waiting.
    left_at: Option<Instant>,
}

impl AttendedOutput {
    pub(super) fn new(output: ChildStdout, hear: Hear) -> io::Result<Arc<AttendedOutput>> {
        let pipe = OwnedFd::from(output);
        // Two may see that there is something to read; the slower one must not stand still over it.
        ioctl_fionbio(&pipe, true)?;
        let (splitter, piece) = (LineSplitter::default(), Box::new([0; PIECE_BYTES]));
        let reading = Reading { splitter, piece, hear: Some(hear), left_at: None };
        Ok(Arc::new(AttendedOutput { pipe, reading: Mutex::new(reading) }))
    }

    /// Reads to the end, but for what those read who wait.
    pub(super) fn read_on(&self) {
        loop {
            self.wait(None);
            let mut reading = self.lock();
            let is_left_alone = reading.left_at.is_some_and(|at| at.elapsed() < LEFT_ALONE);
            if is_left_alone {
                drop(reading);
                thread::sleep(LEFT_ALONE);
            } else if !reading.read(&self.pipe) {
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Reading> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on only the caller reads.
    pub(super) fn attend(&self) -> Option<Attendance<'_>> {
        Some(Attendance { output: self, reading: self.lock(), late_pieces: 0 })
    }

    /// Waits until there is something to read, or up to a moment. `false` if there is nothing then.
    fn wait(&self, deadline: Option<Instant>) -> bool {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let timeout = left.and_then(|left| Timespec::try_from(left).ok());
        // An interrupted wait counts as one that has seen something: whoever reads then finds nothing.
        !matches!(poll(&mut [PollFd::new(&self.pipe, PollFlags::IN)], timeout.as_ref()), Ok(0))
    }
}

impl Reading {
    /// Reads a piece, if there is one. `false` at the end of the output.
    fn read(&mut self, pipe: &OwnedFd) -> bool {
        let Some(hear) = &mut self.hear else { return false };
        let mut go_on = |line| {
            hear(line);
            true
        };
        match read(pipe, &mut self.piece[..]) {
            Ok(count @ 1..) => self.splitter.take(&self.piece[..count], &mut go_on),
            Err(Errno::AGAIN | Errno::INTR) => true,
            Ok(0) | Err(_) => {
                self.splitter.end(&mut go_on);
                self.hear = None;
                false
            }
        }
    }
}

/// The sole right to read an output.
pub(crate) struct Attendance<'a> {
    output: &'a AttendedOutput,
    reading: MutexGuard<'a, Reading>,
    /// Pieces that were read after the moment had come.
    late_pieces: usize,
}

impl Attendance<'_> {
    /// Reads the next piece, which may hold any number of lines, none among them; waits for it up to a moment, for ever
    /// without one.
    pub(crate) fn read(&mut self, deadline: Option<Instant>) -> Result<(), NoLine> {
        if self.reading.hear.is_none() {
            return Err(NoLine::Closed);
        }
        self.late_pieces += usize::from(deadline.is_some_and(|deadline| deadline <= Instant::now()));
        if self.late_pieces > MAX_LATE_PIECES || !self.output.wait(deadline) {
            return Err(NoLine::Late);
        }
        self.reading.read(&self.output.pipe);
        Ok(())
    }
}

impl Drop for Attendance<'_> {
    fn drop(&mut self) {
        self.reading.left_at = Some(Instant::now());
    }
}
