//! Fits the weights of the hand-crafted evaluation to games.
//!
//! The evaluation is linear in its weights, so the fit is a logistic regression: the expected result is the logistic
//! curve of the score ("Texel's tuning method", Österlund 2014), and the error is the cross entropy between it and a
//! target that mixes the result of the game with what a search thought of the position. It is minimised by Adam (Kingma
//! and Ba 2015) over shuffled batches; with the same data and seed the weights come out the same.

use super::records::Record;
use crate::eval::features::{self, PHASES};
use crate::position::Position;
use crate::random::Random;
use crate::types::Color;

/// A position as the fit sees it.
struct FitSample {
    /// Features that count, each with its number and sign from the side to move's view.
    features: Box<[(u16, i8)]>,
    /// The share of the endgame, 0 to 1.
    phase: f32,
    /// Score of the search, in centipawns.
    score: f32,
    /// 1 for a win of the side to move, ½ for a draw, 0 for a loss.
    result: f32,
}

/// Settings of a fit.
#[derive(Clone, Copy, Debug)]
pub struct FitSettings {
    /// Passes over the data.
    pub epochs: usize,
    /// Positions of one step.
    pub batch: usize,
    /// Size of the first steps, in centipawns; falls to a hundredth of that along a cosine.
    pub rate: f32,
    /// Weight of the game's result in the target, 0 to 1; the rest is the search's score.
    pub result_weight: f32,
    /// Pull of weights of places to zero: the share that is taken off in an epoch at full rate.
    pub decay: f32,
    /// Seed of the order.
    pub seed: u64,
}

/// The settings with which the weights of this version were made.
impl Default for FitSettings {
    fn default() -> FitSettings {
        FitSettings { epochs: 14, batch: 1_024, rate: 0.5, result_weight: 0.4, decay: 0.3, seed: 1 }
    }
}

/// The fitter: samples and weights.
pub struct Fit {
    samples: Vec<FitSample>,
    /// One in [`HELD_OUT`] is not learnt from.
    held_out: Vec<FitSample>,
    /// `[feature][middlegame, endgame]`, in centipawns.
    weights: Vec<[f32; 2]>,
    /// Centipawns at which a side expects to win with `1 / (1 + 1/e)`.
    scale: f32,
}

const HELD_OUT: u64 = 20;

fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

impl Fit {
    /// A fit that starts from these weights.
    pub fn new(weights: &[[i16; 2]]) -> Fit {
        let weights = weights.iter().map(|pair| pair.map(f32::from)).collect();
        Fit { samples: Vec::new(), held_out: Vec::new(), weights, scale: 600.0 }
    }

    /// Adds a position. `game` decides whether it is held out: positions of one game stay together.
    pub fn add(&mut self, record: &Record, pos: &Position, game: u64) {
        let side = if pos.side() == Color::Black { 1 } else { -1 };
        let mut found = Vec::new();
        features::visit(pos, |feature, sign| found.push((feature as u16, (sign * side) as i8)));
        let sample = FitSample {
            features: found.into(),
            phase: features::phase(pos) as f32 / PHASES as f32,
            score: f32::from(record.score),
            result: (f32::from(record.result) + 1.0) / 2.0,
        };
        if game.is_multiple_of(HELD_OUT) { self.held_out.push(sample) } else { self.samples.push(sample) }
    }

    /// Numbers of positions that are learnt from and that are held out.
    pub fn counts(&self) -> (usize, usize) {
        (self.samples.len(), self.held_out.len())
    }

    /// Finds the scale on which the scores of the searches tell the results best, by golden-section search.
    pub fn fit_scale(&mut self) -> f32 {
        let error = |scale: f32| -> f64 {
            let one = |sample: &FitSample| f64::from(cross_entropy(sample.result, logistic(sample.score / scale)));
            self.samples.iter().map(one).sum()
        };
        let (mut low, mut high) = (50.0f32, 2_000.0f32);
        while high - low > 1.0 {
            let (a, b) = (high - (high - low) * 0.618, low + (high - low) * 0.618);
            if error(a) < error(b) { high = b } else { low = a }
        }
        self.scale = (low + high) / 2.0;
        self.scale
    }

    fn evaluate(&self, sample: &FitSample) -> f32 {
        let mut sum = [0.0f32; 2];
        for &(feature, sign) in &sample.features {
            let weight = self.weights[feature as usize];
            sum[0] += weight[0] * f32::from(sign);
            sum[1] += weight[1] * f32::from(sign);
        }
        sum[0] * (1.0 - sample.phase) + sum[1] * sample.phase
    }

    fn target(&self, sample: &FitSample, settings: &FitSettings) -> f32 {
        let weight = settings.result_weight;
        weight * sample.result + (1.0 - weight) * logistic(sample.score / self.scale)
    }

    /// The mean error of the positions that are held out: against the target, and against the results alone.
    pub fn held_out_error(&self, settings: &FitSettings) -> (f64, f64) {
        let mut errors = (0.0, 0.0);
        for sample in &self.held_out {
            let expected = logistic(self.evaluate(sample) / self.scale);
            errors.0 += f64::from(cross_entropy(self.target(sample, settings), expected));
            errors.1 += f64::from(cross_entropy(sample.result, expected));
        }
        let count = self.held_out.len().max(1) as f64;
        (errors.0 / count, errors.1 / count)
    }

