//! The words of USI, read and written: commands to an engine, and its answers.
//!
//! The session of the engine (`usi`) reads a [`Command`] and writes [`Id`], [`EngineOption`], [`Info`], [`BestMove`]
//! and [`Checkmate`]; whoever talks to an engine (`client`) writes the first and reads the others. Each word of the
//! protocol stands here once, where it is read and where it is written. Reading is lenient: what a line does not say is
//! `None`, and what means nothing is passed over. Whether a line is as the protocol wants it is judged by the grammar
//! in `conformance`, which reads for itself.
//!
//! ```
//! use komainu::protocol::{BestMove, Command, Go, Info};
//! use std::time::Duration;
//!
//! let go = Go { byoyomi: Some(Duration::from_secs(1)), ..Go::default() };
//! assert_eq!(Command::Go(Box::new(go)).to_string(), "go byoyomi 1000");
//! let info = Info::read("info depth 7 score cp 31 pv 7g7f 3c3d").unwrap();
//! assert_eq!((info.depth, info.pv.len()), (Some(7), 2));
//! assert_eq!(BestMove::read("bestmove win"), Some(BestMove::Win));
//! ```

mod answer;
mod command;
mod go;
mod info;
mod option;

pub use crate::notation::number::Number;
pub use answer::{BestMove, Checkmate, Id, READYOK, USIOK};
pub use command::{Command, PositionCommand};
pub use go::{Go, GoMate};
pub use info::Info;
pub use option::{EMPTY, EngineOption, OptionType};
