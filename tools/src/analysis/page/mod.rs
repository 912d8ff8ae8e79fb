//! The pages of an analysis: one for a game, and one for the games of a folder.
//!
//! Each is a [`Page`] and works offline.

use super::accuracy::Accuracy;
use super::assessment::Assessment;
use super::chance::WinCurve;
use super::json::{GameFacts, to_value};
use crate::page::Page;
use komainu::notation::record::{Ending, GameRecord};
use komainu::types::Color;
use serde::Serialize;
use serde_json::{Value, json};

/// Where the page stands.
const MAIN: &str = "<main id=\"page\"></main>";

/// The looks beyond the shared ones.
const STYLE: &str = include_str!("analysis.css");

/// The scripts of the page of a game, each of which may use those before it.
const GAME_SCRIPTS: [&str; 4] =
    [include_str!("words.js"), include_str!("graphs.js"), include_str!("analysis.js"), include_str!("game.js")];

/// The scripts of the page of a folder.
const INDEX_SCRIPTS: [&str; 2] = [include_str!("words.js"), include_str!("index.js")];

/// What belongs to the page of a game beside the game.
#[derive(Clone, Copy, Debug)]
pub struct PageState<'a> {
    /// The annotated record.
    pub kif: &'a str,
    /// The address of the page of the folder, if there is one.
    pub index: Option<&'a str>,
    /// The analysis goes on: the page loads itself again now and then, and marks how far it is.
    pub is_running: bool,
}

/// Data of the page of a game.
pub fn page_data(
    record: &GameRecord,
    assessment: &Assessment,
    curve: WinCurve,
    facts: &GameFacts,
    state: PageState<'_>,
) -> Value {
    let chances: Vec<f64> = assessment.chances.iter().map(|chance| (chance * 10_000.0).round() / 10_000.0).collect();
    let analysis = to_value(record, assessment, curve, facts);
    let PageState { kif, index, is_running } = state;
    json!({ "analysis": analysis, "chances": chances, "kif": kif, "index": index, "running": is_running })
}

/// The page of a game: see [`page_data`].
pub fn game_page(
    record: &GameRecord,
    assessment: &Assessment,
    curve: WinCurve,
    facts: &GameFacts,
    state: PageState<'_>,
) -> String {
    let data = page_data(record, assessment, curve, facts, state);
    let [black, white] = record.players.each_ref().map(|name| name.as_deref().unwrap_or("–"));
    page(&format!("{black} – {white}"), &data, &GAME_SCRIPTS)
}

/// A game in the page of a folder.
#[derive(Clone, Debug, Serialize)]
pub struct IndexedGame {
    name: String,
    page: String,
    players: [Option<String>; 2],
    ending: Option<Ending>,
    winner: Option<usize>,
    /// Fault that ended the reading of the record.
    fault: Option<String>,
    plies: usize,
    openings: [Option<[String; 2]>; 2],
    castles: [Vec<[String; 2]>; 2],
    accuracy: [Option<f64>; 2],
    /// Mistakes and blunders of both sides.
    bad: [usize; 2],
}

impl IndexedGame {
    /// Row of the page of a folder for a game; `page` is the address of its own page.
    pub fn of(
        name: &str,
        page: String,
        record: &GameRecord,
        assessment: &Assessment,
        facts: &GameFacts,
    ) -> IndexedGame {
        let accuracy = |accuracy: Accuracy| (accuracy.value * 10.0).round() / 10.0;
        let winner = record.conclusion.and_then(|conclusion| conclusion.winner);
        IndexedGame {
            name: name.to_string(),
            page,
            players: record.players.clone(),
            ending: record.conclusion.map(|conclusion| conclusion.ending),
            winner: winner.map(|winner| usize::from(winner == Color::White)),
            fault: facts.fault.clone(),
            plies: record.moves.len(),
            openings: facts.openings.clone(),
            castles: facts.castles.clone(),
            accuracy: assessment.sides.each_ref().map(|side| side.all.accuracy.map(accuracy)),
            bad: assessment.sides.each_ref().map(|side| side.all.bad[2] + side.all.bad[3]),
        }
    }
}

/// The page of a folder; engine and limits are those of any of its games.
pub fn index_page(games: &[IndexedGame], facts: &GameFacts, curve: WinCurve) -> String {
    let data = json!({ "games": games, "engine": facts.engine, "limits": facts.limits, "scale": curve.scale.round() });
    page("Komainu", &data, &INDEX_SCRIPTS)
}

fn page(title: &str, data: &Value, scripts: &[&str]) -> String {
    Page { title, main: MAIN, data: &data.to_string(), style: STYLE, scripts, ..Page::default() }.html()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_load_nothing_and_write_no_markup() {
        for part in GAME_SCRIPTS.iter().chain(&INDEX_SCRIPTS).chain([&STYLE]) {
            assert_eq!(crate::page::faults(part), Vec::<&str>::new(), "{part}");
        }
    }

    #[test]
    fn a_name_cannot_become_markup() {
        let mut record = GameRecord::new(komainu::position::Position::startpos());
        record.players[0] = Some("</script><b>&\"".to_string());
        let game = IndexedGame {
            name: "<i>".into(),
            page: "a.html".into(),
            players: record.players,
            ending: None,
            winner: None,
            fault: Some("<u>".into()),
            plies: 0,
            openings: [None, None],
            castles: [Vec::new(), Vec::new()],
            accuracy: [None, None],
            bad: [0, 0],
        };
        let facts = GameFacts { engine: "<b>".into(), ..GameFacts::default() };
        let page = index_page(&[game], &facts, WinCurve::default());
        assert_eq!(page.matches("</script>").count(), 2);
        assert!(!page.contains("<b>") && !page.contains("<i>") && !page.contains("<u>"));
    }
}
