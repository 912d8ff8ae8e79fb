//! Shards of a match that were played in several folders, joined to one match.

use super::folder::{FolderError, MatchFolder, MatchGame};
use super::pairing::{Pairing, PairingError};
use super::plan::{Plan, Tournament};
use crate::notation::json::{EngineIdentity, GameLine};
use crate::types::Quoted;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why folders are not joined.
#[derive(Debug, Error)]
pub enum MatchMergeError {
    /// A folder cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The plan of a folder differs from that of the first: both folders, and the key of `match.toml`.
    #[error("{}: match.toml differs from that of {}: {}", .1.display(), .0.display(), .2)]
    Differs(PathBuf, PathBuf, &'static str),
    /// The plan has no games.
    #[error("{}: {}", .0.display(), .1)]
    Pairing(PathBuf, #[source] PairingError),
    /// Games of a Swiss tournament follow from each other: they cannot be joined.
    #[error("{}: the rounds of a Swiss tournament cannot be joined", .0.display())]
    Swiss(PathBuf),
    /// An engine is not the one that played in another folder: both folders, its name, and what differs.
    #[error("{}: engine {} is not that of {}: {}", .1.display(), Quoted(.2), .0.display(), .3)]
    Engine(PathBuf, PathBuf, String, String),
    /// Two folders hold a game, counted from 1, and not the same one.
    #[error("{} and {} hold different games {}", .0.display(), .1.display(), .2)]
    Doubled(PathBuf, PathBuf, u64),
}

/// A match joined from its shards.
#[derive(Clone, Debug, PartialEq)]
pub struct MergedMatch {
    /// The plan of the whole match.
    pub plan: Plan,
    /// The games by their numbers, each once.
    pub games: Vec<GameLine>,
    /// Number of games of the whole match.
    pub total: u64,
    /// Engines whose files are not the same everywhere, as when each machine has built its own.
    pub notices: Vec<String>,
}

/// Joins the matches of these folders, whose plans are the same but for their shards. The order of the folders does not
/// matter. A game that is in several folders counts once.
pub fn merge(folders: &[PathBuf]) -> Result<MergedMatch, MatchMergeError> {
    let mut whole: Option<(&Path, Plan)> = None;
    let mut games: BTreeMap<u64, (&Path, GameLine)> = BTreeMap::new();
    let mut notices = BTreeSet::new();
    for folder in folders {
        let MatchFolder { plan, games: lines, .. } = MatchFolder::read_strictly(folder)?;
        let plan = of_no_machine(plan);
        match &mut whole {
            Some((first, known)) => {
                if let Some(key) = known.difference(&plan) {
                    return Err(MatchMergeError::Differs(first.to_path_buf(), folder.clone(), key));
                }
                known.machines.extend(plan.machines);
                for (engine, other) in known.engines.iter_mut().zip(&plan.engines) {
                    let fail =
                        |what| MatchMergeError::Engine(first.to_path_buf(), folder.clone(), engine.name.clone(), what);
                    if join_identities(&mut engine.identity, &other.identity).map_err(fail)? {
                        notices.insert(format!("the files of {} are not the same in all folders", engine.name));
                    }
                }
            }
            None => {
                if plan.tournament == Tournament::Swiss {
                    return Err(MatchMergeError::Swiss(folder.clone()));
                }
                whole = Some((folder, plan));
            }
        }
        for MatchGame { line, .. } in lines {
            match games.get(&line.game) {
                Some((other, known)) if *known != line => {
                    return Err(MatchMergeError::Doubled(other.to_path_buf(), folder.clone(), line.game + 1));
                }
                Some(_) => {}
                None => _ = games.insert(line.game, (folder, line)),
            }
        }
    }
    let (first, mut plan) = whole.ok_or_else(|| FolderError::Missing(PathBuf::new()))?;
    plan.machines.sort_by(|one, other| (&one.host, &one.cpu, one.cores).cmp(&(&other.host, &other.cpu, other.cores)));
    plan.machines.dedup();
    let total = Pairing::new(&plan).map_err(|error| MatchMergeError::Pairing(first.to_path_buf(), error))?.total();
    let games = games.into_values().map(|(_, line)| line).collect();
    Ok(MergedMatch { plan, games, total, notices: notices.into_iter().collect() })
}

/// A plan of the whole match, without what each machine may have for itself.
fn of_no_machine(plan: Plan) -> Plan {
    let Plan { concurrency, affinity, log, .. } = Plan::new(Vec::new(), 0);
    Plan { shard: None, concurrency, affinity, log, ..plan }
}

/// Joins two identities of an engine. Whether its files differ, which are then known no more; an error says what keeps
/// it from being one engine.
fn join_identities(known: &mut Option<EngineIdentity>, other: &Option<EngineIdentity>) -> Result<bool, String> {
    let (Some(known), Some(other)) = (known.as_mut(), other) else {
        *known = None;
        return Ok(false);
    };
    known.check_name_and_options(other)?;
    let is_same = known.has_files_of(other);
    if !is_same {
        known.files.clear();
    }
    Ok(!is_same && !other.files.is_empty())
}
