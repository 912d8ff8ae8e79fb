//! Outcome of a tuning: its values in every form, and a match that tests them.

use crate::arena::plan::{EnginePlan, OpeningsPlan, Plan, SprtPlan};
use crate::settings::RecordFormat;
use crate::tuning::course::Course;
use crate::tuning::parameter::{Parameter, digits};
use crate::tuning::tuned::TunedOption;
use crate::tuning::tuner::Tuner;
use komainu::notation::record::Ending;
use komainu::protocol::Command;
use komainu::types::opaque_debug;
use serde::Serialize;
use std::path::Path;

/// Name of the page.
pub const PAGE_FILE: &str = "tune.html";
/// Name of the file of parameters that begins where the tuning has ended.
pub const PARAMETERS_FILE: &str = "parameters.txt";
/// Name of the file of a match of the tuned values against the start.
pub const REGRESSION_FILE: &str = "regression.toml";

/// Most games of the match that tests the values.
const REGRESSION_GAMES: u64 = 20_000;

/// State of a tuning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    Running,
    Complete,
    BrokenOff,
}

/// A tuning that is to be reported.
pub struct Report<'a> {
    pub(super) plan: &'a Plan,
    pub(super) course: Course,
    pub(super) endings: Vec<(Ending, u64)>,
    /// Number of openings.
    openings: usize,
    pub(super) state: State,
}

opaque_debug!(Report<'_>, "Report");

impl<'a> Report<'a> {
    pub fn new(plan: &'a Plan, tuner: &Tuner, openings: usize, state: State) -> Report<'a> {
        // One after the other: the course is locked while somebody holds it.
        let course = tuner.course().clone();
        Report { plan, course, endings: tuner.endings(), openings, state }
    }

    /// Games that were played.
    pub fn games(&self) -> u64 {
        self.endings.iter().map(|(_, games)| games).sum()
    }

    /// A line for each parameter: where it began, where it stands, and what more of it is worth.
    pub fn summary(&self) -> Vec<String> {
        let effects = self.course.effects();
        let line = |(at, option): (usize, &TunedOption)| {
            let (parameter, value) = (&option.parameter, self.course.values()[at]);
            let effect = effects.as_ref().map_or(String::new(), |effects| {
                format!(", up against down {:+.1} ± {:.1} Elo", effects[at].elo, effects[at].error)
            });
            format!("{}: {} -> {}{effect}", parameter.name, parameter.start, digits(value, 5))
        };
        let faults = self.endings.iter().filter(|(ending, _)| ending.is_fault());
        let faults: Vec<String> = faults.map(|(ending, games)| format!("{ending} {games}")).collect();
        let faults = (!faults.is_empty()).then(|| format!("games that ended by a fault: {}", faults.join(", ")));
        self.course.options().iter().enumerate().map(line).chain(faults).collect()
    }

    /// Lines on what there is in the folder, and on what to do next.
    pub fn advice(&self, folder: &Path) -> Vec<String> {
        let file = |name: &str| folder.join(name).display().to_string();
        let mut lines =
            vec![format!("report: {}", file(PAGE_FILE)), format!("tuned parameters: {}", file(PARAMETERS_FILE))];
        if self.regression().is_some() {
            let [plan, out] = [REGRESSION_FILE, "regression"].map(file);
            let words = ["komainu", "match", &plan, "--out", &out];
            let command = shlex::try_join(words).unwrap_or_else(|_| words.join(" "));
            lines.push(format!("to test the values against the start: {command}"));
        }
        lines.push(self.how_it_ended().to_string());
        lines
    }

    /// Sentence about the end of the tuning.
    pub fn how_it_ended(&self) -> &'static str {
        match self.state {
            State::BrokenOff => "the tuning was interrupted; --resume goes on with it",
            _ => "the tuning is complete",
        }
    }

    /// Commands that set the values, one for each parameter.
    pub fn set_options(&self) -> Vec<String> {
        let tuned = self.course.options().iter().zip(self.course.values());
        tuned.map(|(option, &value)| Command::set_option(&option.option, &option.text(value)).to_string()).collect()
    }

    /// The values as OpenBench gives them out, one for each parameter.
    pub(super) fn openbench(&self) -> Vec<String> {
        let tuned = self.course.options().iter().zip(self.course.values());
        tuned.map(|(option, &value)| format!("{}, {}", option.parameter.name, option.parameter.shown(value))).collect()
    }

    /// The parameters as they are now, for another tuning.
    pub(super) fn parameters(&self) -> impl Iterator<Item = Parameter> {
        let tuned = self.course.options().iter().zip(self.course.values());
        tuned.map(|(option, &value)| {
            let parameter = &option.parameter;
            let shown = parameter.shown(value).parse().unwrap_or(value);
            Parameter { start: shown.clamp(parameter.min, parameter.max), ..parameter.clone() }
        })
    }

    /// Match of the tuned values against the start; `None` if they are the same.
    pub(super) fn regression(&self) -> Option<Plan> {
        let Plan { limit, engines, openings, .. } = self.plan;
        let engine = |name: &str, values: &[f64]| {
            let tuned = self.course.options().iter().zip(values);
            let mut options = engines[0].options.clone();
            options.extend(tuned.map(|(option, &value)| (option.option.clone(), option.text(value))));
            EnginePlan { name: name.to_string(), options, identity: None, ..engines[0].clone() }
        };
        let sides = [engine("tuned", self.course.values()), engine("start", self.course.values_after(0))];
        // With nodes or depth alone as a limit, games from the same opening may be equal.
        let games = if limit.is_timeless() { REGRESSION_GAMES.min(2 * self.openings as u64) } else { REGRESSION_GAMES };
        let seed = self.plan.tune.as_ref().map_or(0, |tune| tune.seed);
        let plan = Plan {
            games,
            tune: None,
            sprt: Some(SprtPlan { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: Default::default() }),
            // In another order than that of the games that have made the values.
            openings: OpeningsPlan {
                shuffle: Some(openings.shuffle.unwrap_or(seed).wrapping_add(1) & 0xFFFF_FFFF),
                ..openings.clone()
            },
            format: vec![RecordFormat::None],
            machines: Vec::new(),
            engines: sides.to_vec(),
            ..self.plan.clone()
        };
        (sides[0].options != sides[1].options).then_some(plan)
    }

    /// Name that the engine gives itself, or its command.
    pub(super) fn engine_name(&self) -> &str {
        let engine = &self.plan.engines[0];
        let known = engine.identity.as_ref().map(|identity| identity.id_name.as_str()).filter(|name| !name.is_empty());
        known.unwrap_or(&engine.command)
    }
}
