//! `komainu book minimax`, `komainu book next` and `komainu book prune`: a book as a graph of positions

use super::{BookProgress, Output};
use crate::settings::{RuleSetting, Sides};
use crate::terminal::{Failure, in_file, numbered_lines, print_line, read_position};
use komainu::book::graph::{Graph, MinimaxOptions, NextOptions, PruneOptions, Twins, WrittenMoves, next_lines, pruned};
use komainu::book::stream::visit_entries;
use komainu::host::read_text;
use komainu::position::{EnteringKingRule, Position};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Carry the values of a book from the ends of its lines to their beginning
///
/// Moves that the book does not list but that lead to its positions are joined; endless lines are draws, perpetual
/// checks lose for the side that gives them. The whole book is in memory meanwhile.
#[derive(clap::Args)]
pub(super) struct MinimaxArguments {
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
fn read_graph(book: &Path, twins: Twins, rule: EnteringKingRule) -> Result<Graph, Failure> {
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

pub(super) fn minimax(arguments: &MinimaxArguments) -> Result<(), Failure> {
    let MinimaxArguments { book, output, draw, shrink, rules } = arguments;
    output.format()?;
    // A draw that is worth something to one side tells the twins apart.
    let twins = if *draw == 0 { Twins::Folded } else { Twins::Apart };
    let mut graph = read_graph(book, twins, rules.resolve().entering_king)?;
    graph.minimax(MinimaxOptions { draw: *draw });
    output.write_entries(graph.entries(if *shrink { WrittenMoves::Best } else { WrittenMoves::All }))
}

/// List the ends of a book's lines that are worth thinking about next
///
/// One side plays its best moves only (--own-margin: its good ones), the other any move that is not much worse than the
/// best line from the root. Each line leads out of the book: `startpos moves ...`, as `book think --positions` reads
/// it. Run `book minimax` before.
#[derive(clap::Args)]
pub(super) struct NextArguments {
    /// Book to read
    book: PathBuf,
    /// Centipawns that a move of the other side may be worse
    #[arg(long, value_name = "CP", default_value_t = 30, value_parser = clap::value_parser!(i32).range(0..=99_999))]
    margin: i32,
    /// Let the side that plays its best moves also play those that are at most CP centipawns worse, than the best one
    /// of the position and than the best line from the root: for a book with variety
    #[arg(long, value_name = "CP", value_parser = clap::value_parser!(i32).range(0..=99_999))]
    own_margin: Option<i32>,
    /// Side that plays its best moves only
    #[arg(long, value_enum, default_value_t = Sides::Both)]
    side: Sides,
    /// Longest line, in plies
    #[arg(long, value_name = "N", default_value_t = 80, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    plies: u16,
    #[command(flatten)]
    roots: Roots,
}

/// Where the lines of a book begin.
#[derive(clap::Args)]
pub(super) struct Roots {
    /// Positions to begin with, one a line: a SFEN or `startpos moves ...`; without it the start position
    #[arg(long, value_name = "FILE")]
    roots: Option<PathBuf>,
}

impl Roots {
    /// The positions, each with the text that names it.
    pub(super) fn roots(&self) -> Result<Vec<(String, Position)>, Failure> {
        match &self.roots {
            Some(file) => read_roots(file),
            None => Ok(vec![("startpos".to_string(), Position::startpos())]),
        }
    }
}

pub(super) fn next(arguments: &NextArguments) -> Result<(), Failure> {
    let roots = arguments.roots.roots()?;
    let graph = read_graph(&arguments.book, Twins::Folded, EnteringKingRule::CSARule27)?;
    let mut printed = HashSet::new();
    for (text, root) in &roots {
        for side in arguments.side.colors() {
            let options = NextOptions {
                side,
                margin: arguments.margin,
                own_margin: arguments.own_margin,
                plies: arguments.plies.into(),
            };
            for line in next_lines(&graph, root, options) {
                let mut text = text.clone();
                if !line.is_empty() && !text.contains(" moves") {
                    text.push_str(" moves");
                }
                for mv in line {
                    text.push_str(&format!(" {mv}"));
                }
                if printed.insert(text.clone()) {
                    print_line(text)?;
                }
            }
        }
    }
    Ok(())
}

/// The lines of a file with their positions.
pub(super) fn read_roots(file: &Path) -> Result<Vec<(String, Position)>, Failure> {
    let text = read_text(file).map_err(in_file(file))?;
    let mut roots = Vec::new();
    for (number, line) in numbered_lines(&text) {
        let position = read_position(line)
            .map_err(|fault| Failure::Usage(format!("{}: line {number}: {fault}", file.display())))?;
        let is_bare = !line.starts_with("startpos") && !line.starts_with("sfen ");
        let text = if is_bare { format!("sfen {line}") } else { line.to_string() };
        roots.push((text, position));
    }
    Ok(roots)
}

/// Make a small book out of a large one: keep what is worth playing
///
/// Each side in turn plays only moves that are not much worse than the best ones, the other any move of the book: what
/// the first side meets on the way is kept, with the moves that it plays there. Run `book minimax` before.
#[derive(clap::Args)]
pub(super) struct PruneArguments {
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

pub(super) fn prune(arguments: &PruneArguments) -> Result<(), Failure> {
    let PruneArguments { book, output, margin, plies, verified, roots } = arguments;
    output.format()?;
    let roots: Vec<Position> = roots.roots()?.into_iter().map(|(_, position)| position).collect();
    let graph = read_graph(book, Twins::Folded, EnteringKingRule::CSARule27)?;
    let options = PruneOptions { margin: *margin, plies: (*plies).into(), verified: *verified };
    output.write_entries(pruned(&graph, &roots, options))
}
