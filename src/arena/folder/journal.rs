//! The writing side of a match folder.

use super::reader::{
    FolderError, GAMES_FILE, GameLineFault, MatchFolder, PLAN_FILE, read_games, read_plan, refuse_faults,
};
use crate::arena::plan::Plan;
use crate::notation::json::GameLine;
use crate::storage;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The open journal of a match.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    games: File,
}

impl Journal {
    /// Begins a match in a folder, which is made if it is not there and must hold no match.
    pub fn create(folder: &Path, plan: &Plan) -> Result<Journal, FolderError> {
        let games_file = folder.join(GAMES_FILE);
        if Journal::exists(folder) {
            return Err(FolderError::Exists(folder.to_path_buf()));
        }
        fs::create_dir_all(folder).map_err(|error| FolderError::Io(folder.to_path_buf(), error))?;
        let journal = Journal { folder: folder.to_path_buf(), games: open(&games_file)? };
        journal.write_plan(plan)?;
        Ok(journal)
    }

    /// Tests whether a folder holds a match with games.
    pub fn exists(folder: &Path) -> bool {
        fs::metadata(folder.join(GAMES_FILE)).is_ok_and(|data| data.len() > 0)
    }

    /// Goes on with the match in a folder: its plan and the games that have ended.
    pub fn resume(folder: &Path) -> Result<(Journal, MatchFolder), FolderError> {
        let plan = read_plan(folder)?;
        let games_file = folder.join(GAMES_FILE);
        let mut games = open(&games_file)?;
        let fail = |error| FolderError::Io(games_file.clone(), error);
        let mut bytes = Vec::new();
        games.read_to_end(&mut bytes).map_err(fail)?;
        let (read, notes) = read_games(&plan, &bytes, true);
        refuse_faults(folder, &notes)?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let is_torn = notes.iter().any(|note| note.fault == GameLineFault::Torn);
        // The next line must not be written behind half a line, nor behind one that lacks its end.
        if is_torn {
            games.set_len(whole as u64).map_err(fail)?;
        }
        games.seek(SeekFrom::End(0)).map_err(fail)?;
        if !is_torn && whole < bytes.len() {
            games.write_all(b"\n").map_err(fail)?;
        }
        let journal = Journal { folder: folder.to_path_buf(), games };
        Ok((journal, MatchFolder { plan, games: read, notes }))
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes the plan, which may have grown.
    pub fn write_plan(&self, plan: &Plan) -> Result<(), FolderError> {
        let path = self.folder.join(PLAN_FILE);
        let text = toml::to_string(plan).map_err(|error| FolderError::Unwritable(path.clone(), error))?;
        write_whole(&path, text.as_bytes())
    }

    /// Adds a game and waits until it is on the disk. A line that could not be written whole is taken back.
    pub fn add(&mut self, line: &GameLine) -> Result<(), FolderError> {
        let fail = |error| FolderError::Io(self.folder.join(GAMES_FILE), error);
        let text = serde_json::to_string(line).map_err(|error| fail(error.into()))?;
        let length = self.games.seek(SeekFrom::End(0)).map_err(fail)?;
        let written = self.games.write_all(format!("{text}\n").as_bytes()).and_then(|()| self.games.sync_data());
        if written.is_err() {
            // What cannot be taken back is torn, which every reader knows.
            _ = self.games.set_len(length);
        }
        written.map_err(fail)
    }
}

/// Opens the file of games for this process alone.
fn open(path: &Path) -> Result<File, FolderError> {
    let fail = |error| FolderError::Io(path.to_path_buf(), error);
    let mut options = OpenOptions::new();
    let file = storage::open_regular(path, options.read(true).write(true).create(true)).map_err(fail)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(FolderError::InUse(path.parent().unwrap_or(path).to_path_buf())),
        // A file system without locks: play on.
        Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// Writes a file so that it is there as a whole or not at all.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), FolderError> {
    storage::write_whole(path, bytes).map_err(|error| FolderError::Io(path.to_path_buf(), error))
}

/// Writes the folder of a match that has been played already, which must hold none yet.
pub fn write_match(folder: &Path, plan: &Plan, games: &[GameLine]) -> Result<(), FolderError> {
    let mut journal = Journal::create(folder, plan)?;
    let path = folder.join(GAMES_FILE);
    let mut text = String::new();
    for game in games {
        text.push_str(&serde_json::to_string(game).map_err(|error| FolderError::Io(path.clone(), error.into()))?);
        text.push('\n');
    }
    let written = journal.games.write_all(text.as_bytes()).and_then(|()| journal.games.sync_data());
    written.map_err(|error| FolderError::Io(path, error))
}
