//! Another program that speaks USI as the one that searches.
//!
//! A move that is not among its best lines is judged by the position after it, with as many nodes: not every program knows
//! `searchmoves`.

use super::analyst::{Analyst, AnalystError, Request, SearchLimit, Searched, legal_part};
use super::chance::turned;
use super::result::SearchedLine;
use crate::position::Position;
use crate::process::{Launch, NoLine, Process};
use crate::protocol::Info;
use crate::types::Quoted;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Time for which it may say nothing while it gets ready.
const READY_PATIENCE: Duration = Duration::from_secs(120);
/// Time for which it may say nothing while it searches, beside the time that it was given.
const SEARCH_PATIENCE: Duration = Duration::from_secs(600);
/// Time for which the last words of a program that has ended are waited for.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// Iterations up to this depth show what is obvious.
const EARLY_DEPTH: u32 = 4;

/// Options that a program gets which lists them: its own book would answer in its place, and lines that it keeps to
/// itself for a while would be missing after a short search.
const OWN_OPTIONS: [(&str, &str); 4] =
    [("USI_OwnBook", "false"), ("BookFile", "no_book"), ("ConsiderationMode", "true"), ("PvInterval", "0")];

/// Another program.
pub struct EngineAnalyst {
    process: Process,
    /// Its command, for messages.
    command: String,
    name: String,
    /// The options that it lists.
    options: Vec<String>,
    lines: usize,
    nodes: u64,
}

impl EngineAnalyst {
    /// Starts a command as a shell would read it, and makes it ready; `options` are names and values.
    pub fn start(command: &str, options: &[(String, String)], lines: usize) -> Result<EngineAnalyst, AnalystError> {
        let fail = |error: std::io::Error| AnalystError(format!("{}: {error}", Quoted(command)));
        let process = Launch::new(command, None).and_then(|launch| Process::start(&launch)).map_err(fail)?;
        let (command, name) = (command.to_string(), command.to_string());
        let mut engine = EngineAnalyst { process, command, name, options: Vec::new(), lines: 0, nodes: 0 };
        engine.send("usi");
        engine.wait_for("usiok")?;
        for (name, value) in OWN_OPTIONS {
            if let Some(name) = engine.option(name) {
                engine.send(&format!("setoption name {name} value {value}"));
            }
        }
        for (name, value) in options {
            engine.send(&format!("setoption name {name} value {value}"));
        }
        engine.set_lines(lines);
        engine.forget()?;
        Ok(engine)
    }

    /// Name that it gives itself.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sends a line. If the program reads no more, the end of its output will tell.
    fn send(&mut self, line: &str) {
        _ = self.process.send(format!("{line}\n").as_bytes());
    }

    fn set_lines(&mut self, lines: usize) {
        if self.lines != lines {
            self.lines = lines;
            let name = self.option("MultiPV").or_else(|| self.option("USI_MultiPV")).unwrap_or("MultiPV");
            self.send(&format!("setoption name {name} value {lines}"));
        }
    }

    /// An option as the program spells it, if it lists it.
    fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().map(String::as_str).find(|known| known.eq_ignore_ascii_case(name))
    }

    fn line(&self, patience: Duration) -> Result<String, AnalystError> {
        match self.process.line(Some(Instant::now() + patience)) {
            Ok(line) => Ok(line.text.trim().to_string()),
            Err(NoLine::Late) => Err(AnalystError(format!("{}: no answer", Quoted(&self.command)))),
            Err(NoLine::Closed) => {
                self.process.await_stderr(LAST_WORDS);
                let words = self.process.stderr_head();
                let words = words.lines().next().unwrap_or_default();
                Err(AnalystError(format!("{}: it has ended: {}", Quoted(&self.command), Quoted(words))))
            }
        }
    }

    fn wait_for(&mut self, word: &str) -> Result<(), AnalystError> {
        loop {
            let line = self.line(READY_PATIENCE)?;
            if let Some(name) = line.strip_prefix("id name ") {
                self.name = name.trim().to_string();
            }
            if let Some((name, _)) = line.strip_prefix("option name ").and_then(|rest| rest.split_once(" type ")) {
                self.options.push(name.to_string());
            }
            if line == word {
                return Ok(());
            }
        }
    }

    /// Searches the position of a `position` command.
    fn ask(&mut self, pos: &Position, limit: SearchLimit) -> Result<Searched, AnalystError> {
        self.send(&position_line(pos));
        self.send(&match limit {
            SearchLimit::Nodes(nodes) => format!("go nodes {nodes}"),
            SearchLimit::Millis(millis) => format!("go movetime {millis}"),
            SearchLimit::Depth(depth) => format!("go depth {depth}"),
        });
        let mut lines = Lines::default();
        let mut early = Vec::new();
        let mut nodes = 0;
        loop {
            let line = self.line(SEARCH_PATIENCE)?;
            if line.starts_with("bestmove") {
                break;
            }
            let Some(info) = Info::read(&line) else { continue };
            nodes = info.nodes.unwrap_or(nodes);
            let Some(found) = of_info(pos, &info, nodes) else { continue };
            let place = info.multi_pv.unwrap_or(1);
            if place == 1 && found.depth <= EARLY_DEPTH {
                early.push(found.first());
            }
            lines.take(place, found, info.bound.is_some());
        }
        self.nodes += nodes;
        Ok(Searched { lines: lines.distinct(), early })
    }
}

