//! `komainu check`: nothing is wrong with this engine, and what is wrong with others is found.

#[cfg(unix)]
mod broken;

use crate::shell::{stderr, stdout};
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

fn check(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_komainu")).arg("check").args(arguments).output().expect("the binary runs")
}

/// Items that take no clock and little time.
const QUICK: &str = "U1-U4,U6,U8-U11,U13,U14,U16,U17,U20,U23-U31,U35,U36,U38,U40,U42,U45-U51,U53-U55,U59,U63-U65,\
                     U67,U68,U73,U77,U87,U88,U93,U97-U100";

#[test]
fn nothing_is_wrong_with_this_engine() {
    let started = Instant::now();
    let output = check(&[&quoted(), "--option", "USI_Hash=16", "--items", QUICK]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let last = text.lines().last().unwrap();
    assert!(last.ends_with(" 0 failed, 0 skipped") || last.contains(" 0 failed, 2 skipped"), "{text}");
    assert!(text.starts_with("U1 PASS "), "{text}");
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

/// The path of this engine, as a shell would need it.
fn quoted() -> String {
    format!("'{}'", env!("CARGO_BIN_EXE_komainu"))
}

#[test]
fn every_item_is_listed_with_what_is_left_out() {
    let output = check(&["--list"]);
    let text = stdout(&output);
    assert!(output.status.success());
    assert_eq!(text.lines().filter(|line| line.starts_with('U')).count(), 100);
    assert!(text.contains("U1 should ") && text.contains("U55 must ") && text.contains("U12 nice "), "{text}");
    let in_part = text.lines().filter(|line| line.contains(" - not checked: ")).count();
    assert_eq!(text.lines().last(), Some(format!("100 items, {in_part} of them checked in part").as_str()));
    assert_eq!(stdout(&check(&["--list", "--items", "U7,U9-U10"])).lines().count(), 4);
}

#[test]
fn bad_usage_is_named_in_one_line() {
    let komainu = quoted();
    for (arguments, named) in [
        (&["no such engine"][..], "no such engine"),
        (&[&komainu, "--items", "U0"], "U0"),
        (&[&komainu, "--option", "Threads"], "Threads"),
        (&["'"], "not a command"),
        (&[], "ENGINE"),
    ] {
        let output = check(arguments);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.lines().count() == 1 && message.contains(named), "{message}");
    }
}

/// Seconds of silence after which an engine counts as silent. Broken engines are programs of tests, which load much,
/// and a busy machine keeps them waiting; what waits for nothing is not slower for it.
#[cfg(unix)]
const SILENCE: &str = "10";

/// The items that fail and what is said of them.
#[cfg(unix)]
fn failures(fault: &str, items: &str) -> Vec<(String, String)> {
    let name = format!("check-{fault}-{}.json", items.replace(',', "_"));
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let engine = broken::command(fault);
    let arguments = [&engine, "--patience", SILENCE, "--option", "USI_Hash=8", "--items", items, "--json"];
    // Those of an earlier run are not these.
    _ = std::fs::remove_file(&file);
    let output = check(&[&arguments[..], &[file.to_str().unwrap()]].concat());
    let written = std::fs::read(&file).unwrap_or_else(|_| panic!("{fault}: {}", stderr(&output)));
    let results: Value = serde_json::from_slice(&written).unwrap();
    let items = results["items"].as_array().unwrap().iter();
    let failed = items.filter(|item| item["verdict"] == "FAIL");
    let text = |value: &Value| value.as_str().unwrap().to_string();
    let failures: Vec<_> = failed.map(|item| (text(&item["item"]), text(&item["detail"]))).collect();
    assert_eq!(output.status.code(), Some(i32::from(!failures.is_empty())), "{fault}: {failures:?}");
    failures
}

#[cfg(unix)]
#[test]
fn every_kind_of_fault_is_found_and_no_other() {
    let table = include_str!("../../../tests/data/broken-engines.txt");
    let rows: Vec<&str> = table.lines().filter(|row| !row.starts_with('#')).collect();
    assert_eq!(rows.len(), 31);
    // One after the other in a few threads: each engine waits more than it works.
    std::thread::scope(|scope| {
        for start in 0..4 {
            let rows = &rows;
            scope.spawn(move || rows.iter().skip(start).step_by(4).for_each(|row| find(row)));
        }
    });
}

#[cfg(unix)]
fn find(row: &str) {
    let [fault, items, expected, said] = row.split('|').map(str::trim).collect::<Vec<_>>()[..] else { panic!("{row}") };
    let failures = failures(fault, items);
    let failed: Vec<&str> = failures.iter().map(|(item, _)| item.as_str()).collect();
    assert_eq!(failed.join(" "), expected, "{fault}: {failures:?}");
    assert!(failures.is_empty() || failures[0].1.contains(said), "{fault}: {failures:?}");
}

#[cfg(unix)]
#[test]
fn an_engine_that_is_not_ready_in_time_is_told_in_one_line() {
    std::thread::scope(|scope| {
        for (fault, owed) in [("usiok", "no usiok within 2 s of \"usi\""), ("hang", "no usiok within 2 s of \"usi\"")] {
            scope.spawn(move || {
                let engine = broken::command(fault);
                let output = check(&[&engine, "--patience", "2"]);
                let told = stderr(&output);
                assert_eq!(
                    (output.status.code(), told.lines().count(), stdout(&output)),
                    (Some(1), 1, String::new()),
                    "{told}"
                );
                assert!(
                    told.contains(owed) && told.contains("100 items not tried (--patience SECONDS"),
                    "{fault}: {told}"
                );
            });
        }
    });
    // One that says nothing after isready, and one that takes a second, whose patience decides.
    let slow = "sh -c 'while read -r line; do case $line in usi) echo usiok;; isready) sleep 1; echo readyok;; go*) echo bestmove resign;; quit) exit;; esac; done'";
    let never = slow.replace("echo readyok", "sleep 60");
    let told = stderr(&check(&[&never, "--patience", "1"]));
    assert!(told.contains("no readyok within 1 s of \"isready\": 100 items not tried"), "{told}");
    let output = check(&[slow, "--patience", "8", "--items", "U2"]);
    assert!(stdout(&output).starts_with("U2 "), "{output:?}");
}

#[cfg(unix)]
#[test]
fn an_engine_that_dies_is_told_in_one_line_with_the_step_and_its_last_words() {
    let engine = |at: &str, dies: &str| {
        let script = "usi) echo usiok;; isready) echo readyok;; position*) ;; go*) echo bestmove resign;; quit) exit;;";
        let script = script.replacen(at, &format!("{at} {dies};"), 1);
        format!("sh -c 'while read -r line; do case $line in {script} esac; done'")
    };
    let dies = "echo reading >&2; echo no such net >&2; exit 3";
    let told = "exit status: 3: \"no such net\"";
    for (command, step, how) in [
        ("sh -c 'echo no such net >&2; exit 3'".to_string(), "usi", told),
        (engine("usi)", dies), "usi", told),
        (engine("isready)", dies), "isready", told),
        (engine("position*)", dies), "go nodes 500", told),
        (engine("go*)", dies), "go nodes 500", told),
        // Rubbish and a peaceful end are no answer, and who is killed has no words.
        (engine("usi)", "printf \"rub\\377bish\\n\"; exit 0"), "usi", "exit status: 0"),
        (engine("isready)", "kill -9 $$"), "isready", "signal: 9 (SIGKILL)"),
        (engine("go*)", "exec >&-; sleep 9"), "go nodes 500", "it closed its output"),
    ] {
        let output = check(&[&command, "--patience", "2", "--items", "U1-U20"]);
        let told = String::from_utf8(output.stderr.clone()).unwrap();
        assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(1), ""), "{step}: {output:?}");
        let expected = format!("the engine ended after \"{step}\" ({how}): 20 items not tried\n");
        assert!(told.ends_with(&expected) && told.lines().count() == 1, "{told}");
    }
    // One that knows other limits than nodes is alive.
    let output = check(&[&engine("go*)", "case $line in *nodes*) exit 3;; esac"), "--patience", "2", "--items", "U2"]);
    assert!(stdout(&output).starts_with("U2 "), "{output:?}");
}

