//! The value that the page holds, and the JSON file.

use super::{Report, State};
use crate::arena::plan::Plan;
use crate::settings::is_default;
use crate::tuning::course::IterationTally;
use crate::tuning::parameter::{NumberKind, TunedOption};
use komainu::notation::record::Ending;
use serde::Serialize;

/// The word for whole numbers.
pub(crate) const INT: &str = "int";

/// Everything that the page shows.
#[derive(Serialize)]
pub(crate) struct ReportData<'a> {
    /// The version of Komainu that wrote it.
    version: &'static str,
    state: State,
    engine: &'a str,
    plan: &'a Plan,
    /// Bound of each move in words.
    limit: String,
    /// Games that were played.
    games: u64,
    /// Iterations that have ended, and all of them.
    iterations: [u64; 2],
    /// Games of these won, drawn, lost by the first engine, and without a result.
    tally: [u64; 4],
    endings: &'a [(Ending, u64)],
    parameters: Vec<ParameterData<'a>>,
    course: Vec<Point>,
    /// Commands that set the values.
    set_options: Vec<String>,
    /// The values as OpenBench gives them out.
    openbench: Vec<String>,
    /// Parameters that begin where the tuning has ended.
    next: Vec<String>,
    /// Marks a tuning with a match that tests its values.
    regression: bool,
    /// Name of the run, on a page under way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) live: Option<&'a str>,
}

#[derive(Serialize)]
struct ParameterData<'a> {
    name: &'a str,
    /// Name of the option as the engine lists it.
    option: &'a str,
    kind: &'static str,
    /// Factor by which a value becomes the whole number of the option.
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<f64>,
    start: f64,
    min: f64,
    max: f64,
    c_end: f64,
    r_end: f64,
    value: f64,
    /// The value as the option takes it.
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    effect: Option<EffectData>,
}

#[derive(Serialize)]
struct EffectData {
    elo: f64,
    error: f64,
}

/// An iteration: its games and gains, and the values after it, `[parameter]` each.
#[derive(Serialize)]
struct Point {
    iteration: usize,
    wins: u64,
    draws: u64,
    losses: u64,
    #[serde(skip_serializing_if = "is_default")]
    void: u64,
    c: Vec<f64>,
    a: Vec<f64>,
    value: Vec<f64>,
}

impl<'a> ReportData<'a> {
    /// Works out a tuning, with at most so many iterations of its course: each of a number, and the last one.
    pub(crate) fn of(report: &'a Report, most: usize) -> ReportData<'a> {
        let Report { plan, course, endings, state, .. } = report;
        let played = course.tallies().len();
        let step = played.div_ceil(most).max(1);
        let shown = (1..=played).filter(|iteration| iteration.is_multiple_of(step) || *iteration == played);
        let sum = |count: fn(&IterationTally) -> u64| course.tallies().iter().map(count).sum();
        ReportData {
            version: env!("CARGO_PKG_VERSION"),
            state: *state,
            engine: report.engine_name(),
            plan,
            limit: plan.limit.to_string(),
            games: report.games(),
            iterations: [played as u64, course.schedule().iterations],
            tally: [sum(|one| one.wins), sum(|one| one.draws), sum(|one| one.losses), sum(|one| one.void)],
            endings,
            parameters: ParameterData::all(report),
            course: shown.map(|iteration| Point::of(report, iteration)).collect(),
            set_options: report.set_options(),
            openbench: report.openbench(),
            next: report.parameters().map(|parameter| parameter.to_string()).collect(),
            regression: report.regression().is_some(),
            live: None,
        }
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("every key is a string")
    }
}

impl<'a> ParameterData<'a> {
    fn all(report: &'a Report) -> Vec<ParameterData<'a>> {
        let effects = report.course.effects();
        let options = report.course.options().iter().zip(report.course.values()).enumerate();
        let data = |(at, (option, &value)): (usize, (&'a TunedOption, &f64))| {
            let parameter = &option.parameter;
            ParameterData {
                name: &parameter.name,
                option: &option.option,
                kind: if parameter.kind == NumberKind::Int { INT } else { "float" },
                scale: if parameter.kind == NumberKind::Float { option.scale } else { None },
                start: parameter.start,
                min: parameter.min,
                max: parameter.max,
                c_end: parameter.c_end,
                r_end: parameter.r_end,
                value,
                text: option.text(value),
                effect: effects.as_ref().map(|all| EffectData { elo: all[at].elo, error: all[at].error }),
            }
        };
        options.map(data).collect()
    }
}

impl Point {
    fn of(report: &Report, iteration: usize) -> Point {
        let course = &report.course;
        let IterationTally { wins, draws, losses, void } = course.tallies()[iteration - 1];
        let gains: Vec<_> = (0..course.options().len()).map(|at| course.gains(at, iteration)).collect();
        Point {
            iteration,
            wins,
            draws,
            losses,
            void,
            c: gains.iter().map(|gains| gains.c).collect(),
            a: gains.iter().map(|gains| gains.a).collect(),
            value: course.values_after(iteration).to_vec(),
        }
    }
}
