//! The file of games: reading one after the other, and writing.

use super::{ENDINGS, FRAME_BYTES, Game, MAGIC, MAX_DESCRIPTION, PLY_BYTES, Ply, VERSION, ends_early, unpack_at};
use crate::training::input::{Input, ReadError, ReadFault, damaged};
use komainu::position::{PackedPosition, Position};
use komainu::types::{Color, Counted, Move};
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

/// Reads the games of a file. It ends after the first fault.
#[derive(Debug)]
pub struct GamesReader<R> {
    input: Input<R>,
    description: String,
}

impl GamesReader<BufReader<File>> {
    /// Opens a file of games.
    pub fn open(path: &Path) -> Result<GamesReader<BufReader<File>>, ReadError> {
        GamesReader::of(Input::open(path)?)
    }
}

impl<R: Read> GamesReader<R> {
    /// Reads the header. The name stands in messages.
    pub fn new(input: R, name: &str) -> Result<GamesReader<R>, ReadError> {
        GamesReader::of(Input::new(input, name))
    }

    fn of(mut input: Input<R>) -> Result<GamesReader<R>, ReadError> {
        let (description, length) = read_header(&mut input).map_err(|fault| input.error(fault))?;
        input.offset = length as u64;
        Ok(GamesReader { input, description })
    }

    /// Description of what made the games, from the header.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Where the next record begins, or the faulty one.
    pub fn offset(&self) -> u64 {
        self.input.offset
    }
}

impl<R: Read> Iterator for GamesReader<R> {
    type Item = Result<Game, ReadError>;

    fn next(&mut self) -> Option<Result<Game, ReadError>> {
        self.input.next(read_game)
    }
}

/// The next game with the length of its record.
fn read_game(input: &mut Input<impl Read>) -> Result<Option<(Game, usize)>, ReadFault> {
    let mut record = Vec::with_capacity(1_024);
    if !input.fill(&mut record, 2)? {
        return if record.is_empty() { Ok(None) } else { Err(ends_early()) };
    }
    let length = number(&record) as usize;
    if !input.fill(&mut record, length + 4)? {
        return Err(ends_early());
    }
    let (content, checksum) = record.split_at(2 + length);
    if crc32fast::hash(content) != number(checksum) {
        return Err(ReadFault::Torn("the checksum of this game is wrong".to_string()));
    }
    Ok(Some((decode(&content[2..])?, FRAME_BYTES + length)))
}

/// A number of up to four bytes.
fn number(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte))
}

const DAMAGED_HEADER: &str = "the header is damaged";

/// The description, and the length of the header.
fn read_header(input: &mut Input<impl Read>) -> Result<(String, usize), ReadFault> {
    let mut bytes = Vec::new();
    let is_whole = input.fill(&mut bytes, 16)?;
    if !bytes.starts_with(&MAGIC) {
        return Err(damaged("not a file of games"));
    }
    if !is_whole {
        return Err(damaged(DAMAGED_HEADER));
    }
    let version = number(&bytes[8..12]);
    let length = number(&bytes[12..16]) as usize;
    if version != VERSION {
        return Err(damaged(format_args!("games of version {version}, which is not known")));
    }
    if length > MAX_DESCRIPTION || !input.fill(&mut bytes, length + 4)? {
        return Err(damaged(DAMAGED_HEADER));
    }
    let (content, checksum) = bytes.split_at(16 + length);
    if crc32fast::hash(content) != number(checksum) {
        return Err(damaged(DAMAGED_HEADER));
    }
    let description = String::from_utf8(content[16..].to_vec()).map_err(|_| damaged(DAMAGED_HEADER))?;
    Ok((description, bytes.len()))
}

fn unknown(what: &str, number: u8) -> ReadFault {
    damaged(format_args!("there is no {what} {number}"))
}

fn too_short(content: &[u8]) -> ReadFault {
    ReadFault::Torn(format!("a game of {}", Counted(content.len() as u64, "byte")))
}

/// The game of a record without its length and its checksum.
fn decode(content: &[u8]) -> Result<Game, ReadFault> {
    let Some((head, rest)) = content.split_at_checked(5) else { return Err(too_short(content)) };
    let winner = match head[0] {
        0 => None,
        number @ 1..=2 => Some(Color::ALL[number as usize - 1]),
        other => return Err(unknown("winner", other)),
    };
    let ending = *ENDINGS.get(head[1] as usize).ok_or_else(|| unknown("ending", head[1]))?;
    let opening = number(&head[2..4]) as usize;
    let mut start = Position::startpos();
    let mut plies = rest;
    match head[4] {
        0 => {}
        1 => {
            let Some((packed, rest)) = rest.split_at_checked(4 + 32) else { return Err(too_short(content)) };
            plies = rest;
            let position = PackedPosition(packed[4..].try_into().expect("32 bytes"));
            let unpacked = unpack_at(&position, number(&packed[..4]));
            start = unpacked.ok_or_else(|| damaged("the start of this game is no position"))?;
        }
        other => return Err(unknown("kind of start", other)),
    }
    let (plies, left) = plies.as_chunks::<PLY_BYTES>();
    if !left.is_empty() {
        return Err(too_short(content));
    }
    let plies: Result<Vec<Ply>, ReadFault> = plies.iter().map(|bytes| decode_ply(*bytes)).collect();
    Game::new(&start, plies?, opening, (ending, winner)).map_err(damaged)
}

fn decode_ply([low, high, score @ ..]: [u8; PLY_BYTES]) -> Result<Ply, ReadFault> {
    let bits = u16::from_le_bytes([low, high]);
    let mv = Move::from_bits(bits).ok_or_else(|| damaged(format_args!("there is no move {bits}")))?;
    Ok(Ply { mv, score: i16::from_le_bytes(score) })
}

/// Writes a file of games. Each record goes out at once.
#[derive(Debug)]
pub struct GamesWriter<W> {
    output: W,
}

/// The beginning of a text in at most so many bytes.
pub(in crate::training) fn head(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

/// The header of a file.
pub(in crate::training) fn header(description: &str) -> Vec<u8> {
    let text = head(description, MAX_DESCRIPTION).as_bytes();
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text);
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

impl<W: Write> GamesWriter<W> {
    /// Begins a file with what made its games; of a long text the first 4,096 bytes.
    pub fn new(mut output: W, description: &str) -> io::Result<GamesWriter<W>> {
        output.write_all(&header(description))?;
        Ok(GamesWriter { output })
    }

    pub fn write(&mut self, game: &Game) -> io::Result<()> {
        self.output.write_all(&game.encode())
    }

    /// Writer to which the games went.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.output
    }
}
