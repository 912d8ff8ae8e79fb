//! Another program that speaks USI as the one that searches.
//!
//! A move that is not among its best lines is judged by the position after it, with as many nodes: not every program
//! knows `searchmoves`.

use super::{Analyst, AnalystError, EARLY_DEPTH, Request, SearchLimit, Searched, SearchedLine, legal_part};
use crate::client::{EngineError, Infos, Setup, UsiEngine};
use crate::process::Launch;
use komainu::position::Position;
use komainu::protocol::{BestMove, Go, Info, PositionCommand};
use komainu::types::{Move, Quoted, StopToken};
use std::collections::BTreeMap;
use std::time::Duration;

/// Options that a program gets which lists them: its own book would answer in its place, and lines that it keeps to
/// itself for a while would be missing after a short search.
const OWN_OPTIONS: [(&str, &str); 4] =
    [("USI_OwnBook", "false"), ("BookFile", "no_book"), ("ConsiderationMode", "true"), ("PvInterval", "0")];

/// A program and how it is set.
#[derive(Clone, Debug)]
pub struct Program {
    /// Command, as a shell would read it.
    pub command: String,
    /// Options that it gets if it takes them: names and values.
    pub usual: Vec<(String, String)>,
    /// Options that somebody wishes for: one that it does not take is an error.
    pub wished: Vec<(String, String)>,
    /// Lines that are wanted of a search.
    pub lines: usize,
    /// Patience and listener of the conversation.
    pub setup: Setup,
}

/// Another program.
#[derive(Debug)]
pub struct External {
    engine: UsiEngine,
    /// Command, for messages.
    command: String,
    nodes: u64,
    /// It was told of a new game.
    has_game: bool,
    stop: StopToken,
}

impl External {
    /// Starts a program and makes it ready.
    pub fn start(program: &Program) -> Result<External, AnalystError> {
        let engine = start(program).map_err(|error| named(&program.command, error))?;
        Ok(External { engine, command: program.command.clone(), nodes: 0, has_game: false, stop: StopToken::new() })
    }

    /// The token that ends a search from another thread. What the program has found until then is the result.
    pub fn stop_token(&self) -> StopToken {
        self.stop.clone()
    }

    /// Searches within any limits and tells the program's answer as well, which may come without a line: a move of its
    /// book, a resignation. Lines are legal to their last move.
    pub fn search_within(
        &mut self,
        pos: &Position,
        go: &Go,
        lines: usize,
    ) -> Result<(BestMove<String>, Searched), AnalystError> {
        self.ask(pos, go, lines).map_err(|error| named(&self.command, error))
    }

    /// Ends the program in good order.
    pub fn quit(self) {
        self.engine.quit();
    }

    /// Name that it gives itself, or its command.
    pub fn name(&self) -> &str {
        if self.engine.name().is_empty() { &self.command } else { self.engine.name() }
    }

    fn begin_game(&mut self) -> Result<(), EngineError> {
        self.has_game = true;
        self.engine.new_game()
    }

    fn ask(&mut self, pos: &Position, go: &Go, lines: usize) -> Result<(BestMove<String>, Searched), EngineError> {
        if !self.has_game {
            self.begin_game()?;
        }
        // What it has learnt stays: an engine takes the number of lines without `isready`.
        self.engine.set_lines(lines)?;
        let answer = self.engine.ask_until(&PositionCommand::of_game(pos), go, &self.stop)?;
        let mut lines = Lines::default();
        let mut early = Vec::new();
        let mut nodes = 0;
        for info in &answer.infos {
            nodes = info.nodes.unwrap_or(nodes);
            let Some(found) = of_info(pos, info, nodes) else { continue };
            let place = info.multi_pv.unwrap_or(1);
            if place == 1 && found.depth as usize <= EARLY_DEPTH {
                early.push(found.first());
            }
            lines.take(place, found);
        }
        self.nodes += nodes;
        Ok((answer.best, Searched { lines: lines.distinct(), early }))
    }

    /// The position after a move, seen from the side that makes it.
    fn ask_move(&mut self, pos: &Position, mv: Move, request: &Request) -> Result<Searched, EngineError> {
        let mut after = pos.clone();
        after.do_move(mv);
        let (_, searched) = self.ask(&after, &go(request.limit), 1)?;
        let mut lines = searched.lines;
        lines.truncate(1);
        for line in &mut lines {
            line.score = line.score.turned();
            line.pv.insert(0, mv);
            line.depth += 1;
        }
        Ok(Searched { lines, early: Vec::new() })
    }
}

