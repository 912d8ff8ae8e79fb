//! Work that goes on after it was broken off: no two programs add to one file.

use crate::shell::{Folder, run, stderr};
use std::fs::{self, File};
use std::path::Path;

/// Each tool that adds to a file, with the name of the file and a call that would add to it.
fn tools(folder: &Folder) -> Vec<(&'static str, String, Vec<String>)> {
    folder.write("game.usi", "startpos moves 7g7f 3c3d 2g2f\n");
    folder.write("positions", "startpos\n");
    folder.write("openings", "startpos\n");
    let game = folder.text("game.usi");
    let positions = folder.text("positions");
    let openings = folder.text("openings");
    let engine = format!("one={}", env!("CARGO_BIN_EXE_komainu"));
    let made = |name: &str, arguments: &str| {
        let out = ["--out".to_string(), folder.text(name)];
        let call: Vec<String> = arguments.split(' ').map(str::to_string).chain(out).collect();
        assert!(run(&call.iter().map(String::as_str).collect::<Vec<_>>()).status.success(), "{call:?}");
        folder.text(name)
    };
    let games = made("old.games", "selfplay --games 2 --nodes 50 --hash 1 --threads 1");
    let records = folder.text("old.psv");
    assert!(run(&["data", "filter", &games, "--out", &records]).status.success());
    let call = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
    let out = |name: &str| folder.text(name);
    vec![
        (
            "match",
            out("match/games.jsonl"),
            call(&[
                "match",
                "--engine",
                &engine,
                "--engine",
                &engine.replace("one=", "other="),
                "--nodes",
                "50",
                "--games",
                "2",
                "--openings",
                &openings,
                "--out",
                &out("match"),
            ]),
        ),
        (
            "selfplay",
            out("new.games"),
            call(&["selfplay", "--games", "2", "--nodes", "50", "--hash", "1", "--out", &out("new.games")]),
        ),
        (
            "data rescore, games",
            out("again.games"),
            call(&["data", "rescore", &games, "--nodes", "50", "--hash", "1", "--out", &out("again.games")]),
        ),
        (
            "data rescore, records",
            out("again.psv"),
            call(&["data", "rescore", &records, "--nodes", "50", "--hash", "1", "--out", &out("again.psv")]),
        ),
        (
            "analyse",
            out("analysis/analysis.jsonl"),
            call(&["analyse", &game, "--nodes", "50", "--out", &out("analysis")]),
        ),
        (
            "book think",
            out("book.db.thinking"),
            call(&["book", "think", "--positions", &positions, "--nodes", "50", "--out", &out("book.db")]),
        ),
        ("train", out("nn.bin.jsonl"), call(&["train", &records, "--held-out", "2", "--out", &out("nn.bin")])),
    ]
}

/// Plan of a match of two engines.
const PLAN: &str = "games = 2\n[[engine]]\nname = \"a\"\ncommand = \"a\"\n[[engine]]\nname = \"b\"\ncommand = \"b\"\n";

/// Standard error of a call that must be refused as a wrong use.
fn refusal(call: &[String], more: &[&str]) -> String {
    let words: Vec<&str> = call.iter().map(String::as_str).chain(more.iter().copied()).collect();
    let output = run(&words);
    assert_eq!(output.status.code(), Some(2), "{words:?}: {output:?}");
    stderr(&output)
}

#[test]
fn a_second_program_in_a_folder_is_told_who_is_there_and_writes_nothing() {
    let folder = Folder::new("journals");
    for (tool, file, call) in tools(&folder) {
        let path = Path::new(&file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        let taken = File::create(path).expect("it can be made");
        taken.lock().expect("a lock");
        let before = fs::read_dir(path.parent().expect("a folder")).expect("it can be read").count();
        for more in [&[][..], &["--resume"]] {
            let is_resumed_match = tool == "match" && !more.is_empty();
            if is_resumed_match {
                // The plan of the match that is under way.
                folder.write("match/match.toml", PLAN);
            }
            let resumed = ["match", "--out", &folder.text("match")].map(str::to_string).to_vec();
            let said = refusal(if is_resumed_match { &resumed } else { &call }, more);
            let who = if cfg!(target_os = "linux") {
                format!("process {} is at work on it", std::process::id())
            } else {
                "another process is at work on it".to_string()
            };
            assert!(said.contains(&format!("{file}: {who}")), "{tool} {more:?}: {said}");
            assert_eq!(taken.metadata().expect("its length").len(), 0, "{tool} {more:?}");
        }
        let after = fs::read_dir(path.parent().expect("a folder")).expect("it can be read").count();
        assert_eq!(after, before + usize::from(tool == "match"), "{tool}: nothing but the plan of this test is new");
    }
}

#[test]
fn work_that_was_begun_is_not_begun_anew_by_mistake() {
    let folder = Folder::new("journals-begun");
    for (tool, file, call) in tools(&folder) {
        let words: Vec<&str> = call.iter().map(String::as_str).collect();
        let output = run(&words);
        assert!(output.status.success(), "{tool}: {output:?}");
        match tool {
            // The journal of a book goes when the book is there.
            "book think" => {
                assert!(!Path::new(&file).exists(), "{tool}");
                fs::write(&file, "# something\n").expect("it can be written");
            }
            // An analysis that is whole may be made again; one that is not may not.
            "analyse" => {
                let whole = fs::read_to_string(&file).expect("it is there");
                let lines: Vec<&str> = whole.lines().collect();
                fs::write(&file, lines[..lines.len() - 1].join("\n") + "\n").expect("it can be written");
            }
            _ => {}
        }
        let kept = fs::read(&file).expect("it is there");
        let said = refusal(&call, &[]);
        assert!(said.contains("--resume goes on with it"), "{tool}: {said}");
        assert!(fs::read(&file).expect("it is there") == kept, "{tool}");
    }
}
