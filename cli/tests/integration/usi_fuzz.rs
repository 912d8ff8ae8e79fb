//! Random conversations: grammar, damaged grammar and plain bytes. Whatever is sent, the engine lives, answers within
//! two seconds, keeps to the grammar of the protocol, answers each `go` once, and its memory stays what it was.
//!
//! `KOMAINU_FUZZ_LINES` sets how many lines are sent, `KOMAINU_FUZZ_SEED` which ones.

use crate::bad_input::expanded;
use crate::engine::Engine;
use crate::oracle::play::random_game;
use komainu::protocol::Command;
use komainu::random::SplitMix64;
use komainu::types::Move;
use komainu::usi::options::{OptionKind, TABLE};
use komainu_tools::conformance::grammar::Checker;
use std::time::Duration;

/// Nothing may take longer than this, without the wait for a core; a test machine may be three times as slow as it
/// should be.
const HANG: Duration = Duration::from_secs(6);
/// Silence that no load explains.
const DEAD: Duration = Duration::from_secs(120);

/// Lines that a GUI, a bridge, a person or a cat might send.
struct Host {
    random: SplitMix64,
    /// The arguments of `position`.
    positions: Vec<String>,
}

/// The lines below a heading of the table, and an empty one.
fn table(heading: &str) -> Vec<&'static str> {
    let text = include_str!("../../../tests/data/usi-fuzz.txt");
    let (_, lines) = text.split_once(&format!("[{heading}]\n")).expect("the heading is there");
    lines.lines().take_while(|line| !line.starts_with('[')).chain([""]).collect()
}

/// Numbers of threads and megabytes that a test can afford.
const SMALL: [&str; 6] = ["1", "2", "0", "-1", "abc", ""];

impl Host {
    fn new(seed: u64) -> Host {
        let mut positions: Vec<String> = table("positions").into_iter().map(str::to_string).collect();
        for game in 0..60 {
            let mut moves: Vec<Move> = Vec::new();
            let mut start = String::new();
            random_game(seed, game, |pos| {
                if moves.is_empty() {
                    start = pos.to_sfen();
                }
                moves.extend(pos.last_move());
                if moves.len() % 20 == 10 {
                    let list: Vec<String> = moves.iter().map(Move::to_string).collect();
                    positions.push(format!("sfen {start} moves {}", list.join(" ")));
                }
            });
        }
        Host { random: SplitMix64(seed), positions }
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.random.below(items.len())]
    }

    /// A line that is meant well.
    fn line(&mut self) -> String {
        match self.random.below(10) {
            0..=2 => self.pick(&table("commands")).to_string(),
            3..=5 => self.pick(&table("searches")).to_string(),
            6 | 7 => {
                let index = self.random.below(self.positions.len());
                format!("position {}", self.positions[index])
            }
            _ => self.option(),
        }
    }

    fn option(&mut self) -> String {
        let spec = TABLE[self.random.below(TABLE.len())];
        let value = match (spec.name, spec.kind) {
            ("USI_Hash" | "Threads", _) => self.pick(&SMALL),
            // No file is written.
            ("DebugLogFile", _) => "",
            (_, OptionKind::Combo { values, .. }) => self.pick(values),
            _ => self.pick(&table("values")),
        };
        match self.random.below(20) {
            0 => format!("setoption name {}", spec.name),
            1 => format!("setoption {} {value}", spec.name.replace("Hash", "").replace("Threads", "")),
            _ => format!("setoption name {} value {value}", spec.name),
        }
    }

    /// A line with some of its bytes or words changed.
    fn damaged(&mut self, line: &str) -> Vec<u8> {
        let mut bytes = line.as_bytes().to_vec();
        for _ in 0..=self.random.below(4) {
            let at = self.random.below(bytes.len() + 1);
            match self.random.below(5) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, self.random.next_u64() as u8),
                2 if at < bytes.len() => _ = bytes.remove(at),
                3 if at < bytes.len() => bytes[at] = self.random.next_u64() as u8,
                4 => bytes.extend_from_within(..at.min(bytes.len())),
                _ => {}
            }
        }
        bytes
    }

    /// The bytes of a line, its end included.
    fn bytes(&mut self) -> Vec<u8> {
        let line = self.line();
        let mut bytes = match self.random.below(12) {
            0..=2 => self.damaged(&line),
            3 => (0..self.random.below(120)).map(|_| self.random.next_u64() as u8).collect(),
            4 if self.random.below(400) == 0 => line.repeat(10_000).into_bytes(),
            _ => line.into_bytes(),
        };
        bytes.extend_from_slice(if self.random.below(8) == 0 { b"\r\n" } else { b"\n" });
        // The end of the session is no part of these tests, nor are tables and threads beyond all bounds, nor files,
        // nor a bench that takes seconds.
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        let is_costly = |line: &str| match Command::read(line) {
            Command::Quit => true,
            Command::Bench(depth) => depth.parse().map_or(depth.is_empty(), |depth: usize| depth > 3),
            Command::SetOption { name, value } => match name.as_str() {
                "usi_hash" | "hash" | "threads" => !SMALL.contains(&value.unwrap_or_default().as_str()),
                "debuglogfile" => value.is_some(),
                _ => false,
            },
            _ => false,
        };
        if text.lines().any(is_costly) { b"isready\n".to_vec() } else { bytes }
    }
}

