//! Who searches a position: the engine itself, or another one.

use super::{Failure, Limit};
use crate::book::{BookEntry, Candidate};
use crate::eval::Evaluation;
use crate::movegen::is_legal;
use crate::notation::score::ReportedScore;
use crate::position::{GameRules, Position};
use crate::process::{Launch, NoLine, Process};
use crate::protocol::{BestMove, Command, Go, Info, READYOK, USIOK};
use crate::search::{Bound, Limits, Report, ThreadPool};
use crate::types::{Move, Quoted, Score, StopToken};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Longest silence of another engine.
const PATIENCE: Duration = Duration::from_secs(600);
/// Longest wait for the last words of an engine that has ended.
const LAST_WORDS_TIMEOUT: Duration = Duration::from_millis(500);
/// Value that stands for a mate.
const MATE: i32 = 32_000;

/// Searches one position after the other.
pub(super) enum Thinker {
    /// The engine itself.
    BuiltIn(Box<ThreadPool>, Limit),
    /// Another engine.
    Engine(Process, Command),
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
        let fail = |text: &str| Failure::Usage(format!("--engine {}: {text}", Quoted(command)));
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
        send(&mut process, &Command::Usi);
        wait_for(&process, USIOK)?;
        let mut set = |name, value: &str| send(&mut process, &Command::set_option(name, value));
        set("USI_Hash", &limit.hash.to_string());
        set("MultiPV", &limit.multipv.to_string());
        // Its own book would answer in its place.
        set("USI_OwnBook", "false");
        set("BookFile", "no_book");
        send(&mut process, &Command::IsReady);
        wait_for(&process, READYOK)?;
        let go = match limit {
            Limit { nodes: Some(nodes), .. } => Go { nodes: Some(nodes), ..Go::default() },
            Limit { depth: Some(depth), .. } => Go { depth: Some(depth.into()), ..Go::default() },
            Limit { movetime, .. } => {
                Go { movetime: Some(Duration::from_millis(movetime.unwrap_or(1))), ..Go::default() }
            }
        };
        Ok(Thinker::Engine(process, Command::Go(Box::new(go))))
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
    // After a second of thought bounds are reported too, by the clock: they say less than the lines before.
    let mut keep = |block: &[Report]| {
        if block.first().is_some_and(|report| report.bound == Bound::EXACT) {
            last = block.to_vec();
        }
    };
    let outcome = pool.search(position, GameRules::default(), &limits, &StopToken::new(), &mut keep);
    let outcome = outcome.expect("all moves are searched");
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

/// Sends a command. If the engine reads no more, the end of its output will tell.
fn send(process: &mut Process, command: &Command) {
    _ = process.send(format!("{command}\n").as_bytes());
}

/// Has another engine search a position.
fn ask(process: &mut Process, go: &Command, position: &Position) -> Result<Vec<Candidate>, Failure> {
    send(process, &Command::Position(format!("sfen {position}")));
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
                return Err(Failure::Usage(format!("the engine has ended in {position}: {}", Quoted(words))));
            }
        };
        if BestMove::read(&line).is_some() {
            return Ok(distinct(lines));
        }
        if let Some((place, candidate)) = line_of(&line, position) {
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
fn line_of(line: &str, position: &Position) -> Option<(u32, Candidate)> {
    let info = Info::read(line)?;
    let value = match info.score? {
        ReportedScore::Centipawns(value) => value,
        ReportedScore::Mate(plies) => plies.signum() * (MATE - plies.saturating_abs().min(1_000)),
    };
    let mv = *info.pv.first()?;
    if info.bound.is_some() || !is_legal(position, mv) {
        return None;
    }
    let mut after = position.clone();
    after.do_move(mv);
    let reply = info.pv.get(1).copied().filter(|&reply| is_legal(&after, reply));
    Some((info.multi_pv.unwrap_or(1), candidate(mv, reply, value, info.depth.unwrap_or(0))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_other_engines_are_read() {
        let start = Position::startpos();
        let read = |line: &str| {
            let (place, found) = line_of(line, &start)?;
            Some((place, found.mv.to_string(), found.reply.map(|mv| mv.to_string()), found.value, found.depth))
        };
        let line = "info depth 12 seldepth 20 multipv 2 score cp -35 nodes 5 pv 7g7f 3c3d 2g2f";
        assert_eq!(read(line), Some((2, "7g7f".into(), Some("3c3d".into()), Some(-35), 12)));
        let mate = |text: &str| read(&format!("info depth 3 score mate {text} pv 2g2f")).unwrap().3;
        assert_eq!([mate("5"), mate("-4"), mate("+")], [Some(31_995), Some(-31_996), Some(31_999)]);
        assert_eq!(read("info depth 3 score cp 5 lowerbound pv 2g2f"), None);
        assert_eq!(read("info depth 3 score cp 5 pv 2g2e"), None);
        assert_eq!(read("info string score cp 5 pv 2g2f"), None);
        assert_eq!(read("info depth 3 nodes 8"), None);
    }
}
