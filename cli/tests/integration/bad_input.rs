//! A million damaged SFENs and `position` lines: none panics, every refusal names what is wrong in one line that can be
//! read, and whatever is accepted is a sound position.

use crate::oracle::play::random_game;
use crate::shell::is_tidy;
use crate::stopwatch::Stopwatch;
use komainu::movegen::{All, IllegalMove, count, generate};
use komainu::notation::usi::{MoveError, PositionError, parse_position};
use komainu::position::{Handicap, Position, SfenError, SfenFault};
use komainu::random::SplitMix64;
use komainu::types::Color;
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

/// Seed of everything here; a case also depends on its number.
const SEED: u64 = 0x0BAD_4900;
/// Damaged SFENs, and damaged `position` lines.
const CASES: usize = 400_000;
/// Accepted positions of which one is looked at closely.
const SAMPLE: usize = 3;
/// The most moves of a position with both kings, and of any board that is accepted.
const MAX_MOVES: [usize; 2] = [593, 636];

/// Bytes that mean something in a SFEN or a move, and some that never do.
const BYTES: &[u8] = b"PLNSGBRKplnsgbrkabcdefghi0123456789+*-/ wbw\t\r\n\0\x0b\x1b\x7f\"\\'{}%x_.,:;\xc3\xe6\xff";

/// What is put in whole.
const PIECES_OF_TEXT: [&str; 20] = [
    "\u{ff17}\u{516d}\u{6b69}",
    "\u{10ffff}",
    "\u{202e}",
    "\u{3000}",
    "\u{feff}",
    "e\u{301}",
    "99999999999999999999999999999999999999",
    "18446744073709551616",
    "4294967296",
    "-1",
    "startpos",
    "sfen",
    "moves",
    " moves ",
    "0000",
    "resign",
    "7g7f",
    "+",
    "++",
    "/9/9/",
];

/// Valid lines: positions of games, and games up to them.
fn valid_lines() -> Vec<String> {
    let mut lines = Vec::new();
    for game in 0..100 {
        let mut start = String::new();
        let mut moves = Vec::new();
        let cut = 1 + game * 7 % 60;
        random_game(SEED, game, |pos| {
            match pos.last_move() {
                None => start = pos.to_sfen(),
                Some(mv) => moves.push(mv.to_string()),
            }
            if moves.len() == cut || moves.len() == 3 * cut {
                lines.push(format!("sfen {}", pos.to_sfen()));
                if moves.len() == cut {
                    lines.push(format!("sfen {start} moves {}", moves.join(" ")));
                }
            }
        });
    }
    lines.extend(Handicap::ALL.map(|handicap| format!("sfen {}", handicap.sfen())));
    lines.push("startpos".to_string());
    lines.push("startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e".to_string());
    lines.push("startpos moves 7g7f 3c3d 2g2f 4c4d 3i4h 8b4b 5i6h 5a6b 6h7h 6b7b".to_string());
    lines
}

/// Does one kind of damage.
fn damage(text: &mut Vec<u8>, lines: &[String], random: &mut SplitMix64) {
    let at = random.below(text.len() + 1);
    let some = |random: &mut SplitMix64| BYTES[random.below(BYTES.len())];
    let range = |random: &mut SplitMix64, len: usize| {
        let start = random.below(len + 1);
        start..(start + random.below(12)).min(len)
    };
    match random.below(12) {
        0 | 1 if at < text.len() => text[at] ^= 1 << random.below(8),
        2 | 3 if at < text.len() => text[at] = some(random),
        4 => text.insert(at, some(random)),
        5 if at < text.len() => _ = text.remove(at),
        6 => {
            let range = range(random, text.len());
            text.drain(range);
        }
        7 => {
            // A part twice, at times very often.
            let part = text[range(random, text.len())].to_vec();
            let times = if random.below(40) == 0 { 200 } else { 1 + random.below(3) };
            text.splice(at..at, part.repeat(times));
        }
        8 => {
            let part = PIECES_OF_TEXT[random.below(PIECES_OF_TEXT.len())];
            text.splice(at..at, part.bytes());
        }
        9 => text.truncate(at),
        _ => damage_tokens(text, lines, random),
    }
}

