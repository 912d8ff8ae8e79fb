//! The engine within this process: searches, static evaluations, analyses of games, mates.

use crate::board::Board;
use crate::moves::{PyMove, object, objects};
use crate::numbers::{Bounds, maybe, number};
use crate::record::Record;
use crate::{EngineError, Undecided, bad_value, task};
use komainu::eval::nnue::Net;
use komainu::eval::{Evaluation, NetFile, StaticEvaluation};
use komainu::host::lock;
use komainu::mate::{MateAnswer, MateLimits, OpenReason, Query, Solver};
use komainu::notation::score::ReportedScore;
use komainu::position::{GameRules, Position, RuleSet};
use komainu::search::Limits;
use komainu::types::{Move, StopToken};
use komainu_tools::analysis::{Assessment, Own, SearchLimit, SearchedLine, Study, StudyGame, StudySettings};
use komainu_tools::analyst::{Analyst, Searched};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A search that a caller asks for.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) pos: Position,
    pub(crate) bounds: Bounds,
    /// Lines, at most.
    pub(crate) lines: usize,
}

impl Asked {
    /// The search of a board within nodes, depth, time and number of lines; the board is free again after that.
    pub(crate) fn new(
        board: PyRef<'_, Board>,
        [nodes, depth, movetime_ms, multipv]: [Option<&Bound<'_, PyAny>>; 4],
    ) -> PyResult<Asked> {
        Ok(Asked {
            bounds: Bounds::new(nodes, depth, movetime_ms)?,
            lines: maybe("multipv", multipv, 1, 600)?.unwrap_or(1) as usize,
            pos: board.pos.clone(),
        })
    }
}

/// A line of a search, best first: `pv` (moves), `score_cp` or `mate`, `depth` in plies, `nodes` of the whole search.
#[pyclass(module = "komainu", frozen)]
#[derive(Clone)]
pub(crate) struct Line {
    pub(crate) pv: Vec<Move>,
    pub(crate) score: Option<ReportedScore>,
    /// Depth in plies.
    #[pyo3(get)]
    pub(crate) depth: u32,
    /// Nodes of the search that it is from, all lines together.
    #[pyo3(get)]
    pub(crate) nodes: u64,
}

impl From<SearchedLine> for Line {
    fn from(line: SearchedLine) -> Line {
        Line { pv: line.pv, score: Some(line.score), depth: line.depth, nodes: line.nodes }
    }
}

#[pymethods]
impl Line {
    /// The moves, legal one after the other.
    #[getter]
    fn pv(&self, py: Python<'_>) -> PyResult<Vec<Py<PyMove>>> {
        objects(py, &self.pv)
    }

    /// Centipawns from the view of the side to move; None if the score is a mate.
    #[getter]
    fn score_cp(&self) -> Option<i32> {
        self.score.and_then(ReportedScore::as_centipawns)
    }

    /// Plies to the mate: above zero if the side to move mates, below if it is mated; None if the score is no mate.
    #[getter]
    fn mate(&self) -> Option<i32> {
        self.score.and_then(ReportedScore::as_mate)
    }

    fn __repr__(&self) -> String {
        let pv: Vec<String> = self.pv.iter().map(Move::to_string).collect();
        let score = self.score.map_or("?".to_string(), |score| score.to_string());
        format!("<Line {score} depth {} pv {}>", self.depth, pv.join(" "))
    }
}

/// The engine within this process. It keeps what it has learnt from search to search until `clear()`.
///
/// hash_mb: megabytes of the transposition table; 100 more are taken for histories. threads: threads of a search.
/// eval_file: a net in place of the one that is built in. rules: "WCSC", "Floodgate" and so on, or None.
///
/// A search lets other Python threads run; `stop()` from one of them, or Ctrl-C, ends it. An engine belongs to the
/// process that made it: after a fork the child makes its own.
///
/// >>> e = Engine(hash_mb=1)
/// >>> line, = e.search(Board("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), depth=3)
/// >>> str(line.pv[0]), line.mate, line.score_cp
/// ('G*5b', 1, None)
#[pyclass(module = "komainu", frozen)]
pub(crate) struct Engine {
    own: Mutex<Option<Own>>,
    stop: StopToken,
    evaluation: Evaluation,
    rules: GameRules,
    /// The process whose threads search.
    process: u32,
    /// Threads that search.
    #[pyo3(get)]
    threads: usize,
}

impl Engine {
    /// The engine, unless this process has none of its threads.
    fn own(&self) -> PyResult<MutexGuard<'_, Option<Own>>> {
        if self.process != process::id() {
            let told = "an engine does not go through a fork: make a new one in the child process";
            return Err(PyRuntimeError::new_err(told));
        }
        Ok(lock(&self.own))
    }

