//! The sequential probability ratio test: is the engine worth `elo0` or `elo1`?
//!
//! Wald (1945): go on while the log-likelihood ratio of the two hypotheses stays between `ln(β / (1 - α))` and
//! `ln((1 - β) / α)`; then no more than about α of the matches of an engine worth `elo0` are passed, and no more than
//! about β of those of an engine worth `elo1` fail. The draws and the openings are unknown, so each hypothesis is taken
//! at the distribution that suits the results best: the generalised test (GSPRT; Li, Liu, Ying and Xu 2014), with the
//! exact maximum likelihood under the hypothesis, as fishtest and fastchess have it (Van den Bergh, "A practical
//! introduction to the GSPRT").
//!
//! The test is asked after every pair. The last pair carries the ratio a little beyond the bound, which makes errors
//! somewhat rarer than α and β.
//!
//! # The most likely distribution under a hypothesis
//!
//! Results fall into classes `i` with scores `a_i`, seen with frequencies `f_i`. Among all distributions that satisfy
//! `Σ p_i φ_i = 0`, the likelihood is largest at `p_i = f_i / (1 + θ φ_i)`, where θ is the root of
//! `Σ f_i φ_i / (1 + θ φ_i) = 0` that leaves all of them positive (Lagrange; Owen, "Empirical Likelihood", 2001; Van
//! den Bergh, "A practical introduction to the GSPRT" and "support MLE multinomial", cantate.be/Fishtest).

use super::{GameSample, NORMALISED_ELO, score_of_elo};
use crate::arena::plan::{EloModel, SprtPlan};
use std::fmt;
use thiserror::Error;

/// Why a plan is no test.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SprtError(pub String);

/// Decision of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SprtDecision {
    Continue,
    /// The engine is worth `elo0` or less: the change fails.
    AcceptH0,
    /// The engine is worth `elo1` or more: the change passes.
    AcceptH1,
}

/// A test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    plan: SprtPlan,
}

impl Sprt {
    /// The test of a plan.
    pub fn new(plan: SprtPlan) -> Result<Sprt, SprtError> {
        let SprtPlan { elo0, elo1, alpha, beta, .. } = plan;
        if !(elo0 < elo1 && elo0.is_finite() && elo1.is_finite()) {
            return Err(SprtError(format!("elo1 {elo1} is not above elo0 {elo0}")));
        }
        for (name, chance) in [("alpha", alpha), ("beta", beta)] {
            if !(chance > 0.0 && chance < 1.0) {
                return Err(SprtError(format!("{name} {chance} is not between 0 and 1")));
            }
        }
        if alpha + beta >= 1.0 {
            // A coin would do.
            return Err(SprtError(format!("alpha {alpha} and beta {beta} add up to 1 or more")));
        }
        Ok(Sprt { plan })
    }

    /// The log-likelihood ratios below and above which the test ends.
    pub fn bounds(&self) -> (f64, f64) {
        let SprtPlan { alpha, beta, .. } = self.plan;
        ((beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln())
    }

    /// The log-likelihood ratio of `elo1` to `elo0`; 0 for an empty sample.
    pub fn llr(&self, sample: impl Into<GameSample>) -> f64 {
        let sample = sample.into();
        if sample.count() == 0 {
            return 0.0;
        }
        let observed = Observed::new(&sample.classes());
        let hypothesis = |elo: f64| match self.plan.model {
            EloModel::Logistic => observed.with_mean(score_of_elo(elo)),
            EloModel::Normalized => observed.with_t(elo / NORMALISED_ELO * sample.games_each().sqrt()),
        };
        observed.log_ratio(&hypothesis(self.plan.elo0), &hypothesis(self.plan.elo1))
    }

    /// Where the test stands by the pairs of a sample; by the single games of one without pairs.
    ///
    /// ```
    /// use komainu_tools::arena::plan::{EloModel, SprtPlan};
    /// use komainu_tools::arena::stats::{Pentanomial, Sprt, SprtDecision};
    ///
    /// let plan = SprtPlan { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: EloModel::Logistic };
    /// let sprt = Sprt::new(plan)?;
    /// assert_eq!(sprt.status(Pentanomial([1, 5, 10, 5, 1])).decision, SprtDecision::Continue);
    /// assert_eq!(sprt.status(Pentanomial([100, 900, 2000, 1300, 200])).decision, SprtDecision::AcceptH1);
    /// # Ok::<(), komainu_tools::arena::stats::SprtError>(())
    /// ```
    pub fn status(&self, sample: impl Into<GameSample>) -> SprtStatus {
        let llr = self.llr(sample);
        let (lower, upper) = self.bounds();
        let decision = if llr >= upper {
            SprtDecision::AcceptH1
        } else if llr <= lower {
            SprtDecision::AcceptH0
        } else {
            SprtDecision::Continue
        };
        SprtStatus { llr, lower, upper, elo0: self.plan.elo0, elo1: self.plan.elo1, decision }
    }
}

/// Where a test stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SprtStatus {
    pub llr: f64,
    /// At or below this the change fails.
    pub lower: f64,
    /// At or above this it passes.
    pub upper: f64,
    /// Elo of the null hypothesis.
    pub elo0: f64,
    pub elo1: f64,
    pub decision: SprtDecision,
}

