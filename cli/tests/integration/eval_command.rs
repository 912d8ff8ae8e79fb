//! `komainu eval`: the numbers of a net as other programs can compare them.

#[allow(dead_code)]
#[path = "../../../tests/integration/nnue/nets.rs"]
mod nets;
#[path = "../../../tests/integration/nnue/oracle.rs"]
mod oracle;

use crate::shell::{Folder, run, stderr, stdout};
use nets::{Kind, SPECIAL, random_net};
use oracle::Oracle;
use std::process::Output;

fn eval(arguments: &[&str]) -> Output {
    run(&[&["eval"], arguments].concat())
}

fn lines(output: &Output) -> Vec<String> {
    assert!(output.status.success(), "{output:?}");
    stdout(output).lines().map(str::to_string).collect()
}

#[test]
fn each_line_of_a_suite_has_the_output_of_a_second_implementation() {
    let bytes = random_net(Kind::KP, false, 9);
    let oracle = Oracle::new(Kind::KP, &bytes);
    let folder = Folder::new("eval-command");
    let net = folder.write("kp.bin", &bytes);
    let text: String = SPECIAL.iter().map(|sfen| format!("# a comment\n\n{sfen} ;D1 5\r\n")).collect();
    let suite = folder.write("suite.txt", text);
    for (scale, flags) in [(16, &[][..]), (24, &["--fv-scale", "24"])] {
        let arguments = [&["--suite", &suite, "--net", &net], flags].concat();
        let expected: Vec<String> = SPECIAL
            .iter()
            .map(|sfen| oracle.output(sfen))
            .map(|raw| format!("cp {} raw {raw}", raw / scale * 100 / 90))
            .collect();
        assert_eq!(lines(&eval(&arguments)), expected, "FV_SCALE {scale}");
        for (sfen, line) in SPECIAL.iter().zip(&expected).take(2) {
            let arguments = [&["--sfen", *sfen, "--net", &net], flags].concat();
            assert_eq!(lines(&eval(&arguments)), [line.as_str()]);
        }
    }
}

#[test]
fn without_a_file_the_built_in_net_evaluates_for_the_side_to_move() {
    let line = |arguments: &[&str]| lines(&eval(arguments)).join("|");
    let ahead = line(&["--sfen", "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1"]);
    let behind = line(&["--sfen", "4k4/9/9/9/9/9/9/9/4K4 w 2R2B4G4S4N4L18P 1"]);
    assert!(ahead.starts_with("cp ") && ahead.contains(" raw "), "{ahead}");
    assert!(behind.starts_with("cp -") && behind.contains(" raw -"), "{behind}");
}

#[test]
fn what_is_no_position_or_no_net_is_named() {
    let refused = |arguments: &[&str], code: i32, named: &str| {
        let output = eval(arguments);
        let text = stderr(&output);
        assert_eq!((output.status.code(), text.lines().count()), (Some(code), 1), "{arguments:?}: {text}");
        assert!(output.stdout.is_empty() && text.contains(named), "{arguments:?}: {text}");
    };
    let folder = Folder::new("eval-command-refused");
    let suite = folder.write("bad.txt", "4k4/9/9/9/9/9/9/9/4K4 b - 1\n9/9 b - 1\n");
    refused(&["--suite", &suite], 1, "bad.txt:2: ");
    refused(&["--suite", "no/such/file"], 2, "no/such/file");
    refused(&["--sfen", "9/9 q - 1"], 2, "--sfen");
    refused(&["--sfen", "startpos 7g7f"], 2, "\"7g7f\"");
    refused(&["--sfen", "startpos", "--net", "no/such/net"], 2, "no/such/net");
    refused(&["--sfen", "startpos", "--fv-scale", "24"], 2, "--eval-file");
    refused(&[], 2, "--sfen");
}
