//! The report of a match: one HTML page that holds everything, tables, charts, and every game to play through.
//!
//! The page works offline: no script, style or font comes from elsewhere, and a content security policy forbids it.
//! [`MatchFolder`] holds the match, `figures` and `series` make the numbers with [`super::stats`], and `data` writes them and the
//! games as one JSON value, which the scripts beside this file draw. Text from outside reaches the page only within that
//! value and is shown by `textContent`, so that no name can become markup.

mod data;
mod figures;
mod series;
pub mod summary;

pub use data::MAX_GAMES;

use super::folder::MatchFolder;

/// The page without its parts; each `{{name}}` is replaced by one.
const TEMPLATE: &str = include_str!("page.html");

const STYLE: &str = include_str!("page.css");

/// The scripts, each of which may use those before it.
const SCRIPTS: [&str; 8] = [
    include_str!("words.js"),
    include_str!("dom.js"),
    include_str!("board.js"),
    include_str!("charts.js"),
    include_str!("tables.js"),
    include_str!("games.js"),
    include_str!("replay.js"),
    include_str!("main.js"),
];

/// The page of a match.
pub fn page(folder: &MatchFolder) -> String {
    let title = escape_markup(&title(folder));
    let data = escape_script(&data::ReportData::of(folder).to_json());
    fill(TEMPLATE, &[("title", &title), ("style", STYLE), ("data", &data), ("script", &SCRIPTS.concat())])
}

/// Who played, for the tab of a browser.
fn title(folder: &MatchFolder) -> String {
    match &folder.plan.engines[..] {
        [a, b] => format!("{} – {}", a.name, b.name),
        engines => format!("{} + {}", engines[0].name, engines.len() - 1),
    }
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
    fn a_part_of_the_page_is_never_searched_for_marks() {
        assert_eq!(fill("<{{a}}|{{b}}>", &[("a", "{{b}}"), ("b", "$1 {{")]), "<{{b}}|$1 {{>");
    }

    #[test]
    fn what_is_written_into_the_page_cannot_end_its_element() {
        assert_eq!(escape_markup("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
        let json = escape_script("{\"</script>\":\"<!--&\"}");
        assert!(!json.contains(['<', '>', '&']));
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["</script>"], "<!--&");
        for part in SCRIPTS.iter().chain([&STYLE]) {
            assert!(!part.contains("</") && !part.contains("<!--"), "{part}");
        }
    }

    #[test]
    fn the_scripts_load_nothing_and_write_no_markup() {
        for word in
            ["innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "fetch(", "import", "@font-face"]
        {
            assert!(SCRIPTS.iter().chain([&STYLE]).all(|part| !part.contains(word)), "{word}");
        }
        for part in SCRIPTS.iter().chain([&STYLE, &TEMPLATE]) {
            let outside = part.replace("http://www.w3.org/2000/svg", "");
            assert!(!outside.contains("//www") && !outside.contains("url(http") && !outside.contains("src="), "{part}");
        }
    }
}
