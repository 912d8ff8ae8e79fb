//! The formats that records are converted to, and what each of them has a place for.

use super::csa::{self, CsaVersion};
use super::ki2;
use super::kif;
use super::record::{GameRecord, RecordMove};
use super::usi::write_game;
use super::{Format, jkf};
use std::time::Duration;

/// A format that records are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Target {
    /// KIF.
    Kif,
    /// KI2.
    Ki2,
    /// CSA, version 3.0 if a time has fractions of a second, else 2.2.
    Csa,
    /// CSA, always version 2.2.
    Csa2,
    /// JSON (JKF).
    Json,
    /// A line `position ...` with the start and the moves.
    Usi,
    /// A line with the SFEN of the last position.
    Sfen,
}

/// Part of a record for which some formats have no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// The start and the moves.
    Moves,
    /// The move counter of the start.
    Counter,
    /// Names of the players, event, date and all other headers.
    Headers,
    /// Headers of a name that the format itself uses.
    HeaderNames,
    /// Comments, and scores and lines of engines in them.
    Comments,
    /// Variations.
    Variations,
    /// Variations within more than 40 others.
    DeepVariations,
    /// Times of the moves.
    Times,
    /// Fractions of seconds.
    Fractions,
    /// End of the game.
    End,
    /// Ends and winners for which CSA has no statement: `%TORYO` and its like.
    EndKinds,
    /// A word for the end that is not known.
    EndWord,
    /// A word for the end that says more than what it means: 封じ手.
    Adjournment,
}

impl Part {
    /// All parts.
    pub const ALL: [Part; 13] = {
        use Part::*;
        [
            Moves,
            Counter,
            Headers,
            HeaderNames,
            Comments,
            Variations,
            DeepVariations,
            Times,
            Fractions,
            End,
            EndKinds,
            EndWord,
            Adjournment,
        ]
    };

    /// Name, as in "USI has no comments".
    pub const fn words(self) -> &'static str {
        match self {
            Part::Moves => "moves",
            Part::Counter => "move counter",
            Part::Headers => "headers",
            Part::HeaderNames => "headers of a name that it uses itself",
            Part::Comments => "comments",
            Part::Variations => "variations",
            Part::DeepVariations => "variations within more than 40 others",
            Part::Times => "times",
            Part::Fractions => "fractions of seconds",
            Part::End => "end of a game",
            Part::EndKinds => "ends that CSA has no statement for",
            Part::EndWord => "words for the end that it does not know",
            Part::Adjournment => "words for the end beside what they mean",
        }
    }

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
            Part::Times => times(record).next().is_some(),
            Part::Fractions => times(record).any(|time| time.subsec_nanos() > 0),
            Part::End => record.conclusion.is_some() || record.end_word.is_some(),
            Part::EndKinds => true,
            Part::EndWord => record.end_word.is_some() && record.conclusion.is_none(),
            Part::Adjournment => record.end_word.is_some() && record.conclusion.is_some(),
        }
    }
}

/// All times of a record, those of variations and ends too.
fn times(record: &GameRecord) -> impl Iterator<Item = Duration> {
    let ends = record.variations.iter().map(|line| &line.conclusion).chain([&record.conclusion]);
    let of_ends = ends.filter_map(|end| end.as_ref()?.spent);
    let moves = record.variations.iter().flat_map(|line| &line.moves).chain(&record.moves);
    let of_moves = moves.filter_map(|made: &RecordMove| made.spent);
    of_moves.chain(of_ends).chain(record.end_word.iter().filter_map(|end| end.spent))
}

impl Target {
    /// All formats.
    pub const ALL: [Target; 7] =
        [Target::Kif, Target::Ki2, Target::Csa, Target::Csa2, Target::Json, Target::Usi, Target::Sfen];

