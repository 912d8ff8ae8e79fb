//! An engine as a process: started, spoken to, watched, ended.
//!
//! A thread reads the engine's output, stamps each line as it arrives and keeps only the last `info` line with a score,
//! so that a flood of them costs no memory and nobody has to keep up with it. A second thread keeps the end of what
//! the engine writes to standard error, because an engine blocks when nobody reads it. The engine and whatever it
//! starts form a process group (a job on Windows): all of it ends together.

use super::answer::{Thought, thought};
use super::plan::EnginePlan;
use process_wrap::std::{ChildWrapper, CommandWrap};
use std::collections::{HashSet, VecDeque};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use thiserror::Error;

/// How long an engine may take for `usiok`. Some read their evaluation before it.
const USI_TIMEOUT: Duration = Duration::from_secs(30);
/// How long it may say nothing before `readyok`. Lines in between begin the time anew.
const READY_TIMEOUT: Duration = Duration::from_secs(60);
/// How long it may take to end after `quit`.
const QUIT_TIMEOUT: Duration = Duration::from_secs(3);
/// How long the last lines of an engine that has ended are waited for.
const LAST_OUTPUT_TIMEOUT: Duration = Duration::from_millis(500);
/// Lines that wait to be read; more are thrown away. An engine that writes so many that are not `info` is out of order.
const MAX_WAITING: usize = 1_024;
/// A longer line is cut.
const MAX_LINE: u64 = 1 << 20;
/// What is kept of standard error, in bytes.
const MAX_STDERR_BYTES: usize = 2_000;

/// Why an engine cannot go on.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The command cannot be read or run.
    #[error("cannot start \"{0}\": {1}")]
    Start(String, #[source] io::Error),
    /// The process has ended: how, and the end of what it wrote to standard error.
    #[error("ended by itself: {0}")]
    Ended(String),
    /// It has not said this word in time.
    #[error("no {} within {} s", .0, .1.as_secs())]
    Silent(&'static str, Duration),
}

/// A line of an engine.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputLine {
    /// When it arrived.
    pub at: Instant,
    /// The line without its end and without blanks around it.
    pub text: String,
    /// If it is `bestmove`: what the engine thought last, by its `info` lines since the `bestmove` before.
    pub thought: Option<Thought>,
}

/// Why there is no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLine {
    /// Not in time.
    Late,
    /// There will be none any more: the engine has closed its output, most likely by ending.
    Closed,
}

/// A running engine. It is killed when it is dropped.
pub struct Engine {
    process: Box<dyn ChildWrapper>,
    input: Option<ChildStdin>,
    lines: Receiver<OutputLine>,
    stderr: Arc<Mutex<VecDeque<u8>>>,
    /// Fills `stderr` until nobody can write any more.
    stderr_thread: JoinHandle<()>,
    /// What it calls itself.
    id_name: Option<String>,
    /// Names of the options that it has listed, in small letters.
    options: HashSet<String>,
}

impl Engine {
    /// Starts the engine, waits for `usiok` and sends its options, before them those of `common` that it lists and the
    /// plan does not set. Options of the plan that it has not listed come back as well.
    pub fn start(plan: &EnginePlan, common: &[(&str, String)]) -> Result<(Engine, Vec<String>), EngineError> {
        let mut engine = Engine::spawn(&plan.command, plan.folder.as_deref())?;
        engine.handshake()?;
        let is_planned = |name: &str| plan.options.keys().any(|key| key.eq_ignore_ascii_case(name));
        for (name, value) in common {
            if engine.lists(name) && !is_planned(name) {
                engine.set_option(name, value)?;
            }
        }
        for (name, value) in &plan.options {
            engine.set_option(name, value)?;
        }
        let unknown = plan.options.keys().filter(|name| !engine.lists(name)).cloned().collect();
        Ok((engine, unknown))
    }

    /// Whether it has an option. Two are reserved: engines take them without listing them.
    fn lists(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        name == "usi_hash" || name == "usi_ponder" || self.options.contains(&name)
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), EngineError> {
        match value {
            "" => self.send(&format!("setoption name {name}")),
            value => self.send(&format!("setoption name {name} value {value}")),
        }
    }

