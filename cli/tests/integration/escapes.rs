//! Names and comments of others on a terminal: no tool hands on what gives orders to it.

use crate::scripted;
use crate::shell::{Folder, komainu};
use std::process::Output;

/// A title for the window, the clearing of the screen by a control character of eight bits, and a turn of the writing.
const ORDER: &str = "\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}将棋";
const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// Checks that whatever was printed is harmless, and that the name was printed at all.
fn check(output: &Output, says_name: bool, what: &str) {
    for bytes in [&output.stdout, &output.stderr] {
        let text = String::from_utf8_lossy(bytes);
        let is_order = |c: char| c.is_control() && !matches!(c, '\n' | '\t') || c == '\u{202e}';
        assert!(!text.contains(is_order), "{what}: {text:?}");
    }
    let all = [&output.stdout[..], &output.stderr].concat();
    let all = String::from_utf8_lossy(&all);
    assert!(!says_name || all.contains("owned"), "{what}: {all}");
}

/// A folder whose files have the name, each with its ending.
fn files(folder: &Folder) {
    let write = |ending: &str, text: &str| folder.write(&format!("{ORDER}.{ending}"), text);
    let headers = format!("先手：{ORDER}\n後手：{ORDER}\n手数----指手---------消費時間--\n");
    write("kif", &format!("{headers}*{ORDER}\n   1 ７六歩(77)\n*{ORDER}\n   2 ３四歩(33)\n   3 中断\n"));
    write("csa", &format!("V2.2\nN+{ORDER}\nPI\n+\n+7776FU\n'**{ORDER}\n+7776FU\n"));
    write("txt", ORDER);
    write(
        "db",
        &format!("#YANEURAOU-DB2016 1.00\nsfen {START}\n7g7f none {ORDER} 0 1 #{ORDER}\n2g2f none 0 0 1 #{ORDER}\n"),
    );
    write("perft", &format!("{START} ;D1 31\n{ORDER}\n"));
    write("mate", &format!("4k4/9/4P4/9/9/9/9/9/9 b G 1 ;nomate\n{ORDER}\n"));
    write("log", &format!("> {ORDER}\n< {ORDER}\n< bestmove {ORDER}\n"));
    write("pgn", &format!("[Black \"{ORDER}\"]\n[White \"b\"]\n[Result \"1-0\"]\n\n{ORDER} 1-0\n"));
    write("games", ORDER);
    write("toml", &format!("{ORDER} = 1\n"));
    write("bin", ORDER);
}

#[test]
fn no_tool_hands_on_orders_to_a_terminal_in_names_and_comments() {
    let folder = Folder::new("escapes");
    files(&folder);
    let at = |ending: &str| folder.text(&format!("{ORDER}.{ending}"));
    let out = folder.text(&format!("{ORDER}-out"));
    let kif = at("kif");
    let csa = at("csa");
    let db = at("db");
    let none = at("none");
    let harmless: Vec<Vec<&str>> = vec![
        vec!["convert", &kif, &csa, "--to", "csa", "--out", &out],
        vec!["convert", &none, "--to", "csa"],
        vec!["show", &kif],
        vec!["show", &csa],
        vec!["analyse", &kif, &csa, "--nodes", "50", "--hash", "1", "--out", &out],
        vec!["mate", &kif],
        vec!["level-report", &kif, &csa, "--engine-name", ORDER, "--level", "5kyu"],
        vec!["book", "make", &kif, &csa, "--out", &out],
        vec!["book", "query", &db, "--sfen", "startpos"],
        vec!["book", "check", &db],
        vec!["book", "stats", &db],
        vec!["book", "next", &db],
        vec!["eval", "--sfen", ORDER],
        vec!["perft", "1", "--sfen", ORDER],
        vec![ORDER],
    ];
    let (suite, problems, log, pgn, games, toml, net, text) =
        (at("perft"), at("mate"), at("log"), at("pgn"), at("games"), at("toml"), at("bin"), at("txt"));
    let refused: Vec<Vec<&str>> = vec![
        vec!["perft", "--suite", &suite],
        vec!["mate", "--suite", &problems, "--hash", "4"],
        vec!["mate", "--check", &text],
        vec!["replay", &log],
        vec!["data", "from-pgn", &pgn, "--out", &out],
        vec!["data", "info", &games],
        vec!["data", "shuffle", &games, "--out", &out],
        vec!["train", &games, "--out", &out],
        vec!["match", &toml, "--out", &out],
        vec!["match", "--resume", "--out", &none],
        vec!["report", &none],
        vec!["eval", "--sfen", "startpos", "--eval-file", &net],
        vec!["csa", "--config", &toml],
        vec!["check", &none, "--items", "U1"],
        vec!["book", "think", "--positions", &text, "--nodes", "10", "--out", &out],
        vec!["selfplay", "--games", "1", "--openings", &text, "--out", &out],
    ];
    for words in &harmless {
        check(&komainu(words).output().expect("it runs"), false, &format!("{words:?}"));
    }
    for words in &refused {
        let output = komainu(words).output().expect("it runs");
        check(&output, true, &format!("{words:?}"));
        assert!(!output.status.success(), "{words:?}");
    }
}

#[test]
fn names_of_engines_give_no_orders_to_a_terminal() {
    let folder = Folder::new("escapes-match");
    let engine = scripted::command(&folder.path(""), "engine", "7g7f\n");
    let out = folder.text("match");
    let first = format!("{ORDER}={engine}");
    let second = format!("b={engine}");
    let words = ["match", "--engine", &first, "--engine", &second, "--nodes", "10", "--games", "2", "--out", &out];
    let output = komainu(&words).output().expect("it runs");
    check(&output, true, "match");
}
