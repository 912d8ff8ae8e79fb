//! `komainu tune`: options of an engine, tuned by games.

mod arguments;

pub(crate) use arguments::Arguments;

use crate::matches::{Resumed, Start, interrupted_or_usage, note, openings, print_plan, refuse_begun, resume, start};
use crate::terminal::progress::LoggedBar;
use crate::terminal::{Failure, complain, end_of_work, print_line};
use arguments::Lines;
use komainu::notation::json::GameLine;
use komainu::position::GameRules;
use komainu::types::Counted;
use komainu_tools::arena::folder::{FolderError, MatchJournal, write_whole};
use komainu_tools::arena::plan::{Plan, TunePlan};
use komainu_tools::arena::runner::{Ended, GameOptions, KnownEngine, Match, MatchEvent};
use komainu_tools::live::serve;
use komainu_tools::tuning::report::{Report, State, files};
use komainu_tools::tuning::{Course, LiveTuning, Tuner, digits, iterations, tuned_options};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Interval in which the page is written while games are played.
const PAGE_INTERVAL: Duration = Duration::from_secs(60);

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (resumed, mut plan, parameters) = plan(arguments)?;
    let out = &arguments.run.out;
    let rules = plan.rules.resolve()?;
    let openings = openings(&plan)?;
    let outline = outline(&plan, &parameters, rules, openings.len());
    if arguments.run.dry_run {
        return print_plan(&plan, &outline);
    }
    let listener = arguments.live.listen().map_err(Failure::Usage)?;
    // A tuning whose output nobody reads is played to its end all the same.
    let mut printed = Ok(());
    let tuner = |plan: &Plan, engines: &[KnownEngine]| tuner(arguments, plan, parameters, &engines[0]).map(Arc::new);
    let (start, tuner) = start(&arguments.run, &mut plan, resumed, &mut printed, tuner)?;
    let Start { halt, machine, engines, options, mut journal, done } = start;
    for line in &done {
        tuner.note(line);
    }
    let report = Report::new(&plan, &tuner, openings.len(), State::Running);
    write_report(out, &report).map_err(|error| Failure::Usage(format!("the page: {error}")))?;
    let live =
        listener.map(|listener| serve(listener, Arc::new(LiveTuning::new(&plan, openings.len(), Arc::clone(&tuner)))));
    let live = live.transpose().map_err(|error| Failure::Usage(format!("--live: {error}")))?;
    note(&mut printed, || print_lines(&outline));
    let config = Match {
        plan: &plan,
        rules,
        openings: &openings,
        engines: &engines,
        machine: &machine,
        options,
        game_options: Some(&*tuner as &dyn GameOptions),
        halt: &halt,
    };
    let ended = play(&config, &tuner, &mut journal, done, &mut printed)?;
    let state = if ended == Ended::BrokenOff { State::BrokenOff } else { State::Complete };
    let report = Report::new(&plan, &tuner, openings.len(), state);
    write_report(out, &report).map_err(|error| Failure::Usage(format!("the page: {error}")))?;
    note(&mut printed, || print_end(&report, out));
    if let Some(server) = live {
        server.finish(report.how_it_ended());
    }
    let printed = printed.and_then(|()| print_line(format_args!("games {}", report.games())));
    end_of_work(printed, ended == Ended::BrokenOff)
}

/// Plays the games that are left, and writes the page now and then.
fn play(
    config: &Match,
    tuner: &Tuner,
    journal: &mut MatchJournal,
    done: Vec<GameLine>,
    printed: &mut Result<(), Failure>,
) -> Result<Ended, Failure> {
    let mut display = TuneDisplay::new(config.plan, done.len() as u64);
    let mut written = Instant::now();
    let folder = journal.folder().to_path_buf();
    let mut on_event = |event: MatchEvent| match event {
        MatchEvent::Notice(text) => note(printed, || display.line(&format!("note: {text}"))),
        MatchEvent::Started(..) => {}
        MatchEvent::Finished(line, _) => {
            tuner.note(line);
            display.show(&tuner.course());
            if written.elapsed() >= PAGE_INTERVAL {
                written = Instant::now();
                let report = Report::new(config.plan, tuner, config.openings.len(), State::Running);
                let page = write_report(&folder, &report);
                page.unwrap_or_else(|error| complain(format_args!("the page: {error}")));
            }
        }
    };
    let played = config.run(journal, done, &mut on_event).map_err(|error| interrupted_or_usage(&error, config.halt));
    display.finish();
    Ok(played?.0)
}