/// As in `LLR 1.23 (-2.94, 2.94) [0, 5]`.
impl fmt::Display for SprtStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SprtStatus { llr, lower, upper, elo0, elo1, .. } = self;
        write!(f, "LLR {llr:.2} ({lower:.2}, {upper:.2}) [{elo0}, {elo1}]")
    }
}

/// Count for a class that was never seen: without it the ratio is undefined before all classes were (fishtest's value).
const UNSEEN: f64 = 1e-3;

/// Frequencies of classes with their scores, all above zero.
pub(crate) struct Observed {
    /// Number of results, with the regularisation.
    pub(crate) total: f64,
    scores: Vec<f64>,
    frequencies: Vec<f64>,
}

impl Observed {
    /// Classes with these counts, their scores evenly spread from 0 to 1.
    pub(crate) fn new(counts: &[f64]) -> Observed {
        let counts: Vec<f64> = counts.iter().map(|&count| if count > 0.0 { count } else { UNSEEN }).collect();
        let total: f64 = counts.iter().sum();
        let last = (counts.len() - 1) as f64;
        Observed {
            total,
            scores: (0..counts.len()).map(|class| class as f64 / last).collect(),
            frequencies: counts.iter().map(|count| count / total).collect(),
        }
    }

    /// The most likely distribution with this mean, strictly between 0 and 1.
    pub(crate) fn with_mean(&self, mean: f64) -> Vec<f64> {
        let phi: Vec<f64> = self.scores.iter().map(|score| score - mean).collect();
        self.most_likely(&phi)
    }

    /// The most likely distribution whose mean lies `t` of its own standard deviations above one half.
    ///
    /// The condition `μ - 1/2 = t σ` is not linear. But for `t > 0` the difference of its sides is the most that
    /// `Σ p_i φ_i` can be for `φ_i = a_i - 1/2 - t ((a_i - m)² / c + c) / 2` and any `m` and `c`, reached at `m = μ`,
    /// `c = σ`. So the linear case is solved again and again with the moments of its last solution until they stay (Van
    /// den Bergh, "Comments on normalized Elo", section 4.1).
    ///
    /// - If the results lie below `t`, these solutions satisfy the condition with room to spare, each is more likely
    ///   than the last, and it is enough to begin with one that does.
    /// - If they lie above, each linear case bounds the answer from above. Its likelihood must fall: the step
    ///   towards the new moments is halved until it does.
    pub(crate) fn with_t(&self, t: f64) -> Vec<f64> {
        if t < 0.0 {
            let mut p = self.mirrored().with_t(-t);
            p.reverse();
            return p;
        }
        let from_above = self.excess(&self.frequencies, t) >= 0.0;
        let start = if from_above { self.frequencies.clone() } else { self.tilted(t) };
        let mut at = self.moments(&start);
        let mut p = self.with_moments(t, at);
        for _ in 0..MAX_ROUNDS {
            let (mean, sigma) = self.moments(&p);
            let mut step = 1.0;
            let mut next = p.clone();
            for _ in 0..MAX_HALVINGS {
                let to = (at.0 + step * (mean - at.0), at.1 + step * (sigma - at.1));
                next = self.with_moments(t, to);
                if !from_above || self.log_ratio(&p, &next) <= 0.0 {
                    at = to;
                    break;
                }
                step /= 2.0;
            }
            let change = p.iter().zip(&next).map(|(old, new)| (old - new).abs()).fold(0.0, f64::max);
            p = next;
            if change < 1e-11 {
                break;
            }
        }
        p
    }

