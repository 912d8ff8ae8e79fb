//! `komainu book query`

use crate::book::write::json_line;
use crate::book::{Book, BookEntry, Candidate, Lookup, OnTheFly};
use crate::cli::terminal::{Failure, print_line, verdict};
use crate::notation::usi::parse_opening;
use crate::settings::SFEN_HELP;
use std::path::PathBuf;

/// Show what a book says of a position
///
/// Without --sfen and --moves that is the start position. Exit code 1 if the book does not have the position, nor its
/// 180-degree twin.
#[derive(clap::Args)]
pub(super) struct Arguments {
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

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { book, sfen, moves, lines, json } = arguments;
    let (option, text) = match (sfen, moves) {
        (Some(sfen), _) => ("--sfen", sfen.clone()),
        (None, moves) => ("--moves", format!("startpos moves {}", moves.as_deref().unwrap_or_default())),
    };
    let parsed = parse_opening(&text).map_err(|error| Failure::Usage(format!("{option}: {error}")))?;
    let position = parsed.position.without_history();
    let opened = Book::open(book, OnTheFly::Yes)?;
    let found = opened.find(&position, Lookup::default()).map_err(|fault| fault.in_file(book))?;
    let Some(mut found) = found else {
        return verdict(print_line(format_args!("not in the book: {position}")), true);
    };
    found.truncate(*lines);
    let entry = BookEntry { moves: found, ..BookEntry::new(position) };
    if *json {
        return print_line(json_line(&entry));
    }
    print_line(format_args!("sfen {}", entry.position))?;
    entry.moves.iter().try_for_each(|candidate| print_line(in_words(candidate)))
}

/// `7g7f reply 3c3d value 40 depth 20 count 5`; what is not known is left out.
fn in_words(candidate: &Candidate) -> String {
    let Candidate { mv, reply, value, depth, count, comment } = candidate;
    let mut text = mv.to_string();
    reply.iter().for_each(|reply| text.push_str(&format!(" reply {reply}")));
    value.iter().for_each(|value| text.push_str(&format!(" value {value}")));
    text.push_str(&format!(" depth {depth} count {count}"));
    if !comment.is_empty() {
        text.push_str(&format!(" # {}", comment.replace('\n', " ")));
    }
    text
}
