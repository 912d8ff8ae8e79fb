//! A score as engines report it and records keep it.

use super::number::Number;
use std::fmt;

/// A score from the view of the engine that gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportedScore {
    /// Centipawns.
    Centipawns(i32),
    /// Plies to the mate; below zero if the engine is mated.
    Mate(i32),
    /// A mate whose length is not known.
    UnknownMate {
        /// The engine gives it.
        wins: bool,
    },
}

/// A score as an engine tells it: a value, or only a side of one. A bound is no score: whoever takes one for a score
/// must say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InfoScore {
    /// The score.
    Exact(ReportedScore),
    /// The score is this or more: `lowerbound`.
    AtLeast(ReportedScore),
    /// The score is this or less: `upperbound`.
    AtMost(ReportedScore),
}

impl InfoScore {
    /// The score; `None` for a bound.
    pub const fn exact(self) -> Option<ReportedScore> {
        match self {
            InfoScore::Exact(score) => Some(score),
            InfoScore::AtLeast(_) | InfoScore::AtMost(_) => None,
        }
    }

    /// The score as the other side sees it.
    pub fn turned(self) -> InfoScore {
        match self {
            InfoScore::Exact(score) => InfoScore::Exact(score.turned()),
            InfoScore::AtLeast(score) => InfoScore::AtMost(score.turned()),
            InfoScore::AtMost(score) => InfoScore::AtLeast(score.turned()),
        }
    }

    /// Reads the words behind `score`: `cp 35`, `mate +`, `cp -20 lowerbound`; `None` if they are none.
    pub fn read(text: &str) -> Option<InfoScore> {
        let mut words = text.split_ascii_whitespace();
        let score = ReportedScore::read(words.next()?, words.next()?)?;
        match words.next() {
            None => Some(InfoScore::Exact(score)),
            Some("lowerbound") => Some(InfoScore::AtLeast(score)),
            Some("upperbound") => Some(InfoScore::AtMost(score)),
            Some(_) => None,
        }
    }
}

/// As USI writes it: `cp 35`, `mate -2`, `cp -20 lowerbound`.
impl fmt::Display for InfoScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InfoScore::Exact(score) => score.fmt(f),
            InfoScore::AtLeast(score) => write!(f, "{score} lowerbound"),
            InfoScore::AtMost(score) => write!(f, "{score} upperbound"),
        }
    }
}

impl ReportedScore {
    /// The score as the other side sees it.
    pub fn turned(self) -> ReportedScore {
        match self {
            ReportedScore::Centipawns(cp) => ReportedScore::Centipawns(cp.saturating_neg()),
            ReportedScore::Mate(plies) => ReportedScore::Mate(plies.saturating_neg()),
            ReportedScore::UnknownMate { wins } => ReportedScore::UnknownMate { wins: !wins },
        }
    }

    /// Centipawns; `None` for a mate.
    pub const fn as_centipawns(self) -> Option<i32> {
        match self {
            ReportedScore::Centipawns(value) => Some(value),
            ReportedScore::Mate(_) | ReportedScore::UnknownMate { .. } => None,
        }
    }

    /// Plies to a mate, below zero for the side that is mated; `None` for centipawns and where the length is not known.
    pub const fn as_mate(self) -> Option<i32> {
        match self {
            ReportedScore::Centipawns(_) | ReportedScore::UnknownMate { .. } => None,
            ReportedScore::Mate(plies) => Some(plies),
        }
    }

    /// Whether the engine gives a mate, of whatever length, or is mated; `None` for centipawns.
    pub const fn mates(self) -> Option<bool> {
        match self {
            ReportedScore::Centipawns(_) => None,
            ReportedScore::Mate(plies) => Some(plies > 0),
            ReportedScore::UnknownMate { wins } => Some(wins),
        }
    }

    /// One number for comparisons, within ±1,000,000: a mate is larger than every score in centipawns, and one whose
    /// length is not known counts as a long one.
    pub fn centipawns(self) -> i32 {
        const MATE: i32 = 1_000_000;
        const LONGEST: i32 = 9_000;
        match self {
            ReportedScore::Centipawns(value) => value.clamp(-MATE + 10_000, MATE - 10_000),
            ReportedScore::Mate(plies) if plies > 0 => MATE - plies.min(LONGEST),
            ReportedScore::Mate(plies) => -MATE + plies.saturating_neg().min(LONGEST),
            ReportedScore::UnknownMate { wins: true } => MATE - LONGEST,
            ReportedScore::UnknownMate { wins: false } => LONGEST - MATE,
        }
    }

