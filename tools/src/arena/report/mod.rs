//! The report of a match: one HTML page that holds everything, tables, charts, and every game to play through.
//!
//! It is a [`Page`] and works offline. [`MatchFolder`] holds the match, `figures` makes the numbers with
//! [`super::stats`], and `data` writes them and the games as one JSON value, which the scripts beside this file draw.

mod data;
mod figures;
pub mod summary;

pub use data::MAX_GAMES;
pub(crate) use data::{Columns, result_number, score_text};
pub(crate) use figures::GameDigest;

use super::folder::{MatchFolder, MatchGame};
use super::plan::Plan;
use crate::live;
use crate::page::{CHARTS, Page};
use std::ops::Range;

/// Where the tables and a game stand.
const MAIN: &str = "<main id=\"report\"></main>\n<main id=\"replay\" hidden></main>";

/// The scripts, each of which may use those before it.
const SCRIPTS: [&str; 9] = [
    CHARTS,
    include_str!("words.js"),
    include_str!("charts.js"),
    include_str!("tables.js"),
    include_str!("games.js"),
    include_str!("replay.js"),
    live::SCRIPT,
    include_str!("live.js"),
    include_str!("main.js"),
];
/// The places in [`SCRIPTS`] of those that only a page under way has.
const LIVE_SCRIPTS: Range<usize> = 6..8;

/// The page of a match.
pub fn page(folder: &MatchFolder) -> String {
    let data = data::ReportData::of(folder).to_json();
    let scripts = [&SCRIPTS[..LIVE_SCRIPTS.start], &SCRIPTS[LIVE_SCRIPTS.end..]].concat();
    Page { title: &title(&folder.plan), main: MAIN, data: &data, scripts: &scripts, ..Page::default() }.html()
}

/// The report of a match under way, in the pieces of which its page is made.
pub(crate) struct LiveReport<'a> {
    /// Name of the run.
    pub(crate) run: &'a str,
    pub(crate) plan: &'a Plan,
}

impl LiveReport<'_> {
    /// The page without any game.
    pub(crate) fn page(&self) -> String {
        let title = title(self.plan);
        let data = self.figures(&[]);
        let style = [live::STYLE, include_str!("live.css")].concat();
        Page { title: &title, main: MAIN, data: &data, style: &style, scripts: &SCRIPTS, policy: live::POLICY }.html()
    }

    /// All numbers as JSON.
    pub(crate) fn figures(&self, games: &[GameDigest]) -> String {
        let mut numbers = data::ReportData::of_digests(self.plan, games);
        numbers.live = Some(self.run);
        numbers.to_json()
    }

    /// A game as JSON, to be played through.
    pub(crate) fn game(game: &MatchGame) -> String {
        data::game_json(game)
    }
}

/// Who played, for the tab of a browser.
fn title(plan: &Plan) -> String {
    match &plan.engines[..] {
        [] => "Komainu".into(),
        [a] => a.name.clone(),
        [a, b] => format!("{} – {}", a.name, b.name),
        engines => format!("{} + {}", engines[0].name, engines.len() - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scripts_load_nothing_and_write_no_markup() {
        for part in SCRIPTS {
            assert_eq!(crate::page::faults(part), Vec::<&str>::new(), "{part}");
        }
    }

    #[test]
    fn no_word_of_a_page_under_way_stands_for_another_one() {
        let keys = |script: &str| -> Vec<String> {
            let key = |line: &str| Some(line.strip_prefix("  ")?.split_once(": [\"")?.0.to_string());
            script.lines().filter_map(key).collect()
        };
        let report = keys(SCRIPTS[1]);
        let live = LIVE_SCRIPTS.flat_map(|at| keys(SCRIPTS[at])).collect::<Vec<_>>();
        assert!(report.len() > 100 && live.len() > 5);
        let shared: Vec<&String> = live.iter().filter(|key| report.contains(key)).collect();
        assert_eq!(shared, ["leftOut"], "this one is meant to");
    }
}
