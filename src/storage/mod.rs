//! Files that are there as a whole or not at all, and files that long work adds to.

mod journal;
mod whole;

pub use journal::{Head, Journal, JournalError};
pub use whole::{NewFile, exit_without_traces, folder_of, read_at, write_whole};
