//! Faults of answers.

use komainu::types::Quoted;
use std::fmt;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Every character is printable ASCII.
    Ascii,
    /// One blank between words, none around them.
    Blanks,
    /// Empty lines keep a connection alive while `isready` is worked on, and only then.
    KeepAlive,
    /// Every line begins with a word of the protocol.
    FreeText,
    /// Nothing is said before the first command.
    Unprompted,
    /// `id`, `option` and `usiok` answer `usi`, `readyok` answers `isready`, `bestmove` answers `go`.
    Unasked,
    /// A part that must be there is there.
    Missing,
    Twice,
    /// Nothing follows where the line should end.
    TrailingText,
    /// A word is one of those that the protocol has at its place.
    Word,
    /// A number is a whole one in its range.
    Number,
    /// A mate is at least one ply away.
    MateInZero,
    /// `id name` comes first in the answer to `usi`.
    NameFirst,
    /// Names that begin with `USI_` are the protocol's.
    Reserved,
    /// A name of the protocol has the type that the protocol gives it.
    ReservedType,
    /// The default lies between the smallest and the largest value.
    Range,
    /// The default is one of the values.
    DefaultAmongVars,
    /// A move is written as USI writes it.
    Move,
    Legal,
    /// If `searchmoves` names legal moves, one of them is played.
    SearchMoves,
    /// A search that waits for `stop` or `ponderhit` is not answered before.
    Early,
    /// `go` is answered with `bestmove`, `go mate` with `checkmate`.
    WrongAnswer,
    /// No line of a search follows its answer.
    Late,
    /// The line before `bestmove` has a score and moves.
    ScoreLine,
    /// The line of the best move begins with it.
    FirstOfPv,
    /// No line is deeper than `go depth` asked for.
    Depth,
    /// Time and nodes do not fall within a search.
    Falls,
    /// The lines 1, 2, 3 of a depth come in this order.
    MultiPvOrder,
    /// There are no more lines than legal moves.
    MultiPvCount,
    /// A later line of a depth has no higher score.
    ScoreRises,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::Ascii => "not printable ASCII throughout",
            Rule::Blanks => "a blank at an end of the line, or two in a row",
            Rule::KeepAlive => "empty, and no isready is open",
            Rule::FreeText => "begins with no word of the protocol",
            Rule::Unprompted => "said before the first command",
            Rule::Unasked => "not asked for",
            Rule::Missing => "missing",
            Rule::Twice => "there twice",
            Rule::TrailingText => "more than belongs on the line",
            Rule::Word => "not a word of the protocol at this place",
            Rule::Number => "not a whole number in the range of this place",
            Rule::MateInZero => "a mate is never 0 plies away",
            Rule::NameFirst => "id name has not come yet",
            Rule::Reserved => "names that begin with USI_ are reserved",
            Rule::ReservedType => "another type than the protocol gives to this name",
            Rule::Range => "the default lies outside the range",
            Rule::DefaultAmongVars => "the default is none of the values",
            Rule::Move => "not a move",
            Rule::Legal => "not legal in the position",
            Rule::SearchMoves => "none of the searchmoves",
            Rule::Early => "before stop or ponderhit",
            Rule::WrongAnswer => "the wrong answer to this kind of go",
            Rule::Late => "no search is under way",
            Rule::ScoreLine => "the line before has no score and pv",
            Rule::FirstOfPv => "not the first move of the last pv",
            Rule::Depth => "deeper than asked for",
            Rule::Falls => "lower than before in the same search",
            Rule::MultiPvOrder => "out of order",
            Rule::MultiPvCount => "more than there are moves",
            Rule::ScoreRises => "higher than that of the line before it in order",
        })
    }
}