    /// Name of the format.
    pub const fn name(self) -> &'static str {
        match self {
            Target::Kif => "KIF",
            Target::Ki2 => "KI2",
            Target::Csa => "CSA",
            Target::Csa2 => "CSA 2.2",
            Target::Json => "JSON",
            Target::Usi => "USI",
            Target::Sfen => "SFEN",
        }
    }

    /// Tests whether each game is a line.
    pub const fn is_line(self) -> bool {
        matches!(self, Target::Usi | Target::Sfen)
    }

    /// The record in this format, with the lines `\n`.
    pub fn write(self, record: &GameRecord) -> String {
        match self {
            Target::Kif => Format::Kif.write(record),
            Target::Ki2 => Format::Ki2.write(record),
            Target::Csa => csa::write(record),
            Target::Csa2 => csa::write_version(record, CsaVersion::V2_2),
            Target::Json => jkf::write(record),
            Target::Usi => write_game(record) + "\n",
            Target::Sfen => {
                let mut pos = record.start.clone();
                record.moves.iter().for_each(|made| pos.do_move(made.mv));
                pos.to_sfen() + "\n"
            }
        }
    }

    /// Tests whether the format has a place for a part. Where it has none it may still hold a part of some form: CSA
    /// its own words for the end.
    pub const fn holds(self, part: Part) -> bool {
        use Target::*;
        match part {
            Part::Moves => !matches!(self, Sfen),
            Part::Counter => matches!(self, Kif | Ki2 | Usi | Sfen),
            Part::Headers | Part::Comments | Part::End => !self.is_line(),
            Part::HeaderNames => matches!(self, Json),
            Part::Variations => matches!(self, Kif | Ki2 | Json),
            Part::DeepVariations | Part::Adjournment => matches!(self, Kif | Ki2),
            Part::Times => matches!(self, Kif | Csa | Csa2 | Json),
            Part::Fractions => matches!(self, Csa),
            Part::EndKinds => matches!(self, Kif | Ki2 | Csa | Csa2),
            Part::EndWord => matches!(self, Kif | Ki2 | Json),
        }
    }

    /// The parts of a record that are lost if it is written in this format.
    ///
    /// ```
    /// use komainu::notation::target::{Part, Target};
    ///
    /// let kif = "手合割：平手\n   1 ７六歩(77)   ( 0:05/00:00:05)\n*角道\n";
    /// let game = komainu::notation::kif::read(kif)?.record;
    /// assert_eq!(Target::Usi.losses(&game), [Part::Comments, Part::Times]);
    /// assert!(Target::Csa.losses(&game).is_empty());
    /// # Ok::<(), komainu::notation::kif::KifError>(())
    /// ```
    pub fn losses(self, record: &GameRecord) -> Vec<Part> {
        // What a part belongs to is told in its place.
        let is_told = |part: Part| part.whole().is_none_or(|whole| self.holds(whole));
        let is_lost = |part: &Part| is_told(*part) && part.is_in(record) && self.loses(*part, record);
        Part::ALL.into_iter().filter(is_lost).collect()
    }

    /// Tests whether a part that a record has is lost.
    fn loses(self, part: Part, record: &GameRecord) -> bool {
        let has_header = |holds: fn(&str) -> bool| record.headers.iter().any(|(key, _)| !holds(key));
        match (part, self) {
            (Part::HeaderNames, Target::Kif | Target::Ki2) => has_header(kif::holds_header),
            (Part::HeaderNames, Target::Csa | Target::Csa2) => has_header(csa::holds_header),
            (Part::DeepVariations, Target::Json) => !jkf::holds_variations(record),
            (Part::EndKinds, Target::Json) => !jkf::holds_ends(record),
            (Part::EndWord | Part::Adjournment, Target::Kif) => !kif::holds_end_word(record),
            (Part::EndWord | Part::Adjournment, Target::Ki2) => !ki2::holds_end_word(record),
            (Part::EndWord, Target::Csa | Target::Csa2) => !csa::holds_end_word(record),
            _ => !self.holds(part),
        }
    }
}
