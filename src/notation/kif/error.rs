//! Why a KIF or KI2 text is no record.

use crate::position::PositionFault;
use crate::types::{Counted, Token};
use std::fmt;

/// What is wrong with a KIF or KI2 record, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KifError {
    /// The number of the line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub fault: KifFault,
}

/// What is wrong with a line of a KIF or KI2 record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KifFault {
    /// Nothing in the text belongs to a record.
    NoRecord,
    /// A 手合割 that is none of the named ones, or その他 without a diagram.
    Handicap(String),
    /// The diagram has another number of ranks than nine.
    RankCount(usize),
    /// A rank of the diagram that is not nine squares.
    Rank(String),
    /// A token of a hand that is no piece with its count.
    Hand(String),
    /// The start is no position.
    Position(Vec<PositionFault>),
    /// Text in place of a move that is none: the move's number and the text.
    Unreadable(usize, String),
    /// A move that is not legal: its number and text.
    IllegalMove(usize, String),
    /// A move that could be one of several: its number and text.
    AmbiguousMove(usize, String),
    /// A move after the end of the game.
    AfterEnd(String),
    /// A head of a variation without the number of a move.
    Variation(String),
}

impl fmt::Display for KifFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KifFault::NoRecord => f.write_str("this is no record of a game"),
            KifFault::Handicap(name) => write!(f, "{} is no start of a game that is known by name", Token(name)),
            KifFault::RankCount(n) => write!(f, "the diagram has {}, not 9", Counted(*n, "rank")),
            KifFault::Rank(text) => write!(f, "{} is no rank of nine squares", Token(text)),
            KifFault::Hand(token) => write!(f, "{} is no piece in hand", Token(token)),
            KifFault::Position(faults) => {
                let faults: Vec<String> = faults.iter().map(PositionFault::to_string).collect();
                write!(f, "the game begins in no position: {}", faults.join("; "))
            }
            KifFault::Unreadable(number, text) => write!(f, "move {number}: {} is no move", Token(text)),
            KifFault::IllegalMove(number, text) => write!(f, "move {number}: {} is not legal", Token(text)),
            KifFault::AmbiguousMove(number, text) => {
                write!(f, "move {number}: {} could be one of several moves", Token(text))
            }
            KifFault::AfterEnd(text) => write!(f, "{} comes after the end of the game", Token(text)),
            KifFault::Variation(text) => write!(f, "{} names no move to branch off", Token(text)),
        }
    }
}

impl fmt::Display for KifError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.fault)
    }
}

impl std::error::Error for KifError {}
