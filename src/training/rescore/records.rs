//! Old records with the scores of the present engine.
//!
//! The records that a filter kept are about half of a game's positions, so that a search of each can be twice as long
//! as in the games at the same cost. They are searched in blocks, each with a hash table that is empty at its start:
//! neighbours in a file are mostly of one game, and a search that goes on from the one before sees deeper.

use super::RescoreError;
use crate::position::Position;
use crate::training::records::{RECORD_BYTES, Record, Records};
use crate::training::selfplay::{Player, SelfPlayError, SelfPlayFault, SelfPlaySettings, Sink, Source, produce};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use thiserror::Error;

/// Records of a block.
const BLOCK: usize = 512;

/// A file of records that are to have new scores.
#[derive(Debug)]
pub struct OldRecords {
    path: PathBuf,
    /// Number of records in the file.
    pub count: u64,
}

/// Why a file of records cannot be made.
#[derive(Debug, Error)]
pub enum RecordsOutputFault {
    /// It cannot be made, read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is there, and nobody said that it is to go on.
    #[error("the file exists; --resume goes on with it")]
    Exists,
    /// Another process is at work on it.
    #[error("another process is writing to it")]
    InUse,
    /// It holds a record of a position that is not the one of the old records at that place.
    #[error("byte {0}: not the position of the old records")]
    Other(u64),
    /// It is longer than the old records.
    #[error("it is longer than the old records")]
    Longer,
}

/// A file of rescored records that grows by blocks.
#[derive(Debug)]
pub struct RecordsOutput {
    path: PathBuf,
    file: File,
    blocks: u64,
}

impl RecordsOutput {
    /// Makes a file, or goes on with the one that is there if that is wanted and if it holds the positions with which
    /// the old records begin. With which settings it was made is not written in it.
    pub fn open(path: &Path, old: &OldRecords, resume: bool) -> Result<RecordsOutput, RescoreError> {
        let fail = |fault| RescoreError::Output(path.to_path_buf(), fault);
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        let file = if resume { options.create(true).truncate(false) } else { options.create_new(true) }.open(path);
        let mut file = file.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => fail(RecordsOutputFault::Exists),
            _ => fail(error.into()),
        })?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(fail(RecordsOutputFault::InUse)),
            // A file system without locks is no reason not to work.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let length = file.metadata().map_err(|error| fail(error.into()))?.len();
        let blocks = length / (BLOCK * RECORD_BYTES) as u64;
        let kept = blocks * BLOCK as u64;
        // A block that a crash tore is made again.
        let mut there = Records::new(BufReader::new(&file), &path.display().to_string());
        let mut asked = Records::open(&old.path)?;
        for number in 0..kept {
            let place = || number * RECORD_BYTES as u64;
            let (Some(made), Some(old)) = (there.next().transpose()?, asked.next().transpose()?) else {
                return Err(fail(RecordsOutputFault::Longer));
            };
            if made.0.position != old.0.position {
                return Err(fail(RecordsOutputFault::Other(place())));
            }
        }
        let end = kept * RECORD_BYTES as u64;
        file.set_len(end).and_then(|()| file.seek(SeekFrom::Start(end))).map_err(|error| fail(error.into()))?;
        Ok(RecordsOutput { path: path.to_path_buf(), file, blocks })
    }

    /// Number of records that the blocks hold that were there at the start.
    pub fn records(&self) -> u64 {
        self.blocks * BLOCK as u64
    }
}

impl Sink for RecordsOutput {
    type Item = Vec<Record>;

    fn place(&self) -> u64 {
        self.blocks
    }

    fn is_full(&self) -> bool {
        false
    }

    fn write(&mut self, block: &Vec<Record>) -> Result<(), SelfPlayError> {
        let bytes: Vec<u8> = block.iter().flat_map(Record::encode).collect();
        self.blocks += 1;
        self.file.write_all(&bytes).map_err(|error| SelfPlayError::Records(self.path.clone(), error))
    }
}

impl OldRecords {
    /// Reads the file from end to end, so that whatever is wrong with it is known before the work begins.
    pub fn open(path: &Path) -> Result<OldRecords, RescoreError> {
        let mut count = 0;
        for record in Records::open(path)? {
            record?;
            count += 1;
        }
        Ok(OldRecords { path: path.to_path_buf(), count })
    }

    /// Writes the records behind those that the output holds already, until none is left or a stop is asked for; then
    /// the blocks that have begun are brought to their end. `on_progress` is called with each block that was written,
    /// and without one twice a second.
    pub fn rescore(
        &self,
        settings: &SelfPlaySettings,
        threads: usize,
        output: &mut RecordsOutput,
        stop: &AtomicBool,
        on_progress: &mut dyn FnMut(Option<&Vec<Record>>),
    ) -> Result<(), RescoreError> {
        let mut records = Records::open(&self.path)?;
        for record in records.by_ref().take(output.records() as usize) {
            record?;
        }
        let source = Unscored { settings, left: Mutex::new((output.blocks, records)) };
        Ok(produce(&source, threads, output, stop, on_progress)?)
    }
}

/// The records that are left, with the place of the next block.
struct Unscored<'a> {
    settings: &'a SelfPlaySettings,
    left: Mutex<(u64, Records<BufReader<File>>)>,
}

impl<'a> Source for Unscored<'a> {
    type Worker = Player<'a>;
    type Job = Vec<(Record, Position)>;
    type Item = Vec<Record>;

    fn worker(&self) -> Result<Player<'a>, SelfPlayFault> {
        Player::new(self.settings)
    }

    fn next(&self) -> Option<(u64, Result<Self::Job, SelfPlayFault>)> {
        let mut left = self.left.lock().expect("no thread panics while it reads");
        let (place, records) = &mut *left;
        let block: Result<Vec<_>, _> = records.by_ref().take(BLOCK).collect();
        if block.as_ref().is_ok_and(Vec::is_empty) {
            return None;
        }
        *place += 1;
        Some((*place - 1, block.map_err(|error| SelfPlayFault::Source(error.to_string()))))
    }

    fn make(&self, player: &mut Player<'a>, block: Self::Job) -> Result<Vec<Record>, SelfPlayFault> {
        player.rescore_records(&block)
    }
}
