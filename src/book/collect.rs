//! Putting positions in order, whatever their number, and making one out of equal ones.

use super::apery::apery_key;
use super::entry::{BookEntry, BookResults, Candidate, key_text};
use super::sort::{Pass, Sorted, Sorter};
use crate::position::{PackedPosition, Position};
use crate::types::{Color, Move};
use std::io;
use std::path::Path;

/// An order of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// By the text of the SFEN, as text books want it.
    Text,
    /// By the packed bytes, as `.ybb` wants it.
    Packed,
    /// By Apery's key.
    Apery,
}

/// Settings of a collection of positions.
#[derive(Clone, Copy, Debug)]
pub struct Collection {
    /// The order in which they come back.
    pub order: Order,
    /// Bytes of memory to work with.
    pub memory: usize,
    /// A position with white to move is turned by 180 degrees, so that twins become one.
    pub fold: bool,
    /// Keeps positions that differ in their ply only apart.
    pub keep_ply: bool,
}

/// Collects positions.
#[derive(Debug)]
pub struct Collector {
    how: Collection,
    sorter: Sorter,
    buffer: Vec<u8>,
}

impl Collector {
    /// A collector whose files, if it needs any, are in this folder.
    pub fn new(how: Collection, folder: &Path) -> Collector {
        Collector { how, sorter: Sorter::new(folder, how.memory), buffer: Vec::new() }
    }

    /// Takes a position in that came from this source, sources numbered from 0. Within a source the order is kept.
    ///
    /// Packed books have no room for positions without both kings: those are left out, and false comes back.
    pub fn push(&mut self, source: u16, mut entry: BookEntry) -> io::Result<bool> {
        if self.how.fold && entry.position.side() == Color::White {
            entry.rotate();
        }
        let Some(mut key) = key_of(self.how.order, &entry.position) else { return Ok(false) };
        if self.how.keep_ply {
            key.extend(format!(" {}", entry.position.ply()).bytes());
        }
        self.buffer.clear();
        encode(&entry, &mut self.buffer);
        let rank = u64::from(source) << 48 | self.sorter.len() & ((1 << 48) - 1);
        self.sorter.push(&key, rank, &self.buffer)?;
        Ok(true)
    }

    /// The positions in order.
    pub fn finish(self) -> io::Result<Collected> {
        Ok(Collected { sorted: self.sorter.finish()? })
    }
}

fn key_of(order: Order, position: &Position) -> Option<Vec<u8>> {
    let packed = || position.pack().ok().map(|PackedPosition(bytes)| bytes.to_vec());
    match order {
        Order::Text => Some(key_text(position).into_bytes()),
        Order::Packed => packed(),
        Order::Apery => Some(apery_key(position).to_be_bytes().to_vec()),
    }
}

/// Positions in order.
#[derive(Debug)]
pub struct Collected {
    sorted: Sorted,
}

impl Collected {
    /// Goes through the positions from the first to the last.
    pub fn pass(&self) -> io::Result<Groups<'_>> {
        let mut pass = self.sorted.pass()?;
        let next = pass.next()?;
        Ok(Groups { pass, next })
    }
}

/// The positions in order, equal ones together.
#[derive(Debug)]
pub struct Groups<'a> {
    pass: Pass<'a>,
    next: Option<super::sort::SortItem>,
}

impl Groups<'_> {
    /// The next position as often as it was there, each time with its source.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> io::Result<Option<Vec<(u16, BookEntry)>>> {
        let Some(first) = self.next.take() else { return Ok(None) };
        let mut group = vec![((first.rank >> 48) as u16, decode(&first.body))];
        loop {
            self.next = self.pass.next()?;
            match &self.next {
                Some(item) if item.key == first.key => group.push(((item.rank >> 48) as u16, decode(&item.body))),
                _ => return Ok(Some(group)),
            }
        }
    }

    /// The next position, made out of all that are equal to it one after the other: only one is in memory at a time.
    pub fn next_folded(&mut self, mut add: impl FnMut(&mut BookEntry, BookEntry)) -> io::Result<Option<BookEntry>> {
        let Some(first) = self.next.take() else { return Ok(None) };
        let mut folded = decode(&first.body);
        loop {
            self.next = self.pass.next()?;
            match &self.next {
                Some(item) if item.key == first.key => add(&mut folded, decode(&item.body)),
                _ => return Ok(Some(folded)),
            }
        }
    }

    /// The next position; of equal ones the later moves are kept, with the counts added.
    pub fn next_merged(&mut self) -> io::Result<Option<BookEntry>> {
        self.next_folded(add_later)
    }
}

/// Adds an equal position: its moves take the place of those that are there, counts are added, the least ply is kept.
pub fn add_later(joined: &mut BookEntry, entry: BookEntry) {
    if entry.position.ply() < joined.position.ply() {
        joined.position = entry.position;
    }
    joined.results = joined.results.plus(entry.results);
    if !entry.comment.is_empty() && entry.comment != joined.comment {
        let both = [joined.comment.as_str(), &entry.comment].join("\n");
        joined.comment = both.trim_start().to_string();
    }
    entry.moves.into_iter().for_each(|candidate| joined.add(candidate));
}

/// Writes a position for [`decode`]: fields of fixed size, little-endian, then texts with their lengths.
fn encode(entry: &BookEntry, out: &mut Vec<u8>) {
    put_text(out, &entry.position.to_sfen());
    let BookResults { games, black, white } = entry.results;
    [games, black, white].iter().for_each(|number| out.extend(number.to_le_bytes()));
    put_text(out, &entry.comment);
    for Candidate { mv, reply, value, depth, count, comment } in &entry.moves {
        out.extend(mv.bits().to_le_bytes());
        out.extend(reply.map_or(0, Move::bits).to_le_bytes());
        out.push(value.is_some().into());
        out.extend(value.unwrap_or(0).to_le_bytes());
        out.extend(depth.to_le_bytes());
        out.extend(count.to_le_bytes());
        put_text(out, comment);
    }
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.bytes());
}

/// Reads what [`encode`] has written.
fn decode(mut bytes: &[u8]) -> BookEntry {
    const WRITTEN: &str = "this process has written it";
    fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
        let (head, rest) = bytes.split_at(count);
        *bytes = rest;
        head
    }
    let number = |bytes: &mut &[u8]| u32::from_le_bytes(take(bytes, 4).try_into().expect(WRITTEN));
    let short = |bytes: &mut &[u8]| u16::from_le_bytes(take(bytes, 2).try_into().expect(WRITTEN));
    let text = |bytes: &mut &[u8]| {
        let length = number(bytes) as usize;
        String::from_utf8(take(bytes, length).to_vec()).expect(WRITTEN)
    };
    let mut entry = BookEntry::new(Position::from_sfen(&text(&mut bytes)).expect(WRITTEN));
    entry.results = BookResults { games: number(&mut bytes), black: number(&mut bytes), white: number(&mut bytes) };
    entry.comment = text(&mut bytes);
    while !bytes.is_empty() {
        let mv = Move::from_bits(short(&mut bytes)).expect(WRITTEN);
        let reply = Move::from_bits(short(&mut bytes));
        let has_value = take(&mut bytes, 1) == [1];
        let value = number(&mut bytes).cast_signed();
        let (depth, count) = (number(&mut bytes), number(&mut bytes));
        let comment = text(&mut bytes);
        entry.moves.push(Candidate { mv, reply, value: has_value.then_some(value), depth, count, comment });
    }
    entry
}
