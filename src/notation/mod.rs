//! Games and moves as text: records, USI, JSON.
//!
//! A game is a [`record::GameRecord`], whatever its format. [`Format`] names the formats, reads and writes them and
//! knows what each has no place for; the readers and writers are `kif`, `ki2`, `csa`, `jkf` and [`usi`]. [`tree`] is a
//! record as a tree, for programs that walk through variations and add to them. [`score`] is a score as engines report
//! it, `remark` reads and writes what engines say in comments, `time_limit` how long the players had, `json` is the line
//! that a match keeps of a game, `svg` draws a board. Files of games are read by `games`.
//!
//! Without the feature `records` there is no JSON; without the feature `notation` there are [`record`], [`score`],
//! [`tree`] and [`usi`].

#[cfg(feature = "notation")]
pub mod csa;
#[cfg(feature = "notation")]
pub mod encoding;
#[cfg(feature = "notation")]
mod error;
#[cfg(feature = "notation")]
mod format;
#[cfg(feature = "notation")]
mod japanese_move;
#[cfg(feature = "records")]
pub mod jkf;
#[cfg(feature = "records")]
#[doc(hidden)]
pub mod json;
#[cfg(feature = "notation")]
pub mod ki2;
#[cfg(feature = "notation")]
pub mod kif;
#[cfg(feature = "notation")]
mod likeness;
#[cfg(feature = "notation")]
mod lines;
pub mod number;
#[cfg(feature = "notation")]
#[doc(hidden)]
pub mod pgn;
pub mod record;
#[cfg(feature = "notation")]
pub mod remark;
pub mod score;
#[cfg(feature = "notation")]
pub mod svg;
#[cfg(feature = "notation")]
pub mod time_limit;
pub mod tree;
pub mod usi;
#[cfg(feature = "notation")]
mod vocabulary;

#[cfg(feature = "notation")]
pub use error::{RecordError, RecordErrorKind};
#[cfg(feature = "notation")]
pub use format::{Format, Part};
#[cfg(feature = "notation")]
pub use likeness::likeness;
