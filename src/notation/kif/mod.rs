//! KIF, the record format of Kakinoki Shogi, that nearly every Japanese program reads and writes.
//!
//! A record is a list of lines: headers `key：value`, perhaps a diagram of the start (BOD), one move a line with the
//! square that the piece comes from and the time, comments behind `*`, the end of the game as a word in place of a
//! move and again as まで…手で…, then variations. [`read`] takes what Kifu for Windows, ShogiGUI, Shogidokoro and
//! ShogiHome write, in any mixture, and KI2's lines of moves as well ([`super::ki2`]).

mod board;
pub(in crate::notation) mod ending;
mod error;
mod games;
mod header;
mod reader;
pub(in crate::notation) mod relative_notation;
mod time;
pub(in crate::notation) mod vocabulary;
mod writer;

pub use error::{KifError, KifFault};
pub(in crate::notation) use games::games;

use super::record::{GameRecord, Parsed, RecordMove};
use crate::position::Position;
use crate::types::{Move, Square};

pub(in crate::notation) use header::{is_plain as holds_header, keep as keep_header, pairs as header_pairs};
pub(in crate::notation) use writer::{destination, holds_end_word, write_comments, write_head};

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
/// # Ok::<(), komainu::notation::kif::KifError>(())
/// ```
pub fn read(text: &str) -> Result<Parsed, KifError> {
    let (lines_before, first) = games(text)[0];
    reader::read(first).map_err(|error| KifError { line: error.line + lines_before, ..error })
}

/// Reads a text of one record.
pub(in crate::notation) fn read_one(text: &str) -> Result<Parsed, KifError> {
    reader::read(text)
}

/// Writes a record, with the lines `\n`. Times are cut to whole seconds.
pub fn write(record: &GameRecord) -> String {
    writer::write(record)
}

/// All headers of a record and its players, each by the key that KIF has for it.
///
/// ```
/// use komainu::notation::kif;
///
/// let mut game = kif::read("棋戦：名人戦\n手合割：平手\n   1 ７六歩(77)\n")?.record;
/// kif::set_header(&mut game, "先手", "駒犬");
/// let headers = kif::headers(&game);
/// assert_eq!(headers.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(), ["先手", "棋戦"]);
/// # Ok::<(), kif::KifError>(())
/// ```
pub fn headers(record: &GameRecord) -> Vec<(String, String)> {
    header::pairs(record)
}

/// Adds a header, or sets what a record has a field for, by the key that KIF has for it.
pub fn set_header(record: &mut GameRecord, key: &str, value: &str) {
    header::keep(record, key, value);
}

/// Writes a variation as it stands behind a game: its head and its moves, the first of which is made in the position
/// and has the number `from`; `last` is where the move before it went.
pub fn write_variation(pos: &Position, from: usize, moves: &[RecordMove], last: Option<Square>) -> String {
    writer::write_variation(pos, from, moves, last)
}

/// The number in the head of a variation, 変化：9手, if a line is one.
pub fn variation_number(line: &str) -> Option<usize> {
    let rest = vocabulary::trim(line);
    let rest = rest.strip_prefix("変化：").or_else(|| rest.strip_prefix("変化:"))?;
    vocabulary::leading_number(vocabulary::trim(rest)).map(|(number, _)| number as usize)
}

/// The number of the move on a line of KIF, if a move and no ending stands there.
pub fn move_number(line: &str) -> Option<usize> {
    let (number, rest) = relative_notation::move_number(vocabulary::trim(line))?;
    relative_notation::RelativeNotation::parse(rest).map(|_| number as usize)
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
    format!("{}{}", vocabulary::marker(pos.side()), writer::move_text(pos, mv, last))
}

/// Writes a position as a diagram with hands and turn (BOD).
///
/// ```
/// use komainu::notation::kif;
/// use komainu::position::Position;
///
/// let board = kif::write_board(&Position::startpos());
/// assert!(board.contains("| ・v飛 ・ ・ ・ ・ ・v角 ・|二"));
/// let read = kif::read(&board)?.record;
/// assert_eq!(read.start, Position::startpos());
/// # Ok::<(), komainu::notation::kif::KifError>(())
/// ```
#[doc(alias = "BOD")]
pub fn write_board(pos: &Position) -> String {
    let mut text = String::new();
    board::write_diagram(&mut text, pos);
    text
}
