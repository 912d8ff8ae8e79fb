//! An engine of a match: started, told its options, spoken to, ended.
//!
//! Of the `info` lines only the last one with a score is kept, so that a flood of them costs no memory and nobody has
//! to keep up with it.

use super::plan::EnginePlan;
use crate::process::{Launch, NoLine, OutputLine, Process};
use crate::protocol::{BestMove, Command, Info, READYOK, USIOK};
use std::collections::HashSet;
use std::fmt::Display;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};
use thiserror::Error;

/// Longest time of an engine for `usiok`. Some read their evaluation before it.
const USI_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest silence of an engine before `readyok`. Lines in between begin the time anew.
const READY_TIMEOUT: Duration = Duration::from_secs(60);
/// Longest time that an engine may take to end after `quit`.
const QUIT_TIMEOUT: Duration = Duration::from_secs(3);
/// Longest wait for the end of an engine that has closed its output.
const END_TIMEOUT: Duration = Duration::from_millis(500);
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

/// A running engine. It is killed when it is dropped.
pub struct Engine {
    process: Process<EngineLine>,
    /// Name that the engine gives itself.
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

    /// Tests whether the engine has an option. Two are reserved: engines take them without listing them.
    fn lists(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        name == "usi_hash" || name == "usi_ponder" || self.options.contains(&name)
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), EngineError> {
        self.send(Command::set_option(name, value))
    }

    /// Starts a command, as a shell would read it, in a folder, and sends nothing.
    pub fn spawn(command: &str, folder: Option<&Path>) -> Result<Engine, EngineError> {
        let start = |launch| Process::start_picking(&launch, without_info());
        let process = Launch::new(command, folder).and_then(start);
        let process = process.map_err(|error| EngineError::Start(command.to_string(), error))?;
        Ok(Engine { process, id_name: None, options: HashSet::new() })
    }

    fn handshake(&mut self) -> Result<(), EngineError> {
        self.send(Command::Usi)?;
        let deadline = Instant::now() + USI_TIMEOUT;
        loop {
            let line = self.line_before(USIOK, deadline, USI_TIMEOUT)?;
            let mut words = line.text.split_ascii_whitespace();
            match (words.next(), words.next()) {
                (Some(USIOK), None) => return Ok(()),
                (Some("id"), Some("name")) => self.id_name = Some(words.collect::<Vec<_>>().join(" ")),
                (Some("option"), Some("name")) => {
                    let name: Vec<&str> = words.take_while(|&word| word != "type").collect();
                    self.options.insert(name.join(" ").to_ascii_lowercase());
                }
                _ => {}
            }
        }
    }

    /// Name that the engine gives itself, once it has said so.
    pub fn id_name(&self) -> Option<&str> {
        self.id_name.as_deref()
    }

    /// Prepares it for a game.
    pub fn new_game(&mut self) -> Result<(), EngineError> {
        // What is left over from the last game is not wanted any more.
        self.process.discard_lines();
        self.send(Command::IsReady)?;
        while self.line_before(READYOK, Instant::now() + READY_TIMEOUT, READY_TIMEOUT)?.text != READYOK {}
        self.send(Command::NewGame)
    }

    /// Sends a command, or several with line ends between them in one piece.
    pub fn send(&mut self, text: impl Display) -> Result<(), EngineError> {
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

/// Picks the lines that are not `info`, and gives to each `bestmove` what was reported last before it.
fn without_info() -> impl FnMut(OutputLine) -> Option<EngineLine> {
    let mut latest = None;
    move |line| {
        let text = line.text.trim();
        if text.starts_with("info") {
            latest = Info::read_best(text).or(latest.take());
            return None;
        }
        let info = if BestMove::read(text).is_some() { latest.take() } else { None };
        Some(EngineLine { at: line.at, text: text.to_string(), info })
    }
}
