//! Mates (tsume): one question, or many to a solver that is kept.

use crate::board::Board;
use crate::errors::{Undecided, bad_value};
use crate::lines::answer;
use crate::moves::{PyMove, objects};
use crate::numbers::{maybe, number};
use crate::task;
use komainu::host::lock;
use komainu::mate::{
    FirstMove, MateAnswer, MateLimits, MateProgress, MateReport, OpenReason, Query, Solver, spawn_deep,
};
use komainu::position::Position;
use komainu::types::{Move, StopToken};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// The most memory of the tables of a solver, in megabytes.
const MAX_HASH: u64 = 33_554_432;

/// Nodes of a question that is asked without limits.
const USUAL_NODES: u64 = 1_000_000;

fn in_words(reason: OpenReason) -> &'static str {
    match reason {
        OpenReason::Time => "the time was up",
        OpenReason::Nodes => "the number of nodes was reached",
        OpenReason::Memory => "there is not enough memory to prove the mate",
        OpenReason::Stopped => "it was stopped",
        _ => "the solver ended before it had an answer",
    }
}

/// A `Solution` of the module `_engines`. Its proof is written when somebody asks for it.
fn solution(py: Python<'_>, pos: Position, report: MateReport, cooks: Option<Vec<Move>>) -> PyResult<Py<PyAny>> {
    let verdict = match &report.answer {
        MateAnswer::Mate(_) => "mate",
        MateAnswer::NoMate => "nomate",
        MateAnswer::Unknown(_) => "unknown",
    };
    let reason = match report.answer {
        MateAnswer::Unknown(reason) => Some(in_words(reason)),
        _ => None,
    };
    let mut line = Vec::new();
    let mut length = None;
    let mut is_exact = false;
    let mut left_over = BTreeMap::new();
    if let MateAnswer::Mate(mate) = &report.answer {
        line = objects(py, &mate.line)?;
        length = Some(mate.length);
        is_exact = mate.is_exact;
        left_over = mate.left_over.iter().map(|(kind, count)| (kind.to_string(), *count)).collect();
    }
    let cooks = cooks.map(|moves| objects(py, &moves)).transpose()?;
    let mut write = None;
    if let Some(proof) = report.proof {
        let text = move |_: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {
            let mut text = Vec::new();
            proof.write(&pos, &mut text)?;
            Ok::<_, PyErr>(String::from_utf8(text).expect("a proof is text"))
        };
        write = Some(PyCFunction::new_closure(py, None, None, text)?);
    }
    answer(py, "Solution", (verdict, reason, line, length, is_exact, left_over, cooks, report.nodes, write))
}

/// Limits of a question, as callers give them.
#[derive(Clone, Copy)]
struct Limits {
    nodes: Option<u64>,
    time: Option<Duration>,
    shortest: bool,
}

impl Limits {
    fn read(nodes: Option<&Bound<'_, PyAny>>, time_ms: Option<&Bound<'_, PyAny>>, shortest: bool) -> PyResult<Limits> {
        let time = maybe("time_ms", time_ms, 1, u64::MAX)?.map(Duration::from_millis);
        let nodes = maybe("nodes", nodes, 1, u64::MAX)?;
        Ok(Limits { nodes: nodes.or(if time.is_none() { Some(USUAL_NODES) } else { None }), time, shortest })
    }

    fn query<'a>(&self, stop: &'a StopToken) -> Query<'a> {
        let limits = MateLimits { time: self.time, nodes: self.nodes, stop: Some(stop) };
        Query { limits, shortest: self.shortest, ..Query::default() }
    }
}

/// The position of a board, which is free again after that.
fn position(board: PyRef<'_, Board>) -> Position {
    board.pos.without_history()
}

fn new_solver(megabytes: usize) -> PyResult<Solver> {
    Solver::new(megabytes).map_err(|error| PyMemoryError::new_err(error.to_string()))
}

fn hash_mb(value: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    Ok(maybe("hash_mb", value, 1, MAX_HASH)?.unwrap_or(64) as usize)
}

