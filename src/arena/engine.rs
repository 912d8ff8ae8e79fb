//! An engine of a match: started, told its options, spoken to, ended.
//!
//! Of the `info` lines only the last one with a score is kept, so that a flood of them costs no memory and nobody has
//! to keep up with it.

use super::identity::identity;
use super::options::{ListedOption, reserved};
use super::plan::EnginePlan;
use super::traffic::{Speaker, Traffic};
use crate::notation::json::EngineIdentity;
use crate::process::{Launch, NoLine, OutputLine, Process};
use crate::protocol::{BestMove, Command, Info, READYOK, USIOK};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use thiserror::Error;

/// Longest time of an engine for `usiok`. Some read their evaluation before it.
const USI_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest silence of an engine before `readyok`. Lines in between begin the time anew.
const READY_TIMEOUT: Duration = Duration::from_secs(60);
/// Longest time that an engine may take to end after `quit`.
const QUIT_TIMEOUT: Duration = Duration::from_secs(3);
/// Longest wait for the end of an engine that has closed its output.
const END_TIMEOUT: Duration = Duration::from_millis(500);
/// Characters of an `info string` that are kept.
const MAX_SHOWN: usize = 500;
/// Longest wait for the last lines of an engine that has ended.
const LAST_OUTPUT_TIMEOUT: Duration = Duration::from_millis(500);

/// Why an engine cannot go on.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The command cannot be read or run.
    #[error("cannot start \"{0}\": {1}")]
    Start(String, #[source] io::Error),
    /// The process has ended: how, and the end of what it wrote to standard error.
    #[error("ended by itself: {0}")]
    Ended(String),
    /// The value of an option is none that it takes: the name, and why.
    #[error("option {0}: {1}")]
    Option(String, String),
    /// It has not said this word in time.
    #[error("no {} within {} s", .0, .1.as_secs())]
    Silent(&'static str, Duration),
}

/// A line of an engine.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineLine {
    /// When it arrived.
    pub at: Instant,
    /// The line without its end and without blanks around it.
    pub text: String,
    /// If it is `bestmove`: what the engine reported last since the `bestmove` before.
    pub info: Option<Info>,
}

/// A file with its length in bytes and the time of its last change, if they are known.
pub type FileStamp = (PathBuf, Option<(u64, SystemTime)>);

fn file_stamp(path: PathBuf) -> FileStamp {
    let found = std::fs::metadata(&path).and_then(|found| Ok((found.len(), found.modified()?))).ok();
    (path, found)
}

/// A running engine. It is killed when it is dropped.
pub struct Engine {
    process: Process<EngineLine>,
    launch: Launch,
    /// Name that the engine gives itself.
    id_name: String,
    /// The options that it has listed.
    options: Vec<ListedOption>,
    /// Options that it was sent.
    sent: BTreeMap<String, String>,
    /// Options that it was sent and has not listed.
    unknown: Vec<String>,
    heard: Heard,
    traffic: Traffic,
}

impl Engine {
    /// Starts the engine, waits for `usiok` and sends its options, before them those of `common` that it lists and the
    /// plan does not set. A value that it does not take is an error.
    pub fn start(plan: &EnginePlan, common: &[(&str, String)]) -> Result<Engine, EngineError> {
        Engine::start_heard(plan, common, &Traffic::default())
    }

    /// Starts the engine as [`Engine::start`] does; what is said is there also if it cannot be started.
    pub fn start_heard(plan: &EnginePlan, common: &[(&str, String)], traffic: &Traffic) -> Result<Engine, EngineError> {
        let mut engine = Engine::spawn(&plan.command, plan.folder.as_deref(), traffic)?;
        engine.handshake()?;
        for (name, value) in &plan.options {
            let option = engine.option(name).cloned().or_else(|| reserved(name));
            match option.map(|option| option.check(value)) {
                Some(Err(fault)) => return Err(EngineError::Option(name.clone(), fault)),
                Some(Ok(())) => {}
                None => engine.unknown.push(name.clone()),
            }
        }
        let is_planned = |name: &str| plan.options.keys().any(|key| key.eq_ignore_ascii_case(name));
        for (name, value) in common {
            if (engine.option(name).is_some() || reserved(name).is_some()) && !is_planned(name) {
                engine.set_option(name, value)?;
            }
        }
        for (name, value) in &plan.options {
            engine.set_option(name, value)?;
        }
        Ok(engine)
    }

    /// An option that it has listed, by its name in any case.
    pub fn option(&self, name: &str) -> Option<&ListedOption> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Options of the plan that it has not listed.
    pub fn unknown_options(&self) -> &[String] {
        &self.unknown
    }

    /// Threads that it searches with, by its options.
    pub fn threads(&self) -> usize {
        let set = self.sent.iter().find(|(name, _)| name.eq_ignore_ascii_case("Threads")).map(|(_, value)| value);
        let value = set.or_else(|| self.option("Threads").map(|option| &option.default));
        value.and_then(|value| value.parse().ok()).unwrap_or(1).max(1)
    }

    /// Program that the engine is: its name, its files and its options.
    pub fn identity(&self) -> EngineIdentity {
        identity(&self.launch, &self.id_name, &self.sent)
    }

    /// Lengths and times of its files: they change when a file is replaced.
    pub fn file_stamps(&self) -> Vec<FileStamp> {
        self.launch.files().into_iter().map(file_stamp).collect()
    }

