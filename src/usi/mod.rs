//! The USI protocol over standard input and output.
//!
//! [`command`] turns a line into a [`command::Command`] without side effects, [`options`] is the one table of options,
//! [`info`] formats what a search reports, [`output`] writes whole lines, and [`session`] ties them together.
//! [`grammar`] checks a conversation from outside, [`log`] reads recorded ones.

pub mod command;
pub mod grammar;
pub mod info;
pub mod log;
pub mod options;
pub mod output;
pub mod session;

pub use session::run;
