//! Old records with the scores of the present engine.
//!
//! The records that a filter kept are about half of a game's positions, so that a search of each can be twice as long
//! as in the games at the same cost. They are searched in blocks, each with a hash table that is empty at its start:
//! neighbours in a file are mostly of one game, and a search that goes on from the one before sees deeper. A share of
//! the work is every Nth block; its file begins with a line that says so.

use super::describe;
use crate::share::Shard;
use crate::training::DataError;
use crate::training::merge::checksum;
use crate::training::records::{
    BLOCK, BLOCK_BYTES, RECORD_BYTES, Record, RecordError, Records, block_length, share_head,
};
use crate::training::selfplay::{Player, SelfPlayFault, SelfPlaySettings, Sink, Source, produce};
use komainu::position::Position;
use komainu::storage::{Head, Journal};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

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
    /// the old records begin. With which settings it was made is written in that of a share alone.
    pub fn open(
        path: &Path,
        old: &OldRecords,
        settings: &SelfPlaySettings,
        resume: bool,
    ) -> Result<RecordsOutput, DataError> {
        let mut journal = Journal::open(path, resume)?;
        let head = match settings.part {
            Some(_) => share_head(&old.description(settings)?),
            None => Vec::new(),
        };
        if journal.begin(&head)? == Head::Other {
            let mut theirs = String::new();
            let read = journal.reader().and_then(|reader| reader.take(head.len() as u64).read_line(&mut theirs));
            let theirs = read.map_or("something else", |_| theirs.trim_end());
            return Err(journal.other_settings(theirs, String::from_utf8_lossy(&head).trim_end()).into());
        }
        let begin = head.len() as u64;
        let blocks = (journal.length() - begin) / BLOCK_BYTES;
        // A block that a crash tore is made again.
        let input = journal.reader_at(begin).map_err(journal.fail())?;
        let mut there = Records::new(input, &path.display().to_string());
        let mut asked = old.left(settings.part.map(|part| part.shard))?;
        for number in 0..blocks * BLOCK {
            let fault = |why| journal.damaged(format_args!("byte {}", begin + number * RECORD_BYTES as u64), why);
            let (Some(made), Some(old)) = (there.next().transpose()?, asked.next().transpose()?) else {
                return Err(fault("longer than the old records").into());
            };
            if made.0.position != old.0.position {
                return Err(fault("not the position of the old records").into());
            }
        }
        drop(there);
        journal.keep(begin + blocks * BLOCK_BYTES)?;
        Ok(RecordsOutput { journal, blocks })
    }

    /// Number of records that the blocks hold that were there at the start.
    pub fn records(&self) -> u64 {
        self.blocks * BLOCK
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

    /// Number of records of a share, or of all.
    pub fn share(&self, shard: Option<Shard>) -> u64 {
        let blocks = (0..self.count.div_ceil(BLOCK)).filter(|&block| shard.is_none_or(|shard| shard.takes(block)));
        blocks.map(|block| block_length(self.count, block)).sum()
    }

    /// The settings and the old records in one line.
    fn description(&self, settings: &SelfPlaySettings) -> Result<String, DataError> {
        Ok(describe(settings, &format!("records {}", checksum(&self.path)?)))
    }

    /// The records of a share.
    fn left(&self, shard: Option<Shard>) -> Result<RecordsLeft, RecordError> {
        Ok(RecordsLeft { records: Records::open(&self.path)?, number: 0, shard })
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
        let mut records = self.left(settings.part.map(|part| part.shard))?;
        for record in records.by_ref().take(output.records() as usize) {
            record?;
        }
        let source = Unscored { settings, left: Mutex::new((output.blocks, records)) };
        produce(&source, threads, output, stop, on_progress)
    }
}

/// The records of a share: those of its blocks.
struct RecordsLeft {
    records: Records<BufReader<File>>,
    /// Number of the next record of the old file.
    number: u64,
    shard: Option<Shard>,
}

impl Iterator for RecordsLeft {
    type Item = Result<(Record, Position), RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let record = self.records.next()?;
            self.number += 1;
            if record.is_err() || self.shard.is_none_or(|shard| shard.takes((self.number - 1) / BLOCK)) {
                return Some(record);
            }
        }
    }
}

/// The records that are left, with the place of the next block.
struct Unscored<'a> {
    settings: &'a SelfPlaySettings,
    left: Mutex<(u64, RecordsLeft)>,
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
        let block: Result<Vec<_>, _> = records.by_ref().take(BLOCK as usize).collect();
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
