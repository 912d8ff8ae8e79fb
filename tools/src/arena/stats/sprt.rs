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

use super::likelihood::Observed;
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
        let (llr, (lower, upper)) = (self.llr(sample), self.bounds());
        let decision = match llr {
            llr if llr >= upper => SprtDecision::AcceptH1,
            llr if llr <= lower => SprtDecision::AcceptH0,
            _ => SprtDecision::Continue,
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
