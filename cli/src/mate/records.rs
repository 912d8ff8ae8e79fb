//! Problems that are records: KIF, BOD, CSA and the other formats of games, one by one or a folder of them.

use super::{Arguments, Notation, in_words, line_in};
use crate::terminal::{Failure, complain, print_line, print_passed, progress, verdict, worker_pool};
use komainu::games::{NamedGame, SourceGame, SourceReader, source_files};
use komainu::mate::MateAnswer;
use komainu::notation::record::Ending;
use komainu::position::{Handicap, Position};
use rayon::prelude::*;
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;

/// Outcome of a problem, and the line that is printed of it.
struct Outcome {
    passed: bool,
    line: String,
}

/// Solves the problems of files and folders. The last line is `N passed, N failed`, of a single problem its answer.
pub(super) fn run(arguments: &Arguments, named: &[PathBuf]) -> Result<(), Failure> {
    let files = source_files(named)?;
    let mut reader = SourceReader::default();
    let games = reader.read(&files, &|text| complain(text))?;
    if let ([game], [file], 0) = (&games[..], named, reader.faults)
        && file.is_file()
    {
        let pos = problem(&game.game).expect("there is no fault");
        return super::solve_position(arguments, &pos);
    }
    // A game that is read up to a fault counts once, whether it is solved or not.
    let unread = reader.faults - games.iter().filter(|game| game.game.fault.is_some()).count();
    let failed = solve_all(arguments, &games)? + unread;
    let solved = games.len() + unread - failed;
    verdict(print_passed(solved, failed, arguments.json), failed > 0)
}

/// Solves problems side by side and prints a line for each; returns how many have failed.
fn solve_all(arguments: &Arguments, games: &[NamedGame]) -> Result<usize, Failure> {
    // Each problem is searched on a thread with a stack of its own.
    let pool = worker_pool(arguments.threads, 2)?;
    drop(arguments.solver()?);
    let bar = progress::bar(games.len() as u64, "problems");
    let outcomes: Vec<Outcome> = pool.install(|| {
        let one = |game: &NamedGame| {
            let outcome = solve(arguments, game);
            bar.inc(1);
            outcome
        };
        games.par_iter().map(one).collect()
    });
    bar.finish_and_clear();
    for Outcome { line, .. } in &outcomes {
        print_line(line)?;
    }
    Ok(outcomes.iter().filter(|outcome| !outcome.passed).count())
}

fn solve(arguments: &Arguments, game: &NamedGame) -> Outcome {
    let record = &game.game.record;
    let Some(pos) = problem(&game.game) else {
        return untried(arguments, game, "a fault of the record hides the position");
    };
    let Ok(mut solver) = arguments.solver() else {
        return untried(arguments, game, "out of memory");
    };
    let started = Instant::now();
    let report = solver.solve(&pos, &arguments.query());
    let time = started.elapsed();
    let expects_none = record.conclusion.is_some_and(|conclusion| conclusion.ending == Ending::NoMate);
    let words = in_words(&report.answer);
    let (passed, line) = match &report.answer {
        MateAnswer::Mate(mate) => {
            let line = line_in(arguments.notation.unwrap_or(Notation::Japanese), &pos, &mate.line);
            (!expects_none, format!("{}: {words}: {line}", game.name))
        }
        MateAnswer::NoMate => (expects_none, format!("{}: {words}", game.name)),
        MateAnswer::Unknown(_) => (false, format!("{}: {words}", game.name)),
    };
    let passed = passed && game.game.fault.is_none();
    if arguments.json {
        let mut told = super::report_json(&report, &pos, time);
        told["name"] = json!(game.name);
        told["passed"] = json!(passed);
        return Outcome { passed, line: told.to_string() };
    }
    Outcome { passed, line }
}

/// The outcome of a problem that could not be tried.
fn untried(arguments: &Arguments, game: &NamedGame, fault: &str) -> Outcome {
    let line = match arguments.json {
        true => json!({"name": game.name, "passed": false, "fault": fault}).to_string(),
        false => format!("{}: {fault}", game.name),
    };
    Outcome { passed: false, line }
}

/// The position that a record is a problem of: its start, or where a game that began as games do has come to; `None` if
/// a fault hides that.
fn problem(game: &SourceGame) -> Option<Position> {
    let record = &game.record;
    let start = record.start.to_sfen();
    if Handicap::of_sfen(&start).is_none() {
        return Some(record.start.clone());
    }
    let mut pos = record.start.clone();
    for made in &record.moves {
        pos.do_move(made.mv);
    }
    game.fault.is_none().then_some(pos)
}
