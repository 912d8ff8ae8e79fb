//! Shards of a match that were played in several folders, joined to one match.

use super::folder::{FolderError, MatchFolder, MatchGame};
use super::pairing::Pairing;
use super::plan::{Plan, Tournament};
use crate::notation::json::{EngineIdentity, GameLine};
use crate::types::Quoted;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

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
pub fn merge(folders: &[PathBuf]) -> Result<MergedMatch, FolderError> {
    let mut whole: Option<(&Path, Plan)> = None;
    let mut games: BTreeMap<u64, (&Path, GameLine)> = BTreeMap::new();
    let mut notices = BTreeSet::new();
    for folder in folders {
        let MatchFolder { plan, games: lines, .. } = MatchFolder::read_strictly(folder)?;
        let plan = of_no_machine(plan);
        match &mut whole {
            Some((first, known)) => {
                if let Some(key) = known.difference(&plan) {
                    return refused(folder, format_args!("match.toml differs from that of {}: {key}", first.display()));
                }
                known.machines.extend(plan.machines);
                for (engine, other) in known.engines.iter_mut().zip(&plan.engines) {
                    let joined = join_identities(&mut engine.identity, &other.identity);
                    let name = Quoted(&engine.name);
                    let fail = |what| format!("engine {name} is not that of {}: {what}", first.display());
                    if joined.map_err(|what| FolderError::Refused(folder.clone(), fail(what)))? {
                        notices.insert(format!("the files of {} are not the same in all folders", engine.name));
                    }
                }
            }
            None => {
                if plan.tournament == Tournament::Swiss {
                    return refused(folder, "the rounds of a Swiss tournament cannot be joined");
                }
                whole = Some((folder, plan));
            }
        }
        for MatchGame { line, .. } in lines {
            match games.get(&line.game) {
                Some((other, known)) if *known != line => {
                    return refused(folder, format_args!("game {} is not that of {}", line.game + 1, other.display()));
                }
                Some(_) => {}
                None => _ = games.insert(line.game, (folder, line)),
            }
        }
    }
    let (first, mut plan) = whole.ok_or_else(|| FolderError::Missing(PathBuf::new()))?;
    plan.machines.sort_by(|one, other| (&one.host, &one.cpu, one.cores).cmp(&(&other.host, &other.cpu, other.cores)));
    plan.machines.dedup();
    let total = Pairing::new(&plan).or_else(|error| refused(first, error))?.total();
    let games = games.into_values().map(|(_, line)| line).collect();
    Ok(MergedMatch { plan, games, total, notices: notices.into_iter().collect() })
}

/// The fault that a folder cannot be joined, with its reason.
fn refused<T>(folder: &Path, why: impl ToString) -> Result<T, FolderError> {
    Err(FolderError::Refused(folder.to_path_buf(), why.to_string()))
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