/// What was said in a round, for a test that fails.
#[derive(Default)]
struct Round {
    lines: Vec<String>,
}

impl Round {
    fn fail(&self, what: &str, seed: u64) -> ! {
        let said: Vec<String> = self.lines.iter().map(|line| line.chars().take(300).collect()).collect();
        panic!("{what}\nseed {seed}, after:\n{}", said.join("\n"));
    }
}

/// Sends about this many lines in rounds; after each the engine must have answered everything.
fn converse(engine: &mut Engine, lines: usize, seed: u64) {
    let mut host = Host::new(seed);
    let mut checker = Checker::default();
    let say = |engine: &mut Engine, checker: &mut Checker, text: &str| {
        engine.send(text);
        for line in text.lines() {
            checker.command(line);
        }
    };
    say(engine, &mut checker, &format!("{SIZES}position startpos"));
    let mut sent = 0;
    while sent < lines {
        let mut round = Round::default();
        let count = 1 + host.random.below(30);
        let mut batch = Vec::new();
        for _ in 0..count {
            let bytes = host.bytes();
            for line in bytes.split_inclusive(|&b| b == b'\n') {
                let text = String::from_utf8_lossy(line).into_owned();
                checker.command(text.trim_end_matches(['\r', '\n']));
                round.lines.push(format!("> {text:?}"));
            }
            batch.extend_from_slice(&bytes);
            // Sometimes line by line, sometimes many at once, sometimes broken in the middle.
            if host.random.below(3) == 0 {
                let cut = host.random.below(batch.len() + 1);
                engine.send_bytes(&batch[..cut]);
                engine.send_bytes(&batch[cut..]);
                batch.clear();
            }
        }
        engine.send_bytes(&batch);
        say(engine, &mut checker, "stop\nisready");
        let mut watch = engine.stopwatch();
        while !checker.finish().is_empty() {
            let Some(line) = engine.line_within(DEAD).filter(|_| !watch.exceeds(HANG)) else {
                round
                    .fail(&format!("no end of answers after {:?}, owing {:?}", watch.elapsed(), checker.finish()), seed)
            };
            let faults = checker.answer(&line);
            round.lines.push(format!("< {line}"));
            if !faults.is_empty() {
                round.fail(&format!("{}", faults[0]), seed);
            }
        }
        sent += count + 2;
    }
    // Nothing comes on top of what was owed. Memory is compared after this: it depends on table and threads.
    say(engine, &mut checker, &format!("{SIZES}isready"));
    while !checker.finish().is_empty() {
        let line = engine.line_within(DEAD).expect("an answer");
        assert_eq!(checker.answer(&line), [], "{line}");
    }
    engine.assert_silent(100);
}

/// The settings with which a conversation begins and ends.
const SIZES: &str = "setoption name USI_Hash value 1\nsetoption name Threads value 2\n";

/// The bytes of a case of `bad-usi.txt`.
fn unescaped(case: &str) -> Vec<u8> {
    let case = expanded(case);
    let mut parts = case.split('\\');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let length = if part.starts_with('x') { 3 } else { 1 };
        let (code, text) = part.split_at(length);
        bytes.push(match code {
            "n" => b'\n',
            "r" => b'\r',
            "t" => b'\t',
            _ => u8::from_str_radix(&code[1..], 16).expect("two digits stand behind \\x"),
        });
        bytes.extend(text.bytes());
    }
    bytes
}

