//! The start of games: those of a match, and those of a tuning.

use super::arguments::RunFlags;
use crate::interrupt::on_interrupt;
use crate::settings::tell_bad_openings;
use crate::terminal::{Failure, INTERRUPTED, complain, print_line};
use komainu::notation::json::{GameLine, Machine};
use komainu::types::{Counted, Quoted};
use komainu_tools::arena::engine::machine;
use komainu_tools::arena::folder::{FolderError, MatchFolder, MatchJournal};
use komainu_tools::arena::plan::Plan;
use komainu_tools::arena::runner::{KnownEngine, MatchError, RunOptions, busy_cores, changed_argument, try_engines};
use komainu_tools::client::EngineError;
use komainu_tools::openings::Opening;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Games that can begin: the engines are tried out and the journal is open.
pub(crate) struct Start {
    /// Set when the games are interrupted.
    pub(crate) halt: Arc<AtomicBool>,
    pub(crate) machine: Machine,
    pub(crate) engines: Vec<KnownEngine>,
    pub(crate) options: RunOptions,
    pub(crate) journal: MatchJournal,
    /// The games that have been played already.
    pub(crate) done: Vec<GameLine>,
}

/// Games that are gone on with: their journal, and those that have been played.
pub(crate) type Resumed = (MatchJournal, Vec<GameLine>);

/// Opens the folder of games that are gone on with, and reads their plan. Lines that cannot be used are told.
pub(crate) fn resume(folder: &Path) -> Result<(Resumed, Plan), Failure> {
    let (journal, MatchFolder { plan, games, notes }) = MatchJournal::resume(folder)?;
    for note in notes {
        complain(format_args!("{}: {note}", MatchFolder::games_file(folder).display()));
    }
    Ok(((journal, games.into_iter().map(|game| game.line).collect()), plan))
}

/// The openings of a plan. Those that are passed over are counted.
pub(crate) fn openings(plan: &Plan) -> Result<Vec<Opening>, Failure> {
    let (openings, faults) = plan.openings.load()?;
    tell_bad_openings(&faults);
    Ok(openings)
}

/// Refuses a folder in which there are games.
pub(crate) fn refuse_begun(folder: &Path) -> Result<(), Failure> {
    if MatchJournal::exists(folder) {
        return Err(FolderError::Exists(folder.to_path_buf()).into());
    }
    Ok(())
}

/// Prints a plan as a file, with an outline of it before.
pub(crate) fn print_plan(plan: &Plan, outline: &[String]) -> Result<(), Failure> {
    let text = toml::to_string(plan).map_err(|error| Failure::Usage(format!("--plan: {error}")))?;
    print_line(format_args!("# {}\n{}", outline.join("\n# "), text.trim_end()))
}

/// Tries the engines out, puts into the plan what plays and where, and opens the journal. `check` may refuse the
/// engines before anything is written.
pub(crate) fn start<T>(
    run: &RunFlags,
    plan: &mut Plan,
    resumed: Option<Resumed>,
    printed: &mut Result<(), Failure>,
    check: impl FnOnce(&Plan, &[KnownEngine]) -> Result<T, Failure>,
) -> Result<(Start, T), Failure> {
    let halt = halt_on_interrupt();
    let machine = machine();
    let mut notice = |text: String| note(printed, || print_line(format_args!("note: {text}")));
    let fail = |error: MatchError| interrupted_or_usage(&error, &halt);
    let engines = if plan.tune.is_some() {
        // Both sides are one program: it is tried out once.
        let single = Plan { engines: plan.engines[..1].to_vec(), ..plan.clone() };
        let known = try_engines(&single, &halt, &mut notice).map_err(fail)?;
        [&known[..], &known[..]].concat()
    } else {
        try_engines(plan, &halt, &mut notice).map_err(fail)?
    };
    let checked = check(plan, &engines)?;
    let options = RunOptions::of(plan, &engines).map_err(fail)?;
    note_origin(plan, &engines, &machine, &run.out)?;
    if !run.force {
        warn_of_busy_cores(plan, &engines, &machine);
    }
    // Nothing is left behind by games that cannot begin.
    let (journal, done) = match resumed {
        Some((journal, done)) => {
            journal.write_plan(plan)?;
            (journal, done)
        }
        None => (MatchJournal::create(&run.out, plan)?, Vec::new()),
    };
    Ok((Start { halt, machine, engines, options, journal, done }, checked))
}

/// Prints unless that has failed before.
pub(crate) fn note(printed: &mut Result<(), Failure>, print: impl FnOnce() -> Result<(), Failure>) {
    if printed.is_ok() {
        *printed = print();
    }
}

/// Puts the programs and the machine into the plan. What has played before must be what plays now.
fn note_origin(plan: &mut Plan, engines: &[KnownEngine], machine: &Machine, folder: &Path) -> Result<(), Failure> {
    for (engine, KnownEngine { identity, .. }) in plan.engines.iter_mut().zip(engines) {
        if let Some(known) = &engine.identity {
            known.check(identity).map_err(|what| {
                let folder = folder.display();
                let name = Quoted(&engine.name);
                Failure::Usage(format!("{folder} was played by another engine {name}: {what}"))
            })?;
            for path in known.changed_arguments(identity) {
                complain(format_args!("note: {}", changed_argument(&engine.name, path)));
            }
        }
        engine.identity = Some(identity.clone());
    }
    if !plan.machines.contains(machine) {
        plan.machines.push(machine.clone());
    }
    Ok(())
}

/// Engines that share cores lose games on time for nobody's fault.
fn warn_of_busy_cores(plan: &Plan, engines: &[KnownEngine], machine: &Machine) {
    let busy = busy_cores(plan, engines);
    if busy > machine.cores {
        let games = plan.concurrency;
        let threads = Counted(busy, "thread");
        let cores = Counted(machine.cores, "core");
        complain(format_args!(
            "warning: --concurrency {games} keeps {threads} busy on {cores}: engines may be late for no fault of their own \
             (--force: no warning)"
        ));
    }
}

pub(crate) fn interrupted_or_usage(error: &MatchError, halt: &AtomicBool) -> Failure {
    match error {
        MatchError::Engine(_, EngineError::Halted) if halt.load(Ordering::Relaxed) => {
            Failure::Exit(INTERRUPTED, error.to_string())
        }
        _ => Failure::Usage(error.to_string()),
    }
}

/// A flag that is set when the match is interrupted.
pub(crate) fn halt_on_interrupt() -> Arc<AtomicBool> {
    let halt = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&halt);
    on_interrupt(2, move |_| flag.store(true, Ordering::Relaxed));
    halt
}
