//! Training data: games that the engine plays against itself, and what a trainer reads of them.
//!
//! `selfplay` plays games from random starts, one a thread, and [`games`] keeps them: a start, then a move and a
//! score for each ply, about four bytes a position; `merge` joins the shares of several machines, `pgn` takes games
//! of test systems, `rescore` looks at old games with the present engine. `tally` counts what such files hold,
//! `filter` finds the positions to train on, and [`records`] are such positions as other programs exchange them.

#[cfg(feature = "cli")]
mod error;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod filter;
pub mod games;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod merge;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod pgn;
pub mod records;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod rescore;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod selfplay;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod shuffle;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod tally;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod train;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod win_rate;

#[cfg(feature = "cli")]
pub use error::DataError;
