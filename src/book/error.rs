//! Faults of books.

use crate::position::{SfenError, UnpackError};
use crate::types::Quoted;
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
    Bytes(u64, #[source] ByteFault),
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
    /// More candidates than a position has moves.
    #[error("more than {0} moves for a position")]
    TooManyMoves(usize),
}

/// Fault of the bytes of a binary book.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ByteFault {
    /// The file ends too early: bytes that are missing.
    #[error("the file ends {0} bytes too early")]
    Truncated(u64),
    /// The length is no multiple of the length of a record.
    #[error("{0} bytes are left over behind the last record of {1}")]
    LeftOver(u64, u64),
    /// Flags that are not known: what follows cannot be understood.
    #[error("unknown flags {0:#x}")]
    UnknownFlags(u64),
    /// 32 bytes that are no position.
    #[error("no position: {0}")]
    Position(#[from] UnpackError),
    /// A position as text that cannot be.
    #[error("bad sfen: {0}")]
    Sfen(#[from] SfenError),
    /// Bits that spell no move.
    #[error("{0:#06x} is not a move")]
    Move(u32),
    /// A move that the position does not allow.
    #[error("{0} is not legal")]
    IllegalMove(crate::types::Move),
    /// The moves of a position lie outside the file: their offset and their number.
    #[error("moves at offset {0}, number {1}, lie outside the file")]
    MovesOutside(u64, u16),
    /// A line of a text that is longer than any line of a book.
    #[error("a line of more than {0} bytes")]
    LongLine(usize),
    /// A number of more than ten bytes.
    #[error("a number of more than 10 bytes")]
    LongNumber,
    /// A field that does not have the type that it should have: field number and wire type.
    #[error("field {0} with wire type {1}")]
    WireType(u64, u8),
}

impl BookFault {
    /// The error that names the file.
    pub fn in_file(self, path: &Path) -> BookError {
        BookError { path: path.to_path_buf(), fault: self }
    }
}
