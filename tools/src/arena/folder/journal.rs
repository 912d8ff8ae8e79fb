//! The writing side of a match folder.

use super::reader::{
    FolderError, GAMES_FILE, GameLineFault, MatchFolder, PLAN_FILE, read_games, read_plan, refuse_faults,
};
use crate::arena::plan::Plan;
use komainu::notation::json::GameLine;
use komainu::storage::{self, Journal, JournalError};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The open journal of a match.
#[derive(Debug)]
pub struct MatchJournal {
    folder: PathBuf,
    games: Journal,
}

impl MatchJournal {
    /// Begins a match in a folder, which is made if it is not there and must hold no match.
    pub fn create(folder: &Path, plan: &Plan) -> Result<MatchJournal, FolderError> {
        fs::create_dir_all(folder).map_err(|error| FolderError::Io(folder.to_path_buf(), error))?;
        let games = match Journal::open(&folder.join(GAMES_FILE), false) {
            Err(JournalError::Begun(_)) => return Err(FolderError::Exists(folder.to_path_buf())),
            games => games?,
        };
        let journal = MatchJournal { folder: folder.to_path_buf(), games };
        journal.write_plan(plan)?;
        Ok(journal)
    }

    /// Tests whether a folder holds a match with games.
    pub fn exists(folder: &Path) -> bool {
        fs::metadata(folder.join(GAMES_FILE)).is_ok_and(|data| data.len() > 0)
    }

    /// Tests whether a process plays the match in a folder.
    pub fn is_in_use(folder: &Path) -> bool {
        Journal::is_in_use(&folder.join(GAMES_FILE))
    }

    /// Goes on with the match in a folder: its plan and the games that have ended.
    pub fn resume(folder: &Path) -> Result<(MatchJournal, MatchFolder), FolderError> {
        let plan = read_plan(folder)?;
        let mut games = Journal::open(&folder.join(GAMES_FILE), true)?;
        let mut bytes = Vec::new();
        games.reader().and_then(|mut reader| reader.read_to_end(&mut bytes)).map_err(games.fail())?;
        let (read, notes) = read_games(&plan, &bytes, true);
        refuse_faults(folder, &notes)?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        // The next line must not be written behind half a line, nor behind one that lacks its end.
        if notes.iter().any(|note| note.fault == GameLineFault::Torn) {
            games.keep(whole as u64)?;
        } else if whole < bytes.len() {
            games.append(b"\n")?;
        }
        let journal = MatchJournal { folder: folder.to_path_buf(), games };
        Ok((journal, MatchFolder { plan, games: read, notes }))
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes the plan, which may have grown.
    pub fn write_plan(&self, plan: &Plan) -> Result<(), FolderError> {
        let path = self.folder.join(PLAN_FILE);
        let text = toml::to_string(plan).map_err(|error| FolderError::Unwritable(path.clone(), error))?;
        write_whole(&path, text.as_bytes())
    }

    /// Adds a game and waits until it is on the disk.
    pub fn add(&mut self, line: &GameLine) -> Result<(), FolderError> {
        self.add_all(&[line])
    }

    /// Adds games and waits until they are on the disk: all of them or none.
    pub fn add_all(&mut self, lines: &[&GameLine]) -> Result<(), FolderError> {
        let mut text = String::new();
        for line in lines {
            text += &serde_json::to_string(line).map_err(|error| self.games.fail()(error.into()))?;
            text.push('\n');
        }
        self.games.append(text.as_bytes())?;
        Ok(self.games.sync()?)
    }
}

/// Writes a file so that it is there as a whole or not at all.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), FolderError> {
    storage::write_whole(path, bytes).map_err(|error| FolderError::Io(path.to_path_buf(), error))
}

/// Writes the folder of a match that has been played already, which must hold none yet.
pub fn write_match(folder: &Path, plan: &Plan, games: &[GameLine]) -> Result<(), FolderError> {
    MatchJournal::create(folder, plan)?.add_all(&games.iter().collect::<Vec<_>>())
}
