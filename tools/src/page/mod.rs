//! Pages: one HTML file each that holds everything and works offline.
//!
//! The report of a match, the pages of an analysis and the page of the WebAssembly build share what stands beside this
//! file: the template, the looks, elements, words in two languages, the board. Text from outside reaches a page only
//! within its JSON and is shown by `textContent`, so that no name can become markup; a content security policy forbids
//! whatever comes from elsewhere.

use std::fmt::Write;

/// The page without its parts; each `{{name}}` is replaced by one.
const TEMPLATE: &str = include_str!("page.html");

/// The looks that pages share.
pub const STYLE: &str = include_str!("page.css");

/// Words, elements and the board, in the order in which they build on one another. The words of a page come first.
pub const SCRIPTS: [&str; 3] = [include_str!("language.js"), include_str!("dom.js"), include_str!("board.js")];

/// Numbers and the frame of charts, for the pages that have some.
pub const CHARTS: &str = include_str!("charts.js");

/// A page: its title, what stands in its body, its data, its looks and scripts.
#[derive(Debug, Default)]
pub struct Page<'a> {
    pub title: &'a str,
    pub main: &'a str,
    pub data: &'a str,
    /// Looks beyond the shared ones.
    pub style: &'a str,
    /// Scripts, each of which may use those before it and the shared ones.
    pub scripts: &'a [&'a str],
    /// Directives of the content security policy beyond those of a page that loads nothing, each after a semicolon.
    pub policy: &'a str,
}

impl Page<'_> {
    pub fn html(&self) -> String {
        let element = format!("<script type=\"application/json\" id=\"data\">{}</script>", escape_script(self.data));
        let style = format!("{STYLE}{}", self.style);
        let script = SCRIPTS.concat() + &self.scripts.concat();
        let parts = [
            ("title", &*escape_markup(self.title)),
            ("main", self.main),
            ("policy", self.policy),
            ("style", &style),
            ("data", &element),
            ("script", &script),
        ];
        fill(TEMPLATE, &parts)
    }
}

/// The template with its parts in place. What a part says is never searched for marks again.
fn fill(template: &str, parts: &[(&str, &str)]) -> String {
    let mut page = String::with_capacity(template.len() + parts.iter().map(|part| part.1.len()).sum::<usize>());
    let mut rest = template;
    while let Some((before, mark)) = rest.split_once("{{")
        && let Some((name, after)) = mark.split_once("}}")
    {
        page.push_str(before);
        page.push_str(parts.iter().find(|part| part.0 == name).expect("the template names parts that exist").1);
        rest = after;
    }
    page.push_str(rest);
    page
}

/// The relative address of a file: each part of its path percent-encoded, so that none is a scheme, a query or a place
/// within a page.
pub fn address(path: &str) -> String {
    let mut address = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => address.push(byte.into()),
            b'\\' if cfg!(windows) => address.push('/'),
            _ => _ = write!(address, "%{byte:02X}"),
        }
    }
    address
}

/// Text as text in HTML.
fn escape_markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// JSON that cannot end the element that holds it. Markup can be in strings only, where an escape says the same.
fn escape_script(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// Faults of a script or a sheet of styles that stands within a page: it would end its element, load something, or
/// write markup.
#[cfg(test)]
pub(crate) fn faults(part: &str) -> Vec<&'static str> {
    const FORBIDDEN: [&str; 13] = [
        "</",
        "<!--",
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "document.write",
        "eval(",
        "fetch(",
        "import",
        "@font-face",
        "//www",
        "url(http",
        "src=",
    ];
    let outside = part.replace("http://www.w3.org/2000/svg", "");
    FORBIDDEN.into_iter().filter(|word| outside.contains(word)).collect()
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
    }

    #[test]
    fn the_shared_parts_load_nothing_and_write_no_markup() {
        for part in SCRIPTS.iter().chain([&STYLE, &CHARTS]) {
            assert_eq!(faults(part), Vec::<&str>::new(), "{part}");
        }
        let template = TEMPLATE.replace("http://www.w3.org", "");
        assert!(!template.contains("//www") && !template.contains("src="));
        assert_eq!(faults("a.src='b';</p>"), ["</", "src="]);
    }

    #[test]
    fn every_name_of_a_file_is_an_address_of_that_file_and_nothing_else() {
        for (path, expected) in [
            ("games/round-1_a.b~.html", "games/round-1_a.b~.html"),
            ("javascript:alert(1)//.html", "javascript%3Aalert%281%29//.html"),
            ("#1 round.html", "%231%20round.html"),
            ("why?.html", "why%3F.html"),
            ("100%25.html", "100%2525.html"),
            ("a&b=\"c\"<d>'.html", "a%26b%3D%22c%22%3Cd%3E%27.html"),
            ("棋譜/一.html", "%E6%A3%8B%E8%AD%9C/%E4%B8%80.html"),
        ] {
            assert_eq!(address(path), expected);
        }
    }
}
