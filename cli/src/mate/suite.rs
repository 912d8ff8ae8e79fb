//! A file of problems.

use super::{Arguments, in_words};
use crate::terminal::{
    Failure, in_file, numbered_lines, print_and_go_on, print_json, print_line, print_passed, progress, unless_gone,
    verdict, worker_pool,
};
use komainu::host::read_input_text;
use komainu::mate::{MateAnswer, MateReport};
use komainu::position::Position;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// Claim of a line of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claim {
    Mate(u32),
    NoMate,
}

/// A line of the file with what came of it.
struct Solved {
    number: usize,
    time: Duration,
    nodes: u64,
    words: String,
    fault: Option<String>,
    /// The report, if one was made.
    told: Value,
}

impl Solved {
    /// A line that could not be tried.
    fn failed(number: usize, fault: String) -> Solved {
        Solved { number, time: Duration::ZERO, nodes: 0, words: String::new(), fault: Some(fault), told: json!({}) }
    }
}

/// Positions in the table of the slowest.
const SLOWEST: usize = 10;

pub(super) fn run(arguments: &Arguments, file: &Path) -> Result<(), Failure> {
    let shown = file.display();
    let text = read_input_text(file).map_err(in_file(file))?;
    let lines: Vec<(usize, &str)> = numbered_lines(&text).collect();
    // Each problem is searched on a thread with a stack of its own.
    let pool = worker_pool(arguments.threads, 2)?;
    let bar = progress::bar(lines.len() as u64, "positions");
    // One asks for the memory first: a solver that fails later would leave the suite half done.
    drop(arguments.solver()?);
    let solved: Result<Vec<Solved>, Failure> = pool.install(|| {
        let one = |&(number, line): &(usize, &str)| {
            let solved = solve(arguments, number, line);
            bar.suspend(|| show(arguments, &shown.to_string(), &solved))?;
            bar.inc(1);
            Ok(solved)
        };
        lines.par_iter().map(one).collect()
    });
    bar.finish_and_clear();
    let solved = solved?;
    let failed = solved.iter().filter(|solved| solved.fault.is_some()).count();
    let passed = solved.len() - failed;
    if !arguments.json {
        unless_gone(show_slowest(&shown.to_string(), &solved))?;
    }
    verdict(print_passed(passed, failed, arguments.json), failed > 0)
}

/// Prints a failure at once, and every line if that is wanted.
fn show(arguments: &Arguments, file: &str, solved: &Solved) -> Result<(), Failure> {
    let Solved { number, time, nodes, words, fault, told } = solved;
    if arguments.json {
        let mut told = told.clone();
        told["line_number"] = json!(number);
        told["fault"] = json!(fault);
        return unless_gone(print_json(&told));
    }
    if let Some(fault) = fault {
        print_and_go_on(format_args!("{file}:{number}: {fault}"))?;
    }
    if arguments.verbose {
        print_and_go_on(format_args!("{file}:{number}: {words} nodes {nodes} time_ms {}", time.as_millis()))?;
    }
    Ok(())
}

fn show_slowest(file: &str, solved: &[Solved]) -> Result<(), Failure> {
    let mut by_time: Vec<&Solved> = solved.iter().collect();
    by_time.sort_by_key(|solved| std::cmp::Reverse(solved.time));
    print_line(format_args!("slowest of {}:", solved.len()))?;
    for Solved { number, time, nodes, words, .. } in by_time.into_iter().take(SLOWEST) {
        print_line(format_args!("{:>9.3} s {nodes:>12} nodes  {file}:{number}: {words}", time.as_secs_f64()))?;
    }
    let nodes: u64 = solved.iter().map(|solved| solved.nodes).sum();
    let time: f64 = solved.iter().map(|solved| solved.time.as_secs_f64()).sum();
    print_line(format_args!("{time:>9.3} s {nodes:>12} nodes  in all"))
}

fn solve(arguments: &Arguments, number: usize, line: &str) -> Solved {
    let (pos, claim) = match read_line(line) {
        Ok(read) => read,
        Err(fault) => return Solved::failed(number, fault),
    };
    let Ok(mut solver) = arguments.solver() else { return Solved::failed(number, "out of memory".to_string()) };
    let started = Instant::now();
    let report = solver.solve(&pos, &arguments.query());
    let time = started.elapsed();
    let told = super::report_json(&report, &pos, time);
    let MateReport { answer, nodes, .. } = report;
    let words = in_words(&answer);
    let fault = match (claim, &answer) {
        (Claim::NoMate, MateAnswer::NoMate) => None,
        (Claim::Mate(length), MateAnswer::Mate(mate))
            if !arguments.shortest || mate.is_exact && mate.length == length =>
        {
            None
        }
        (Claim::Mate(length), _) => Some(format!("{words}, expected mate {length}: {}", pos.to_sfen())),
        (Claim::NoMate, _) => Some(format!("{words}, expected nomate: {}", pos.to_sfen())),
    };
    Solved { number, time, nodes, words, fault, told }
}

/// `SFEN ;mate N` or `SFEN ;nomate`
fn read_line(line: &str) -> Result<(Position, Claim), String> {
    let (sfen, claim) = line.split_once(';').ok_or_else(|| format!("no ;mate N or ;nomate after \"{line}\""))?;
    let pos = Position::from_sfen(sfen).map_err(|error| error.to_string())?;
    let claim = claim.trim();
    let plies = claim.strip_prefix("mate ").and_then(|plies| plies.trim().parse::<u32>().ok());
    match plies {
        Some(plies) if plies % 2 == 1 => Ok((pos, Claim::Mate(plies))),
        _ if claim == "nomate" => Ok((pos, Claim::NoMate)),
        _ => Err(format!("\"{claim}\" is neither \"mate N\" with an odd N nor \"nomate\"")),
    }
}
