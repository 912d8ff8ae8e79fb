//! Games of files, folders and streams: every tool reads them here.
//!
//! [`read_source`] reads a text in whatever format: KIF, KI2, CSA, JSON ([`crate::notation::jkf`]), lines of USI, games
//! of a match. Of a game with a fault everything before it is read, and the place of the fault is told: a record of
//! which one move is wrong is still a record. [`source_files`] finds the files of folders, [`SourceReader`] reads them
//! and names their games, [`read_in_order`] reads them on several threads, [`fingerprint`] knows games that are there
//! twice, [`move_scores`] what programs wrote of the moves.

mod ahead;
mod distinct;
mod files;
mod score;
mod source;

pub use ahead::{InOrder, read_in_order};
pub use distinct::fingerprint;
pub use files::{FileError, NamedGame, SourceFile, SourceReader, source_files};
pub use score::{MoveScore, move_scores};
pub use source::{
    SourceGame, SourceText, Thoughts, is_list, is_record_name, is_source_name, read_source, read_source_text,
    source_games,
};

use thiserror::Error;

/// A game of which nothing could be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{told}")]
pub struct Unread {
    /// Place and reason.
    pub told: String,
    /// It is the half line that a match leaves which was killed or still runs: no fault.
    pub is_torn: bool,
}

impl Unread {
    fn new(told: impl Into<String>) -> Unread {
        Unread { told: told.into(), is_torn: false }
    }
}
