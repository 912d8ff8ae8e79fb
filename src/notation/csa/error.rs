//! Why a CSA text is no record.

use crate::position::PositionFault;
use crate::types::Token;
use std::fmt;

/// What is wrong with a CSA record, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsaError {
    /// The number of the line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub fault: CsaFault,
}

/// What is wrong with a line of a CSA record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CsaFault {
    /// Nothing in the text belongs to a record.
    NoRecord,
    /// A `PI`, `P1` to `P9`, `P+` or `P-` that tells no pieces: the statement.
    Pieces(String),
    /// The start is no position.
    Position(Vec<PositionFault>),
    /// A statement in place of a move that is none: the move's number and the statement.
    Unreadable(usize, String),
    /// A move that is not legal, or not of the side to move: its number and text.
    IllegalMove(usize, String),
    /// A time that is no number.
    Time(String),
    /// A move after the end of the game.
    AfterEnd(String),
}

impl fmt::Display for CsaFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CsaFault::NoRecord => f.write_str("this is no record of a game"),
            CsaFault::Pieces(text) => write!(f, "{} tells no pieces and squares", Token(text)),
            CsaFault::Position(faults) => {
                let faults: Vec<String> = faults.iter().map(PositionFault::to_string).collect();
                write!(f, "the game begins in no position: {}", faults.join("; "))
            }
            CsaFault::Unreadable(number, text) => write!(f, "move {number}: {} is no move", Token(text)),
            CsaFault::IllegalMove(number, text) => write!(f, "move {number}: {} is not legal", Token(text)),
            CsaFault::Time(text) => write!(f, "{} is no time", Token(text)),
            CsaFault::AfterEnd(text) => write!(f, "{} comes after the end of the game", Token(text)),
        }
    }
}

impl fmt::Display for CsaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.fault)
    }
}

impl std::error::Error for CsaError {}
