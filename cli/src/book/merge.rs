//! `komainu book merge` and `komainu book sort`

use super::{BookProgress, Output, collect};
use crate::terminal::{Failure, in_file};
use komainu::book::collect::{MergedBooks, Prefer, parse_split};
use std::path::PathBuf;

/// Make one book out of several
#[derive(clap::Args)]
pub(super) struct MergeArguments {
    /// Books to read, two or more
    #[arg(required = true, num_args = 2..)]
    books: Vec<PathBuf>,
    #[command(flatten)]
    output: Output,
    /// Whose moves are taken where several books have a position
    #[arg(long, value_enum, default_value_t = PreferArgument::Deeper)]
    prefer: PreferArgument,
    /// Take black's positions from one of two books and white's from the other: bw takes black's from the first
    #[arg(long, value_name = "bw|wb", value_parser = split)]
    split: Option<[u16; 2]>,
    /// Turn positions with white to move by 180 degrees: only for readers that look up twins (FlippedBook)
    #[arg(long, conflicts_with = "split")]
    fold: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum PreferArgument {
    /// The book whose best move was searched deepest, then the one with more moves, then the first
    Deeper,
    /// The first book that has moves
    First,
    /// The last book that has moves
    Last,
    /// All moves: counts are added, each move keeps its deepest value
    Sum,
}

fn split(text: &str) -> Result<[u16; 2], String> {
    parse_split(text).ok_or_else(|| "neither bw nor wb".to_string())
}

pub(super) fn merge(arguments: &MergeArguments) -> Result<(), Failure> {
    let MergeArguments { books, output, prefer, split, fold } = arguments;
    if split.is_some() && books.len() != 2 {
        return Err(Failure::Usage(format!("--split takes two books, not {}", books.len())));
    }
    let mut collector = output.collector(*fold, false)?;
    let progress = BookProgress::new("positions read");
    for (number, book) in books.iter().enumerate() {
        let number = u16::try_from(number).map_err(|_| Failure::Usage(format!("{} books", books.len())))?;
        collect(book, number, &mut collector, &progress)?;
    }
    let prefer = match prefer {
        PreferArgument::Deeper => Prefer::Deeper,
        PreferArgument::First => Prefer::First,
        PreferArgument::Last => Prefer::Last,
        PreferArgument::Sum => Prefer::Sum,
    };
    let collected = collector.finish().map_err(in_file(&output.out))?;
    drop(progress);
    output.write(&MergedBooks { collected, prefer, split: *split })
}

/// Sort a book, so that it can be searched on disk; equal positions become one
#[derive(clap::Args)]
pub(super) struct SortArguments {
    /// Book to read
    book: PathBuf,
    #[command(flatten)]
    output: Output,
    /// Turn positions with white to move by 180 degrees: only for readers that look up twins (FlippedBook)
    #[arg(long)]
    fold: bool,
}

pub(super) fn sort(arguments: &SortArguments) -> Result<(), Failure> {
    let SortArguments { book, output, fold } = arguments;
    let mut collector = output.collector(*fold, false)?;
    let progress = BookProgress::new("positions read");
    collect(book, 0, &mut collector, &progress)?;
    drop(progress);
    output.write_collected(collector)
}
