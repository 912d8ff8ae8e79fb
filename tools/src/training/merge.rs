//! Joining the shards of a self-play, or of old games or records that are scored anew, which several machines have
//! shared.
//!
//! Settings and number determine the content of a shard. So the joined file is, byte for byte, the one that a single
//! machine would have made, and two files of the same shard, as when a worker vanished and another one took over,
//! hold the same as far as both go: each game counts once. A shard that is missing, too short, damaged or other than
//! its double is named.

use super::games::{GamesReader, header};
use super::records::{BLOCK, Record, Records, block_length};
use super::selfplay::{Part, is_torn};
use super::{DataError, ReadError, ReadFault};
use crate::share::Shard;
use komainu::host::open_file;
use komainu::types::opaque_debug;
use std::collections::BTreeMap;
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

/// The open shards of one work.
pub struct Shards {
    /// The work, as a single machine would describe it.
    description: String,
    /// Set if missing items are left out.
    is_partial: bool,
    /// The files of each shard, by its number.
    shards: BTreeMap<u32, Vec<OpenShard>>,
}

/// Items of a shard, one after the other.
enum Items {
    Games(GamesReader<BufReader<File>>),
    /// Blocks of records.
    Blocks(Records<BufReader<File>>),
}

/// A game, or a block of records.
#[derive(PartialEq, Eq)]
struct Item {
    bytes: Vec<u8>,
    positions: u64,
}

opaque_debug!(Shards);

struct OpenShard {
    path: PathBuf,
    part: Part,
    items: Items,
    length: u64,
    /// Items that were read.
    read: u64,
    is_over: bool,
}

/// Summary of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// The files in the order of their shards.
    pub shards: Vec<JoinedShard>,
    /// Number of games; `None` for records.
    pub games: Option<u64>,
    /// Their positions, without those drawn at random, or the records.
    pub positions: u64,
}

/// A shard that was joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinedShard {
    pub path: PathBuf,
    pub shard: Shard,
    /// Games in its file, or blocks of records.
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

impl fmt::Display for Joined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.games {
            Some(games) => write!(f, "games {games} positions {}", self.positions),
            None => write!(f, "records {}", self.positions),
        }
    }
}

impl Shards {
    /// Opens the files, which may come in any order. All shards must be there unless what is missing is left out.
    pub fn open(files: &[PathBuf], is_partial: bool) -> Result<Shards, DataError> {
        let mut first: Option<(&Path, String, Part)> = None;
        let mut shards: BTreeMap<u32, Vec<OpenShard>> = BTreeMap::new();
        for path in files {
            let (made, items) = Items::open(path)?;
            let Some((work, part)) = Part::split(&made) else {
                return DataError::refused(format_args!("{}: no shard, but made with \"{made}\"", path.display()));
            };
            let (first_path, known, first_part) = first.get_or_insert_with(|| (path, work.to_string(), part));
            let is_same_work =
                known == work && (first_part.games, first_part.shard.count()) == (part.games, part.shard.count());
            if !is_same_work {
                let (theirs, _) = Items::open(first_path)?;
                return DataError::refused(format_args!(
                    "{}: made with \"{made}\", but {} with \"{theirs}\"",
                    path.display(),
                    first_path.display()
                ));
            }
            let length = path.metadata().map_err(DataError::in_file(path))?.len();
            let open = OpenShard { path: path.clone(), part, items, length, read: 0, is_over: false };
            shards.entry(part.shard.index()).or_default().push(open);
        }
        let (_, description, part) = first.ok_or_else(|| DataError::Refused("no shard to join".to_string()))?;
        let count = part.shard.count();
        let missing: Vec<String> =
            (1..=count).filter(|index| !shards.contains_key(index)).map(|index| format!("{index}/{count}")).collect();
        if !missing.is_empty() && !is_partial {
            return DataError::refused(format_args!("no file of shard {}", missing.join(", ")));
        }
        Ok(Shards { description, is_partial, shards })
    }

