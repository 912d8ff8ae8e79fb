//! The list of the games of a folder, which is that of a match.

use crate::arena::folder::{FolderError, MatchJournal};
use crate::arena::plan::{EnginePlan, Plan};
use komainu::notation::json::GameLine;
use komainu::storage::JournalError;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// Longest wait for a folder that another process writes to.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Adds a game to the list of its folder. `fresh` is the list as it is with this game alone.
pub(super) fn add_to_list(folder: &Path, fresh: &Plan, mut line: GameLine) -> Result<(), FolderError> {
    let deadline = Instant::now() + LOCK_TIMEOUT;
    let mut journal = loop {
        let opened = if MatchJournal::exists(folder) {
            MatchJournal::resume(folder).map(|(journal, read)| {
                let next = read.games.iter().map(|game| game.line.game + 1).max();
                (journal, read.plan, next)
            })
        } else {
            MatchJournal::create(folder, fresh).map(|journal| (journal, fresh.clone(), None))
        };
        match opened {
            Err(FolderError::Journal(JournalError::InUse(..)) | FolderError::Exists(_))
                if Instant::now() < deadline =>
            {
                thread::sleep(Duration::from_millis(50));
            }
            Err(error) => return Err(error),
            Ok((journal, mut plan, next)) => {
                (line.game, line.pair) = (next.unwrap_or(0), next.unwrap_or(0));
                let known = plan.engines.len();
                let is_new = |player: &&EnginePlan| plan.engine_index(&player.name).is_none();
                let new: Vec<EnginePlan> = fresh.engines.iter().filter(is_new).cloned().collect();
                plan.engines.extend(new);
                if plan.engines.len() > known {
                    journal.write_plan(&plan)?;
                }
                break journal;
            }
        }
    };
    journal.add(&line)
}
