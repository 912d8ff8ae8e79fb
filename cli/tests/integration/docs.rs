//! The documents agree with the code: their tables, their links, the places that they name.
//!
//! What stands between `<!-- NAME -->` and `<!-- /NAME -->` in a document is written from the code. The test fails
//! where it differs; `KOMAINU_WRITE_DOCS=1 cargo test --test integration docs::` rewrites it.

use komainu::eval::nnue::EMBEDDED_SCALE;
use komainu::levels::{Level, OpeningPlan};
use komainu::notation::Format;
use komainu::notation::Part;
use komainu::position::{EnteringKingRule, GameRules, RuleSet};
use komainu::usi::options::{OptionKind, Spec, TABLE};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The root of the project.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Tests whether this is the package that Cargo makes of the project: the crate without the other packages.
pub(crate) fn is_package() -> bool {
    root().join("Cargo.toml.orig").exists()
}

/// Every file below a folder of the project that has this extension, as paths from the folder with forward slashes,
/// and their texts.
pub(crate) fn files_in(folder: &str, extension: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        let Ok(entries) = fs::read_dir(root().join(folder).join(&below)) else { continue };
        for entry in entries {
            let path = entry.expect("the folder can be read").path();
            let name = below.join(path.file_name().expect("an entry has a name"));
            if path.is_dir() {
                folders.push(name);
            } else if path.extension().is_some_and(|found| found == extension) {
                let text = fs::read_to_string(&path).expect("the file can be read");
                files.push((name.to_string_lossy().replace('\\', "/"), text));
            }
        }
    }
    files.sort();
    files
}

/// A language of the documents.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    English,
    Japanese,
}

use Language::{English, Japanese};

impl Language {
    fn pick<'a>(self, english: &'a str, japanese: &'a str) -> &'a str {
        if self == English { english } else { japanese }
    }

    /// Words in a row: `a, b or c`.
    fn any_of(self, words: &[String]) -> String {
        match (self, words) {
            (Japanese, _) => words.join("・"),
            (English, [words @ .., last]) if !words.is_empty() => format!("{} or {last}", words.join(", ")),
            (English, _) => words.concat(),
        }
    }

    /// Words in a row: `a, b and c`.
    fn all_of(self, words: &[String]) -> String {
        self.any_of(words).replace(" or ", " and ")
    }
}

fn code(word: &str) -> String {
    format!("`{word}`")
}

fn row(cells: &[&str]) -> String {
    format!("| {} |\n", cells.join(" | ")).replace("|  |", "| |")
}

/// A Markdown table, with a line end before it and behind it.
fn table(heads: &[&str], rows: impl Iterator<Item = String>) -> String {
    let line = row(&vec!["---"; heads.len()]);
    format!("\n{}{line}{}", row(heads), rows.collect::<String>())
}

/// The text with names of options, words in angle brackets and `no_book` set as code.
fn with_code(text: &str) -> String {
    let is_name = |word: &str| {
        TABLE.iter().any(|spec| spec.name == word) && word[1..].contains(|c: char| c.is_uppercase() || c == '_')
            || word.starts_with('<') && word.ends_with('>')
            || word == "no_book"
    };
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '<' | '>' | '-');
    let mut shown = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let len = rest[start..].find(|c| !is_part(c)).unwrap_or(rest.len() - start);
        let before = &rest[..start];
        let word = &rest[start..start + len];
        shown.push_str(before);
        shown.push_str(&if is_name(word) { code(word) } else { word.to_string() });
        rest = &rest[start + len..];
    }
    shown + rest
}

fn option_row(spec: &Spec, language: Language) -> String {
    let none = language.pick("none", "なし");
    let text = |default: &str| if default.is_empty() { none.to_string() } else { code(default) };
    let (kind, default, range) = match spec.kind {
        OptionKind::Spin { default, min, max, .. } => {
            ("spin", default.to_string(), format!("{min}{}{max}", language.pick(" to ", "～")))
        }
        OptionKind::Check { default, .. } => ("check", default.to_string(), String::new()),
        OptionKind::Combo { values, .. } => {
            let words = values.iter().map(|value| code(value)).collect::<Vec<_>>();
            let range = match &words[..] {
                [first, second, .., last] if words.len() > 6 => format!("{first}, {second} ... {last}"),
                _ => words.join(", "),
            };
            ("combo", words[0].clone(), range)
        }
        OptionKind::Filename { default, .. } => ("filename", text(default), String::new()),
        OptionKind::Text { default, .. } => ("string", text(default), String::new()),
    };
    let help = language.pick(spec.help, spec.help_ja);
    let mut meaning = with_code(help.trim_end_matches(['.', '。']));
    if let Some(alias) = spec.alias {
        meaning += &language.pick(" (also `ALIAS`)", "（`ALIAS`でもよい）").replace("ALIAS", alias);
    }
    row(&[&code(spec.name), kind, &default, &range, &meaning])
}

