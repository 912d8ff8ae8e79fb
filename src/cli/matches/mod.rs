//! `komainu match`: engine matches and tournaments.

mod arguments;
mod display;

pub(super) use arguments::Arguments;

use super::{Failure, print_line};
use crate::arena::journal::{Journal, JournalError};
use crate::arena::openings;
use crate::arena::pairing::Pairing;
use crate::arena::plan::Plan;
use crate::arena::runner::{Conduct, Ended, Event, Match, RunError, try_engines};
use crate::arena::stats::Verdict;
use crate::notation::json::GameLine;
use display::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (mut journal, plan, done) = open(arguments)?;
    let rules = plan.rules.resolve().map_err(Failure::Usage)?;
    let openings = openings::load(&plan.openings).map_err(|error| Failure::Usage(error.to_string()))?;
    let halt = halt_on_signal();
    let mut display = Display::new(&plan, done.len());
    for remark in try_engines(&plan).map_err(|error| failure(&error))? {
        display.remark(&remark)?;
    }
    let total = Pairing::new(&plan).map_err(|error| Failure::Usage(error.to_string()))?.total();
    display.begin(rules, openings.len(), total)?;
    let conduct = Conduct {
        concurrency: arguments.concurrency as usize,
        patience: Duration::from_secs(arguments.patience),
        affinity: arguments.affinity,
        formats: arguments.formats(),
    };
    let a_match = Match { plan: &plan, rules, openings: &openings, conduct, halt: &halt };
    let mut reader_gone = false;
    let (ended, lines) = a_match
        .run(&mut journal, done, &mut |event: Event| {
            // A match whose output nobody reads is played to its end all the same.
            reader_gone |= display.show(&event).is_err();
        })
        .map_err(|error| failure(&error))?;
    if reader_gone {
        return Err(Failure::ReaderGone);
    }
    finish(&plan, ended, &lines, display)
}

/// The journal with the plan and the games that have been played: begun, or resumed.
fn open(arguments: &Arguments) -> Result<(Journal, Plan, Vec<GameLine>), Failure> {
    let usage = |error: JournalError| Failure::Usage(error.to_string());
    let planned = if arguments.has_plan() { Some(arguments.plan().map_err(Failure::Usage)?) } else { None };
    if arguments.resume {
        let (journal, plan, done) = Journal::resume(&arguments.out).map_err(usage)?;
        if let Some(setting) = planned.and_then(|planned| plan.difference(&planned)) {
            return Err(usage(JournalError::Differs(arguments.out.clone(), setting)));
        }
        return Ok((journal, plan, done));
    }
    let plan = match planned {
        Some(plan) => plan,
        None => return Err(Failure::Usage("--engine: a match needs two engines".into())),
    };
    let journal = Journal::create(&arguments.out, &plan).map_err(usage)?;
    Ok((journal, plan, Vec::new()))
}

fn failure(error: &RunError) -> Failure {
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

fn finish(plan: &Plan, ended: Ended, lines: &[GameLine], display: Display) -> Result<(), Failure> {
    display.end(lines)?;
    let how = match ended {
        Ended::Complete => "the match is complete",
        Ended::Decided(Verdict::AcceptH1) => "the test is decided: passed",
        Ended::Decided(_) => "the test is decided: failed",
        Ended::BrokenOff => "the match was interrupted; --resume goes on with it",
    };
    print_line(how)?;
    print_line(display::last_line(plan, lines))
}