    /// Conversation between the engine and the match.
    pub fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), EngineError> {
        self.sent.insert(name.to_string(), value.to_string());
        self.send(Command::set_option(name, value))
    }

    /// Starts a command, as a shell would read it, in a folder, and sends nothing.
    pub fn spawn(command: &str, folder: Option<&Path>, traffic: &Traffic) -> Result<Engine, EngineError> {
        let fail = |error| EngineError::Start(command.to_string(), error);
        let launch = Launch::new(command, folder).map_err(fail)?;
        let (heard, traffic) = (Heard::new(), traffic.clone());
        let pick = without_info(heard.clone(), traffic.clone());
        let process = Process::start_picking(&launch, pick).map_err(fail)?;
        let (id_name, options) = (String::new(), Vec::new());
        let (sent, unknown) = (BTreeMap::new(), Vec::new());
        Ok(Engine { process, launch, id_name, options, sent, unknown, heard, traffic })
    }

    fn handshake(&mut self) -> Result<(), EngineError> {
        self.send(Command::Usi)?;
        let deadline = Instant::now() + USI_TIMEOUT;
        loop {
            let line = self.line_before(USIOK, deadline, USI_TIMEOUT)?;
            let (word, rest) = line.text.split_once(' ').unwrap_or((&line.text, ""));
            match word {
                USIOK if rest.is_empty() => return Ok(()),
                "id" => {
                    if let Some(name) = rest.trim_start().strip_prefix("name") {
                        self.id_name = name.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
                    }
                }
                "option" => self.options.extend(ListedOption::parse(rest)),
                _ => {}
            }
        }
    }

    /// Name that the engine gives itself, once it has said so; empty if it has not.
    pub fn id_name(&self) -> &str {
        &self.id_name
    }

    /// Prepares it for its first game, and returns what it had to say with `info string` since its start.
    pub fn set_up(&mut self) -> Result<Vec<String>, EngineError> {
        self.new_game()?;
        Ok(self.heard.take())
    }

    /// Prepares it for a game.
    pub fn new_game(&mut self) -> Result<(), EngineError> {
        // What is left over from the last game is not wanted any more.
        self.process.discard_lines();
        self.traffic.begin_game();
        self.send(Command::IsReady)?;
        while self.line_before(READYOK, Instant::now() + READY_TIMEOUT, READY_TIMEOUT)?.text != READYOK {}
        self.send(Command::NewGame)
    }

    /// Sends a command, or several with line ends between them in one piece.
    pub fn send(&mut self, text: impl Display) -> Result<(), EngineError> {
        let text = text.to_string();
        self.traffic.note(Speaker::Match, Instant::now(), &text);
        self.process.send(format!("{text}\n").as_bytes()).map_err(|_| self.ended())
    }

    /// The next line that is not `info`.
    pub fn line(&self, deadline: Option<Instant>) -> Result<EngineLine, NoLine> {
        self.process.line(deadline)
    }

    fn line_before(
        &mut self,
        word: &'static str,
        deadline: Instant,
        timeout: Duration,
    ) -> Result<EngineLine, EngineError> {
        self.line(Some(deadline)).map_err(|error| match error {
            NoLine::Late => EngineError::Silent(word, timeout),
            NoLine::Closed => self.ended(),
        })
    }

    /// Error with the way in which the engine ended; waits a moment for the process to be gone, and kills it if it is
    /// not.
    pub fn ended(&mut self) -> EngineError {
        self.process.close_input();
        let how = match self.process.exit_status(END_TIMEOUT) {
            Some(status) => status.to_string(),
            None => {
                self.process.kill();
                "it has closed its output".to_string()
            }
        };
        self.process.await_stderr(LAST_OUTPUT_TIMEOUT);
        match self.process.stderr_tail() {
            stderr if stderr.is_empty() => EngineError::Ended(how),
            stderr => EngineError::Ended(format!("{how}: {}", stderr.replace(['\n', '\r'], " | "))),
        }
    }

    /// Sends `quit`, waits for the end, and kills the engine if it does not come.
    pub fn quit(mut self) {
        if self.send(Command::Quit).is_ok() {
            self.process.close_input();
            self.process.exit_status(QUIT_TIMEOUT);
        }
        // Dropped here: what is left of it is killed.
    }
}

/// The first `info string` lines of an engine, until somebody has asked for them.
#[derive(Clone)]
struct Heard(Arc<Mutex<Option<Vec<String>>>>);

impl Heard {
    fn new() -> Heard {
        Heard(Arc::new(Mutex::new(Some(Vec::new()))))
    }

    /// Lines that are kept.
    const MAX_LINES: usize = 20;

    fn note(&self, text: &str) {
        if let Some(lines) = self.lock().as_mut().filter(|lines| lines.len() < Heard::MAX_LINES) {
            lines.push(text.chars().take(MAX_SHOWN).collect());
        }
    }

    /// The lines so far; from then on nothing is kept.
    fn take(&self) -> Vec<String> {
        self.lock().take().unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Vec<String>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Picks the lines that are not `info`, and gives to each `bestmove` what was reported last before it.
fn without_info(heard: Heard, traffic: Traffic) -> impl FnMut(OutputLine) -> Option<EngineLine> {
    let mut latest = None;
    move |line| {
        let text = line.text.trim();
        traffic.note(Speaker::Engine, line.at, text);
        if text.starts_with("info") {
            if let Some(said) = text.strip_prefix("info string ") {
                heard.note(said);
            }
            latest = Info::read_best(text).or(latest.take());
            return None;
        }
        let info = if BestMove::read(text).is_some() { latest.take() } else { None };
        Some(EngineLine { at: line.at, text: text.to_string(), info })
    }
}
