//! Statistics of the strength of engines from the games of a match.
//!
//! - [`Ledger`] holds the results of all games: who beat whom, and which two games were a pair. Equal games count once.
//! - [`GameSample`] is what is counted for one engine: pairs of games in five classes ([`Pentanomial`]), and games
//!   without a partner in three ([`ResultTally`]).
//! - [`Estimate`] is what a sample says: Elo, normalised Elo, likelihood of superiority.
//! - [`Sprt`] is the sequential test that ends a match as soon as it is decided.
//! - [`RatingList`] ranks several engines.
//! - [`Performance`] rates a player by opponents whose ratings are known.
//!
//! # Why pairs
//!
//! The two games of a pair share an opening with colours swapped. What the opening gives to one side it takes in the
//! other game, so the two results are correlated: the variance of the sum is less than that of two single games, and
//! the five classes of pairs show it while the three classes of games do not. (Van den Bergh's notes on fishtest,
//! cantate.be/Fishtest; OpenBench and fastchess count in the same way.)
//!
//! # Scales
//!
//! - *Logistic Elo* `400 log10(s / (1 - s))` of an expected score `s` (Elo 1978).
//! - *Normalised Elo* `(s - 1/2) / σ · 800 / ln 10`, where `σ` is the standard deviation of a game, for pairs √2
//!   times the deviation of a pair's mean. It tells how many games are needed to notice a difference, whatever the
//!   draws and the openings. (Van den Bergh, "Normalized Elo" and "Comments on normalized Elo", cantate.be/Fishtest.)

mod estimate;
mod ledger;
mod ratings;
mod sample;
mod sprt;
#[cfg(test)]
mod tests;

pub use estimate::{Estimate, Interval, elo_of_score, score_of_elo};
pub use ledger::{Encounter, Ledger, PlayedGame};
pub use ratings::{Performance, RatedGame, Rating, RatingList};
pub use sample::{GameSample, Pentanomial, PlayerResult, ResultTally};
pub use sprt::{Sprt, SprtDecision, SprtError, SprtStatus};

/// Normalised Elo of one standard deviation of a game: `800 / ln 10`, the slope of the logistic curve, so that both
/// scales agree for small differences and no draws.
const NORMALISED_ELO: f64 = 800.0 / std::f64::consts::LN_10;

/// Standard deviations on each side of a 95 % interval.
const Z95: f64 = 1.959963984540054;

/// The distribution function of the standard normal distribution.
fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}
