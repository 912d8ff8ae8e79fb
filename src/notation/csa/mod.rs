//! CSA, the record format of the Computer Shogi Association: what servers of engine games write.
//!
//! ASCII statements, one a line or several with commas between: headers, the start, moves as `+7776FU` (origin,
//! destination, the piece after the move), times as `T12`, the end as `%TORYO`. A file may hold several games with a
//! line `/` between them. [`read`] takes versions 1 to 3.0; [`write()`] writes 2.2, and 3.0 if a time has fractions of
//! a second. The format has no variations and no move counter.

mod ending;
mod position;
mod reader;
mod writer;

#[cfg(feature = "records")]
pub(crate) use ending::{read_statement, statement};
pub(crate) use reader::read as read_one;
pub(crate) use writer::{holds_end_word, holds_header};

pub use writer::{move_text, write, write_version};

use super::error::RecordError;
use super::format::Format;
use super::record::Parsed;
use crate::movegen::{All, generate};
use crate::position::Position;
use crate::types::{Move, PieceType, Square};

/// Reads the first game of a text.
///
/// ```
/// use komainu::notation::csa;
///
/// let game = csa::read("V2.2\nPI\n+\n+7776FU\nT12\n-3334FU\n%TORYO\n")?.record;
/// let moves: Vec<String> = game.moves.iter().map(|made| made.mv.to_string()).collect();
/// assert_eq!(moves, ["7g7f", "3c3d"]);
/// # Ok::<(), komainu::notation::RecordError>(())
/// ```
pub fn read(text: &str) -> Result<Parsed, RecordError> {
    Format::Csa.read_first(text)
}

/// The texts of the games, which lines `/` part, each with the number of lines before it; at least one.
pub(crate) fn games(text: &str) -> Vec<(usize, &str)> {
    let mut parts = Vec::new();
    let mut begin = 0;
    let mut end = 0;
    let mut lines_before = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if line.trim_end() == "/" {
            parts.push((lines_before, &text[begin..end]));
            begin = end + line.len();
            lines_before = index + 1;
        }
        end += line.len();
    }
    parts.push((lines_before, &text[begin..]));
    let says_something = |text: &str| text.lines().any(|line| !line.trim().is_empty() && !line.starts_with('\''));
    if parts.iter().any(|(_, part)| says_something(part)) {
        parts.retain(|(_, part)| says_something(part));
    } else {
        parts.truncate(1);
    }
    parts
}

/// A version of the format, as [`write_version`] writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CsaVersion {
    /// `V2.2`, which most programs and servers read: times are cut to whole seconds.
    V2_2,
    /// `V3.0`, which says that its encoding is UTF-8: times have milliseconds.
    V3_0,
}

/// Reads a move as [`move_text`] writes it; `None` if it is not legal in the position.
///
/// ```
/// use komainu::notation::csa;
/// use komainu::position::Position;
///
/// let position = Position::startpos();
/// assert_eq!(csa::parse_move(&position, "+7776FU"), "7g7f".parse().ok());
/// assert_eq!(csa::parse_move(&position, "+7775FU"), None);
/// ```
pub fn parse_move(pos: &Position, text: &str) -> Option<Move> {
    generate::<All>(pos).iter().copied().find(|&mv| move_text(pos, mv) == text)
}

/// Reads a legal move as people type it, whose sign may be missing: `7776FU`.
pub fn parse_unsigned_move(pos: &Position, text: &str) -> Option<Move> {
    generate::<All>(pos).iter().copied().find(|&mv| {
        let full = move_text(pos, mv);
        full == text || full[1..] == *text
    })
}

/// The two letters of each piece.
const NAMES: [(PieceType, &str); 14] = [
    (PieceType::Pawn, "FU"),
    (PieceType::Lance, "KY"),
    (PieceType::Knight, "KE"),
    (PieceType::Silver, "GI"),
    (PieceType::Gold, "KI"),
    (PieceType::Bishop, "KA"),
    (PieceType::Rook, "HI"),
    (PieceType::King, "OU"),
    (PieceType::ProPawn, "TO"),
    (PieceType::ProLance, "NY"),
    (PieceType::ProKnight, "NK"),
    (PieceType::ProSilver, "NG"),
    (PieceType::Horse, "UM"),
    (PieceType::Dragon, "RY"),
];

pub(crate) fn name(piece_type: PieceType) -> &'static str {
    NAMES.iter().find(|(of, _)| *of == piece_type).map_or("", |(_, name)| name)
}

pub(crate) fn piece_of(name: &str) -> Option<PieceType> {
    NAMES.iter().find(|(_, of)| *of == name).map(|(piece_type, _)| *piece_type)
}

/// `77` for 7g.
fn push_square(text: &mut String, square: Square) {
    text.push((b'1' + square.file().index() as u8) as char);
    text.push((b'1' + square.rank().index() as u8) as char);
}

/// Reads `77`.
fn square_of(text: &str) -> Option<Square> {
    match text.as_bytes() {
        [file @ b'1'..=b'9', rank @ b'1'..=b'9'] => Square::new((file - b'1') as usize * 9 + (rank - b'1') as usize),
        _ => None,
    }
}
