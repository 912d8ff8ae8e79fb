//! Lists of openings.

use crate::notation::usi::{PositionError, parse_opening};
use crate::position::GameRules;
use crate::position::{PackError, Position};
use crate::training::referee::judge;
use crate::types::Token;
use std::fmt;
use std::io;
use std::path::Path;
use thiserror::Error;

/// Positions in which games may begin.
#[derive(Clone, Debug, Default)]
pub struct Openings {
    positions: Vec<Position>,
    /// Checksum of the text, which stands for the list.
    checksum: u32,
}

/// Why a file is no list of openings.
#[derive(Debug, Error)]
pub enum OpeningsError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(io::Error),
    /// A line is no position: its number and the fault.
    #[error("line {0}: {1}")]
    Line(usize, #[source] PositionError),
    /// A line holds a word that means nothing: its number and the word.
    #[error("line {}: unexpected {}", .0, Token(.1))]
    Word(usize, String),
    /// A side has no king: the number of the line.
    #[error("line {0}: {1}")]
    King(usize, #[source] PackError),
    /// The game is over in the position: the number of the line.
    #[error("line {0}: the game is over there")]
    Over(usize),
    /// There is no opening in the file.
    #[error("no opening in it")]
    Empty,
}

impl Openings {
    /// Reads a file with a `startpos moves ...` or SFEN a line; blank lines and those that begin with `#` are passed
    /// over.
    pub fn open(path: &Path) -> Result<Openings, OpeningsError> {
        Openings::parse(&std::fs::read_to_string(path).map_err(OpeningsError::Io)?)
    }

    /// Reads the text of such a file.
    pub fn parse(text: &str) -> Result<Openings, OpeningsError> {
        let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let positions: Result<Vec<Position>, OpeningsError> =
            lines.map(|(number, line)| read_line(number, line)).collect();
        match positions? {
            positions if positions.is_empty() => Err(OpeningsError::Empty),
            positions => Ok(Openings { positions, checksum: crc32fast::hash(text.as_bytes()) }),
        }
    }

    /// The positions; none if no list was given.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }
}

fn read_line(number: usize, line: &str) -> Result<Position, OpeningsError> {
    let parsed = parse_opening(line).map_err(|error| OpeningsError::Line(number, error))?;
    if let Some(word) = parsed.ignored {
        return Err(OpeningsError::Word(number, word));
    }
    let position = parsed.position;
    position.pack().map_err(|error| OpeningsError::King(number, error))?;
    if judge(&position, &GameRules::default()).is_some() {
        return Err(OpeningsError::Over(number));
    }
    // The moves that led there are no part of the game.
    Ok(position.without_history())
}

/// The number of openings and the checksum of their file, or `none`.
impl fmt::Display for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.positions.is_empty() {
            return f.write_str("none");
        }
        write!(f, "{} ({:08x})", self.positions.len(), self.checksum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_positions_with_or_without_moves() {
        let text =
            "# first\n\nstartpos moves 7g7f 3c3d\nlnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1\r\n";
        let openings = Openings::parse(text).expect("a good list");
        assert_eq!(openings.positions().len(), 2);
        assert_eq!((openings.positions()[0].ply(), openings.positions()[0].moves_made()), (3, 0));
        assert!(openings.to_string().starts_with("2 ("), "{openings}");
        assert_eq!(Openings::default().to_string(), "none");
    }

    #[test]
    fn bad_lines_are_named() {
        let error = |text: &str| Openings::parse(text).expect_err("a bad list").to_string();
        assert_eq!(error("# nothing\n"), "no opening in it");
        assert_eq!(error("startpos\nstartpos moves 7g7e"), "line 2: move 1: 7g7e is not legal");
        assert_eq!(error("startpos 7g7f"), "line 1: unexpected \"7g7f\"");
        assert_eq!(error("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"), "line 1: the game is over there");
        assert_eq!(error("4k4/9/9/9/9/9/9/9/9 b G 1"), "line 1: a position without a king (b) cannot be packed");
    }
}
