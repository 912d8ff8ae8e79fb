//! Old games with the scores of the present engine.
//!
//! Moves and results are facts and stay; what a search thought of a position is an opinion that a better engine may
//! revise. Each game is searched by itself, with a hash table that is empty at its start, so that its scores depend on
//! the settings and on nothing else.
//!
//! The records that a filter kept are about half of a game's positions, so that a search of each can be twice as long
//! as in the games at the same cost. They are searched in blocks, each with a hash table that is empty at its start:
//! neighbours in a file are mostly of one game, and a search that goes on from the one before sees deeper. A share of
//! the work is every Nth block; its file begins with a line that says so.

use super::games::{Game, GamesReader, head};
use super::merge::checksum;
use super::records::{BLOCK, BLOCK_BYTES, RECORD_BYTES, Record, Records, block_length, share_head};
use super::selfplay::{GamesOutput, Part, SelfPlayFault, SelfPlaySettings, produce};
use super::{DataError, ReadError};
use crate::share::Shard;
use komainu::storage::{Head, Journal};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// A file of games that are to have new scores.
#[derive(Debug)]
pub struct OldGames {
    path: PathBuf,
    description: String,
    /// Number of games in the file.
    pub games: u64,
    /// Number of positions that are not random.
    pub positions: u64,
}

/// The most bytes of the old description that stand in the new one.
const MAX_OLD_DESCRIPTION: usize = 3_000;

impl OldGames {
    /// Reads the file from end to end, so that whatever is wrong with it is known before the work begins.
    pub fn open(path: &Path) -> Result<OldGames, DataError> {
        let reader = GamesReader::open(path)?;
        let old = head(reader.description(), MAX_OLD_DESCRIPTION);
        let description = format!("games {} of: {old}", checksum(path)?);
        let mut games = 0;
        let mut positions = 0;
        for game in reader {
            games += 1;
            positions += game?.positions();
        }
        Ok(OldGames { path: path.to_path_buf(), description, games, positions })
    }

    /// The settings and the old games in one line: equal lines make equal files. Of the settings, seed and openings do
    /// not matter.
    pub fn description(&self, settings: &SelfPlaySettings) -> String {
        describe(settings, &self.description)
    }

    /// Number of games of a share, or of all.
    pub fn share(&self, part: Option<Part>) -> u64 {
        part.map_or(self.games, Part::share)
    }

    /// Writes the games behind those that the output holds already, until none is left or a stop is asked for; then
    /// those that have begun are brought to their end. `on_progress` is called with each game that was written, and
    /// without one twice a second.
    pub fn rescore(
        &self,
        settings: &SelfPlaySettings,
        threads: usize,
        output: &mut GamesOutput,
        stop: &AtomicBool,
        on_progress: &mut dyn FnMut(Option<&Game>),
    ) -> Result<(), DataError> {
        let mut games = Share::new(GamesReader::open(&self.path)?, 1, settings);
        for game in games.by_ref().take(output.games() as usize) {
            game?;
        }
        let count = self.share(settings.part).saturating_sub(output.games());
        let games = games.take(count as usize).map(|game| game.map_err(unreadable));
        let write = |game: &Game| output.write(game).map(|()| false);
        produce(settings, threads, games, |player, game| player.rescore(&game), write, stop, on_progress)
    }
}

/// Settings on which scores depend, in one line.
fn describe(settings: &SelfPlaySettings, old: &str) -> String {
    let SelfPlaySettings { nodes, hash, max_plies, evaluation, part, .. } = settings;
    let version = env!("CARGO_PKG_VERSION");
    let part = Part::suffix(*part);
    format!("komainu {version} rescore nodes {nodes} hash {hash} plies {max_plies} evaluation {evaluation} {old}{part}")
}

/// The items of a share: every Nth block of what a file holds, or all of it.
struct Share<I> {
    items: I,
    /// Number of the next item of the file.
    number: u64,
    /// Items of a block.
    block: u64,
    shard: Option<Shard>,
}

impl<I> Share<I> {
    fn new(items: I, block: u64, settings: &SelfPlaySettings) -> Share<I> {
        Share { items, number: 0, block, shard: settings.part.map(|part| part.shard) }
    }
}

impl<T, I: Iterator<Item = Result<T, ReadError>>> Iterator for Share<I> {
    type Item = Result<T, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let item = self.items.next()?;
            let block = self.number / self.block;
            self.number += 1;
            if item.is_err() || self.shard.is_none_or(|shard| shard.takes(block)) {
                return Some(item);
            }
        }
    }
}

fn unreadable(error: ReadError) -> SelfPlayFault {
    SelfPlayFault(error.to_string())
}

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
        let mut asked = old.left(settings)?;
        for number in 0..blocks * BLOCK {
            let made = there.next().transpose()?;
            let old = asked.next().transpose()?;
            let why = match (made, old) {
                (Some((made, _)), Some((old, _))) if made.position == old.position => continue,
                (Some(_), Some(_)) => "not the position of the old records",
                _ => "longer than the old records",
            };
            return Err(journal.damaged(format_args!("byte {}", begin + number * RECORD_BYTES as u64), why).into());
        }
        drop(there);
        journal.keep(begin + blocks * BLOCK_BYTES)?;
        Ok(RecordsOutput { journal, blocks })
    }

    /// Number of records that the blocks hold that were there at the start.
    pub fn records(&self) -> u64 {
        self.blocks * BLOCK
    }

    fn write(&mut self, block: &[Record]) -> Result<(), DataError> {
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
    fn left(&self, settings: &SelfPlaySettings) -> Result<Share<Records<BufReader<File>>>, ReadError> {
        Ok(Share::new(Records::open(&self.path)?, BLOCK, settings))
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
        let mut records = self.left(settings)?;
        for record in records.by_ref().take(output.records() as usize) {
            record?;
        }
        let blocks = iter::from_fn(|| {
            let block: Result<Vec<_>, _> = records.by_ref().take(BLOCK as usize).collect();
            let is_end = block.as_ref().is_ok_and(Vec::is_empty);
            (!is_end).then_some(block.map_err(unreadable))
        });
        let write = |block: &Vec<Record>| output.write(block).map(|()| false);
        produce(settings, threads, blocks, |player, block| player.rescore_records(&block), write, stop, on_progress)
    }
}
