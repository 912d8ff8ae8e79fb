//! Why a CSA text is no record.

use crate::movegen::Foul;
use crate::notation::record::Parsed;
use crate::position::InvalidPosition;
use crate::types::Quoted;
use thiserror::Error;

/// Fault of a CSA record, and its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {fault}")]
pub struct CsaError {
    /// The number of the line, counted from 1.
    pub line: usize,
    /// Fault of the line.
    #[source]
    pub fault: CsaFault,
    /// The games as far as they were read; the last one may be that with the fault, with the moves before it.
    pub so_far: Vec<Parsed>,
}

impl CsaError {
    /// A fault of a line; the games are added where the reading ends.
    pub(super) fn new(line: usize, fault: CsaFault) -> CsaError {
        CsaError { line, fault, so_far: Vec::new() }
    }
}

/// Fault of a line of a CSA record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CsaFault {
    /// Nothing in the text belongs to a record.
    #[error("this is no record of a game")]
    NoRecord,
    /// A `PI`, `P1` to `P9`, `P+` or `P-` that tells no pieces: the statement.
    #[error("{} tells no pieces and squares", Quoted(.0))]
    Pieces(String),
    /// The start is no position.
    #[error("the game begins in no position: {0}")]
    Position(#[source] InvalidPosition),
    /// A statement in place of a move that is none: the move's number and the statement.
    #[error("move {0}: {token} is no move", token = Quoted(.1))]
    Unreadable(usize, String),
    /// A move that breaks a rule of the game: its number and text, and the rule.
    #[error("move {0}: {token} is not legal: {2}", token = Quoted(.1))]
    Foul(usize, String, Foul),
    /// A move that is not legal, or not of the side to move: its number and text.
    #[error("move {0}: {token} is not legal", token = Quoted(.1))]
    IllegalMove(usize, String),
    /// A time that is no number.
    #[error("{} is no time", Quoted(.0))]
    Time(String),
    /// A move after the end of the game.
    #[error("{} comes after the end of the game", Quoted(.0))]
    AfterEnd(String),
}

impl CsaFault {
    /// Tells whether a move is at fault, or what stands in the place of one.
    pub(in crate::notation) fn is_of_move(&self) -> bool {
        use CsaFault::*;
        matches!(self, Unreadable(..) | Foul(..) | IllegalMove(..) | AfterEnd(_) | Time(_))
    }
}
