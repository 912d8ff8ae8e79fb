//! Records as files: which format a file is in, and the games in it.

use super::csa::{self, CsaError};
use super::encoding::decode;
use super::ki2;
use super::kif::vocabulary::{is_blank, is_marker};
use super::kif::{self, KifError};
use super::record::{GameRecord, Parsed};
use thiserror::Error;

/// A record format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

    /// The format that the ending of a file name tells, whatever its case.
    pub fn of_name(name: &str) -> Option<Format> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "kif" | "kifu" | "bod" => Some(Format::Kif),
            "ki2" | "ki2u" => Some(Format::Ki2),
            "csa" => Some(Format::Csa),
            _ => None,
        }
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
        match self {
            Format::Kif => kif::read(text).map(|game| vec![game]).map_err(ReadError::Kif),
            Format::Ki2 => ki2::read(text).map(|game| vec![game]).map_err(ReadError::Ki2),
            Format::Csa => csa::read_all(text).map_err(ReadError::Csa),
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

/// Why a file holds no record, in the grammar of its format.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
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

/// Reads the first game of a file, in UTF-8 or CP932; without a format in the one that it looks like.
pub fn read_game(bytes: &[u8], format: Option<Format>) -> Result<Parsed, ReadError> {
    read_games(bytes, format).map(|mut games| games.swap_remove(0))
}

/// Reads all games of a file; there is at least one. See [`read_game`].
pub fn read_games(bytes: &[u8], format: Option<Format>) -> Result<Vec<Parsed>, ReadError> {
    let text = decode(bytes);
    format.unwrap_or_else(|| Format::of_text(&text)).read(&text)
}

/// Reads all games of a file of this name; there is at least one.
pub fn read_file_bytes(name: &str, bytes: &[u8]) -> Result<Vec<Parsed>, ReadError> {
    read_games(bytes, Format::of_name(name))
}
