//! `komainu book minimax`

use super::{BookProgress, Output};
use crate::book::graph::{Graph, MinimaxOptions, Twins, WrittenMoves};
use crate::book::stream::visit_entries;
use crate::cli::terminal::{Failure, in_file};
use crate::position::EnteringKingRule;
use crate::settings::RuleSetting;
use std::path::{Path, PathBuf};

/// Carry the values of a book from the ends of its lines to their beginning
///
/// Moves that the book does not list but that lead to its positions are joined; endless lines are draws, perpetual
/// checks lose for the side that gives them. The whole book is in memory meanwhile.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Book to read
    book: PathBuf,
    #[command(flatten)]
    output: Output,
    /// Value of a draw to black, in centipawns; other than 0, twins of 180 degrees are kept apart
    #[arg(long, value_name = "CP", default_value_t = 0, allow_negative_numbers = true,
          value_parser = clap::value_parser!(i32).range(-30_000..=30_000))]
    draw: i32,
    /// Write only the moves of the best value of each position
    #[arg(long)]
    shrink: bool,
    #[command(flatten)]
    rules: RuleSetting,
}

/// The book as a graph.
pub(super) fn graph(book: &Path, twins: Twins, rule: EnteringKingRule) -> Result<Graph, Failure> {
    let mut graph = Graph::new(twins);
    let progress = BookProgress::new("positions read");
    visit_entries::<Failure>(book, |entry| {
        progress.step();
        graph.push(entry, rule);
        Ok(())
    })?;
    graph.join();
    Ok(graph)
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { book, output, draw, shrink, rules } = arguments;
    let mut collector = output.collector(false, false)?;
    // A draw that is worth something to one side tells the twins apart.
    let twins = if *draw == 0 { Twins::Folded } else { Twins::Apart };
    let mut graph = graph(book, twins, rules.resolve().entering_king)?;
    graph.minimax(MinimaxOptions { draw: *draw });
    for entry in graph.entries(if *shrink { WrittenMoves::Best } else { WrittenMoves::All }) {
        collector.push(0, entry).map_err(in_file(&output.out))?;
    }
    output.write(&collector.finish().map_err(in_file(&output.out))?)
}
