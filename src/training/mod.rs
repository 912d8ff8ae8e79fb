//! Training data: games that the engine plays against itself, and what a trainer reads of them.
//!
//! [`selfplay`] plays games from random starts, one a thread, and [`games`] keeps them: a start, then a move and a
//! score for each ply, about four bytes a position; [`merge`] joins the shares of several machines, [`pgn`] takes games
//! of test systems, [`rescore`] looks at old games with the present engine. [`tally`] counts what such files hold,
//! [`filter`] finds the positions to train on, [`quiet`] the ends of their captures. [`siblings`] groups each played
//! move with others, and [`records`] are such positions as other programs exchange them.

mod error;
pub mod filter;
pub mod games;
pub mod merge;
pub mod pgn;
pub mod quiet;
pub mod records;
pub mod rescore;
pub mod selfplay;
pub mod shuffle;
pub mod siblings;
pub mod tally;
pub mod train;
pub mod win_rate;

pub use error::DataError;
