//! `komainu replay` as a process: good logs in several formats, junk, and engines that misbehave.

use crate::engine::folder;
use crate::shell::{run, stderr, stdout};
use std::fs;
use std::process::Output;

/// Runs `komainu replay` with these arguments.
fn replay(arguments: &[&str]) -> Output {
    run(&[&["replay"], arguments].concat())
}

fn lines(output: &Output) -> Vec<String> {
    assert_eq!(stderr(output), "");
    stdout(output).lines().map(str::to_string).collect()
}

fn data(name: &str) -> String {
    format!("{}/../tests/data/replay/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A log with this content; its path.
fn written(name: &str, content: &[u8]) -> String {
    let path = folder(&format!("log-{name}")).join("a.log");
    fs::write(&path, content).expect("the log is written");
    path.to_str().expect("the path is text").to_string()
}

#[test]
fn logs_of_all_kinds_pass_run_by_run_and_lines_that_are_no_usi_are_counted_and_named() {
    let junk = written(
        "junk",
        b"\xFF\x00\xFE\n> usi\r\n> setoption name X value \x8F\xAB\r\n> nonsense\n= what\n> isready\n< readyok\n",
    );
    for (log, left_out, passed) in [
        (data("komainu.log"), "", 5),
        // A GUI adds lines of its own.
        (data("shogihome.log"), "4 lines left out, since they are no USI: 1, 8, 26, 28", 5),
        // The arrows are the other way round.
        (data("engine-side.log"), "", 4),
        (junk, "2 lines left out, since they are no USI: 1, 5", 2),
    ] {
        let output = replay(&[&log]);
        let mut expected = vec![format!("{log}: {left_out}"), format!("{passed} passed, 0 failed")];
        if left_out.is_empty() {
            expected.remove(0);
        }
        assert_eq!((lines(&output), output.status.code()), (expected, Some(0)), "{log}");
    }
}

#[test]
fn one_of_several_engines_can_be_chosen() {
    let log = data("shogihome.log");
    let output = replay(&[&log, "--session", "2"]);
    assert_eq!(lines(&output).last().map(String::as_str), Some("1 passed, 0 failed"));
    let output = replay(&[&log, "--session", "3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--session \"3\""));
}

#[test]
fn a_file_that_cannot_be_replayed_is_bad_usage() {
    let without = written("no-usi", b"Dear diary\n< usiok\n");
    let start = written("start", b"> usi\n");
    for (arguments, token) in [
        (&["no/such/file"][..], "no/such/file"),
        (&[&without], &without),
        (&[&start, "--engine", "no/such/engine"], "no/such/engine"),
        (&[&start, "--timeout", "0"], "--timeout"),
    ] {
        let output = replay(arguments);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(message.contains(token), "{message}");
    }
}

/// Engines that are shell scripts.
#[cfg(unix)]
mod misbehaving {
    use super::*;
    use crate::shell::Folder;
    use std::time::{Duration, Instant};

    const LOG: &[u8] =
        b"> usi\n< usiok\n> isready\n< readyok\n> position startpos\n> go nodes 9\n< bestmove 7g7f\n> quit\n";

    /// The parts of an engine's main loop that behave.
    const USI: &str = "usi) echo 'id name A'; echo 'id author B'; echo usiok ;;";
    const ISREADY: &str = "isready) echo readyok ;;";
    const GO: &str = "go*) echo 'info score cp 1 pv 7g7f'; echo 'bestmove 7g7f' ;;";
    const QUIT: &str = "quit) exit 0 ;;";

    /// Replays a log with an engine that reads lines and does this with each. Returns the output without the path.
    fn with_engine(name: &str, log: &[u8], cases: &[&str]) -> (Vec<String>, Option<i32>) {
        with_timeout("30", name, log, cases)
    }

    /// The same with another limit for each answer, in seconds.
    fn with_timeout(seconds: &str, name: &str, log: &[u8], cases: &[&str]) -> (Vec<String>, Option<i32>) {
        // A command is read as by a shell: the path has a blank.
        let folder = Folder::new(&format!("replay engine {name}"));
        let cases = cases.join("\n");
        let script = folder.script("engine", &format!("while read -r line; do case $line in\n{cases}\nesac; done"));
        let log = written(name, log);
        let output = replay(&[&log, "--engine", &format!("/bin/sh '{script}'"), "--timeout", seconds]);
        (lines(&output).iter().map(|line| line.replace(&log, "LOG")).collect(), output.status.code())
    }

    #[test]
    fn each_fault_is_named_with_the_line_that_was_fed() {
        let usi = "usi) echo 'id name A'; echo 'option name B C'; echo 'id author B'; echo usiok ;;";
        let go = "go*) echo 'info score cp 1 pv 9a9b'; echo Eureka; echo 'bestmove 9a9b' ;;";
        let (lines, code) = with_engine("faulty", LOG, &[usi, ISREADY, go, "quit) echo why >&2; exit 3 ;;"]);
        assert_eq!(
            lines,
            [
                "LOG:1: option \"C\": not a word of the protocol at this place",
                "LOG:6: info pv \"9a9b\": not legal in the position",
                "LOG:6: line \"Eureka\": begins with no word of the protocol",
                "LOG:6: bestmove \"9a9b\": not legal in the position",
                "LOG:8: the engine ended with exit status: 3",
                "LOG:8: on standard error: \"why\"",
                "1 passed, 3 failed",
            ]
        );
        assert_eq!(code, Some(1));
    }

    #[test]
    fn a_missing_answer_and_an_engine_that_does_not_end_are_faults() {
        let started = Instant::now();
        let (lines, code) = with_timeout("2", "mute", LOG, &[USI, ISREADY, "quit) exec sleep 60 ;;"]);
        assert_eq!(lines, ["LOG:6: no bestmove within 2 s", "LOG:8: no end within 5 s of quit", "2 passed, 2 failed"]);
        assert_eq!(code, Some(1));
        assert!(started.elapsed() < Duration::from_secs(40), "the engine was not left to itself");
    }

    #[test]
    fn an_engine_that_breaks_down_is_a_fault() {
        let (lines, code) = with_engine("broken", LOG, &[USI, "isready) exit 0 ;;"]);
        assert_eq!(lines, ["LOG:3: the engine ended before quit", "LOG:3: readyok: missing", "1 passed, 1 failed"]);
        assert_eq!(code, Some(1));
    }

    #[test]
    fn stop_comes_when_it_came_and_an_early_answer_is_a_fault() {
        let log = b"10:00:00.000 > go infinite\n10:00:00.700 > stop\n10:00:00.701 < bestmove 7g7f\n";
        let started = Instant::now();
        let (lines, _) = with_engine("early", log, &[GO, QUIT]);
        assert!(started.elapsed() >= Duration::from_millis(700), "stop came too soon");
        assert_eq!(lines, ["LOG:1: bestmove \"7g7f\": before stop or ponderhit", "0 passed, 1 failed"]);
        let stop = "stop) echo 'info score cp 1 pv 7g7f'; echo 'bestmove 7g7f' ;;";
        assert_eq!(with_engine("patient", log, &[stop, QUIT]).0, ["1 passed, 0 failed"]);
        // The recorded engine answered too early; one that waits for stop is not to blame.
        let early = b"> go infinite\n< bestmove 7g7f\n> stop\n> quit\n";
        assert_eq!(with_engine("wiser", early, &[stop, QUIT]).0, ["1 passed, 0 failed"]);
    }

    #[test]
    fn full_pipes_do_not_block() {
        let log = [&b"> setoption name A value b\n".repeat(20_000)[..], b"> isready\n< readyok\n"].concat();
        let flood = "isready) i=0; while [ $i -lt 20000 ]; do echo \"info string $i\"; echo $i >&2; i=$((i+1)); done; \
                     echo readyok ;;";
        let (lines, code) = with_engine("flood", &log, &[flood, QUIT]);
        assert_eq!(lines.last().map(String::as_str), Some("1 passed, 0 failed"));
        assert_eq!(code, Some(0));
    }
}
