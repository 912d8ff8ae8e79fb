//! Analyses of games.

use crate::errors::EngineError;
use crate::lines::answer;
use crate::moves::{object, objects};
use crate::numbers::maybe;
use crate::record::Record;
use crate::task;
use komainu::notation::score::ReportedScore;
use komainu::position::GameRules;
use komainu_tools::analysis::{AssessedMove, Assessment, SearchLimit, Study, StudyGame, StudySettings};
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
) -> PyResult<Vec<Py<PyAny>>> {
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
    let judged = assessment.moves.iter().filter(|made| searched.contains(&(made.ply - 1)));
    judged.map(|made| judgement(py, made)).collect()
}

/// A `Judgement` of the module `_engines`.
fn judgement(py: Python<'_>, made: &AssessedMove) -> PyResult<Py<PyAny>> {
    let fields = (
        made.ply,
        object(py, made.mv)?,
        &made.text,
        made.verdict.loss,
        made.verdict.label.map(|label| label.english()),
        objects(py, made.best_line())?,
        made.played.and_then(ReportedScore::as_centipawns),
        made.played.and_then(ReportedScore::as_mate),
        made.best.and_then(ReportedScore::as_centipawns),
        made.best.and_then(ReportedScore::as_mate),
    );
    answer(py, "Judgement", fields)
}
