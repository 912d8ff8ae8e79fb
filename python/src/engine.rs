//! Analyses of games.

use crate::errors::EngineError;
use crate::moves::{PyMove, object, objects};
use crate::numbers::maybe;
use crate::record::Record;
use crate::task;
use komainu::notation::score::ReportedScore;
use komainu::position::GameRules;
use komainu::types::Move;
use komainu_tools::analysis::{Assessment, SearchLimit, Study, StudyGame, StudySettings};
use komainu_tools::analyst::Own;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Analyses a game and judges its moves; what was judged until a stop is returned.
pub(crate) fn analyse(
    py: Python<'_>,
    mut own: Own,
    rules: GameRules,
    record: &Record,
    nodes: Option<&Bound<'_, PyAny>>,
    multipv: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<Judgement>> {
    let settings = StudySettings {
        limit: SearchLimit::Nodes(maybe("nodes", nodes, 1, u64::MAX)?.unwrap_or(100_000)),
        lines: maybe("multipv", multipv, 1, 600)?.unwrap_or(2) as usize,
        rules,
        ..StudySettings::default()
    };
    let record = record.record();
    let game = StudyGame { start: record.start.clone(), moves: record.moves.iter().map(|made| made.mv).collect() };
    let stopped = own.stop_token();
    let halt = AtomicBool::new(false);
    let stop = || {
        halt.store(true, Ordering::Relaxed);
        stopped.stop();
    };
    let steps = task::run(py, stop, || {
        let mut steps = Vec::new();
        for block in game.blocks(&settings) {
            let mut study = Study::new(&mut own, settings, None, &halt);
            let ran = study.run(&game, &block, &mut |step| {
                if !stopped.is_stopped() {
                    steps.push(step);
                }
                Ok(())
            });
            ran.map_err(|error| EngineError::new_err(error.to_string()))?;
            if stopped.is_stopped() {
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