#[test]
fn input_that_engines_get_wrong_is_survived() {
    let mut engine = Engine::start();
    let mut checker = Checker::default();
    let cases = include_str!("../../../tests/data/bad-usi.txt").lines().filter(|line| !line.starts_with('#'));
    for case in cases {
        let mut bytes = b"position startpos\n".to_vec();
        bytes.extend(unescaped(case));
        bytes.extend(b"\nstop\nsetoption name Threads value 1\nisready\nposition startpos\ngo nodes 300\n");
        for line in bytes.split(|&b| b == b'\n') {
            checker.command(&String::from_utf8_lossy(line));
        }
        engine.send_bytes(&bytes);
        while !checker.finish().is_empty() {
            let line = engine.line_within(Duration::from_secs(30)).unwrap_or_else(|| panic!("silent after {case}"));
            assert_eq!(checker.answer(&line), [], "after {case}");
        }
    }
    engine.quit();
}

fn setting(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn no_line_that_begins_with_go_stays_without_an_answer() {
    const WORDS: &str = "btime wtime binc winc byoyomi movetime nodes depth searchmoves movestogo infinite ponder mate 1000 \
                         1000.5 2e3 -5 0 x 7g7f 7g7e resign 99999999999999999999 １ rtime nan";
    let known: Vec<&str> = WORDS.split(' ').collect();
    let mut random = SplitMix64(setting("KOMAINU_FUZZ_SEED", 3) as u64);
    let mut engine = Engine::ready();
    for _ in 0..400 {
        let count = random.below(7);
        let words: Vec<&str> = (0..count).map(|_| known[random.below(known.len())]).collect();
        let line = format!("go {}", words.join(" "));
        // `stop` ends what is endless or long; what has been answered is not answered again.
        let lines = engine.ask(&format!("position startpos\n{line}\nstop\nisready"), "readyok");
        let answers = lines.iter().filter(|line| line.starts_with("bestmove") || line.starts_with("checkmate")).count();
        assert_eq!(answers, 1, "{line}: {lines:?}");
    }
}

/// Resident memory in kilobytes, and threads; `None` where the system does not tell.
fn size_of(process: u32) -> Option<(u64, u64)> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let number = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name))?;
        line.split_ascii_whitespace().nth(1)?.parse().ok()
    };
    Some((number("VmRSS:")?, number("Threads:")?))
}

#[test]
fn the_engine_survives_whatever_is_sent_and_does_not_grow() {
    let seed = setting("KOMAINU_FUZZ_SEED", 1) as u64;
    let lines = setting("KOMAINU_FUZZ_LINES", 48_000) / 2;
    let mut engine = Engine::start();
    converse(&mut engine, lines, seed);
    let before = size_of(engine.process.id());
    converse(&mut engine, lines, seed + 1);
    if let (Some(before), Some(after)) = (before, size_of(engine.process.id())) {
        assert!(after.0 < before.0 + 20_000, "memory from {} to {} kB", before.0, after.0);
        // Threads of the last search may be about to end; one left over by each would be thousands.
        assert!(after.1 <= before.1 + 10, "threads from {} to {}", before.1, after.1);
    }
    engine.quit();
}

#[test]
fn tables_that_are_given_back_leave_no_memory_taken() {
    let mut engine = Engine::start();
    let mut with = |threads: usize, megabytes: usize| {
        for (name, value) in [("Threads", threads), ("USI_Hash", megabytes)] {
            engine.send(&format!("setoption name {name} value {value}"));
        }
        for (command, answer) in [("isready", "readyok"), ("go nodes 500", "bestmove"), ("go mate 100", "checkmate")] {
            engine.send(command);
            engine.until(answer);
        }
        size_of(engine.process.id())
    };
    let before = with(1, 1);
    for (threads, megabytes) in [(3, 16), (1, 4), (2, 1), (3, 2), (1, 16)] {
        with(threads, megabytes);
    }
    if let (Some((before, _)), Some((after, _))) = (before, with(1, 1)) {
        assert!(after < before + 20_000, "memory from {before} to {after} kB");
    }
    engine.quit();
}

#[test]
fn a_thousand_searches_are_stopped_at_once_with_one_answer_each() {
    let mut engine = Engine::start();
    engine.ask("setoption name Threads value 2\nsetoption name USI_Hash value 8\nisready", "readyok");
    for number in 0..1_000 {
        let lines = engine.ask("position startpos\ngo infinite\nstop\ngameover lose\nisready", "readyok");
        let answers = lines.iter().filter(|line| line.starts_with("bestmove ")).count();
        assert_eq!(answers, 1, "search {number}: {lines:?}");
    }
    engine.assert_silent(50);
}
