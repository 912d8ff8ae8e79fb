//! Report of a tuning: a page, the course as JSON, the values as text, and a match that tests them.
//!
//! The page works offline; it is made as that of a match is, from one JSON value and scripts that draw it.

mod data;

use crate::arena::folder::{MatchFolder, MatchJournal};
use crate::arena::plan::{EnginePlan, OpeningsPlan, Plan, SprtPlan, TunePlan};
use crate::live;
use crate::page::{CHARTS, Page};
use crate::settings::RecordFormat;
use crate::tuning::course::Course;
use crate::tuning::parameter::{Parameter, TunedOption, TuningError, digits};
use crate::tuning::tuner::{Tuner, planned_parameters};
use data::{INT, ReportData};
use komainu::notation::record::Ending;
use komainu::protocol::Command;
use komainu::types::opaque_debug;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::Path;

/// Name of the file that holds the course.
pub const JSON_FILE: &str = "tune.json";

/// Numbers of the course that a page holds at most.
const MAX_NUMBERS: usize = 100_000;
/// Numbers of the course that are sent to a page under way at most, whenever games have ended.
const MAX_LIVE_NUMBERS: usize = 10_000;
/// The scripts, each of which may use those before it.
const SCRIPTS: [&str; 5] =
    [CHARTS, include_str!("words.js"), live::SCRIPT, include_str!("live.js"), include_str!("main.js")];
/// The places in [`SCRIPTS`] of those that only a page under way has.
const LIVE_SCRIPTS: Range<usize> = 2..4;
/// Where the tables stand.
const MAIN: &str = "<main id=\"report\"></main>";

/// All files of a tuning by their names.
pub fn files(report: &Report) -> Vec<(&'static str, String)> {
    let lines = report.parameters().map(|parameter| format!("{parameter}\n"));
    let mut files = vec![
        (JSON_FILE, ReportData::of(report, usize::MAX).to_json() + "\n"),
        (PARAMETERS_FILE, lines.collect()),
        (PAGE_FILE, page(report)),
    ];
    files.extend(report.regression().and_then(|plan| Some((REGRESSION_FILE, toml::to_string(&plan).ok()?))));
    files
}

/// The page of a tuning.
pub fn page(report: &Report) -> String {
    let data = ReportData::of(report, most_points(report, MAX_NUMBERS)).to_json();
    let scripts = [&SCRIPTS[..LIVE_SCRIPTS.start], &SCRIPTS[LIVE_SCRIPTS.end..]].concat();
    Page { title: &title(report), main: MAIN, data: &data, scripts: &scripts, ..Page::default() }.html()
}

/// The page of a tuning under way, in the run of this name.
pub(crate) fn live_page(report: &Report, run: &str) -> String {
    let title = title(report);
    let data = live_figures(report, run);
    Page { title: &title, main: MAIN, data: &data, style: live::STYLE, scripts: &SCRIPTS, policy: live::POLICY }.html()
}

/// All figures of a tuning under way as JSON.
pub(crate) fn live_figures(report: &Report, run: &str) -> String {
    let most = most_points(report, MAX_LIVE_NUMBERS);
    let mut data = ReportData::of(report, most);
    data.live = Some(run);
    data.to_json()
}

/// Iterations of a course that is to have about so many numbers.
fn most_points(report: &Report, numbers: usize) -> usize {
    (numbers / (3 * report.course.options().len())).clamp(100, 2_000)
}

