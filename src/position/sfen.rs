//! SFEN: the one-line text of a position.
//!
//! `BOARD SIDE HAND [COUNTER]`, for example the even start position [`START_SFEN`]. Reading is strict about what the
//! position means and lenient about what does not change it: the counter may be missing, hands may come in any
//! order. Every fault is reported, each with the token that shows it.

use super::{Position, PositionBuilder, PositionFault};
use crate::types::{Color, Counted, File, Piece, PieceType, Quoted, Rank, Square};
use bitflags::bitflags;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The even start position.
pub const START_SFEN: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

bitflags! {
    /// Which parts of a SFEN are at fault.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct FaultKinds: u16 {
        /// The board's text.
        const BOARD = 1;
        /// The side to move.
        const SIDE = 1 << 1;
        /// The hands' text.
        const HAND = 1 << 2;
        /// The move counter.
        const COUNTER = 1 << 3;
        /// Text after the counter.
        const REST = 1 << 4;
        /// More pieces than a set has.
        const PIECES = 1 << 5;
        /// No king, or two of a side.
        const KINGS = 1 << 6;
        /// A pawn or lance on its last rank, or a knight on its last two.
        const DEAD_PIECE = 1 << 7;
        /// The side not to move is in check.
        const CHECK = 1 << 8;
    }
}

/// One fault of a SFEN with the token that shows it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SfenFault {
    /// The board has another number of ranks than nine.
    #[error("the board has {}, not 9", Counted(*.0, "rank"))]
    WrongRankCount(usize),
    /// A rank has another number of squares than nine: its letter, its text, the number.
    #[error("rank {} {} has {}, not 9", .0, Quoted(.1), Counted(*.2, "square"))]
    WrongRankLength(char, String, usize),
    /// A character that is no piece, digit or `+`.
    #[error("unknown piece {}", Quoted(.0.encode_utf8(&mut [0; 4])))]
    UnknownPiece(char),
    /// A `+` that no piece follows that can promote: the text from the `+` on.
    #[error("{} is no promoted piece", Quoted(.0))]
    BadPromotion(String),
    /// A field is missing: `board`, `side` or `hand`.
    #[error("the {0} is missing")]
    Missing(&'static str),
    /// A side to move other than `b` and `w`.
    #[error("side to move {} is neither b nor w", Quoted(.0))]
    BadSide(String),
    /// A part of the hands that is no count and piece.
    #[error("{} is no piece in hand", Quoted(.0))]
    BadHand(String),
    /// A counter that is no number.
    #[error("move counter {} is no number", Quoted(.0))]
    BadCounter(String),
    /// Text after the counter.
    #[error("unexpected text {}", Quoted(.0))]
    TrailingText(String),
    /// The text is well formed, the position is not.
    #[error(transparent)]
    Position(PositionFault),
}

impl SfenFault {
    /// The part of the SFEN that this fault is in.
    pub fn kind(&self) -> FaultKinds {
        match self {
            SfenFault::WrongRankCount(_)
            | SfenFault::WrongRankLength(..)
            | SfenFault::UnknownPiece(_)
            | SfenFault::BadPromotion(_)
            | SfenFault::Missing("board") => FaultKinds::BOARD,
            SfenFault::BadSide(_) | SfenFault::Missing("side") => FaultKinds::SIDE,
            SfenFault::BadHand(_) | SfenFault::Missing(_) => FaultKinds::HAND,
            SfenFault::BadCounter(_) => FaultKinds::COUNTER,
            SfenFault::TrailingText(_) => FaultKinds::REST,
            SfenFault::Position(fault) => match fault {
                PositionFault::TooManyPieces(..) => FaultKinds::PIECES,
                PositionFault::TwoKings(_) | PositionFault::NoKing => FaultKinds::KINGS,
                PositionFault::DeadPiece(..) => FaultKinds::DEAD_PIECE,
                PositionFault::KingCanBeCaptured(_) => FaultKinds::CHECK,
            },
        }
    }
}

/// Faults that are kept: a megabyte of junk has a million, and the first few tell as much.
const MAX_FAULTS: usize = 64;

/// Everything that is wrong with a SFEN, up to 64 faults of the text; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SfenError {
    faults: Vec<SfenFault>,
}

