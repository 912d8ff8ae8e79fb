//! The USI protocol over standard input and output.
//!
//! A line goes from `input` (bytes, encodings) through [`command`] (meaning, no side effects) into `inbox`, from where
//! [`session`] obeys it. A search runs in `thinking` and is shown by [`info`]; [`output`] alone writes. [`options`] is
//! the one table of options, `debug_log` keeps the conversation.

pub mod command;
mod debug_log;
mod inbox;
pub mod info;
mod input;
pub mod options;
pub mod output;
mod paths;
pub mod session;
mod thinking;

pub use session::run;
