//! The output of a program whose lines go to a function as they arrive.
//!
//! A thread that is woken by another one, which was woken by the program, answers late: on some machines a wake-up
//! costs as much as all else between two moves. So on Unix the thread that waits for a line reads the pipe itself; the
//! reading thread only keeps the program from blocking before a full pipe while nobody waits. On Windows nobody can
//! wait for a pipe up to a moment, and the reading thread alone reads.

use super::pipes::OutputLine;

/// What is called with each line. It is dropped at the end of the output.
pub(crate) type LineHandler = Box<dyn FnMut(OutputLine) + Send>;

#[cfg(unix)]
mod unix {
    use super::super::NoLine;
    use super::super::pipes::{LineSplitter, PIECE_BYTES};
    use super::LineHandler;
    use komainu::host::lock;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::{Errno, ioctl_fionbio, read};
    use std::io;
    use std::os::fd::OwnedFd;
    use std::process::ChildStdout;
    use std::sync::{Arc, Mutex, MutexGuard};
    use std::thread;
    use std::time::{Duration, Instant};

    /// Time for which the reading thread leaves the output to those who have waited for a line: they will wait for the
    /// next one.
    const LEFT_ALONE: Duration = Duration::from_millis(50);

    /// Pieces that are read at most once the deadline has passed: twice what a pipe holds. A program that never stops
    /// writing would otherwise be read for ever.
    const MAX_LATE_PIECES: usize = 16;

    /// The reading end of a program's output, shared by the reading thread and whoever waits for a line.
    pub(crate) struct SharedOutput {
        pipe: OwnedFd,
        state: Mutex<State>,
    }

    struct State {
        splitter: LineSplitter,
        piece: Box<[u8; PIECE_BYTES]>,
        /// `None` once the output has ended.
        on_line: Option<LineHandler>,
        /// When somebody last stopped waiting.
        left_at: Option<Instant>,
    }

    impl SharedOutput {
        pub(crate) fn new(output: ChildStdout, on_line: LineHandler) -> io::Result<Arc<SharedOutput>> {
            let pipe = OwnedFd::from(output);
            // Two may see that there is something to read; the slower one must not block on it.
            ioctl_fionbio(&pipe, true)?;
            let state = State {
                splitter: LineSplitter::default(),
                piece: Box::new([0; PIECE_BYTES]),
                on_line: Some(on_line),
                left_at: None,
            };
            Ok(Arc::new(SharedOutput { pipe, state: Mutex::new(state) }))
        }

        /// Reads to the end, except for what those read who wait for a line.
        pub(crate) fn read_to_end(&self) {
            loop {
                self.wait(None);
                let mut state = lock(&self.state);
                if state.left_at.is_some_and(|at| at.elapsed() < LEFT_ALONE) {
                    drop(state);
                    thread::sleep(LEFT_ALONE);
                } else if !state.read(&self.pipe) {
                    return;
                }
            }
        }

        /// From now on only the caller reads, until the guard is dropped.
        pub(crate) fn lock(&self) -> Option<OutputGuard<'_>> {
            Some(OutputGuard { output: self, state: lock(&self.state), late_pieces: 0 })
        }

        /// Waits until there is something to read, or up to a deadline. `false` if there is nothing then.
        fn wait(&self, deadline: Option<Instant>) -> bool {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let timeout = left.and_then(|left| Timespec::try_from(left).ok());
            // An interrupted wait counts as one that has seen something: whoever reads then finds nothing.
            !matches!(poll(&mut [PollFd::new(&self.pipe, PollFlags::IN)], timeout.as_ref()), Ok(0))
        }
    }

    impl State {
        /// Reads a piece, if there is one. `false` at the end of the output.
        fn read(&mut self, pipe: &OwnedFd) -> bool {
            let Some(on_line) = &mut self.on_line else { return false };
            let mut hand_on = |line| {
                on_line(line);
                true
            };
            match read(pipe, &mut self.piece[..]) {
                Ok(count @ 1..) => self.splitter.take(&self.piece[..count], &mut hand_on),
                Err(Errno::AGAIN | Errno::INTR) => true,
                Ok(0) | Err(_) => {
                    self.splitter.end(&mut hand_on);
                    self.on_line = None;
                    false
                }
            }
        }
    }

    /// The sole right to read an output.
    pub(crate) struct OutputGuard<'a> {
        output: &'a SharedOutput,
        state: MutexGuard<'a, State>,
        /// Pieces that were read after the deadline.
        late_pieces: usize,
    }

    impl OutputGuard<'_> {
        /// Reads the next piece, which may hold any number of lines, even none; waits for it up to a deadline, for ever
        /// without one.
        pub(crate) fn read(&mut self, deadline: Option<Instant>) -> Result<(), NoLine> {
            if self.state.on_line.is_none() {
                return Err(NoLine::Closed);
            }
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                self.late_pieces += 1;
            }
            if self.late_pieces > MAX_LATE_PIECES || !self.output.wait(deadline) {
                return Err(NoLine::Late);
            }
            self.state.read(&self.output.pipe);
            Ok(())
        }
    }

    impl Drop for OutputGuard<'_> {
        fn drop(&mut self) {
            self.state.left_at = Some(Instant::now());
        }
    }
}

#[cfg(not(unix))]
mod other {
    use super::super::NoLine;
    use super::super::pipes::read_lines;
    use super::LineHandler;
    use komainu::host::lock;
    use std::convert::Infallible;
    use std::io;
    use std::marker::PhantomData;
    use std::process::ChildStdout;
    use std::sync::{Arc, Mutex};
    use std::time::Instant;

    /// The reading end of a program's output, until the reading thread takes it.
    pub(crate) struct SharedOutput(Mutex<Option<(ChildStdout, LineHandler)>>);

    impl SharedOutput {
        pub(crate) fn new(output: ChildStdout, on_line: LineHandler) -> io::Result<Arc<SharedOutput>> {
            Ok(Arc::new(SharedOutput(Mutex::new(Some((output, on_line))))))
        }

        pub(crate) fn read_to_end(&self) {
            let taken = lock(&self.0).take();
            if let Some((output, mut on_line)) = taken {
                read_lines(output, |line| {
                    on_line(line);
                    true
                });
            }
        }

        /// Nobody but the reading thread can read.
        pub(crate) fn lock(&self) -> Option<OutputGuard<'_>> {
            None
        }
    }

    /// The sole right to read an output, which nobody has here.
    pub(crate) struct OutputGuard<'a>(Infallible, PhantomData<&'a ()>);

    impl OutputGuard<'_> {
        pub(crate) fn read(&mut self, _: Option<Instant>) -> Result<(), NoLine> {
            match self.0 {}
        }
    }
}

#[cfg(not(unix))]
pub(crate) use other::{OutputGuard, SharedOutput};
#[cfg(unix)]
pub(crate) use unix::{OutputGuard, SharedOutput};
