//! The record formats: which one a text is in, the games in it, a game as a text.

use super::csa::{self, CsaError, CsaFault};
use super::ki2;
use super::kif::vocabulary::{is_blank, is_marker};
use super::kif::{self, KifError};
use super::record::{GameRecord, Parsed};
use crate::types::UnknownName;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A record format.
///
/// ```
/// use komainu::notation::Format;
///
/// assert_eq!("KIF".parse(), Ok(Format::Kif));
/// assert_eq!(Format::Csa.to_string(), "csa");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Kakinoki's format with origins and times; a diagram alone (BOD) is a record without moves.
    Kif,
    /// Kakinoki's format for people.
    Ki2,
    /// The Computer Shogi Association's format.
    Csa,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 3] = [Format::Kif, Format::Ki2, Format::Csa];

    /// Name: `kif`, `ki2` or `csa`.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Kif => "kif",
            Format::Ki2 => "ki2",
            Format::Csa => "csa",
        }
    }

    /// Extensions of file names, in small letters and without a dot; the first one is that of files that are written.
    pub const fn extensions(self) -> &'static [&'static str] {
        match self {
            Format::Kif => &["kif", "kifu", "bod"],
            Format::Ki2 => &["ki2", "ki2u"],
            Format::Csa => &["csa"],
        }
    }

    /// The format that the ending of a file name tells, whatever its case.
    pub fn of_name(name: &str) -> Option<Format> {
        let (_, extension) = name.rsplit_once('.')?;
        let extension = extension.to_ascii_lowercase();
        Format::ALL.into_iter().find(|format| format.extensions().contains(&extension.as_str()))
    }

    /// The format that the text looks like; KIF if it looks like none.
    ///
    /// ```
    /// use komainu::notation::Format;
    ///
    /// assert_eq!(Format::of_text("V2.2\nPI\n+\n"), Format::Csa);
    /// assert_eq!(Format::of_text("▲７六歩    △３四歩\n"), Format::Ki2);
    /// assert_eq!(Format::of_text("   1 ７六歩(77)\n"), Format::Kif);
    /// assert_eq!(Format::of_name("game.KIFU"), Some(Format::Kif));
    /// ```
    pub fn of_text(text: &str) -> Format {
        for line in text.trim_start_matches('\u{feff}').lines() {
            let line = line.trim_end();
            match line.as_bytes() {
                [b'V', b'1'..=b'9', ..] | [b'N', b'+' | b'-', ..] | [b'\'' | b'$', ..] => return Format::Csa,
                [b'P', b'I' | b'1'..=b'9' | b'+' | b'-', ..] | [b'+' | b'-'] => return Format::Csa,
                [b'+' | b'-', b'0'..=b'9', ..] | [b'%', ..] => return Format::Csa,
                _ => {}
            }
            if line.trim_start_matches(is_blank).starts_with(is_marker) {
                return Format::Ki2;
            }
        }
        Format::Kif
    }

    /// Reads all games of a text in this format; there is at least one.
    pub fn read(self, text: &str) -> Result<Vec<Parsed>, ReadError> {
        let mut games = Vec::new();
        for (lines_before, game) in self.games(text) {
            match self.read_one(game) {
                Ok(parsed) => games.push(parsed),
                Err(mut error) => {
                    error.add_lines(lines_before);
                    error.so_far_mut().splice(0..0, games);
                    return Err(error);
                }
            }
        }
        Ok(games)
    }

    /// Reads a text of one game, as [`Format::games`] has it.
    pub(crate) fn read_one(self, text: &str) -> Result<Parsed, ReadError> {
        match self {
            Format::Kif => kif::read_one(text).map_err(ReadError::Kif),
            Format::Ki2 => kif::read_one(text).map_err(ReadError::Ki2),
            Format::Csa => csa::read_one(text).map_err(ReadError::Csa),
        }
    }

    /// The texts of the games that stand one after the other, each with the number of lines before it; at least one.
    pub(crate) fn games(self, text: &str) -> Vec<(usize, &str)> {
        match self {
            Format::Kif | Format::Ki2 => kif::games(text),
            Format::Csa => csa::games(text),
        }
    }

    /// Writes a game in this format.
    ///
    /// ```
    /// use komainu::notation::Format;
    /// use komainu::notation::record::{Conclusion, Ending, GameRecord, RecordMove};
    /// use komainu::position::Position;
    /// use komainu::types::Color;
    ///
    /// let mut game = GameRecord::new(Position::startpos());
    /// game.moves.push(RecordMove::new("7g7f".parse()?));
    /// game.conclusion = Some(Conclusion::usual(Ending::Resignation, Color::White));
    /// for format in Format::ALL {
    ///     let read = format.read(&format.write(&game))?.remove(0).record;
    ///     assert_eq!((read.moves, read.conclusion), (game.moves.clone(), game.conclusion));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write(self, record: &GameRecord) -> String {
        match self {
            Format::Kif => kif::write(record),
            Format::Ki2 => ki2::write(record),
            Format::Csa => csa::write(record),
        }
    }
}

