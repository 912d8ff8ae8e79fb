//! `komainu book stats`

use super::BookProgress;
use crate::book::stream::visit_entries;
use crate::book::{Book, BookEntry, OnTheFly};
use crate::cli::terminal::{Failure, print_line};
use crate::types::Color;
use std::path::PathBuf;

/// Count what is in a book: positions, moves, plies, values, depths, counts
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Book to read
    book: PathBuf,
}

#[derive(Default)]
struct BookTally {
    positions: u64,
    sides: [u64; 2],
    moves: u64,
    most_moves: usize,
    plies: Range,
    values: Range,
    depths: Range,
    counts: Range,
    replies: u64,
    comments: u64,
    games: u64,
}

/// The least and the greatest of some numbers, how many there were, their sum.
#[derive(Default)]
struct Range {
    bounds: Option<(i64, i64)>,
    number: u64,
    sum: i128,
}

impl Range {
    fn add(&mut self, value: i64) {
        let (least, greatest) = self.bounds.unwrap_or((value, value));
        self.bounds = Some((least.min(value), greatest.max(value)));
        self.number += 1;
        self.sum += i128::from(value);
    }

    /// `1 to 40, mean 12.3`
    fn text(&self) -> String {
        match self.bounds {
            Some((least, greatest)) => {
                format!("{least} to {greatest}, mean {:.1}", self.sum as f64 / self.number as f64)
            }
            None => "none".to_string(),
        }
    }
}

impl BookTally {
    fn add(&mut self, entry: &BookEntry) {
        self.positions += 1;
        self.sides[entry.position.side()] += 1;
        self.moves += entry.moves.len() as u64;
        self.most_moves = self.most_moves.max(entry.moves.len());
        self.plies.add(entry.position.ply().into());
        self.games += u64::from(entry.results.games > 0);
        self.comments += u64::from(!entry.comment.is_empty());
        for candidate in &entry.moves {
            candidate.value.into_iter().for_each(|value| self.values.add(value.into()));
            if candidate.depth > 0 {
                self.depths.add(candidate.depth.into());
            }
            self.counts.add(candidate.count.into());
            self.replies += u64::from(candidate.reply.is_some());
            self.comments += u64::from(!candidate.comment.is_empty());
        }
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { book } = arguments;
    let opened = Book::open(book, OnTheFly::Yes)?;
    let mut tally = BookTally::default();
    let progress = BookProgress::new("positions read");
    visit_entries::<Failure>(book, |entry| {
        progress.step();
        tally.add(&entry);
        Ok(())
    })?;
    drop(progress);
    let BookTally { positions, sides, moves, .. } = tally;
    print_line(format_args!("{}: {:?}, {opened}", book.display(), opened.format()))?;
    print_line(format_args!(
        "positions {positions}: black to move {}, white {}",
        sides[Color::Black],
        sides[Color::White]
    ))?;
    let mean = moves as f64 / positions.max(1) as f64;
    print_line(format_args!("moves {moves}: {mean:.2} a position, at most {}", tally.most_moves))?;
    print_line(format_args!("plies {}", tally.plies.text()))?;
    print_line(format_args!("values of {} moves: {}", tally.values.number, tally.values.text()))?;
    print_line(format_args!("depths of {} moves: {}", tally.depths.number, tally.depths.text()))?;
    print_line(format_args!("counts {}", tally.counts.text()))?;
    print_line(format_args!(
        "replies {}, comments {}, positions with results {}",
        tally.replies, tally.comments, tally.games
    ))?;
    print_line(format_args!("{positions} positions, {moves} moves"))
}
