//! What all commands share: inputs from pipes, JSON for scripts, interrupts.

use crate::shell::{Folder, komainu, printed, run, stdout};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

const MATE: &str = "4k4/9/4P4/9/9/9/9/9/9 b G 1";
const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// The suites of three commands, each with its contents.
fn suites() -> [(&'static str, String); 3] {
    [
        ("perft", format!("{START} ;D1 30 ;D2 900\n")),
        ("eval", format!("{START}\n")),
        ("mate", format!("{MATE} ;mate 1\n")),
    ]
}

#[test]
fn suites_are_read_from_the_standard_input() {
    for (command, text) in suites() {
        let mut child = komainu(&[command, "--suite", "-"]);
        let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the binary runs");
        child.stdin.take().expect("it is piped").write_all(text.as_bytes()).expect("it is read");
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success() && !output.stdout.is_empty(), "{command}: {output:?}");
    }
}

#[cfg(unix)]
#[test]
fn suites_and_records_are_read_from_a_pipe_and_folders_hold_none() {
    let folder = Folder::new("input-pipes");
    let pipe = folder.text("pipe.kif");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    let kif = "手合割：平手\n   1 ７六歩(77)\n".to_string();
    let calls: Vec<(Vec<&str>, String)> = suites()
        .into_iter()
        .filter(|(command, _)| *command != "mate")
        .map(|(command, text)| (vec![command, "--suite", &pipe], text))
        .chain([(vec!["convert", "--to", "csa", &pipe], kif)])
        .collect();
    for (words, text) in calls {
        let reader = thread::spawn({
            let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
            move || run(&words.iter().map(String::as_str).collect::<Vec<_>>())
        });
        fs::write(&pipe, text).expect("the pipe is read");
        let output = reader.join().expect("the call ends");
        assert!(output.status.success() && !output.stdout.is_empty(), "{words:?}: {output:?}");
    }
    // Nobody writes into a pipe that only lies in a folder.
    let output = run(&["convert", "--check", &folder.text("")]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn objects_are_printed_for_scripts() {
    let object = |arguments: &[&str]| {
        let text = printed(arguments);
        serde_json::from_str::<Value>(text.lines().last().unwrap_or_default()).expect("the last line is JSON")
    };
    let perft = object(&["perft", "2", "--json", "--divide"]);
    assert_eq!((perft["nodes"].as_u64(), perft["moves"]["7g7f"].as_u64()), (Some(900), Some(30)));
    let mate = object(&["mate", "--sfen", MATE, "--json", "--cooks", "--hash", "1"]);
    assert_eq!(
        (&mate["verdict"], &mate["line"][0], mate["exact"].as_bool()),
        (&"mate".into(), &"G*5b".into(), Some(true))
    );
    assert!(mate["first_moves"].as_array().is_some_and(|moves| moves.len() == 7));
    let none = object(&["mate", "--sfen", START, "--json", "--hash", "1"]);
    assert_eq!((&none["verdict"], none["line"].is_null()), (&"nomate".into(), true));
    assert!(object(&["eval", "--sfen", "startpos", "--json"])["cp"].is_i64());
    assert!(object(&["bench", "1", "--json"])["nodes"].as_u64() > Some(0));
    let folder = Folder::new("objects");
    for (name, (command, text)) in ["a", "b", "c"].into_iter().zip(suites()) {
        fs::write(folder.path(name), text.replace("D2 900", "D2 901")).expect("it is written");
        let output = run(&[command, "--suite", &folder.text(name), "--json"]);
        for line in stdout(&output).lines() {
            serde_json::from_str::<Value>(line).expect("each line is JSON");
        }
        assert_eq!(output.status.code(), Some(if command == "perft" { 1 } else { 0 }), "{output:?}");
    }
    let games = folder.text("a.games");
    printed(&["selfplay", "--games", "2", "--nodes", "20", "--out", &games]);
    let info = object(&["data", "info", "--json", &games]);
    assert_eq!(info["games"]["games"].as_u64(), Some(2));
    assert_eq!(info["games"]["positions"], info["positions"]["positions"]);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_any_command_with_130_and_leaves_no_temporary_file() {
    let folder = Folder::new("interrupts");
    let out = folder.text("out.db");
    let list = folder.text("list.usi");
    fs::write(&list, "startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e\n".repeat(300_000)).expect("it is written");
    for words in [vec!["perft", "9"], vec!["bench", "30"], vec!["book", "make", "--out", &out, &list]] {
        let mut child = komainu(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary runs");
        thread::sleep(Duration::from_millis(600));
        let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
        let status = child.wait().expect("it ends");
        // A book that was made in time is no fault.
        let is_done = words[0] == "book" && status.success();
        assert!(killed.success() && (is_done || status.code() == Some(130)), "{words:?}: {status:?}");
        let rest: Vec<_> =
            fs::read_dir(folder.path("")).expect("it is there").flatten().map(|it| it.file_name()).collect();
        assert!(!rest.iter().any(|name| name.to_string_lossy().ends_with(".new")), "{words:?}: {rest:?}");
    }
}
