//! Reading games, one after the other.

use super::{ENDINGS, FRAME_BYTES, Game, MAGIC, MAX_DESCRIPTION, PLY_BYTES, Ply, VERSION, unpack_at};
use komainu::host::open_file;
use komainu::position::{PackedPosition, Position};
use komainu::types::{Color, Counted, Move};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use thiserror::Error;

/// Reads the games of a file. It ends after the first fault.
#[derive(Debug)]
pub struct GamesReader<R> {
    input: R,
    name: String,
    description: String,
    /// Where the next record begins.
    offset: u64,
    is_over: bool,
}

/// A fault of a file: its name, the byte at which the faulty part begins, the fault.
#[derive(Debug, Error)]
#[error("{name}: byte {offset}: {fault}")]
pub struct GamesReadError {
    pub name: String,
    /// Where the header or the record begins that is at fault.
    pub offset: u64,
    /// Fault of the file.
    #[source]
    pub fault: ReadFault,
}

/// Fault of a file of games.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadFault {
    /// It cannot be read.
    #[error(transparent)]
    Io(io::Error),
    /// A crash while the record was written may have left this.
    #[error("{0}")]
    Torn(String),
    /// No crash has left this.
    #[error("{0}")]
    Damaged(String),
}

pub(super) fn damaged(why: impl ToString) -> ReadFault {
    ReadFault::Damaged(why.to_string())
}

/// Fault of a file that ends within a game.
pub(super) fn ends_early() -> ReadFault {
    ReadFault::Torn("the file ends within this game".to_string())
}

fn unknown(what: &str, number: u8) -> ReadFault {
    damaged(format_args!("there is no {what} {number}"))
}

impl GamesReader<BufReader<File>> {
    /// Opens a file of games.
    pub fn open(path: &Path) -> Result<GamesReader<BufReader<File>>, GamesReadError> {
        let name = path.display().to_string();
        match open_file(path) {
            Ok(file) => GamesReader::new(BufReader::with_capacity(1 << 16, file), &name),
            Err(error) => Err(GamesReadError { name, offset: 0, fault: ReadFault::Io(error) }),
        }
    }
}

impl<R: Read> GamesReader<R> {
    /// Reads the header. The name stands in messages.
    pub fn new(mut input: R, name: &str) -> Result<GamesReader<R>, GamesReadError> {
        match read_header(&mut input) {
            Ok((description, offset)) => {
                Ok(GamesReader { input, name: name.to_string(), description, offset, is_over: false })
            }
            Err(fault) => Err(GamesReadError { name: name.to_string(), offset: 0, fault }),
        }
    }

    /// Description of what made the games, from the header.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Where the next record begins, or the faulty one.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    fn read_game(&mut self) -> Result<Option<Game>, ReadFault> {
        let mut record = Vec::with_capacity(1_024);
        if !fill(&mut self.input, &mut record, 2)? {
            return if record.is_empty() { Ok(None) } else { Err(ends_early()) };
        }
        let length = number(&record) as usize;
        if !fill(&mut self.input, &mut record, length + 4)? {
            return Err(ends_early());
        }
        let (content, checksum) = record.split_at(2 + length);
        if crc32fast::hash(content) != number(checksum) {
            return Err(ReadFault::Torn("the checksum of this game is wrong".to_string()));
        }
        let game = decode(&content[2..])?;
        self.offset += (FRAME_BYTES + length) as u64;
        Ok(Some(game))
    }
}

impl<R: Read> Iterator for GamesReader<R> {
    type Item = Result<Game, GamesReadError>;

    fn next(&mut self) -> Option<Result<Game, GamesReadError>> {
        if self.is_over {
            return None;
        }
        let read = self.read_game();
        self.is_over = !matches!(read, Ok(Some(_)));
        read.map_err(|fault| GamesReadError { name: self.name.clone(), offset: self.offset, fault }).transpose()
    }
}

/// Appends `count` bytes of the input; says whether there were as many.
pub(super) fn fill(input: &mut impl Read, bytes: &mut Vec<u8>, count: usize) -> Result<bool, ReadFault> {
    let read = input.take(count as u64).read_to_end(bytes).map_err(ReadFault::Io)?;
    Ok(read == count)
}

/// A number of up to four bytes.
fn number(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte))
}

const DAMAGED_HEADER: &str = "the header is damaged";

/// The description, and the length of the header.
fn read_header(input: &mut impl Read) -> Result<(String, u64), ReadFault> {
    let mut bytes = Vec::new();
    let is_whole = fill(input, &mut bytes, 16)?;
    if !bytes.starts_with(&MAGIC) {
        return Err(damaged("not a file of games"));
    }
    if !is_whole {
        return Err(damaged(DAMAGED_HEADER));
    }
    let (version, length) = (number(&bytes[8..12]), number(&bytes[12..16]) as usize);
    if version != VERSION {
        return Err(damaged(format_args!("games of version {version}, which is not known")));
    }
    if length > MAX_DESCRIPTION || !fill(input, &mut bytes, length + 4)? {
        return Err(damaged(DAMAGED_HEADER));
    }
    let (content, checksum) = bytes.split_at(16 + length);
    if crc32fast::hash(content) != number(checksum) {
        return Err(damaged(DAMAGED_HEADER));
    }
    let description = String::from_utf8(content[16..].to_vec()).map_err(|_| damaged(DAMAGED_HEADER))?;
    Ok((description, bytes.len() as u64))
}

/// The game of a record without its length and its checksum.
fn decode(content: &[u8]) -> Result<Game, ReadFault> {
    let too_short = || ReadFault::Torn(format!("a game of {}", Counted(content.len() as u64, "byte")));
    let (head, rest) = content.split_at_checked(5).ok_or_else(too_short)?;
    let winner = match head[0] {
        0 => None,
        number @ 1..=2 => Some(Color::ALL[number as usize - 1]),
        other => return Err(unknown("winner", other)),
    };
    let ending = *ENDINGS.get(head[1] as usize).ok_or_else(|| unknown("ending", head[1]))?;
    let opening = number(&head[2..4]) as usize;
    let (start, rest) = match head[4] {
        0 => (Position::startpos(), rest),
        1 => {
            let (start, rest) = rest.split_at_checked(4 + 32).ok_or_else(too_short)?;
            let packed = PackedPosition(start[4..].try_into().expect("32 bytes"));
            (
                unpack_at(&packed, number(&start[..4]))
                    .ok_or_else(|| damaged("the start of this game is no position"))?,
                rest,
            )
        }
        other => return Err(unknown("kind of start", other)),
    };
    let (plies, left) = rest.as_chunks::<PLY_BYTES>();
    if !left.is_empty() {
        return Err(too_short());
    }
    let plies: Result<Vec<Ply>, ReadFault> = plies.iter().map(|bytes| decode_ply(*bytes)).collect();
    Game::new(&start, plies?, opening, (ending, winner)).map_err(damaged)
}

fn decode_ply([low, high, score @ ..]: [u8; PLY_BYTES]) -> Result<Ply, ReadFault> {
    let bits = u16::from_le_bytes([low, high]);
    let mv = Move::from_bits(bits).ok_or_else(|| damaged(format_args!("there is no move {bits}")))?;
    Ok(Ply { mv, score: i16::from_le_bytes(score) })
}
