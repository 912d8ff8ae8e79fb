//! The page itself: its scripts and looks, which `wasm/page/assemble.mjs` reads from the list here, too.

use crate::page::Page;

/// The elements that the scripts fill.
const MAIN: &str = include_str!("main.html");

/// The looks beyond the shared ones.
const STYLES: [&str; 3] =
    [include_str!("../../analysis/page/analysis.css"), include_str!("page.css"), include_str!("desk.css")];

/// The scripts, each of which may use those before it.
const SCRIPTS: [&str; 21] = [
    include_str!("../../analysis/page/words.js"),
    include_str!("../../analysis/page/graphs.js"),
    include_str!("../../analysis/page/analysis.js"),
    include_str!("words.js"),
    include_str!("messages.js"),
    include_str!("store.js"),
    include_str!("clocks.js"),
    include_str!("sound.js"),
    include_str!("engine.js"),
    include_str!("helper.js"),
    include_str!("speech.js"),
    include_str!("board.js"),
    include_str!("picker.js"),
    include_str!("setup.js"),
    include_str!("play.js"),
    include_str!("trainer.js"),
    include_str!("sight.js"),
    include_str!("report.js"),
    include_str!("analyse.js"),
    include_str!("mate.js"),
    include_str!("main.js"),
];

/// The page with a script that says where its engine runs.
pub(super) fn html(connection: &str, data: &str, policy: &str) -> String {
    let scripts = [&[connection], &SCRIPTS[..]].concat();
    Page { title: "Komainu", main: MAIN.trim_end(), data, style: &STYLES.concat(), scripts: &scripts, policy }.html()
}
