//! Abilities of each level. The values were fitted by matches (`examples/calibrate_levels`, docs/levels.md).

use super::level::Level;

/// Abilities of a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LevelParams {
    pub(super) level: Level,
    /// Nodes after which the search stops.
    pub(super) nodes: u64,
    /// The deepest iteration, in plies.
    pub(super) depth: usize,
    /// Standard deviation of the error of the evaluation, in centipawns.
    pub(super) noise: f64,
    /// Chance that an answer is not seen.
    pub(super) blindness: f64,
    /// The longest mate that is seen, in plies from the root.
    pub(super) mate_plies: usize,
    /// Chance that it is seen.
    pub(super) mate_chance: f64,
    /// Chance that a gift is taken back.
    pub(super) guard_chance: f64,
}

/// A row: grade, nodes, depth, noise, blindness, mate plies, mate chance, guard chance.
type LevelRow = (i8, u64, usize, f64, f64, usize, f64, f64);

/// The rows; levels between two rows lie between them in rating.
#[rustfmt::skip]
const ROWS: [LevelRow; 17] = [
    (-20,     30,  1,  950.0, 0.745,  1, 0.5, 0.4),
    (-15,     60,  2,  570.0, 0.510,  1, 0.7, 0.5),
    (-12,    120,  2,  430.0, 0.400,  1, 0.7, 1.0),
    (-10,    210,  3,  290.0, 0.270,  1, 1.0, 1.0),
    ( -7,    375,  4,  205.0, 0.215,  3, 1.0, 1.0),
    ( -5,    570,  5,   98.0, 0.145,  3, 1.0, 1.0),
    ( -3,    940,  5,   81.0, 0.115,  3, 1.0, 1.0),
    ( -1,  1_200,  6,   75.0, 0.100,  5, 1.0, 1.0),
    (  1,  1_500,  7,   66.0, 0.080,  5, 1.0, 1.0),
    (  2,  2_000,  8,   58.0, 0.062,  5, 1.0, 1.0),
    (  3,  2_800,  9,   51.0, 0.045,  7, 1.0, 1.0),
    (  4,  4_100, 10,   44.0, 0.030,  7, 1.0, 1.0),
    (  5,  6_100, 11,   38.0, 0.020,  9, 1.0, 1.0),
    (  6, 11_500, 14,   19.0, 0.006,  9, 1.0, 1.0),
    (  7, 17_000, 15,   14.0, 0.000, 11, 1.0, 1.0),
    (  8, 31_000, 24,    6.0, 0.000, 11, 1.0, 1.0),
    (  9, 60_000, 64,    0.0, 0.000, 64, 1.0, 1.0),
];

impl LevelParams {
    /// Parameters of a level.
    pub(super) fn of(level: Level) -> LevelParams {
        let at = ROWS.iter().rposition(|row| row.0 <= level.grade()).unwrap_or(0);
        let (below, above) = (ROWS[at], ROWS[(at + 1).min(ROWS.len() - 1)]);
        let rating = |grade| Level::from_grade(grade).map_or(0.0, |level| f64::from(level.rating()));
        let (low, high) = (rating(below.0), rating(above.0));
        let share = if high > low { (f64::from(level.rating()) - low) / (high - low) } else { 0.0 };
        let between = |low: f64, high: f64| low + share * (high - low);
        LevelParams {
            level,
            nodes: between((below.1 as f64).ln(), (above.1 as f64).ln()).exp().round() as u64,
            depth: between(below.2 as f64, above.2 as f64).round() as usize,
            noise: between(below.3, above.3),
            blindness: between(below.4, above.4),
            mate_plies: below.5,
            mate_chance: below.6,
            guard_chance: below.7,
        }
    }

    /// Null moves, late-move pruning and margins around the evaluation need an evaluation that can be relied on.
    pub(super) fn prunes(&self) -> bool {
        self.level.grade() > 0
    }

    /// Plies of captures after which a position is quiet in practice.
    pub(super) const ALL_CAPTURES: i32 = 16;

    /// Plies of captures that are looked at.
    pub(super) fn quiescence_plies(&self) -> i32 {
        if self.level.grade() <= -10 { 2 + self.depth as i32 / 2 } else { LevelParams::ALL_CAPTURES }
    }
}
