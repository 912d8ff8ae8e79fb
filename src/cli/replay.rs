//! `komainu replay`: sends the commands of a log to a fresh engine and checks the answers.

use super::process::{Process, Received};
use super::{Failure, print_line};
use crate::types::{Counted, Token};
use crate::usi::command::{Command, parse};
use crate::usi::grammar::Checker;
use crate::usi::log::{self, Direction, Entry, Log};
use crate::usi::options::Options;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Feed a recorded USI conversation to an engine and check its answers
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Log of this engine, of a GUI or of a bridge
    log: PathBuf,
    /// Engine to check, with its arguments; this one by default
    #[arg(long, value_name = "COMMAND")]
    engine: Option<String>,
    /// In a log of several engines, the number or name of the one to replay; the first by default
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Longest time to wait for an answer, beyond what the recorded engine took
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// Longest pause before a command, where the log tells how long it was
    #[arg(long, value_name = "MS", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(0..=86_400_000))]
    max_pause: u64,
}

/// How long an engine may take to end after `quit`.
const EXIT_TIME: Duration = Duration::from_secs(5);

/// Line numbers and lines of standard error that are shown.
const SHOWN: usize = 10;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let name = arguments.log.display().to_string();
    let bytes = std::fs::read(&arguments.log).map_err(|error| Failure::Usage(format!("{name}: {error}")))?;
    let log = log::read(&bytes);
    let runs = log.runs(session(arguments, &log, &name)?);
    if !runs.iter().flatten().any(|entry| entry.direction == Direction::ToEngine) {
        return Err(Failure::Usage(format!("{name}: no line of it is a USI command")));
    }
    report_unread(&name, &log)?;
    let mut tally = ReplayTally { name, line: 0, passed: 0, failed: 0, open_faults: 0 };
    for run in &runs {
        let engine = start_engine(arguments)?;
        let mut replay = Replay::new(engine, arguments, &mut tally);
        replay.play(run);
        replay.end();
    }
    print_line(format_args!("{} passed, {} failed", tally.passed, tally.failed))?;
    if tally.failed == 0 { Ok(()) } else { Err(Failure::CheckFailed) }
}

/// The session that was asked for, or the first.
fn session<'a>(arguments: &'a Arguments, log: &'a Log, name: &str) -> Result<&'a str, Failure> {
    let sessions = log.sessions();
    match &arguments.session {
        None => Ok(sessions.first().copied().unwrap_or_default()),
        Some(id) if sessions.contains(&id.as_str()) => Ok(id),
        Some(id) => Err(Failure::Usage(format!("--session {}: not in {name}", Token(id)))),
    }
}

fn report_unread(name: &str, log: &Log) -> Result<(), Failure> {
    if log.unread.is_empty() {
        return Ok(());
    }
    let mut numbers: Vec<String> = log.unread.iter().take(SHOWN).map(usize::to_string).collect();
    if log.unread.len() > SHOWN {
        numbers.push("...".to_string());
    }
    let lines = Counted(log.unread.len(), "line");
    print_line(format_args!("{name}: {lines} left out, since they are no USI: {}", numbers.join(", ")))
}

fn start_engine(arguments: &Arguments) -> Result<Process, Failure> {
    let (program, words) = match &arguments.engine {
        Some(command) => split_command(command),
        None => match std::env::current_exe() {
            Ok(path) => (path, Vec::new()),
            Err(error) => return Err(Failure::Usage(format!("this program cannot be found: {error}"))),
        },
    };
    let failure = |error| Failure::Usage(format!("--engine {}: {error}", Token(&program.display().to_string())));
    Process::start(program.as_os_str(), &words).map_err(failure)
}

/// The program, whose path may hold blanks if nothing follows it, and its arguments.
fn split_command(command: &str) -> (PathBuf, Vec<String>) {
    if Path::new(command).is_file() {
        return (command.into(), Vec::new());
    }
    let mut words = command.split_ascii_whitespace();
    (words.next().unwrap_or_default().into(), words.map(str::to_string).collect())
}