    /// Starts a command, as a shell would read it, in a folder, and sends nothing.
    pub fn spawn(command: &str, folder: Option<&Path>) -> Result<Engine, EngineError> {
        let fail = |error| EngineError::Start(command.to_string(), error);
        let words = shlex::split(command).filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| fail(io::Error::new(io::ErrorKind::InvalidInput, "not a command")))?;
        let mut prepared = Command::new(program(&words[0], folder));
        prepared.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = folder {
            prepared.current_dir(folder);
        }
        let mut wrapped = CommandWrap::from(prepared);
        #[cfg(unix)]
        wrapped.wrap(process_wrap::std::ProcessGroup::leader());
        #[cfg(windows)]
        wrapped.wrap(process_wrap::std::JobObject);
        let mut process = wrapped.spawn().map_err(fail)?;
        let (input, output, errors) = (process.stdin().take(), process.stdout().take(), process.stderr().take());
        let (sender, lines) = sync_channel(MAX_WAITING);
        let stderr = Arc::new(Mutex::new(VecDeque::new()));
        let kept = Arc::clone(&stderr);
        let reader = thread::Builder::new().name("engine output".into());
        reader.spawn(move || output.into_iter().for_each(|output| read_lines(output, &sender))).map_err(fail)?;
        let reader = thread::Builder::new().name("engine errors".into());
        let keep = move || errors.into_iter().for_each(|errors| keep_stderr(errors, &kept));
        let stderr_thread = reader.spawn(keep).map_err(fail)?;
        Ok(Engine { process, input, lines, stderr, stderr_thread, id_name: None, options: HashSet::new() })
    }

    fn handshake(&mut self) -> Result<(), EngineError> {
        self.send("usi")?;
        let deadline = Instant::now() + USI_TIMEOUT;
        loop {
            let line = self.line_before("usiok", deadline, USI_TIMEOUT)?;
            let mut words = line.text.split_ascii_whitespace();
            match (words.next(), words.next()) {
                (Some("usiok"), None) => return Ok(()),
                (Some("id"), Some("name")) => self.id_name = Some(words.collect::<Vec<_>>().join(" ")),
                (Some("option"), Some("name")) => {
                    let name: Vec<&str> = words.take_while(|&word| word != "type").collect();
                    self.options.insert(name.join(" ").to_ascii_lowercase());
                }
                _ => {}
            }
        }
    }

    /// What it calls itself, once it has said so.
    pub fn id_name(&self) -> Option<&str> {
        self.id_name.as_deref()
    }

    /// Prepares it for a game.
    pub fn new_game(&mut self) -> Result<(), EngineError> {
        // What is left over from the last game is not wanted any more.
        while self.lines.try_recv().is_ok() {}
        self.send("isready")?;
        while self.line_before("readyok", Instant::now() + READY_TIMEOUT, READY_TIMEOUT)?.text != "readyok" {}
        self.send("usinewgame")
    }

    /// Sends one line, or several with line ends between them.
    pub fn send(&mut self, text: &str) -> Result<(), EngineError> {
        let Some(input) = self.input.as_mut() else { return Err(self.ended()) };
        // In one piece, so that the engine is not woken for half of it.
        let sent = input.write_all(format!("{text}\n").as_bytes()).and_then(|()| input.flush());
        sent.map_err(|_| self.ended())
    }

    /// The next line that is not `info`.
    pub fn line(&self, deadline: Option<Instant>) -> Result<OutputLine, NoLine> {
        let Some(deadline) = deadline else { return self.lines.recv().map_err(|_| NoLine::Closed) };
        let left = deadline.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => NoLine::Late,
            RecvTimeoutError::Disconnected => NoLine::Closed,
        })
    }

    fn line_before(
        &mut self,
        word: &'static str,
        deadline: Instant,
        timeout: Duration,
    ) -> Result<OutputLine, EngineError> {
        self.line(Some(deadline)).map_err(|error| match error {
            NoLine::Late => EngineError::Silent(word, timeout),
            NoLine::Closed => self.ended(),
        })
    }

    /// How it ended; waits a moment for the process to be gone, and kills it if it is not.
    pub fn ended(&mut self) -> EngineError {
        self.input = None;
        let how = match self.wait(Duration::from_millis(500)) {
            Some(status) => status,
            None => {
                self.kill();
                "it has closed its output".to_string()
            }
        };
        // Its last words may still be on their way; a child of its own that lives on can keep them open for ever.
        let deadline = Instant::now() + LAST_OUTPUT_TIMEOUT;
        while !self.stderr_thread.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(2));
        }
        let stderr = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let stderr: Vec<u8> = stderr.iter().copied().collect();
        match String::from_utf8_lossy(&stderr).trim() {
            "" => EngineError::Ended(how),
            stderr => EngineError::Ended(format!("{how}: {}", stderr.replace(['\n', '\r'], " | "))),
        }
    }

    /// Sends `quit`, waits for the end, and kills the engine if it does not come.
    pub fn quit(mut self) {
        if self.send("quit").is_ok() {
            self.input = None;
            self.wait(QUIT_TIMEOUT);
        }
        // Dropped here: what is left of it is killed.
    }

    /// Waits for the end of the process. Its status in words.
    fn wait(&mut self, timeout: Duration) -> Option<String> {
        let deadline = Instant::now() + timeout;
        loop {
            match self.process.try_wait() {
                Ok(Some(status)) => return Some(status.to_string()),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(2)),
                _ => return None,
            }
        }
    }

    fn kill(&mut self) {
        // What it has started may live on when it has ended by itself: the signal goes to the group.
        _ = self.process.start_kill();
        _ = self.process.wait();
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A program given by a relative path is meant from where the user stands, not from the engine's folder.
fn program(word: &str, folder: Option<&Path>) -> std::path::PathBuf {
    let path = Path::new(word);
    let is_path = path.components().count() > 1;
    match (is_path, folder) {
        (true, Some(folder)) if path.is_relative() && folder.join(path).exists() => {
            std::path::absolute(folder.join(path)).unwrap_or_else(|_| path.to_path_buf())
        }
        (true, _) => std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()),
        _ => path.to_path_buf(),
    }
}

/// Passes lines on until the output is closed or nobody wants them.
fn read_lines(output: ChildStdout, sender: &SyncSender<OutputLine>) {
    let mut output = BufReader::new(output);
    let (mut bytes, mut latest) = (Vec::new(), None);
    loop {
        bytes.clear();
        match output.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let at = Instant::now();
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim();
        if text.starts_with("info") {
            latest = thought(text).or(latest);
            continue;
        }
        let thought = if text.starts_with("bestmove") { latest.take() } else { None };
        match sender.try_send(OutputLine { at, text: text.to_string(), thought }) {
            Ok(()) | Err(TrySendError::Full(_)) => {}
            Err(TrySendError::Disconnected(_)) => return,
        }
    }
}

/// Keeps the end of what comes.
fn keep_stderr(mut errors: ChildStderr, kept: &Mutex<VecDeque<u8>>) {
    let mut buffer = [0; 4_096];
    while let Ok(count @ 1..) = errors.read(&mut buffer) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(&buffer[..count]);
        let excess = kept.len().saturating_sub(MAX_STDERR_BYTES);
        kept.drain(..excess);
    }
}
