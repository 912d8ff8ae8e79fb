//! `komainu book`: opening books are made, judged, merged, checked and converted.

mod check;
mod export;
mod graph;
mod make;
mod merge;
mod query;
mod think;

use crate::settings::{MEMORY_HELP, megabytes};
use crate::terminal::{Failure, complain, in_file, print_line, progress};
use indicatif::ProgressBar;
use komainu::book::collect::{Collection, Collector, Order};
use komainu::book::stream::visit_entries;
use komainu::book::write::{BookPositions, OutputFormat, Written, folder_of, write_new};
use komainu::book::{BookEntry, BookFormat};
use komainu::types::{Counted, Quoted};
use std::path::{Path, PathBuf};

/// Make, judge, merge, check and convert opening books
///
/// Books are read in four formats, told apart by their content: YANEURAOU-DB2016 (.db), .ybb, Apery's book.bin and
/// ShogiGUI's .sbk. They are written in the format that the ending of the file name tells. Whatever is written is
/// sorted, in bounded memory, and takes its place as a whole at the end. The last line of what writes:
/// `N positions, M moves`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Make(make::Arguments),
    Think(Box<think::Arguments>),
    Minimax(graph::MinimaxArguments),
    Next(graph::NextArguments),
    Prune(graph::PruneArguments),
    Merge(merge::MergeArguments),
    Sort(merge::SortArguments),
    Check(check::Arguments),
    Query(query::QueryArguments),
    Export(export::Arguments),
    Stats(query::StatsArguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Make(arguments) => make::run(arguments),
        Command::Think(arguments) => think::run(arguments),
        Command::Minimax(arguments) => graph::minimax(arguments),
        Command::Next(arguments) => graph::next(arguments),
        Command::Prune(arguments) => graph::prune(arguments),
        Command::Merge(arguments) => merge::merge(arguments),
        Command::Sort(arguments) => merge::sort(arguments),
        Command::Check(arguments) => check::run(arguments),
        Command::Query(arguments) => query::query(arguments),
        Command::Export(arguments) => export::run(arguments),
        Command::Stats(arguments) => query::stats(arguments),
    }
}

/// The book that is written.
#[derive(clap::Args)]
struct Output {
    /// Book to write, which replaces one that is there; its ending tells the format: .db, .ybb, .bin (Apery), .sbk or
    /// .jsonl
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    memory: Memory,
}

/// Memory of a sort.
#[derive(clap::Args)]
struct Memory {
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = megabytes(), help = MEMORY_HELP)]
    memory: u32,
}

impl Memory {
    fn bytes(&self) -> usize {
        (self.memory as usize) << 20
    }
}

impl Output {
    fn format(&self) -> Result<OutputFormat, Failure> {
        format_of(&self.out)
    }

    /// A collector in the order that the format wants.
    fn collector(&self, fold: bool, keep_ply: bool) -> Result<Collector, Failure> {
        let order = self.format()?.order();
        Ok(collector(&self.out, &self.memory, order, fold, keep_ply))
    }

    /// Writes these positions as a book and says how much it was.
    fn write_entries(&self, entries: impl IntoIterator<Item = BookEntry>) -> Result<(), Failure> {
        let mut collector = self.collector(false, false)?;
        for entry in entries {
            collector.push(0, entry).map_err(in_file(&self.out))?;
        }
        self.write_collected(collector)
    }

    /// Writes what was collected and says how much it was.
    fn write_collected(&self, collector: Collector) -> Result<(), Failure> {
        self.write(&collector.finish().map_err(in_file(&self.out))?)
    }

    /// Writes the book and says how much it was.
    fn write(&self, source: &dyn BookPositions) -> Result<(), Failure> {
        let format = self.format()?;
        print_written(write_file(&self.out, format, source)?, format.ending())
    }
}

fn print_written(written: Written, format: &str) -> Result<(), Failure> {
    print_written_and(written, format, "")
}

/// Says how much was written, and more behind it in the last line; what the format has no place for is told before.
fn print_written_and(written: Written, format: &str, more: &str) -> Result<(), Failure> {
    let Written { positions, moves, left_out, losses } = written;
    if !losses.is_empty() {
        complain(format_args!("{format} has no place for some of it; lost: {losses}"));
    }
    if left_out > 0 {
        print_line(format_args!("left out: {}", Counted(left_out, "move")))?;
    }
    print_line(format_args!("{positions} positions, {moves} moves{more}"))
}

fn format_of(path: &Path) -> Result<OutputFormat, Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match OutputFormat::of_name(&name) {
        Some(format) => Ok(format),
        None => Err(Failure::Usage(format!("{}: no book format has this ending", Quoted(&name)))),
    }
}

fn collector(beside: &Path, memory: &Memory, order: Order, fold: bool, keep_ply: bool) -> Collector {
    Collector::new(Collection { order, memory: memory.bytes(), fold, keep_ply }, folder_of(beside))
}

fn write_file(path: &Path, format: OutputFormat, source: &dyn BookPositions) -> Result<Written, Failure> {
    let (file, written) = write_new(path, format, source).map_err(in_file(path))?;
    file.finish().map_err(in_file(path))?;
    Ok(written)
}

/// Writes a book that has a position; without one the file that is there stays.
fn write_unless_empty(
    path: &Path,
    format: OutputFormat,
    source: &dyn BookPositions,
) -> Result<Option<Written>, Failure> {
    let (file, written) = write_new(path, format, source).map_err(in_file(path))?;
    if written.positions == 0 {
        return Ok(None);
    }
    file.finish().map_err(in_file(path))?;
    Ok(Some(written))
}

/// Puts the positions of a book into a collector.
fn collect(
    path: &Path,
    source: u16,
    collector: &mut Collector,
    progress: &BookProgress,
) -> Result<BookFormat, Failure> {
    let mut left_out = 0_u64;
    let format = visit_entries::<Failure>(path, |entry| {
        progress.step();
        left_out += u64::from(!collector.push(source, entry).map_err(in_file(path))?);
        Ok(())
    })?;
    if left_out > 0 {
        let lost = Counted(left_out, "position");
        progress.remark(&format!("{}: {lost} without both kings left out", path.display()));
    }
    Ok(format)
}

/// Progress of long work.
struct BookProgress(ProgressBar);

impl BookProgress {
    fn new(what: &'static str) -> BookProgress {
        BookProgress(progress::counter(what))
    }

    fn step(&self) {
        self.0.inc(1);
    }

    fn remark(&self, text: &str) {
        self.0.suspend(|| complain(text));
    }
}

impl Drop for BookProgress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
