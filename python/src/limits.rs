//! What an engine is asked: a position, limits, and whether it is a game or an analysis.

use crate::board::Board;
use crate::errors::bad_value;
use crate::moves::AnyMove;
use crate::numbers::{MAX_MILLIS, maybe};
use komainu::movegen::is_legal;
use komainu::position::Position;
use komainu::protocol::Go;
use komainu::types::Move;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::Duration;

/// A question to an engine.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) pos: Position,
    pub(crate) go: Go,
    /// Lines, at most.
    pub(crate) lines: usize,
    /// The search ends with a mate in so many plies or fewer.
    pub(crate) mate: Option<i32>,
    /// A move of a game is wanted, at the level and by the book that are set; else an analysis.
    pub(crate) is_game: bool,
}

impl Asked {
    /// Reads the limits, which may be None each; the board is free again after that.
    pub(crate) fn read(board: PyRef<'_, Board>, is_game: bool, limits: &Bound<'_, PyDict>) -> PyResult<Asked> {
        let pos = board.pos.clone();
        drop(board);
        let mut go = Go {
            nodes: limit(limits, "nodes", u64::MAX)?,
            depth: limit(limits, "depth", 1_000)?,
            movetime: limit(limits, "movetime_ms", MAX_MILLIS)?.map(Duration::from_millis),
            ..Go::default()
        };
        if let Some(clock) = given(limits, "clock")? {
            let time = seconds(&clock, "time")?;
            let increment = seconds(&clock, "increment")?;
            let byoyomi = seconds(&clock, "byoyomi")?;
            go.time = [Some(time); 2];
            if !increment.is_zero() {
                go.increment = [Some(increment); 2];
            }
            if !byoyomi.is_zero() || increment.is_zero() {
                go.byoyomi = Some(byoyomi);
            }
        }
        if let Some(moves) = given(limits, "searchmoves")? {
            go.search_moves = search_moves(&pos, &moves)?;
        }
        go.infinite = !is_game && !go.is_bounded();
        let lines = limit(limits, "multipv", 600)?.unwrap_or(1) as usize;
        let mate = limit(limits, "mate", 10_000)?.map(|plies| plies as i32);
        Ok(Asked { pos, go, lines, mate, is_game })
    }
}

/// An argument, unless it is None or not there.
fn given<'py>(limits: &Bound<'py, PyDict>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let value = limits.get_item(name)?;
    Ok(value.filter(|value| !value.is_none()))
}

fn limit(limits: &Bound<'_, PyDict>, name: &str, most: u64) -> PyResult<Option<u64>> {
    maybe(name, limits.get_item(name)?.as_ref(), 1, most)
}

/// A time of a clock, to the millisecond.
fn seconds(clock: &Bound<'_, PyAny>, name: &str) -> PyResult<Duration> {
    let Ok(value) = clock.getattr(name) else {
        return Err(PyTypeError::new_err(format!("clock: {clock} is no Clock")));
    };
    let time = Duration::try_from_secs_f64(value.extract()?).ok();
    let time = time.filter(|time| time.as_millis() <= u128::from(MAX_MILLIS));
    time.ok_or_else(|| bad_value(format_args!("clock: {name}: {value} is no time in seconds")))
}

fn search_moves(pos: &Position, moves: &Bound<'_, PyAny>) -> PyResult<Vec<Move>> {
    let mut wanted = Vec::new();
    for mv in moves.try_iter()? {
        let AnyMove(mv) = mv?.extract()?;
        if !is_legal(pos, mv) {
            return Err(bad_value(format_args!("searchmoves: {mv} is not legal")));
        }
        wanted.push(mv);
    }
    if wanted.is_empty() { Err(bad_value("searchmoves: there is none")) } else { Ok(wanted) }
}
