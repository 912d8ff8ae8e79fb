//! Who searches a position: the engine itself, or another one.

use super::{Failure, Limit};
use crate::book::{BookEntry, Candidate};
use crate::eval::Evaluation;
use crate::movegen::is_legal;
use crate::position::{GameRules, Position};
use crate::process::{Launch, NoLine, Process};
use crate::search::{Bound, Limits, Report, Signals, ThreadPool};
use crate::types::{Move, Score, Token};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long another engine may say nothing.
const PATIENCE: Duration = Duration::from_secs(600);
/// How long the last words of an engine that has ended are waited for.
const LAST_WORDS_TIMEOUT: Duration = Duration::from_millis(500);
/// What stands for a mate.
const MATE: i32 = 32_000;

/// Searches one position after the other.
pub(super) enum Thinker {
    /// The engine itself.
    BuiltIn(Box<ThreadPool>, Limit),
    /// Another engine.
    Engine(Process, String),
}

impl Thinker {
    /// The engine itself with this evaluation.
    pub(super) fn built_in(evaluation: Evaluation, limit: Limit) -> Thinker {
        let mut pool = ThreadPool::new(1, limit.hash as usize);
        pool.set_evaluation(evaluation);
        Thinker::BuiltIn(Box::new(pool), limit)
    }

    /// Another engine, started and ready.
    pub(super) fn engine(command: &str, limit: Limit) -> Result<Thinker, Failure> {
        let fail = |text: &str| Failure::Usage(format!("--engine {}: {text}", Token(command)));
        let process = Launch::new(command, None).and_then(|launch| Process::start(&launch));
        let mut process = process.map_err(|error| fail(&error.to_string()))?;
        let wait_for = |process: &Process, word: &str| loop {
            match process.line(Some(Instant::now() + PATIENCE)) {
                Ok(line) if line.text.trim() == word => break Ok(()),
                Ok(_) => {}
                Err(NoLine::Late) => break Err(fail(&format!("no {word} in time"))),
                Err(NoLine::Closed) => break Err(fail(&format!("it has ended before {word}"))),
            }
        };
        send(&mut process, "usi");
        wait_for(&process, "usiok")?;
        send(&mut process, &format!("setoption name USI_Hash value {}", limit.hash));
        send(&mut process, &format!("setoption name MultiPV value {}", limit.multipv));
        // Its own book would answer in its place.
        send(&mut process, "setoption name USI_OwnBook value false");
        send(&mut process, "setoption name BookFile value no_book");
        send(&mut process, "isready");
        wait_for(&process, "readyok")?;
        let go = match limit {
            Limit { nodes: Some(nodes), .. } => format!("go nodes {nodes}"),
            Limit { depth: Some(depth), .. } => format!("go depth {depth}"),
            Limit { movetime, .. } => format!("go movetime {}", movetime.unwrap_or(1)),
        };
        Ok(Thinker::Engine(process, go))
    }

    /// The best moves of a position with their values; the best one first.
    pub(super) fn think(&mut self, position: &Position) -> Result<BookEntry, Failure> {
        let mut entry = BookEntry::new(position.without_history());
        entry.moves = match self {
            Thinker::BuiltIn(pool, limit) => search(pool, position, *limit),
            Thinker::Engine(process, go) => ask(process, go, position)?,
        };
        entry.sort_moves();
        Ok(entry)
    }
}

fn search(pool: &mut ThreadPool, position: &Position, limit: Limit) -> Vec<Candidate> {
    let Limit { nodes, depth, movetime, multipv, .. } = limit;
    let limits = Limits {
        nodes,
        depth: depth.map(|depth| depth as usize),
        movetime: movetime.map(Duration::from_millis),
        multi_pv: multipv as usize,
        ..Limits::default()
    };
    // Every position for itself: the book shall not depend on the order.
    pool.clear();
    let mut last: Vec<Report> = Vec::new();
    let signals = Arc::new(Signals::default());
    // After a second of thought bounds are reported too, by the clock: they say less than the lines before.
    let mut keep = |block: &[Report]| {
        if block.first().is_some_and(|report| report.bound == Bound::EXACT) {
            last = block.to_vec();
        }
    };
    let outcome = pool.search(position, GameRules::default(), &limits, &signals, &mut keep);
    if last.is_empty() {
        last.extend(outcome.report);
    }
    last.iter().filter_map(of_report).collect()
}

fn of_report(report: &Report) -> Option<Candidate> {
    let mv = *report.pv.first()?;
    let Score(value) = report.score;
    Some(candidate(mv, report.pv.get(1).copied(), value, report.depth as u32))
}