/// The options of the opening book, or all others.
fn options(of_book: bool, language: Language) -> String {
    let heads = match language {
        English => ["option", "type", "default", "range", "meaning"],
        Japanese => ["オプション", "型", "既定値", "範囲", "意味"],
    };
    let specs = TABLE.iter().filter(|spec| spec.name.contains("Book") == of_book);
    table(&heads, specs.map(|spec| option_row(spec, language)))
}

fn points(rules: GameRules) -> u32 {
    match rules.entering_king {
        EnteringKingRule::CSARule24 | EnteringKingRule::CSARule24H => 24,
        EnteringKingRule::CSARule27 | EnteringKingRule::CSARule27H => 27,
        other => panic!("the documents have no word for {other}"),
    }
}

fn rule_row(set: RuleSet, language: Language) -> String {
    let rules = set.rules();
    let mut name = code(set.name());
    if !set.title().eq_ignore_ascii_case(set.name()) {
        name += &format!(" ({})", set.title());
    }
    let points = format!("{}{}", points(rules), language.pick(" points", "点法"));
    let mut limit = format!("{}{}", rules.ply_limit, language.pick(" plies", "手"));
    if rules.checks_extend {
        limit += language.pick(", put off while checks go on", "（王手が続く間は延長）");
    }
    let mate = if rules.mate_on_last_ply { ("wins", "勝ち") } else { ("draws", "引き分け") };
    let counts = if rules.start_counts { ("yes", "数える") } else { ("no", "数えない") };
    row(&[&name, &points, &limit, language.pick(mate.0, mate.1), language.pick(counts.0, counts.1)])
}

fn rule_profiles(language: Language) -> String {
    let heads = match language {
        English => {
            ["`Rules`", "declaration", "draw after", "mate on the last ply", "repetition counts the start position"]
        }
        Japanese => ["`Rules`", "入玉宣言", "引き分けになる手数", "最終手での詰み", "千日手で開始局面を"],
    };
    let custom = "| `custom` | `EnteringKingRule` | `MaxMovesToDraw` | `MateOnLastPly` | `RepetitionCountsStart` |\n";
    let rows = RuleSet::ALL.into_iter().map(|set| rule_row(set, language));
    table(&heads, std::iter::once(custom.to_string()).chain(rows))
}

fn rule_names(language: Language) -> String {
    language.any_of(&RuleSet::ALL.map(|set| code(set.name())))
}

fn formats(language: Language) -> String {
    language.all_of(&Format::RECORDS.map(|format| format.name().to_uppercase()))
}

/// Parts of records in Japanese.
fn part_ja(part: Part) -> &'static str {
    match part {
        Part::Moves => "開始局面と指し手",
        Part::Counter => "開始局面の手数",
        Part::Headers => "対局者名、棋戦名などのヘッダー",
        Part::HeaderNames => "その形式が別の意味に使う名前のヘッダー",
        Part::Comments => "コメント（エンジンの評価値と読み筋を含む）",
        Part::Variations => "変化（コメントを含む）",
        Part::DeepVariations => "40段より深い変化の中の変化",
        Part::Times => "消費時間",
        Part::Fractions => "秒未満の消費時間",
        Part::End => "終局",
        Part::EndKinds => "CSAに文のない終局と勝者",
        Part::EndWord => "意味の分からない終局の語",
        Part::Adjournment => "封じ手などの語そのもの",
        other => panic!("{other:?} has no word in Japanese"),
    }
}

/// The parts in English, where the words of a message say too little.
fn part_en(part: Part) -> &'static str {
    match part {
        Part::Moves => "start and moves",
        Part::Counter => "move counter of the start",
        Part::Headers => "names of players and other headers",
        Part::HeaderNames => "headers of a name that the format uses itself",
        Part::Comments => "comments, with scores and lines of engines",
        Part::Variations => "variations, with their comments",
        Part::EndKinds => "ends and winners that CSA has no statement for",
        Part::EndWord => "words for the end that are not known",
        Part::Adjournment => "the words 封じ手 and 指し掛け themselves",
        other => other.words(),
    }
}

