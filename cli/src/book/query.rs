//! `komainu book query` and `komainu book stats`

use super::BookProgress;
use crate::settings::SFEN_HELP;
use crate::terminal::{Failure, complain, print_line, read_position, verdict};
use komainu::book::stream::visit_entries;
use komainu::book::write::json_line;
use komainu::book::{Book, BookEntry, Candidate, Lookup, OnTheFly};
use komainu::types::Color;
use std::path::PathBuf;

/// Show what a book says of a position
///
/// Without --sfen and --moves that is the start position. Exit code 1 if the book does not have the position, nor its
/// 180-degree twin.
#[derive(clap::Args)]
pub(super) struct QueryArguments {
    /// Book to read
    book: PathBuf,
    #[arg(long, help = SFEN_HELP, conflicts_with = "moves")]
    sfen: Option<String>,
    /// Position after these moves of the start position, as in "7g7f 3c3d"
    #[arg(long, allow_hyphen_values = true)]
    moves: Option<String>,
    /// Show at most N moves
    #[arg(long, value_name = "N", default_value_t = 8)]
    lines: usize,
    /// Print JSON, one object a line
    #[arg(long)]
    json: bool,
}

pub(super) fn query(arguments: &QueryArguments) -> Result<(), Failure> {
    let QueryArguments { book, sfen, moves, lines, json } = arguments;
    let (option, text) = match sfen {
        Some(sfen) => ("--sfen", sfen.clone()),
        None => ("--moves", format!("startpos moves {}", moves.as_deref().unwrap_or_default())),
    };
    let position = read_position(&text).map_err(|fault| Failure::Usage(format!("{option}: {fault}")))?;
    let position = position.without_history();
    let opened = Book::open(book, OnTheFly::Yes)?;
    let found = opened.find(&position, Lookup::default()).map_err(|fault| fault.in_file(book))?;
    let Some(mut found) = found else {
        let told = format!("not in the book: {position}");
        if *json {
            complain(told);
            return Err(Failure::CheckFailed);
        }
        return verdict(print_line(told), true);
    };
    found.truncate(*lines);
    let entry = BookEntry { moves: found, ..BookEntry::new(position) };
    if *json {
        return print_line(json_line(&entry));
    }
    print_line(format_args!("sfen {}", entry.position))?;
    for candidate in &entry.moves {
        print_line(in_words(candidate))?;
    }
    Ok(())
}

/// `7g7f reply 3c3d value 40 depth 20 count 5`; what is not known is left out.
fn in_words(candidate: &Candidate) -> String {
    let mut text = candidate.mv.to_string();
    if let Some(reply) = candidate.reply {
        text.push_str(&format!(" reply {reply}"));
    }
    if let Some(value) = candidate.value {
        text.push_str(&format!(" value {value}"));
    }
    text.push_str(&format!(" depth {} count {}", candidate.depth, candidate.count));
    if !candidate.comment.is_empty() {
        text.push_str(&format!(" # {}", candidate.comment.replace('\n', " ")));
    }
    text
}

/// Count what is in a book: positions, moves, plies, values, depths, counts
#[derive(clap::Args)]
pub(super) struct StatsArguments {
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
            if let Some(value) = candidate.value {
                self.values.add(value.into());
            }
            if candidate.depth > 0 {
                self.depths.add(candidate.depth.into());
            }
            self.counts.add(candidate.count.into());
            self.replies += u64::from(candidate.reply.is_some());
            self.comments += u64::from(!candidate.comment.is_empty());
        }
    }
}

pub(super) fn stats(arguments: &StatsArguments) -> Result<(), Failure> {
    let StatsArguments { book } = arguments;
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
