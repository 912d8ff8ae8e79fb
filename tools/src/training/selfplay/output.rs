//! The file that games go to.
//!
//! Each game is handed to the system at once, so that a process that is killed loses none; a crash of the machine may
//! tear the last record, which is cut off when the work goes on.

use crate::training::games::{Game, GamesReader, MAX_RECORD, header};
use crate::training::{DataError, ReadError, ReadFault};
use komainu::storage::{Head, Journal};
use std::path::Path;

/// A file of games that grows.
#[derive(Debug)]
pub struct GamesOutput {
    journal: Journal,
    games: u64,
    positions: u64,
}

impl GamesOutput {
    /// Makes a file, or goes on with the one that is there if that is wanted and it was made with the same settings.
    /// `on_game` is called with every game that it holds.
    pub fn open(
        path: &Path,
        description: &str,
        resume: bool,
        on_game: &mut dyn FnMut(&Game),
    ) -> Result<GamesOutput, DataError> {
        let journal = Journal::open(path, resume)?;
        let mut output = GamesOutput { journal, games: 0, positions: 0 };
        if output.journal.begin(&header(description))? != Head::New {
            output.go_on(description, on_game)?;
        }
        Ok(output)
    }

    /// Reads what is there and cuts off a game that was torn.
    fn go_on(&mut self, description: &str, on_game: &mut dyn FnMut(&Game)) -> Result<(), DataError> {
        let input = self.journal.reader().map_err(self.journal.fail())?;
        let mut reader = GamesReader::new(input, &self.journal.path().display().to_string())?;
        if reader.description() != description {
            return Err(self.journal.other_settings(reader.description(), description).into());
        }
        for game in reader.by_ref() {
            match game {
                Ok(game) => {
                    self.games += 1;
                    self.positions += game.positions();
                    on_game(&game);
                }
                Err(error) if is_torn(&error, self.journal.length()) => break,
                Err(error) => return Err(error.into()),
            }
        }
        let end = reader.offset();
        drop(reader);
        Ok(self.journal.keep(end)?)
    }

    /// Number of games in the file.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Number of positions in it that are not random.
    pub fn positions(&self) -> u64 {
        self.positions
    }

    pub fn write(&mut self, game: &Game) -> Result<(), DataError> {
        self.journal.append(&game.encode())?;
        self.games += 1;
        self.positions += game.positions();
        Ok(())
    }

    /// Waits until all games are on the disk.
    pub fn sync(&mut self) -> Result<(), DataError> {
        Ok(self.journal.sync()?)
    }
}

/// Tests whether the fault may be that of a last record which was not written whole. What is cut off with it is played
/// again.
pub(in crate::training) fn is_torn(error: &ReadError, length: u64) -> bool {
    matches!(error.fault, ReadFault::Torn(_)) && length.saturating_sub(error.offset) <= MAX_RECORD as u64
}
