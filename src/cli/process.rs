//! An engine as a child process that is spoken to in lines.
//!
//! Every pipe has a thread of its own, so that neither side can block the other by not reading.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TrySendError, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// A running engine. It is killed when this is dropped.
pub(crate) struct Process {
    child: Child,
    input: Option<Sender<Vec<u8>>>,
    lines: Receiver<String>,
    stderr: Receiver<String>,
}

/// What came of waiting for a line.
pub(crate) enum Received {
    /// A line without its LF.
    Line(String),
    /// Nothing in time.
    Timeout,
    /// The engine has closed its output.
    Closed,
}

/// The longest line that is kept; what goes beyond is read and dropped.
const MAX_BYTES: u64 = 1 << 20;

/// The most lines of standard error that are kept.
const MAX_STDERR_LINES: usize = 100;

impl Process {
    /// Starts a program.
    pub(crate) fn start(program: &OsStr, arguments: &[String]) -> std::io::Result<Process> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (line_sender, lines) = channel();
        let (stderr_sender, stderr) = sync_channel(MAX_STDERR_LINES);
        let (input, input_receiver) = channel();
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || read_lines(output, |line| line_sender.send(line).is_ok()));
        }
        if let Some(errors) = child.stderr.take() {
            // Those that find no room are dropped, but read: an engine must be able to write them.
            let keep = move |line| !matches!(stderr_sender.try_send(line), Err(TrySendError::Disconnected(_)));
            thread::spawn(move || read_lines(errors, keep));
        }
        if let Some(stdin) = child.stdin.take() {
            thread::spawn(move || write_all(stdin, &input_receiver));
        }
        Ok(Process { child, input: Some(input), lines, stderr })
    }

    /// Sends a line. If the engine reads no more it is lost; the end of its output will tell.
    pub(crate) fn send(&self, line: &[u8]) {
        if let Some(input) = &self.input {
            _ = input.send([line, b"\n"].concat());
        }
    }

    /// Closes the engine's input.
    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for the next line, not longer than until this moment.
    pub(crate) fn receive(&self, until: Instant) -> Received {
        match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(line) => Received::Line(line),
            Err(RecvTimeoutError::Timeout) => Received::Timeout,
            Err(RecvTimeoutError::Disconnected) => Received::Closed,
        }
    }

    /// Waits for the end of the process.
    pub(crate) fn exit_status(&mut self, until: Instant) -> Option<ExitStatus> {
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(5)),
                _ => return None,
            }
        }
    }

    /// The next line that the engine wrote to standard error.
    pub(crate) fn stderr_line(&self) -> Option<String> {
        self.stderr.recv_timeout(Duration::from_millis(50)).ok()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself: then there is nothing to do.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Hands on each line until nobody takes it.
fn read_lines(pipe: impl Read, mut take: impl FnMut(String) -> bool) {
    let mut pipe = BufReader::new(pipe);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match pipe.by_ref().take(MAX_BYTES).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let is_whole = bytes.pop_if(|last| *last == b'\n').is_some();
        if !take(String::from_utf8_lossy(&bytes).into_owned()) {
            return;
        }
        if !is_whole && pipe.skip_until(b'\n').is_err() {
            return;
        }
    }
}

fn write_all(mut pipe: impl Write, receiver: &Receiver<Vec<u8>>) {
    for bytes in receiver {
        if pipe.write_all(&bytes).and_then(|()| pipe.flush()).is_err() {
            return;
        }
    }
}
