//! `komainu book prune`

use super::next::Roots;
use super::{Output, minimax};
use crate::book::graph::{PruneOptions, Twins, pruned};
use crate::cli::terminal::{Failure, in_file};
use crate::position::{EnteringKingRule, Position};
use std::path::PathBuf;

/// Make a small book out of a large one: keep what is worth playing
///
/// Each side in turn plays only moves that are not much worse than the best ones, the other any move of the book: what
/// the first side meets on the way is kept, with the moves that it plays there. Run `book minimax` before.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Book to read
    book: PathBuf,
    #[command(flatten)]
    output: Output,
    /// Centipawns that a move may be worse than the best one of its position, and than the best line from the root; the
    /// best move of a position is kept whatever its value
    #[arg(long, value_name = "CP", default_value_t = 30, value_parser = clap::value_parser!(i32).range(0..=99_999))]
    margin: i32,
    /// Longest line, in plies
    #[arg(long, value_name = "N", default_value_t = 80, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    plies: u16,
    /// Keep only moves that lead to positions of the book: those at the ends of its lines have no search of their own
    #[arg(long)]
    verified: bool,
    #[command(flatten)]
    roots: Roots,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { book, output, margin, plies, verified, roots } = arguments;
    let mut collector = output.collector(false, false)?;
    let roots: Vec<Position> = roots.roots()?.into_iter().map(|(_, position)| position).collect();
    let graph = minimax::graph(book, Twins::Folded, EnteringKingRule::CSARule27)?;
    let options = PruneOptions { margin: *margin, plies: (*plies).into(), verified: *verified };
    for entry in pruned(&graph, &roots, options) {
        collector.push(0, entry).map_err(in_file(&output.out))?;
    }
    output.write(&collector.finish().map_err(in_file(&output.out))?)
}
