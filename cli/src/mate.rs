//! `komainu mate`: proves a mate, or solves a file of problems.

use crate::settings::{HASH_HELP, SFEN_HELP, THREADS_HELP, megabytes, threads};
use crate::terminal::{Failure, hash_table, in_file, print_json, print_line, progress, read_position, verdict};
use clap::ValueEnum;
use komainu::games::is_record_name;
use komainu::host::read_input_text;
use komainu::mate::{
    FirstMove, MateAnswer, MateLimits, MateProgress, MateReport, OpenReason, Proof, Query, Solver, check_proof,
};
use komainu::notation::ki2::japanese_line;
use komainu::position::Position;
use komainu::storage::NewFile;
use komainu::types::{Counted, Move};
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

mod records;
mod suite;

/// Prove a mate (tsume), or solve a file of problems
///
/// The side to move attacks. A record (KIF, BOD, KI2, CSA) is a problem: the diagram in which it begins, or where a
/// game from the usual start has come to. Of a folder all records are solved.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Records, and folders of them
    #[arg(value_name = "FILE", conflicts_with_all = ["sfen", "suite", "check"])]
    records: Vec<PathBuf>,
    #[arg(long, help = SFEN_HELP, required_unless_present_any = ["records", "suite", "check"], conflicts_with_all = ["suite", "check"])]
    sfen: Option<String>,
    /// Solve every line of a file: `SFEN ;mate N` or `SFEN ;nomate`, `#` begins a comment; or records, as FILE; - for
    /// the standard input
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    suite: Option<PathBuf>,
    /// Time for a position, in milliseconds; without it as long as it takes
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    time: Option<u64>,
    /// Positions to expand at most for a position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = megabytes(), help = HASH_HELP)]
    hash: u32,
    /// Search on until no shorter mate exists; in a suite the number of plies must then agree
    #[arg(long)]
    shortest: bool,
    /// Leave futile interpositions (muda-ai) out of the line; the length counts them all the same
    #[arg(long, conflicts_with = "suite")]
    omit_futile: bool,
    /// List every first move that mates, not only the best (cooks)
    #[arg(long, conflicts_with = "suite")]
    cooks: bool,
    /// Write the proof of the mate to a file
    #[arg(long, value_name = "FILE", conflicts_with = "suite")]
    proof: Option<PathBuf>,
    /// Check a proof that was written with --proof, with nothing but the rules
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "sfen", value_parser = threads(), help = THREADS_HELP)]
    threads: u32,
    /// In a suite, print a line for each position
    #[arg(long, requires = "suite")]
    verbose: bool,
    /// Print JSON, one object a line
    #[arg(long, conflicts_with_all = ["check", "notation", "verbose"])]
    json: bool,
    /// Notation of moves [default: usi for --sfen, japanese for records]
    #[arg(long, value_enum)]
    notation: Option<Notation>,
}

/// Notation of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Notation {
    /// 5b5a+
    Usi,
    /// ▲５一龍
    Japanese,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if !arguments.records.is_empty() {
        return records::run(arguments, &arguments.records);
    }
    match (&arguments.suite, &arguments.check, &arguments.sfen) {
        (Some(file), _, _) if file.is_dir() || is_record_name(&file.to_string_lossy()) => {
            records::run(arguments, std::slice::from_ref(file))
        }
        (Some(file), _, _) => suite::run(arguments, file),
        (_, Some(file), _) => check(file),
        (_, _, sfen) => solve_one(arguments, sfen.as_deref().unwrap_or_default()),
    }
}

impl Arguments {
    fn solver(&self) -> Result<Solver, Failure> {
        hash_table(self.hash, |megabytes| Solver::new(megabytes).ok())
    }

    fn query<'a>(&self) -> Query<'a> {
        let limits = MateLimits { time: self.time.map(Duration::from_millis), nodes: self.nodes, stop: None };
        Query { limits, shortest: self.shortest, without_futile: self.omit_futile, ..Query::default() }
    }
}

fn solve_one(arguments: &Arguments, sfen: &str) -> Result<(), Failure> {
    let position = read_position(sfen).map_err(|fault| Failure::Usage(format!("--sfen: {fault}")))?;
    solve_position(arguments, &position)
}

fn solve_position(arguments: &Arguments, pos: &Position) -> Result<(), Failure> {
    let usual = if arguments.sfen.is_some() { Notation::Usi } else { Notation::Japanese };
    let notation = arguments.notation.unwrap_or(usual);
    let spinner = progress::counter("nodes");
    let show = |progress: &MateProgress| {
        spinner.set_position(progress.nodes);
        spinner.set_message(in_short(progress));
    };
    let mut solver = arguments.solver()?;
    let query = Query { progress: Some(&show), ..arguments.query() };
    let started = Instant::now();
    let report = solver.solve(pos, &query);
    let time = started.elapsed();
    spinner.finish_and_clear();
    if let (Some(file), Some(proof)) = (&arguments.proof, &report.proof) {
        write_proof(file, pos, proof).map_err(in_file(file))?;
    }
    if arguments.json {
        let mut told = report_json(&report, pos, time);
        if arguments.cooks {
            let moves = solver.first_moves(pos, &arguments.query());
            let list =
                moves.iter().map(|(mv, found)| json!({"move": mv.to_string(), "verdict": first_in_words(*found)}));
            told["first_moves"] = list.collect();
        }
        return verdict(print_json(&told), matches!(report.answer, MateAnswer::Unknown(_)));
    }
    let mut printed = Ok(());
    if arguments.cooks {
        printed = print_first_moves(&mut solver, pos, &arguments.query(), notation);
    }
    printed = printed.and_then(|()| print_answer(&report, time, pos, notation));
    verdict(printed, matches!(report.answer, MateAnswer::Unknown(_)))
}

