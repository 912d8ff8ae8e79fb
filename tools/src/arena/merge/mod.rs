//! A match of which several workers play parts, each into a folder of its own, joined to one.
//!
//! The work is known by the numbers of its pairs alone, so any worker may vanish, and its pairs may be played again
//! by another one. Each pair counts once ([`MatchUnion`]). The folders are joined once they are played ([`merge`])
//! or while they grow ([`Follower`]).

mod follow;
mod union;

pub use follow::Follower;
pub use union::MatchUnion;

use super::folder::{FolderError, MatchFolder, PLAN_FILE};
use super::plan::Plan;
use komainu::notation::json::GameLine;
use std::fs;
use std::path::{Path, PathBuf};

/// A match joined from its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct MergedMatch {
    /// The plan of the whole match.
    pub plan: Plan,
    /// The games by their numbers, each once.
    pub games: Vec<GameLine>,
    /// Number of games of the whole match.
    pub total: u64,
    /// Remarks: engines whose files are not the same everywhere, as when each machine has built its own, and pairs that
    /// were played more than once.
    pub notices: Vec<String>,
}

/// Joins the matches of these folders, whose plans are the same but for the part that each plays. The order of the
/// folders does not matter. A pair that several folders have counts once.
pub fn merge(folders: &[PathBuf]) -> Result<MergedMatch, FolderError> {
    let mut union = MatchUnion::default();
    for folder in folders.iter().flat_map(|folder| match_folders(folder)) {
        let MatchFolder { plan, games, .. } = MatchFolder::read_strictly(&folder)?;
        let source = union.join(&folder, plan)?;
        games.into_iter().for_each(|game| union.offer(source, game));
    }
    union.take_pairs();
    union.take_rest();
    let (notices, total) = (union.notices(), union.total());
    let MatchFolder { plan, games, .. } = union.into_whole().ok_or_else(|| FolderError::Missing(PathBuf::new()))?;
    let mut games: Vec<GameLine> = games.into_iter().map(|game| game.line).collect();
    games.sort_by_key(|line| line.game);
    Ok(MergedMatch { plan, games, total, notices })
}

/// The folders of matches that this path names: itself, or if it holds none the folders in it that do.
pub fn match_folders(path: &Path) -> Vec<PathBuf> {
    let has_plan = |path: &Path| path.join(PLAN_FILE).exists();
    if has_plan(path) {
        return vec![path.to_path_buf()];
    }
    let inside = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = inside.filter(|path| has_plan(path)).collect();
    found.sort();
    if found.is_empty() { vec![path.to_path_buf()] } else { found }
}

/// A path by which two spellings of it are known as the same.
pub fn place(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}
