//! Work that goes on after it was broken off: no two programs add to one file.

use crate::shell::{Folder, komainu, stderr};
use std::fs::{self, File};
use std::process::Output;

/// Each tool that adds to a file, with the name of the file and a call that would add to it. `@NAME` is a file of the
/// test.
const TOOLS: [(&str, &str); 7] = [
    ("match/games.jsonl", "match --engine one=@komainu --engine other=@komainu --nodes 50 --games 2 --out @match"),
    ("new.games", "selfplay --games 2 --nodes 50 --hash 1 --out @new.games"),
    ("again.games", "data rescore @old.games --nodes 50 --hash 1 --out @again.games"),
    ("again.psv", "data rescore @old.psv --nodes 50 --hash 1 --out @again.psv"),
    ("analysis/analysis.jsonl", "analyse @game.usi --nodes 50 --out @analysis"),
    ("book.db.thinking", "book think --positions @positions --nodes 50 --out @book.db"),
    ("nn.bin.jsonl", "train @old.psv --held-out 2 --out @nn.bin"),
];

fn call(folder: &Folder, line: &str) -> Output {
    let path =
        |name: &str| if name == "komainu" { env!("CARGO_BIN_EXE_komainu").to_string() } else { folder.text(name) };
    let word = |word: &str| match word.split_once('@') {
        Some((before, name)) => before.to_string() + &path(name),
        None => word.to_string(),
    };
    komainu(&[]).args(line.split(' ').map(word)).output().expect("the binary runs")
}

/// A folder with what the tools work on.
fn prepared(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("game.usi", "startpos moves 7g7f 3c3d 2g2f\n");
    folder.write("positions", "startpos\n");
    for line in ["selfplay --games 2 --nodes 50 --hash 1 --out @old.games", "data filter @old.games --out @old.psv"] {
        assert!(call(&folder, line).status.success(), "{line}");
    }
    folder
}

/// Standard error of a call that must be refused as a wrong use.
fn refusal(folder: &Folder, line: &str) -> String {
    let output = call(folder, line);
    assert_eq!(output.status.code(), Some(2), "{line}: {output:?}");
    stderr(&output)
}

#[test]
fn a_second_program_in_a_folder_is_told_who_is_there_and_writes_nothing() {
    /// Plan of a match of two engines.
    const PLAN: &str =
        "games = 2\n[[engine]]\nname = \"a\"\ncommand = \"a\"\n[[engine]]\nname = \"b\"\ncommand = \"b\"\n";
    let folder = prepared("journals");
    for (file, line) in TOOLS {
        let path = folder.path(file);
        let place = path.parent().expect("a folder");
        fs::create_dir_all(place).expect("it can be made");
        let taken = File::create(&path).expect("it can be made");
        taken.lock().expect("a lock");
        let count = || fs::read_dir(place).expect("it can be read").count();
        let before = count();
        let who = if cfg!(target_os = "linux") { std::process::id().to_string() } else { "another".to_string() };
        let first = refusal(&folder, line);
        let is_match = line.starts_with("match");
        if is_match {
            // The plan of the match that is under way.
            folder.write("match/match.toml", PLAN);
        }
        let resumed = if is_match { "match --out @match --resume" } else { &format!("{line} --resume") };
        for said in [first, refusal(&folder, resumed)] {
            assert!(said.contains(&format!("{}: ", path.display())), "{line}: {said}");
            assert!(said.contains(&who) && said.contains("is at work on it"), "{line}: {said}");
            assert_eq!(taken.metadata().expect("its length").len(), 0, "{line}");
        }
        assert_eq!(count(), before + usize::from(is_match), "{line}: nothing but the plan of this test is new");
    }
}

#[test]
fn work_that_was_begun_is_not_begun_anew_by_mistake() {
    let folder = prepared("journals-begun");
    for (file, line) in TOOLS {
        let output = call(&folder, line);
        assert!(output.status.success(), "{line}: {output:?}");
        let path = folder.path(file);
        match file {
            // The journal of a book goes when the book is there.
            "book.db.thinking" => {
                assert!(!path.exists(), "{line}");
                fs::write(&path, "# something\n").expect("it can be written");
            }
            // An analysis that is whole may be made again; one that is not may not.
            "analysis/analysis.jsonl" => {
                let whole = folder.read(file);
                let lines: Vec<&str> = whole.lines().collect();
                fs::write(&path, lines[..lines.len() - 1].join("\n") + "\n").expect("it can be written");
            }
            _ => {}
        }
        let kept = folder.bytes(file);
        let said = refusal(&folder, line);
        assert!(said.contains("--resume goes on with it"), "{line}: {said}");
        assert!(folder.bytes(file) == kept, "{line}");
    }
}
