//! What a stranger meets first: the README, what is given away, and what registries are told.

use crate::docs::{targets, texts};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const READMES: [(&str, &str); 2] =
    [("README.md", include_str!("../../README.md")), ("README.ja.md", include_str!("../../README.ja.md"))];
const MANIFEST: &str = include_str!("../../Cargo.toml");
const RELEASE: &str = include_str!("../../.github/workflows/release.yml");
const ARCHIVE: &str = include_str!("../../.ci/archive.py");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The value of a key that a line of the manifest sets.
fn manifest(key: &str) -> &'static str {
    let line = MANIFEST.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix('='));
    line.unwrap_or_else(|| panic!("Cargo.toml has no {key}")).trim().trim_matches('"')
}

#[test]
fn a_readme_is_read_in_a_few_minutes() {
    let [english, japanese] = READMES.map(|(_, text)| text);
    let words = english.split_whitespace().count();
    assert!(words <= 1_200, "README.md has {words} words");
    // As many letters as make 1,200 words in a translation.
    let letters = japanese.chars().filter(|c| *c >= '\u{3040}').count();
    assert!(letters <= 2_400, "README.ja.md has {letters} letters");
}

#[test]
fn a_readme_begins_with_a_picture_three_ways_on_and_measured_figures() {
    for (name, text) in READMES {
        let first = text.split("\n## ").next().unwrap_or_default();
        assert!(first.contains("<picture>") && first.contains(".dark.png\""), "{name}: no picture");
        for way in ["(docs/play", "(docs/install", "(#"] {
            assert!(first.contains(way), "{name}: no link to {way}");
        }
        let figures: Vec<&str> = first.lines().filter(|line| line.starts_with('|')).skip(2).collect();
        assert!(figures.len() >= 5, "{name}: {figures:?}");
        for figure in figures {
            assert!(figure.contains("](docs/experiments/"), "{name}: no measurement behind {figure}");
        }
    }
}

#[test]
fn the_readmes_say_how_long_the_two_commands_take() {
    for (name, text) in READMES {
        for command in ["cargo run --release", "cargo test --release"] {
            let line = text.lines().find(|line| line.starts_with(command)).expect("the command is there");
            let takes = line.split([' ', '（']).any(|word| word.starts_with("minutes") || word.contains('分'));
            assert!(takes && line.contains(|c: char| c.is_ascii_digit()), "{name}: {line}");
        }
    }
}

#[test]
fn the_readmes_say_how_a_public_net_is_loaded_and_what_it_gains() {
    for (name, text) in READMES {
        for word in ["`EvalFile`", "`FV_SCALE`", "nn.bin", "Elo", "https://github.com/yaneurao/YaneuraOu"] {
            assert!(text.contains(word), "{name}: {word}");
        }
    }
}

/// Addresses of the web that stand in a text as the target of a link.
fn addresses(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).filter(|target| target.contains("://"))
}

#[test]
fn addresses_in_documents_are_well_formed() {
    let mut hosts = BTreeSet::new();
    for (name, text) in texts() {
        for address in addresses(&text) {
            let rest = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"));
            let rest = rest.unwrap_or_else(|| panic!("{name}: {address}"));
            let host = rest.split('/').next().unwrap_or_default();
            let is_name = |part: &str| {
                !part.is_empty()
                    && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
                    && !part.starts_with('-')
            };
            assert!(host.contains('.') && host.split('.').all(is_name), "{name}: {address}");
            assert!(address.bytes().all(|b| b.is_ascii_graphic() && b != b'"'), "{name}: {address}");
            hosts.insert(host.to_string());
        }
    }
    for host in ["sunfish-shogi.github.io", "shogigui.siganus.com", "shogidokoro2.stars.ne.jp", "lishogi.org"] {
        assert!(hosts.contains(host), "no document leads to {host}");
    }
}

#[test]
fn who_wants_to_play_finds_one_page_without_measurements() {
    for (page, levels) in [("docs/play.md", "docs/levels.md"), ("docs/play.ja.md", "docs/levels.ja.md")] {
        assert!(READMES.iter().any(|(_, text)| text.contains(&format!("({page})"))), "no link to {page}");
        for file in [page, levels] {
            let text = fs::read_to_string(root().join(file)).expect("it is there");
            assert!(!text.contains('±') && !text.contains("Elo"), "a measurement in {file}");
        }
    }
}

