//! Report of a tuning: a page, the course as JSON, the values as text, and a match that tests them.
//!
//! The page works offline; it is made as that of a match is, from one JSON value and scripts that draw it.

mod data;
mod outcome;
mod written;

pub use outcome::{PAGE_FILE, PARAMETERS_FILE, REGRESSION_FILE, Report, State};
pub use written::{written_state, written_tuner};

use crate::live;
use crate::page::{CHARTS, Page};
use data::ReportData;
use std::ops::Range;

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
pub(super) fn live_page(report: &Report, run: &str) -> String {
    let (title, data) = (title(report), live_figures(report, run));
    Page { title: &title, main: MAIN, data: &data, style: live::STYLE, scripts: &SCRIPTS, policy: live::POLICY }.html()
}

/// All figures of a tuning under way as JSON.
pub(super) fn live_figures(report: &Report, run: &str) -> String {
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
pub(super) mod tests {
    use super::*;
    use crate::arena::plan::{EnginePlan, Limit, Plan, TunePlan};
    use crate::tuning::{Parameter, TunedOption, Tuner};
    use komainu::notation::json::GameLine;
    use komainu::notation::record::Ending;
    use komainu::protocol::EngineOption;
    use komainu::types::Color;
    use serde_json::Value;

    /// A plan of a tuning of one option from 20 on.
    pub(crate) fn plan(games: u64) -> Plan {
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
    pub(crate) fn played(plan: &Plan, games: u64) -> Tuner {
        let tune = plan.tune.as_ref().expect("a tuning");
        let listed = EngineOption::read("option name Rate type spin default 20 min 0 max 100").expect("an option");
        let parameter: Parameter = tune.parameters[0].parse().expect("a parameter");
        let option = TunedOption::new(parameter, &[listed], None, tune.scale).expect("it fits");
        let tuner = Tuner::new(plan, tune, vec![option]);
        (0..games).for_each(|game| win(&tuner, game));
        tuner
    }

    /// A game that the upper value wins.
    pub(crate) fn win(tuner: &Tuner, game: u64) {
        let trial = tuner.course().trial((game / 2) as usize).expect("it is known");
        let (upper, black) =
            (["minus", "plus"][usize::from(trial.flips[0] > 0.0)], ["plus", "minus"][(game % 2) as usize]);
        let players = if black == "plus" { ["plus", "minus"] } else { ["minus", "plus"] };
        let winner = if black == upper { Color::Black } else { Color::White };
        tuner.note(&GameLine {
            game,
            pair: game / 2,
            players: players.map(str::to_string),
            ending: Ending::Checkmate,
            winner: Some(winner),
            round: 0,
            start: String::new(),
            opening_plies: 0,
            moves: Vec::new(),
            last_millis: None,
            detail: String::new(),
            started: String::new(),
            duration_ms: 0,
            host_stall_ms: None,
            origin: None,
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
