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

/// Centipawns that are shown for a superior repetition: a clear lead that fits into the graph of a GUI.
const SUPERIOR_SHOWN: i32 = 2_000;

impl From<Score> for ReportedScore {
    fn from(score: Score) -> ReportedScore {
        match score.mate_plies() {
            Some(plies) => ReportedScore::Mate(plies),
            None if score.is_superior() => ReportedScore::Centipawns(score.0.signum() * SUPERIOR_SHOWN),
            None => ReportedScore::Centipawns(score.0),
        }
    }
}

/// As USI writes it: `cp 35`, `mate 3`, `mate -2`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ReportedScore::from(*self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_superior_repetition_is_shown_as_a_lead_that_a_graph_can_hold() {
        for (score, shown) in [
            (Score::SUPERIOR - 14, "cp 2000"),
            (-(Score::SUPERIOR - 3), "cp -2000"),
            (Score::MAX_EVAL, "cp 14000"),
            (Score::REPETITION_WIN - 9, "cp 30990"),
            (Score::mated_in(4), "mate -4"),
        ] {
            assert_eq!(score.to_string(), shown);
        }
    }
}