/// Swaps, drops, repeats or replaces whole tokens.
fn damage_tokens(text: &mut Vec<u8>, lines: &[String], random: &mut SplitMix64) {
    let mut tokens: Vec<Vec<u8>> = text.split(|&b| b == b' ').map(<[u8]>::to_vec).collect();
    let i = random.below(tokens.len());
    let j = random.below(tokens.len());
    match random.below(5) {
        0 => tokens.swap(i, j),
        1 => _ = tokens.remove(i),
        2 => tokens.insert(j, tokens[i].clone()),
        3 => tokens[i].make_ascii_uppercase(),
        _ => {
            let other: Vec<&str> = lines[random.below(lines.len())].split(' ').collect();
            tokens[i] = other[random.below(other.len())].as_bytes().to_vec();
        }
    }
    *text = tokens.join(&b' ');
}

/// A damaged line with this number.
fn case(number: usize, lines: &[String]) -> String {
    let mut random = SplitMix64(SEED ^ (number as u64) << 24);
    let mut text = lines[random.below(lines.len())].clone().into_bytes();
    for _ in 0..1 + random.below(3) {
        damage(&mut text, lines, &mut random);
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// How often each outcome came up.
#[derive(Default)]
struct Coverage {
    accepted: AtomicU32,
    validated: AtomicU32,
    unknown_start: AtomicU32,
    unreadable: AtomicU32,
    illegal: AtomicU32,
    sfen_faults: [AtomicU32; 10],
}

impl Coverage {
    fn assert_at_least(&self, least: u32, counters: &[(&str, &AtomicU32)]) {
        let seen: Vec<(&str, u32)> = counters.iter().map(|(name, counter)| (*name, counter.load(Relaxed))).collect();
        eprintln!("{seen:?}, faults {:?}", self.sfen_faults);
        assert!(seen.iter().all(|&(_, seen)| seen >= least), "{seen:?}");
        let faults = self.sfen_faults.each_ref().map(|counter| counter.load(Relaxed));
        assert!(faults.iter().all(|&seen| seen >= least), "faults of SFENs: {faults:?}");
    }
}

/// The beginning of a token as a message shows it.
fn head(token: &str) -> String {
    let shown = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        '\'' | '\u{3099}' | '\u{309a}' => c.to_string(),
        c => c.escape_debug().to_string(),
    };
    token.chars().take(20).map(shown).collect()
}

/// `Err` unless the message holds the token or its beginning, and the token stands in the text.
fn names(message: &str, token: &str, text: &str) -> Result<(), String> {
    if !text.contains(token) {
        return Err(format!("token {token:?} is not from the text"));
    }
    if message.contains(&head(token)) { Ok(()) } else { Err(format!("{message:?} does not name {token:?}")) }
}

/// The faults of a SFEN against its text.
fn check_sfen_error(error: &SfenError, text: &str, coverage: &Coverage) -> Result<(), String> {
    use SfenFault::*;
    let message = error.to_string();
    if error.faults().is_empty() || error.kinds().is_empty() || !is_tidy(&message) {
        return Err(format!("{error:?} says {message:?}"));
    }
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    let field = |i: usize| fields.get(i).copied().ok_or(format!("a fault in field {i}, which is missing"));
    // A message tells eight faults; those behind them are told by themselves.
    for fault in error.faults() {
        let own = fault.to_string();
        if !is_tidy(&own) {
            return Err(format!("{fault:?} says {own:?}"));
        }
        // Its place among the counters, and the token that it names, out of which field.
        let unknown;
        let (slot, named) = match fault {
            WrongRankCount(n) => {
                let ranks = field(0)?.split('/').count();
                if ranks != *n || ranks == 9 || !own.contains(&n.to_string()) {
                    return Err(format!("{own}: there are {ranks}"));
                }
                (0, None)
            }
            WrongRankLength(_, rank, _) => (1, Some((rank.as_str(), 0))),
            UnknownPiece(c) => {
                unknown = c.to_string();
                (2, Some((unknown.as_str(), 0)))
            }
            BadPromotion(part) => (3, Some((part.as_str(), 0))),
            Missing(_) if fields.len() > 2 => return Err(format!("{own}, but there are {} fields", fields.len())),
            Missing(_) => (4, None),
            BadSide(side) => (5, Some((side.as_str(), 1))),
            BadHand(part) => (6, Some((part.as_str(), 2))),
            BadCounter(counter) => (7, Some((counter.as_str(), 3))),
            TrailingText(rest) => (8, Some((rest.as_str(), 4))),
            Position(_) => (9, None),
            other => return Err(format!("no test for {other:?}")),
        };
        if let Some((token, place)) = named {
            names(&own, token, field(place)?)?;
        }
        coverage.sfen_faults[slot].fetch_add(1, Relaxed);
    }
    let told = error.faults().iter().take(8).all(|fault| message.contains(&fault.to_string()));
    if told { Ok(()) } else { Err(format!("{message:?} does not tell {:?}", error.faults())) }
}

/// An accepted position is what its own text says, and the slow truth agrees.
fn check_position(pos: &Position, coverage: &Coverage) -> Result<(), String> {
    coverage.validated.fetch_add(1, Relaxed);
    pos.validate()?;
    let kings = Color::ALL.into_iter().filter(|&color| pos.king(color).is_some()).count();
    let moves = count(pos) as usize;
    let most = MAX_MOVES[2 - kings];
    if moves > most || generate::<All>(pos).len() != moves {
        return Err(format!("{moves} moves"));
    }
    match Position::from_sfen(&pos.to_sfen()) {
        Ok(again) if again.key() == pos.key() => Ok(()),
        other => Err(format!("{} comes back as {other:?}", pos.to_sfen())),
    }
}

fn check_sfen(text: &str, number: usize, coverage: &Coverage) -> Result<(), String> {
    match Position::from_sfen(text) {
        Err(error) => check_sfen_error(&error, text, coverage),
        Ok(pos) => {
            coverage.accepted.fetch_add(1, Relaxed);
            if number.is_multiple_of(SAMPLE) { check_position(&pos, coverage) } else { Ok(()) }
        }
    }
}

fn check_line(text: &str, number: usize, coverage: &Coverage) -> Result<(), String> {
    let error = match parse_position(text) {
        Ok(parsed) => {
            coverage.accepted.fetch_add(1, Relaxed);
            return if number.is_multiple_of(SAMPLE) { check_position(&parsed.position, coverage) } else { Ok(()) };
        }
        Err(error) => error,
    };
    let message = error.to_string();
    if !is_tidy(&message) {
        return Err(format!("{error:?} says {message:?}"));
    }
    let mut tokens = text.split_ascii_whitespace();
    match &error {
        PositionError::NoStart => {
            coverage.unknown_start.fetch_add(1, Relaxed);
            if tokens.next().is_none() { Ok(()) } else { Err(format!("{text:?} has a start")) }
        }
        PositionError::UnknownStart(token) => {
            coverage.unknown_start.fetch_add(1, Relaxed);
            let first = tokens.next().unwrap_or_default();
            if first != token || ["startpos", "sfen"].contains(&first) {
                return Err(format!("{first:?} is called {token:?}"));
            }
            names(&message, token, text)
        }
        PositionError::Sfen(error) => {
            let fields: Vec<&str> = tokens.skip(1).take_while(|&token| token != "moves").collect();
            check_sfen_error(error, &fields.join(" "), coverage)
        }
        PositionError::Move(number, reason) => {
            let token = tokens.skip_while(|&token| token != "moves").nth(*number).unwrap_or_default();
            match reason {
                MoveError::Unreadable(_) => coverage.unreadable.fetch_add(1, Relaxed),
                MoveError::Illegal(IllegalMove(mv)) if mv.to_string() == token => {
                    coverage.illegal.fetch_add(1, Relaxed)
                }
                MoveError::PassInCheck => coverage.illegal.fetch_add(1, Relaxed),
                other => return Err(format!("{token:?}: {other:?}")),
            };
            names(&message, &number.to_string(), &number.to_string())?;
            names(&message, token, text)
        }
        other => Err(format!("no test for {other:?}")),
    }
}

/// Damaged lines on all cores; what fails is named with its number and its text.
fn check_all(check: impl Fn(&str, usize) -> Result<(), String> + Sync, text_of: impl Fn(String) -> String + Sync) {
    let lines = valid_lines();
    assert!(lines.len() > 200);
    (0..CASES).into_par_iter().for_each(|number| {
        let text = text_of(case(number, &lines));
        match catch_unwind(AssertUnwindSafe(|| check(&text, number))) {
            Ok(Ok(())) => {}
            Ok(Err(fault)) => panic!("seed {SEED:#x}, case {number}, {text:?}: {fault}"),
            Err(_) => panic!("seed {SEED:#x}, case {number}, {text:?}: panics"),
        }
    });
}

#[test]
fn damaged_sfens_are_refused_by_name_or_are_sound_positions() {
    let coverage = Coverage::default();
    let bare = |line: String| match line.split_once(' ') {
        Some((_, sfen)) => sfen.split(" moves").next().unwrap_or_default().to_string(),
        None => line,
    };
    check_all(|text, number| check_sfen(text, number, &coverage), bare);
    let counters = [("accepted", &coverage.accepted), ("validated", &coverage.validated)];
    coverage.assert_at_least(500, &counters);
}

#[test]
fn damaged_position_lines_are_refused_by_name_or_are_sound_positions() {
    let coverage = Coverage::default();
    check_all(|text, number| check_line(text, number, &coverage), |line| line);
    let counters = [
        ("accepted", &coverage.accepted),
        ("validated", &coverage.validated),
        ("unknown start", &coverage.unknown_start),
        ("unreadable moves", &coverage.unreadable),
        ("illegal moves", &coverage.illegal),
    ];
    coverage.assert_at_least(500, &counters);
}

/// Text with `{N*text}` written out.
pub(crate) fn expanded(text: &str) -> String {
    let Some((before, rest)) = text.split_once('{') else { return text.to_string() };
    let (inner, after) = rest.split_once('}').expect("a closing brace");
    let (times, unit) = inner.split_once('*').expect("a star");
    format!("{before}{}{}", unit.repeat(times.parse().expect("a number")), expanded(after))
}

#[test]
fn lines_that_other_engines_get_wrong_are_taken_or_refused_as_they_should_be() {
    let mut lines = 0;
    for line in include_str!("../../../tests/data/bad-position.txt").lines().filter(|line| !line.starts_with('#')) {
        let (expected, command) = line.split_once('\t').expect("two columns");
        let text = expanded(command.strip_prefix("position").expect("a position command"));
        let coverage = Coverage::default();
        let mut began = Stopwatch::of_this_thread();
        assert_eq!(check_line(&text, 0, &coverage), Ok(()), "{command}");
        assert!(began.elapsed() < Duration::from_secs(1), "{command} took {:?}", began.elapsed());
        let accepted = coverage.accepted.load(Relaxed) == 1;
        match expected {
            "accepted" => assert!(accepted, "{command} was refused: {}", parse_position(&text).expect_err("refused")),
            "refused" => assert!(!accepted, "{command} was accepted"),
            other => assert_eq!(other, "either"),
        }
        lines += 1;
    }
    assert_eq!(lines, 64);
}

#[test]
fn endless_tokens_are_refused_in_few_words() {
    let mut began = Stopwatch::of_this_thread();
    for unit in ["x", "9", "\u{6b69}", "+", "7g7f", "/", "\0"] {
        let long = unit.repeat(1_000_000 / unit.len());
        for text in [
            long.clone(),
            format!("startpos moves {long}"),
            format!("startpos moves 7g7f {long} 3c3d"),
            format!("sfen {long}"),
            format!("sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 {long}"),
        ] {
            let error = parse_position(&text).expect_err("a position out of junk").to_string();
            assert!(is_tidy(&error), "{} bytes of message for {unit:?}", error.len());
        }
        let many = format!("startpos {} moves 7g7f", format!("{unit} ").repeat(200_000));
        let parsed = parse_position(&many).unwrap_or_else(|error| panic!("{unit:?}: {error}"));
        assert_eq!((parsed.position.moves_made(), parsed.ignored.as_deref()), (1, Some(unit)));
    }
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}