    pub(crate) fn stop_token(&self) -> &StopToken {
        &self.stop
    }

    pub(crate) fn rules(&self) -> GameRules {
        self.rules
    }

    pub(crate) fn search_here(&self, pos: &Position, bounds: &Bounds, lines: usize) -> PyResult<Searched> {
        let limits = Limits {
            nodes: bounds.nodes,
            depth: bounds.depth.map(|depth| depth as usize),
            movetime: bounds.movetime,
            multi_pv: lines,
            infinite: bounds.is_endless(),
            ..Limits::default()
        };
        let mut own = self.own()?;
        own.as_mut().expect("it is there until the end").search_within(pos, &limits).map_err(bad_value)
    }

    pub(crate) fn clear_here(&self) -> PyResult<()> {
        let mut own = self.own()?;
        own.as_mut()
            .expect("it is there until the end")
            .forget()
            .map_err(|error| EngineError::new_err(error.to_string()))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // In another process there are no threads that could be ended.
        if self.process != process::id() {
            std::mem::forget(self.own.get_mut().unwrap_or_else(PoisonError::into_inner).take());
        }
    }
}

/// The most memory of a table that is asked for, as USI has it.
const MAX_HASH: u64 = 33_554_432;

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (hash_mb=None, threads=None, *, eval_file=None, rules=None))]
    fn new(
        py: Python<'_>,
        hash_mb: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
        eval_file: Option<PathBuf>,
        rules: Option<&str>,
    ) -> PyResult<Engine> {
        let hash = maybe("hash_mb", hash_mb, 1, MAX_HASH)?.unwrap_or(64) as usize;
        let threads = maybe("threads", threads, 1, 512)?.unwrap_or(1) as usize;
        let rules = match rules {
            None => GameRules::default(),
            Some(name) => name.parse::<RuleSet>().map_err(bad_value)?.rules(),
        };
        let made = task::run(
            py,
            || (),
            || {
                let evaluation = match &eval_file {
                    None => Evaluation::default(),
                    Some(path) => {
                        let NetFile { net, fv_scale, .. } = NetFile::read(path, None, None).map_err(bad_value)?;
                        Evaluation { net: Net::clone(&net), fv_scale }
                    }
                };
                Ok::<_, PyErr>((Own::new(evaluation.clone(), threads, hash, rules), evaluation))
            },
        )?;
        let (own, evaluation) = made?;
        let stop = own.stop_token();
        let threads = own.threads();
        Ok(Engine { own: Mutex::new(Some(own)), stop, evaluation, rules, process: process::id(), threads })
    }

    /// Searches a position and returns its best lines, at most `multipv`; none if there is no legal move.
    ///
    /// nodes, depth (plies), movetime_ms: the limits; the first that is reached ends the search. Without one it ends by
    /// `stop()` or Ctrl-C. With one thread, nodes or depth, and after `clear()`, the result is always the same.
    ///
    /// Errors: ValueError for a limit out of range.
    #[pyo3(signature = (board, *, nodes=None, depth=None, movetime_ms=None, multipv=None))]
    fn search(
        &self,
        py: Python<'_>,
        board: PyRef<'_, Board>,
        nodes: Option<&Bound<'_, PyAny>>,
        depth: Option<&Bound<'_, PyAny>>,
        movetime_ms: Option<&Bound<'_, PyAny>>,
        multipv: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Line>> {
        let Asked { pos, bounds, lines } = Asked::new(board, [nodes, depth, movetime_ms, multipv])?;
        self.stop.reset();
        if pos.legal_moves().is_empty() {
            return Ok(Vec::new());
        }
        let searched = task::run(py, || self.stop.stop(), || self.search_here(&pos, &bounds, lines))??;
        Ok(searched.lines.into_iter().map(Line::from).collect())
    }

    /// Ends the search under way, from another thread; `search` then returns what was found. Without a search nothing
    /// happens.
    fn stop(&self) {
        self.stop.stop();
    }

    /// Forgets everything that searches have learnt: a new game begins.
    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        task::run(py, || (), || self.clear_here())?
    }

    /// The static evaluation of a position by the net, without a search: centipawns for the side to move.
    fn evaluate(&self, board: PyRef<'_, Board>) -> i32 {
        StaticEvaluation::of(&self.evaluation, &board.pos).score.0
    }

    /// Analyses a game: searches the position before each move, and the mates around it, and judges the moves.
    ///
    /// nodes: nodes of the search of a position; bad moves are looked at again with four times as many. multipv: lines
    /// of each position. Ctrl-C and `stop()` end it; what was judged until then is returned after `stop()`.
    #[pyo3(signature = (record, *, nodes=None, multipv=None))]
    fn analyse(
        &self,
        py: Python<'_>,
        record: PyRef<'_, Record>,
        nodes: Option<&Bound<'_, PyAny>>,
        multipv: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Judgement>> {
        let settings = StudySettings {
            limit: SearchLimit::Nodes(maybe("nodes", nodes, 1, u64::MAX)?.unwrap_or(100_000)),
            lines: maybe("multipv", multipv, 1, 600)?.unwrap_or(2) as usize,
            rules: self.rules,
            ..StudySettings::default()
        };
        let record = record.record();
        let game = StudyGame { start: record.start.clone(), moves: record.moves.iter().map(|made| made.mv).collect() };
        self.stop.reset();
        let halt = AtomicBool::new(false);
        let stop = || {
            halt.store(true, Ordering::Relaxed);
            self.stop.stop();
        };
        let steps = task::run(py, stop, || {
            let mut own = self.own()?;
            let own = own.as_mut().expect("it is there until the end");
            let mut steps = Vec::new();
            for block in game.blocks(&settings) {
                let mut study = Study::new(&mut *own, settings, None, &halt);
                let ran = study.run(&game, &block, &mut |step| {
                    if !self.stop.is_stopped() {
                        steps.push(step);
                    }
                    Ok(())
                });
                ran.map_err(|error| EngineError::new_err(error.to_string()))?;
                if self.stop.is_stopped() {
                    break;
                }
            }
            Ok::<_, PyErr>(steps)
        })??;
        let searched: Vec<usize> = steps.iter().map(|step| step.ply).collect();
        let assessment = Assessment::of(&record, steps, &settings, None);
        let judged = assessment.moves.into_iter().filter(|made| searched.contains(&(made.ply - 1)));
        Ok(judged.map(Judgement::from).collect())
    }

    fn __repr__(&self) -> String {
        format!("<Engine {}>", self.evaluation)
    }
}

