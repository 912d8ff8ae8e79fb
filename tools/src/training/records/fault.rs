//! Faults of files of records.

use super::Record;
use komainu::movegen::is_legal;
use komainu::position::Position;
use thiserror::Error;

/// A fault of a file: its name, the byte at which the faulty record begins, the fault.
#[derive(Debug, Error)]
#[error("{name}: byte {offset}: {fault}")]
pub struct RecordError {
    pub name: String,
    /// Where the faulty record begins.
    pub offset: u64,
    /// Fault of the record.
    #[source]
    pub fault: RecordFault,
}

/// Fault of a record.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordFault {
    /// The file ends within the record.
    #[error("{0}")]
    Truncated(String),
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

pub(super) fn other(why: impl ToString) -> RecordFault {
    RecordFault::Other(why.to_string())
}

/// A record whose move is legal, with its position.
pub(super) fn tested(record: Record, pos: Position) -> Result<(Record, Position), RecordFault> {
    match record.best.filter(|&mv| !is_legal(&pos, mv)) {
        Some(mv) => Err(other(format_args!("{mv} is not legal"))),
        None => Ok((record, pos)),
    }
}
