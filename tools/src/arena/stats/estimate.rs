//! Elo, normalised Elo and likelihood of superiority, with their uncertainty.
//!
//! The mean of many results is about normal, so the score has the interval `s ± 1.96 σ/√n`, and the interval of Elo is
//! what the logistic curve makes of its ends; fishtest, OpenBench and fastchess do the same. Few results (less than
//! about ten in each of two classes) are told more sure than they are.
//!
//! The two games of a pair are one observation. Where single games stand beside pairs, observations differ in size, and
//! with the residuals `r = points - games · s` the variance of the score of `N` games is `Σ r² / N²` (the ratio
//! estimator of a sample of clusters; Cochran 1977). Of pairs alone, or of single games alone, it is the plain one.
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

use super::sample::Observation;
use super::{GameSample, NORMALISED_ELO, Z95, normal_cdf};
use std::fmt;

/// A value with its 95 % interval. Ends may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub value: f64,
    pub low: f64,
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
/// use komainu_tools::arena::stats::{elo_of_score, score_of_elo};
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
    /// use komainu_tools::arena::stats::{Estimate, Pentanomial};
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
        Some(if moments.deviation > 0.0 { of_varied(sample, &moments) } else { of_alike(sample, &moments) })
    }
}

/// The estimate of results that differ.
fn of_varied(sample: GameSample, moments: &Moments) -> Estimate {
    let score = moments.score;
    let deviation = moments.deviation;
    Estimate {
        sample,
        score,
        elo: Interval {
            value: elo_of_score(score),
            low: elo_of_score(score - Z95 * deviation),
            high: elo_of_score(score + Z95 * deviation),
        },
        normalised: Some(normalised(moments)),
        los: normal_cdf((score - 0.5) / deviation),
    }
}

/// The estimate of results that are all alike; see the head of the module.
fn of_alike(sample: GameSample, moments: &Moments) -> Estimate {
    let score = moments.score;
    let count = sample.count() as f64;
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

/// Normalised Elo `t = (s - 1/2) / σ` with `σ² = Σ r² / N`. The variance is estimated as well, so each observation
/// moves `t` by its influence on the score and on the variance (delta method). Of observations of one size that is
/// `(1 - t·skewness + t²·(kurtosis - 1) / 4) / n` (Van den Bergh, "Comments on normalized Elo"; fishtest).
fn normalised(moments: &Moments) -> Interval {
    let Moments { score, games, .. } = *moments;
    let sum = |of: &dyn Fn(&Residual) -> f64| moments.residuals.iter().map(|one| one.count * of(one)).sum::<f64>();
    let variance = sum(&|one| one.points * one.points) / games;
    let sigma = variance.sqrt();
    let t = (score - 0.5) / sigma;
    // The score stands in the residuals, too; where all observations have one size this is zero.
    let slope = -2.0 * sum(&|one| one.games * one.points) / games;
    let error = Z95
        * sum(&|one| {
            let of_variance = one.points * one.points - one.games * variance + slope * one.points;
            (one.points / sigma - t / (2.0 * variance) * of_variance).powi(2)
        })
        .sqrt()
        / games;
    let [value, error] = [t, error].map(|number| number * NORMALISED_ELO);
    Interval { value, low: value - error, high: value + error }
}

/// Points of an observation above those that the mean score gives it.
struct Residual {
    count: f64,
    games: f64,
    points: f64,
}

/// Score of all games, and how it varies.
struct Moments {
    games: f64,
    score: f64,
    deviation: f64,
    residuals: Vec<Residual>,
}

impl Moments {
    fn of(sample: &GameSample) -> Option<Moments> {
        let observations = sample.observations();
        let first = observations.first()?;
        let games: f64 = observations.iter().map(|one| one.count * one.games).sum();
        let score = observations.iter().map(|one| one.count * one.points).sum::<f64>() / games;
        let residual = |&Observation { count, games, points }: &Observation| {
            let points = points - games * score;
            Residual { count, games, points }
        };
        let residuals: Vec<Residual> = observations.iter().map(residual).collect();
        // Of results that are alike the score may be off by a rounding error: there is no variance to be made of it.
        let alike = observations.iter().all(|one| one.points * first.games == first.points * one.games);
        let squares: f64 = residuals.iter().map(|one| one.count * one.points * one.points).sum();
        let deviation = if alike { 0.0 } else { squares.sqrt() / games };
        Some(Moments { games, score, deviation, residuals })
    }
}

/// As in `Elo +12.3 ± 8.1, LOS 99.8 %, penta [1, 20, 50, 24, 5]`.
impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Elo {}, LOS {:.1} %, {}", self.elo, 100.0 * self.los, self.sample)
    }
}
