//! Faults of books.

use crate::position::SfenError;
use crate::types::{Move, Quoted};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A book that cannot be used, or a place in it that cannot be read.
#[derive(Debug, Error)]
#[error("{}: {fault}", path.display())]
pub struct BookError {
    /// The file.
    pub path: PathBuf,
    /// Fault of the file.
    #[source]
    pub fault: BookFault,
}

/// Fault of a book.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BookFault {
    /// The system does not give the bytes.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file looks like none of the formats.
    #[error("no book format begins with {}", Quoted(.0))]
    UnknownFormat(String),
    /// A line of a text, its number counted from 1.
    #[error("line {0}: {1}")]
    Line(u64, #[source] BookLineFault),
    /// The bytes from this offset on.
    #[error("byte {0}: {1}")]
    Bytes(u64, String),
    /// The position at this offset stands before one that it belongs behind.
    #[error("byte {0}: the positions are not sorted")]
    NotSorted(u64),
    /// Positions can be found on disk only in a sorted file, and the file is too large to be read whole: megabytes.
    #[error("not sorted, and {0} MB are too many to be read whole; komainu book sort makes a sorted book of it")]
    TooLarge(u64),
}

/// Fault of a line of a text book.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BookLineFault {
    /// The line is longer than any line of a book.
    #[error("longer than {0} bytes")]
    TooLong(usize),
    /// A position that cannot be.
    #[error("bad sfen: {0}")]
    Sfen(#[from] SfenError),
    /// A move before the first position.
    #[error("{} before any position", Quoted(.0))]
    NoPosition(String),
    /// A line that begins with no move.
    #[error("{} is neither a move nor a position nor a comment", Quoted(.0))]
    NoMove(String),
    /// A reply that is no move.
    #[error("reply {} is not a move", Quoted(.0))]
    NoReply(String),
    /// A column that must be a number.
    #[error("{column} {} of {mv} is no number", Quoted(text))]
    NoNumber {
        /// Its name.
        column: &'static str,
        /// The move of the line.
        mv: Move,
        /// What stands there.
        text: String,
    },
    /// A depth or a count that is none.
    #[error("{column} {value} of {mv} is below 0 or beyond {}", u32::MAX)]
    NoCount {
        /// Its name.
        column: &'static str,
        /// The move of the line.
        mv: Move,
        /// What stands there.
        value: i64,
    },
    /// A word that stands for a move in other places, such as `resign`.
    #[error("{} stands where a move must", Quoted(.0))]
    NotAMove(String),
    /// `none`, which says that there is no move, beside moves.
    #[error("none beside moves")]
    NoneBesideMoves,
    /// More candidates than a position has moves.
    #[error("more than {0} moves for a position")]
    TooManyMoves(usize),
}

impl BookFault {
    /// Bytes that cannot be understood, from this offset on.
    pub(crate) fn at(offset: u64, why: impl ToString) -> BookFault {
        BookFault::Bytes(offset, why.to_string())
    }

    /// The file ends too early.
    pub(crate) fn truncated(offset: u64, missing: u64) -> BookFault {
        BookFault::at(offset, format_args!("the file ends {missing} bytes too early"))
    }

    /// Bits that spell no move.
    pub(crate) fn no_move(offset: u64, bits: u32) -> BookFault {
        BookFault::at(offset, format_args!("{bits:#06x} is not a move"))
    }

    /// The error that names the file.
    pub fn in_file(self, path: &Path) -> BookError {
        BookError { path: path.to_path_buf(), fault: self }
    }
}
