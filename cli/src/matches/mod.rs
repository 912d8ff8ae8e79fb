//! `komainu match`: engine matches and tournaments.

mod arguments;
mod display;
mod follow;
mod start;

pub(crate) use arguments::{Arguments, GameFlags, RunFlags, check_games, plan_over, seed, set_engine_option};
pub(crate) use start::{Resumed, Start, interrupted_or_usage, note, openings, print_plan, refuse_begun, resume, start};

use crate::terminal::{Failure, complain, end_of_work, print_and_go_on, print_line, unless_gone};
use display::Display;
use komainu::notation::json::GameLine;
use komainu::types::Counted;
use komainu_tools::arena::folder::{MatchFolder, save, write_match, write_whole};
use komainu_tools::arena::live::LiveMatch;
use komainu_tools::arena::merge::{self, MergedMatch};
use komainu_tools::arena::pairing::Pairing;
use komainu_tools::arena::plan::{EnginePlan, Plan};
use komainu_tools::arena::report::{page, summary};
use komainu_tools::arena::runner::{Ended, Match, MatchEvent, RunOptions};
use komainu_tools::arena::stats::SprtDecision;
use komainu_tools::http::Listener;
use komainu_tools::live::{Server, Source, serve};
use komainu_tools::openings::Opening;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.follow {
        return follow::follow(arguments);
    }
    if !arguments.merge.is_empty() {
        return merge(arguments);
    }
    let (resumed, mut plan) = plan(arguments)?;
    let rules = plan.rules.resolve()?;
    let pairing = Pairing::new(&plan)?;
    let openings = openings(&plan)?;
    if arguments.run.dry_run {
        warn_of_equal_games(&plan, &pairing, &openings);
        let outline = display::outline(&plan, rules, openings.len(), pairing.share());
        return print_plan(&plan, &outline);
    }
    if arguments.stop.is_there() && resumed.is_none() {
        print_and_go_on(format_args!("no game: {} is there", arguments.stop))?;
        return print_line(display::last_line(&plan, &[]));
    }
    let listener = arguments.live.listen().map_err(Failure::Usage)?;
    // A match whose output nobody reads is played to its end all the same.
    let mut printed = Ok(());
    let (start, ()) = start(&arguments.run, &mut plan, resumed, &mut printed, |_, _| Ok(()))?;
    let Start { halt, machine, engines, options, mut journal, done } = start;
    if !arguments.run.force {
        warn_of_equal_games(&plan, &pairing, &openings);
    }
    let live = listener.map(|listener| show(listener, &plan, &done)).transpose()?;
    let boards = live.as_ref().map(|(live, _)| Arc::clone(live.boards()));
    let options = RunOptions { stop: arguments.stop.path().map(Path::to_path_buf), boards, ..options };
    let mut display = Display::new(&plan, done.len());
    note(&mut printed, || display.begin(rules, openings.len(), pairing.share()));
    let config = Match {
        plan: &plan,
        rules,
        openings: &openings,
        engines: &engines,
        machine: &machine,
        options,
        game_options: None,
        halt: &halt,
    };
    let (ended, lines) = config
        .run(&mut journal, done, &mut |event: MatchEvent| {
            if let MatchEvent::Finished(line, _) = &event
                && let Some((live, _)) = &live
            {
                live.finished(line);
            }
            note(&mut printed, || display.show(&event));
        })
        .map_err(|error| interrupted_or_usage(&error, &halt))?;
    note(&mut printed, || display.end(&lines));
    let last_line = display::last_line(&plan, &lines);
    let report = write_report(&arguments.run.out, &MatchFolder::in_memory(plan.clone(), lines))?;
    note(&mut printed, || print_line(report));
    note(&mut printed, || print_line(how_it_ended(&plan, ended)));
    if let Some((_, server)) = live {
        server.finish(how_it_ended(&plan, ended));
    }
    let printed = printed.and_then(|()| print_line(last_line));
    end_of_work(printed, ended == Ended::BrokenOff)
}

/// Shows a match on a page from now on.
fn show(listener: Listener, plan: &Plan, done: &[GameLine]) -> Result<(Arc<LiveMatch>, Server), Failure> {
    let live = Arc::new(LiveMatch::new(&MatchFolder::in_memory(plan.clone(), done.to_vec())));
    let server = serve(listener, Arc::clone(&live) as Arc<dyn Source>);
    Ok((live, server.map_err(|error| Failure::Usage(format!("--live: {error}")))?))
}

