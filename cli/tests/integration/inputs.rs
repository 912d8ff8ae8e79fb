//! What all commands share: inputs from pipes, JSON for scripts, interrupts.

use crate::docs::root;
use crate::shell::{Folder, komainu, printed, run, stdout};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
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
    let games = folder.text("a.games");
    printed(&["selfplay", "--games", "2", "--nodes", "20", "--out", &games]);
    let info = object(&["data", "info", "--json", &games]);
    assert_eq!(info["games"]["games"].as_u64(), Some(2));
    assert_eq!(info["games"]["positions"], info["positions"]["positions"]);
}

/// The fields that the row of a command names in the documents of both languages.
fn documented(command: &str) -> BTreeSet<String> {
    let [english, japanese] = ["cli.md", "cli.ja.md"].map(|name| {
        let text = fs::read_to_string(root().join("docs").join(name)).expect("the document can be read");
        let row = text.lines().find_map(|line| line.strip_prefix(&format!("| `{command}` | ")));
        let words = row.expect(command).split('`').skip(1).step_by(2);
        words.filter(|word| !word.starts_with('-')).map(str::to_string).collect::<BTreeSet<_>>()
    });
    assert_eq!(english, japanese, "{command}");
    english
}

/// The names of the fields of an object, and of those within it that have names of their own.
fn add_fields(value: &Value, names: &mut BTreeSet<String>) {
    for (name, value) in value.as_object().into_iter().flatten() {
        names.insert(name.clone());
        if ["games", "positions"].contains(&name.as_str()) {
            add_fields(value, names);
        }
        for one in value.as_array().into_iter().flatten() {
            add_fields(one, names);
        }
    }
}

#[test]
fn objects_have_the_fields_that_the_documents_name() {
    let folder = Folder::new("fields");
    let file = |name: &str, text: &str| {
        fs::write(folder.path(name), text).expect("it is written");
        folder.text(name)
    };
    let perft = file("perft", &format!("{START} ;D1 31\n"));
    let mates = file("mate", &format!("{MATE} ;mate 1\nx\n"));
    let problem = file("a.bod", &printed(&["convert", "--to", "kif", &file("a.sfen", MATE)]));
    let hidden = file("b.kif", "手合割：平手\n   1 ７六歩(77)\n   2 １一玉(99)\n");
    let book = file("a.db", &format!("#YANEURAOU-DB2016 1.00\nsfen {START}\n7g7f 3c3d 40 20 5\n"));
    let games = folder.text("a.games");
    printed(&["selfplay", "--games", "1", "--nodes", "20", "--out", &games]);
    let futile = "7lk/9/7G1/9/4R4/9/9/9/9 b r2b3g4s4n3l18p 1";
    let open = "2k1s1B2/S3+P4/2p1R2p1/2gprpp2/Lb1S5/2N3P2/2PPP4/9/L8 b L3gs3nl8p 1";
    let calls: &[(&str, &[&str])] = &[
        ("perft", &["perft", "1", "--divide"]),
        ("perft --suite", &["perft", "--suite", &perft]),
        ("bench", &["bench", "1"]),
        ("eval", &["eval", "--sfen", "startpos"]),
        ("mate", &["mate", "--sfen", "4k4/9/4P4/9/9/9/9/9/9 b 2G 1", "--cooks"]),
        ("mate", &["mate", "--sfen", futile, "--shortest", "--omit-futile"]),
        ("mate", &["mate", "--sfen", open, "--nodes", "1"]),
        ("mate FILE...", &["mate", &problem, &hidden]),
        ("mate --suite", &["mate", "--suite", &mates]),
        ("data info", &["data", "info", &games]),
        ("book query", &["book", "query", &book]),
        ("book query", &["book", "query", &book, "--moves", "9g9f"]),
    ];
    let mut printed: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (command, words) in calls {
        let output = run(&[words, &["--json"][..]].concat());
        for line in stdout(&output).lines() {
            let value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{words:?}: {line}: {error}"));
            add_fields(&value, printed.entry(command).or_default());
        }
    }
    for (command, printed) in &printed {
        let mut known = documented(command);
        // What is only there at times: comments and results of books.
        assert!(known.is_subset(printed) || *command == "book query", "{command}: {known:?}, not {printed:?}");
        if command.starts_with("mate ") {
            known.extend(documented("mate"));
        }
        assert!(printed.is_subset(&known), "{command}: {printed:?}, not {known:?}");
    }
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
