//! `komainu book sort`

use super::{BookProgress, Output, collect};
use crate::cli::terminal::Failure;
use std::path::PathBuf;

/// Sort a book, so that it can be searched on disk; equal positions become one
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Book to read
    book: PathBuf,
    #[command(flatten)]
    output: Output,
    /// Turn positions with white to move by 180 degrees: only for readers that look up twins (FlippedBook)
    #[arg(long)]
    fold: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { book, output, fold } = arguments;
    let mut collector = output.collector(*fold, false)?;
    let progress = BookProgress::new("positions read");
    collect(book, 0, &mut collector, &progress)?;
    let collected = collector.finish().map_err(crate::cli::terminal::in_file(&output.out))?;
    drop(progress);
    output.write(&collected)
}