/// Tuner of a plan for an engine whose options are known.
fn tuner(arguments: &Arguments, plan: &Plan, parameters: Lines, engine: &KnownEngine) -> Result<Tuner, Failure> {
    let tune = tune_plan(plan);
    let options = tuned_options(plan, tune, parameters, &engine.options);
    let options = options.map_err(|fault| Failure::Usage(format!("{}: {fault}", arguments.parameters_name())))?;
    Ok(Tuner::new(plan, tune, options))
}

fn tune_plan(plan: &Plan) -> &TunePlan {
    plan.tune.as_ref().expect("the plan is that of a tuning")
}

/// Plan of the tuning with its parameters, and the part of it that has been played if it is resumed.
fn plan(arguments: &Arguments) -> Result<(Option<Resumed>, Plan, Lines), Failure> {
    let out = &arguments.run.out;
    if arguments.run.resume.resume {
        let (resumed, plan) = resume(out)?;
        let (plan, parameters) = arguments.resumed_plan(&plan, out).map_err(Failure::Usage)?;
        return Ok((Some(resumed), plan, parameters));
    }
    let (plan, parameters) = arguments.plan().map_err(Failure::Usage)?;
    refuse_begun(out)?;
    Ok((None, plan, parameters))
}

/// Outline of a tuning: the rules; games, iterations, limit, openings; the parameters.
fn outline(plan: &Plan, parameters: &Lines, rules: GameRules, openings: usize) -> Vec<String> {
    let tune = tune_plan(plan);
    let games = Counted(plan.games, "game");
    let openings = Counted(openings, "opening");
    let all = Counted(iterations(plan.games, tune.pairs), "iteration");
    let pairs = Counted(tune.pairs, "pair");
    let head = [
        format!("rules: {rules}"),
        format!("{games}, {all} of {pairs}, {}, {openings}: {}", plan.limit, plan.engines[0].command),
    ];
    head.into_iter().chain(parameters.iter().map(|(_, parameter)| parameter.to_string())).collect()
}

/// Writes what the tuning has come to, each file as a whole.
fn write_report(folder: &Path, report: &Report) -> Result<(), FolderError> {
    for (name, text) in files(report) {
        write_whole(&folder.join(name), text.as_bytes())?;
    }
    Ok(())
}

/// Prints the values, what can be done with them, and for each parameter the line that sets it.
fn print_end(report: &Report, folder: &Path) -> Result<(), Failure> {
    print_lines(&report.summary())?;
    print_lines(&report.advice(folder))?;
    print_lines(&report.set_options())
}

fn print_lines(lines: &[String]) -> Result<(), Failure> {
    for line in lines {
        print_line(line)?;
    }
    Ok(())
}

/// Display of a tuning while it runs.
struct TuneDisplay {
    bar: LoggedBar,
    games: u64,
}

impl TuneDisplay {
    fn new(plan: &Plan, done: u64) -> TuneDisplay {
        let bar = LoggedBar::new(plan.games, "games");
        bar.bar.set_position(done);
        bar.bar.reset_eta();
        TuneDisplay { bar, games: done }
    }

    fn show(&mut self, course: &Course) {
        self.games += 1;
        let values = course.options().iter().zip(course.values());
        let values = values.map(|(option, value)| format!("{} {}", option.parameter.name, digits(*value, 4)));
        let now = course.tallies().len();
        let all = course.schedule().iterations;
        let values: Vec<String> = values.collect();
        self.bar.show(self.games, format_args!("iteration {now} of {all}: {}", values.join(", ")));
    }

    /// Prints a line, above the bar if there is one.
    fn line(&self, text: &str) -> Result<(), Failure> {
        self.bar.bar.suspend(|| print_line(text))
    }

    fn finish(&self) {
        self.bar.bar.finish_and_clear();
    }
}
