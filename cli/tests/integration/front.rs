//! What is given away: release archives, the package, what registries are told.

use crate::docs::{documents, root, targets};
use crate::shell::{stderr, stdout};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const MANIFEST: &str = include_str!("../../../Cargo.toml");
/// The manifest of the package that `cargo binstall` installs.
const PROGRAM: &str = include_str!("../../Cargo.toml");
const RELEASE: &str = include_str!("../../../.github/workflows/release.yml");
const ARCHIVE: &str = include_str!("../../../.ci/archive.py");

/// The value of a key that a line of the manifest sets.
fn manifest(key: &str) -> &'static str {
    let line = MANIFEST.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix('='));
    line.unwrap_or_else(|| panic!("Cargo.toml has no {key}")).trim().trim_matches('"')
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
    for (name, text) in documents() {
        for target in targets(&name, &text) {
            assert!(!holds(&name) || holds(&target), "{name}: release archives lack {target}");
        }
    }
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
    let fetched: BTreeSet<String> = names(address, PROGRAM)
        .iter()
        .map(|name| name.trim_end_matches(".tar.gz").trim_end_matches(".zip").to_string())
        .collect();
    assert_eq!(fetched, made);
    let folders: BTreeSet<String> = names("bin-dir = ", PROGRAM)
        .iter()
        .map(|folder| folder.split('/').next().unwrap_or_default().to_string())
        .collect();
    assert_eq!(folders, made);
}

#[test]
fn a_version_has_notes_that_name_its_files() {
    let version = manifest("version");
    let notes = fs::read_to_string(root().join(format!("docs/releases/{version}.md"))).expect("the notes are there");
    assert!(notes.contains(&format!("komainu-{version}-")) && notes.contains("komainu.html"));
    let citation = fs::read_to_string(root().join("CITATION.cff")).expect("it is there");
    assert!(citation.contains(&format!("\nversion: {version}\n")), "CITATION.cff is of another version");
}

#[test]
fn the_package_of_the_library_holds_what_its_documents_link_to() {
    let listed = Command::new(env!("CARGO"))
        .args(["package", "--list", "--allow-dirty", "--offline", "--package", "komainu"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(listed.status.success(), "{}", stderr(&listed));
    let listed = stdout(&listed).replace('\\', "/");
    let listed: BTreeSet<&str> = listed.lines().collect();
    for (name, text) in documents().into_iter().filter(|(name, _)| listed.contains(name.as_str())) {
        for target in targets(&name, &text) {
            // Links into the sources of the program and of the tools are for readers of the repository.
            let is_held =
                root().join(&target).is_file() && !target.starts_with("cli/") && !target.starts_with("tools/");
            assert!(!is_held || listed.contains(target.as_str()), "{name}: the package lacks {target}");
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
        ("tools/Cargo.toml", "repository.workspace = true\n"),
        ("cli/Cargo.toml", "repository.workspace = true\n"),
        ("python/pyproject.toml", "[project.urls]\nRepository = \"https://example.org/a/b\"\n"),
        ("CITATION.cff", "repository-code: \"https://example.org/a/b\"\n"),
        ("wasm/package/package.template.json", "\"url\": \"git+https://example.org/a/b.git\""),
        ("wasm/rules/package/package.template.json", "\"url\": \"git+https://example.org/a/b.git\""),
        ("wasm/package/engine.template.json", "\"source\": \"https://example.org/a/b\""),
    ];
    for file in places.iter().map(|(file, _)| *file).chain([".ci/address.py"]) {
        let copy: PathBuf = folder.path().join(file);
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