/// Where time plays no part, engines with one thread play the same game again from the same opening.
fn warn_of_equal_games(plan: &Plan, pairing: &Pairing, openings: &[Opening]) {
    let is_timeless = |engine: &&EnginePlan| engine.limit.unwrap_or(plan.limit).is_timeless();
    if plan.engines.iter().filter(is_timeless).count() < 2 {
        return;
    }
    let order = pairing.openings_of([0, 1], openings.len());
    let used = order.iter().take(usize::try_from(pairing.laps()).unwrap_or(usize::MAX));
    let different = used.map(|&index| openings[index].position().key()).collect::<HashSet<_>>().len();
    if pairing.laps() > different as u64 {
        let pairs = Counted(pairing.laps(), "pair");
        let openings = Counted(different, "opening");
        complain(format_args!(
            "warning: {pairs} of games between two engines, but {openings}: where nodes or depth limit the moves, games \
             from the same opening may be equal, and equal games count once (--openings: more of them; --force: no warning)"
        ));
    }
}

/// Joins shards to one match.
fn merge(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.run.resume.resume {
        return Err(Failure::Usage("--resume: with --merge only beside --follow".to_string()));
    }
    if arguments.stop.path().is_some() {
        return Err(Failure::Usage("--stop-file: with --merge only beside --follow".to_string()));
    }
    check_joining(arguments)?;
    let merged = merge::merge(&arguments.merge)?;
    let MergedMatch { mut plan, games, total, notices } = merged;
    arguments.set_records(&mut plan);
    write_match(&arguments.run.out, &plan, &games)?;
    for line in &games {
        save(&arguments.run.out, line, &plan)?;
    }
    for notice in notices {
        print_and_go_on(format_args!("note: {notice}"))?;
    }
    unless_gone(Display::new(&plan, games.len()).end(&games))?;
    let played = games.len() as u64;
    let last_line = display::last_line(&plan, &games);
    print_and_go_on(write_report(&arguments.run.out, &MatchFolder::in_memory(plan, games))?)?;
    if played < total {
        print_line(format_args!("{played} of {}; --resume plays the others", Counted(total, "game")))?;
    } else {
        print_line("the match is complete")?;
    }
    print_line(last_line)
}

/// Checks that the folder that is made is none of those that are joined.
fn check_joining(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(flag) = arguments.plan_flag() {
        return Err(Failure::Usage(format!("{flag}: not with --merge, which joins matches that have a plan")));
    }
    let out = merge::place(&arguments.run.out);
    if arguments.merge.iter().any(|folder| merge::place(folder) == out) {
        return Err(Failure::Usage(format!("--out: {} is one of the shards", arguments.run.out.display())));
    }
    Ok(())
}

/// Writes the page about the match and the summaries beside its games, and returns the line that names the page.
fn write_report(folder: &Path, played: &MatchFolder) -> Result<String, Failure> {
    let path = folder.join("report.html");
    let files = [
        (folder.join(summary::JSON_FILE), summary::json(played)),
        (folder.join(summary::CSV_FILE), summary::csv(played)),
        (path.clone(), page(played)),
    ];
    for (path, text) in files {
        write_whole(&path, text.as_bytes()).map_err(|error| Failure::Usage(format!("the report: {error}")))?;
    }
    Ok(format!("report: {}", path.display()))
}

/// Plan of the match, and the part of it that has been played if it is resumed.
fn plan(arguments: &Arguments) -> Result<(Option<Resumed>, Plan), Failure> {
    if arguments.run.resume.resume {
        let (resumed, plan) = resume(&arguments.run.out)?;
        let plan = arguments.resumed_plan(&plan, &arguments.run.out).map_err(Failure::Usage)?;
        return Ok((Some(resumed), plan));
    }
    if !arguments.has_plan() {
        return Err(Failure::Usage("--engine: a match needs two engines or a file".into()));
    }
    let plan = arguments.plan().map_err(Failure::Usage)?;
    refuse_begun(&arguments.run.out)?;
    Ok((None, plan))
}

/// Sentence about the end of the match.
fn how_it_ended(plan: &Plan, ended: Ended) -> &'static str {
    match ended {
        Ended::Complete if plan.shard.is_some() => "the shard is complete; --merge joins it with the others",
        Ended::Complete if plan.pairs.is_some() => "the pairs are complete; --merge joins them with the others",
        Ended::Complete => "the match is complete",
        Ended::Decided(SprtDecision::AcceptH1) => "the test is decided: passed",
        Ended::Decided(_) => "the test is decided: failed",
        Ended::Stopped => "stopped by the stop file; --resume goes on",
        Ended::BrokenOff => "the match was interrupted; --resume goes on with it",
    }
}