/// A solver of mates that is kept: what it has learnt about a problem serves the next question, and short mates are
/// answered in microseconds. One question at a time; `stop()` from another thread, or Ctrl-C, ends it.
///
/// hash_mb: megabytes of its tables, 64 if nothing is said.
///
/// >>> solver = MateSolver(hash_mb=16)
/// >>> solver.solve(Board("8k/9/8P/9/9/9/9/9/9 b 2G 1"))
/// <Solution mate 1 exact G*1b>
#[pyclass(module = "komainu", frozen)]
pub(crate) struct MateSolver {
    solver: Mutex<Solver>,
    stop: StopToken,
    /// Megabytes of its tables.
    #[pyo3(get)]
    hash_mb: usize,
}

#[pymethods]
impl MateSolver {
    #[new]
    #[pyo3(signature = (hash_mb=None))]
    fn new(hash_mb: Option<&Bound<'_, PyAny>>) -> PyResult<MateSolver> {
        let hash_mb = self::hash_mb(hash_mb)?;
        Ok(MateSolver { solver: Mutex::new(new_solver(hash_mb)?), stop: StopToken::new(), hash_mb })
    }

    /// Looks for a mate by the side to move. An answer that the limits have cut short is a Solution, too, whose verdict
    /// is "unknown".
    ///
    /// nodes: positions that are expanded at most, 1,000,000 if there is no limit of time either. time_ms:
    /// milliseconds. shortest: search on until no shorter mate exists. cooks: find the other first moves that mate,
    /// within the same limits again. progress: is called with nodes, seconds, and the length of the mate so far or
    /// None, after a tenth of a second and then once a second; what it raises ends the search.
    ///
    /// Errors: ValueError for a limit out of range.
    #[pyo3(signature = (board, *, nodes=None, time_ms=None, shortest=true, cooks=true, progress=None))]
    #[allow(clippy::too_many_arguments)]
    fn solve(
        &self,
        py: Python<'_>,
        board: PyRef<'_, Board>,
        nodes: Option<&Bound<'_, PyAny>>,
        time_ms: Option<&Bound<'_, PyAny>>,
        shortest: bool,
        cooks: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let limits = Limits::read(nodes, time_ms, shortest)?;
        let pos = position(board);
        self.stop.reset();
        let raised = Mutex::new(None);
        let report = |told: &MateProgress| {
            let Some(progress) = &progress else { return };
            let called =
                Python::attach(|py| progress.call1(py, (told.nodes, told.time.as_secs_f64(), told.mate)).err());
            if let Some(error) = called {
                *lock(&raised) = Some(error);
                self.stop.stop();
            }
        };
        let mut query = limits.query(&self.stop);
        if progress.is_some() {
            query.progress = Some(&report);
        }
        let solved = task::run(py, || self.stop.stop(), || solve(&mut lock(&self.solver), &pos, &query, cooks))?;
        match raised.into_inner().unwrap_or_default() {
            Some(error) => Err(error),
            None => solution(py, pos, solved.report, solved.cooks),
        }
    }

    /// The mating moves, or None if there is no mate, as `mate()` of the module.
    ///
    /// Errors: Undecided if the limits are reached first; ValueError for a limit out of range.
    #[pyo3(signature = (board, *, nodes=None, time_ms=None, shortest=true))]
    fn mate(
        &self,
        py: Python<'_>,
        board: PyRef<'_, Board>,
        nodes: Option<&Bound<'_, PyAny>>,
        time_ms: Option<&Bound<'_, PyAny>>,
        shortest: bool,
    ) -> PyResult<Option<Vec<Py<PyMove>>>> {
        let limits = Limits::read(nodes, time_ms, shortest)?;
        self.stop.reset();
        mating_moves(py, &self.solver, &self.stop, &position(board), limits)
    }

    /// Ends the question under way, from another thread. Without one nothing happens.
    fn stop(&self) {
        self.stop.stop();
    }

    fn __repr__(&self) -> String {
        format!("<MateSolver {} MB>", self.hash_mb)
    }
}

/// The answer to a question, and the other first moves that mate, if they were asked for and found out.
struct Solved {
    report: MateReport,
    cooks: Option<Vec<Move>>,
}

fn solve(solver: &mut Solver, pos: &Position, query: &Query, wants_cooks: bool) -> Solved {
    let report = solver.solve(pos, query);
    let mut cooks = None;
    if wants_cooks && let MateAnswer::Mate(mate) = &report.answer {
        let mut others = Some(Vec::new());
        for (mv, found) in solver.first_moves(pos, &Query { shortest: false, ..*query }) {
            match found {
                FirstMove::Mate(_) if mv != mate.line[0] => others = others.map(|others| [others, vec![mv]].concat()),
                FirstMove::Unknown(_) => others = None,
                _ => {}
            }
        }
        cooks = others;
    }
    Solved { report, cooks }
}

