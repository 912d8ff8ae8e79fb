//! The folder of a match that others play, read as it grows.

use super::reader::{FolderError, GAMES_FILE, LineReader, MatchGame, PLAN_FILE, read_plan, refuse_faults};
use crate::arena::plan::Plan;
use komainu::host::open_file;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A folder of a match that grows, or that is not there yet.
#[derive(Debug)]
pub struct FolderTail {
    folder: PathBuf,
    /// Reader of the games, once there is a plan.
    reader: Option<LineReader>,
    /// Length and time of the plan that was read.
    plan_state: Option<(u64, SystemTime)>,
    /// Bytes of the games that have been read, up to the end of a line.
    offset: u64,
}

/// Growth of a folder since it was last read.
#[derive(Debug, Default)]
pub struct Growth {
    /// The plan, if it is new or was written anew.
    pub plan: Option<Plan>,
    /// Games that have ended.
    pub games: Vec<MatchGame>,
}

impl FolderTail {
    /// A folder of which nothing has been read yet.
    pub fn new(folder: &Path) -> FolderTail {
        FolderTail { folder: folder.to_path_buf(), reader: None, plan_state: None, offset: 0 }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Reads what has come since the last time. A line without its end is being written, or was torn by a kill: it is
    /// read once it is whole.
    pub fn read(&mut self) -> Result<Growth, FolderError> {
        let mut growth = Growth { plan: self.read_plan()?, games: Vec::new() };
        let Some(reader) = &mut self.reader else { return Ok(growth) };
        let path = self.folder.join(GAMES_FILE);
        let bytes = read_behind(&path, &mut self.offset).map_err(|error| FolderError::Io(path, error))?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let (games, notes) = reader.read(&bytes[..whole]);
        refuse_faults(&self.folder, &notes)?;
        self.offset += whole as u64;
        growth.games = games;
        Ok(growth)
    }

    /// The plan, if it is there and not the one that was read.
    fn read_plan(&mut self) -> Result<Option<Plan>, FolderError> {
        let Some(state) = state_of(&self.folder.join(PLAN_FILE)) else { return Ok(None) };
        if self.plan_state == Some(state) {
            return Ok(None);
        }
        let plan = match read_plan(&self.folder) {
            // It has just been taken away.
            Err(FolderError::Missing(_)) => return Ok(None),
            read => read?,
        };
        self.reader.get_or_insert_with(|| LineReader::new(&plan, true));
        self.plan_state = Some(state);
        Ok(Some(plan))
    }
}

/// Length and time of a file, if it is there.
fn state_of(path: &Path) -> Option<(u64, SystemTime)> {
    let data = fs::metadata(path).ok()?;
    Some((data.len(), data.modified().ok()?))
}

/// The bytes of a file behind those that have been read. A shorter file is one that was begun anew.
fn read_behind(path: &Path, offset: &mut u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let length = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(bytes),
        data => data?.len(),
    };
    if length < *offset {
        *offset = 0;
    }
    if length > *offset {
        let mut file = open_file(path)?;
        file.seek(SeekFrom::Start(*offset))?;
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}
