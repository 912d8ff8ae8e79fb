//! Training data: games that the engine plays against itself, and what a trainer reads of them.
//!
//! `selfplay` plays games from random starts, one a thread, and [`games`] keeps them: a start, then a move and a
//! score for each ply, about four bytes a position; `merge` joins the shares of several machines, `pgn` takes games
//! of test systems, `rescore` looks at old games with the present engine. `tally` counts what such files hold,
//! `filter` finds the positions to train on, and [`records`] are such positions as other programs exchange them.

#[doc(hidden)]
pub mod dlshogi;
mod error;
#[doc(hidden)]
pub mod filter;
pub mod games;
mod input;
#[doc(hidden)]
pub mod merge;
#[doc(hidden)]
pub mod pgn;
pub mod records;
#[doc(hidden)]
pub mod rescore;
#[doc(hidden)]
pub mod selfplay;
#[doc(hidden)]
pub mod shuffle;
#[doc(hidden)]
pub mod tally;
#[doc(hidden)]
pub mod train;
#[doc(hidden)]
pub mod win_rate;

pub use error::DataError;
pub use input::{ReadError, ReadFault};
