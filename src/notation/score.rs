//! A score as engines report it and records keep it.

/// A score from the view of the engine that gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportedScore {
    /// Centipawns.
    Centipawns(i32),
    /// Plies to the mate; below zero if the engine is mated. A mate of unknown length counts as 1.
    Mate(i32),
}

impl ReportedScore {
    /// The score as the other side sees it.
    pub fn turned(self) -> ReportedScore {
        match self {
            ReportedScore::Centipawns(cp) => ReportedScore::Centipawns(cp.saturating_neg()),
            ReportedScore::Mate(plies) => ReportedScore::Mate(plies.saturating_neg()),
        }
    }

    /// Centipawns; `None` for a mate.
    pub const fn as_centipawns(self) -> Option<i32> {
        match self {
            ReportedScore::Centipawns(value) => Some(value),
            ReportedScore::Mate(_) => None,
        }
    }

    /// Plies to a mate, below zero for the side that is mated; `None` for centipawns.
    pub const fn as_mate(self) -> Option<i32> {
        match self {
            ReportedScore::Centipawns(_) => None,
            ReportedScore::Mate(plies) => Some(plies),
        }
    }

    /// One number for comparisons, within ±1,000,000: a mate is larger than every score in centipawns.
    pub fn centipawns(self) -> i32 {
        const MATE: i32 = 1_000_000;
        match self {
            ReportedScore::Centipawns(value) => value.clamp(-MATE + 10_000, MATE - 10_000),
            ReportedScore::Mate(plies) if plies > 0 => MATE - plies.min(9_000),
            ReportedScore::Mate(plies) => -MATE + plies.saturating_neg().min(9_000),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_larger_than_scores_and_shorter_ones_larger_still() {
        let order = [
            ReportedScore::Mate(-1),
            ReportedScore::Mate(-9),
            ReportedScore::Centipawns(i32::MIN),
            ReportedScore::Centipawns(-5),
            ReportedScore::Centipawns(0),
        ];
        let order = order.into_iter().chain([
            ReportedScore::Centipawns(i32::MAX),
            ReportedScore::Mate(9),
            ReportedScore::Mate(1),
        ]);
        assert!(order.map(ReportedScore::centipawns).is_sorted_by(|a, b| a < b));
        assert!(ReportedScore::Mate(i32::MIN).centipawns() < -900_000);
    }
}
