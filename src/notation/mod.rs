//! Games and moves as text: USI, records, JSON.
//!
//! A game is a [`record::GameRecord`], whatever the format: `kif`, `ki2` and `csa` read and write the records of
//! the Japanese programs and servers, `jkf` a JSON that viewers exchange, `json` is a line of a match, `pgn` reads
//! what test systems write, [`usi`] the moves and positions of the protocol, [`score`] a score as it is reported,
//! `target` what each of the formats has a place for, `thought` what an engine thought of a move as programs read
//! it in comments, `remark` reads such comments of all programs, `time_limit` how long the players had, `svg` draws a
//! board. [`tree`] is a record as a tree, for programs that walk through variations and add to them. Files of games are
//! read by `games`.
//!
//! Without the feature `records` there are [`record`], [`score`], [`tree`] and [`usi`].

#[cfg(feature = "records")]
pub mod csa;
#[cfg(feature = "records")]
pub mod encoding;
#[cfg(feature = "records")]
mod file;
#[cfg(feature = "records")]
pub mod jkf;
#[cfg(feature = "records")]
#[doc(hidden)]
pub mod json;
#[cfg(feature = "records")]
pub mod ki2;
#[cfg(feature = "records")]
pub mod kif;
#[cfg(feature = "records")]
mod likeness;
#[cfg(feature = "records")]
mod lines;
#[doc(hidden)]
pub mod pgn;
pub mod record;
#[cfg(feature = "records")]
pub mod remark;
pub mod score;
#[cfg(feature = "records")]
pub mod svg;
#[cfg(feature = "records")]
pub mod target;
#[cfg(feature = "records")]
pub mod thought;
#[cfg(feature = "records")]
pub mod time_limit;
pub mod tree;
pub mod usi;

#[cfg(feature = "records")]
pub use file::{Format, ReadError};
#[cfg(feature = "records")]
pub use likeness::likeness;