/// Counts answered commands and prints what is wrong with the answers.
struct ReplayTally {
    name: String,
    /// The line of the log that was fed last.
    line: usize,
    passed: usize,
    failed: usize,
    /// Faults since the last answer.
    open_faults: usize,
}

impl ReplayTally {
    fn fault(&mut self, fault: impl Display) {
        self.open_faults += 1;
        self.note(fault);
    }

    fn note(&self, text: impl Display) {
        // Whether anybody reads is asked at the last line.
        _ = print_line(format_args!("{}:{}: {text}", self.name, self.line));
    }

    /// A command has had its answer.
    fn answered(&mut self) {
        if self.open_faults == 0 {
            self.passed += 1;
        }
        self.count_failure();
    }

    /// What is faulty by now fails one command.
    fn count_failure(&mut self) {
        if std::mem::take(&mut self.open_faults) > 0 {
            self.failed += 1;
        }
    }
}

/// An exchange that a GUI waits for before it goes on.
struct Exchange {
    command: &'static str,
    answers: &'static [&'static str],
}

const EXCHANGES: [Exchange; 3] = [
    Exchange { command: "usi", answers: &["usiok"] },
    Exchange { command: "isready", answers: &["readyok"] },
    Exchange { command: "go", answers: &["bestmove", "checkmate"] },
];

/// The place of `go` among them.
const SEARCH: usize = 2;

/// How often the commands of one kind of exchange were sent and answered.
#[derive(Clone, Copy, Default)]
struct ExchangeCount {
    /// By the log, in this run.
    sent: usize,
    /// In the log up to here, as far as the command was sent.
    recorded: usize,
    /// By the engine.
    given: usize,
}

/// Which exchange a command begins.
fn begun(text: &str) -> Option<usize> {
    let word = text.split_ascii_whitespace().next()?;
    EXCHANGES.iter().position(|exchange| exchange.command == word)
}

/// Which exchange an answer ends.
fn ended(text: &str) -> Option<usize> {
    let word = text.split_ascii_whitespace().next()?;
    EXCHANGES.iter().position(|exchange| exchange.answers.contains(&word))
}

/// Whether a command makes an engine write its own log: a replay must not write into the log that it reads.
fn opens_log(line: &[u8]) -> bool {
    match parse(&String::from_utf8_lossy(line)) {
        Command::SetOption { name, .. } => Options::find(&name).is_some_and(|spec| spec.name == "DebugLogFile"),
        _ => false,
    }
}

/// One run of an engine.
struct Replay<'a> {
    engine: Process,
    checker: Checker,
    tally: &'a mut ReplayTally,
    timeout: Duration,
    max_pause: Duration,
    counts: [ExchangeCount; EXCHANGES.len()],
    /// The last command or awaited answer: when it was recorded, and when it came now.
    last: Option<(Option<u64>, Instant)>,
    /// Whether an answer was waited for in vain.
    has_given_up: bool,
    has_ended: bool,
    has_quit: bool,
}

