//! Objective of training: the output that a net should have for a position, and the loss where it differs.

use super::sample::TrainingSample;
use crate::training::win_rate::logistic;
use komainu::eval::nnue::DEFAULT_FV_SCALE;

/// Centipawns that an output of 1 stands for, in a net whose output a file's reader divides by `fv_scale`: 600 points
/// with the usual 16, of which a pawn is worth 90.
pub(super) fn unit(fv_scale: i32) -> f32 {
    600.0 * DEFAULT_FV_SCALE as f32 / fv_scale as f32 * 100.0 / 90.0
}

/// The aim of a step: the chance to win, as the search's score and the game's result have it.
///
/// A net says a score in the unit of net files, so that a trained net can take the place of another: the chance to
/// win is the logistic curve of the score over [`Objective::scale`], which the results of the games tell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Objective {
    /// Centipawns at which a side expects to win with `1 / (1 + 1/e)`.
    pub scale: f32,
    /// Centipawns that an output of 1 stands for.
    pub unit: f32,
    /// The loss is this power of the difference of two chances.
    pub power: f32,
    /// Weight of the game's result in the target, 0 to 1; the rest is the search's score.
    pub result_weight: f32,
}

impl Objective {
    /// The chance to win that a net should find.
    pub(super) fn target(&self, sample: &TrainingSample) -> f32 {
        let weight = self.result_weight;
        weight * sample.result() + (1.0 - weight) * logistic(sample.score() / self.scale)
    }

    /// Growth of a chance's logit with the output of a net.
    fn steepness(&self) -> f32 {
        self.unit / self.scale
    }

    /// The chance to win that an output stands for, and how much it grows with the output.
    pub(super) fn chance(&self, output: f32) -> (f32, f32) {
        let chance = logistic(output * self.steepness());
        (chance, chance * (1.0 - chance) * self.steepness())
    }

    /// The loss of an output, and how much it grows with the output.
    pub(super) fn loss(&self, output: f32, target: f32) -> (f32, f32) {
        let (chance, slope) = self.chance(output);
        let miss = chance - target;
        let size = miss.abs();
        let gradient = self.power * size.powf(self.power - 1.0) * miss.signum();
        (size.powf(self.power), gradient * slope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::train::samples::random_records;

    #[test]
    fn the_slope_of_the_loss_is_that_of_finite_differences() {
        for power in [2.0, 2.5] {
            let objective = Objective { scale: 450.0, unit: 700.0, power, result_weight: 0.3 };
            for output in [-2.0f32, -0.4, 0.0, 0.1, 1.7] {
                for target in [0.0f32, 0.35, 1.0] {
                    const STEP: f32 = 0.01;
                    let at = |output| f64::from(objective.loss(output, target).0);
                    let expected = (at(output + STEP) - at(output - STEP)) / f64::from(2.0 * STEP);
                    let gradient = f64::from(objective.loss(output, target).1);
                    assert!((gradient - expected).abs() < 1e-3, "{power} {output} {target}: {gradient} {expected}");
                }
            }
        }
    }

    #[test]
    fn the_target_lies_between_score_and_result() {
        let (mut record, pos) = random_records(2, 1)[0].clone();
        (record.score, record.result) = (600, -1);
        let sample = TrainingSample::new(&record, &pos);
        let objective = |result_weight| Objective { scale: 600.0, unit: unit(16), power: 2.0, result_weight };
        let target = |result_weight| objective(result_weight).target(&sample);
        assert!((target(0.0) - 0.731).abs() < 1e-3 && target(1.0) == 0.0 && (target(0.5) - 0.3655).abs() < 1e-3);
        // An output of 0.9, that is 600 centipawns, has the chance of that score; so has 1.8 where the unit is half.
        let (loss, _) = objective(0.0).loss(0.9, target(0.0));
        let (other, _) = Objective { unit: unit(32), ..objective(0.0) }.loss(1.8, target(0.0));
        assert!(other < 1e-10, "{other}");
        assert!(loss < 1e-10, "{loss}");
    }
}
