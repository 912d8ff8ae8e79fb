//! Games and moves as text.
//!
//! A game is a [`record::GameRecord`], whatever the format: [`kif`], [`ki2`] and [`csa`] read and write the records
//! of the Japanese programs and servers, [`json`] is a line of a match, [`pgn`] reads what test systems write,
//! [`usi`] the text of the protocol, [`answer`] what an engine says in a game, [`thought`] what an engine thought of
//! a move as programs read it in comments.
//!
//! ```
//! use komainu::notation::{Format, read_game};
//!
//! let text = "先手：駒犬\n\n▲７六歩    △３四歩    ▲２二角成  △同　銀\nまで4手で中断\n";
//! let game = read_game(text.as_bytes(), None)?.record;
//! assert_eq!(game.players[0].as_deref(), Some("駒犬"));
//! assert_eq!(game.moves[2].mv.to_string(), "8h2b+");
//! assert!(Format::Csa.write(&game).ends_with("+8822UM\n-3122GI\n%CHUDAN\n"));
//! # Ok::<(), komainu::notation::ReadError>(())
//! ```

pub mod answer;
pub mod csa;
pub mod encoding;
mod file;
pub mod json;
pub mod ki2;
pub mod kif;
mod lines;
pub mod pgn;
pub mod record;
pub mod thought;
pub mod usi;

pub use file::{Format, ReadError, read_file_bytes, read_game, read_games};
