//! The report of a match: one HTML page that holds everything, tables, charts, and every game to play through.
//!
//! It is a [`Page`] and works offline. [`MatchFolder`] holds the match, `figures` and `series` make the numbers with
//! [`super::stats`], and `data` writes them and the games as one JSON value, which the scripts beside this file draw.

mod data;
mod figures;
mod series;
pub mod summary;

pub use data::MAX_GAMES;

use super::folder::MatchFolder;
use crate::page::{CHARTS, Page};

/// Where the tables and a game stand.
const MAIN: &str = "<main id=\"report\"></main>\n<main id=\"replay\" hidden></main>";

/// The scripts, each of which may use those before it.
const SCRIPTS: [&str; 7] = [
    CHARTS,
    include_str!("words.js"),
    include_str!("charts.js"),
    include_str!("tables.js"),
    include_str!("games.js"),
    include_str!("replay.js"),
    include_str!("main.js"),
];

/// The page of a match.
pub fn page(folder: &MatchFolder) -> String {
    let data = data::ReportData::of(folder).to_json();
    Page { title: &title(folder), main: MAIN, data: &data, style: "", scripts: &SCRIPTS }.html()
}

/// Who played, for the tab of a browser.
fn title(folder: &MatchFolder) -> String {
    match &folder.plan.engines[..] {
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
}