/// A move of a game that was analysed. Scores are those of the side that moved.
#[pyclass(module = "komainu", frozen)]
pub(crate) struct Judgement {
    /// The number of the move, from 1.
    #[pyo3(get)]
    ply: usize,
    mv: Move,
    best: Vec<Move>,
    best_score: Option<ReportedScore>,
    score: Option<ReportedScore>,
    /// The winning chance that the move cost, 0 to 1.
    #[pyo3(get)]
    loss: f64,
    /// "Good move", "Inaccuracy", "Dubious move", "Mistake", "Blunder"; None for the rest.
    #[pyo3(get)]
    label: Option<&'static str>,
    /// The move in Japanese: ▲７六歩.
    #[pyo3(get)]
    text: String,
}

impl From<komainu_tools::analysis::AssessedMove> for Judgement {
    fn from(made: komainu_tools::analysis::AssessedMove) -> Judgement {
        Judgement {
            ply: made.ply,
            mv: made.mv,
            best: made.best_line().to_vec(),
            best_score: made.best,
            score: made.played,
            loss: made.verdict.loss,
            label: made.verdict.label.map(|label| label.english()),
            text: made.text,
        }
    }
}

#[pymethods]
impl Judgement {
    /// The move that was played.
    #[getter]
    fn r#move(&self, py: Python<'_>) -> PyResult<Py<PyMove>> {
        object(py, self.mv)
    }

    /// The best line in its place.
    #[getter]
    fn best_line(&self, py: Python<'_>) -> PyResult<Vec<Py<PyMove>>> {
        objects(py, &self.best)
    }

    /// The score of the move in centipawns; None for a mate and where nothing is known.
    #[getter]
    fn score_cp(&self) -> Option<i32> {
        self.score.and_then(ReportedScore::as_centipawns)
    }

    /// Plies to the mate after the move, below zero if its side is mated; None without a mate.
    #[getter]
    fn mate(&self) -> Option<i32> {
        self.score.and_then(ReportedScore::as_mate)
    }

    /// The score of the best move in centipawns; None for a mate and where nothing is known.
    #[getter]
    fn best_score_cp(&self) -> Option<i32> {
        self.best_score.and_then(ReportedScore::as_centipawns)
    }

    /// Plies to the mate after the best move; None without a mate.
    #[getter]
    fn best_mate(&self) -> Option<i32> {
        self.best_score.and_then(ReportedScore::as_mate)
    }

    fn __repr__(&self) -> String {
        format!("<Judgement {} {} {}>", self.ply, self.mv, self.label.unwrap_or("-"))
    }
}