fn title(report: &Report) -> String {
    format!("Komainu: tuning of {}", report.engine_name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::plan::{EnginePlan, Limit, Plan, TunePlan};
    use crate::tuning::{Parameter, TunedOption, Tuner};
    use komainu::notation::json::GameLine;
    use komainu::notation::record::Ending;
    use komainu::protocol::EngineOption;
    use komainu::types::Color;
    use serde_json::Value;

    /// A plan of a tuning of one option from 20 on.
    fn plan(games: u64) -> Plan {
        let side = |name: &str| EnginePlan { name: name.into(), command: "./engine".into(), ..EnginePlan::default() };
        let tune = TunePlan {
            seed: 1,
            pairs: 1,
            alpha: 0.602,
            gamma: 0.101,
            a_ratio: 0.1,
            parameters: vec!["rate, float, 0.2, 0, 1, 0.05, 0.5".into()],
            scale: Some(100.0),
            scales: Default::default(),
        };
        let plan = Plan::new(vec![side("plus"), side("minus")], games);
        Plan { limit: Limit { nodes: 10, ..Limit::default() }, tune: Some(tune), ..plan }
    }

    /// The tuning after these games, all of them won by the upper value.
    fn played(plan: &Plan, games: u64) -> Tuner {
        let tune = plan.tune.as_ref().expect("a tuning");
        let listed = EngineOption::read("option name Rate type spin default 20 min 0 max 100").expect("an option");
        let parameter: Parameter = tune.parameters[0].parse().expect("a parameter");
        let option = TunedOption::new(parameter, &[listed], None, tune.scale).expect("it fits");
        let tuner = Tuner::new(plan, tune, vec![option]);
        for game in 0..games {
            win(&tuner, game);
        }
        tuner
    }

    /// A game that the upper value wins.
    fn win(tuner: &Tuner, game: u64) {
        let trial = tuner.course().trial((game / 2) as usize).expect("it is known");
        let upper = ["minus", "plus"][usize::from(trial.flips[0] > 0.0)];
        let black = ["plus", "minus"][(game % 2) as usize];
        let players = if black == "plus" { ["plus", "minus"] } else { ["minus", "plus"] };
        let winner = if black == upper { Color::Black } else { Color::White };
        tuner.note(&GameLine {
            game,
            pair: game / 2,
            players: players.map(str::to_string),
            ending: Ending::Checkmate,
            winner: Some(winner),
            ..GameLine::default()
        });
    }

    fn json(report: &Report, name: &str) -> Value {
        let (_, text) = files(report).into_iter().find(|(file, _)| *file == name).expect("it is written");
        serde_json::from_str(&text).expect("it is JSON")
    }

    #[test]
    fn the_scripts_load_nothing_and_write_no_markup() {
        for part in SCRIPTS {
            assert_eq!(crate::page::faults(part), Vec::<&str>::new(), "{part}");
        }
    }

    #[test]
    fn the_json_holds_every_iteration_with_its_gains_and_values() {
        let plan = plan(40);
        let tuner = played(&plan, 20);
        let report = Report::new(&plan, &tuner, 500, State::BrokenOff);
        let read = json(&report, JSON_FILE);
        assert_eq!((&read["games"], &read["state"]), (&20.into(), &"broken-off".into()));
        let course = read["course"].as_array().expect("a list");
        assert_eq!(course.len(), 10);
        let mut before = 0.2;
        for (at, point) in course.iter().enumerate() {
            assert_eq!(point["iteration"], at + 1);
            let number = |key: &str| point[key][0].as_f64().expect("a number");
            let gains = tuner.course().gains(0, at + 1);
            assert!((number("c") - gains.c).abs() < 1e-9 && (number("a") - gains.a).abs() < 1e-9);
            let expected = (before + 2.0 * gains.step(1.0)).min(1.0);
            assert!((number("value") - expected).abs() < 1e-9, "{point}");
            before = number("value");
        }
        assert!(read["parameters"][0]["effect"]["elo"].as_f64().expect("a number") > 0.0);
    }

    #[test]
    fn values_are_given_out_for_engines_for_openbench_and_for_another_tuning() {
        let plan = plan(40);
        let tuner = played(&plan, 0);
        let report = Report::new(&plan, &tuner, 500, State::Running);
        assert_eq!(report.set_options(), ["setoption name Rate value 20"]);
        assert_eq!(report.openbench(), ["rate, 0.2"]);
        assert!(report.regression().is_none(), "nothing has changed yet");
        let tuner = played(&plan, 40);
        let report = Report::new(&plan, &tuner, 8, State::Complete);
        let value = tuner.course().values()[0];
        assert!(value > 0.4, "{value}");
        assert_eq!(report.set_options(), [format!("setoption name Rate value {:.0}", value * 100.0)]);
        let [parameter] = &report.parameters().collect::<Vec<_>>()[..] else { panic!("one parameter") };
        assert!(parameter.to_string().starts_with("rate, float, ") && value <= 1.0, "{parameter}");
        assert_eq!(parameter.to_string().parse::<Parameter>().map(|read| read.max), Ok(1.0));
        let regression = report.regression().expect("the values differ");
        assert_eq!((regression.games, regression.tune.is_none(), regression.limit.nodes), (16, true, 10));
        assert_eq!(regression.engines[1].options["Rate"], "20");
    }

    #[test]
    fn a_long_course_is_thinned_on_the_page_and_whole_in_the_json() {
        let plan = plan(6_000);
        let tuner = played(&plan, 6_000);
        let report = Report::new(&plan, &tuner, 500, State::Complete);
        assert_eq!(json(&report, JSON_FILE)["course"].as_array().map(Vec::len), Some(3_000));
        let page = ReportData::of(&report, 100).to_json();
        let read: Value = serde_json::from_str(&page).expect("it is JSON");
        let iterations: Vec<u64> = read["course"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|point| point["iteration"].as_u64().unwrap())
            .collect();
        assert_eq!((iterations.len(), iterations[0], iterations.last()), (100, 30, Some(&3_000)));
    }
}

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
    pub(crate) plan: &'a Plan,
    pub(crate) course: Course,
    pub(crate) endings: Vec<(Ending, u64)>,
    /// Number of openings.
    openings: usize,
    pub(crate) state: State,
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
            let parameter = &option.parameter;
            let value = self.course.values()[at];
            let effect = effects.as_ref().map_or(String::new(), |effects| {
                format!(", up against down {:+.1} ± {:.1} Elo", effects[at].elo, effects[at].error)
            });
            format!("{}: {} -> {}{effect}", parameter.name, parameter.start, digits(value, 5))
        };
        let faults = self.endings.iter().filter(|(ending, _)| ending.is_fault());
        let faults: Vec<String> = faults.map(|(ending, games)| format!("{ending} {games}")).collect();
        let mut lines: Vec<String> = self.course.options().iter().enumerate().map(line).collect();
        if !faults.is_empty() {
            lines.push(format!("games that ended by a fault: {}", faults.join(", ")));
        }
        lines
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
    pub(crate) fn openbench(&self) -> Vec<String> {
        let tuned = self.course.options().iter().zip(self.course.values());
        tuned.map(|(option, &value)| format!("{}, {}", option.parameter.name, option.parameter.shown(value))).collect()
    }

    /// The parameters as they are now, for another tuning.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = Parameter> {
        let tuned = self.course.options().iter().zip(self.course.values());
        tuned.map(|(option, &value)| {
            let parameter = &option.parameter;
            let shown = parameter.shown(value).parse().unwrap_or(value);
            Parameter { start: shown.clamp(parameter.min, parameter.max), ..parameter.clone() }
        })
    }

    /// Match of the tuned values against the start; `None` if they are the same.
    pub(crate) fn regression(&self) -> Option<Plan> {
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
        if sides[0].options == sides[1].options { None } else { Some(plan) }
    }

    /// Name that the engine gives itself, or its command.
    pub(crate) fn engine_name(&self) -> &str {
        let engine = &self.plan.engines[0];
        let known = engine.identity.as_ref().map(|identity| identity.id_name.as_str()).filter(|name| !name.is_empty());
        known.unwrap_or(&engine.command)
    }
}

