//! Who plays: the built-in engine within this process, or a USI engine as a program of its own.
//!
//! Both are spoken to in USI. The session of the built-in one ([`crate::usi::run`]) runs on a thread of its own; its lines
//! go through memory, without a pipe and without another process. Of the `info` lines the last one with a score is kept.

use super::event::{EngineLine, Event};
use super::settings::{PASSWORD_VARIABLE, Settings};
use super::wire::{Speaker, WireLog};
use crate::process::{Launch, Process};
use crate::protocol::{Command, Info};
use std::collections::HashSet;
use std::io::{self, Read, Write};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Longest time that a program may take to end after `quit`.
const QUIT_TIMEOUT: Duration = Duration::from_secs(3);
/// Longest wait for the last words of a program that has ended.
const LAST_WORDS_TIMEOUT: Duration = Duration::from_millis(500);
/// The longest line of the built-in engine that is kept, in bytes.
const MAX_LINE_BYTES: usize = 1 << 16;

/// A running engine. It is ended when it is dropped.
pub(super) struct Player {
    input: Input,
    number: u64,
    log: Arc<WireLog>,
    latest: Latest,
    /// The options that it has listed, in small letters.
    options: HashSet<String>,
    /// The name that it gives itself.
    name: Option<String>,
}

/// The last `info` line with a score.
type Latest = Arc<Mutex<Option<Info>>>;

enum Input {
    BuiltIn(Sender<Vec<u8>>),
    Program(Box<Process<()>>),
}

impl Player {
    /// Starts the engine that the settings name; it has said nothing yet.
    pub(super) fn start(
        settings: &Settings,
        number: u64,
        log: &Arc<WireLog>,
        sender: &SyncSender<Event>,
    ) -> io::Result<Player> {
        let latest = Latest::default();
        let ear = Ear { number, latest: Arc::clone(&latest), log: Arc::clone(log), sender: sender.clone() };
        let input = match &settings.engine {
            None => Input::BuiltIn(start_built_in(ear)?),
            Some(command) => {
                let launch = Launch::new(command, settings.engine_folder.as_deref())?;
                let launch = launch.without_variable(PASSWORD_VARIABLE);
                let pick = move |line: crate::process::OutputLine| {
                    ear.hear(line.at, &line.text);
                    None
                };
                Input::Program(Box::new(Process::start_picking(&launch, pick)?))
            }
        };
        Ok(Player { input, number, log: Arc::clone(log), latest, options: HashSet::new(), name: None })
    }

    /// The number of its events.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Tests whether it is the built-in one.
    pub(super) fn is_built_in(&self) -> bool {
        matches!(self.input, Input::BuiltIn(_))
    }

    /// The name that it gives itself.
    pub(super) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or("the engine")
    }

    /// Keeps what a line before `usiok` tells.
    pub(super) fn note(&mut self, line: &str) {
        let mut words = line.split_ascii_whitespace();
        match (words.next(), words.next()) {
            (Some("id"), Some("name")) => self.name = Some(words.collect::<Vec<_>>().join(" ")),
            (Some("option"), Some("name")) => {
                let name: Vec<&str> = words.take_while(|&word| word != "type").collect();
                self.options.insert(name.join(" ").to_ascii_lowercase());
            }
            _ => {}
        }
    }

    /// Tests whether it has an option. Two are reserved: engines take them without listing them.
    pub(super) fn lists(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        name == "usi_hash" || name == "usi_ponder" || self.options.contains(&name)
    }

    /// Sets an option.
    pub(super) fn set_option(&mut self, name: &str, value: &str) -> io::Result<()> {
        self.send(&Command::set_option(name, value).to_string())
    }

    /// Sends a line, or several with line ends between them.
    pub(super) fn send(&mut self, text: &str) -> io::Result<()> {
        text.lines().for_each(|line| self.log.note(Speaker::ToEngine, line));
        let bytes = format!("{text}\n").into_bytes();
        match &mut self.input {
            Input::BuiltIn(sender) => sender.send(bytes).map_err(|_| io::ErrorKind::BrokenPipe.into()),
            Input::Program(process) => process.send(&bytes),
        }
    }

    /// Its last report.
    pub(super) fn latest(&self) -> Option<Info> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Forgets what it has reported: another search begins.
    pub(super) fn forget(&self) {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// The last words on standard error of a program that has ended.
    pub(super) fn last_words(&mut self) -> String {
        let Input::Program(process) = &mut self.input else { return String::new() };
        process.close_input();
        let status = process.exit_status(LAST_WORDS_TIMEOUT).map(|status| status.to_string());
        process.await_stderr(LAST_WORDS_TIMEOUT);
        let said = process.stderr_tail().replace(['\n', '\r'], " | ");
        let words = status.into_iter().chain(Some(said).filter(|said| !said.is_empty()));
        words.collect::<Vec<_>>().join(": ")
    }

    /// Sends `quit` and waits a moment for the end.
    pub(super) fn quit(mut self) {
        if self.send(&Command::Quit.to_string()).is_ok()
            && let Input::Program(process) = &mut self.input
        {
            process.close_input();
            process.exit_status(QUIT_TIMEOUT);
        }
    }
}

/// Where the lines of an engine go.
struct Ear {
    number: u64,
    latest: Latest,
    log: Arc<WireLog>,
    sender: SyncSender<Event>,
}

impl Ear {
    fn hear(&self, at: Instant, line: &str) {
        let text = line.trim();
        self.log.note(Speaker::Engine, text);
        if text.starts_with("info") {
            if let Some(info) = Info::read_best(text) {
                *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(info);
            }
            return;
        }
        _ = self.sender.send(Event::Engine(self.number, EngineLine { at, text: text.to_string() }));
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        // Its owner ends with the output of the engine.
        _ = self.sender.send(Event::EngineClosed(self.number));
    }
}

/// Starts a session of the built-in engine.
fn start_built_in(ear: Ear) -> io::Result<Sender<Vec<u8>>> {
    let (sender, receiver) = channel();
    let input = MemoryInput { receiver, piece: Vec::new(), read: 0 };
    let output = MemoryOutput { ear, line: Vec::new() };
    thread::Builder::new().name("csa engine".into()).spawn(move || crate::usi::run(input, output))?;
    Ok(sender)
}

/// The input of the built-in engine. It ends when the sender is dropped.
struct MemoryInput {
    receiver: Receiver<Vec<u8>>,
    piece: Vec<u8>,
    read: usize,
}

impl Read for MemoryInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.read == self.piece.len() {
            match self.receiver.recv() {
                Ok(piece) => (self.piece, self.read) = (piece, 0),
                Err(_) => return Ok(0),
            }
        }
        let rest = &self.piece[self.read..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.read += count;
        Ok(count)
    }
}

/// The output of the built-in engine, cut into lines.
struct MemoryOutput {
    ear: Ear,
    line: Vec<u8>,
}

impl Write for MemoryOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let at = Instant::now();
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend(piece);
            if self.line.pop_if(|last| *last == b'\n').is_some() {
                self.ear.hear(at, &String::from_utf8_lossy(&self.line));
                self.line.clear();
            }
            self.line.truncate(MAX_LINE_BYTES);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