impl<'a> Replay<'a> {
    fn new(engine: Process, arguments: &Arguments, tally: &'a mut ReplayTally) -> Replay<'a> {
        Replay {
            engine,
            checker: Checker::new(),
            tally,
            timeout: Duration::from_secs(arguments.timeout),
            max_pause: Duration::from_millis(arguments.max_pause),
            counts: [ExchangeCount::default(); EXCHANGES.len()],
            last: None,
            has_given_up: false,
            has_ended: false,
            has_quit: false,
        }
    }

    /// Sends the commands of the log, each when what was answered before it has been answered again.
    fn play(&mut self, entries: &[&Entry]) {
        for entry in entries {
            match entry.direction {
                Direction::FromEngine => {
                    if let Some(kind) = ended(&String::from_utf8_lossy(&entry.text)) {
                        self.await_answer(kind, entry.time);
                    }
                }
                Direction::ToEngine => self.feed(entry),
            }
            if self.has_ended {
                return;
            }
        }
    }

    fn feed(&mut self, entry: &Entry) {
        self.pause(entry.time);
        if self.has_ended || opens_log(&entry.text) {
            return;
        }
        self.tally.line = entry.line;
        self.send(&entry.text);
        self.last = Some((entry.time, Instant::now()));
    }

    fn send(&mut self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        self.checker.command(&text);
        if let Some(kind) = begun(&text) {
            self.counts[kind].sent += 1;
        }
        self.has_quit |= text.trim_ascii() == "quit";
        self.engine.send(line);
    }

    /// The recorded time from the last command or awaited answer to this moment.
    fn recorded_pause(&self, time: Option<u64>) -> Duration {
        let before = self.last.and_then(|(before, _)| before);
        let millis = time.zip(before).map_or(0, |(time, before)| time.saturating_sub(before));
        Duration::from_millis(millis)
    }

    /// Waits as long as the log did, and reads the output of the engine meanwhile.
    fn pause(&mut self, time: Option<u64>) {
        let begin = self.last.map_or_else(Instant::now, |(_, moment)| moment);
        let until = begin + self.recorded_pause(time).min(self.max_pause);
        self.receive_until(until, |_| false);
    }

    /// Waits until the engine has given an answer that the log has here; not if the log lacks the command, nor if the
    /// recorded engine answered before it might.
    fn await_answer(&mut self, kind: usize, time: Option<u64>) {
        let count = &mut self.counts[kind];
        count.recorded = (count.recorded + 1).min(count.sent);
        if kind == SEARCH && self.checker.is_held() {
            return;
        }
        let limit = self.timeout + self.recorded_pause(time);
        let is_given = |replay: &Self| replay.counts[kind].given >= replay.counts[kind].recorded;
        if !self.receive_until(Instant::now() + limit, is_given) && !self.has_ended {
            self.give_up(kind, limit);
        }
        self.last = Some((time, Instant::now()));
    }

    fn give_up(&mut self, kind: usize, limit: Duration) {
        let answer = EXCHANGES[kind].answers[0];
        self.tally.fault(format_args!("no {answer} within {} s", limit.as_secs()));
        self.tally.count_failure();
        let count = &mut self.counts[kind];
        count.sent -= count.recorded - count.given;
        count.recorded = count.given;
        self.has_given_up = true;
    }

    /// Reads the output until a condition holds or the time is up. Returns whether it is true.
    fn receive_until(&mut self, until: Instant, is_enough: impl Fn(&Self) -> bool) -> bool {
        while !is_enough(self) {
            match self.engine.receive(until) {
                Received::Line(line) => self.receive(&line),
                Received::Timeout => return false,
                Received::Closed => {
                    self.has_ended = true;
                    if !self.has_quit {
                        self.tally.fault("the engine ended before quit");
                    }
                    return false;
                }
            }
        }
        true
    }

    fn receive(&mut self, line: &str) {
        for fault in self.checker.answer(line) {
            self.tally.fault(fault);
        }
        if let Some(kind) = ended(line) {
            self.counts[kind].given += 1;
            self.tally.answered();
        }
    }

    /// Ends the engine and reports how it ended.
    fn end(&mut self) {
        if !self.has_quit && !self.has_ended {
            self.send(b"quit");
        }
        self.engine.close_input();
        let until = Instant::now() + EXIT_TIME;
        self.receive_until(until, |replay| replay.has_ended);
        match self.engine.exit_status(until) {
            None => self.tally.fault(format_args!("no end within {} s of quit", EXIT_TIME.as_secs())),
            Some(status) if !status.success() => self.tally.fault(format_args!("the engine ended with {status}")),
            Some(_) => {}
        }
        // What was waited for in vain has been reported.
        for fault in self.checker.finish().iter().filter(|_| !self.has_given_up) {
            self.tally.fault(fault);
        }
        self.tally.count_failure();
        for line in std::iter::from_fn(|| self.engine.stderr_line()).take(SHOWN) {
            self.tally.note(format_args!("on standard error: {}", Token(&line)));
        }
    }
}
