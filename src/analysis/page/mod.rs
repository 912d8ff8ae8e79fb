//! The pages of an analysis: one for a game, and one for the games of a folder.
//!
//! A page is one file that works offline. The board, the elements and the looks are those of the report of a match; text
//! from outside reaches a page only within its JSON and is shown as text, so that no name can become markup.

use super::accuracy::Accuracy;
use super::assessment::Assessment;
use super::chance::WinCurve;
use super::json::{GameFacts, to_value};
use crate::notation::record::{Ending, GameRecord};
use crate::types::Color;
use serde::Serialize;
use serde_json::{Value, json};

const TEMPLATE: &str = include_str!("page.html");

/// The looks of the report of a match, and what there is beyond.
const STYLES: [&str; 2] = [include_str!("../../arena/report/page.css"), include_str!("analysis.css")];

/// The scripts of the page of a game, each of which may use those before it.
const GAME_SCRIPTS: [&str; 5] = [
    include_str!("words.js"),
    include_str!("../../arena/report/dom.js"),
    include_str!("../../arena/report/board.js"),
    include_str!("graphs.js"),
    include_str!("analysis.js"),
];

/// The scripts of the page of a folder.
const INDEX_SCRIPTS: [&str; 3] =
    [include_str!("words.js"), include_str!("../../arena/report/dom.js"), include_str!("index.js")];

/// The page of a game. `kif` is the annotated record, `index` the address of the page of the folder, if there is one.
pub fn game_page(
    record: &GameRecord,
    assessment: &Assessment,
    curve: WinCurve,
    facts: &GameFacts,
    (kif, index): (&str, Option<&str>),
) -> String {
    let chances: Vec<f64> = assessment.chances.iter().map(|chance| (chance * 10_000.0).round() / 10_000.0).collect();
    let analysis = to_value(record, assessment, curve, facts);
    let data = json!({ "analysis": analysis, "chances": chances, "kif": kif, "index": index });
    let [black, white] = record.players.each_ref().map(|name| name.as_deref().unwrap_or("–"));
    page(&format!("{black} – {white}"), &data, &GAME_SCRIPTS.concat())
}

/// A game in the page of a folder.
#[derive(Clone, Debug, Serialize)]
pub struct IndexedGame {
    name: String,
    page: String,
    players: [Option<String>; 2],
    ending: Option<Ending>,
    winner: Option<usize>,
    plies: usize,
    openings: [Option<[String; 2]>; 2],
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
            plies: record.moves.len(),
            openings: facts.openings.clone(),
            accuracy: assessment.sides.each_ref().map(|side| side.all.accuracy.map(accuracy)),
            bad: assessment.sides.each_ref().map(|side| side.all.bad[2] + side.all.bad[3]),
        }
    }
}

/// The page of a folder.
pub fn index_page(games: &[IndexedGame], engine: &str, limit: &str, curve: WinCurve) -> String {
    let data = json!({ "games": games, "engine": engine, "limit": limit, "scale": curve.scale.round() });
    page("Komainu", &data, &INDEX_SCRIPTS.concat())
}

fn page(title: &str, data: &Value, script: &str) -> String {
    let data = escape_script(&data.to_string());
    let style = STYLES.concat();
    fill(TEMPLATE, &[("title", &escape_markup(title)), ("style", &style), ("data", &data), ("script", script)])
}

/// The template with its parts in place. What a part says is never searched for marks again.
fn fill(template: &str, parts: &[(&str, &str)]) -> String {
    let mut page = String::with_capacity(template.len() + parts.iter().map(|part| part.1.len()).sum::<usize>());
    let mut rest = template;
    while let Some((before, (name, after))) =
        rest.split_once("{{").and_then(|(before, mark)| Some((before, mark.split_once("}}")?)))
    {
        page.push_str(before);
        page.push_str(parts.iter().find(|part| part.0 == name).expect("the template names parts that exist").1);
        rest = after;
    }
    page.push_str(rest);
    page
}

/// Text as text in HTML.
fn escape_markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// JSON that cannot end the element that holds it. Markup can be in strings only, where an escape says the same.
fn escape_script(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_load_nothing_and_write_no_markup() {
        let parts = GAME_SCRIPTS.iter().chain(&INDEX_SCRIPTS).chain(&STYLES);
        for part in parts.clone() {
            assert!(!part.contains("</") && !part.contains("<!--"), "{part}");
        }
        for word in
            ["innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "fetch(", "import", "@font-face"]
        {
            assert!(parts.clone().all(|part| !part.contains(word)), "{word}");
        }
        for part in parts.chain([&TEMPLATE]) {
            let outside = part.replace("http://www.w3.org/2000/svg", "");
            assert!(!outside.contains("//www") && !outside.contains("url(http") && !outside.contains("src="), "{part}");
        }
    }

    #[test]
    fn a_name_cannot_become_markup() {
        let mut record = GameRecord::new(crate::position::Position::startpos());
        record.players[0] = Some("</script><b>&\"".to_string());
        let game = IndexedGame {
            name: "<i>".into(),
            page: "a.html".into(),
            players: record.players,
            ending: None,
            winner: None,
            plies: 0,
            openings: [None, None],
            accuracy: [None, None],
            bad: [0, 0],
        };
        let page = index_page(&[game], "<b>", "1", WinCurve::default());
        assert_eq!(page.matches("</script>").count(), 2);
        assert!(!page.contains("<b>") && !page.contains("<i>"));
        assert_eq!(escape_markup("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
    }
}
