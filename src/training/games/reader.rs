//! Reading games, one after the other.

use super::{ENDINGS, FRAME_BYTES, Game, GameFault, MAGIC, MAX_DESCRIPTION, PLY_BYTES, Ply, VERSION, unpack_at};
use crate::host::open_file;
use crate::position::{PackedPosition, Position};
use crate::types::{Color, Counted, Move};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use thiserror::Error;

/// Reads the games of a file. It ends after the first fault.
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
pub enum ReadFault {
    /// It cannot be read.
    #[error(transparent)]
    Io(io::Error),
    /// It does not begin as a file of games does.
    #[error("not a file of games")]
    NotGames,
    /// It has a version that is not known.
    #[error("games of version {0}, which is not known")]
    Version(u32),
    /// The header is damaged.
    #[error("the header is damaged")]
    Header,
    /// The file ends within the record.
    #[error("the file ends within this game")]
    Truncated,
    /// The checksum of the record is wrong.
    #[error("the checksum of this game is wrong")]
    Checksum,
    /// The record is shorter than any, or the bytes of a ply are missing.
    #[error("a game of {}", Counted(*.0, "byte"))]
    Length(usize),
    /// A number that stands for nothing: of what, and the number.
    #[error("there is no {0} {1}")]
    Unknown(&'static str, u32),
    /// The start is no position.
    #[error("the start of this game is no position")]
    Start,
    /// The game is none that can be kept.
    #[error(transparent)]
    Game(GameFault),
}

impl ReadFault {
    /// Tests whether a crash while the record was written may have left this.
    pub fn may_be_torn(&self) -> bool {
        matches!(self, ReadFault::Truncated | ReadFault::Checksum | ReadFault::Length(_))
    }
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
            return if record.is_empty() { Ok(None) } else { Err(ReadFault::Truncated) };
        }
        let length = number(&record) as usize;
        if !fill(&mut self.input, &mut record, length + 4)? {
            return Err(ReadFault::Truncated);
        }
        let (content, checksum) = record.split_at(2 + length);
        if crc32fast::hash(content) != number(checksum) {
            return Err(ReadFault::Checksum);
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
        match self.read_game() {
            Ok(Some(game)) => Some(Ok(game)),
            Ok(None) => {
                self.is_over = true;
                None
            }
            Err(fault) => {
                self.is_over = true;
                Some(Err(GamesReadError { name: self.name.clone(), offset: self.offset, fault }))
            }
        }
    }
}

/// Appends `count` bytes of the input; says whether there were as many.
fn fill(input: &mut impl Read, bytes: &mut Vec<u8>, count: usize) -> Result<bool, ReadFault> {
    let read = input.take(count as u64).read_to_end(bytes).map_err(ReadFault::Io)?;
    Ok(read == count)
}

/// A number of up to four bytes.
fn number(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte))
}

/// The description, and the length of the header.
fn read_header(input: &mut impl Read) -> Result<(String, u64), ReadFault> {
    let mut bytes = Vec::new();
    let is_whole = fill(input, &mut bytes, 16)?;
    if !bytes.starts_with(&MAGIC) {
        return Err(ReadFault::NotGames);
    }
    if !is_whole {
        return Err(ReadFault::Header);
    }
    let (version, length) = (number(&bytes[8..12]), number(&bytes[12..16]) as usize);
    if version != VERSION {
        return Err(ReadFault::Version(version));
    }
    if length > MAX_DESCRIPTION || !fill(input, &mut bytes, length + 4)? {
        return Err(ReadFault::Header);
    }
    let (content, checksum) = bytes.split_at(16 + length);
    if crc32fast::hash(content) != number(checksum) {
        return Err(ReadFault::Header);
    }
    let description = String::from_utf8(content[16..].to_vec()).map_err(|_| ReadFault::Header)?;
    Ok((description, bytes.len() as u64))
}

/// The game of a record without its length and its checksum.
fn decode(content: &[u8]) -> Result<Game, ReadFault> {
    let too_short = || ReadFault::Length(content.len());
    let (head, rest) = content.split_at_checked(5).ok_or_else(too_short)?;
    let winner = match head[0] {
        0 => None,
        number @ 1..=2 => Some(Color::ALL[number as usize - 1]),
        other => return Err(ReadFault::Unknown("winner", other.into())),
    };
    let ending = *ENDINGS.get(head[1] as usize).ok_or(ReadFault::Unknown("ending", head[1].into()))?;
    let opening = number(&head[2..4]) as usize;
    let (start, rest) = match head[4] {
        0 => (Position::startpos(), rest),
        1 => {
            let (start, rest) = rest.split_at_checked(4 + 32).ok_or_else(too_short)?;
            let packed = PackedPosition(start[4..].try_into().expect("32 bytes"));
            (unpack_at(&packed, number(&start[..4])).ok_or(ReadFault::Start)?, rest)
        }
        other => return Err(ReadFault::Unknown("kind of start", other.into())),
    };
    let (plies, left) = rest.as_chunks::<PLY_BYTES>();
    if !left.is_empty() {
        return Err(too_short());
    }
    let plies: Result<Vec<Ply>, ReadFault> = plies.iter().map(|bytes| decode_ply(*bytes)).collect();
    Game::new(&start, plies?, opening, (ending, winner)).map_err(ReadFault::Game)
}

fn decode_ply([low, high, score @ ..]: [u8; PLY_BYTES]) -> Result<Ply, ReadFault> {
    let bits = u16::from_le_bytes([low, high]);
    let mv = Move::from_bits(bits).ok_or(ReadFault::Unknown("move", bits.into()))?;
    Ok(Ply { mv, score: i16::from_le_bytes(score) })
}
