//! The USI protocol over standard input and output.
//!
//! A line goes from `input` (bytes, encodings) through [`command`] (meaning, no side effects) into `inbox`, from where
//! `session` obeys it. A search runs in `thinking` and is shown by `info`, a search for a mate in `mating`;
//! `output` alone writes. [`options`] is the one
//! table of options, `evaluation` reads the net that they ask for and `library` opens the books, `debug_log` keeps the conversation. [`grammar`] checks
//! a conversation from outside, [`log`] reads recorded ones.

pub mod command;
mod debug_log;
mod evaluation;
pub mod grammar;
mod inbox;
mod info;
mod input;
mod library;
pub mod log;
mod mating;
pub mod options;
mod output;
mod paths;
mod session;
mod thinking;
mod workshop;

pub use session::run;
