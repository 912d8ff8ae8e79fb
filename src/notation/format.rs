//! The record formats: which one a text is in, the games in it, a game as a text, and what each has a place for.

use super::csa::{self, CsaVersion};
use super::error::{RecordError, RecordErrorKind};
#[cfg(feature = "records")]
use super::jkf;
use super::ki2;
use super::kif;
use super::record::{GameRecord, Parsed};
use super::usi::{parse_game, write_game};
use super::vocabulary::{is_blank, is_marker};
use crate::types::{Move, Quoted, UnknownName, named};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A format of records.
///
/// ```
/// use komainu::notation::Format;
///
/// assert_eq!("KIF".parse(), Ok(Format::Kif));
/// assert_eq!("jkf".parse(), Ok(Format::Json));
/// assert_eq!(Format::Csa.to_string(), "csa");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Kakinoki's format with origins and times; a diagram alone (BOD) is a record without moves.
    Kif,
    /// Kakinoki's format for people.
    Ki2,
    /// The Computer Shogi Association's format; written in version 3.0 if a time has fractions of a second, else in 2.2.
    Csa,
    /// CSA, always written in version 2.2.
    Csa2,
    /// JSON: the JSON Kifu Format (JKF).
    #[cfg(feature = "records")]
    Json,
    /// A line `position ...` with the start and the moves.
    Usi,
    /// A line with the SFEN of the last position.
    Sfen,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 6 + cfg!(feature = "records") as usize] = [
        Format::Kif,
        Format::Ki2,
        Format::Csa,
        Format::Csa2,
        #[cfg(feature = "records")]
        Format::Json,
        Format::Usi,
        Format::Sfen,
    ];

    /// The formats of records that people read: they have headers, comments and times.
    pub const RECORDS: [Format; 3] = [Format::Kif, Format::Ki2, Format::Csa];

    /// Its name, its title and its extensions.
    const fn row(self) -> (&'static str, &'static str, &'static [&'static str]) {
        match self {
            Format::Kif => ("kif", "KIF", &["kif", "kifu", "bod"]),
            Format::Ki2 => ("ki2", "KI2", &["ki2", "ki2u"]),
            Format::Csa => ("csa", "CSA", &["csa"]),
            Format::Csa2 => ("csa2", "CSA 2.2", &["csa"]),
            #[cfg(feature = "records")]
            Format::Json => ("json", "JSON", &["json", "jkf"]),
            Format::Usi => ("usi", "USI", &["usi"]),
            Format::Sfen => ("sfen", "SFEN", &["sfen"]),
        }
    }

    /// Name, as a flag has it: `kif`, `ki2`, `csa`, `csa2`, `json`, `usi`, `sfen`.
    pub const fn name(self) -> &'static str {
        let (name, _, _) = self.row();
        name
    }

    /// Name, as a sentence has it: `KIF`, `CSA 2.2`.
    pub const fn title(self) -> &'static str {
        let (_, title, _) = self.row();
        title
    }

    /// Extensions of file names, in small letters and without a dot; the first one is that of files that are written.
    pub const fn extensions(self) -> &'static [&'static str] {
        let (_, _, extensions) = self.row();
        extensions
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
    /// assert_eq!(Format::of_text("startpos moves 7g7f\n"), Format::Usi);
    /// assert_eq!(Format::of_name("game.KIFU"), Some(Format::Kif));
    /// ```
    pub fn of_text(text: &str) -> Format {
        let text = text.trim_start_matches('\u{feff}');
        let mut lines = text.lines().map(str::trim);
        let first = lines.find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default();
        #[cfg(feature = "records")]
        if first.starts_with('{') {
            return Format::Json;
        }
        match first.split_ascii_whitespace().next() {
            Some("position" | "startpos" | "sfen" | "moves") => return Format::Usi,
            Some(word) if word.matches('/').count() == 8 || word.parse::<Move>().is_ok() => return Format::Usi,
            _ => {}
        }
        for line in text.lines() {
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

    /// Tests whether it is JSON.
    pub(crate) const fn is_json(self) -> bool {
        #[cfg(feature = "records")]
        return matches!(self, Format::Json);
        #[cfg(not(feature = "records"))]
        false
    }

    /// Tests whether each game is a line.
    pub const fn is_line(self) -> bool {
        matches!(self, Format::Usi | Format::Sfen)
    }

    /// Reads all games of a text in this format; there is at least one.
    pub fn read(self, text: &str) -> Result<Vec<Parsed>, RecordError> {
        let mut games = Vec::new();
        for (lines_before, game) in self.games(text) {
            match self.read_one(game, lines_before) {
                Ok(parsed) => games.push(parsed),
                Err(mut error) => {
                    error.so_far.splice(0..0, games);
                    return Err(error);
                }
            }
        }
        if games.is_empty() {
            return Err(RecordError::new(self, 0, RecordErrorKind::NoRecord));
        }
        Ok(games)
    }

    /// Reads the first game of a text.
    pub(crate) fn read_first(self, text: &str) -> Result<Parsed, RecordError> {
        match self.games(text).first() {
            Some(&(lines_before, game)) => self.read_one(game, lines_before),
            None => Err(RecordError::new(self, 0, RecordErrorKind::NoRecord)),
        }
    }

    /// Reads a text of one game, as [`Format::games`] has it, which stands behind so many lines of its file.
    pub(crate) fn read_one(self, text: &str, lines_before: usize) -> Result<Parsed, RecordError> {
        match self {
            Format::Kif | Format::Ki2 => kif::read_one(self, text, lines_before),
            Format::Csa | Format::Csa2 => csa::read_one(text, lines_before),
            #[cfg(feature = "records")]
            Format::Json => jkf::read(text),
            Format::Usi | Format::Sfen => read_line(self, text, lines_before + 1),
        }
    }

    /// The texts of the games that stand one after the other, each with the number of lines before it. There is at least
    /// one, except in lists of lines.
    pub(crate) fn games(self, text: &str) -> Vec<(usize, &str)> {
        match self {
            Format::Kif | Format::Ki2 => kif::games(text),
            Format::Csa | Format::Csa2 => csa::games(text),
            #[cfg(feature = "records")]
            Format::Json => vec![(0, text)],
            Format::Usi | Format::Sfen => {
                // What follows `;` or `#` is a comment.
                let lines = text.lines().map(|line| line.split([';', '#']).next().unwrap_or_default().trim());
                lines.enumerate().filter(|(_, line)| !line.is_empty()).collect()
            }
        }
    }

    /// Writes a game in this format, with the lines `\n`.
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
    /// for format in Format::RECORDS {
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
            Format::Csa2 => csa::write_version(record, CsaVersion::V2_2),
            #[cfg(feature = "records")]
            Format::Json => jkf::write(record),
            Format::Usi => write_game(record) + "\n",
            Format::Sfen => {
                let mut pos = record.start.clone();
                for made in &record.moves {
                    pos.do_move(made.mv);
                }
                pos.to_sfen() + "\n"
            }
        }
    }
}

