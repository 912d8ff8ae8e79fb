//! `info ...`: from the line to its values.

use super::fault::{ProtocolFault, Rule};
use komainu::types::Move;
use std::iter::Peekable;
use std::str::Split;

/// Contents of an `info` line.
#[derive(Debug, Default)]
pub(super) struct Info {
    pub(super) depth: Option<u64>,
    pub(super) time: Option<u64>,
    pub(super) nodes: Option<u64>,
    pub(super) multi_pv: Option<u64>,
    pub(super) score: Option<InfoScore>,
    pub(super) current: Option<Move>,
    pub(super) pv: Vec<Move>,
    /// Set if there is anything but a `string`.
    pub(super) is_of_search: bool,
}

/// A score as far as it can be compared with another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InfoScore {
    /// Exact; a mate is larger than any evaluation, a near one larger than a far one.
    Exact(i64),
    /// A bound, or a mate of unknown length.
    Vague,
}

/// Where a mate begins: farther from 0 than any number of centipawns.
const MATE: i64 = 1 << 40;

type Words<'a> = Peekable<Split<'a, char>>;

/// Reads what follows the word `info`. What cannot be read is a fault and left out.
pub(super) fn read(rest: &str, faults: &mut Vec<ProtocolFault>) -> Info {
    let mut info = Info::default();
    let mut seen = 0u32;
    let mut has_seldepth = false;
    let mut words = rest.split(' ').peekable();
    while let Some(word) = words.next() {
        let Some((index, place)) = keyword(word) else {
            faults.push(ProtocolFault::new("info", word, Rule::Word));
            continue;
        };
        if seen & 1 << index != 0 {
            faults.push(ProtocolFault::new("info", word, Rule::Twice));
        }
        seen |= 1 << index;
        if word == "string" {
            break;
        }
        info.is_of_search = true;
        let number = |words: &mut Words<'_>, min, max, faults: &mut _| number(words, place, min, max, faults);
        match word {
            "depth" => info.depth = number(&mut words, 0, 10_000, faults),
            "seldepth" => has_seldepth = number(&mut words, 0, 10_000, faults).is_some(),
            "time" => info.time = number(&mut words, 0, u64::MAX, faults),
            "nodes" => info.nodes = number(&mut words, 0, u64::MAX, faults),
            "nps" => _ = number(&mut words, 0, u64::MAX, faults),
            "hashfull" | "cpuload" => _ = number(&mut words, 0, 1_000, faults),
            "multipv" => info.multi_pv = number(&mut words, 1, 1_000, faults),
            "currmovenumber" => _ = number(&mut words, 1, 1_000, faults),
            "score" => info.score = score(&mut words, faults),
            "currmove" => info.current = moves(&mut words, place, 1, faults).pop(),
            "pv" => info.pv = moves(&mut words, place, usize::MAX, faults),
            "currline" => {
                words.next_if(|word| is_number(word));
                moves(&mut words, place, usize::MAX, faults);
            }
            _ => _ = moves(&mut words, place, usize::MAX, faults),
        }
    }
    if has_seldepth && info.depth.is_none() {
        faults.push(ProtocolFault::new("info depth", "", Rule::Missing));
    }
    info
}

/// The words of the protocol, as a message calls their places.
const PLACES: [&str; 15] = [
    "info depth",
    "info seldepth",
    "info time",
    "info nodes",
    "info nps",
    "info hashfull",
    "info cpuload",
    "info multipv",
    "info score",
    "info currmove",
    "info currmovenumber",
    "info pv",
    "info refutation",
    "info currline",
    "info string",
];

/// The number of a keyword and what a message calls its place.
fn keyword(word: &str) -> Option<(usize, &'static str)> {
    let index = PLACES.iter().position(|place| place.strip_prefix("info ") == Some(word))?;
    Some((index, PLACES[index]))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// The word where a value must stand; a keyword is none.
fn value<'a>(words: &mut Words<'a>, place: &'static str, faults: &mut Vec<ProtocolFault>) -> Option<&'a str> {
    let value = words.next_if(|word| keyword(word).is_none());
    if value.is_none() {
        faults.push(ProtocolFault::new(place, "", Rule::Missing));
    }
    value
}

fn number(
    words: &mut Words<'_>,
    place: &'static str,
    min: u64,
    max: u64,
    faults: &mut Vec<ProtocolFault>,
) -> Option<u64> {
    let text = value(words, place, faults)?;
    let number = Some(text).filter(|text| is_number(text)).and_then(|text| text.parse().ok());
    let number = number.filter(|number| (min..=max).contains(number));
    if number.is_none() {
        faults.push(ProtocolFault::new(place, text, Rule::Number));
    }
    number
}

/// `cp N` or `mate N|+|-`, then perhaps `lowerbound` or `upperbound`.
fn score(words: &mut Words<'_>, faults: &mut Vec<ProtocolFault>) -> Option<InfoScore> {
    let place = "info score";
    let kind = value(words, place, faults)?;
    let text = value(words, place, faults)?;
    let digits = text.strip_prefix('-').unwrap_or(text);
    let number = if is_number(digits) { text.parse::<i32>().ok().map(i64::from) } else { None };
    let score = match (kind, number) {
        ("mate", Some(0)) => Err((text, Rule::MateInZero)),
        ("cp", Some(number)) => Ok(InfoScore::Exact(number)),
        ("mate", Some(plies)) => Ok(InfoScore::Exact(plies.signum() * MATE - plies)),
        ("mate", None) if text == "+" || text == "-" => Ok(InfoScore::Vague),
        ("cp" | "mate", None) => Err((text, Rule::Number)),
        _ => Err((kind, Rule::Word)),
    };
    let is_bound = words.next_if(|word| matches!(*word, "lowerbound" | "upperbound")).is_some();
    match score {
        Ok(score) => Some(if is_bound { InfoScore::Vague } else { score }),
        Err((token, rule)) => {
            faults.push(ProtocolFault::new(place, token, rule));
            None
        }
    }
}

/// One move or more, up to the next keyword.
fn moves(words: &mut Words<'_>, place: &'static str, most: usize, faults: &mut Vec<ProtocolFault>) -> Vec<Move> {
    let mut moves = Vec::new();
    let mut unread = false;
    for _ in 0..most {
        let Some(word) = words.next_if(|word| keyword(word).is_none()) else { break };
        match word.parse() {
            Ok(mv) if !unread => moves.push(mv),
            Ok(_) => {}
            Err(_) => {
                unread = true;
                faults.push(ProtocolFault::new(place, word, Rule::Move));
            }
        }
    }
    if moves.is_empty() && !unread {
        faults.push(ProtocolFault::new(place, "", Rule::Missing));
    }
    moves
}