/// The mating moves, found on this thread if they take no time, else on one that Ctrl-C ends.
fn mating_moves(
    py: Python<'_>,
    solver: &Mutex<Solver>,
    stop: &StopToken,
    pos: &Position,
    limits: Limits,
) -> PyResult<Option<Vec<Py<PyMove>>>> {
    let query = limits.query(stop);
    let report = match py.detach(|| lock(solver).solve_shallow(pos, &query)) {
        Ok(report) => report,
        Err(limits) => task::run(py, || stop.stop(), || lock(solver).solve(pos, &Query { limits, ..query }))?,
    };
    match &report.answer {
        MateAnswer::Mate(mate) => objects(py, &mate.line).map(Some),
        MateAnswer::NoMate => Ok(None),
        MateAnswer::Unknown(reason) => Err(Undecided::new_err(in_words(*reason))),
    }
}

/// Looks for a mate by the side to move (tsume): its moves against the longest resistance, or None if there is none,
/// however long. A `MateSolver` that is kept answers many questions faster.
///
/// nodes: positions that are expanded at most, 1,000,000 if there is no limit of time either. time_ms: milliseconds.
/// shortest: search on until no shorter mate exists. hash_mb: megabytes of the solver's tables, 64 if nothing is said.
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
    let hash_mb = self::hash_mb(hash_mb)?;
    let limits = Limits::read(nodes, time_ms, shortest)?;
    mating_moves(py, &Mutex::new(new_solver(hash_mb)?), &StopToken::new(), &position(board), limits)
}

/// A row of the answers to many questions: verdict (1 a mate, -1 none, 0 unknown), length in plies, whether that is
/// exact, bits of the first move, nodes.
type Row = (i8, u32, bool, u16, u64);

/// Solves the problems of boards and texts of positions on so many threads, each with a solver that it keeps.
#[pyfunction]
pub(crate) fn solve_rows(
    py: Python<'_>,
    boards: &Bound<'_, PyAny>,
    threads: &Bound<'_, PyAny>,
    nodes: Option<&Bound<'_, PyAny>>,
    time_ms: Option<&Bound<'_, PyAny>>,
    shortest: bool,
    hash_mb: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<Row>> {
    let hash_mb = self::hash_mb(hash_mb)?;
    let limits = Limits::read(nodes, time_ms, shortest)?;
    let mut problems = Vec::new();
    for (number, board) in boards.try_iter()?.enumerate() {
        let board = board?;
        match board.extract::<PyRef<'_, Board>>() {
            Ok(board) => problems.push(board.pos.without_history()),
            Err(_) => match Board::read(&board.extract::<String>()?) {
                Ok(board) => problems.push(board.pos),
                Err(error) => return Err(bad_value(format_args!("board {number}: {}", error.value(py)))),
            },
        }
    }
    let threads = match number("threads", threads, 0, 1_024)? as usize {
        0 => thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let stop = StopToken::new();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut solver = new_solver(hash_mb)?;
        let mut rows = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(pos) = problems.get(number) else { return Ok::<_, PyErr>(rows) };
            let report = solver.solve(pos, &limits.query(&stop));
            let row = match &report.answer {
                MateAnswer::Mate(mate) => (1, mate.length, mate.is_exact, mate.line[0].bits(), report.nodes),
                MateAnswer::NoMate => (-1, 0, false, 0, report.nodes),
                MateAnswer::Unknown(_) => (0, 0, false, 0, report.nodes),
            };
            rows.push((number, row));
        }
    };
    let solved = task::run(
        py,
        || stop.stop(),
        || {
            thread::scope(|scope| {
                let crew = (0..threads.min(problems.len())).map(|_| spawn_deep(scope, "komainu", work));
                let crew = crew.collect::<Result<Vec<_>, _>>()?;
                let mut rows = Vec::new();
                for worker in crew {
                    rows.extend(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
                }
                Ok::<_, PyErr>(rows)
            })
        },
    )?;
    let mut rows = solved?;
    rows.sort_unstable_by_key(|&(number, _)| number);
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}
