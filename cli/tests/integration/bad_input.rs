//! Half a million damaged `position` lines: none panics, every refusal names what is wrong in one line that can be
//! read, and whatever is accepted is a sound position.

use crate::oracle::play::random_game;
use crate::shell::is_tidy;
use crate::stopwatch::Stopwatch;
use komainu::movegen::{All, count, generate};
use komainu::notation::usi::{MoveError, PositionError, parse_position};
use komainu::position::{FaultKinds, Handicap, Position};
use komainu::random::SplitMix64;
use komainu::types::Color;
use rayon::prelude::*;
use std::panic::catch_unwind;
use std::time::Duration;

/// Seed of everything here; a case also depends on its number.
const SEED: u64 = 0x0BAD_4900;
/// Damaged lines.
const CASES: usize = 500_000;
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
        random_game(SEED, game, |pos, mv, _| {
            match mv {
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

/// The beginning of a token as a message shows it.
fn head(token: &str) -> String {
    let shown = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        '\'' | '\u{3099}' | '\u{309a}' => c.to_string(),
        c => c.escape_debug().to_string(),
    };
    token.chars().take(20).map(shown).collect()
}

/// What has become of a line.
#[derive(PartialEq, Eq)]
enum Outcome {
    Accepted,
    UnknownStart,
    Sfen(FaultKinds),
    UnreadableMove,
    IllegalMove,
}

/// Reads the arguments of `position`. A refusal is one line that can be read; it names the word or the move, and what
/// is accepted is a sound position.
fn read(text: &str) -> Outcome {
    let error = match parse_position(text) {
        Ok(parsed) => {
            check_position(&parsed.position);
            return Outcome::Accepted;
        }
        Err(error) => error,
    };
    let message = error.to_string();
    assert!(is_tidy(&message), "{error:?} says {message:?}");
    let mut tokens = text.split_ascii_whitespace();
    let (token, outcome) = match &error {
        PositionError::NoStart => ("", Outcome::UnknownStart),
        PositionError::UnknownStart(_) => (tokens.next().unwrap_or_default(), Outcome::UnknownStart),
        PositionError::Sfen(error) => {
            assert!(error.faults().iter().all(|fault| is_tidy(&fault.to_string())), "{error:?}");
            assert!(!error.kinds().is_empty(), "{error:?}");
            ("", Outcome::Sfen(error.kinds()))
        }
        PositionError::Move(number, reason) => {
            let outcome = match reason {
                MoveError::Unreadable(_) => Outcome::UnreadableMove,
                _ => Outcome::IllegalMove,
            };
            assert!(message.contains(&number.to_string()), "{message}");
            (tokens.skip_while(|&token| token != "moves").nth(*number).unwrap_or_default(), outcome)
        }
        other => panic!("no test for {other:?}"),
    };
    assert!(message.contains(&head(token)), "{message:?} does not name {token:?}");
    outcome
}

/// An accepted position is what its own text says, and the slow truth agrees.
fn check_position(pos: &Position) {
    assert_eq!(pos.validate(), Ok(()));
    let kings = Color::ALL.into_iter().filter(|&color| pos.king(color).is_some()).count();
    let moves = count(pos) as usize;
    assert!(moves <= MAX_MOVES[2 - kings] && generate::<All>(pos).len() == moves, "{moves} moves");
    assert_eq!(Position::from_sfen(&pos.to_sfen()).map(|again| again.key()), Ok(pos.key()));
}

#[test]
fn damaged_lines_are_refused_by_name_or_are_sound_positions() {
    let lines = valid_lines();
    assert!(lines.len() > 200);
    let outcome = |number| {
        let text = case(number, &lines);
        let outcome = catch_unwind(|| read(&text));
        outcome.unwrap_or_else(|_| panic!("seed {SEED:#x}, case {number}: {text:?}"))
    };
    let outcomes: Vec<Outcome> = (0..CASES).into_par_iter().map(outcome).collect();
    for wanted in [Outcome::Accepted, Outcome::UnknownStart, Outcome::UnreadableMove, Outcome::IllegalMove] {
        assert!(outcomes.iter().filter(|&outcome| *outcome == wanted).count() > 500);
    }
    for wanted in FaultKinds::all() {
        let has_kind = |outcome: &Outcome| matches!(outcome, Outcome::Sfen(kinds) if kinds.contains(wanted));
        assert!(outcomes.iter().any(has_kind), "{wanted:?}");
    }
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
        let mut began = Stopwatch::of_this_thread();
        let accepted = read(&text) == Outcome::Accepted;
        assert!(began.elapsed() < Duration::from_secs(1), "{command} took {:?}", began.elapsed());
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
