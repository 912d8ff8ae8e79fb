//! An engine that does what a script says: the test program itself, started with the script as an argument.

use std::fs;
use std::io::{BufRead, Write, stdin, stdout};
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// Writes a script and returns the command of an engine that follows it.
///
/// Each line is what the engine does at one `go`: a move or `resign` or `win` is answered, `say TEXT` is written as it
/// stands, `score CP MOVE` reports a score first, `infos MOVE TEXT|TEXT` several, words behind `info` with the move as `pv`
/// unless they have one, `wait MS MOVE` answers later, `crash` ends the process, `hang`
/// answers nothing whatever comes, `stop MOVE` answers after `stop` only, `guess MOVE REPLY` asks to ponder. A script
/// that has ended resigns.
pub(crate) fn command(folder: &Path, name: &str, script: &str) -> String {
    let path = folder.join(format!("{name}.script"));
    fs::write(&path, script).expect("the script is written");
    command_of("scripted::scripted_engine", &path)
}

/// The command of an engine that is an ignored test of this program, started with a file as its argument.
pub(crate) fn command_of(test: &str, file: &Path) -> String {
    let program = std::env::current_exe().expect("this program has a path");
    let run = format!("--exact {test} --ignored --nocapture --test-threads 2");
    format!("'{}' {run} '{}'", program.display(), file.display())
}

/// Not a test, but the engine. Every line that it gets is added to a file beside the script.
#[test]
#[ignore = "this is the scripted engine that other tests start"]
fn scripted_engine() {
    let path = PathBuf::from(std::env::args().next_back().expect("the script is the last argument"));
    let Ok(script) = fs::read_to_string(&path) else { return };
    let log = fs::OpenOptions::new().create(true).append(true).open(path.with_extension("log"));
    let mut log = log.expect("the log is written");
    let (sender, lines) = channel();
    std::thread::spawn(move || stdin().lock().lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
    let mut steps = script.lines();
    say("");
    let mut pondered: Option<&str> = None;
    for line in &lines {
        writeln!(log, "{line}").expect("the log is written");
        match line.split(' ').next().unwrap_or_default() {
            "usi" => say("id name Scripted\nid author a test\noption name Style type string default <empty>\n\
                 option name Level type spin default 1 min 1 max 5\nusiok"),
            "setoption" if line.contains("name Style") => say(&format!("info string heard {line}")),
            "isready" => say("readyok"),
            "quit" => return,
            "go" if line.starts_with("go ponder") => pondered = Some(steps.next().unwrap_or("resign")),
            "ponderhit" => step(pondered.take().unwrap_or("resign"), &lines),
            "stop" if pondered.take().is_some() => say("bestmove 1a1b"),
            "go" => step(steps.next().unwrap_or("resign"), &lines),
            _ => {}
        }
    }
}

fn say(text: &str) {
    let mut out = stdout();
    _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

fn step(step: &str, lines: &std::sync::mpsc::Receiver<String>) {
    let (word, rest) = step.split_once(' ').unwrap_or((step, ""));
    let (first, second) = rest.split_once(' ').unwrap_or((rest, ""));
    match word {
        "say" => say(rest),
        "score" => say(&format!("info depth 3 nodes 77 score cp {first} pv {second}\nbestmove {second}")),
        "infos" => {
            for text in second.split('|') {
                let pv = if text.contains(" pv ") { String::new() } else { format!(" pv {first}") };
                say(&format!("info {text}{pv}"));
            }
            say(&format!("bestmove {first}"));
        }
        "guess" => say(&format!("bestmove {first} ponder {second}")),
        "wait" => {
            // Sleeping alone would be late by as much as the system pleases.
            let end = Instant::now() + Duration::from_millis(first.parse().expect("milliseconds"));
            std::thread::sleep(end.saturating_duration_since(Instant::now() + Duration::from_millis(5)));
            while Instant::now() < end {
                std::hint::spin_loop();
            }
            say(&format!("bestmove {second}"));
        }
        "crash" => {
            eprintln!("something is wrong");
            std::process::exit(3)
        }
        "hang" => loop {
            std::thread::park();
        },
        "stop" => {
            while lines.recv().is_ok_and(|line| line != "stop") {}
            say(&format!("bestmove {rest}"));
        }
        mv => say(&format!("bestmove {mv}")),
    }
}
