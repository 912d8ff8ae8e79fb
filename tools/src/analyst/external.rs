//! Another program that speaks USI as the one that searches.
//!
//! A move that is not among its best lines is judged by the position after it, with as many nodes: not every program
//! knows `searchmoves`.

use super::{Analyst, AnalystError, EARLY_DEPTH, Request, SearchLimit, Searched, SearchedLine};
use crate::client::{EngineError, Infos, Setup, UsiEngine};
use crate::process::Launch;
use komainu::notation::score::{InfoScore, ReportedScore};
use komainu::position::Position;
use komainu::protocol::{Go, Info, PositionCommand};
use komainu::types::{Move, Quoted};
use std::time::Duration;

/// Options of a program that is to search: its own book would answer in its place, and lines that it keeps to itself for
/// a while would be missing after a short search.
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
    /// It was told of a new game.
    has_game: bool,
}

impl External {
    /// Starts a program and makes it ready.
    pub fn start(program: &Program) -> Result<External, AnalystError> {
        let engine = start(program).map_err(|error| named(&program.command, error))?;
        Ok(External { engine, command: program.command.clone(), has_game: false })
    }

    /// Name that it gives itself, or its command.
    pub fn name(&self) -> &str {
        if self.engine.name().is_empty() { &self.command } else { self.engine.name() }
    }

    fn begin_game(&mut self) -> Result<(), EngineError> {
        self.has_game = true;
        self.engine.new_game()
    }

    fn ask(&mut self, pos: &Position, go: &Go, lines: usize) -> Result<Searched, EngineError> {
        if !self.has_game {
            self.begin_game()?;
        }
        // What it has learnt stays: an engine takes the number of lines without `isready`.
        self.engine.set_lines(lines)?;
        let answer = self.engine.ask(&PositionCommand::of_game(pos), go)?;
        let decision = answer.decision(pos)?;
        let mut early = Vec::new();
        let mut last_score = None;
        for info in &answer.infos {
            let Some(score) = info.score.and_then(InfoScore::exact) else { continue };
            if info.multi_pv.unwrap_or(1) != 1 {
                continue;
            }
            let depth = info.depth.unwrap_or(0);
            last_score = Some((score, depth));
            if let Some(&mv) = info.pv.first()
                && depth as usize <= EARLY_DEPTH
            {
                early.push(mv);
            }
        }
        let lines = answer.lines(pos, &decision);
        let lines = lines.into_iter().filter_map(|info| searched_line(info, last_score)).collect();
        Ok(Searched { lines, early })
    }

    /// The position after a move, seen from the side that makes it.
    fn ask_move(&mut self, pos: &Position, mv: Move, request: &Request) -> Result<Searched, EngineError> {
        let after = pos.after(mv);
        let mut lines = self.ask(&after, &go(request.limit), 1)?.lines;
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
    set_to_search(&mut engine)?;
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

/// Sets the options of a program that is to search by itself and to show all that it finds.
pub fn set_to_search(engine: &mut UsiEngine) -> Result<(), EngineError> {
    for (name, value) in OWN_OPTIONS {
        match engine.set_if_taken(name, value) {
            // One that takes no such value has no such habit.
            Err(EngineError::Option(..)) => {}
            result => result?,
        }
    }
    Ok(())
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
            None => self.ask(pos, &go(request.limit), request.lines),
        };
        searched.map_err(|error| named(&self.command, error))
    }
}

/// A line of an answer; none without a score. A bound is no score: all that was said of the move that the program decided
/// on may be one, and its line has the last score of the best move then, with the depth of that.
fn searched_line(info: Info, last_score: Option<(ReportedScore, u32)>) -> Option<SearchedLine> {
    let (score, depth) = match info.score? {
        InfoScore::Exact(score) => (score, info.depth.unwrap_or(0)),
        InfoScore::AtLeast(_) | InfoScore::AtMost(_) => last_score?,
    };
    Some(SearchedLine { score, depth, nodes: info.nodes.unwrap_or(0), pv: info.pv })
}
