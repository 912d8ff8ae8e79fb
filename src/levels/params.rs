//! What each level can do. The values were fitted by matches (`examples/calibrate_levels`, docs/levels.md).

use super::level::Level;
use crate::random;
use crate::types::Key;

/// What a level can do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LevelParams {
    pub(crate) level: Level,
    /// Nodes after which the search stops.
    pub(crate) nodes: u64,
    /// The deepest iteration, in plies.
    pub(crate) depth: usize,
    /// Standard deviation of the noise of the evaluation, in centipawns.
    pub(crate) noise: f64,
    /// Chance that an answer is overlooked.
    pub(crate) oversight: f64,
    /// The longest mate that is seen, in plies from the root.
    pub(crate) mate_plies: usize,
    /// Chance that it is seen.
    pub(crate) mate_chance: f64,
    /// Chance that a blunder is taken back.
    pub(crate) guard_chance: f64,
}

/// A row: grade, nodes, depth, noise, oversight, mate plies, mate chance, guard chance.
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

/// Centipawns of a lead from which on a game is won.
pub(crate) const WON: i32 = 1_200;
/// Whoever has won looks harder for mates after this ply, ...
const MATE_PLY: u32 = 80;
/// ... and loses patience after this one.
const LONG_PLY: u32 = 150;
/// The longest mate that is looked for because of a lead, in plies.
const LONGEST_MATE: usize = 7;
/// The noise of a level that has lost patience, against its usual one.
const PATIENCE_LOST: f64 = 0.5;

impl LevelParams {
    /// Parameters of a level.
    pub(crate) fn of(level: Level) -> LevelParams {
        let at = ROWS.iter().rposition(|row| row.0 <= level.grade()).unwrap_or(0);
        let below = ROWS[at];
        let above = ROWS[(at + 1).min(ROWS.len() - 1)];
        let low = rating(below.0);
        let high = rating(above.0);
        let share = if high > low { (f64::from(level.rating()) - low) / (high - low) } else { 0.0 };
        LevelParams {
            level,
            nodes: between((below.1 as f64).ln(), (above.1 as f64).ln(), share).exp().round() as u64,
            depth: between(below.2 as f64, above.2 as f64, share).round() as usize,
            noise: between(below.3, above.3, share),
            oversight: between(below.4, above.4, share),
            mate_plies: below.5,
            mate_chance: below.6,
            guard_chance: below.7,
        }
    }

    /// The parameters of a level with this lead in centipawns: a game that is won is brought to its end, and the longer
    /// it takes the more the level sees.
    pub(crate) fn when_winning(self, lead: i32, ply: u32) -> LevelParams {
        if lead < WON || ply <= MATE_PLY {
            return self;
        }
        let more = 2 * (lead / WON).min(2) as usize;
        let mate_plies = (self.mate_plies + more).min(LONGEST_MATE.max(self.mate_plies));
        let params = LevelParams { mate_plies, mate_chance: 1.0, ..self };
        if ply <= LONG_PLY {
            return params;
        }
        LevelParams {
            noise: params.noise * PATIENCE_LOST,
            oversight: params.oversight * PATIENCE_LOST,
            nodes: 2 * params.nodes,
            depth: params.depth + 1,
            ..params
        }
    }

    /// Null moves, late-move pruning and margins around the evaluation need an evaluation that can be relied on.
    pub(crate) fn prunes(&self) -> bool {
        self.level.grade() > 0
    }

    /// Plies of captures after which a position is quiet in practice.
    pub(crate) const ALL_CAPTURES: i32 = 16;

    /// Plies of captures that are looked at.
    pub(crate) fn quiescence_plies(&self) -> i32 {
        if self.level.grade() <= -10 { 2 + self.depth as i32 / 2 } else { LevelParams::ALL_CAPTURES }
    }
}

/// The rating that a grade is meant to have.
fn rating(grade: i8) -> f64 {
    Level::from_grade(grade).map_or(0.0, |level| f64::from(level.rating()))
}

fn between(low: f64, high: f64, share: f64) -> f64 {
    low + share * (high - low)
}

/// Spreads the bits of a number: a step of SplitMix64 (Steele, Lea and Flood 2014). What a level leaves to chance
/// depends on position, move and seed alone.
pub(crate) fn mix(number: u64) -> u64 {
    random::mix(number.wrapping_add(random::GOLDEN))
}

/// The number in (0, 1) that belongs to these bits.
pub(crate) fn unit(bits: u64) -> f64 {
    random::unit(mix(bits))
}

/// The logistic law has the deviation π/√3; divided by it, the noise of a level is a standard deviation.
const NOISE_SCALE: f64 = 0.55;
/// In the opening, before this ply, there is less noise: most moves are about as good.
const OPENING_PLY: u32 = 24;
const OPENING_SHARE: f64 = 0.6;

/// The noise of a level's evaluation in centipawns, from the view of the side to move: a logistic random number that
/// belongs to the position and the seed of the game.
///
/// Noise on the leaves leads to errors of judgement, as people make them; noise on the root's moves only would leave
/// the tactics sharp. The same position has the same noise all game long, so that the errors make plans.
pub(crate) fn noise(deviation: f64, key: Key, seed: u64, ply: u32) -> i32 {
    if deviation == 0.0 {
        return 0;
    }
    let share = if ply < OPENING_PLY { OPENING_SHARE } else { 1.0 };
    let unit = unit(key.0 ^ seed);
    (deviation * share * NOISE_SCALE * (unit / (1.0 - unit)).ln()).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_lengthens_the_mates_that_are_seen_and_a_long_game_sharpens_the_eye() {
        let usual = LevelParams::of(Level::WEAKEST);
        assert_eq!(usual.when_winning(3_000, MATE_PLY), usual, "early");
        assert_eq!(usual.when_winning(WON - 1, 300), usual, "no lead");
        let seen = |lead, ply| usual.when_winning(lead, ply).mate_plies;
        assert_eq!([seen(WON, 81), seen(2 * WON, 81), seen(9_000, 81)], [3, 5, 5]);
        assert_eq!(
            (usual.when_winning(WON, 81).noise, usual.when_winning(WON, LONG_PLY + 1).noise),
            (usual.noise, usual.noise / 2.0)
        );
        let strong = LevelParams::of(Level::STRONGEST);
        assert_eq!(strong.when_winning(WON, 81).mate_plies, strong.mate_plies);
    }

    #[test]
    fn the_noise_has_mean_zero_and_the_deviation_of_the_level() {
        let errors: Vec<f64> = (0..20_000).map(|key| f64::from(noise(200.0, Key(key), 9, 40))).collect();
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let deviation = (errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64).sqrt();
        assert!(mean.abs() < 6.0 && (deviation - 200.0).abs() < 6.0, "{mean} {deviation}");
    }

    #[test]
    fn a_position_keeps_its_error_and_another_seed_has_another() {
        assert_eq!(noise(200.0, Key(5), 1, 40), noise(200.0, Key(5), 1, 90));
        assert_ne!(noise(200.0, Key(5), 1, 40), noise(200.0, Key(5), 2, 40));
        assert!(noise(200.0, Key(5), 1, 3).abs() < noise(200.0, Key(5), 1, 40).abs());
        assert_eq!(noise(0.0, Key(5), 1, 40), 0);
    }
}
