//! JKF, records as JSON ("JSON Kifu Format"), which web pages and viewers exchange.
//!
//! A record is one object: `header`, `initial` for a start other than the even one, and `moves`, of which the first
//! entry has only the comments before the first move. A variation hangs as an array in `forks` at the move that it
//! replaces. How a game ended is the name of a CSA statement (`TORYO`) in place of a move; the format has no winner
//! and no move counter.

mod model;
mod reader;
mod writer;

pub use reader::read;
pub(crate) use writer::holds_ends;
pub use writer::{holds_variations, write};
