//! A tuning as its folder tells of it, without the engine.

use super::data::INT;
use super::outcome::State;
use crate::arena::folder::{MatchFolder, MatchJournal};
use crate::arena::plan::TunePlan;
use crate::tuning::tuned::TunedOption;
use crate::tuning::tuner::{Tuner, TunerFault, planned_parameters};
use serde::Deserialize;
use std::path::Path;

/// Part of the JSON file that tells what the options of the parameters are.
#[derive(Deserialize)]
struct Written {
    parameters: Vec<WrittenOption>,
}

#[derive(Deserialize)]
struct WrittenOption {
    name: String,
    option: String,
    kind: String,
    scale: Option<f64>,
}

/// The tuning of a folder after the games that were read; `json` is what [`super::files`] has written there.
pub fn written_tuner(folder: &MatchFolder, tune: &TunePlan, json: &str) -> Result<Tuner, TunerFault> {
    let written: Written = serde_json::from_str(json).map_err(|_| TunerFault::Written)?;
    let parameters = planned_parameters(tune)?;
    if written.parameters.len() != parameters.len() {
        return Err(TunerFault::Written);
    }
    let options = parameters.into_iter().zip(written.parameters).map(|((_, parameter), known)| {
        let scale = if known.kind == INT { Some(1.0) } else { known.scale };
        let is_same = known.name == parameter.name;
        TunedOption::written(parameter, known.option, scale).filter(|_| is_same)
    });
    let options: Option<Vec<TunedOption>> = options.collect();
    let tuner = Tuner::new(&folder.plan, tune, options.ok_or(TunerFault::Written)?);
    folder.games.iter().for_each(|game| tuner.note(&game.line));
    Ok(tuner)
}

/// State of the tuning in a folder.
pub fn written_state(path: &Path, folder: &MatchFolder) -> State {
    match folder.games.len() as u64 == folder.plan.games {
        true => State::Complete,
        false if MatchJournal::is_in_use(path) => State::Running,
        false => State::BrokenOff,
    }
}
