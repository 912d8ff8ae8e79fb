//! The commands of a log for a fresh engine, and what is wrong with its answers.
//!
//! Each command is sent when what was answered before it has been answered again, and after the pause that the log
//! shows. Every line of the engine is judged by the [`grammar`](super::grammar).

use super::grammar::Checker;
use super::log::LogEntry;
use crate::process::{Launch, NoLine, Process};
use komainu::protocol::Command;
use komainu::types::Quoted;
use komainu::types::opaque_debug;
use komainu::usi::Direction;
use komainu::usi::options::Options;
use std::fmt::Display;
use std::io;
use std::time::{Duration, Instant};

/// Longest time that an engine may take to end after `quit`.
const EXIT_TIME: Duration = Duration::from_secs(5);

/// Longest wait for the last words of an engine that has ended.
const LAST_WORDS_TIMEOUT: Duration = Duration::from_millis(500);

/// Lines of standard error that are shown.
const MAX_STDERR_LINES: usize = 10;

/// The limits of a replay.
#[derive(Clone, Copy, Debug)]
pub struct ReplayLimits {
    /// Time that an answer may take beyond what the recorded engine took.
    pub timeout: Duration,
    /// The longest pause before a command, where the log tells how long it was.
    pub max_pause: Duration,
}

/// Replays one run of a log: an engine is started and gets the commands of these entries, byte for byte. The error is
/// that it cannot be started.
pub fn replay(entries: &[&LogEntry], engine: &Launch, limits: ReplayLimits, tally: &mut ReplayTally) -> io::Result<()> {
    let mut replay = Replay::new(Process::start(engine)?, limits, tally);
    replay.play(entries);
    replay.end();
    Ok(())
}

/// Counts answered commands, and reports what is wrong with the answers.
pub struct ReplayTally<'a> {
    /// Commands whose answers were all right.
    pub passed: usize,
    pub failed: usize,
    /// Is told the line of the log that was fed last, and what is wrong.
    report: &'a mut dyn FnMut(usize, &dyn Display),
    /// The line of the log that was fed last.
    line: usize,
    /// Faults since the last answer.
    open_faults: usize,
}

opaque_debug!(ReplayTally<'_>, "ReplayTally");

impl ReplayTally<'_> {
    /// Nothing is counted yet. `report` is called with the number of a line of the log and a fault or a note.
    pub fn new(report: &mut dyn FnMut(usize, &dyn Display)) -> ReplayTally<'_> {
        ReplayTally { passed: 0, failed: 0, report, line: 0, open_faults: 0 }
    }

    fn fault(&mut self, fault: impl Display) {
        self.open_faults += 1;
        self.note(fault);
    }

    fn note(&mut self, text: impl Display) {
        (self.report)(self.line, &text);
    }

    /// A command has had its answer.
    fn answered(&mut self) {
        if self.open_faults == 0 {
            self.passed += 1;
        }
        self.count_failure();
    }

    /// Counts the faults so far as one failed command.
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

/// Numbers of the commands of one kind of exchange that were sent and answered.
#[derive(Clone, Copy, Default)]
struct ExchangeCount {
    /// By the log, in this run.
    sent: usize,
    /// In the log up to here, as far as the command was sent.
    recorded: usize,
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

/// Tests whether a command makes an engine write its own log: a replay must not write into the log that it reads.
fn opens_log(line: &[u8]) -> bool {
    match Command::read(&String::from_utf8_lossy(line)) {
        Command::SetOption { name, .. } => Options::find(&name).is_some_and(|spec| spec.name == "DebugLogFile"),
        _ => false,
    }
}

/// One run of an engine.
struct Replay<'a, 'r> {
    engine: Process,
    checker: Checker,
    tally: &'a mut ReplayTally<'r>,
    limits: ReplayLimits,
    counts: [ExchangeCount; EXCHANGES.len()],
    /// The last command or awaited answer: when it was recorded, and when it came now.
    last: Option<(Option<u64>, Instant)>,
    /// Set once an answer was waited for in vain.
    has_given_up: bool,
    has_ended: bool,
    has_quit: bool,
}

impl<'a, 'r> Replay<'a, 'r> {
    fn new(engine: Process, limits: ReplayLimits, tally: &'a mut ReplayTally<'r>) -> Replay<'a, 'r> {
        Replay {
            engine,
            checker: Checker::default(),
            tally,
            limits,
            counts: [ExchangeCount::default(); EXCHANGES.len()],
            last: None,
            has_given_up: false,
            has_ended: false,
            has_quit: false,
        }
    }

    /// Sends the commands of the log, each when what was answered before it has been answered again.
    fn play(&mut self, entries: &[&LogEntry]) {
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

    fn feed(&mut self, entry: &LogEntry) {
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
        // If the engine reads no more, the end of its output will tell.
        _ = self.engine.send(&[line, b"\n"].concat());
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
        let until = begin + self.recorded_pause(time).min(self.limits.max_pause);
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
        let limit = self.limits.timeout + self.recorded_pause(time);
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
            match self.engine.line(Some(until)) {
                Ok(line) => self.receive(&line.text),
                Err(NoLine::Late) => return false,
                Err(NoLine::Closed) => {
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
        match self.engine.exit_status(until.saturating_duration_since(Instant::now())) {
            None => self.tally.fault(format_args!("no end within {} s of quit", EXIT_TIME.as_secs())),
            Some(status) if !status.success() => self.tally.fault(format_args!("the engine ended with {status}")),
            Some(_) => {}
        }
        // What was waited for in vain has been reported.
        let owed = self.checker.finish();
        if !self.has_given_up {
            for fault in &owed {
                self.tally.fault(fault);
            }
        }
        self.tally.count_failure();
        self.engine.await_stderr(LAST_WORDS_TIMEOUT);
        for line in self.engine.stderr_head().lines().take(MAX_STDERR_LINES) {
            self.tally.note(format_args!("on standard error: {}", Quoted(line)));
        }
    }
}
