//! The error of a level's evaluation: a logistic random number that belongs to the position and the seed of the game.
//!
//! Noise on the leaves leads to errors of judgement, as people make them; noise on the root's moves only would leave
//! the tactics sharp. The same position has the same error all game long, so that the errors make plans.

use super::chance::unit;
use crate::types::Key;

/// The logistic law has the deviation π/√3; divided by it, the noise of a level is a standard deviation.
const SCALE: f64 = 0.55;
/// In the opening, before this ply, the error is smaller: most moves are about as good.
const OPENING_PLY: u32 = 24;
const OPENING_SHARE: f64 = 0.6;

/// The error in centipawns, from the view of the side to move.
pub(super) fn error(deviation: f64, key: Key, seed: u64, ply: u32) -> i32 {
    if deviation == 0.0 {
        return 0;
    }
    let share = if ply < OPENING_PLY { OPENING_SHARE } else { 1.0 };
    let unit = unit(key.0 ^ seed);
    (deviation * share * SCALE * (unit / (1.0 - unit)).ln()).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_noise_has_mean_zero_and_the_deviation_of_the_level() {
        let errors: Vec<f64> = (0..20_000).map(|key| f64::from(error(200.0, Key(key), 9, 40))).collect();
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let deviation = (errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64).sqrt();
        assert!(mean.abs() < 6.0 && (deviation - 200.0).abs() < 6.0, "{mean} {deviation}");
    }

    #[test]
    fn a_position_keeps_its_error_and_another_seed_has_another() {
        assert_eq!(error(200.0, Key(5), 1, 40), error(200.0, Key(5), 1, 90));
        assert_ne!(error(200.0, Key(5), 1, 40), error(200.0, Key(5), 2, 40));
        assert!(error(200.0, Key(5), 1, 3).abs() < error(200.0, Key(5), 1, 40).abs());
        assert_eq!(error(0.0, Key(5), 1, 40), 0);
    }
}
