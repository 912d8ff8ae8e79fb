//! `komainu perft`: counts, divided or from a table of known numbers.

use crate::settings::{SFEN_HELP, THREADS_HELP, threads};
use crate::terminal::{
    Failure, hash_table, in_file, numbered_lines, print_and_go_on, print_json, print_line, print_passed, progress,
    read_position, verdict, worker_pool,
};
use indicatif::{ProgressBar, ProgressDrawTarget};
use komainu::host::read_input_text;
use komainu::movegen::{Divide, MAX_PERFT_DEPTH, PerftError, PerftTable, divide};
use komainu::position::{Position, START_SFEN};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Count the legal move sequences of a length, or check a file of known counts
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Length of the sequences, in plies
    #[arg(required_unless_present = "suite", conflicts_with = "suite", value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_PERFT_DEPTH)))]
    depth: Option<u32>,
    #[arg(long, help = SFEN_HELP, default_value = START_SFEN, hide_default_value = true, conflicts_with = "suite")]
    sfen: String,
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = threads(), help = THREADS_HELP)]
    threads: u32,
    /// Print the count behind each legal move
    #[arg(long, conflicts_with = "suite")]
    divide: bool,
    /// Remember counts in a table of this many megabytes; 0 for none
    #[arg(long, value_name = "MB", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1_048_576))]
    hash: u32,
    /// Check every line of a file: `SFEN ;D1 n ;D2 n`, `#` begins a comment; - for the standard input
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,
    /// In a suite, leave out counts above this
    #[arg(long, value_name = "N", requires = "suite")]
    max_nodes: Option<u64>,
    /// Print JSON, one object a line
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    worker_pool(arguments.threads, 1)?.install(|| {
        let table = if arguments.hash > 0 { Some(hash_table(arguments.hash, PerftTable::new)?) } else { None };
        match &arguments.suite {
            Some(file) => check_suite(arguments, file, table.as_ref()),
            None => count(arguments, table.as_ref()),
        }
    })
}

fn count(arguments: &Arguments, table: Option<&PerftTable>) -> Result<(), Failure> {
    let depth = arguments.depth.unwrap_or(1);
    let position = read_position(&arguments.sfen).map_err(|fault| Failure::Usage(format!("--sfen: {fault}")))?;
    let progress = PerftProgress::new("parts");
    let started = Instant::now();
    let how = Divide { table, progress: Some(&|done, all| progress.show(done, all)), stop: None };
    let parts = divide(&position, depth, &how).map_err(refused)?;
    let time = started.elapsed();
    progress.finish();
    let nodes = if depth == 0 { 1 } else { parts.iter().map(|part| part.1).sum::<u64>() };
    let nps = (nodes as u128 * 1_000_000_000 / time.as_nanos().max(1)) as u64;
    let sorted: BTreeMap<String, u64> = parts.iter().map(|(mv, nodes)| (mv.to_string(), *nodes)).collect();
    if arguments.json {
        let sfen = position.to_sfen();
        let time_ms = time.as_millis() as u64;
        let mut told = json!({"sfen": sfen, "depth": depth, "nodes": nodes, "time_ms": time_ms, "nps": nps});
        if arguments.divide {
            told["moves"] = json!(sorted);
        }
        return print_json(&told);
    }
    if arguments.divide {
        for (mv, nodes) in &sorted {
            print_line(format_args!("{mv}: {nodes}"))?;
        }
    }
    print_line(format_args!("nodes {nodes} time_ms {} nps {nps}", time.as_millis()))
}

fn refused(error: PerftError) -> Failure {
    Failure::Usage(error.to_string())
}

/// One `;Dn count` of a suite.
struct Expected {
    depth: u32,
    nodes: u64,
}

fn check_suite(arguments: &Arguments, file: &Path, table: Option<&PerftTable>) -> Result<(), Failure> {
    let max_nodes = arguments.max_nodes.unwrap_or(u64::MAX);
    let text = read_input_text(file).map_err(in_file(file))?;
    let lines: Vec<(usize, &str)> = numbered_lines(&text).collect();
    let progress = PerftProgress::new("positions");
    let mut passed = 0;
    let mut failed = 0;
    for (done, (number, line)) in lines.iter().enumerate() {
        let (pos, expected) = match read_line(line) {
            Ok(read) => read,
            Err(fault) => {
                failed += 1;
                progress.print(&told(arguments, file, *number, &fault))?;
                continue;
            }
        };
        for Expected { depth, nodes } in expected.into_iter().filter(|e| e.nodes <= max_nodes) {
            let parts = divide(&pos, depth, &Divide { table, ..Divide::default() }).map_err(refused)?;
            let found: u64 = parts.iter().map(|part| part.1).sum();
            if found == nodes {
                passed += 1;
            } else {
                failed += 1;
                let sfen = pos.to_sfen();
                let fault = format!("depth {depth}: found {found}, expected {nodes}: {sfen}");
                progress.print(&told(arguments, file, *number, &fault))?;
            }
        }
        progress.show(done + 1, lines.len());
    }
    progress.finish();
    verdict(print_passed(passed, failed, arguments.json), failed > 0)
}

/// A fault of a line of a suite.
fn told(arguments: &Arguments, file: &Path, number: usize, fault: &str) -> String {
    if arguments.json {
        return json!({"line_number": number, "fault": fault}).to_string();
    }
    format!("{}:{number}: {fault}", file.display())
}

/// `SFEN ;D1 n ;D2 n`
fn read_line(line: &str) -> Result<(Position, Vec<Expected>), String> {
    let mut parts = line.split(';');
    let sfen = parts.next().unwrap_or_default();
    let pos = Position::from_sfen(sfen).map_err(|error| error.to_string())?;
    let expected: Result<Vec<Expected>, String> = parts
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| {
            let fault = || format!("\"{part}\" is not a depth and a count such as D3 25470");
            let (depth, nodes) = part.strip_prefix('D').and_then(|rest| rest.split_once(' ')).ok_or_else(fault)?;
            let depth = depth.parse().ok().filter(|depth| (1..=MAX_PERFT_DEPTH).contains(depth)).ok_or_else(fault)?;
            Ok(Expected { depth, nodes: nodes.trim().parse().map_err(|_| fault())? })
        })
        .collect();
    match expected? {
        expected if expected.is_empty() => Err(format!("no count after \"{}\"", sfen.trim())),
        expected => Ok((pos, expected)),
    }
}

/// Runs shorter than this show no bar.
const PATIENCE: Duration = Duration::from_secs(2);

/// Progress, for runs over a few seconds.
struct PerftProgress {
    bar: ProgressBar,
    started: Instant,
}

impl PerftProgress {
    fn new(what: &'static str) -> PerftProgress {
        PerftProgress { bar: progress::bar_on(0, what, ProgressDrawTarget::hidden()), started: Instant::now() }
    }

    fn show(&self, done: usize, all: usize) {
        if self.started.elapsed() < PATIENCE {
            return;
        }
        if self.bar.is_hidden() {
            self.bar.set_draw_target(progress::target());
        }
        self.bar.set_length(all as u64);
        self.bar.set_position(done as u64);
    }

    /// Prints a line above the bar.
    fn print(&self, line: &str) -> Result<(), Failure> {
        self.bar.suspend(|| print_and_go_on(line))
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