    /// The value in a book, within ±32,000: a mate in `n` plies is 32,000 − n, of unknown length 31,000.
    pub fn book_value(self) -> i32 {
        const MATE: i32 = 32_000;
        const LONGEST: i32 = 1_000;
        match self {
            ReportedScore::Centipawns(value) => value.clamp(-MATE, MATE),
            ReportedScore::Mate(plies) => {
                let length = plies.saturating_abs().min(LONGEST);
                if plies > 0 { MATE - length } else { length - MATE }
            }
            ReportedScore::UnknownMate { wins: true } => MATE - LONGEST,
            ReportedScore::UnknownMate { wins: false } => LONGEST - MATE,
        }
    }
}

impl ReportedScore {
    /// The score of the two words behind `score`; `None` if they are none.
    pub fn read(kind: &str, text: &str) -> Option<ReportedScore> {
        match (kind, text) {
            ("cp", text) => number(text).map(ReportedScore::Centipawns),
            ("mate", "+" | "+0") => Some(ReportedScore::UnknownMate { wins: true }),
            ("mate", "-" | "-0") => Some(ReportedScore::UnknownMate { wins: false }),
            ("mate", text) => match number(text)? {
                // The engine is mated already.
                0 => Some(ReportedScore::Mate(-1)),
                plies => Some(ReportedScore::Mate(plies)),
            },
            _ => None,
        }
    }
}

/// As USI writes it: `cp 35`, `mate 3`, `mate -2`, `mate +`.
impl fmt::Display for ReportedScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReportedScore::Centipawns(value) => write!(f, "cp {value}"),
            ReportedScore::Mate(plies) => write!(f, "mate {plies}"),
            ReportedScore::UnknownMate { wins: true } => f.write_str("mate +"),
            ReportedScore::UnknownMate { wins: false } => f.write_str("mate -"),
        }
    }
}

fn number(text: &str) -> Option<i32> {
    Number::read(text)?.value.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_larger_than_scores_and_shorter_ones_larger_still() {
        let order = [
            ReportedScore::Mate(-1),
            ReportedScore::Mate(-9),
            ReportedScore::UnknownMate { wins: false },
            ReportedScore::Centipawns(i32::MIN),
            ReportedScore::Centipawns(-5),
            ReportedScore::Centipawns(0),
        ];
        let order = order.into_iter().chain([
            ReportedScore::Centipawns(i32::MAX),
            ReportedScore::UnknownMate { wins: true },
            ReportedScore::Mate(9),
            ReportedScore::Mate(1),
        ]);
        assert!(order.map(ReportedScore::centipawns).is_sorted_by(|a, b| a < b));
        assert!(ReportedScore::Mate(i32::MIN).centipawns() < -900_000);
    }

    #[test]
    fn a_bound_is_no_score_and_turns_with_the_board() {
        let bound = InfoScore::read("cp -20 lowerbound").unwrap();
        assert_eq!((bound, bound.exact()), (InfoScore::AtLeast(ReportedScore::Centipawns(-20)), None));
        assert_eq!(bound.turned().to_string(), "cp 20 upperbound");
        for text in ["cp 35", "mate 3", "mate -2", "mate +", "mate -", "cp 5 upperbound", "mate 7 lowerbound"] {
            assert_eq!(InfoScore::read(text).unwrap().to_string(), text);
        }
        for text in ["", "cp", "cp x", "mate soon", "cp 5 about"] {
            assert_eq!(InfoScore::read(text), None, "{text}");
        }
    }

    #[test]
    fn values_of_books_are_held_within_their_bounds() {
        use ReportedScore::{Centipawns, Mate, UnknownMate};
        let scores = [Centipawns(i32::MAX), Mate(3), Mate(-4), Mate(i32::MIN), UnknownMate { wins: true }];
        assert_eq!(scores.map(ReportedScore::book_value), [32_000, 31_997, -31_996, -31_000, 31_000]);
    }
}
