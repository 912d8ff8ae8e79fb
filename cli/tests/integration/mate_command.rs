//! `komainu mate` as scripts see it.

use crate::shell::{Folder, run, stderr, stdout};
use std::fs;
use std::process::Output;

fn komainu_mate(arguments: &[&str]) -> Output {
    run(&[&["mate"], arguments].concat())
}

fn lines(output: &Output) -> Vec<String> {
    stdout(output).lines().map(str::to_string).collect()
}

const IN_ONE: &str = "8k/9/7GG/9/9/9/9/9/9 b - 1";
const NONE: &str = "7nk/6+P2/9/7N1/9/9/9/9/9 b P 1";

#[test]
fn a_position_is_answered_in_the_last_line() {
    for (sfen, start, code) in [(IN_ONE, "mate 1 exact nodes ", 0), (NONE, "nomate nodes ", 0)] {
        let output = komainu_mate(&["--sfen", sfen, "--shortest", "--hash", "16"]);
        assert_eq!(output.status.code(), Some(code));
        assert!(lines(&output).last().unwrap().starts_with(start), "{output:?}");
        assert!(output.stderr.is_empty());
    }
    let large = "+r2S5/4p2+B1/9/6+p+r1/3N1P1S1/2+l6/k1G6/1+p4pG1/1BS3PN1 b G3LPgs2n11p 1";
    let output = komainu_mate(&["--sfen", large, "--nodes", "1000", "--hash", "16"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(lines(&output).last().unwrap().starts_with("unknown: out of nodes nodes 1000"), "{output:?}");
}

#[test]
fn futile_interpositions_are_left_out_on_request() {
    let afar = "7lk/9/7G1/9/4R4/9/9/9/9 b r2b3g4s4n3l18p 1";
    let output = komainu_mate(&["--sfen", afar, "--shortest", "--omit-futile", "--hash", "16"]);
    let text = lines(&output);
    assert_eq!(text[..2], ["1 of 7 plies without futile interpositions", "5e1e"], "{text:?}");
    assert!(text[2].starts_with("mate 7 exact nodes "), "{text:?}");
    let output = komainu_mate(&["--sfen", afar, "--shortest", "--hash", "16"]);
    assert!(lines(&output).iter().any(|line| line.starts_with("5e1e ") && line.split(' ').count() == 7), "{output:?}");
}

#[test]
fn a_suite_names_each_failure_and_exits_with_1() {
    let folder = Folder::new("mate-suite");
    let file = |name: &str, text: String| {
        folder.write(name, text);
        folder.text(name)
    };
    let good = file("good", format!("# comment\n\n{IN_ONE} ;mate 1\r\n{NONE} ;nomate\n"));
    for threads in ["1", "2", "0"] {
        let output = komainu_mate(&["--suite", &good, "--shortest", "--hash", "16", "--threads", threads]);
        assert_eq!((output.status.code(), lines(&output).last().unwrap().as_str()), (Some(0), "2 passed, 0 failed"));
    }
    let bad =
        file("bad", format!("{IN_ONE} ;mate 3\n{IN_ONE} ;nomate\n{NONE} ;mate 1\n{NONE} ;mate 2\n{NONE}\n9 ;mate 1\n"));
    let output = komainu_mate(&["--suite", &bad, "--shortest", "--hash", "16"]);
    let text = lines(&output);
    assert_eq!((output.status.code(), text.last().unwrap().as_str()), (Some(1), "0 passed, 6 failed"));
    for (number, what) in
        [(1, "expected mate 3"), (2, "expected nomate"), (3, "expected mate 1"), (4, "\"mate 2\""), (5, "no ;mate N")]
    {
        let start = format!("bad:{number}: ");
        assert!(text.iter().any(|line| line.contains(&start) && line.contains(what)), "{number}: {text:?}");
    }
}

#[test]
fn a_proof_is_written_and_checked() {
    let folder = Folder::new("mate-proof");
    let path = &folder.text("proof");
    assert!(komainu_mate(&["--sfen", IN_ONE, "--proof", path, "--hash", "16"]).status.success());
    let output = komainu_mate(&["--check", path]);
    assert_eq!(lines(&output).last().unwrap(), "mate 1 proved by 1 position");
    fs::write(path, "komainu proof 1\n8k/9/7GG/9/9/9/9/9/9 b -\n").unwrap();
    let output = komainu_mate(&["--check", path]);
    assert_eq!(output.status.code(), Some(1));
    assert!(lines(&output).last().unwrap().contains("a defence is not answered"));
}

#[test]
fn bad_usage_exits_with_2_and_names_the_token() {
    for (arguments, named) in [
        (&[][..], "--sfen"),
        (&["--sfen", "9/9 q - 1"], "\"q\""),
        (&["--sfen", "startpos 7g7f"], "\"7g7f\""),
        (&["--suite", "no/such/file"], "no/such/file"),
        (&["--check", "no/such/file"], "no/such/file"),
        (&["--sfen", "startpos", "--hash", "1048576"], "--hash 1048576"),
        (&["--sfen", "startpos", "--time", "soon"], "soon"),
    ] {
        let output = komainu_mate(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let text = stderr(&output);
        assert!(text.lines().count() == 1 && text.contains(named), "{text}");
    }
}