/// What each format has a place for.
fn record_parts(language: Language) -> String {
    let names = Format::ALL.map(|target| if target == Format::Csa { "CSA 3.0" } else { target.title() });
    let heads: Vec<&str> = std::iter::once(language.pick("part of a record", "棋譜の内容")).chain(names).collect();
    let cell = |target: Format, part| match (target.holds(part), language) {
        (true, English) => "yes",
        (true, Japanese) => "○",
        (false, English) => "lost",
        (false, Japanese) => "×",
    };
    let rows = Part::ALL.into_iter().map(|part| {
        let words = if language == English { part_en(part) } else { part_ja(part) };
        row(&std::iter::once(words).chain(Format::ALL.map(|target| cell(target, part))).collect::<Vec<_>>())
    });
    table(&heads, rows)
}

/// The subcommands that a user sees, with the first line of their help.
fn subcommands() -> Vec<(String, String)> {
    let command = komainu_cli::command_line();
    let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
    shown.map(|command| (command.get_name().to_string(), command.get_about().unwrap_or_default().to_string())).collect()
}

/// The subcommand, with a link from docs/cli.md to the document or section of its name, or else to one that shows it
/// first.
fn linked(name: &str) -> String {
    let docs = root().join("docs");
    if docs.join(format!("{name}.md")).exists() {
        return format!("[`{name}`]({name}.md)");
    }
    for file in ["cli.md", "match.md", "nets.md", "levels.md"] {
        let text = fs::read_to_string(docs.join(file)).expect("it is there");
        if text.contains(&format!("\n## {name}\n")) {
            return if file == "cli.md" {
                format!("[`{name}`](#{name})")
            } else {
                format!("[`{name}`]({file}#{name})")
            };
        }
    }
    for file in ["analysis.md", "levels.md", "web.md"] {
        let text = fs::read_to_string(docs.join(file)).expect("it is there");
        if text.contains(&format!("\nkomainu {name} ")) {
            return format!("[`{name}`]({file})");
        }
    }
    code(name)
}

fn subcommand_table() -> String {
    table(
        &["subcommand", "what it does"],
        subcommands().into_iter().map(|(name, about)| row(&[&linked(&name), &about])),
    )
}

/// The modules of a crate with the first paragraph of their documentation, in the order in which the document has them.
/// The Japanese texts stand in the document alone.
fn modules(folder: &str, block: &str, language: Language, text: &str) -> String {
    let text = text.split(&format!("<!-- {block} -->")).nth(1).unwrap_or_default();
    let text = text.split("<!-- /").next().unwrap_or_default();
    let heads = if language == English { ["module", "contents"] } else { ["モジュール", "内容"] };
    let mut found = Vec::new();
    for (path, source) in files_in(folder, "rs") {
        let name = path.replace("mod.rs", "");
        if name.trim_end_matches('/').contains('/') || name == "lib.rs" {
            continue;
        }
        let lines = source.lines().map_while(|line| line.strip_prefix("//! "));
        let contents = lines.collect::<Vec<_>>().join(" ").trim_end_matches('.').to_string();
        let name = code(&name);
        let place = text.find(&format!("| {name} | ")).unwrap_or(text.len());
        found.push((place, name, contents));
    }
    found.sort();
    let rows = found.iter().map(|(place, name, contents)| {
        let known = text[*place..].lines().next().and_then(|line| line.split(" | ").nth(1)?.strip_suffix(" |"));
        match known {
            Some(known) if language == Japanese => row(&[name, known]),
            _ => row(&[name, contents]),
        }
    });
    table(&heads, rows)
}

/// The plans of the levels.
fn plans(language: Language) -> String {
    let rows = OpeningPlan::all().iter().map(|plan| {
        let ([japanese, english], [low, high]) = (plan.names(), plan.levels());
        let kind = language.pick(plan.kind()[0], plan.kind()[1]);
        let range = format!("{}{}{}", code(&low.to_string()), language.pick(" to ", "～"), code(&high.to_string()));
        let is_all = (low, high) == (Level::WEAKEST, Level::STRONGEST);
        let levels = if is_all { language.pick("all", "すべて") } else { &range };
        if language == English { row(&[kind, &japanese, &english, levels]) } else { row(&[kind, &japanese, levels]) }
    });
    let heads: &[&str] = match language {
        English => &["kind", "plan", "in English", "levels"],
        Japanese => &["種類", "作戦", "レベル"],
    };
    table(heads, rows)
}

/// The chapters of a document as links.
fn contents(text: &str) -> String {
    let is_kept = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let anchor = |title: &str| title.to_lowercase().replace(|c| !is_kept(c), "").replace(' ', "-");
    let titles = text.lines().filter_map(|line| line.strip_prefix("## "));
    let links: String = titles.map(|title| format!("- [{title}](#{})\n", anchor(title))).collect();
    format!("\n{links}")
}

