//! What engines and solvers answer, as Python has it: objects of the classes of the module `_engines`.

use crate::errors::EngineError;
use crate::limits::Asked;
use crate::moves::{object, objects};
use komainu::notation::score::{InfoScore, ReportedScore};
use komainu::protocol::{BestMove, Info};
use komainu_tools::client::Answer;
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;

/// An answer: an object of the class of this name, made of its fields.
pub(crate) fn answer<'py>(py: Python<'py>, class: &str, fields: impl PyCallArgs<'py>) -> PyResult<Py<PyAny>> {
    Ok(py.import("komainu._engines")?.getattr(class)?.call1(fields)?.unbind())
}

/// A line whose moves are legal.
pub(crate) fn line(py: Python<'_>, info: &Info) -> PyResult<Py<PyAny>> {
    let (score, bound) = match info.score {
        Some(InfoScore::Exact(score)) => (Some(score), None),
        Some(InfoScore::AtLeast(score)) => (Some(score), Some("lower")),
        Some(InfoScore::AtMost(score)) => (Some(score), Some("upper")),
        None => (None, None),
    };
    let mate = score.and_then(ReportedScore::as_mate);
    let mate_sign = match score {
        Some(ReportedScore::Mate(plies)) => plies.signum(),
        Some(ReportedScore::UnknownMate { wins: true }) => 1,
        Some(ReportedScore::UnknownMate { wins: false }) => -1,
        Some(ReportedScore::Centipawns(_)) | None => 0,
    };
    let fields = (
        objects(py, &info.pv)?,
        score.and_then(ReportedScore::as_centipawns),
        mate,
        mate_sign,
        bound,
        info.depth.unwrap_or(0),
        info.seldepth,
        info.multi_pv.unwrap_or(1),
        info.nodes.unwrap_or(0),
        info.time.map(|time| time.as_secs_f64()),
        info.nps,
        info.hashfull,
    );
    answer(py, "Line", fields)
}

/// The result of a search by an engine of this name.
pub(crate) fn result(py: Python<'_>, name: &str, asked: &Asked, answer: &Answer) -> PyResult<Py<PyAny>> {
    let decision = answer.decision(&asked.pos).map_err(|error| EngineError::new_err(format!("{name}: {error}")))?;
    let found = answer.lines(&asked.pos, &decision);
    let mut lines = Vec::new();
    for info in found.iter().take(asked.lines) {
        lines.push(line(py, info)?);
    }
    let mut mv = None;
    let mut reply = None;
    if let BestMove::Move(decided, expected) = decision {
        mv = Some(object(py, decided)?);
        reply = expected.map(|expected| object(py, expected)).transpose()?;
    }
    let fields = (lines, mv, reply, decision == BestMove::Resign, decision == BestMove::Win);
    self::answer(py, "Result", fields)
}
