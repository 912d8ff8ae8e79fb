//! Win rates of scores.
//!
//! The chance to win is taken to be the logistic curve of the score over a *scale*: `1 / (1 + exp(-score / scale))`. At
//! the scale itself a side wins 73 of 100 games. The scale that makes the results of games the likeliest depends
//! on who plays: the more nodes a move, the smaller it is.

use std::collections::BTreeMap;

pub(super) fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// The cross entropy of a result (0 to 1) under the chance to win that the score gives.
pub(super) fn cross_entropy(score: f32, result: f32, scale: f32) -> f64 {
    let expected = logistic(score / scale).clamp(1e-6, 1.0 - 1e-6);
    f64::from(-(result * expected.ln() + (1.0 - result) * (1.0 - expected).ln()))
}

/// The scale from 50 to 3,000 centipawns with the least cross entropy, by golden-section search.
pub(super) fn fit_scale(cross_entropy: impl Fn(f32) -> f64) -> f32 {
    let mut low = 50.0f32;
    let mut high = 3_000.0f32;
    while high - low > 1.0 {
        let a = high - (high - low) * 0.618;
        let b = low + (high - low) * 0.618;
        if cross_entropy(a) < cross_entropy(b) { high = b } else { low = a }
    }
    ((low + high) / 2.0).round()
}

/// Results by score.
#[derive(Clone, Debug, Default)]
pub struct WinRates {
    /// By the size of the score: wins, draws and losses of the side that it favours.
    results: BTreeMap<u16, [u64; 3]>,
}

impl WinRates {
    /// Counts a position by its score and the result of its game, both from one side's view.
    pub fn add(&mut self, score: i16, result: i8) {
        let for_favourite = i32::from(score.signum()) * i32::from(result);
        // At a score of 0 either side is as good a favourite as the other, and the results are no news.
        if score != 0 {
            self.results.entry(score.unsigned_abs()).or_default()[(1 - for_favourite) as usize] += 1;
        }
    }

    /// The share of points that the favoured side made at scores within a range, half a point for a draw.
    pub fn rate(&self, scores: std::ops::Range<u16>) -> Option<f64> {
        let mut sums = [0; 3];
        for (_, results) in self.results.range(scores) {
            for (sum, n) in sums.iter_mut().zip(results) {
                *sum += n;
            }
        }
        let all: u64 = sums.iter().sum();
        if all == 0 {
            return None;
        }
        Some((sums[0] as f64 + 0.5 * sums[1] as f64) / all as f64)
    }

    /// The scale, in centipawns; `None` without any score.
    pub fn scale(&self) -> Option<f32> {
        if self.results.is_empty() {
            return None;
        }
        Some(fit_scale(|scale| {
            let mut total = 0.0;
            for (&score, results) in &self.results {
                let mut sum = 0.0;
                for (&n, result) in results.iter().zip([1.0, 0.5, 0.0]) {
                    sum += n as f64 * cross_entropy(f32::from(score), result, scale);
                }
                total += sum;
            }
            total
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn the_scale_is_the_one_that_made_the_results_and_the_rates_follow_it() {
        let mut random = Random::new(6, 0);
        let mut rates = WinRates::default();
        for _ in 0..40_000 {
            let score = random.below(2_001) as i16 - 1_000;
            let expected = logistic(f32::from(score) / 300.0);
            rates.add(score, if (random.below(1_000_000) as f32) < 1e6 * expected { 1 } else { -1 });
        }
        let scale = rates.scale().expect("there are scores");
        assert!((285.0..315.0).contains(&scale), "{scale}");
        // 1 / (1 + 1/e)
        let rate = rates.rate(280..321).expect("there are such scores");
        assert!((rate - 0.731).abs() < 0.03, "{rate}");
        assert_eq!(rates.rate(1_001..2_000), None);
    }

    #[test]
    fn a_side_that_is_behind_and_loses_is_a_favourite_that_wins() {
        let mut rates = WinRates::default();
        for (score, result) in [(100, 1), (-100, -1), (100, -1), (-100, 0), (0, 1)] {
            rates.add(score, result);
        }
        assert_eq!(rates.rate(0..u16::MAX), Some(2.5 / 4.0));
        assert_eq!(WinRates::default().scale(), None);
    }
}
