//! Why a text is no record of a game.

use super::Format;
use super::record::Parsed;
use super::usi::PositionError;
use crate::movegen::Foul;
use crate::position::InvalidPosition;
use crate::types::{Counted, Quoted};
use std::fmt;
use thiserror::Error;

/// Why a text holds no record, or not all of one: the line and what is wrong with it.
///
/// It keeps what was read before the fault, which may be nothing; `games::read_source` gives the games and the faults
/// of any text:
///
/// ```
/// use komainu::notation::{Format, RecordErrorKind};
///
/// let kif = "手合割：平手\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ９九王(59)\n";
/// let error = Format::Kif.read(kif).unwrap_err();
/// assert!(error.to_string().starts_with("KIF, line 4: move 3: "));
/// assert!(matches!(error.kind, RecordErrorKind::IllegalMove(3, _)));
/// assert_eq!(error.so_far().first().map(|game| game.record.moves.len()), Some(2));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordError {
    /// The format that it was read as.
    pub format: Format,
    /// The number of the line, counted from 1; JSON has no lines that mean anything, and 0 here.
    pub line: usize,
    /// What is wrong.
    pub kind: RecordErrorKind,
    pub(crate) so_far: Vec<Parsed>,
}

impl RecordError {
    /// An error on a line; the game is added where the reading ends.
    pub(crate) fn new(format: Format, line: usize, kind: RecordErrorKind) -> RecordError {
        RecordError { format, line, kind, so_far: Vec::new() }
    }

    /// The games as far as they were read; the last one may be that with the fault, with the moves before it.
    pub fn so_far(&self) -> &[Parsed] {
        &self.so_far
    }

    /// [`RecordError::so_far`] by value.
    pub fn into_so_far(self) -> Vec<Parsed> {
        self.so_far
    }

    /// Tells whether a move is at fault, and not the start of the game: what stands before it is a game.
    pub(crate) fn is_of_move(&self) -> bool {
        use RecordErrorKind::*;
        matches!(
            self.kind,
            Unreadable(..)
                | Pass(_)
                | Foul(..)
                | IllegalMove(..)
                | AmbiguousMove(..)
                | AfterEnd(_)
                | Variation(_)
                | Time(_)
                | Move(..)
                | Usi(PositionError::Move(..))
        )
    }

    /// Tells whether the text is no record at all.
    pub(crate) fn is_no_record(&self) -> bool {
        matches!(self.kind, RecordErrorKind::NoRecord | RecordErrorKind::NoMoves(_))
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RecordError { format, line, kind, .. } = self;
        match format {
            #[cfg(feature = "records")]
            Format::Json => write!(f, "JSON, {kind}"),
            Format::Usi | Format::Sfen => write!(f, "line {line}: {kind}"),
            _ => write!(f, "{}, line {line}: {kind}", format.title()),
        }
    }
}

impl std::error::Error for RecordError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.kind)
    }
}

/// What is wrong with a record. Moves are named by their number, counted from 1, and their text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RecordErrorKind {
    /// Nothing in the text belongs to a record.
    #[error("this is no record of a game")]
    NoRecord,
    /// No move could be read and no end is known: the first word in place of a move.
    #[error("no move and no end of a game, but {}", Quoted(.0))]
    NoMoves(String),
    /// The text is no JSON, or has other fields than a record.
    #[error("{0}")]
    Json(String),
    /// A 手合割 that is none of the named ones, or その他 without a diagram.
    #[error("{} is no start of a game that is known by name", Quoted(.0))]
    Handicap(String),
    /// A diagram that has not nine ranks.
    #[error("the diagram has {}, not 9", Counted(*.0, "rank"))]
    RankCount(usize),
    /// A rank of a diagram that is not nine squares.
    #[error("{} is no rank of nine squares", Quoted(.0))]
    Rank(String),
    /// A heading of a diagram that nobody knows: whose pieces follow it is not told.
    #[error("{} is no heading of a diagram that is known", Quoted(.0))]
    Heading(String),
    /// A heading that names a hand for the second time, with other pieces.
    #[error("{} names a hand that is named already, with other pieces", Quoted(.0))]
    HeadingTwice(String),
    /// A token of a hand that is no piece with its count.
    #[error("{} is no piece in hand", Quoted(.0))]
    Hand(String),
    /// A statement of CSA that tells no pieces: `PI`, `P1` to `P9`, `P+` or `P-`.
    #[error("{} tells no pieces and squares", Quoted(.0))]
    Pieces(String),
    /// The `initial` of JSON is no start of a game.
    #[error("initial: {0}")]
    Initial(String),
    /// The start is no position.
    #[error("the game begins in no position: {0}")]
    Position(#[source] InvalidPosition),
    /// Text in place of a move that is none.
    #[error("move {0}: {token} is no move", token = Quoted(.1))]
    Unreadable(usize, String),
    /// A pass.
    #[error("move {0}: a pass, which no game of shogi has")]
    Pass(usize),
    /// A move that breaks a rule of the game, and the rule.
    #[error("move {0}: {token} is not legal: {2}", token = Quoted(.1))]
    Foul(usize, String, Foul),
    /// A move that is not legal.
    #[error("move {0}: {token} is not legal", token = Quoted(.1))]
    IllegalMove(usize, String),
    /// A move that could be one of several.
    #[error("move {0}: {token} could be one of several moves", token = Quoted(.1))]
    AmbiguousMove(usize, String),
    /// A move of JSON that cannot be played, and why.
    #[error("move {0}: {1}")]
    Move(usize, String),
    /// A line of USI.
    #[error("{0}")]
    Usi(#[source] PositionError),
    /// A move after the end of the game.
    #[error("{} comes after the end of the game", Quoted(.0))]
    AfterEnd(String),
    /// A time that is no number.
    #[error("{} is no time", Quoted(.0))]
    Time(String),
    /// A head of a variation without the number of a move.
    #[error("{} names no move to branch off", Quoted(.0))]
    Variation(String),
}
