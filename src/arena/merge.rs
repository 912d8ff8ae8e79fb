//! Shards of a match that were played in several folders, joined to one match.

use super::journal::{JournalError, read_games, read_plan};
use super::pairing::{GameAssignment, NextGame, Pairing, PairingError, ResultsByGame};
use super::plan::{MatchFormat, Plan};
use crate::notation::json::GameLine;
use crate::types::Color;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why folders are not joined.
#[derive(Debug, Error)]
pub enum MatchMergeError {
    /// A folder cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The plan of a folder differs from that of the first: both folders, and the key of `match.toml`.
    #[error("{}: match.toml differs from that of {}: {}", .1.display(), .0.display(), .2)]
    Differs(PathBuf, PathBuf, &'static str),
    /// The plan has no games.
    #[error("{}: {}", .0.display(), .1)]
    Pairing(PathBuf, #[source] PairingError),
    /// Games of a Swiss tournament follow from each other: they cannot be joined.
    #[error("{}: the rounds of a Swiss tournament cannot be joined", .0.display())]
    Swiss(PathBuf),
    /// A game, counted from 1, is not the one that the plan has under this number.
    #[error("{}: game {} is none of this match", .0.display(), .1)]
    Foreign(PathBuf, u64),
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
}

/// Joins the matches of these folders, whose plans are the same but for their shards. The order of the folders does not
/// matter. A game that is in several folders counts once.
pub fn merge(folders: &[PathBuf]) -> Result<MergedMatch, MatchMergeError> {
    let mut whole: Option<(&Path, Plan, Pairing)> = None;
    let mut games: BTreeMap<u64, (&Path, GameLine)> = BTreeMap::new();
    for folder in folders {
        let plan = Plan { shard: None, ..read_plan(folder)? };
        let (_, plan, pairing) = match &whole {
            Some((first, known, _)) => {
                if let Some(key) = known.difference(&plan) {
                    return Err(MatchMergeError::Differs(first.to_path_buf(), folder.clone(), key));
                }
                whole.as_ref().expect("it was just matched")
            }
            None => {
                if plan.format == MatchFormat::Swiss {
                    return Err(MatchMergeError::Swiss(folder.clone()));
                }
                let pairing = Pairing::new(&plan).map_err(|error| MatchMergeError::Pairing(folder.clone(), error))?;
                whole.insert((folder, plan, pairing))
            }
        };
        // Games stand in the order in which they ended: what is named must not depend on that.
        let mut lines = read_games(folder)?;
        lines.sort_by_key(|line| line.game);
        for line in lines {
            if !is_game_of(&line, plan, pairing) {
                return Err(MatchMergeError::Foreign(folder.clone(), line.game + 1));
            }
            match games.get(&line.game) {
                Some((other, known)) if *known != line => {
                    return Err(MatchMergeError::Doubled(other.to_path_buf(), folder.clone(), line.game + 1));
                }
                Some(_) => {}
                None => _ = games.insert(line.game, (folder, line)),
            }
        }
    }
    let (_, plan, pairing) = whole.ok_or_else(|| JournalError::Missing(PathBuf::new()))?;
    Ok(MergedMatch { plan, games: games.into_values().map(|(_, line)| line).collect(), total: pairing.total() })
}

/// Tests whether the plan has this pair and these players under the number of the game.
fn is_game_of(line: &GameLine, plan: &Plan, pairing: &Pairing) -> bool {
    let NextGame::Game(GameAssignment { pair, round, black, white, .. }) =
        pairing.game(line.game, &ResultsByGame::new())
    else {
        return false;
    };
    let index = |side: Color| plan.engine_index(&line.players[side]);
    (line.pair, line.round) == (pair, round) && [index(Color::Black), index(Color::White)] == [Some(black), Some(white)]
}