/// Reads a game on a line of USI.
fn read_line(format: Format, text: &str, line: usize) -> Result<Parsed, RecordError> {
    let game = parse_game(text).map_err(|error| RecordError::new(format, line, RecordErrorKind::Usi(error)))?;
    let mut parsed = Parsed { record: game.record, warnings: Vec::new() };
    if let Some(token) = game.ignored {
        parsed.warnings.push(format!("line {line}: {} was passed over", Quoted(&token)));
    }
    match game.fault {
        Some(fault) => {
            Err(RecordError { so_far: vec![parsed], ..RecordError::new(format, line, RecordErrorKind::Usi(fault)) })
        }
        None => Ok(parsed),
    }
}

/// Writes the name.
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Reads the name or an extension without regard to case.
impl FromStr for Format {
    type Err = UnknownName;
    fn from_str(text: &str) -> Result<Format, UnknownName> {
        let name = match text.to_ascii_lowercase().as_str() {
            "kifu" => "kif",
            "ki2u" => "ki2",
            "jkf" => "json",
            _ => text,
        };
        UnknownName::find(name, &Format::ALL, Format::name)
    }
}

named! {
    /// Part of a record for which some formats have no place.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Part {
        /// The start and the moves.
        Moves = "moves",
        /// The move counter of the start.
        Counter = "move counter",
        /// Names of the players, event, date and all other headers.
        Headers = "headers",
        /// Headers of a name that the format itself uses.
        HeaderNames = "headers of a name that it uses itself",
        /// Comments, and scores and lines of engines in them.
        Comments = "comments",
        /// Variations.
        Variations = "variations",
        /// Variations within more than 40 others.
        DeepVariations = "variations within more than 40 others",
        /// Times of the moves.
        Times = "times",
        /// Fractions of seconds.
        Fractions = "fractions of seconds",
        /// End of the game.
        End = "end of a game",
        /// Ends and winners for which CSA has no statement: `%TORYO` and its like.
        EndKinds = "ends that CSA has no statement for",
        /// A word for the end that is not known.
        EndWord = "words for the end that it does not know",
        /// A word for the end that says more than what it means: 封じ手.
        Adjournment = "words for the end beside what they mean",
    }

    /// Name, as in "USI has no comments".
    words
}

impl Part {
    /// The part that this one belongs to.
    const fn whole(self) -> Option<Part> {
        match self {
            Part::HeaderNames => Some(Part::Headers),
            Part::DeepVariations => Some(Part::Variations),
            Part::Fractions => Some(Part::Times),
            Part::EndKinds | Part::EndWord | Part::Adjournment => Some(Part::End),
            _ => None,
        }
    }

