//! The layers of the crate: which module (folder of `src/`) may use which, how long a file may be, where `unsafe` may
//! be.
//!
//! Comments and doc links do not count. Unit tests may play and search: they may use every module of a lower layer.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A module, which is a folder of `src/`.
pub(crate) struct Module {
    pub(crate) name: &'static str,
    /// The modules that it knows. It may also use whatever these may use.
    knows: &'static [&'static str],
}

const fn module(name: &'static str, knows: &'static [&'static str]) -> Module {
    Module { name, knows }
}

impl Module {
    /// The first paragraph of its documentation, without the full stop at its end.
    pub(crate) fn contents(&self) -> String {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(self.name).join("mod.rs");
        let text = fs::read_to_string(path).expect("every module has a file");
        let lines = text.lines().map_while(|line| line.strip_prefix("//! "));
        lines.collect::<Vec<_>>().join(" ").trim_end_matches('.').to_string()
    }
}

/// Every module, lower layers first.
pub(crate) const MODULES: &[Module] = &[
    module("host", &[]),
    module("random", &[]),
    module("types", &["host"]),
    module("bitboard", &["random", "types"]),
    module("position", &["bitboard"]),
    module("movegen", &["position"]),
    module("notation", &["movegen"]),
    module("mate", &["movegen"]),
    module("system", &[]),
    module("eval", &["position", "system"]),
    module("storage", &["types"]),
    module("book", &["position", "notation", "storage"]),
    module("search", &["eval", "mate", "book", "system"]),
    module("games", &["notation"]),
    module("formations", &["notation"]),
    module("levels", &["search", "formations"]),
    module("protocol", &["notation"]),
    module("page", &[]),
    module("process", &[]),
    module("client", &["process", "protocol"]),
    module("analyst", &["search", "client"]),
    module("referee", &["notation"]),
    module("player", &["levels", "referee"]),
    module("openings", &["referee", "games"]),
    module("live", &["types"]),
    module("settings", &["client", "eval", "live"]),
    module("usi", &["levels", "search", "protocol"]),
    module("arena", &["openings", "page", "client", "settings", "storage"]),
    module("csa", &["usi", "arena"]),
    module("analysis", &["analyst", "formations", "games", "storage", "page"]),
    module("browser", &["analysis", "levels", "referee"]),
    module("training", &["search", "eval", "openings", "storage"]),
    module("tuning", &["arena"]),
    module("conformance", &["usi", "process"]),
    module("cli", &["conformance", "tuning", "csa", "training", "analysis"]),
];

/// The files that may say `unsafe`, and why they do.
const UNSAFE_FILES: [(&str, &str); 15] = [
    ("host/suspend.rs", "the functions that Asyncify puts in the place of imports, and their buffer"),
    ("bitboard/mod.rs", "squares out of set bits, without a bounds check"),
    ("bitboard/sliders.rs", "PEXT and PDEP, table look-ups whose index is proven"),
    ("types/square.rs", "the constructor whose caller proves the range"),
    ("types/moves.rs", "squares out of bits that a constructor put there"),
    ("system/memory.rs", "large pages, cache lines ahead of their use, blocks that go back to the system"),
    ("system/signals.rs", "a signal that is ignored"),
    ("process/spawn.rs", "what a new process is told before its program runs: cores, and to end with this one"),
    ("movegen/list.rs", "moves written without asking each time whether there is room"),
    ("search/ordering/cells.rs", "vectors of cells that other threads may change, read by one instruction"),
    ("eval/nnue/simd/mod.rs", "calls of instructions that a token proves to be there"),
    ("eval/nnue/simd/avx2.rs", "vectors loaded from arrays and stored in them"),
    ("eval/nnue/simd/avx512.rs", "vectors loaded from arrays and stored in them"),
    ("eval/nnue/simd/neon.rs", "vectors loaded from arrays and stored in them"),
    ("eval/nnue/simd/simd128.rs", "vectors loaded from arrays and stored in them"),
];

const MAX_LINES: usize = 800;

fn known_to(module: &str) -> Option<&'static [&'static str]> {
    MODULES.iter().find(|known| known.name == module).map(|known| known.knows)
}

/// The modules that code of a module may use, itself included.
fn allowed(module: &str) -> BTreeSet<&str> {
    let mut set = BTreeSet::from([module]);
    for known in known_to(module).unwrap_or_default() {
        set.extend(allowed(known));
    }
    set
}

/// The modules that unit tests in a module may use: its own and every one before it.
fn allowed_in_tests(module: &str) -> BTreeSet<&str> {
    MODULES.iter().map(|known| known.name).take_while(|&name| name != module).chain([module]).collect()
}

/// The line without its comment. A `//` within a string is none: an odd number of quotes stands before it.
pub(crate) fn code(line: &str) -> &str {
    let is_comment = |at: &usize| line[..*at].matches('"').count().is_multiple_of(2);
    line.match_indices("//").map(|(at, _)| at).find(is_comment).map_or(line, |at| &line[..at])
}

pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The first names of all paths that start with `root::`, those of a group `root::{a::X, b}` one by one.
fn paths_from<'a>(text: &'a str, root: &str) -> Vec<&'a str> {
    let mut names = Vec::new();
    for (at, found) in text.match_indices(&format!("{root}::")) {
        if text[..at].ends_with(|c: char| is_word(c) || c == ':') {
            continue;
        }
        let rest = &text[at + found.len()..];
        let (mut depth, mut starts) = (0, true);
        for (i, c) in rest.char_indices() {
            match c {
                '{' => (depth, starts) = (depth + 1, depth == 0),
                '}' => depth -= 1,
                ',' => starts = depth == 1,
                _ if is_word(c) && starts => {
                    names.push(rest[i..].split(|c| !is_word(c)).next().unwrap_or_default());
                    starts = false;
                }
                _ => {}
            }
            let group_goes_on = depth > 0 && c != ';';
            if !(group_goes_on || starts && c.is_whitespace()) {
                break;
            }
        }
    }
    names
}

/// Uses of modules in a file that its module may not know. `depth` counts the levels below the root of the crate.
fn forbidden_uses(module: &str, depth: usize, source: &str) -> Vec<String> {
    let lines: Vec<&str> = source.lines().map(code).collect();
    let tests = lines.iter().position(|line| line.trim() == "#[cfg(test)]").unwrap_or(lines.len());
    let to_root = vec!["super"; depth].join("::");
    let mut wrong = Vec::new();
    for (part, may) in [(&lines[..tests], allowed(module)), (&lines[tests..], allowed_in_tests(module))] {
        let text = part.join("\n");
        let names = paths_from(&text, "crate").into_iter().chain(paths_from(&text, &to_root));
        wrong.extend(names.filter(|name| known_to(name).is_some() && !may.contains(name)).map(str::to_string));
    }
    wrong
}

/// Every file of `src/` as its path below it, with forward slashes, and its text.
pub(crate) fn sources() -> Vec<(String, String)> {
    let files = sources_in("src");
    assert!(files.len() > 20, "only {} files in src", files.len());
    files
}

/// Tests whether this is the package that Cargo makes of the project: the crate without the other packages.
pub(crate) fn is_package() -> bool {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml.orig").exists()
}

/// Every Rust file of a folder of the project, as [`sources`] lists those of `src/`.
pub(crate) fn sources_in(folder: &str) -> Vec<(String, String)> {
    fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(folder).expect("the folder can be read") {
            let path = entry.expect("the folder can be read").path();
            let name = format!("{prefix}{}", path.file_name().expect("an entry has a name").to_string_lossy());
            if path.is_dir() {
                collect(&path, &format!("{name}/"), files);
            } else if name.ends_with(".rs") {
                files.push((name, fs::read_to_string(&path).expect("the file can be read")));
            }
        }
    }
    let mut files = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    if root.exists() || !is_package() {
        collect(&root, "", &mut files);
    }
    files.sort();
    files
}