    /// The most likely distribution for the linear condition of these moments `m` and `c`.
    fn with_moments(&self, t: f64, (m, c): (f64, f64)) -> Vec<f64> {
        let phi = |score: &f64| score - 0.5 - t * ((score - m).powi(2) / c + c) / 2.0;
        self.most_likely(&self.scores.iter().map(phi).collect::<Vec<f64>>())
    }

    /// Height of a distribution above `t`: `μ - 1/2 - t σ`.
    fn excess(&self, p: &[f64], t: f64) -> f64 {
        let (mean, sigma) = self.moments(p);
        mean - 0.5 - t * sigma
    }

    /// The results with as much added to the best class as brings them above `t`.
    fn tilted(&self, t: f64) -> Vec<f64> {
        let mut p = self.frequencies.clone();
        while self.excess(&p, t) < 0.0 {
            for p in &mut p {
                *p *= 0.75;
            }
            *p.last_mut().expect("there are classes") += 0.25;
        }
        p
    }

    /// Results from the other side.
    fn mirrored(&self) -> Observed {
        let frequencies = self.frequencies.iter().rev().copied().collect();
        Observed { total: self.total, scores: self.scores.clone(), frequencies }
    }

    /// The most likely distribution with `Σ p_i φ_i = 0`; φ has values of both signs.
    fn most_likely(&self, phi: &[f64]) -> Vec<f64> {
        let theta = self.multiplier(phi);
        self.frequencies.iter().zip(phi).map(|(f, phi)| f / (1.0 + theta * phi)).collect()
    }

    /// The root θ. The function falls from +∞ to -∞ between its two innermost poles, so Newton's method cannot fail
    /// once it is kept within the bracket.
    fn multiplier(&self, phi: &[f64]) -> f64 {
        let (least, most) = phi.iter().fold((0f64, 0f64), |(least, most), &phi| (least.min(phi), most.max(phi)));
        debug_assert!(least < 0.0 && most > 0.0);
        let mut low = -1.0 / most;
        let mut high = -1.0 / least;
        let mut theta = 0.0;
        for _ in 0..MAX_ROUNDS {
            let mut value = 0.0;
            let mut slope = 0.0;
            for (f, phi) in self.frequencies.iter().zip(phi) {
                let ratio = phi / (1.0 + theta * phi);
                value += f * ratio;
                slope -= f * ratio * ratio;
            }
            if value > 0.0 {
                low = theta;
            } else {
                high = theta;
            }
            let newton = theta - value / slope;
            let next = if low < newton && newton < high { newton } else { (low + high) / 2.0 };
            if (next - theta).abs() <= 1e-14 * (1.0 + theta.abs()) {
                return next;
            }
            theta = next;
        }
        theta
    }

    /// The logarithm of how much more likely the results are under `p1` than under `p0`.
    pub(crate) fn log_ratio(&self, p0: &[f64], p1: &[f64]) -> f64 {
        let terms = self.frequencies.iter().zip(p0.iter().zip(p1));
        self.total * terms.map(|(f, (p0, p1))| f * (p1 / p0).ln()).sum::<f64>()
    }

    fn moments(&self, p: &[f64]) -> (f64, f64) {
        let mean: f64 = p.iter().zip(&self.scores).map(|(p, score)| p * score).sum();
        let variance: f64 = p.iter().zip(&self.scores).map(|(p, score)| p * (score - mean).powi(2)).sum();
        (mean, variance.sqrt())
    }
}

/// Rounds of an iteration that needs about ten, and hundreds after results that are nearly all alike.
const MAX_ROUNDS: usize = 1_000;

const MAX_HALVINGS: usize = 40;
