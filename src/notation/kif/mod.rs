//! KIF, the record format of Kakinoki Shogi, that nearly every Japanese program reads and writes.
//!
//! A record is a list of lines: headers `key：value`, perhaps a diagram of the start (BOD), one move a line with the
//! square that the piece comes from and the time, comments behind `*`, the end of the game as a word in place of a
//! move and again as まで…手で…, then variations. [`read`] takes what Kifu for Windows, ShogiGUI, Shogidokoro and
//! ShogiHome write, in any mixture, and KI2's lines of moves as well ([`super::ki2`]).

pub(crate) mod ending;
mod games;
mod header;
mod reader;
mod start;
mod time;
mod writer;

pub(crate) use games::games;
pub(crate) use header::is_plain as holds_header;
pub(crate) use reader::read as read_one;
pub(crate) use writer::{holds_end_word, push_destination, write_comments, write_head};

pub use header::{is_header, pairs as headers, set_header};
pub use start::write_board;
pub use writer::{write, write_variation};

use super::error::RecordError;
use super::format::Format;
use super::japanese_move::{JapaneseMove, move_number as numbered};
use super::record::Parsed;
use super::vocabulary::{leading_number, marker, trim};
use crate::position::Position;
use crate::types::{Move, Square};

/// Reads the first record of a text.
///
/// ```
/// use komainu::notation::kif;
/// use komainu::notation::record::Ending;
///
/// let game = kif::read("手合割：平手\n   1 ７六歩(77)   ( 0:05/)\n   2 投了\n")?.record;
/// assert_eq!(game.moves[0].mv.to_string(), "7g7f");
/// assert_eq!(game.moves[0].spent.map(|time| time.as_secs()), Some(5));
/// assert_eq!(game.conclusion.map(|conclusion| conclusion.ending), Some(Ending::Resignation));
///
/// let error = kif::read("   1 ７五歩(77)\n").unwrap_err();
/// assert_eq!(error.line, 1);
/// # Ok::<(), komainu::notation::RecordError>(())
/// ```
pub fn read(text: &str) -> Result<Parsed, RecordError> {
    Format::Kif.read_first(text)
}

/// The number in the head of a variation, 変化：9手, if a line is one.
pub fn variation_number(line: &str) -> Option<usize> {
    let rest = trim(line);
    let rest = rest.strip_prefix("変化：").or_else(|| rest.strip_prefix("変化:"))?;
    leading_number(trim(rest)).map(|(number, _)| number as usize)
}

/// The number of the move on a line of KIF, if a move and no ending stands there.
pub fn move_number(line: &str) -> Option<usize> {
    let (number, rest) = numbered(trim(line))?;
    JapaneseMove::parse(rest).map(|_| number as usize)
}

/// A legal move with its origin and the mark of its side, as ▲７六歩(77); `last` is where the move before it went.
///
/// ```
/// use komainu::notation::kif;
/// use komainu::position::Position;
///
/// assert_eq!(kif::move_text(&Position::startpos(), "7g7f".parse()?, None), "▲７六歩(77)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn move_text(pos: &Position, mv: Move, last: Option<Square>) -> String {
    format!("{}{}", marker(pos.side()), writer::move_text(pos, mv, last))
}
