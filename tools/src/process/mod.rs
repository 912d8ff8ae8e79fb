//! Another program, spoken to in lines: started, written to, read, ended with everything that it has started.
//!
//! A thread reads the output and stamps each line as it arrives; on Unix whoever waits for a line can read it in its
//! place. Another one reads standard error to its end, because a program blocks when nobody reads it. The program and
//! its children form a process group (a job on Windows). On Linux and Windows the program ends with this one, however
//! this one ends, and though it ignores the end of its input.
//!
//! What the program says is not understood here; that is the affair of whoever speaks to it: the client of engines
//! (`client`), the checks and the replay of a log (`conformance`).

mod launch;
mod output;
mod pauses;
mod pipes;

use output::{OutputGuard, SharedOutput};
use pipes::{Input, Stderr};
use process_wrap::std::{ChildWrapper, CommandWrap};
use std::fs;
use std::io;
use std::process::{ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

pub use launch::Launch;
pub use pauses::PauseMonitor;
pub use pipes::{LineEnd, MAX_LINE_BYTES, OutputLine, read_lines};

/// Lines that wait to be read.
const MAX_WAITING: usize = 1_024;
/// Interval at which it is looked whether a process has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Why there is no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLine {
    Late,
    /// There will be none any more: the program has closed its output, most likely by ending.
    Closed,
}

/// A running program whose output is read as lines. It is killed when it is dropped.
pub struct Process {
    child: Box<dyn ChildWrapper>,
    input: Input,
    output: Output,
    stderr: Stderr,
}

/// Where the lines of a program go.
enum Output {
    /// They wait here to be asked for.
    Queued(Receiver<OutputLine>),
    /// A function is called with each of them.
    Handled(Arc<SharedOutput>),
    Closed,
}

impl std::fmt::Debug for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Process").finish_non_exhaustive()
    }
}

impl Process {
    /// Starts a program of which nothing is expected: its lines come as they are. When 1,024 of them wait to be read
    /// the program has to wait itself; what is sent to it waits in a queue, so that neither side can block the other.
    pub fn start(launch: &Launch) -> io::Result<Process> {
        Process::spawn(launch, Input::queued, |output| {
            let (sender, lines) = sync_channel(MAX_WAITING);
            start_reader(move || pipes::read_lines(output, |line| sender.send(line).is_ok()))?;
            Ok(Output::Queued(lines))
        })
    }

    /// Starts a program whose output is not read: the reading end is closed.
    pub fn start_unread(launch: &Launch) -> io::Result<Process> {
        Process::spawn(launch, Input::queued, |_| Ok(Output::Closed))
    }

    /// Starts a program that is trusted to read its input: what is sent is written at once, without a thread in
    /// between. `on_line` is called with each line as it arrives, by a thread or by whoever holds the output
    /// ([`Process::lock_output`]), and [`Process::line`] has none.
    pub fn start_with_handler(
        launch: &Launch,
        on_line: impl FnMut(OutputLine) + Send + 'static,
    ) -> io::Result<Process> {
        Process::spawn(launch, Input::direct, |output| {
            let shared = SharedOutput::new(output, Box::new(on_line))?;
            let read = Arc::clone(&shared);
            start_reader(move || read.read_to_end())?;
            Ok(Output::Handled(shared))
        })
    }

    fn spawn(
        launch: &Launch,
        input: fn(std::process::ChildStdin) -> io::Result<Input>,
        output: impl FnOnce(ChildStdout) -> io::Result<Output>,
    ) -> io::Result<Process> {
        let mut command: Command = launch.command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut wrapped = CommandWrap::from(command);
        #[cfg(unix)]
        wrapped.wrap(process_wrap::std::ProcessGroup::leader());
        #[cfg(windows)]
        wrapped.wrap(process_wrap::std::JobObject);
        let mut child = launch::spawn(wrapped, launch.cores())?;
        let pipes = (child.stdin().take(), child.stdout().take(), child.stderr().take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else { unreachable!("all three are pipes") };
        let ends = output(stdout).and_then(|output| Ok((output, input(stdin)?, Stderr::read(stderr)?)));
        match ends {
            Ok((output, input, stderr)) => Ok(Process { child, input, output, stderr }),
            Err(error) => {
                // Nobody could talk to it.
                _ = child.start_kill();
                _ = child.wait();
                Err(error)
            }
        }
    }

    /// Sends bytes in one piece, so that the program is not woken for half of it.
    ///
    /// An error means that the program reads no more. Where the bytes are queued it may come only with the next piece.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.input.send(bytes)
    }

    pub fn close_input(&mut self) {
        self.input = Input::Closed;
    }

    /// The next line; waits for it up to a moment, for ever without one.
    pub fn line(&self, deadline: Option<Instant>) -> Result<OutputLine, NoLine> {
        let Output::Queued(lines) = &self.output else { return Err(NoLine::Closed) };
        let Some(deadline) = deadline else { return lines.recv().map_err(|_| NoLine::Closed) };
        let left = deadline.saturating_duration_since(Instant::now());
        lines.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => NoLine::Late,
            RecvTimeoutError::Disconnected => NoLine::Closed,
        })
    }

    /// Gives the caller the sole right to read the output of a program whose lines go to a function. `None` where only
    /// the reading thread can read.
    pub(crate) fn lock_output(&self) -> Option<OutputGuard<'_>> {
        match &self.output {
            Output::Handled(output) => output.lock(),
            _ => None,
        }
    }

    /// Waits for the end of the process.
    pub fn exit_status(&mut self, timeout: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + timeout;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(POLL_INTERVAL),
                _ => return None,
            }
        }
    }

    /// Ends the program in good order: sends its last words, waits for the end while it is listened to, and kills what is
    /// left of it after this time.
    pub fn quit(&mut self, last_words: &[u8], timeout: Duration) {
        let deadline = Instant::now() + timeout;
        if self.send(last_words).is_ok() {
            self.close_input();
            // Whoever waits for a reader of its lines does not hear.
            while Instant::now() < deadline && self.line(Some(deadline)).is_ok() {}
            self.exit_status(deadline.saturating_duration_since(Instant::now()));
        }
        self.kill();
    }

    /// Waits until standard error is closed: the last words of a program that has ended may still be on their way. A
    /// child of its own that lives on can keep them open for ever.
    pub fn await_stderr(&self, timeout: Duration) {
        let deadline = Instant::now() + timeout;
        while !self.stderr.is_closed() && Instant::now() < deadline {
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// The beginning of what the program wrote to standard error, at most 4,096 bytes.
    pub fn stderr_head(&self) -> String {
        self.stderr.head()
    }

    /// The end of what the program wrote to standard error, at most 2,000 bytes.
    pub fn stderr_tail(&self) -> String {
        self.stderr.tail()
    }

    /// The number by which the system knows the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends the program and whatever it has started.
    pub fn kill(&mut self) {
        // What it has started may live on when it has ended by itself: the signal goes to the group.
        _ = self.child.start_kill();
        _ = self.child.wait();
    }
}

fn start_reader(read: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name("program output".into()).spawn(read).map(drop)
}

/// The number by which the system knows the present thread, where it tells (Linux).
pub fn own_thread() -> Option<u32> {
    let path = if cfg!(target_os = "linux") { fs::read_link("/proc/thread-self").ok()? } else { return None };
    path.file_name()?.to_str()?.parse().ok()
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(all(test, unix))]
mod tests;