/// The text of every block of a name, in a document with this text.
fn block(name: &str, language: Language, text: &str) -> Option<String> {
    Some(match name {
        "options" => options(false, language),
        "book-options" => options(true, language),
        "rule-profiles" => rule_profiles(language),
        "rule-names" => rule_names(language),
        "formats" => formats(language),
        "record-parts" => record_parts(language),
        "subcommands" => subcommand_table(),
        "engine-modules" => modules("src", name, language, text),
        "tool-modules" => modules("tools/src", name, language, text),
        "plans" => plans(language),
        "contents" => contents(text),
        _ => return None,
    })
}

/// The document with its blocks written anew, and their names.
fn written(text: &str, language: Language) -> (String, Vec<String>) {
    let mut out = String::new();
    let mut names = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!-- ") {
        let (name, after) = after.split_once(" -->").expect("a comment has an end");
        out.extend([before, "<!-- ", name, " -->"]);
        rest = after;
        if let Some(block) = block(name, language, text) {
            let end = format!("<!-- /{name} -->");
            let (_, after) = after.split_once(&end).unwrap_or_else(|| panic!("{end} is missing"));
            out.extend([block.as_str(), &end]);
            rest = after;
            names.push(name.to_string());
        }
    }
    (out + rest, names)
}

/// The documents in the root and below `docs`, as paths from the root with forward slashes, and their texts.
pub(crate) fn documents() -> Vec<(String, String)> {
    let entries = fs::read_dir(root()).expect("the folder can be read").map(|entry| entry.expect("an entry").path());
    let names = entries.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let in_root = names.map(|path| {
        let text = fs::read_to_string(&path).expect("the document can be read");
        (path.file_name().expect("it has a name").to_string_lossy().into_owned(), text)
    });
    let in_docs = files_in("docs", "md").into_iter().map(|(name, text)| (format!("docs/{name}"), text));
    in_root.chain(in_docs).collect()
}

#[test]
fn tables_of_the_documents_are_those_of_the_code() {
    let writes = std::env::var_os("KOMAINU_WRITE_DOCS").is_some();
    let mut names = Vec::new();
    let mut stale = Vec::new();
    for (name, text) in documents() {
        let language = if name.ends_with(".ja.md") { Japanese } else { English };
        let (new, found) = written(&text, language);
        names.extend(found);
        if new != text && writes {
            fs::write(root().join(name), new).expect("the document can be written");
        } else if new != text {
            stale.push(name);
        }
    }
    assert!(stale.is_empty(), "run KOMAINU_WRITE_DOCS=1 cargo test --test integration docs:: to rewrite {stale:?}");
    let tables = "options book-options rule-profiles rule-names formats record-parts subcommands engine-modules \
                  tool-modules plans contents";
    for name in tables.split(' ') {
        assert!(names.iter().any(|found| found == name), "no document has the table {name}");
    }
}

#[test]
fn the_japanese_list_of_subcommands_names_every_one() {
    let text = include_str!("../../../docs/cli.ja.md");
    for (name, _) in subcommands() {
        assert!(text.contains(&code(&name)), "docs/cli.ja.md has no word on {name}");
    }
}

#[test]
fn the_documents_quote_the_scale_of_the_built_in_net() {
    for name in ["nets", "install", "options", "play"] {
        for name in [format!("docs/{name}.md"), format!("docs/{name}.ja.md")] {
            let text = fs::read_to_string(root().join(&name)).expect("it is there");
            assert!(text.contains(&format!("1 / (1 + exp(-cp / {EMBEDDED_SCALE}))")), "{name}");
        }
    }
}

/// The targets of links and pictures of a document that lie in the project, without their anchors.
pub(crate) fn targets(name: &str, text: &str) -> Vec<String> {
    let folder = Path::new(name).parent().expect("a document has a folder");
    let links = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    let tags = [" src=\"", " srcset=\"", " href=\""].into_iter().flat_map(|tag| text.split(tag).skip(1));
    let links = links.chain(tags.filter_map(|rest| rest.split(['"', '#']).next()));
    let inside = links.filter(|link| !link.is_empty() && !link.contains("://") && !link.contains(' '));
    let mut targets = Vec::new();
    for link in inside {
        let mut path = PathBuf::new();
        for part in folder.join(link).components() {
            match part {
                Component::ParentDir => _ = path.pop(),
                part => path.push(part),
            }
        }
        targets.push(path.to_string_lossy().replace('\\', "/"));
    }
    targets
}

#[test]
fn links_of_documents_lead_to_files() {
    for (name, text) in documents() {
        for target in targets(&name, &text) {
            assert!(root().join(&target).exists(), "{name}: {target} does not exist");
        }
    }
}
