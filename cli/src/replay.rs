//! `komainu replay`: sends the commands of a log to a fresh engine and checks the answers.

use crate::terminal::{Failure, print_line, unless_gone, verdict};
use komainu::host::read_file;
use komainu::types::{Counted, Quoted};
use komainu::usi::Direction;
use komainu_tools::conformance::log::{self, Log};
use komainu_tools::conformance::replay::{ReplayLimits, ReplayTally, replay};
use komainu_tools::process::Launch;
use std::fmt::Display;
use std::path::PathBuf;
use std::time::Duration;

/// Feed a recorded USI conversation to an engine and check its answers
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Log of this engine, of a GUI or of a bridge
    log: PathBuf,
    /// USI engine with its arguments, as a shell reads it, in place of the built-in one
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

/// Line numbers that are shown.
const SHOWN: usize = 10;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let name = arguments.log.display().to_string();
    let bytes = read_file(&arguments.log).map_err(|error| Failure::Usage(format!("{name}: {error}")))?;
    let log = log::read(&bytes);
    let runs = log.runs(session(arguments, &log, &name)?);
    if !runs.iter().flatten().any(|entry| entry.direction == Direction::ToEngine) {
        return Err(Failure::Usage(format!("{name}: no line of it is a USI command")));
    }
    unless_gone(report_unread(&name, &log))?;
    let limits = ReplayLimits {
        timeout: Duration::from_secs(arguments.timeout),
        max_pause: Duration::from_millis(arguments.max_pause),
    };
    let mut printed = Ok(());
    let mut report = |line: usize, text: &dyn Display| {
        if printed.is_ok() {
            printed = print_line(format_args!("{name}:{line}: {text}"));
        }
    };
    let mut tally = ReplayTally::new(&mut report);
    let (engine, launch) = engine(arguments)?;
    let of_engine = |error: std::io::Error| Failure::Usage(format!("--engine {}: {error}", Quoted(&engine)));
    let launch = launch.map_err(of_engine)?;
    for run in &runs {
        replay(run, &launch, limits, &mut tally).map_err(of_engine)?;
    }
    let ReplayTally { passed, failed, .. } = tally;
    let printed = unless_gone(printed).and_then(|()| print_line(format_args!("{passed} passed, {failed} failed")));
    verdict(printed, failed > 0)
}

/// The session that was asked for, or the first.
fn session<'a>(arguments: &'a Arguments, log: &'a Log, name: &str) -> Result<&'a str, Failure> {
    let sessions = log.sessions();
    match &arguments.session {
        None => Ok(sessions.first().copied().unwrap_or_default()),
        Some(id) if sessions.contains(&id.as_str()) => Ok(id),
        Some(id) => Err(Failure::Usage(format!("--session {}: not in {name}", Quoted(id)))),
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

/// The engine by its command and as it is started.
fn engine(arguments: &Arguments) -> Result<(String, std::io::Result<Launch>), Failure> {
    match &arguments.engine {
        Some(command) => Ok((command.clone(), Launch::new(command, None))),
        None => match std::env::current_exe() {
            Ok(path) => Ok((path.display().to_string(), Ok(Launch::of_program(&path)))),
            Err(error) => Err(Failure::Usage(format!("this program cannot be found: {error}"))),
        },
    }
}
