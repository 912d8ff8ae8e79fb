//! `komainu book next`

use super::minimax;
use crate::book::graph::{NextOptions, Twins, next_lines};
use crate::cli::terminal::{Failure, numbered_lines, print_line};
use crate::host::read_text;
use crate::notation::usi::parse_opening;
use crate::position::{EnteringKingRule, Position};
use crate::settings::Sides;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// List the ends of a book's lines that are worth thinking about next
///
/// One side plays its best moves only (--own-margin: its good ones), the other any move that is not much worse than the
/// best line from the root. Each line leads out of the book: `startpos moves ...`, as `book think --positions` reads
/// it. Run `book minimax` before.
#[derive(clap::Args)]
pub(super) struct Arguments {
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

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let roots = arguments.roots.roots()?;
    let graph = minimax::graph(&arguments.book, Twins::Folded, EnteringKingRule::CSARule27)?;
    let mut printed = HashSet::new();
    for (text, root) in &roots {
        for side in arguments.side.colors() {
            let Arguments { margin, own_margin, plies, .. } = *arguments;
            let options = NextOptions { side, margin, own_margin, plies: plies.into() };
            for line in next_lines(&graph, root, options) {
                let mut text = text.clone();
                if !line.is_empty() && !text.contains(" moves") {
                    text.push_str(" moves");
                }
                line.iter().for_each(|mv| text.push_str(&format!(" {mv}")));
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
    let text = read_text(file).map_err(crate::cli::terminal::in_file(file))?;
    numbered_lines(&text)
        .map(|(number, line)| {
            let parsed = parse_opening(line)
                .map_err(|error| Failure::Usage(format!("{}: line {number}: {error}", file.display())))?;
            let is_bare = !line.starts_with("startpos") && !line.starts_with("sfen ");
            let text = if is_bare { format!("sfen {line}") } else { line.to_string() };
            Ok((text, parsed.position))
        })
        .collect()
}
