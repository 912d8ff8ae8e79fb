//! Lists of openings of which the last positions count.

use crate::openings::{Opening, read_lines};
use crate::training::DataError;
use komainu::host::read_file;
use komainu::position::{GameRules, Position};
use komainu::referee::declared;
use std::fmt;
use std::path::Path;

/// Positions in which games may begin.
#[derive(Clone, Debug, Default)]
pub struct OpeningPositions {
    positions: Vec<Position>,
    /// Checksum of the text, which stands for the list.
    checksum: u32,
    /// Faults of the lines that were passed over.
    pub faults: Vec<String>,
}

impl OpeningPositions {
    /// Reads a list of openings ([`crate::openings`]), of which those at fault are passed over if that is wanted.
    pub fn open(path: &Path, skip_bad: bool) -> Result<OpeningPositions, DataError> {
        let bytes = read_file(path).map_err(DataError::in_file(path))?;
        // Comments may be in any encoding; moves are ASCII.
        let positions = OpeningPositions::parse(&String::from_utf8_lossy(&bytes), skip_bad);
        positions.map_err(|why| DataError::Refused(komainu::host::in_file(path, why)))
    }

    /// Reads the text of such a list; fails with the line and what is wrong there, unless such lines are passed over.
    pub fn parse(text: &str, skip_bad: bool) -> Result<OpeningPositions, String> {
        let mut positions = Vec::new();
        let mut faults = Vec::new();
        for (number, read) in read_lines(text, 0) {
            match read.and_then(|opening| start_position(&opening)) {
                Ok(position) => positions.push(position),
                Err(fault) if skip_bad => faults.push(format!("line {number}: {fault}")),
                Err(fault) => return Err(format!("line {number}: {fault}")),
            }
        }
        if positions.is_empty() {
            return Err("no opening in it".to_string());
        }
        Ok(OpeningPositions { positions, checksum: crc32fast::hash(text.as_bytes()), faults })
    }

    /// The positions; none if no list was given.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }
}

/// The position after an opening. The moves that led there are no part of the game.
fn start_position(opening: &Opening) -> Result<Position, String> {
    let position = opening.position().without_history();
    position.pack().map_err(|error| error.to_string())?;
    match declared(&position, &GameRules::default()) {
        None => Ok(position),
        Some(_) => Err("the game is over: the side to move wins by declaration".to_string()),
    }
}

/// The number of openings and the checksum of their file, or `none`.
impl fmt::Display for OpeningPositions {
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
        let openings = OpeningPositions::parse(text, false).expect("a good list");
        assert_eq!(openings.positions().len(), 2);
        assert_eq!((openings.positions()[0].ply(), openings.positions()[0].moves_made()), (3, 0));
        assert!(openings.to_string().starts_with("2 ("), "{openings}");
        assert_eq!(OpeningPositions::default().to_string(), "none");
    }

    #[test]
    fn bad_lines_are_named() {
        let error = |text: &str| OpeningPositions::parse(text, false).expect_err("a bad list").to_string();
        assert_eq!(error("# nothing\n"), "no opening in it");
        assert_eq!(error("startpos\nstartpos moves 7g7e"), "line 2: move 1: 7g7e is not legal");
        assert_eq!(error("startpos 7g7f"), "line 1: \"7g7f\" stands where moves should");
        assert_eq!(error("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"), "line 1: the game is over: no legal move");
        let declared = "1K7/PPPPPPPPP/R8/9/9/9/9/9/8k b R2B4G4S 9";
        assert_eq!(error(declared), "line 1: the game is over: the side to move wins by declaration");
        let bad = OpeningPositions::parse("startpos\nstartpos moves 7g7f resign 3c3d\nx", true).expect("one is good");
        assert_eq!((bad.positions().len(), bad.faults.len()), (1, 2));
        assert_eq!(bad.faults[0], "line 2: \"3c3d\" stands behind \"resign\"");
        assert!(OpeningPositions::parse("x", true).is_err());
        assert_eq!(error("4k4/9/9/9/9/9/9/9/9 b G 1"), "line 1: a position without a king (b) cannot be packed");
    }
}
