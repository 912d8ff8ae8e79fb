//! The engine as a process, down to its bytes.
//!
//! Unlike an engine of a match it is expected to misbehave: every pipe has a thread of its own, what waits to be read
//! is bounded, and the process ends with everything that it has started.

use process_wrap::std::{ChildWrapper, CommandWrap};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Lines that wait to be read. An engine that writes more has to wait itself.
const MAX_WAITING: usize = 1_024;
/// A longer line is cut. The longest known mate, written out, is an eighth of it.
const MAX_BYTES: u64 = 1 << 16;
/// What is kept of standard error, in bytes.
const MAX_STDERR_BYTES: usize = 4_096;

/// How an engine is started.
#[derive(Clone)]
pub(super) struct Launch {
    words: Vec<String>,
    folder: Option<PathBuf>,
}

impl Launch {
    /// Reads a command as a shell would; a path with blanks in it may stand alone. Files are meant from where the user
    /// stands, whatever folder the engine is started in.
    pub(super) fn new(command: &str, folder: Option<&Path>) -> Option<Launch> {
        let words = match Path::new(command).is_file() {
            true => vec![command.to_string()],
            false => shlex::split(command).filter(|words| !words.is_empty())?,
        };
        let absolute = |(place, word): (usize, String)| {
            let path = Path::new(&word);
            let is_named = place > 0 || path.components().count() > 1 || path.is_absolute();
            let found = is_named.then(|| path.is_file().then(|| std::path::absolute(path).ok())).flatten().flatten();
            found.and_then(|path| path.into_os_string().into_string().ok()).unwrap_or(word)
        };
        let words = words.into_iter().enumerate().map(absolute).collect();
        Some(Launch { words, folder: folder.map(Path::to_path_buf) })
    }

    /// The program, if it was given as a path.
    pub(super) fn program(&self) -> Option<&Path> {
        let path = Path::new(&self.words[0]);
        (self.words.len() == 1 && path.is_file()).then_some(path)
    }

    /// The same engine in another folder.
    pub(super) fn in_folder(&self, folder: &Path) -> Launch {
        Launch { words: self.words.clone(), folder: Some(folder.to_path_buf()) }
    }

    /// Another program in the same folder.
    pub(super) fn with_program(&self, program: &Path) -> Launch {
        Launch { words: vec![program.to_string_lossy().into_owned()], folder: self.folder.clone() }
    }
}

/// A line of the engine.
pub(super) struct OutputLine {
    /// When its end arrived.
    pub(super) at: Instant,
    /// Without its LF.
    pub(super) text: String,
    pub(super) end: LineEnd,
}

/// How a line ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEnd {
    /// With LF.
    Whole,
    /// With the end of the output.
    Broken,
    /// It did not end within the longest line that is kept.
    Cut,
}

/// What came of waiting for a line.
pub(super) enum Received {
    Line(OutputLine),
    /// Nothing in time.
    Late,
    /// The engine has closed its output.
    Closed,
}

/// A running engine, killed when it is dropped.
pub(super) struct Engine {
    process: Box<dyn ChildWrapper>,
    input: Option<Sender<Vec<u8>>>,
    lines: Receiver<OutputLine>,
    stderr: Arc<Mutex<Vec<u8>>>,
}

impl Engine {
    /// Starts an engine.
    pub(super) fn start(launch: &Launch) -> io::Result<Engine> {
        Engine::spawn(launch, |output, sender| {
            thread::spawn(move || read_lines(output, &sender));
        })
    }

    /// Starts an engine whose output is not read: the reading end is closed.
    pub(super) fn start_unread(launch: &Launch) -> io::Result<Engine> {
        Engine::spawn(launch, |output, _| drop(output))
    }

    fn spawn(launch: &Launch, collect: impl FnOnce(ChildStdout, SyncSender<OutputLine>)) -> io::Result<Engine> {
        let mut command = Command::new(&launch.words[0]);
        command.args(&launch.words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = &launch.folder {
            command.current_dir(folder);
        }
        let mut wrapped = CommandWrap::from(command);
        #[cfg(unix)]
        wrapped.wrap(process_wrap::std::ProcessGroup::leader());
        #[cfg(windows)]
        wrapped.wrap(process_wrap::std::JobObject);
        let mut process = wrapped.spawn()?;
        let (line_sender, lines) = sync_channel(MAX_WAITING);
        let (input, to_write) = channel();
        let stderr = Arc::new(Mutex::new(Vec::new()));
        if let Some(output) = process.stdout().take() {
            collect(output, line_sender);
        }
        if let Some(errors) = process.stderr().take() {
            let kept = Arc::clone(&stderr);
            thread::spawn(move || keep_stderr(errors, &kept));
        }
        if let Some(stdin) = process.stdin().take() {
            thread::spawn(move || write_all(stdin, &to_write));
        }
        Ok(Engine { process, input: Some(input), lines, stderr })
    }

    /// Sends bytes in one piece. If the engine reads no more they are lost; its silence will tell.
    pub(super) fn send(&self, bytes: &[u8]) {
        if let Some(input) = &self.input {
            _ = input.send(bytes.to_vec());
        }
    }

    /// Closes the engine's input.
    pub(super) fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for the next line, not longer than until this moment.
    pub(super) fn receive(&self, until: Instant) -> Received {
        match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(line) => Received::Line(line),
            Err(RecvTimeoutError::Timeout) => Received::Late,
            Err(RecvTimeoutError::Disconnected) => Received::Closed,
        }
    }

    /// Waits for the end of the process.
    pub(super) fn exit_status(&mut self, timeout: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + timeout;
        loop {
            match self.process.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(3)),
                _ => return None,
            }
        }
    }

    /// The beginning of what the engine wrote to standard error.
    pub(super) fn stderr(&self) -> String {
        let kept = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&kept).trim().to_string()
    }

    /// The number by which the system knows the process.
    pub(super) fn id(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It may have ended by itself, and what it has started may live on: the signal goes to all of them.
        _ = self.process.start_kill();
        _ = self.process.wait();
    }
}

/// Stamps each line and hands it on until nobody wants it.
fn read_lines(output: ChildStdout, sender: &SyncSender<OutputLine>) {
    let mut output = BufReader::new(output);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match output.by_ref().take(MAX_BYTES).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let at = Instant::now();
        let end = match bytes.pop_if(|last| *last == b'\n') {
            Some(_) => LineEnd::Whole,
            None if bytes.len() as u64 == MAX_BYTES => LineEnd::Cut,
            None => LineEnd::Broken,
        };
        let line = OutputLine { at, text: String::from_utf8_lossy(&bytes).into_owned(), end };
        if sender.send(line).is_err() || (end == LineEnd::Cut && output.skip_until(b'\n').is_err()) {
            return;
        }
    }
}

/// Reads all, so that the engine is never held up, and keeps the beginning.
fn keep_stderr(mut errors: ChildStderr, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 4_096];
    while let Ok(count @ 1..) = errors.read(&mut buffer) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let room = MAX_STDERR_BYTES.saturating_sub(kept.len());
        kept.extend(&buffer[..count.min(room)]);
    }
}

fn write_all(mut input: ChildStdin, pieces: &Receiver<Vec<u8>>) {
    for piece in pieces {
        if input.write_all(&piece).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}
