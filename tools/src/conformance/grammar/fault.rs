//! Faults of answers.

use komainu::types::Quoted;
use std::fmt;
use thiserror::Error;

/// A line, or a word of it, that breaks a rule of the protocol.
///
/// Shown as `bestmove "9a9b": not legal in the position`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolFault {
    /// Where the word stands: `bestmove`, `info depth`, `option`, or `line` for a whole line.
    pub place: &'static str,
    /// The offending word as the engine wrote it; empty if it is missing.
    pub token: String,
    /// The rule that is broken.
    pub rule: Rule,
}

impl ProtocolFault {
    pub(super) fn new(place: &'static str, token: &str, rule: Rule) -> ProtocolFault {
        ProtocolFault { place, token: token.to_string(), rule }
    }
}

impl fmt::Display for ProtocolFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.place)?;
        if !self.token.is_empty() {
            write!(f, " {}", Quoted(&self.token))?;
        }
        write!(f, ": {}", self.rule)
    }
}

impl std::error::Error for ProtocolFault {}

/// The rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum Rule {
    /// Every character is printable ASCII.
    #[error("not printable ASCII throughout")]
    Ascii,
    /// One blank between words, none around them.
    #[error("a blank at an end of the line, or two in a row")]
    Blanks,
    /// Empty lines keep a connection alive while `isready` is worked on, and only then.
    #[error("empty, and no isready is open")]
    KeepAlive,
    /// Every line begins with a word of the protocol.
    #[error("begins with no word of the protocol")]
    FreeText,
    /// Nothing is said before the first command.
    #[error("said before the first command")]
    Unprompted,
    /// `id`, `option` and `usiok` answer `usi`, `readyok` answers `isready`, `bestmove` answers `go`.
    #[error("not asked for")]
    Unasked,
    /// A part that must be there is there.
    #[error("missing")]
    Missing,
    #[error("there twice")]
    Twice,
    /// Nothing follows where the line should end.
    #[error("more than belongs on the line")]
    TrailingText,
    /// A word is one of those that the protocol has at its place.
    #[error("not a word of the protocol at this place")]
    Word,
    /// A number is a whole one in its range.
    #[error("not a whole number in the range of this place")]
    Number,
    /// A mate is at least one ply away.
    #[error("a mate is never 0 plies away")]
    MateInZero,
    /// `id name` comes first in the answer to `usi`.
    #[error("id name has not come yet")]
    NameFirst,
    /// Names that begin with `USI_` are the protocol's.
    #[error("names that begin with USI_ are reserved")]
    Reserved,
    /// A name of the protocol has the type that the protocol gives it.
    #[error("another type than the protocol gives to this name")]
    ReservedType,
    /// The default lies between the smallest and the largest value.
    #[error("the default lies outside the range")]
    Range,
    /// The default is one of the values.
    #[error("the default is none of the values")]
    DefaultAmongVars,
    /// A move is written as USI writes it.
    #[error("not a move")]
    Move,
    #[error("not legal in the position")]
    Legal,
    /// If `searchmoves` names legal moves, one of them is played.
    #[error("none of the searchmoves")]
    SearchMoves,
    /// A search that waits for `stop` or `ponderhit` is not answered before.
    #[error("before stop or ponderhit")]
    Early,
    /// `go` is answered with `bestmove`, `go mate` with `checkmate`.
    #[error("the wrong answer to this kind of go")]
    WrongAnswer,
    /// No line of a search follows its answer.
    #[error("no search is under way")]
    Late,
    /// The line before `bestmove` has a score and moves.
    #[error("the line before has no score and pv")]
    ScoreLine,
    /// The line of the best move begins with it.
    #[error("not the first move of the last pv")]
    FirstOfPv,
    /// No line is deeper than `go depth` asked for.
    #[error("deeper than asked for")]
    Depth,
    /// Time and nodes do not fall within a search.
    #[error("lower than before in the same search")]
    Falls,
    /// The lines 1, 2, 3 of a depth come in this order.
    #[error("out of order")]
    MultiPvOrder,
    /// There are no more lines than legal moves.
    #[error("more than there are moves")]
    MultiPvCount,
    /// A later line of a depth has no higher score.
    #[error("higher than that of the line before it in order")]
    ScoreRises,
}