/// All text files of the project, as paths from the root with forward slashes.
fn files() -> Vec<(String, String)> {
    let mut waiting: Vec<PathBuf> = vec![root().to_path_buf()];
    let mut files = Vec::new();
    while let Some(path) = waiting.pop() {
        let name = path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
        let is_left_out = ["target", ".git", "shared"].contains(&name.as_str()) || name.contains("node_modules");
        if path.is_dir() && !is_left_out {
            waiting.extend(fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()));
        } else if let (false, Ok(text)) = (is_left_out, fs::read_to_string(&path)) {
            files.push((name, text));
        }
    }
    files
}

#[test]
fn no_word_stands_in_for_the_account_that_publishes() {
    // Put together, so that this file has it nowhere.
    let placeholder = ["OW", "NER"].concat();
    let files = files();
    assert!(files.iter().any(|(name, _)| name == ".openbench/Komainu.json" || name == "Cargo.toml"));
    let held: Vec<&str> = files
        .iter()
        .filter(|(_, text)| text.split(|c: char| !c.is_alphanumeric()).any(|word| word == placeholder))
        .map(|(name, _)| name.as_str())
        .collect();
    assert!(held.is_empty(), "{held:?}");
}

#[test]
fn documents_name_the_rust_version_of_the_manifest() {
    let version = manifest("rust-version");
    for file in ["README.md", "README.ja.md", "CONTRIBUTING.md", "docs/install.md", "docs/install.ja.md"] {
        let text = fs::read_to_string(root().join(file)).expect("it is there");
        assert!(text.contains(version), "{file} does not say {version}");
    }
}

/// The words of a list that the script of archives holds under this name.
fn archived(list: &str) -> Vec<&'static str> {
    let line = ARCHIVE.lines().find_map(|line| line.strip_prefix(list)?.strip_prefix(" = ["));
    line.expect("the list is there").split('"').skip(1).step_by(2).collect()
}

#[test]
fn links_lead_to_files_that_release_archives_hold() {
    let packed = [archived("FILES"), archived("FOLDERS")].concat();
    assert!(packed.contains(&"README.md") && packed.contains(&"docs"));
    let holds = |target: &str| packed.contains(&target.split('/').next().unwrap_or_default());
    for (name, text) in texts() {
        for target in targets(&name, &text) {
            assert!(root().join(&target).exists(), "{name}: {target} does not exist");
            assert!(!holds(&name) || holds(&target), "{name}: release archives lack {target}");
        }
    }
}

#[test]
fn release_archives_are_packed_and_tried_with_the_licences_of_the_crates_inside() {
    for step in [".ci/archive.py pack \"$ARCHIVE\"", ".ci/archive.py test \"$ARCHIVE\"", "> THIRD-PARTY"] {
        assert!(RELEASE.contains(step), "{step}");
    }
    assert!(ARCHIVE.contains("\"THIRD-PARTY\""));
}

#[test]
fn what_binstall_fetches_is_what_a_release_has() {
    let names = |marker: &str, text: &str| -> BTreeSet<String> {
        let rest = text.lines().filter_map(|line| line.trim().strip_prefix(marker));
        rest.map(|rest| rest.trim_matches(['"', '/']).to_string()).collect()
    };
    let build = RELEASE.split("\n  build:\n").nth(1).and_then(|rest| rest.split("\n    steps:").next());
    let made: BTreeSet<String> = names("- name: ", build.expect("the job is there"))
        .iter()
        .map(|name| format!("komainu-{{ version }}-{name}"))
        .collect();
    assert!(made.len() >= 5, "{made:?}");
    let address = "pkg-url = \"{ repo }/releases/download/v{ version }/";
    let fetched: BTreeSet<String> = names(address, MANIFEST)
        .iter()
        .map(|name| name.trim_end_matches(".tar.gz").trim_end_matches(".zip").to_string())
        .collect();
    assert_eq!(fetched, made);
    let folders: BTreeSet<String> = names("bin-dir = ", MANIFEST)
        .iter()
        .map(|folder| folder.split('/').next().unwrap_or_default().to_string())
        .collect();
    assert_eq!(folders, made);
}

