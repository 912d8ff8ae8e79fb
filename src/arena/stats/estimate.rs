//! Elo, normalised Elo and likelihood of superiority, with their uncertainty.
//!
//! The mean of many results is about normal, so the score has the interval `s ± 1.96 σ/√n`, and the interval of Elo is
//! what the logistic curve makes of its ends; fishtest, OpenBench and fastchess do the same. Few results (less than
//! about ten in each of two classes) are told more sure than they are.
//!
//! # Results that are all alike
//!
//! If all games, or all pairs, ended alike, their variance is zero and the normal distribution says nothing. Then
//! - Elo is the plain one: infinite after wins only, as fastchess shows it, and 0 after draws only;
//! - the interval is made of the chance `q = 1 - 0.025^(1/n)` that something else could have and yet was not seen
//!   in `n` results (Clopper and Pearson 1934): the score may be less or more by what `q` of the worst and best
//!   results would change;
//! - likelihood of superiority is that of `n` tosses of a coin, `1 - 2^-(n+1)`, after wins only (the posterior of a
//!   uniform prior, Bayes 1763), and one half after draws only;
//! - normalised Elo is unknown.

use super::{GameSample, NORMALISED_ELO, Z95, normal_cdf};
use std::fmt;

/// A value with its 95 % interval. Ends may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The estimate.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Half of its width, the number after ±.
    pub fn error(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// As in `+12.3 ± 8.1`; with an end at infinity as in `inf [+120.5, inf]`.
impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let signed = |value: f64| match value {
            value if value.is_infinite() => format!("{}inf", if value < 0.0 { "-" } else { "+" }),
            // No "-0.0".
            value => format!("{:+.1}", if value.abs() < 0.05 { 0.0 } else { value }),
        };
        if self.error().is_finite() {
            write!(f, "{} ± {:.1}", signed(self.value), self.error())
        } else {
            write!(f, "{} [{}, {}]", signed(self.value), signed(self.low), signed(self.high))
        }
    }
}

/// Logistic Elo of a score from 0 to 1: infinite at both ends.
///
/// ```
/// use komainu::arena::stats::{elo_of_score, score_of_elo};
///
/// assert!((elo_of_score(0.75) - 190.85).abs() < 0.01);
/// assert!((score_of_elo(elo_of_score(0.6)) - 0.6).abs() < 1e-12);
/// assert_eq!(elo_of_score(1.0), f64::INFINITY);
/// ```
pub fn elo_of_score(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        400.0 * (score / (1.0 - score)).log10()
    }
}

/// The expected score, from 0 to 1, of a logistic Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Estimate of an engine's strength from a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Sample from which it is made.
    pub sample: GameSample,
    /// Points per game.
    pub score: f64,
    /// Logistic Elo above the opponents.
    pub elo: Interval,
    /// Normalised Elo; `None` if all results are alike.
    pub normalised: Option<Interval>,
    /// Likelihood of superiority: how probable it is that the engine is the stronger one, 0 to 1.
    pub los: f64,
}

impl Estimate {
    /// Estimate from a sample; `None` if it is empty.
    ///
    /// ```
    /// use komainu::arena::stats::{Estimate, Pentanomial};
    ///
    /// // Pairs of games in which the engine made 0, half a point, 1, 1½ and 2 points.
    /// let estimate = Estimate::of(Pentanomial([10, 50, 100, 70, 20])).expect("there are games");
    /// assert_eq!(estimate.score, 0.54);
    /// assert!(estimate.elo.low > 0.0 && estimate.los > 0.99);
    /// assert!(Estimate::of(Pentanomial([0; 5])).is_none());
    /// ```
    pub fn of(sample: impl Into<GameSample>) -> Option<Estimate> {
        let sample = sample.into();
        let moments = Moments::of(&sample)?;
        Some(if moments.variance > 0.0 { of_varied(sample, &moments) } else { of_alike(sample, &moments) })
    }
}

/// The estimate of results that differ.
fn of_varied(sample: GameSample, moments: &Moments) -> Estimate {
    let (score, deviation) = (moments.mean, (moments.variance / moments.count).sqrt());
    Estimate {
        sample,
        score,
        elo: Interval {
            value: elo_of_score(score),
            low: elo_of_score(score - Z95 * deviation),
            high: elo_of_score(score + Z95 * deviation),
        },
        normalised: Some(normalised(&sample, moments)),
        los: normal_cdf((score - 0.5) / deviation),
    }
}

/// The estimate of results that are all alike; see the head of the module.
fn of_alike(sample: GameSample, moments: &Moments) -> Estimate {
    let (score, count) = (moments.mean, moments.count);
    let unseen = 1.0 - 0.025f64.powf(1.0 / count);
    let decided = 1.0 - 0.5f64.powf(count + 1.0);
    Estimate {
        sample,
        score,
        elo: Interval {
            value: elo_of_score(score),
            low: elo_of_score(score * (1.0 - unseen)),
            high: elo_of_score(score + (1.0 - score) * unseen),
        },
        normalised: None,
        los: match score {
            score if score > 0.5 => decided,
            score if score < 0.5 => 1.0 - decided,
            _ => 0.5,
        },
    }
}

/// Normalised Elo. The variance is estimated as well, so by the delta method the variance of `t = (s - 1/2) / σ` is
/// `(1 - t·skewness + t²·(kurtosis - 1) / 4) / n` (Van den Bergh, "Comments on normalized Elo"; fishtest).
fn normalised(sample: &GameSample, moments: &Moments) -> Interval {
    let sigma = moments.variance.sqrt();
    let t = (moments.mean - 0.5) / sigma;
    let (skewness, kurtosis) = (moments.third / sigma.powi(3), moments.fourth / sigma.powi(4));
    let variance = (1.0 - t * skewness + t * t * (kurtosis - 1.0) / 4.0).max(0.0) / moments.count;
    let unit = NORMALISED_ELO / sample.games_each().sqrt();
    let (value, error) = (t * unit, Z95 * variance.sqrt() * unit);
    Interval { value, low: value - error, high: value + error }
}

/// Mean and central moments of the results, scored from 0 to 1.
struct Moments {
    count: f64,
    mean: f64,
    variance: f64,
    third: f64,
    fourth: f64,
}

impl Moments {
    fn of(sample: &GameSample) -> Option<Moments> {
        let counts = sample.counts();
        let count: f64 = counts.iter().sum();
        if count == 0.0 {
            return None;
        }
        let last = (counts.len() - 1) as f64;
        let mean = counts.iter().enumerate().map(|(class, n)| n * class as f64).sum::<f64>() / (last * count);
        let central = |power| {
            let term = |(class, n): (usize, &f64)| n / count * (class as f64 / last - mean).powi(power);
            counts.iter().enumerate().map(term).sum::<f64>()
        };
        // With one class the mean may be off by a rounding error: there is no variance to be made of it.
        let alike = counts.iter().filter(|&&n| n > 0.0).count() == 1;
        let variance = if alike { 0.0 } else { central(2) };
        Some(Moments { count, mean, variance, third: central(3), fourth: central(4) })
    }
}

/// As in `Elo +12.3 ± 8.1, LOS 99.8 %, penta [1, 20, 50, 24, 5]`.
impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Elo {}, LOS {:.1} %, {}", self.elo, 100.0 * self.los, self.sample)
    }
}