fn kinds(faults: &[SfenFault]) -> FaultKinds {
    faults.iter().map(SfenFault::kind).fold(FaultKinds::empty(), FaultKinds::union)
}

impl SfenError {
    /// The faults in the order of the text; faults of the position as a whole come last.
    pub fn faults(&self) -> &[SfenFault] {
        &self.faults
    }

    /// Which parts are at fault.
    pub fn kinds(&self) -> FaultKinds {
        kinds(&self.faults)
    }
}

/// The faults in one line, separated by `; `, at most eight of them.
impl fmt::Display for SfenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        for (i, fault) in self.faults.iter().take(SHOWN).enumerate() {
            write!(f, "{}{fault}", if i == 0 { "" } else { "; " })?;
        }
        if self.faults.len() > SHOWN {
            write!(f, "; and {} more", self.faults.len() - SHOWN)?;
        }
        Ok(())
    }
}

impl std::error::Error for SfenError {}

impl Position {
    /// Reads a SFEN.
    ///
    /// ```
    /// use komainu::position::{FaultKinds, Position};
    ///
    /// let position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b G 1")?;
    /// assert_eq!(position.to_string(), "4k4/9/4P4/9/9/9/9/9/4K4 b G 1");
    ///
    /// let error = Position::from_sfen("4k4/9/9/9 x - 1").unwrap_err();
    /// assert_eq!(error.kinds(), FaultKinds::BOARD | FaultKinds::SIDE);
    /// assert_eq!(error.to_string(), "the board has 4 ranks, not 9; side to move \"x\" is neither b nor w");
    /// # Ok::<(), komainu::position::SfenError>(())
    /// ```
    pub fn from_sfen(sfen: &str) -> Result<Position, SfenError> {
        Position::from_fields(sfen.split_ascii_whitespace())
    }

    /// Reads the fields of a SFEN.
    pub(crate) fn from_fields<'a>(mut fields: impl Iterator<Item = &'a str>) -> Result<Position, SfenError> {
        let mut builder = PositionBuilder::new();
        let mut faults = Vec::new();
        match fields.next() {
            Some(board) => read_board(board, &mut builder, &mut faults),
            None => faults.push(SfenFault::Missing("board")),
        }
        match fields.next() {
            Some("b") => _ = builder.side(Color::Black),
            Some("w") => _ = builder.side(Color::White),
            Some(other) => faults.push(SfenFault::BadSide(other.to_string())),
            None => faults.push(SfenFault::Missing("side")),
        }
        match fields.next() {
            Some("-") => {}
            Some(hands) => read_hands(hands, &mut builder, &mut faults),
            None => faults.push(SfenFault::Missing("hand")),
        }
        if let Some(counter) = fields.next() {
            if counter.bytes().all(|b| b.is_ascii_digit()) {
                builder.ply(counter.parse().unwrap_or(u32::MAX));
            } else {
                faults.push(SfenFault::BadCounter(counter.to_string()));
            }
        }
        if let Some(rest) = fields.next() {
            faults.push(SfenFault::TrailingText(rest.to_string()));
        }
        // The position is judged even if the text has faults, except for what depends on a part that was not read.
        let unread = kinds(&faults);
        match builder.build() {
            Ok(position) if faults.is_empty() => return Ok(position),
            Err(invalid) if !unread.contains(FaultKinds::BOARD) => {
                for fault in invalid.into_faults().into_iter().map(SfenFault::Position) {
                    if fault.kind() != FaultKinds::CHECK || !unread.contains(FaultKinds::SIDE) {
                        faults.push(fault);
                    }
                }
            }
            _ => {}
        }
        Err(SfenError { faults })
    }

    /// The SFEN, as [`Position`] is displayed.
    pub fn to_sfen(&self) -> String {
        let mut text = self.to_sfen_without_counter();
        text.push(' ');
        push_number(&mut text, self.ply);
        text
    }

    /// The SFEN without the move counter at its end.
    pub fn to_sfen_without_counter(&self) -> String {
        // A board with few gaps and all that can be held in hand.
        let mut text = String::with_capacity(128);
        for rank in Rank::ALL {
            if rank != Rank::A {
                text.push('/');
            }
            self.write_rank(rank, &mut text);
        }
        text.push_str(if self.side == Color::Black { " b " } else { " w " });
        for color in Color::ALL {
            for (piece_type, count) in self.hand(color).iter() {
                if count > 1 {
                    push_number(&mut text, count.into());
                }
                text.push_str(Piece::new(color, piece_type).text());
            }
        }
        if self.state.hands.iter().all(|hand| hand.is_empty()) {
            text.push('-');
        }
        text
    }

    fn write_rank(&self, rank: Rank, text: &mut String) {
        let mut empty = 0;
        for file in File::ALL.into_iter().rev() {
            let Some(piece) = self.board[Square::at(file, rank)] else {
                empty += 1;
                continue;
            };
            if empty > 0 {
                push_number(text, empty);
            }
            empty = 0;
            text.push_str(piece.text());
        }
        if empty > 0 {
            push_number(text, empty);
        }
    }
}

