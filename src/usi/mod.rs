//! The USI protocol over standard input and output: commands, options, reports, debug log.
//!
//! A line goes from `input` (bytes, encodings) through [`crate::protocol`] (meaning, no side effects) into
//! `event_queue`, from where `session` executes it. A search runs in `active_search` and is shown by `info`, a search
//! for a mate in `mate_search`, the tables of both are allocated in `table_thread`; `bench` runs the fixed work of a
//! build; `output` alone writes. Where there is one thread for all, the owner of the session drives it (`driven`).
//! [`options`] is the one table of options, `evaluation` reads the net that they ask for, `opening_book` the books,
//! `debug_log` keeps the conversation, `by_hand` answers a person at a terminal. Whether an engine keeps to the
//! protocol is checked by `conformance`.

mod active_search;
mod bench;
mod by_hand;
mod clock;
mod debug_log;
mod driven;
mod evaluation;
mod event;
mod event_queue;
mod info;
mod input;
mod level_game;
mod mate_search;
mod opening_book;
pub mod options;
mod output;
mod paths;
mod resources;
mod session;
mod table_thread;

pub use by_hand::Audience;
pub use clock::{clock_of, limits_of};
pub use debug_log::Direction;
pub use driven::DrivenSession;
pub use session::{run, run_for};
