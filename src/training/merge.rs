//! Joining the shards of a self-play that several machines have shared.
//!
//! The games stand in the order of their numbers, so the file is, byte for byte, the one that a single machine would
//! have made. Every game is checked as it is read; a shard that is missing, doubled, too short or damaged is named.

use super::DataError;
use super::games::{GamesReader, GamesWriter};
use super::selfplay::Part;
use crate::host::open_file;
use crate::types::Shard;
use crate::types::opaque_debug;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// The CRC-32 of a whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checksum(pub u32);

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "crc32 {:08x}", self.0)
    }
}

/// The checksum of a file, by which a copy on another machine is compared.
pub fn checksum(path: &Path) -> Result<Checksum, DataError> {
    let fail = DataError::in_file(path);
    let mut file = open_file(path).map_err(&fail)?;
    let mut hasher = crc32fast::Hasher::new();
    let mut bytes = vec![0; 1 << 16];
    loop {
        match file.read(&mut bytes).map_err(&fail)? {
            0 => return Ok(Checksum(hasher.finalize())),
            count => hasher.update(&bytes[..count]),
        }
    }
}

/// The open shards of one work, all of them there.
pub struct Shards {
    /// The work, as a single machine would describe it.
    description: String,
    /// In the order of their numbers.
    shards: Vec<OpenShard>,
}

opaque_debug!(Shards);

struct OpenShard {
    path: PathBuf,
    part: Part,
    reader: GamesReader<BufReader<File>>,
    games: u64,
}

/// Summary of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// The shards in the order of their numbers.
    pub shards: Vec<JoinedShard>,
    pub games: u64,
    /// Their positions, without those drawn at random.
    pub positions: u64,
}

/// A shard that was joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinedShard {
    pub path: PathBuf,
    pub shard: Shard,
    pub games: u64,
    /// The checksum of its file.
    pub checksum: Checksum,
}

impl fmt::Display for JoinedShard {
    /// As in `shard 1/2 crc32 0badcafe games 500 a.games`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let JoinedShard { path, shard, games, checksum } = self;
        write!(f, "shard {shard} {checksum} games {games} {}", path.display())
    }
}

impl Shards {
    /// Opens the files, which may come in any order.
    pub fn open(files: &[PathBuf]) -> Result<Shards, DataError> {
        let mut first: Option<(&Path, String, Part)> = None;
        let mut shards: Vec<OpenShard> = Vec::new();
        for path in files {
            let reader = GamesReader::open(path)?;
            let made = reader.description().to_string();
            let Some((work, part)) = Part::split(&made) else {
                return DataError::refused(format_args!("{}: no shard, but made with \"{made}\"", path.display()));
            };
            let (first_path, known, first_part) = first.get_or_insert_with(|| (path, work.to_string(), part));
            let is_same_work =
                known == work && (first_part.games, first_part.shard.count()) == (part.games, part.shard.count());
            if !is_same_work {
                let theirs = GamesReader::open(first_path)?.description().to_string();
                let (path, first_path) = (path.display(), first_path.display());
                let why = format_args!("{path}: made with \"{made}\", but {first_path} with \"{theirs}\"");
                return DataError::refused(why);
            }
            if let Some(same) = shards.iter().find(|open| open.part == part) {
                let (same, path, shard) = (same.path.display(), path.display(), part.shard);
                return DataError::refused(format_args!("shard {shard} is doubled: {same} and {path}"));
            }
            shards.push(OpenShard { path: path.clone(), part, reader, games: 0 });
        }
        let (_, description, part) = first.ok_or_else(|| DataError::Refused("no shard to join".to_string()))?;
        let is_there = |&index: &u32| shards.iter().any(|open| open.part.shard.index() == index);
        let count = part.shard.count();
        let missing: Vec<String> =
            (1..=count).filter(|index| !is_there(index)).map(|index| format!("{index}/{count}")).collect();
        if !missing.is_empty() {
            return DataError::refused(format_args!("no file of shard {}", missing.join(", ")));
        }
        shards.sort_by_key(|open| open.part.shard);
        Ok(Shards { description, shards })
    }

    /// Writes all games in the order of their numbers. Nothing may be made of the output if this fails.
    pub fn merge(mut self, output: impl Write) -> Result<Joined, DataError> {
        let fail = |error: io::Error| DataError::Refused(format!("the joined games: {error}"));
        let mut writer = GamesWriter::new(output, &self.description).map_err(fail)?;
        let total = self.shards[0].part.games;
        let count = self.shards.len() as u64;
        let mut positions = 0;
        for number in 0..total {
            let open = &mut self.shards[(number % count) as usize];
            let Some(game) = open.reader.next() else { return Err(open.wrong_length()) };
            let game = game?;
            open.games += 1;
            positions += (game.plies().len() - game.opening()) as u64;
            writer.write(&game).map_err(fail)?;
        }
        let mut joined = Vec::new();
        for open in &mut self.shards {
            if let Some(more) = open.reader.next() {
                more?;
                open.games += 1;
                return Err(open.wrong_length());
            }
            let OpenShard { path, part, games, .. } = open;
            joined.push(JoinedShard {
                path: path.clone(),
                shard: part.shard,
                games: *games,
                checksum: checksum(path)?,
            });
        }
        Ok(Joined { shards: joined, games: total, positions })
    }
}

impl OpenShard {
    fn wrong_length(&self) -> DataError {
        let (path, shard, games, share) = (self.path.display(), self.part.shard, self.games, self.part.share());
        let advice = if games < share { "; selfplay --resume plays the others" } else { "" };
        DataError::Refused(format!("{path}: shard {shard} holds {games} of {share} games{advice}"))
    }
}