/// Writes the name.
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Reads the name without regard to case.
impl FromStr for Format {
    type Err = UnknownName;
    fn from_str(text: &str) -> Result<Format, UnknownName> {
        UnknownName::find(text, &Format::ALL, Format::name)
    }
}

/// Why a file holds no record, in the grammar of its format.
///
/// It keeps what was read before the fault, which may be nothing; `games::read_source` gives the games and the faults
/// of any text:
///
/// ```
/// use komainu::notation::Format;
///
/// let kif = "手合割：平手\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ９九王(59)\n";
/// let error = Format::Kif.read(kif).unwrap_err();
/// assert!(error.to_string().starts_with("KIF, line 4: move 3: "));
/// assert_eq!(error.so_far().first().map(|game| game.record.moves.len()), Some(2));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Read as KIF.
    #[error("KIF, {0}")]
    Kif(#[source] KifError),
    /// Read as KI2.
    #[error("KI2, {0}")]
    Ki2(#[source] KifError),
    /// Read as CSA.
    #[error("CSA, {0}")]
    Csa(#[source] CsaError),
}

impl ReadError {
    /// The games as far as they were read; the last one may be that with the fault, with the moves before it.
    pub fn so_far(&self) -> &[Parsed] {
        match self {
            ReadError::Kif(error) | ReadError::Ki2(error) => &error.so_far,
            ReadError::Csa(error) => &error.so_far,
        }
    }

    /// Tells whether a move is at fault, and not the start of the game: what stands before it is a game.
    pub(crate) fn is_of_move(&self) -> bool {
        match self {
            ReadError::Kif(error) | ReadError::Ki2(error) => error.fault.is_of_move(),
            ReadError::Csa(error) => error.fault.is_of_move(),
        }
    }

    /// Tells whether the text is no record at all.
    pub(crate) fn is_no_record(&self) -> bool {
        match self {
            ReadError::Kif(error) | ReadError::Ki2(error) => error.fault.is_no_record(),
            ReadError::Csa(error) => error.fault == CsaFault::NoRecord,
        }
    }

    /// Counts the lines that stand before the text in its file.
    pub(crate) fn add_lines(&mut self, lines: usize) {
        match self {
            ReadError::Kif(error) | ReadError::Ki2(error) => error.line += lines,
            ReadError::Csa(error) => error.line += lines,
        }
    }

    fn so_far_mut(&mut self) -> &mut Vec<Parsed> {
        match self {
            ReadError::Kif(error) | ReadError::Ki2(error) => &mut error.so_far,
            ReadError::Csa(error) => &mut error.so_far,
        }
    }

    /// [`ReadError::so_far`] by value.
    pub fn into_so_far(mut self) -> Vec<Parsed> {
        std::mem::take(self.so_far_mut())
    }
}