/// The answer for a reader; the last line is for scripts.
fn print_answer(report: &MateReport, time: Duration, pos: &Position, notation: Notation) -> Result<(), Failure> {
    if let MateAnswer::Mate(mate) = &report.answer {
        if !mate.left_over.is_empty() {
            let held: Vec<String> = mate.left_over.iter().map(|(kind, count)| format!("{count}{kind}")).collect();
            print_line(format_args!("left over: {}", held.join(" ")))?;
        }
        if let Some(line) = mate.without_futile.as_ref().filter(|line| line.len() < mate.line.len()) {
            print_line(format_args!("{} of {} plies without futile interpositions", line.len(), mate.length))?;
        }
        print_line(line_in(notation, pos, mate.without_futile.as_ref().unwrap_or(&mate.line)))?;
    }
    print_line(format_args!("{} nodes {} time_ms {}", in_words(&report.answer), report.nodes, time.as_millis()))
}

/// Every first move with what it leads to.
fn print_first_moves(solver: &mut Solver, pos: &Position, query: &Query, notation: Notation) -> Result<(), Failure> {
    for (mv, verdict) in solver.first_moves(pos, query) {
        print_line(format_args!("{}: {}", line_in(notation, pos, &[mv]), first_in_words(verdict)))?;
    }
    Ok(())
}

fn first_in_words(found: FirstMove) -> String {
    match found {
        FirstMove::Mate(length) => format!("mate {length}"),
        FirstMove::NoMate => "nomate".to_string(),
        FirstMove::Unknown(reason) => format!("unknown: {}", reason_in_words(reason)),
    }
}

/// A report as an object.
fn report_json(report: &MateReport, pos: &Position, time: Duration) -> Value {
    let mut told = json!({"sfen": pos.to_sfen(), "nodes": report.nodes, "time_ms": time.as_millis() as u64});
    match &report.answer {
        MateAnswer::Mate(mate) => {
            told["verdict"] = json!("mate");
            told["length"] = json!(mate.length);
            told["exact"] = json!(mate.is_exact);
            told["line"] = mate.line.iter().map(Move::to_string).collect();
            if let Some(line) = &mate.without_futile {
                told["without_futile"] = line.iter().map(Move::to_string).collect();
            }
            for (kind, count) in &mate.left_over {
                told["left_over"][kind.to_string()] = json!(count);
            }
        }
        MateAnswer::NoMate => told["verdict"] = json!("nomate"),
        MateAnswer::Unknown(reason) => {
            told["verdict"] = json!("unknown");
            told["reason"] = json!(reason_in_words(*reason));
        }
    }
    told
}

fn write_proof(file: &Path, pos: &Position, proof: &Proof) -> io::Result<()> {
    let mut out = NewFile::create(file)?;
    proof.write(pos, &mut out)?;
    out.finish()
}

/// Checks a written proof.
fn check(file: &Path) -> Result<(), Failure> {
    let shown = file.display();
    let text = read_input_text(file).map_err(in_file(file))?;
    match check_proof(&text) {
        Ok(proof) => {
            print_line(proof.position.to_sfen())?;
            print_line(format_args!("mate {} proved by {}", proof.length, Counted(proof.size, "position")))
        }
        Err(fault) => verdict(print_line(format_args!("{shown}: {fault}")), true),
    }
}

fn in_short(progress: &MateProgress) -> String {
    let mate = progress.mate.map_or(String::new(), |length| format!("mate {length} "));
    let MateProgress { hashfull, line, .. } = progress;
    format!("{mate}nps {} hashfull {hashfull} ply {} {}", progress.nps(), line.len(), in_usi(line))
}

/// The moves in a notation, with blanks between them.
fn line_in(notation: Notation, pos: &Position, line: &[Move]) -> String {
    match notation {
        Notation::Usi => in_usi(line),
        Notation::Japanese => japanese_line(pos, line).join(" "),
    }
}

fn in_usi(line: &[Move]) -> String {
    line.iter().map(Move::to_string).collect::<Vec<_>>().join(" ")
}

/// `mate 5 exact`, `mate 7`, `nomate`, `unknown: ..`.
fn in_words(answer: &MateAnswer) -> String {
    match answer {
        MateAnswer::Mate(mate) if mate.is_exact => format!("mate {} exact", mate.length),
        MateAnswer::Mate(mate) => format!("mate {}", mate.length),
        MateAnswer::NoMate => "nomate".to_string(),
        MateAnswer::Unknown(reason) => format!("unknown: {}", reason_in_words(*reason)),
    }
}

fn reason_in_words(reason: OpenReason) -> &'static str {
    match reason {
        OpenReason::Time => "out of time",
        OpenReason::Nodes => "out of nodes",
        OpenReason::Stopped => "stopped",
        OpenReason::Length => "no mate within 3999 plies",
        OpenReason::Memory => "a mate, but its proof does not fit into the memory",
        OpenReason::Thread => "the system gives no thread",
    }
}