/// Starts a program with its options.
fn start(program: &Program) -> Result<UsiEngine, EngineError> {
    let launch = Launch::new(&program.command, None);
    let launch = launch.map_err(|error| EngineError::Start(program.command.clone(), error))?;
    let mut engine = UsiEngine::start(&launch, Setup { infos: Infos::All, ..program.setup.clone() })?;
    for (name, value) in OWN_OPTIONS {
        match engine.set_if_taken(name, value) {
            // One that takes no such value has no such habit.
            Err(EngineError::Option(..)) => {}
            result => result?,
        }
    }
    for (name, value) in &program.usual {
        engine.set_if_taken(name, value)?;
    }
    for (name, value) in &program.wished {
        engine.set(name, value)?;
    }
    engine.set_lines(program.lines)?;
    engine.ready()?;
    Ok(engine)
}

fn named(command: &str, error: EngineError) -> AnalystError {
    AnalystError(format!("engine {}: {error}", Quoted(command)))
}

fn go(limit: SearchLimit) -> Go {
    match limit {
        SearchLimit::Nodes(nodes) => Go { nodes: Some(nodes), ..Go::default() },
        SearchLimit::Millis(millis) => Go { movetime: Some(Duration::from_millis(millis)), ..Go::default() },
        SearchLimit::Depth(depth) => Go { depth: Some(depth.into()), ..Go::default() },
    }
}

impl Analyst for External {
    fn forget(&mut self) -> Result<(), AnalystError> {
        self.begin_game().map_err(|error| named(&self.command, error))
    }

    fn search(&mut self, pos: &Position, request: &Request) -> Result<Searched, AnalystError> {
        let searched = match request.only {
            Some(mv) => self.ask_move(pos, mv, request),
            None => self.ask(pos, &go(request.limit), request.lines).map(|(_, searched)| searched),
        };
        searched.map_err(|error| named(&self.command, error))
    }

    fn nodes(&self) -> u64 {
        self.nodes
    }
}

/// The line of an `info`; none without a score, and where it tells no more than a bound.
fn of_info(pos: &Position, info: &Info, nodes: u64) -> Option<SearchedLine> {
    let score = info.score?.exact()?;
    let pv = legal_part(pos, info.pv.iter().copied());
    if pv.is_empty() {
        return None;
    }
    Some(SearchedLine { score, depth: info.depth.unwrap_or(0), nodes, pv })
}

/// The last line of each place.
#[derive(Default)]
struct Lines(BTreeMap<u32, SearchedLine>);

impl Lines {
    fn take(&mut self, place: u32, line: SearchedLine) {
        self.0.insert(place, line);
    }

    /// The lines in their order; of two with one move, which are of two iterations, the deeper one.
    fn distinct(self) -> Vec<SearchedLine> {
        let mut kept: Vec<SearchedLine> = Vec::new();
        for line in self.0.into_values() {
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
    use komainu::notation::score::ReportedScore;

    #[test]
    fn lines_are_read_as_far_as_they_are_legal() {
        let pos = Position::startpos();
        let read = |line: &str| of_info(&pos, &Info::read(line).unwrap_or_default(), 5);
        let found = read("info depth 9 multipv 2 score cp -35 nodes 5 pv 7g7f 3c3d 7g7f").unwrap();
        assert_eq!((found.score, found.depth, found.pv.len()), (ReportedScore::Centipawns(-35), 9, 2));
        assert_eq!(read("info depth 9 score cp 5 pv 7g7e"), None);
        assert_eq!(read("info depth 9 nodes 5"), None);
        assert_eq!(read("info depth 9 score cp 5 lowerbound pv 7g7f"), None, "a bound is no score");
        let mate = read("info depth 9 score mate - pv 7g7f").unwrap();
        assert_eq!(mate.score, ReportedScore::UnknownMate { wins: false });
    }

    #[test]
    fn of_two_lines_with_one_move_the_deeper_one_counts() {
        let line = |cp: i32, depth: u32, mv: &str| SearchedLine {
            score: ReportedScore::Centipawns(cp),
            depth,
            nodes: 5,
            pv: vec![mv.parse().unwrap()],
        };
        let mut lines = Lines::default();
        lines.take(1, line(90, 3, "7g7f"));
        lines.take(2, line(40, 3, "2g2f"));
        lines.take(1, line(70, 4, "7g7f"));
        assert_eq!(lines.distinct(), [line(70, 4, "7g7f"), line(40, 3, "2g2f")]);
        let mut lines = Lines::default();
        lines.take(1, line(70, 4, "7g7f"));
        lines.take(2, line(60, 3, "7g7f"));
        assert_eq!(lines.distinct(), [line(70, 4, "7g7f")], "one move in two iterations");
    }
}