    /// Tests whether a record has this part.
    fn is_in(self, record: &GameRecord) -> bool {
        match self {
            Part::Moves => !record.moves.is_empty(),
            Part::Counter => record.start.ply() > 1,
            Part::Headers => {
                let GameRecord { event, site, started, ended, time_limit, opening, .. } = record;
                let fields = [event, site, started, ended, time_limit, opening];
                !record.headers.is_empty() || record.players.iter().chain(fields).any(Option::is_some)
            }
            Part::HeaderNames => !record.headers.is_empty(),
            Part::Comments => !record.comments.is_empty() || record.moves.iter().any(|made| !made.comments.is_empty()),
            Part::Variations | Part::DeepVariations => !record.variations.is_empty(),
            Part::Times => !times(record).is_empty(),
            Part::Fractions => times(record).iter().any(|time| time.subsec_nanos() > 0),
            Part::End => record.conclusion.is_some() || record.end_word.is_some(),
            Part::EndKinds => true,
            Part::EndWord => record.end_word.is_some() && record.conclusion.is_none(),
            Part::Adjournment => record.end_word.is_some() && record.conclusion.is_some(),
        }
    }
}

/// All times of a record, those of variations and ends too.
fn times(record: &GameRecord) -> Vec<Duration> {
    let mut times: Vec<Option<Duration>> = record.moves.iter().map(|made| made.spent).collect();
    for line in &record.variations {
        times.extend(line.moves.iter().map(|made| made.spent));
        times.extend(line.conclusion.map(|end| end.spent));
    }
    times.extend(record.conclusion.map(|end| end.spent));
    times.extend(record.end_word.as_ref().map(|end| end.spent));
    times.into_iter().flatten().collect()
}

impl Format {
    /// Tests whether the format has a place for a part. Where it has none it may still hold a part of some form: CSA
    /// its own words for the end.
    pub const fn holds(self, part: Part) -> bool {
        use Format::*;
        match part {
            Part::Moves => !matches!(self, Sfen),
            Part::Counter => matches!(self, Kif | Ki2 | Usi | Sfen),
            Part::Headers | Part::Comments | Part::End => !self.is_line(),
            Part::HeaderNames => self.is_json(),
            Part::Variations => self.is_json() || matches!(self, Kif | Ki2),
            Part::DeepVariations | Part::Adjournment => matches!(self, Kif | Ki2),
            Part::Times => self.is_json() || matches!(self, Kif | Csa | Csa2),
            Part::Fractions => matches!(self, Csa),
            Part::EndKinds => matches!(self, Kif | Ki2 | Csa | Csa2),
            Part::EndWord => self.is_json() || matches!(self, Kif | Ki2),
        }
    }

    /// The parts of a record that are lost if it is written in this format.
    ///
    /// ```
    /// use komainu::notation::{Format, Part};
    ///
    /// let kif = "手合割：平手\n   1 ７六歩(77)   ( 0:05/00:00:05)\n*角道\n";
    /// let game = komainu::notation::kif::read(kif)?.record;
    /// assert_eq!(Format::Usi.losses(&game), [Part::Comments, Part::Times]);
    /// assert!(Format::Csa.losses(&game).is_empty());
    /// # Ok::<(), komainu::notation::RecordError>(())
    /// ```
    pub fn losses(self, record: &GameRecord) -> Vec<Part> {
        let mut losses = Vec::new();
        for part in Part::ALL {
            // What a part belongs to is told in its place.
            let is_told = part.whole().is_none_or(|whole| self.holds(whole));
            if is_told && part.is_in(record) && self.loses(part, record) {
                losses.push(part);
            }
        }
        losses
    }

    /// Tests whether a part that a record has is lost.
    fn loses(self, part: Part, record: &GameRecord) -> bool {
        match (part, self) {
            (Part::HeaderNames, Format::Kif | Format::Ki2) => {
                record.headers.iter().any(|(key, _)| !kif::holds_header(key))
            }
            (Part::HeaderNames, Format::Csa | Format::Csa2) => {
                record.headers.iter().any(|(key, _)| !csa::holds_header(key))
            }
            #[cfg(feature = "records")]
            (Part::DeepVariations, Format::Json) => !jkf::holds_variations(record),
            #[cfg(feature = "records")]
            (Part::EndKinds, Format::Json) => !jkf::holds_ends(record),
            (Part::EndWord | Part::Adjournment, Format::Kif) => !kif::holds_end_word(record),
            (Part::EndWord | Part::Adjournment, Format::Ki2) => !ki2::holds_end_word(record),
            (Part::EndWord, Format::Csa | Format::Csa2) => !csa::holds_end_word(record),
            _ => !self.holds(part),
        }
    }
}