#[test]
fn a_version_has_notes_of_a_page() {
    let version = manifest("version");
    let notes = fs::read_to_string(root().join(format!("docs/releases/{version}.md"))).expect("the notes are there");
    let words = notes.split_whitespace().count();
    assert!((100..=700).contains(&words), "{words} words");
    assert!(notes.contains(&format!("komainu-{version}-")) && notes.contains("komainu.html"));
    let citation = fs::read_to_string(root().join("CITATION.cff")).expect("it is there");
    assert!(citation.contains(&format!("\nversion: {version}\n")), "CITATION.cff is of another version");
}

/// The paths that a source includes as text or bytes, from the root.
fn included(source: &str) -> impl Iterator<Item = String> {
    let places = source.split("include_str!(\"").skip(1).chain(source.split("include_bytes!(\"").skip(1));
    let paths = places.filter_map(|rest| rest.split('"').next());
    paths.map(|path| path.trim_start_matches("../").to_string())
}

#[test]
fn the_package_holds_what_its_tests_and_documents_read() {
    let listed = Command::new(env!("CARGO"))
        .args(["package", "--list", "--allow-dirty", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let listed = String::from_utf8_lossy(&listed.stdout).replace('\\', "/");
    let listed: BTreeSet<&str> = listed.lines().collect();
    let tests = files().into_iter().filter(|(name, _)| name.starts_with("tests/integration/"));
    for (name, text) in tests.filter(|(name, _)| name.ends_with(".rs") && name != "tests/integration/front.rs") {
        for path in included(&text).filter(|path| !path.contains('{')) {
            let is_held = |held: &&str| *held == path || held.ends_with(&format!("/{path}"));
            assert!(listed.iter().any(is_held), "{name}: the package lacks {path}");
        }
    }
    for file in [".github/workflows/release.yml", ".ci/archive.py", "README.ja.md", "CITATION.cff"] {
        assert!(listed.contains(file), "the package lacks {file}");
    }
    for (name, text) in texts().into_iter().filter(|(name, _)| listed.contains(name.as_str())) {
        for target in targets(&name, &text).into_iter().filter(|target| root().join(target).is_file()) {
            assert!(listed.contains(target.as_str()), "{name}: the package lacks {target}");
        }
    }
}

#[test]
#[cfg(unix)]
fn the_address_of_a_repository_is_written_where_registries_look() {
    let Ok(true) = Command::new("python3").arg("--version").output().map(|output| output.status.success()) else {
        // The script runs in the workflow of releases, where there is one.
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let places = [
        ("Cargo.toml", "repository = \"https://example.org/a/b\"\n"),
        ("python/pyproject.toml", "[project.urls]\nRepository = \"https://example.org/a/b\"\n"),
        ("CITATION.cff", "repository-code: \"https://example.org/a/b\"\n"),
        ("wasm/package/package.template.json", "\"url\": \"git+https://example.org/a/b.git\""),
        ("wasm/rules/package/package.template.json", "\"url\": \"git+https://example.org/a/b.git\""),
        ("wasm/package/engine.template.json", "\"source\": \"https://example.org/a/b\""),
    ];
    for file in places.iter().map(|(file, _)| *file).chain([".ci/address.py"]) {
        let copy = folder.path().join(file);
        fs::create_dir_all(copy.parent().expect("a folder")).expect("it can be made");
        fs::copy(root().join(file), copy).expect("it can be copied");
    }
    let script = folder.path().join(".ci/address.py");
    let run = |words: &[&str]| Command::new("python3").arg(&script).args(words).output().expect("python runs").status;
    assert!(!run(&[]).success() && !run(&["example.org"]).success() && !run(&["https://example.org/a b/c"]).success());
    assert!(run(&["https://example.org/a/b"]).success());
    for (file, line) in places {
        let text = fs::read_to_string(folder.path().join(file)).expect("it is there");
        assert!(text.contains(line), "{file}: {text}");
    }
}