#[cfg(unix)]
#[test]
fn a_mate_that_is_shown_is_played_out() {
    assert_eq!(failures("found", "U87,U91"), []);
    let failures = failures("found", "U88,U92");
    assert!(failures[0].1.starts_with("\"checkmate 1c1b\" where only a pawn drop mates"), "{failures:?}");
}

#[cfg(unix)]
#[test]
fn a_transcript_shows_what_was_said() {
    let text = stdout(&check(&[&broken::command("two"), "--items", "U55", "--verbose"]));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("U55 FAIL every go is answered once - "), "{text}");
    assert!(lines.iter().any(|line| line.ends_with(" > go nodes 300")), "{text}");
    assert!(lines.iter().filter(|line| line.contains(" < bestmove ")).count() >= 2, "{text}");
    assert_eq!(*lines.last().unwrap(), "0 passed, 1 failed, 0 skipped");
}

#[cfg(unix)]
#[test]
fn a_slow_start_fails_no_later_item() {
    _ = std::fs::remove_file(broken::slow_start_mark());
    let engine = broken::command("slow");
    let output = check(&[&engine, "--patience", "4", "--items", "U23,U24"]);
    let text = stdout(&output);
    // The first start is the one that finds out which limits the engine obeys; it is held against no item.
    assert!(text.contains("U24 PASS "), "{text}");
    assert!(text.ends_with("2 passed, 0 failed, 0 skipped\n"), "{text}");
}

#[cfg(unix)]
#[test]
fn items_are_printed_as_they_end_and_an_interrupt_keeps_them() {
    use std::io::{BufRead, BufReader, Read};
    let mut command = Command::new(env!("CARGO_BIN_EXE_komainu"));
    // U96 listens for three seconds.
    command.args(["check", &quoted(), "--items", "U26,U96"]).stdout(std::process::Stdio::piped());
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().expect("the binary runs");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    let first = lines.next().expect("a line");
    assert!(first.starts_with("U26 PASS ") && first.ends_with(" [should]"), "{first}");
    assert!(child.try_wait().expect("the child can be asked").is_none(), "it is still at it");
    crate::shell::signal(&child, "-INT");
    assert_eq!(lines.last().as_deref(), Some("1 passed, 0 failed, 0 skipped"));
    assert_eq!(child.wait().expect("the child ends").code(), Some(130));
    let mut told = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut told).expect("UTF-8");
    assert!(told.ends_with("komainu: interrupted after 1 of 2 items\n"), "{told}");
}
