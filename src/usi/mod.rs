//! The USI protocol over standard input and output: commands, options, reports, debug log.
//!
//! `run` reads lines, whose meaning [`crate::protocol`] knows, and puts the commands into the `event_queue`; `session`
//! takes them out one by one and executes them. Whatever takes long is a job for the thread of `engine`, which owns the
//! table and the workers. `search` is a running search as the session sees it, `mate_search` one for a mate; `info` shows
//! their progress, and `output` alone writes.
//!
//! [`options`] is the one table of options, `evaluation` reads the net that they ask for, `opening_book` the books,
//! `level_game` keeps what a playing level must know of its game, `debug_log` keeps the conversation, `terminal` has the
//! words for a person who types. Whether an engine keeps to the protocol is checked by `conformance`.

mod debug_log;
mod engine;
mod evaluation;
mod event_queue;
mod info;
mod level_game;
mod mate_search;
mod opening_book;
pub mod options;
mod output;
mod run;
mod search;
mod session;
mod terminal;

pub use debug_log::Direction;
pub use run::{DrivenSession, run, run_for};
pub use search::{clock_of, limits_of};
pub use terminal::Audience;
