//! The USI protocol over standard input and output.
//!
//! A line goes from `input` (bytes, encodings) through [`command`] (meaning, no side effects) into `event_queue`, from
//! where `session` executes it. A search runs in `active_search` and is shown by `info`, a search for a mate in
//! `mate_search`, the tables of both are allocated in `table_thread`; `output` alone writes. [`options`] is the one table
//! of options, `evaluation` reads the net that they ask for, `debug_log` keeps the conversation. [`grammar`] checks a
//! conversation from outside, [`log`] reads recorded ones.

mod active_search;
pub mod command;
mod debug_log;
mod evaluation;
mod event_queue;
pub mod grammar;
mod info;
mod input;
mod level_game;
pub mod log;
mod mate_search;
pub mod options;
mod output;
mod paths;
mod session;
mod table_thread;

pub use session::run;
