//! The comment behind a move: `SCORE DEPTH[/SELDEPTH] KEY=VALUE ...[, REASON]`, `unknown`, or `DEPTH/SELDEPTH` alone.

use super::PgnFault;
use crate::types::Score;

/// Thought of a player about a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PgnThought {
    /// The score from the mover's view, in centipawns or as a mate.
    pub score: Option<Score>,
    /// Depth, in plies.
    pub depth: Option<u32>,
    /// The nodes that were searched.
    pub nodes: Option<u64>,
    /// The time that was used, in milliseconds.
    pub millis: Option<u64>,
}

impl PgnThought {
    /// Reads a comment without its braces: the thought, and what is said after it of the end of the game.
    pub(super) fn read(comment: &str) -> Result<(PgnThought, Option<&str>), PgnFault> {
        let (thought, reason) = match comment.split_once(", ") {
            Some((thought, reason)) => (thought, Some(reason.trim()).filter(|reason| !reason.is_empty())),
            None => (comment, None),
        };
        let mut words = thought.split_ascii_whitespace();
        let mut read = PgnThought::default();
        let Some(word) = words.next() else { return Ok((read, reason)) };
        read.depth = depths(word);
        if read.depth.is_none() {
            if !["none", "unknown"].contains(&word) {
                read.score = Some(score(word).ok_or_else(|| fault("score", word))?);
            }
            if let Some(word) = words.next() {
                let depth = word.split('/').next().unwrap_or(word);
                read.depth = Some(depth.parse().map_err(|_| fault("depth", word))?);
            }
        }
        for word in words {
            let Some((key, value)) = word.split_once('=') else { return Err(fault("KEY=VALUE", word)) };
            match key {
                "n" => read.nodes = Some(value.parse().map_err(|_| fault("number of nodes", word))?),
                "t" => read.millis = Some(millis(value).ok_or_else(|| fault("time in seconds", word))?),
                _ => {}
            }
        }
        Ok((read, reason))
    }
}

fn fault(what: &'static str, word: &str) -> PgnFault {
    PgnFault::Comment(what, word.to_string())
}

/// The depth of `14/25`.
fn depths(word: &str) -> Option<u32> {
    let (depth, selective) = word.split_once('/')?;
    digits(selective)?;
    depth.parse().ok()
}

/// `+0.35` or `-M4`. Scores beyond what is told apart are the largest.
fn score(word: &str) -> Option<Score> {
    let (sign, size) = match word.split_at_checked(1)? {
        ("+", size) => (1, size),
        ("-", size) => (-1, size),
        _ => (1, word),
    };
    if let Some(plies) = size.strip_prefix('M') {
        let plies = digits(plies)?.min(Score::MAX_MATE_PLY as u64) as usize;
        return Some(if sign > 0 { Score::mate_in(plies) } else { Score::mated_in(plies) });
    }
    let (pawns, hundredths) = size.split_once('.')?;
    let hundredths = digits(hundredths).filter(|_| hundredths.len() == 2)?;
    let centipawns = digits(pawns)?.saturating_mul(100).saturating_add(hundredths);
    Some(Score(sign * centipawns.min(Score::MAX_NON_MATE.0 as u64) as i32))
}

/// Seconds as in `0.125s`, up to eleven days.
fn millis(text: &str) -> Option<u64> {
    let seconds: f64 = text.strip_suffix('s')?.parse().ok()?;
    (0.0..=1e6).contains(&seconds).then_some((seconds * 1_000.0).round() as u64)
}

/// A number of digits alone; one too large is the largest.
fn digits(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(u64::MAX))
}