    /// Fits the weights; tells after each epoch its number.
    pub fn run(&mut self, settings: &FitSettings, mut on_epoch: impl FnMut(usize, &Fit)) {
        const BETAS: [f32; 2] = [0.9, 0.999];
        let mut moments = vec![[[0.0f32; 2]; 2]; self.weights.len()];
        let mut gradient = vec![[0.0f32; 2]; self.weights.len()];
        let mut order: Vec<u32> = (0..self.samples.len() as u32).collect();
        let mut random = Random::new(settings.seed, 0);
        let steps = settings.epochs * self.samples.len().div_ceil(settings.batch);
        let mut step = 0;
        for epoch in 0..settings.epochs {
            random.shuffle(&mut order);
            for batch in order.chunks(settings.batch) {
                step += 1;
                gradient.fill([0.0; 2]);
                for &number in batch {
                    let sample = &self.samples[number as usize];
                    let error = logistic(self.evaluate(sample) / self.scale) - self.target(sample, settings);
                    let parts = [error * (1.0 - sample.phase), error * sample.phase];
                    for &(feature, sign) in &sample.features {
                        let sum = &mut gradient[feature as usize];
                        sum[0] += parts[0] * f32::from(sign);
                        sum[1] += parts[1] * f32::from(sign);
                    }
                }
                let progress = step as f32 / steps as f32;
                let rate = settings.rate * (0.01 + 0.99 * 0.5 * (1.0 + (std::f32::consts::PI * progress).cos()));
                let bias = BETAS.map(|beta| 1.0 - beta.powi(step));
                let decay = settings.decay * rate / settings.rate * batch.len() as f32 / order.len() as f32;
                for (feature, weights) in self.weights.iter_mut().enumerate() {
                    for part in 0..2 {
                        let gradient = gradient[feature][part] / batch.len() as f32;
                        let [first, second] = &mut moments[feature][part];
                        *first += (1.0 - BETAS[0]) * (gradient - *first);
                        *second += (1.0 - BETAS[1]) * (gradient * gradient - *second);
                        let move_by = (*first / bias[0]) / ((*second / bias[1]).sqrt() + 1e-8);
                        weights[part] -= rate * move_by;
                        if features::is_positional(feature) {
                            weights[part] *= 1.0 - decay;
                        }
                    }
                }
            }
            on_epoch(epoch + 1, self);
        }
    }

    /// The weights, rounded to whole centipawns.
    pub fn weights(&self) -> Vec<[i16; 2]> {
        self.weights.iter().map(|pair| pair.map(|weight| weight.round().clamp(-9_999.0, 9_999.0) as i16)).collect()
    }
}

/// The cross entropy of an expected result against a target, both between 0 and 1.
fn cross_entropy(target: f32, expected: f32) -> f32 {
    let expected = expected.clamp(1e-6, 1.0 - 1e-6);
    -(target * expected.ln() + (1.0 - target) * (1.0 - expected).ln())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::{All, generate};

    #[test]
    fn weights_that_made_the_scores_are_found_again() {
        let truth = |feature: usize| if feature < features::COUNT { (feature % 37) as i32 * 3 } else { 0 };
        let mut fit = Fit::new(&vec![[0; 2]; features::COUNT]);
        let mut random = Random::new(5, 0);
        for game in 0..60 {
            let mut pos = Position::startpos();
            for ply in 0..120 {
                let moves = generate::<All>(&pos);
                if moves.is_empty() {
                    break;
                }
                pos.do_move(*random.pick(&moves));
                let mut score = 0;
                features::visit(&pos, |feature, sign| score += sign * truth(feature));
                let score = if pos.side() == Color::Black { score } else { -score } as i16;
                let position = pos.pack().expect("a position of a game can be packed");
                let record = Record { position, score, best: None, ply, result: 0 };
                fit.add(&record, &pos, game);
            }
        }
        let settings = FitSettings { epochs: 30, rate: 3.0, batch: 256, result_weight: 0.0, decay: 0.0, seed: 1 };
        // What is left if the scores were known exactly.
        let entropy =
            |sample: &FitSample| f64::from(cross_entropy(fit.target(sample, &settings), fit.target(sample, &settings)));
        let least = fit.held_out.iter().map(entropy).sum::<f64>() / fit.held_out.len() as f64;
        let before = fit.held_out_error(&settings).0 - least;
        fit.run(&settings, |_, _| ());
        let after = fit.held_out_error(&settings).0 - least;
        assert!(after < before / 10.0, "{before} {after}");
    }

    #[test]
    fn the_scale_is_the_one_that_made_the_results() {
        let mut fit = Fit::new(&vec![[0; 2]; features::COUNT]);
        let mut random = Random::new(6, 0);
        for _ in 0..20_000 {
            let score = random.below(2_001) as f32 - 1_000.0;
            let result = f32::from(random.below(1_000_000) as f32 / 1e6 < logistic(score / 300.0));
            fit.samples.push(FitSample { features: Box::new([]), phase: 0.0, score, result });
        }
        let scale = fit.fit_scale();
        assert!((280.0..320.0).contains(&scale), "{scale}");
    }
}