/// Looks for a mate by the side to move (tsume): its moves against the longest resistance, or None if there is none,
/// however long.
///
/// nodes: positions that are expanded at most. time_ms: milliseconds. shortest: search on until no shorter mate exists.
/// hash_mb: megabytes of the solver's tables.
///
/// Errors: Undecided if the limits are reached first; ValueError for a limit out of range.
///
/// >>> [str(m) for m in mate(Board("4k4/9/4P4/9/9/9/9/9/9 b G 1"))]
/// ['G*5b']
/// >>> mate(Board()) is None
/// True
#[pyfunction]
#[pyo3(signature = (board, *, nodes=None, time_ms=None, shortest=true, hash_mb=None))]
pub(crate) fn mate(
    py: Python<'_>,
    board: PyRef<'_, Board>,
    nodes: Option<&Bound<'_, PyAny>>,
    time_ms: Option<&Bound<'_, PyAny>>,
    shortest: bool,
    hash_mb: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Vec<Py<PyMove>>>> {
    let hash = hash_mb.map_or(Ok(64), |value| number("hash_mb", value, 1, MAX_HASH))? as usize;
    let time = maybe("time_ms", time_ms, 1, u64::MAX)?.map(Duration::from_millis);
    let nodes = maybe("nodes", nodes, 1, u64::MAX)?.or(if time.is_none() { Some(1_000_000) } else { None });
    let pos = board.pos.without_history();
    drop(board);
    let stop = StopToken::new();
    let limits = MateLimits { time, nodes, stop: Some(&stop) };
    let query = Query { limits, shortest, ..Query::default() };
    let solve = || Solver::new(hash).map(|mut solver| solver.solve(&pos, &query).answer);
    let answer = task::run(py, || stop.stop(), solve)?;
    match answer.map_err(|error| PyMemoryError::new_err(error.to_string()))? {
        MateAnswer::Mate(mate) => objects(py, &mate.line).map(Some),
        MateAnswer::NoMate => Ok(None),
        MateAnswer::Unknown(reason) => Err(Undecided::new_err(match reason {
            OpenReason::Time => "the time was up",
            OpenReason::Nodes => "the number of nodes was reached",
            OpenReason::Memory => "there is not enough memory to prove the mate",
            _ => "the solver ended before it had an answer",
        })),
    }
}
