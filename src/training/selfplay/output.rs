//! The file that games go to.
//!
//! Each game is handed to the system at once, so that a process that is killed loses none; a crash of the machine may
//! tear the last record, which is cut off when the work goes on.

use crate::training::games::{Game, GamesReadError, GamesReader, GamesWriter, MAX_RECORD};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use thiserror::Error;

/// A file of games that grows.
pub struct GamesOutput {
    path: PathBuf,
    writer: GamesWriter<File>,
    games: u64,
    positions: u64,
    synced: Instant,
}

/// Interval of syncs, so that a crash of the machine costs the games of this time at most.
const SYNC_INTERVAL: Duration = Duration::from_secs(30);

/// Fault of the file.
#[derive(Debug, Error)]
pub enum GamesOutputError {
    /// It cannot be made, read or written.
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, #[source] io::Error),
    /// It is there, and nobody said that it is to go on.
    #[error("{}: the file exists; --resume goes on with it", .0.display())]
    Exists(PathBuf),
    /// Another process is at work on it.
    #[error("{}: another process is writing to it", .0.display())]
    InUse(PathBuf),
    /// It was made with other settings: those of the file, and those that are asked for.
    #[error("{}: made with \"{}\", not with \"{}\"", .0.display(), .1, .2)]
    OtherSettings(PathBuf, String, String),
    /// It is damaged before its end, or no file of games.
    #[error(transparent)]
    Damaged(GamesReadError),
}

impl GamesOutput {
    /// Makes a file, or goes on with the one that is there if that is wanted and it was made with the same settings.
    /// `on_game` is called with every game that it holds.
    pub fn open(
        path: &Path,
        description: &str,
        resume: bool,
        on_game: &mut dyn FnMut(&Game),
    ) -> Result<GamesOutput, GamesOutputError> {
        let fail = |error| GamesOutputError::Io(path.to_path_buf(), error);
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        let file = match if resume { options.create(true).truncate(false) } else { options.create_new(true) }.open(path)
        {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(GamesOutputError::Exists(path.to_path_buf()));
            }
            Err(error) => return Err(fail(error)),
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(GamesOutputError::InUse(path.to_path_buf())),
            // A file system without locks is no reason not to work.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let length = file.metadata().map_err(fail)?.len();
        let header = GamesWriter::new(Vec::new(), description).map_err(fail)?.get_mut().clone();
        if length < header.len() as u64 && is_beginning(&file, &header).map_err(fail)? {
            file.set_len(0).map_err(fail)?;
            let writer = GamesWriter::new(file, description).map_err(fail)?;
            return Ok(GamesOutput {
                path: path.to_path_buf(),
                writer,
                games: 0,
                positions: 0,
                synced: Instant::now(),
            });
        }
        GamesOutput::go_on(path, file, description, on_game)
    }

    fn go_on(
        path: &Path,
        mut file: File,
        description: &str,
        on_game: &mut dyn FnMut(&Game),
    ) -> Result<GamesOutput, GamesOutputError> {
        let fail = |error| GamesOutputError::Io(path.to_path_buf(), error);
        let length = file.metadata().map_err(fail)?.len();
        let input = BufReader::new(file.try_clone().map_err(fail)?);
        let mut reader = GamesReader::new(input, &path.display().to_string()).map_err(GamesOutputError::Damaged)?;
        if reader.description() != description {
            let theirs = reader.description().to_string();
            return Err(GamesOutputError::OtherSettings(path.to_path_buf(), theirs, description.to_string()));
        }
        let (mut games, mut positions) = (0, 0);
        for game in reader.by_ref() {
            match game {
                Ok(game) => {
                    (games, positions) = (games + 1, positions + positions_of(&game));
                    on_game(&game);
                }
                Err(error) if is_torn(&error, length) => break,
                Err(error) => return Err(GamesOutputError::Damaged(error)),
            }
        }
        let end = reader.offset();
        file.set_len(end).map_err(fail)?;
        file.seek(SeekFrom::Start(end)).map_err(fail)?;
        Ok(GamesOutput {
            path: path.to_path_buf(),
            writer: GamesWriter::resume(file),
            games,
            positions,
            synced: Instant::now(),
        })
    }

    /// Number of games in the file.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Number of positions in it that are not random.
    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// Appends a game.
    pub fn write(&mut self, game: &Game) -> Result<(), GamesOutputError> {
        self.writer.write(game).map_err(|error| GamesOutputError::Io(self.path.clone(), error))?;
        self.games += 1;
        self.positions += positions_of(game);
        if self.synced.elapsed() >= SYNC_INTERVAL { self.sync() } else { Ok(()) }
    }

    /// Waits until all games are on the disk.
    pub fn sync(&mut self) -> Result<(), GamesOutputError> {
        self.synced = Instant::now();
        self.writer.get_mut().sync_data().map_err(|error| GamesOutputError::Io(self.path.clone(), error))
    }
}

fn positions_of(game: &Game) -> u64 {
    (game.plies().len() - game.opening()) as u64
}

/// Tests whether the file holds a part of the header, or nothing.
fn is_beginning(mut file: &File, header: &[u8]) -> io::Result<bool> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut file, &mut bytes)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(header.starts_with(&bytes))
}

/// Tests whether the fault may be that of a last record which was not written whole. What is cut off with it is played
/// again.
fn is_torn(error: &GamesReadError, length: u64) -> bool {
    error.fault.may_be_torn() && length.saturating_sub(error.offset) <= MAX_RECORD as u64
}
