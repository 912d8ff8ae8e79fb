//! An engine whose options decide how long it holds out: the test program itself.

use std::fs;
use std::io::{BufRead, Write, stdin, stdout};
use std::path::{Path, PathBuf};

/// Pushes of pawns from the start position, none of which meet.
const PUSHES: [[&str; 7]; 2] = [
    ["9g9f", "8g8f", "6g6f", "5g5f", "4g4f", "2g2f", "1g1f"],
    ["9c9d", "8c8d", "6c6d", "5c5d", "4c4d", "2c2d", "1c1d"],
];

/// The best values of `Level` and of `Rate`.
pub(crate) const BEST: [f64; 2] = [70.0, 150.0];

/// Command of such an engine, which adds every line that it gets to `NAME.log`. Words in `habits`: `leaves` ends it
/// after each game, `slow` has it wait for 20 ms before a move.
pub(crate) fn command(folder: &Path, name: &str, habits: &str) -> String {
    let path = folder.join(format!("{name}.habits"));
    fs::write(&path, habits).expect("it can be written");
    crate::scripted::command_of("tune::engine::tuned_engine", &path)
}

/// Not a test, but the engine. In a game it pushes as many pawns as its options are near to their best values, at most
/// seven, and then resigns: the better of two wins with either colour, and equal ones win a game each.
#[test]
#[ignore = "this is the engine that tests of tunings start"]
fn tuned_engine() {
    let path = PathBuf::from(std::env::args().next_back().expect("the habits are the last argument"));
    let Ok(habits) = fs::read_to_string(&path) else { return };
    let log = fs::OpenOptions::new().create(true).append(true).open(path.with_extension("log"));
    let mut log = log.expect("the log is written");
    let mut values = [10.0, 150.0];
    let mut moves = 0;
    say("");
    for line in stdin().lock().lines().map_while(Result::ok) {
        // In one piece: several of these engines share the log.
        log.write_all(format!("{line}\n").as_bytes()).expect("the log is written");
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["usi"] => say("id name Tuned\noption name Level type spin default 10 min 0 max 100\n\
                 option name Rate type spin default 150 min 0 max 200\noption name Words type string default 1.5\n\
                 option name Hash type spin default 16 min 1 max 64\n\
                 option name Mode type combo default a var a var b\nusiok"),
            ["setoption", "name", "Level", "value", value] => values[0] = value.parse().expect("a number"),
            ["setoption", "name", "Rate", "value", value] => values[1] = value.parse().expect("a number"),
            ["isready"] => say("readyok"),
            ["position", ..] => moves = words.iter().skip_while(|word| **word != "moves").skip(1).count(),
            ["go", ..] => {
                let distance: f64 = values.iter().zip(BEST).map(|(value, best)| (value - best).abs() / 10.0).sum();
                if habits.contains("slow") {
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
                match PUSHES[moves % 2].get(moves / 2) {
                    Some(push) if ((moves / 2) as f64) < 7.0 - distance => say(&format!("bestmove {push}")),
                    _ => say("bestmove resign"),
                }
            }
            ["gameover", ..] if habits.contains("leaves") => return,
            ["quit"] => return,
            _ => {}
        }
    }
}

fn say(text: &str) {
    let mut out = stdout();
    _ = writeln!(out, "{text}").and_then(|()| out.flush());
}