impl Analyst for EngineAnalyst {
    fn forget(&mut self) -> Result<(), AnalystError> {
        self.send("isready");
        self.wait_for("readyok")?;
        self.send("usinewgame");
        Ok(())
    }

    fn search(&mut self, pos: &Position, request: &Request) -> Result<Searched, AnalystError> {
        let Some(mv) = request.only else {
            self.set_lines(request.lines);
            return self.ask(pos, request.limit);
        };
        let mut after = pos.clone();
        after.do_move(mv);
        self.set_lines(1);
        let searched = self.ask(&after, request.limit)?;
        let with_move = |line: SearchedLine| SearchedLine {
            score: turned(line.score),
            pv: std::iter::once(mv).chain(line.pv).collect(),
            depth: line.depth + 1,
            ..line
        };
        Ok(Searched { lines: searched.lines.into_iter().take(1).map(with_move).collect(), early: Vec::new() })
    }

    fn nodes(&self) -> u64 {
        self.nodes
    }
}

/// The whole game, so that repetition counts.
fn position_line(pos: &Position) -> String {
    let (mut start, mut moves) = (pos.clone(), Vec::new());
    while let Some(mv) = start.last_move().filter(|_| start.moves_made() > 0) {
        moves.push(mv.to_string());
        start.undo();
    }
    moves.reverse();
    let moves = if moves.is_empty() { String::new() } else { format!(" moves {}", moves.join(" ")) };
    format!("position sfen {start}{moves}")
}

fn of_info(pos: &Position, info: &Info, nodes: u64) -> Option<SearchedLine> {
    let pv = legal_part(pos, info.pv.iter().copied());
    let score = info.score.filter(|_| !pv.is_empty())?;
    Some(SearchedLine { score, depth: info.depth.unwrap_or(0), nodes, pv })
}

/// The last line of each place. A score that is only a bound counts as long as there is no other.
#[derive(Default)]
struct Lines(BTreeMap<u32, (SearchedLine, bool)>);

impl Lines {
    fn take(&mut self, place: u32, line: SearchedLine, is_bound: bool) {
        let has_score = self.0.get(&place).is_some_and(|(_, is_bound)| !is_bound);
        if !(is_bound && has_score) {
            self.0.insert(place, (line, is_bound));
        }
    }

    /// The lines in their order; of two with one move, which are of two iterations, the deeper one.
    fn distinct(self) -> Vec<SearchedLine> {
        let mut kept: Vec<SearchedLine> = Vec::new();
        for (line, _) in self.0.into_values() {
            let known: Option<&mut SearchedLine> = kept.iter_mut().find(|known| known.first() == line.first());
            match known {
                Some(known) if known.depth < line.depth => *known = line,
                Some(_) => {}
                None => kept.push(line),
            }
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::score::ReportedScore;

    #[test]
    fn lines_are_read_as_far_as_they_are_legal() {
        let pos = Position::startpos();
        let read = |line: &str| of_info(&pos, &Info::read(line).unwrap_or_default(), 5);
        let found = read("info depth 9 multipv 2 score cp -35 nodes 5 pv 7g7f 3c3d 7g7f").unwrap();
        assert_eq!((found.score, found.depth, found.pv.len()), (ReportedScore::Centipawns(-35), 9, 2));
        assert_eq!(read("info depth 9 score cp 5 pv 7g7e"), None);
        assert_eq!(read("info depth 9 nodes 5"), None);
    }

    #[test]
    fn a_bound_counts_until_there_is_a_score() {
        let line = |cp: i32, depth: u32, mv: &str| SearchedLine {
            score: ReportedScore::Centipawns(cp),
            depth,
            nodes: 5,
            pv: vec![mv.parse().unwrap()],
        };
        let mut lines = Lines::default();
        lines.take(1, line(90, 3, "7g7f"), true);
        lines.take(2, line(40, 3, "2g2f"), true);
        lines.take(1, line(70, 4, "7g7f"), false);
        lines.take(1, line(95, 5, "2g2f"), true);
        assert_eq!(lines.distinct(), [line(70, 4, "7g7f"), line(40, 3, "2g2f")]);
        let mut lines = Lines::default();
        lines.take(1, line(70, 4, "7g7f"), false);
        lines.take(2, line(60, 3, "7g7f"), false);
        assert_eq!(lines.distinct(), [line(70, 4, "7g7f")], "one move in two iterations");
    }

    #[test]
    fn the_whole_game_is_sent() {
        let mut pos = Position::startpos();
        let start = format!("position sfen {pos}");
        assert_eq!(position_line(&pos), start);
        for mv in ["7g7f", "3c3d"] {
            pos.do_move(mv.parse().unwrap());
        }
        assert_eq!(position_line(&pos), format!("{start} moves 7g7f 3c3d"));
    }
}
