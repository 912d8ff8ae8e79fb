//! An engine of a match: started as the plan says, and told from another build by its files.

use super::identity::identity;
use super::plan::EnginePlan;
use crate::client::{EngineError, Infos, Patience, Setup, Transcript, UsiEngine};
use crate::process::Launch;
use komainu::notation::json::EngineIdentity;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

/// A file with its length in bytes and the time of its last change, if they are known.
pub type FileStamp = (PathBuf, Option<(u64, SystemTime)>);

fn file_stamp(path: PathBuf) -> FileStamp {
    let found = std::fs::metadata(&path).and_then(|found| Ok((found.len(), found.modified()?))).ok();
    (path, found)
}

/// An engine that was started as a plan says.
#[derive(Debug)]
pub struct MatchEngine {
    pub engine: UsiEngine,
    /// Options of the plan that it does not list; they were sent all the same.
    pub unlisted: Vec<String>,
}

impl MatchEngine {
    /// Starts the engine on these cores (all if there are none) and sends its options, before them those of `common`
    /// that it lists and the plan does not set. A value that it does not take is an error. What is said goes to the
    /// transcript also if it cannot be started.
    pub fn start(
        plan: &EnginePlan,
        common: &[(&str, String)],
        patience: Patience,
        transcript: &Transcript,
        cores: &[usize],
        halt: &Arc<AtomicBool>,
    ) -> Result<MatchEngine, EngineError> {
        let launch = Launch::new(&plan.command, plan.folder.as_deref());
        let launch = launch.map_err(|error| EngineError::Start(plan.command.clone(), error))?;
        let launch = launch.on_cores(cores.to_vec());
        let listener = Arc::new(transcript.clone());
        let mut engine =
            UsiEngine::start(&launch, Setup { infos: Infos::Last, patience, listener, halt: Some(Arc::clone(halt)) })?;
        let is_planned = |name: &str| plan.options.keys().any(|key| key.eq_ignore_ascii_case(name));
        for (name, value) in common.iter().filter(|(name, _)| !is_planned(name)) {
            engine.set_if_taken(name, value)?;
        }
        let mut unlisted = Vec::new();
        for (name, value) in &plan.options {
            match engine.set(name, value) {
                Err(EngineError::NotListed(_)) => {
                    unlisted.push(name.clone());
                    engine.set_unlisted(name, value)?;
                }
                result => result?,
            }
        }
        Ok(MatchEngine { engine, unlisted })
    }

    /// Program that the engine is: name, files and options.
    pub fn identity(&self) -> EngineIdentity {
        identity(&self.engine)
    }

    /// Lengths and times of its files: they change when a file is replaced.
    pub fn file_stamps(&self) -> Vec<FileStamp> {
        self.engine.files().into_iter().map(file_stamp).collect()
    }
}