/// Appends a number, most of which have one digit: formatting takes ten times as long.
fn push_number(text: &mut String, number: u32) {
    if number >= 10 {
        push_number(text, number / 10);
    }
    text.push((b'0' + (number % 10) as u8) as char);
}

/// The SFEN: hands in the usual order (R B G S N L P, black first), with the counter.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_sfen())
    }
}

impl FromStr for Position {
    type Err = SfenError;
    fn from_str(text: &str) -> Result<Position, SfenError> {
        Position::from_sfen(text)
    }
}

fn read_board(text: &str, builder: &mut PositionBuilder, faults: &mut Vec<SfenFault>) {
    let ranks = text.bytes().filter(|&byte| byte == b'/').count() + 1;
    if ranks != 9 {
        faults.push(SfenFault::WrongRankCount(ranks));
    }
    for (rank, rank_text) in Rank::ALL.into_iter().zip(text.split('/')) {
        // Counted from the left: file 9 is 0. Goes past 8 if the rank is too long.
        let mut column = 0;
        let mut rest = rank_text;
        while let Some(first) = rest.chars().next() {
            if faults.len() >= MAX_FAULTS {
                return;
            }
            if let '1'..='9' = first {
                column += first as usize - '0' as usize;
                rest = &rest[1..];
                continue;
            }
            let is_promoted = first == '+';
            let letter = if is_promoted { rest[1..].chars().next() } else { Some(first) };
            let plain = letter.and_then(Piece::from_letter);
            let mut length = if is_promoted { 1 } else { first.len_utf8() };
            match plain {
                Some(piece) if !is_promoted || piece.piece_type().can_promote() => {
                    let piece = if is_promoted { piece.promoted() } else { piece };
                    if column < 9 {
                        builder.piece(Square::at(File::ALL[8 - column], rank), piece);
                    }
                }
                _ if is_promoted => faults.push(SfenFault::BadPromotion(rest.chars().take(2).collect())),
                _ => faults.push(SfenFault::UnknownPiece(first)),
            }
            if is_promoted && plain.is_some() {
                length += 1;
            }
            column += 1;
            rest = &rest[length..];
        }
        if column != 9 {
            let name = (b'a' + rank as u8) as char;
            faults.push(SfenFault::WrongRankLength(name, rank_text.to_string(), column));
        }
    }
}

fn read_hands(text: &str, builder: &mut PositionBuilder, faults: &mut Vec<SfenFault>) {
    let mut rest = text;
    while !rest.is_empty() && faults.len() < MAX_FAULTS {
        let after_count = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = &rest[..rest.len() - after_count.len()];
        // A count too large for the type is too large for the set as well, which the builder reports.
        let count = if digits.is_empty() { 1 } else { digits.parse::<u32>().unwrap_or(u32::MAX) };
        let letter = after_count.chars().next();
        let length = digits.len() + letter.map_or(0, char::len_utf8);
        match letter.and_then(Piece::from_letter) {
            Some(piece) if count > 0 && piece.piece_type() != PieceType::King => {
                builder.hand(piece.color(), piece.piece_type(), count);
            }
            _ => faults.push(SfenFault::BadHand(rest[..length].to_string())),
        }
        rest = &rest[length..];
    }
}
