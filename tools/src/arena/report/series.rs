//! Course of the numbers: Elo and the log-likelihood ratio after each game, thinned out to what a chart can show.

use super::digest::GameDigest;
use crate::arena::plan::SprtPlan;
use crate::arena::stats::{Encounter, Estimate, GameSample, Ledger, Sprt, SprtDecision, SprtStatus};
use serde::Serialize;

/// Points of a chart, all engines together; each engine has at least [`FEWEST`].
const POINTS: usize = 800;

const FEWEST: usize = 60;

/// Elo that a chart shows at most, so that infinity has a place.
const MAX_ELO: f64 = 2_000.0;

/// The numbers after the games `at`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Series {
    /// Games with a result so far.
    pub at: Vec<u64>,
    /// `[engine][point]`: Elo above all opponents, the lower and the upper end of its interval; `None` before the first
    /// finished pair, in a match without pairs before the first game.
    pub elo: Vec<Vec<Option<[f64; 3]>>>,
    /// The log-likelihood ratio; empty without a test.
    pub llr: Vec<f64>,
}

/// A sequential test at the end of the games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TestResult {
    pub status: SprtStatus,
    /// The decision and the games it took: the first one counts, since games under way then go on to their end.
    pub decision: Option<(SprtDecision, u64)>,
}

/// The series of a match and the result of its test.
pub(super) fn follow(
    games: &[GameDigest],
    engines: usize,
    plan: Option<SprtPlan>,
) -> (Ledger, Series, Option<TestResult>) {
    let played: Vec<_> = games.iter().filter_map(|game| game.played).collect();
    let step = played.len().div_ceil((POINTS / engines).max(FEWEST)).max(1);
    let in_pairs = {
        let mut ledger = Ledger::new(engines);
        played.iter().for_each(|&game| ledger.add(game));
        ledger.total(0).pentanomial().pairs() > 0
    };
    let test = plan.and_then(|plan| Sprt::new(plan).ok());
    let mut ledger = Ledger::new(engines);
    let mut series = Series { elo: vec![Vec::new(); engines], ..Series::default() };
    let mut result = test.map(|test| TestResult { status: test.status(GameSample::default()), decision: None });
    let mut tested = None;
    for (index, &game) in played.iter().enumerate() {
        ledger.add(game);
        let count = index as u64 + 1;
        if let (Some(test), Some(result)) = (test, &mut result) {
            let sample = test_sample(&ledger.total(0), in_pairs);
            if tested.replace(sample) != Some(sample) {
                result.status = test.status(sample);
                if result.decision.is_none() && result.status.decision != SprtDecision::Continue {
                    result.decision = Some((result.status.decision, count));
                }
            }
        }
        if count.is_multiple_of(step as u64) || index + 1 == played.len() {
            series.at.push(count);
            for (engine, path) in series.elo.iter_mut().enumerate() {
                let total = ledger.total(engine);
                // One game of a pair says who had black, no more.
                let is_settled = !in_pairs || total.pentanomial().pairs() > 0;
                let estimate = if is_settled { Estimate::of(total.sample()) } else { None };
                path.push(estimate.map(|estimate| point(&estimate)));
            }
            series.llr.extend(result.map(|result| round(result.status.llr, 1_000.0)));
        }
    }
    (ledger, series, result)
}

/// Sample of the test: pairs only, if the match plays pairs.
fn test_sample(encounter: &Encounter, in_pairs: bool) -> GameSample {
    if in_pairs { encounter.pentanomial().into() } else { encounter.tally().into() }
}

fn point(estimate: &Estimate) -> [f64; 3] {
    let elo = estimate.elo;
    [elo.value, elo.low, elo.high].map(|value| round(value.clamp(-MAX_ELO, MAX_ELO), 10.0))
}

/// Rounded to a part of one; no "-0".
pub(super) fn round(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts + 0.0
}