/// Part of the JSON file that tells what the options of the parameters are.
#[derive(Deserialize)]
struct Written {
    parameters: Vec<WrittenOption>,
}

#[derive(Deserialize)]
struct WrittenOption {
    name: String,
    option: String,
    kind: String,
    scale: Option<f64>,
}

/// The tuning of a folder after the games that were read; `json` is what [`files`] has written there.
pub fn written_tuner(folder: &MatchFolder, tune: &TunePlan, json: &str) -> Result<Tuner, TuningError> {
    let parameters = planned_parameters(tune)?;
    let Some(options) = written_options(parameters, json) else {
        return Err(TuningError("the options of the parameters are not those of match.toml".to_string()));
    };
    let tuner = Tuner::new(&folder.plan, tune, options);
    for game in &folder.games {
        tuner.note(&game.line);
    }
    Ok(tuner)
}

/// The options that were written down for these parameters.
fn written_options(parameters: Vec<(usize, Parameter)>, json: &str) -> Option<Vec<TunedOption>> {
    let written: Written = serde_json::from_str(json).ok()?;
    if written.parameters.len() != parameters.len() {
        return None;
    }
    let mut options = Vec::new();
    for ((_, parameter), known) in parameters.into_iter().zip(written.parameters) {
        if known.name != parameter.name {
            return None;
        }
        let scale = if known.kind == INT { Some(1.0) } else { known.scale };
        options.push(TunedOption::written(parameter, known.option, scale)?);
    }
    Some(options)
}

/// State of the tuning in a folder.
pub fn written_state(path: &Path, folder: &MatchFolder) -> State {
    if folder.games.len() as u64 == folder.plan.games {
        State::Complete
    } else if MatchJournal::is_in_use(path) {
        State::Running
    } else {
        State::BrokenOff
    }
}
