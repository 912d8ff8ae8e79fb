//! `cp N` and `mate N`.

use crate::notation::score::ReportedScore;
use crate::types::Score;
use std::fmt;

impl ReportedScore {
    /// The score of the two words behind `score`; `None` if they are none.
    pub(crate) fn read(kind: &str, number: &str) -> Option<ReportedScore> {
        match (kind, number) {
            ("cp", number) => number.parse().ok().map(ReportedScore::Centipawns),
            // Plies are not known, or the engine is mated already.
            ("mate", "+" | "+0") => Some(ReportedScore::Mate(1)),
            ("mate", "-" | "-0" | "0") => Some(ReportedScore::Mate(-1)),
            ("mate", number) => number.parse().ok().map(ReportedScore::Mate),
            _ => None,
        }
    }
}

/// As USI writes it: `cp 35`, `mate 3`, `mate -2`.
impl fmt::Display for ReportedScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReportedScore::Centipawns(value) => write!(f, "cp {value}"),
            ReportedScore::Mate(plies) => write!(f, "mate {plies}"),
        }
    }
}

impl From<Score> for ReportedScore {
    fn from(score: Score) -> ReportedScore {
        score.mate_plies().map_or(ReportedScore::Centipawns(score.0), ReportedScore::Mate)
    }
}

/// As USI writes it: `cp 35`, `mate 3`, `mate -2`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ReportedScore::from(*self).fmt(f)
    }
}
