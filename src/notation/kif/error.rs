//! Why a KIF or KI2 text is no record.

use crate::movegen::Foul;
use crate::notation::record::Parsed;
use crate::position::InvalidPosition;
use crate::types::{Counted, Quoted};
use thiserror::Error;

/// Fault of a KIF or KI2 record, and its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {fault}")]
pub struct KifError {
    /// The number of the line, counted from 1.
    pub line: usize,
    /// Fault of the line.
    #[source]
    pub fault: KifFault,
    /// The game as far as it was read: with the moves before the fault. Empty if there was no start.
    pub so_far: Vec<Parsed>,
}

impl KifError {
    /// A fault of a line; the game is added where the reading ends.
    pub(super) fn new(line: usize, fault: KifFault) -> KifError {
        KifError { line, fault, so_far: Vec::new() }
    }
}

/// Fault of a line of a KIF or KI2 record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KifFault {
    /// Nothing in the text belongs to a record.
    #[error("this is no record of a game")]
    NoRecord,
    /// No move could be read and no end is known: the first word in place of a move.
    #[error("no move and no end of a game, but {}", Quoted(.0))]
    NoMoves(String),
    /// A 手合割 that is none of the named ones, or その他 without a diagram.
    #[error("{} is no start of a game that is known by name", Quoted(.0))]
    Handicap(String),
    /// The diagram has another number of ranks than nine.
    #[error("the diagram has {}, not 9", Counted(*.0, "rank"))]
    RankCount(usize),
    /// A rank of the diagram that is not nine squares.
    #[error("{} is no rank of nine squares", Quoted(.0))]
    Rank(String),
    /// A token of a hand that is no piece with its count.
    #[error("{} is no piece in hand", Quoted(.0))]
    Hand(String),
    /// The start is no position.
    #[error("the game begins in no position: {0}")]
    Position(#[source] InvalidPosition),
    /// Text in place of a move that is none: the move's number and the text.
    #[error("move {0}: {token} is no move", token = Quoted(.1))]
    Unreadable(usize, String),
    /// A pass: the number of the move.
    #[error("move {0}: a pass, which no game of shogi has")]
    Pass(usize),
    /// A move that breaks a rule of the game: its number and text, and the rule.
    #[error("move {0}: {token} is not legal: {2}", token = Quoted(.1))]
    Foul(usize, String, Foul),
    /// A move that is not legal: its number and text.
    #[error("move {0}: {token} is not legal", token = Quoted(.1))]
    IllegalMove(usize, String),
    /// A move that could be one of several: its number and text.
    #[error("move {0}: {token} could be one of several moves", token = Quoted(.1))]
    AmbiguousMove(usize, String),
    /// A move after the end of the game.
    #[error("{} comes after the end of the game", Quoted(.0))]
    AfterEnd(String),
    /// A head of a variation without the number of a move.
    #[error("{} names no move to branch off", Quoted(.0))]
    Variation(String),
}

impl KifFault {
    /// Tells whether a move is at fault, or what stands in the place of one.
    pub(in crate::notation) fn is_of_move(&self) -> bool {
        use KifFault::*;
        matches!(
            self,
            Unreadable(..) | Pass(_) | Foul(..) | IllegalMove(..) | AmbiguousMove(..) | AfterEnd(_) | Variation(_)
        )
    }

    /// Tells whether the text is no record at all.
    pub(in crate::notation) fn is_no_record(&self) -> bool {
        matches!(self, KifFault::NoRecord | KifFault::NoMoves(_))
    }
}
