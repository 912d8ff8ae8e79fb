//! KI2, the record format for people: moves as books print them, several on a line.
//!
//! A move names its destination and its piece, and only if need be where the piece comes from. Headers, comments,
//! variations and the last line are those of KIF ([`super::kif`]); there are no times.

use super::error::RecordError;
use super::format::Format;
use super::japanese_move::piece_and_marks;
use super::kif::ending::{summary, summary_by_word};
use super::kif::{push_destination, write_comments, write_head};
use super::lines::{RecordLine, lines};
use super::record::{GameRecord, Parsed};
use super::vocabulary::marker;
use crate::position::Position;
use crate::types::{Move, MoveKind, Square};
use std::fmt::Write;

/// Moves on a line.
const PER_LINE: usize = 6;

/// Reads the first record of a text.
pub fn read(text: &str) -> Result<Parsed, RecordError> {
    Format::Ki2.read_first(text)
}

/// Writes a record, with the lines `\n`. It has no times.
pub fn write(record: &GameRecord) -> String {
    let mut text = String::new();
    let handicap = write_head(&mut text, record);
    text.push('\n');
    write_comments(&mut text, &record.comments);
    for (index, line) in lines(record).iter().enumerate() {
        if index > 0 {
            _ = writeln!(text, "\n変化：{}手", line.from);
        }
        let by_word = if index == 0 { end_by_word(record) } else { None };
        write_line(&mut text, line, handicap, by_word);
    }
    text
}

/// The last line of the game with the word of the record for its end.
fn end_by_word(record: &GameRecord) -> Option<String> {
    let plies = record.moves.len();
    let side = if plies.is_multiple_of(2) { record.start.side() } else { !record.start.side() };
    summary_by_word(record.end_word.as_ref()?, record.conclusion.as_ref(), side, plies)
}

/// Tests whether the word for the end can be written.
pub(crate) fn holds_end_word(record: &GameRecord) -> bool {
    record.end_word.is_none() || end_by_word(record).is_some()
}

/// A legal move in words, as ▲７六歩 or △同銀右成; `last` is where the move before it went.
///
/// ```
/// use komainu::notation::ki2;
/// use komainu::position::Position;
///
/// // Two golds can go there: the text says which.
/// let position = Position::from_sfen("4k4/9/9/9/9/9/9/9/3GKG3 b - 1")?;
/// assert_eq!(ki2::move_text(&position, "4i5h".parse()?, None), "▲５八金右");
/// assert_eq!(ki2::move_text(&position, "5i5h".parse()?, None), "▲５八玉");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn move_text(pos: &Position, mv: Move, last: Option<Square>) -> String {
    let mut text = String::from(marker(pos.side()));
    push_destination(&mut text, mv, last, "");
    text + &piece_and_marks(pos, mv)
}

/// A line of legal moves in words; a drop is always called one, as problems are used to: ▲５二金打.
///
/// ```
/// use komainu::notation::ki2;
/// use komainu::position::Position;
///
/// let position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G 1")?;
/// assert_eq!(ki2::japanese_line(&position, &["G*5b".parse()?]), ["▲５二金打"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn japanese_line(pos: &Position, line: &[Move]) -> Vec<String> {
    let mut pos = pos.clone();
    let mut last = pos.last_move().map(Move::to);
    let mut words = Vec::with_capacity(line.len());
    for &mv in line {
        let mut text = move_text(&pos, mv, last);
        if matches!(mv.kind(), MoveKind::Drop { .. }) && !text.ends_with('打') {
            text.push('打');
        }
        words.push(text);
        last = Some(mv.to());
        pos.do_move(mv);
    }
    words
}

fn write_line(text: &mut String, line: &RecordLine<'_>, handicap: bool, by_word: Option<String>) {
    let mut pos = line.start.clone();
    let mut last = line.last;
    let mut on_line = 0;
    for made in line.moves {
        if on_line > 0 {
            text.push_str("    ");
        }
        text.push_str(&move_text(&pos, made.mv, last));
        on_line += 1;
        if on_line == PER_LINE || !made.comments.is_empty() {
            text.push('\n');
            on_line = 0;
        }
        write_comments(text, &made.comments);
        last = Some(made.mv.to());
        pos.do_move(made.mv);
    }
    if on_line > 0 {
        text.push('\n');
    }
    let plies = line.from + line.moves.len() - 1;
    let told = line.conclusion.map(|conclusion| summary(conclusion, pos.side(), plies, handicap));
    if let Some(told) = by_word.or(told) {
        _ = writeln!(text, "{told}");
    }
}
