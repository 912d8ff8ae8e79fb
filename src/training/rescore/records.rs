//! Old records with the scores of the present engine.
//!
//! The records that a filter kept are about half of a game's positions, so that a search of each can be twice as long
//! as in the games at the same cost. They are searched in blocks, each with a hash table that is empty at its start:
//! neighbours in a file are mostly of one game, and a search that goes on from the one before sees deeper.

use crate::position::Position;
use crate::storage::Journal;
use crate::training::DataError;
use crate::training::records::{RECORD_BYTES, Record, Records};
use crate::training::selfplay::{Player, SelfPlayFault, SelfPlaySettings, Sink, Source, produce};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

const BLOCK: usize = 512;

/// A file of records that are to have new scores.
#[derive(Debug)]
pub struct OldRecords {
    path: PathBuf,
    /// Number of records in the file.
    pub count: u64,
}

/// A file of rescored records that grows by blocks.
#[derive(Debug)]
pub struct RecordsOutput {
    journal: Journal,
    blocks: u64,
}

impl RecordsOutput {
    /// Makes a file, or goes on with the one that is there if that is wanted and if it holds the positions with which
    /// the old records begin. With which settings it was made is not written in it.
    pub fn open(path: &Path, old: &OldRecords, resume: bool) -> Result<RecordsOutput, DataError> {
        let mut journal = Journal::open(path, resume)?;
        let blocks = journal.length() / (BLOCK * RECORD_BYTES) as u64;
        let kept = blocks * BLOCK as u64;
        // A block that a crash tore is made again.
        let input = journal.reader().map_err(journal.fail())?;
        let mut there = Records::new(input, &path.display().to_string());
        let mut asked = Records::open(&old.path)?;
        for number in 0..kept {
            let fault = |why| journal.damaged(format_args!("byte {}", number * RECORD_BYTES as u64), why);
            let (Some(made), Some(old)) = (there.next().transpose()?, asked.next().transpose()?) else {
                return Err(fault("longer than the old records").into());
            };
            if made.0.position != old.0.position {
                return Err(fault("not the position of the old records").into());
            }
        }
        drop(there);
        journal.keep(kept * RECORD_BYTES as u64)?;
        Ok(RecordsOutput { journal, blocks })
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

    fn write(&mut self, block: &Vec<Record>) -> Result<(), DataError> {
        let bytes: Vec<u8> = block.iter().flat_map(Record::encode).collect();
        self.blocks += 1;
        self.journal.append(&bytes)?;
        Ok(())
    }
}

impl OldRecords {
    /// Reads the file from end to end, so that whatever is wrong with it is known before the work begins.
    pub fn open(path: &Path) -> Result<OldRecords, DataError> {
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
    ) -> Result<(), DataError> {
        let mut records = Records::open(&self.path)?;
        for record in records.by_ref().take(output.records() as usize) {
            record?;
        }
        let source = Unscored { settings, left: Mutex::new((output.blocks, records)) };
        produce(&source, threads, output, stop, on_progress)
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
        Some((*place - 1, block.map_err(|error| SelfPlayFault(error.to_string()))))
    }

    fn make(&self, player: &mut Player<'a>, block: Self::Job) -> Result<Vec<Record>, SelfPlayFault> {
        player.rescore_records(&block)
    }
}