#[test]
fn no_module_uses_one_that_it_may_not_know() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let Some((module, inside)) = path.split_once('/') else {
            assert!(path == "lib.rs" || path == "main.rs", "src/{path} stands outside the modules");
            continue;
        };
        assert!(known_to(module).is_some(), "src/{module}/ has no line in the table of modules in this test");
        let depth = 1 + inside.split('/').count() - inside.ends_with("mod.rs") as usize;
        wrong.extend(forbidden_uses(module, depth, &text).into_iter().map(|used| format!("src/{path} uses {used}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_binary_uses_the_command_line_only() {
    let main = sources().into_iter().find(|(path, _)| path == "main.rs").expect("there is a binary").1;
    let text = main.lines().map(code).collect::<Vec<_>>().join("\n");
    let used = paths_from(&text, "komainu");
    assert!(used.iter().all(|&name| name == "cli"), "src/main.rs uses {used:?}");
}

#[test]
fn no_source_file_is_longer_than_800_lines() {
    let long = |(path, text): &(String, String)| {
        let lines = text.lines().count();
        (lines > MAX_LINES).then(|| format!("src/{path} has {lines} lines"))
    };
    assert_eq!(sources().iter().filter_map(long).collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn unsafe_appears_in_the_listed_files_only() {
    let says_unsafe =
        |text: &str| text.lines().any(|line| code(line).split(|c| !is_word(c)).any(|word| word == "unsafe"));
    let found: BTreeSet<String> =
        sources().into_iter().filter(|(_, text)| says_unsafe(text)).map(|(path, _)| path).collect();
    let listed: BTreeSet<String> = UNSAFE_FILES.iter().map(|(path, _)| path.to_string()).collect();
    assert_eq!(found, listed, "files that say unsafe, and those that are listed in this test with their reason");
}

/// Functions that are inlined by force, each for the instructions that it saves (docs/experiments/build.md).
const MOST_FORCED_INLINES: usize = 64;

#[test]
fn no_more_functions_are_inlined_by_force_than_were_measured() {
    let count = |text: &str| text.lines().filter(|line| code(line).contains("#[inline(always)]")).count();
    let found: usize = sources().iter().map(|(_, text)| count(text)).sum();
    assert!(found <= MOST_FORCED_INLINES, "{found} functions say #[inline(always)]: measure what a new one saves");
}

/// The code of a file before its unit tests, without comments.
fn code_before_tests(text: &str) -> String {
    let tests = text.find("#[cfg(test)]").unwrap_or(text.len());
    text[..tests].lines().map(code).collect::<Vec<_>>().join("\n")
}

/// The files outside `modules` whose code holds one of these texts, but for files of tests.
fn holders(texts: &[&str], modules: &[&str]) -> Vec<String> {
    let holds = |(path, text): &(String, String)| {
        let is_elsewhere = !modules.iter().any(|module| path.starts_with(&format!("{module}/")));
        is_elsewhere && !path.ends_with("tests.rs") && texts.iter().any(|part| code_before_tests(text).contains(part))
    };
    sources().into_iter().filter(holds).map(|(path, _)| path).collect()
}

#[test]
fn engines_are_started_by_their_client_and_by_the_checker() {
    let starts = ["Process::start", "CommandWrap", ".spawn_child("];
    assert_eq!(
        holders(&starts, &["client", "conformance", "process"]),
        [""; 0],
        "only client/ and conformance/ start engines"
    );
}

#[test]
fn files_are_locked_by_the_storage_alone() {
    assert_eq!(
        holders(&["TryLockError", ".try_lock(", ".lock_shared("], &["storage"]),
        [""; 0],
        "only storage/ opens journals"
    );
}

/// Lines of USI as they are composed or taken apart, and the files that may hold such text beside `protocol/` and the
/// grammar of `conformance/`, each with its reason.
const USI_TEXTS: [&str; 10] = [
    "\"option name",
    "\"setoption",
    "\"id name",
    "\"id author",
    "\"bestmove ",
    "\"checkmate ",
    "\"position sfen",
    "\"position startpos",
    "\"go nodes",
    "\"info depth",
];
const OTHER_USI_TEXTS: [(&str, &str); 1] = [("usi/by_hand.rs", "the help for a person who types commands")];

#[test]
fn the_words_of_usi_stand_in_the_protocol() {
    let found = holders(&USI_TEXTS, &["protocol", "conformance"]);
    assert_eq!(found, OTHER_USI_TEXTS.map(|(path, _)| path), "files that hold lines of USI");
}

/// Calls that read the text of a record, and the files that may have them beside `games/` and `notation/`, each with
/// its reason.
const RECORD_READERS: [&str; 6] = ["kif::read(", "ki2::read(", "csa::read(", "jkf::read(", ".read_one(", "GameLine>("];
const OTHER_READERS: [(&str, &str); 1] = [("csa/summary.rs", "the start position that a server sends")];

#[test]
fn files_of_games_are_read_in_one_module() {
    let found = holders(&RECORD_READERS, &["games", "notation"]);
    assert_eq!(found, OTHER_READERS.map(|(path, _)| path), "files that read records by themselves");
}

/// Calls that open a file by its name, whatever it is, and the files that may have them beside `host/`, each with its
/// reason.
const OPENERS: [&str; 3] = ["File::open(", "fs::read(", "fs::read_to_string("];
const OTHER_OPENERS: [(&str, &str); 4] = [
    ("csa/settings.rs", "a password, which a shell may hand over in a pipe"),
    ("storage/journal.rs", "the table of locks of the system"),
    ("system/memory.rs", "a file of the system"),
    ("system/waits.rs", "files of the system"),
];

#[test]
fn files_that_somebody_names_are_opened_in_one_place_which_refuses_pipes_and_devices() {
    let found = holders(&OPENERS, &["host"]);
    assert_eq!(found, OTHER_OPENERS.map(|(path, _)| path), "files that open others by themselves");
}

#[test]
fn forbidden_uses_are_found_however_they_are_spelled() {
    let uses = |module: &str, source: &str| forbidden_uses(module, 2, source);
    assert_eq!(uses("position", "use crate::search::Limits;"), ["search"]);
    assert_eq!(
        uses("position", "use crate::{\n    bitboard::{Bitboard, tables},\n    movegen, types::Move};"),
        ["movegen"]
    );
    assert_eq!(uses("eval", "fn f(pos: &Position) { crate::movegen::count(pos) }"), ["movegen"]);
    assert_eq!(uses("types", "use super::super::usi::Session;"), ["usi"]);
    assert_eq!(uses("movegen", "pub(in crate::search) fn f() {}"), ["search"]);
    assert_eq!(uses("eval", "#[cfg(test)]\nmod tests { use crate::{movegen, search}; }"), ["search"]);
    for fine in
        ["use crate::types::Move;", "//! See [`crate::search`].", "    /// [`crate::usi`]", "let a = 1; // crate::usi"]
    {
        assert_eq!(uses("position", fine), [""; 0], "{fine}");
    }
    assert_eq!(uses("types", "mod usi; use super::usi::Text; use micrate::search::X;"), [""; 0]);
    assert_eq!(allowed("search"), allowed_in_tests("search"));
}
