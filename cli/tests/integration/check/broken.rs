//! Engines with one fault each: Komainu itself, with something wrong between it and whoever speaks to it.

use std::fs::OpenOptions;
use std::io::{self, BufRead, Read, Write, stdin};
use std::process::exit;
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::Duration;

/// The variable that names the fault.
const FAULT: &str = "BROKEN_ENGINE";

/// The command of an engine with this fault: this program, which runs one ignored test and nothing else.
///
/// The harness of that test writes to standard output, so it is sent away; the engine writes to where it went before.
pub(crate) fn command(fault: &str) -> String {
    let program = std::env::current_exe().expect("this program has a path");
    let run = "--exact check::broken::broken_engine --ignored --nocapture --test-threads 1";
    let script = format!("{FAULT}={fault} exec \"{}\" {run} 3>&1 >/dev/null", program.display());
    format!("sh -c '{script}'")
}

/// Not a test, but the engine.
#[test]
#[ignore = "this is the broken engine that other tests start"]
fn broken_engine() {
    let Ok(fault) = std::env::var(FAULT) else { return };
    let mut output = OpenOptions::new().write(true).open("/dev/fd/3").expect("the output is open");
    if fault == "banner" {
        writeln!(output, "Broken Engine 1.0").expect("the output is open");
    }
    let asked = Arc::new(Mutex::new(String::new()));
    let input = Input { fault: fault.clone(), asked: Arc::clone(&asked), line: Vec::new(), taken: 0 };
    // Nobody may be left who reads.
    _ = komainu::usi::run(input, Output { fault, asked, output, line: Vec::new() });
}

/// What the engine hears.
struct Input {
    fault: String,
    asked: Arc<Mutex<String>>,
    line: Vec<u8>,
    taken: usize,
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.line.len() {
            let mut line = Vec::new();
            if stdin().lock().read_until(b'\n', &mut line)? == 0 {
                return Ok(0);
            }
            self.line = self.heard(line);
            self.taken = 0;
        }
        let count = buffer.len().min(self.line.len() - self.taken);
        buffer[..count].copy_from_slice(&self.line[self.taken..self.taken + count]);
        self.taken += count;
        Ok(count)
    }
}

impl Input {
    /// What the engine hears of a line.
    fn heard(&self, line: Vec<u8>) -> Vec<u8> {
        let Ok(text) = std::str::from_utf8(&line) else {
            if self.fault == "utf8" {
                exit(1);
            }
            return line;
        };
        let text = text.trim();
        let before = std::mem::replace(&mut *self.asked.lock().unwrap(), text.to_string());
        let word = text.split(' ').next().unwrap_or_default();
        let heard = match (self.fault.as_str(), word) {
            ("deaf", "stop") | ("position", "position") => "",
            ("early", "go") if text == "go infinite" => "go depth 2",
            ("ponders", "go") if text.starts_with("go ponder") => "go nodes 100",
            ("clocks", "ponderhit") => "ponderhit",
            ("increment", "go") if text.contains("binc") => "go nodes 100",
            ("sfen", "position") if text.ends_with("xyz b - 1") => exit(1),
            ("nodes", "go") if text.contains("nodes") => exit(134),
            ("slow", "usi") => {
                sleep(if is_first_start() { Duration::from_millis(4_500) } else { Duration::from_millis(2_300) });
                text
            }
            ("abort", "setoption") if text.ends_with("abc") => exit(134),
            ("busy", "isready") if before == "isready" => "",
            ("hang", _) => loop {
                std::thread::park();
            },
            ("chatty", "usinewgame") => {
                eprintln!("a new game");
                text
            }
            _ => return line,
        };
        format!("{heard}\n").into_bytes()
    }
}

/// Whether this engine is started for the first time since the test took the mark away.
fn is_first_start() -> bool {
    OpenOptions::new().write(true).create_new(true).open(slow_start_mark()).is_ok()
}

/// The file that tells of an earlier start.
pub(crate) fn slow_start_mark() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("slow-start")
}

/// A report on the third line or a later one with a depth so much smaller.
fn with_depth(line: &str, less: u32) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let number = |word: &str| {
        words.iter().position(|found| *found == word).and_then(|at| words.get(at + 1)?.parse::<u32>().ok())
    };
    match (number("multipv"), number("depth")) {
        (Some(place), Some(depth)) if place >= 3 && depth > less => {
            line.replacen(&format!("depth {depth} "), &format!("depth {} ", depth - less), 1)
        }
        _ => line.to_string(),
    }
}

/// What the engine says.
struct Output {
    fault: String,
    asked: Arc<Mutex<String>>,
    output: std::fs::File,
    line: Vec<u8>,
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend(piece);
            if piece.ends_with(b"\n") {
                let line = String::from_utf8(std::mem::take(&mut self.line)).expect("the engine writes ASCII");
                self.say(line.trim_end_matches('\n'))?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

impl Output {
    /// Writes what becomes of a line.
    fn say(&mut self, line: &str) -> io::Result<()> {
        let asked = self.asked.lock().unwrap().clone();
        let word = line.split(' ').next().unwrap_or_default();
        let is_spin = line.starts_with("option name MultiPV ");
        let said = match (self.fault.as_str(), word) {
            ("usiok", "usiok") => return Ok(()),
            ("blank", "readyok") => "readyok ".to_string(),
            ("option", "option") if is_spin => "option name MultiPV type spin default one min 1 max 5".to_string(),
            ("range", "option") if is_spin => "option name MultiPV type spin default 9 min 1 max 5".to_string(),
            ("named", "option") if is_spin => "option name Multi PV type spin default 1 min 1 max 5".to_string(),
            ("garbage", "info") => format!("{line} string \u{6B69}"),
            ("illegal", "bestmove") => "bestmove 5e5f".to_string(),
            ("two", "bestmove") => format!("{line}\n{line}"),
            ("mate", "checkmate") => "bestmove 7g7f".to_string(),
            ("found", "checkmate") => format!("checkmate {}", "1c1b"),
            ("claims", "checkmate") => "checkmate nomate".to_string(),
            ("repetition", "info") => line.replace(" score cp 0 ", " score cp 900 "),
            ("sign", "info") => line.replace(" score mate ", " score mate -").replace("--", ""),
            ("zero", "info") => line.replace(" score mate 1 ", " score mate 0 "),
            ("pv", "bestmove") => format!("info string done\n{line}"),
            ("late", "bestmove") if asked.contains("byoyomi 1000") => {
                sleep(Duration::from_millis(1_200));
                line.to_string()
            }
            ("behind", "info") => with_depth(line, 1),
            ("far", "info") => with_depth(line, 3),
            ("unknown", "info") if line.starts_with("info string") => line["info string ".len()..].to_string(),
            ("flood", "bestmove") => loop {
                writeln!(self.output, "info depth 1 nodes 1 string more and more")?;
            },
            ("endless", "bestmove") => loop {
                write!(self.output, "info string more and more ")?;
            },
            _ => line.to_string(),
        };
        // In one piece: two answers come together.
        self.output.write_all(format!("{said}\n").as_bytes())
    }
}
