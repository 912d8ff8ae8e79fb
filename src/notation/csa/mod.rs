//! CSA, the record format of the Computer Shogi Association: what servers of engine games write.
//!
//! ASCII statements, one a line or several with commas between: headers, the start, moves as `+7776FU` (origin,
//! destination, the piece after the move), times as `T12`, the end as `%TORYO`. A file may hold several games with a
//! line `/` between them. [`read`] takes versions 1 to 3.0; [`write()`] writes 2.2, and 3.0 if a time has fractions of
//! a second. The format has no variations and no move counter.

mod ending;
mod error;
mod position;
mod reader;
mod writer;

pub use error::{CsaError, CsaFault};

pub(in crate::notation) use ending::{read_statement, statement};
pub(in crate::notation) use writer::{holds_end_word, holds_header};

use super::record::{GameRecord, Parsed};
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
/// # Ok::<(), komainu::notation::csa::CsaError>(())
/// ```
pub fn read(text: &str) -> Result<Parsed, CsaError> {
    let (lines_before, first) = games(text).swap_remove(0);
    reader::read(first).map_err(|error| CsaError { line: error.line + lines_before, ..error })
}

/// Reads a text of one game.
pub(in crate::notation) fn read_one(text: &str) -> Result<Parsed, CsaError> {
    reader::read(text)
}

/// The texts of the games, which lines `/` part, each with the number of lines before it; at least one.
pub(in crate::notation) fn games(text: &str) -> Vec<(usize, &str)> {
    let (mut parts, mut begin, mut end, mut lines_before) = (Vec::new(), 0, 0, 0);
    for (line, piece) in (1..).zip(text.split_inclusive('\n')) {
        end += piece.len();
        if piece.trim_end() == "/" {
            parts.push((lines_before, &text[begin..end - piece.len()]));
            (begin, lines_before) = (end, line);
        }
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

/// Writes a game, with the lines `\n`: as version 2.2, or as 3.0 if a time has fractions of a second. Variations are
/// left out.
pub fn write(record: &GameRecord) -> String {
    write_version(record, if writer::has_fractions(record) { CsaVersion::V3_0 } else { CsaVersion::V2_2 })
}

/// Writes a game in a version of the format, with the lines `\n`. Variations are left out.
///
/// ```
/// use komainu::notation::csa::{self, CsaVersion};
/// use komainu::notation::record::{GameRecord, RecordMove};
/// use komainu::position::Position;
/// use std::time::Duration;
///
/// let mut game = GameRecord::new(Position::startpos());
/// game.moves.push(RecordMove { spent: Some(Duration::from_millis(1_900)), ..RecordMove::new("7g7f".parse()?) });
/// assert!(csa::write_version(&game, CsaVersion::V2_2).ends_with("+7776FU\nT1\n"));
/// assert!(csa::write_version(&game, CsaVersion::V3_0).ends_with("+7776FU\nT1.900\n"));
/// # Ok::<(), komainu::types::ParseMoveError>(())
/// ```
pub fn write_version(record: &GameRecord, version: CsaVersion) -> String {
    writer::write(record, version)
}

/// A move as `+7776FU`, for the position that it is made in.
///
/// ```
/// use komainu::notation::csa;
/// use komainu::notation::usi::parse_position;
///
/// // A promotion is written as the piece that it makes.
/// let position = parse_position("startpos moves 7g7f 3c3d")?.position;
/// assert_eq!(csa::move_text(&position, "8h2b+".parse()?), "+8822UM");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn move_text(pos: &Position, mv: Move) -> String {
    writer::move_text(pos, mv)
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

pub(in crate::notation) fn name(piece_type: PieceType) -> &'static str {
    NAMES.iter().find(|(of, _)| *of == piece_type).map_or("", |(_, name)| name)
}

pub(in crate::notation) fn piece_of(name: &str) -> Option<PieceType> {
    NAMES.iter().find(|(_, of)| *of == name).map(|(piece_type, _)| *piece_type)
}

/// `77` for 7g.
fn square_text(square: Square) -> String {
    format!("{}{}", square.file().index() + 1, square.rank().index() + 1)
}

/// Reads `77`.
fn square_of(text: &str) -> Option<Square> {
    match text.as_bytes() {
        [file @ b'1'..=b'9', rank @ b'1'..=b'9'] => Square::new((file - b'1') as usize * 9 + (rank - b'1') as usize),
        _ => None,
    }
}
