//! Other engines in every subcommand that starts them: the same engine gives the same answer from all.

use crate::shell::{Folder, komainu, stderr};
use std::fs;
use std::process::Command;

/// The subcommands that start another engine.
const TOOLS: [&str; 4] = ["match", "analyse", "book think", "csa"];

/// Tests tools all at once: they wait more than they work.
fn at_once(tools: &[&str], test: impl Fn(&str) + Sync) {
    std::thread::scope(|scope| {
        for tool in tools {
            let test = &test;
            scope.spawn(move || test(tool));
        }
    });
}

/// An engine as a shell script. What it does at its start and at `isready` is given; it lists `USI_MultiPV` alone.
fn engine(folder: &Folder, at_start: &str, at_isready: &str) -> String {
    let lines = format!(
        r#"{at_start}
lines=1
while read -r line; do
  echo "$line" >> "$0.log"
  case "$line" in
    usi) echo 'id name Other'; echo 'option name USI_MultiPV type spin default 1 min 1 max 9'; echo usiok;;
    isready) {at_isready}
      echo readyok;;
    'setoption name USI_MultiPV value '*) lines=${{line##* }};;
    position*moves*) moves='3c3d 8c8d 5c5d';;
    position*) moves='7g7f 2g2f 5g5f';;
    go*)
      set -- $moves
      best=$1
      place=1
      while [ $place -le $lines ] && [ $# -gt 0 ]; do
        echo "info depth 5 multipv $place score cp $((50 - place)) nodes 100 pv $1"
        place=$((place + 1)); shift
      done
      echo "bestmove $best";;
    quit) sleep 0.1; echo learnt >> "$0.learnt"; exit;;
  esac
done"#
    );
    folder.script("engine", &lines)
}

/// A call of a subcommand with this engine. There is no server behind the port of `csa`.
fn call(tool: &str, folder: &Folder, engine: &str) -> Command {
    let text = |name: &str| folder.text(name);
    let words: Vec<String> = match tool {
        "match" => {
            let names = ["a", "b"].map(|name| format!("{name}={engine}"));
            let of_engines = ["match", "--engine", &names[0], "--engine", &names[1]];
            let words = ["--games", "2", "--nodes", "100", "--max-plies", "2", "--out", &text("match")];
            owned(&[&of_engines[..], &words].concat())
        }
        "analyse" => {
            folder.write("game.usi", "startpos moves 7g7f\n");
            let words = ["--nodes", "100", "--multipv", "3", "--format", "json", "--mate", "0"];
            owned(
                &[&["analyse", &text("game.usi"), "--out", &text("analysis"), "--engine", engine][..], &words].concat(),
            )
        }
        "book think" => {
            folder.write("roots", "startpos\n");
            let words = ["--out", &text("book.db"), "--nodes", "100", "--multipv", "3", "--engine", engine];
            owned(&[&["book", "think", "--positions", &text("roots")][..], &words].concat())
        }
        "tune" => {
            folder.write("parameters", "USI_MultiPV, int, 2, 1, 9, 1, 0.1\n");
            let words = ["--games", "2", "--nodes", "100", "--max-plies", "2", "--out", &text("tune")];
            owned(&[&["tune", "--engine", engine, "--parameters", &text("parameters")][..], &words].concat())
        }
        "check" => owned(&["check", engine, "--items", "U22-U24,U55"]),
        _ => {
            let words = ["--password", "p", "--record", &text("records"), "--retries", "0", "--engine", engine];
            owned(&[&["csa", "127.0.0.1:1", "--name", "me", "--game", "g-1-1F"][..], &words].concat())
        }
    };
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    words.extend(["--patience", "1"]);
    komainu(&words)
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| word.to_string()).collect()
}

/// Exit code of a subcommand whose engine works: `csa` finds no server.
fn good(tool: &str) -> i32 {
    if tool == "csa" { 2 } else { 0 }
}

/// Exit code of a subcommand whose engine fails, as its documentation has it.
fn bad(tool: &str) -> i32 {
    if tool == "csa" { 4 } else { 2 }
}

#[test]
fn an_engine_that_fails_gives_one_answer_whoever_starts_it() {
    let cases = [
        ("dead", "echo 'no such net' >&2; exit 3", "", "ended by itself: exit status: 3: no such net"),
        ("dead-when-asked", "", "echo out of memory >&2; exit 1", "ended by itself: exit status: 1: out of memory"),
        ("silent", "", "sleep 4", "no readyok: silent for 1 s"),
    ];
    for (case, at_start, at_isready, wanted) in cases {
        at_once(&TOOLS, |tool| {
            let folder = Folder::new(&format!("engines-{case}-{}", tool.replace(' ', "-")));
            let engine = engine(&folder, at_start, at_isready);
            let output = call(tool, &folder, &engine).output().expect("it runs");
            let said = stderr(&output);
            assert!(said.contains(wanted), "{tool}, {case}: {said}");
            assert_eq!(output.status.code(), Some(bad(tool)), "{tool}, {case}: {said}");
            for name in ["book.db", "book.db.thinking"] {
                assert!(!folder.path(name).exists(), "{tool}, {case}: a book of nothing");
            }
        });
    }
}