fn candidate(mv: Move, reply: Option<Move>, value: i32, depth: u32) -> Candidate {
    Candidate { reply, value: Some(value.clamp(-MATE, MATE)), depth, ..Candidate::new(mv) }
}

/// Sends a line. If the engine reads no more, the end of its output will tell.
fn send(process: &mut Process, line: &str) {
    _ = process.send(format!("{line}\n").as_bytes());
}

/// Has another engine search a position.
fn ask(process: &mut Process, go: &str, position: &Position) -> Result<Vec<Candidate>, Failure> {
    send(process, &format!("position sfen {position}"));
    send(process, go);
    let mut lines: BTreeMap<u32, Candidate> = BTreeMap::new();
    loop {
        let line = match process.line(Some(Instant::now() + PATIENCE)) {
            Ok(line) => line.text,
            Err(NoLine::Late) => return Err(Failure::Usage(format!("no answer to {go} in {position}"))),
            Err(NoLine::Closed) => {
                process.await_stderr(LAST_WORDS_TIMEOUT);
                let stderr = process.stderr_head();
                let words = stderr.lines().next().unwrap_or_default();
                return Err(Failure::Usage(format!("the engine has ended in {position}: {}", Token(words))));
            }
        };
        if line.starts_with("bestmove") {
            return Ok(distinct(lines));
        }
        if let Some((place, candidate)) = info(&line, position) {
            lines.insert(place, candidate);
        }
    }
}

/// The moves of the lines; of two lines with one move, which are of two depths, the deeper one.
fn distinct(lines: BTreeMap<u32, Candidate>) -> Vec<Candidate> {
    let mut moves: Vec<Candidate> = Vec::new();
    for candidate in lines.into_values() {
        match moves.iter_mut().find(|known| known.mv == candidate.mv) {
            Some(known) if known.depth < candidate.depth => *known = candidate,
            Some(_) => {}
            None => moves.push(candidate),
        }
    }
    moves
}

/// The line of an analysis: its place, and its first move.
fn info(line: &str, position: &Position) -> Option<(u32, Candidate)> {
    let mut words = line.split_ascii_whitespace();
    if words.next() != Some("info") {
        return None;
    }
    let (mut place, mut depth, mut value, mut is_bound) = (1, 0, None, false);
    while let Some(word) = words.next() {
        match word {
            "string" => return None,
            "depth" => depth = words.next()?.parse().ok()?,
            "multipv" => place = words.next()?.parse().ok()?,
            "lowerbound" | "upperbound" => is_bound = true,
            "score" => {
                let (kind, number) = (words.next()?, words.next()?);
                value = match kind {
                    "cp" => number.parse().ok(),
                    _ if number.starts_with('-') => Some(-MATE + plies(number)),
                    _ => Some(MATE - plies(number)),
                };
            }
            "pv" => break,
            _ => {}
        }
    }
    let mv: Move = words.next()?.parse().ok()?;
    if is_bound || !is_legal(position, mv) {
        return None;
    }
    let mut after = position.clone();
    after.do_move(mv);
    let reply = words.next().and_then(|word| word.parse().ok()).filter(|&reply| is_legal(&after, reply));
    Some((place, candidate(mv, reply, value?, depth)))
}

fn plies(number: &str) -> i32 {
    number.trim_start_matches(['-', '+']).parse().unwrap_or(0).clamp(0, 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_other_engines_are_read() {
        let start = Position::startpos();
        let read = |line: &str| {
            let (place, found) = info(line, &start)?;
            Some((place, found.mv.to_string(), found.reply.map(|mv| mv.to_string()), found.value, found.depth))
        };
        let line = "info depth 12 seldepth 20 multipv 2 score cp -35 nodes 5 pv 7g7f 3c3d 2g2f";
        assert_eq!(read(line), Some((2, "7g7f".into(), Some("3c3d".into()), Some(-35), 12)));
        let mate = |text: &str| read(&format!("info depth 3 score mate {text} pv 2g2f")).unwrap().3;
        assert_eq!([mate("5"), mate("-4"), mate("+")], [Some(31_995), Some(-31_996), Some(32_000)]);
        assert_eq!(read("info depth 3 score cp 5 lowerbound pv 2g2f"), None);
        assert_eq!(read("info depth 3 score cp 5 pv 2g2e"), None);
        assert_eq!(read("info string score cp 5 pv 2g2f"), None);
        assert_eq!(read("info depth 3 nodes 8"), None);
    }
}