    /// Writes all games, or all records, in the order of their numbers. Nothing may be made of the output if this
    /// fails.
    pub fn merge(mut self, mut output: impl Write) -> Result<Joined, DataError> {
        let mut write = |bytes: &[u8]| {
            output.write_all(bytes).map_err(|error: io::Error| DataError::Refused(format!("the joined games: {error}")))
        };
        let open = self.shards.values().flatten().next().expect("one shard at least");
        let has_games = open.has_games();
        let total = open.items_of(open.part.games);
        let count = open.part.shard.count();
        if has_games {
            // A file with gaps is not the one of a single machine, and none to go on with.
            let partial = if self.is_partial { " partial" } else { "" };
            write(&header(&format!("{}{partial}", self.description)))?;
        }
        let mut items = 0;
        let mut positions = 0;
        for number in 0..total {
            let Some(files) = self.shards.get_mut(&((number % u64::from(count)) as u32 + 1)) else { continue };
            if let Some(item) = next_of(files, number, self.is_partial)? {
                items += 1;
                positions += item.positions;
                write(&item.bytes)?;
            }
        }
        let mut shards = Vec::new();
        for mut open in self.shards.into_values().flatten() {
            if !open.is_over && open.next(total)?.is_some() {
                return Err(open.wrong_length());
            }
            let OpenShard { path, part, read: games, .. } = open;
            let checksum = checksum(&path)?;
            shards.push(JoinedShard { path, shard: part.shard, games, checksum });
        }
        Ok(Joined { shards, games: has_games.then_some(items), positions })
    }
}

/// The next item of a shard, which all of its files that go as far must hold alike.
fn next_of(files: &mut [OpenShard], number: u64, is_partial: bool) -> Result<Option<Item>, DataError> {
    let mut found: Option<(usize, Item)> = None;
    let mut torn = None;
    for place in 0..files.len() {
        if files[place].is_over {
            continue;
        }
        let item = match files[place].next(number) {
            Ok(Some(item)) => item,
            Ok(None) => continue,
            Err(error) if files[place].is_over => {
                torn.get_or_insert(error);
                continue;
            }
            Err(error) => return Err(error),
        };
        let Some((first, known)) = &found else {
            found = Some((place, item));
            continue;
        };
        if *known != item {
            let OpenShard { path, part, read, .. } = &files[place];
            return DataError::refused(format_args!(
                "{}: shard {} is not that of {}: item {read} differs",
                path.display(),
                part.shard,
                files[*first].path.display()
            ));
        }
    }
    match (found, torn) {
        (Some((_, item)), _) => Ok(Some(item)),
        (None, _) if is_partial => Ok(None),
        (None, Some(error)) => Err(error),
        (None, None) => Err(files.iter().max_by_key(|open| open.read).expect("a file at least").wrong_length()),
    }
}

impl Items {
    /// Opens a file: what made it, and its items.
    fn open(path: &Path) -> Result<(String, Items), DataError> {
        if let Some((made, records)) = Records::open_share(path)? {
            return Ok((made, Items::Blocks(records)));
        }
        let reader = GamesReader::open(path)?;
        Ok((reader.description().to_string(), Items::Games(reader)))
    }
}

impl OpenShard {
    fn has_games(&self) -> bool {
        matches!(self.items, Items::Games(_))
    }

    /// Number of items in which so many games or records stand.
    fn items_of(&self, games: u64) -> u64 {
        if self.has_games() { games } else { games.div_ceil(BLOCK) }
    }

    /// The next item, which has this number in the whole. After one that may be torn by a kill the file is over.
    fn next(&mut self, number: u64) -> Result<Option<Item>, DataError> {
        let item = match &mut self.items {
            Items::Games(reader) => match reader.next().transpose() {
                Ok(game) => game.map(|game| Item { bytes: game.encode(), positions: game.positions() }),
                Err(error) => {
                    self.is_over = is_torn(&error, self.length);
                    return Err(error.into());
                }
            },
            Items::Blocks(records) => {
                let wanted = block_length(self.part.games, number).max(1);
                let block: Result<Vec<_>, ReadError> = records.by_ref().take(wanted as usize).collect();
                match block {
                    Ok(block) if block.len() as u64 == wanted => {
                        let bytes = block.iter().flat_map(|(record, _)| Record::encode(record)).collect();
                        Some(Item { bytes, positions: wanted })
                    }
                    // A part of a block is searched again.
                    Ok(_) => None,
                    Err(error) => {
                        self.is_over = matches!(error.fault, ReadFault::Torn(_));
                        return Err(error.into());
                    }
                }
            }
        };
        match item {
            Some(_) => self.read += 1,
            None => self.is_over = true,
        }
        Ok(item)
    }

    fn wrong_length(&self) -> DataError {
        let OpenShard { path, part: Part { shard, .. }, read, .. } = self;
        let path = path.display();
        let share = shard.share_of(self.items_of(self.part.games));
        let what = if self.has_games() { "games" } else { "blocks of records" };
        let advice = if *read < share { "; --resume goes on with it" } else { "" };
        DataError::Refused(format!("{path}: shard {shard} holds {read} of {share} {what}{advice}"))
    }
}