#[test]
fn an_engine_that_talks_is_waited_for() {
    let talk = "for i in 1 2 3; do echo 'info string reading'; sleep 0.5; done";
    at_once(&TOOLS, |tool| {
        let folder = Folder::new(&format!("engines-talking-{}", tool.replace(' ', "-")));
        let engine = engine(&folder, "", talk);
        let output = call(tool, &folder, &engine).output().expect("it runs");
        assert_eq!(output.status.code(), Some(good(tool)), "{tool}: {}", stderr(&output));
    });
}

#[test]
fn usi_multi_pv_is_multi_pv_and_every_engine_is_told_of_a_new_game() {
    for tool in ["analyse", "book think"] {
        let folder = Folder::new(&format!("engines-lines-{}", tool.replace(' ', "-")));
        let engine = engine(&folder, "", "");
        let output = call(tool, &folder, &engine).output().expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{tool}: {}", stderr(&output));
        let written = match tool {
            "analyse" => fs::read_to_string(folder.path("analysis/game.json")),
            _ => fs::read_to_string(folder.path("book.db")),
        };
        let written = written.expect("there is an output");
        for mv in ["7g7f", "2g2f", "5g5f"] {
            assert!(written.contains(mv), "{tool}: {written}");
        }
        let log = folder.read("engine.log");
        assert!(log.contains("setoption name USI_MultiPV value 3\n"), "{tool}: {log}");
        assert!(log.contains("usinewgame\nisready\n"), "{tool}: {log}");
        // Readiness may cost seconds: nobody asks for it more often than games need.
        assert!(!log.contains("isready\nusinewgame\nisready\nusinewgame"), "{tool}: {log}");
    }
}

#[test]
fn every_conversation_ends_with_quit_and_time_to_write_what_was_learnt() {
    let tools = [&TOOLS[..], &["tune", "check"]].concat();
    at_once(&tools, |tool| {
        let folder = Folder::new(&format!("engines-quit-{}", tool.replace(' ', "-")));
        let engine = engine(&folder, "", "");
        let output = call(tool, &folder, &engine).output().expect("it runs");
        let log = fs::read_to_string(folder.path("engine.log")).expect("there is a log");
        let started = log.lines().filter(|line| *line == "usi").count();
        assert!(started > 0, "{tool}: {}", stderr(&output));
        let learnt = fs::read_to_string(folder.path("engine.learnt")).unwrap_or_default();
        assert_eq!(learnt.lines().count(), started, "{tool}: {log}\n{}", stderr(&output));
    });
}

#[test]
fn what_an_engine_has_learnt_of_a_game_stays_while_its_lines_change() {
    let folder = Folder::new("engines-learnt");
    let engine = engine(&folder, "", "");
    // 9g9f is none of its lines: the move is searched by itself, with one line, and then three are wanted again.
    let game = folder.write("game.usi", "startpos moves 9g9f\n");
    let out = folder.text("analysis");
    let words =
        ["analyse", &game, "--out", &out, "--nodes", "100", "--format", "json", "--mate", "0", "--engine", &engine];
    let output = komainu(&words).output().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let log = folder.read("engine.log");
    let game = &log[log.find("position").expect("positions are searched")..];
    let values: Vec<&str> =
        game.lines().filter_map(|line| line.strip_prefix("setoption name USI_MultiPV value ")).collect();
    assert!(values.contains(&"1") && values.contains(&"3"), "{log}");
    // Some engines forget all at `isready`.
    assert!(!game.contains("isready"), "{log}");
}

#[test]
fn an_engine_that_cannot_show_several_lines_is_refused() {
    for tool in ["analyse", "book think"] {
        let folder = Folder::new(&format!("engines-one-line-{}", tool.replace(' ', "-")));
        let engine = engine(&folder, "", "");
        let text = folder.read("engine");
        folder.write("engine", text.replace("option name USI_MultiPV", "option name Lines"));
        let output = call(tool, &folder, &engine).output().expect("it runs");
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{tool}: {said}");
        assert!(said.contains("lists neither MultiPV nor USI_MultiPV: it cannot show 3 lines"), "{tool}: {said}");
    }
}
