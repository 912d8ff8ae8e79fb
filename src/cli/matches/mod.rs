//! `komainu match`: engine matches and tournaments.

mod arguments;
mod display;

pub(super) use arguments::Arguments;

use super::{Failure, print_line};
use crate::arena::journal::{Journal, JournalError, write_match, write_whole};
use crate::arena::merge::{self, MergedMatch};
use crate::arena::pairing::Pairing;
use crate::arena::plan::Plan;
use crate::arena::records::save;
use crate::arena::report::{Folder, page};
use crate::arena::runner::{Ended, Match, MatchError, MatchEvent, RunOptions, try_engines};
use crate::arena::stats::SprtDecision;
use crate::notation::json::GameLine;
use crate::types::Counted;
use display::Display;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if !arguments.merge.is_empty() {
        return merge(arguments);
    }
    let (resumed, plan) = plan(arguments)?;
    let rules = plan.rules.resolve().map_err(|error| Failure::Usage(error.to_string()))?;
    let openings = plan.openings.load().map_err(|error| Failure::Usage(error.to_string()))?;
    let halt = halt_on_signal();
    let done = resumed.as_ref().map_or(0, |(_, done)| done.len());
    let mut display = Display::new(&plan, done);
    for notice in try_engines(&plan).map_err(|error| failure(&error))? {
        display.notice(&notice)?;
    }
    // Nothing is left behind by a match that cannot begin.
    let (mut journal, done) = match resumed {
        Some(resumed) => resumed,
        None => (Journal::create(&arguments.out, &plan).map_err(journal_failure)?, Vec::new()),
    };
    let total = Pairing::new(&plan).map_err(|error| Failure::Usage(error.to_string()))?.share();
    display.begin(rules, openings.len(), total)?;
    let options = RunOptions {
        concurrency: arguments.concurrency as usize,
        timeout: Duration::from_secs(arguments.patience),
        affinity: arguments.affinity,
        formats: arguments.formats(),
    };
    let config = Match { plan: &plan, rules, openings: &openings, options, halt: &halt };
    let mut reader_gone = false;
    let (ended, lines) = config
        .run(&mut journal, done, &mut |event: MatchEvent| {
            // A match whose output nobody reads is played to its end all the same.
            reader_gone |= display.show(&event).is_err();
        })
        .map_err(|error| failure(&error))?;
    if reader_gone {
        return Err(Failure::ReaderGone);
    }
    display.end(&lines)?;
    write_report(&arguments.out)?;
    finish(&plan, ended, &lines)
}

/// Joins shards to one match.
fn merge(arguments: &Arguments) -> Result<(), Failure> {
    let place = |folder: &Path| std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
    if arguments.merge.iter().any(|folder| place(folder) == place(&arguments.out)) {
        return Err(Failure::Usage(format!("--out: {} is one of the shards", arguments.out.display())));
    }
    let merged = merge::merge(&arguments.merge).map_err(|error| Failure::Usage(error.to_string()))?;
    let MergedMatch { plan, games, total } = merged;
    write_match(&arguments.out, &plan, &games).map_err(journal_failure)?;
    for line in &games {
        save(&arguments.out, line, arguments.formats()).map_err(journal_failure)?;
    }
    Display::new(&plan, games.len()).end(&games)?;
    write_report(&arguments.out)?;
    let played = games.len() as u64;
    if played < total {
        print_line(format_args!("{played} of {}; --resume plays the others", Counted(total, "game")))?;
    } else {
        print_line("the match is complete")?;
    }
    print_line(display::last_line(&plan, &games))
}

/// The page about the match, beside its games.
fn write_report(folder: &Path) -> Result<(), Failure> {
    let failure = |what: String| Failure::Usage(format!("the report: {what}"));
    let games = Folder::read(folder).map_err(|error| failure(error.to_string()))?;
    let path = folder.join("report.html");
    write_whole(&path, page(&games).as_bytes()).map_err(|error| failure(error.to_string()))?;
    print_line(format_args!("report: {}", path.display()))
}

/// A match that is resumed: its journal and the games that have been played.
type Resumed = (Journal, Vec<GameLine>);

/// Plan of the match, and the part of it that has been played if it is resumed.
fn plan(arguments: &Arguments) -> Result<(Option<Resumed>, Plan), Failure> {
    let planned = if arguments.has_plan() { Some(arguments.plan().map_err(Failure::Usage)?) } else { None };
    if arguments.resume {
        let (journal, plan, done) = Journal::resume(&arguments.out).map_err(journal_failure)?;
        if let Some(setting) = planned.and_then(|planned| plan.difference(&planned)) {
            return Err(journal_failure(JournalError::Differs(arguments.out.clone(), setting)));
        }
        return Ok((Some((journal, done)), plan));
    }
    match planned {
        Some(_) if Journal::exists(&arguments.out) => Err(journal_failure(JournalError::Exists(arguments.out.clone()))),
        Some(plan) => Ok((None, plan)),
        None => Err(Failure::Usage("--engine: a match needs two engines or a file".into())),
    }
}

fn journal_failure(error: JournalError) -> Failure {
    Failure::Usage(error.to_string())
}

fn failure(error: &MatchError) -> Failure {
    Failure::Usage(error.to_string())
}

/// A flag that is set when the match is interrupted; the second time the program ends at once.
fn halt_on_signal() -> Arc<AtomicBool> {
    let halt = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&halt);
    let interrupted = AtomicBool::new(false);
    // Without a handler the program ends at the first signal; the journal is whole all the same.
    _ = ctrlc::set_handler(move || {
        if interrupted.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        flag.store(true, Ordering::Relaxed);
    });
    halt
}

/// Prints how the match ended, and the line for scripts.
fn finish(plan: &Plan, ended: Ended, lines: &[GameLine]) -> Result<(), Failure> {
    let how = match ended {
        Ended::Complete if plan.shard.is_some() => "the shard is complete; --merge joins it with the others",
        Ended::Complete => "the match is complete",
        Ended::Decided(SprtDecision::AcceptH1) => "the test is decided: passed",
        Ended::Decided(_) => "the test is decided: failed",
        Ended::BrokenOff => "the match was interrupted; --resume goes on with it",
    };
    print_line(how)?;
    print_line(display::last_line(plan, lines))
}
