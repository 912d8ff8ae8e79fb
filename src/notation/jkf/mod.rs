//! JKF, records as JSON ("JSON Kifu Format"), which web pages and viewers exchange.
//!
//! A record is one object: `header`, `initial` for a start other than the even one, and `moves`, of which the first
//! entry has only the comments before the first move. A variation hangs as an array in `forks` at the move that it
//! replaces. How a game ended is the name of a CSA statement (`TORYO`) in place of a move; the format has no winner
//! and no move counter.

mod model;
mod reader;
mod writer;

use super::record::{GameRecord, Parsed};
use thiserror::Error;

/// Why a JSON text is no record.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum JkfError {
    /// The text is not JSON, or has other fields.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// The start is none.
    #[error("initial: {0}")]
    Start(String),
    /// A move that cannot be played: its number from 1, why, and the record up to it.
    #[error("move {number}: {fault}")]
    Move {
        /// The number of the move, from 1.
        number: usize,
        /// Fault of the move.
        fault: String,
        /// The game before that move.
        before: Box<Parsed>,
    },
}

/// Reads a record.
///
/// ```
/// use komainu::notation::jkf;
///
/// let text = r#"{"header":{"先手":"駒犬"},"moves":[{},
///     {"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}},{"special":"TORYO"}]}"#;
/// let game = jkf::read(text)?.record;
/// assert_eq!((game.moves[0].mv.to_string(), game.players[0].as_deref()), ("7g7f".to_string(), Some("駒犬")));
/// assert!(jkf::write(&game).contains("\"special\":\"TORYO\""));
/// # Ok::<(), jkf::JkfError>(())
/// ```
pub fn read(text: &str) -> Result<Parsed, JkfError> {
    reader::read(text)
}

/// Writes a record in one line, with a line end. Times are cut to whole seconds; variations within more than 40 others
/// are left out.
pub fn write(record: &GameRecord) -> String {
    writer::write(record)
}

/// Tells whether all variations of a record can be written.
pub fn holds_variations(record: &GameRecord) -> bool {
    writer::holds_variations(record)
}

/// Tells whether all ends of a record have a statement that says who won.
pub(in crate::notation) fn holds_ends(record: &GameRecord) -> bool {
    writer::holds_ends(record)
}
