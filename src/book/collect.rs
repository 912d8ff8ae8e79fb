//! Putting positions in order, whatever their number, and making one out of equal ones: of one book or of several.

use super::apery::apery_key;
use super::entry::{BookEntry, BookResults, Candidate};
use super::sort::{Pass, SortItem, Sorted, Sorter};
use super::write::BookPositions;
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
    match order {
        Order::Text => Some(position.to_sfen_without_counter().into_bytes()),
        Order::Packed => position.pack().ok().map(|PackedPosition(bytes)| bytes.to_vec()),
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
    next: Option<SortItem>,
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
    for candidate in entry.moves {
        joined.add(candidate);
    }
}

/// Writes a position for [`decode`]: fields of fixed size, little-endian, then texts with their lengths.
fn encode(entry: &BookEntry, out: &mut Vec<u8>) {
    put_text(out, &entry.position.to_sfen());
    out.extend(entry.results.games.to_le_bytes());
    out.extend(entry.results.black.to_le_bytes());
    out.extend(entry.results.white.to_le_bytes());
    put_text(out, &entry.comment);
    for candidate in &entry.moves {
        out.extend(candidate.mv.bits().to_le_bytes());
        out.extend(candidate.reply.map_or(0, Move::bits).to_le_bytes());
        out.push(candidate.value.is_some().into());
        out.extend(candidate.value.unwrap_or(0).to_le_bytes());
        out.extend(candidate.depth.to_le_bytes());
        out.extend(candidate.count.to_le_bytes());
        put_text(out, &candidate.comment);
    }
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.bytes());
}

/// Why reading what [`encode`] has written does not fail.
const WRITTEN: &str = "this process has written it";

/// Reads what [`encode`] has written.
fn decode(bytes: &[u8]) -> BookEntry {
    let mut reader = EntryReader(bytes);
    let mut entry = BookEntry::new(Position::from_sfen(&reader.text()).expect(WRITTEN));
    entry.results.games = reader.u32();
    entry.results.black = reader.u32();
    entry.results.white = reader.u32();
    entry.comment = reader.text();
    while !reader.0.is_empty() {
        let mut candidate = Candidate::new(Move::from_bits(reader.u16()).expect(WRITTEN));
        candidate.reply = Move::from_bits(reader.u16());
        let has_value = reader.take::<1>() == [1];
        let value = reader.u32().cast_signed();
        candidate.value = if has_value { Some(value) } else { None };
        candidate.depth = reader.u32();
        candidate.count = reader.u32();
        candidate.comment = reader.text();
        entry.moves.push(candidate);
    }
    entry
}

/// What is left to read of an encoded position.
struct EntryReader<'a>(&'a [u8]);

impl EntryReader<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (bytes, rest) = self.0.split_first_chunk().expect(WRITTEN);
        self.0 = rest;
        *bytes
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn text(&mut self) -> String {
        let length = self.u32() as usize;
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        String::from_utf8(text.to_vec()).expect(WRITTEN)
    }
}

/// Whose moves are taken where several books have a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Prefer {
    /// Moves of the book whose best one was searched deepest; then of the one with more moves; then the first
    /// ones.
    #[default]
    Deeper,
    /// Moves of the first book that has any.
    First,
    /// Moves of the last book that has any.
    Last,
    /// All of them: counts and results are added, each move keeps the value that was searched deepest.
    Sum,
}

/// Positions of several books, of equal ones those that are preferred.
#[derive(Debug)]
pub struct MergedBooks {
    /// The positions of all books, each with the number of its book.
    pub collected: Collected,
    /// Whose moves are taken.
    pub prefer: Prefer,
    /// The books that black's and white's positions are taken from, if they are taken apart.
    pub split: Option<[u16; 2]>,
}

impl BookPositions for MergedBooks {
    fn visit(&self, visit: &mut dyn FnMut(BookEntry) -> io::Result<()>) -> io::Result<()> {
        let mut groups = self.collected.pass()?;
        while let Some(mut group) = groups.next()? {
            if let Some(books) = self.split {
                group.retain(|(book, entry)| *book == books[entry.position.side()]);
            }
            // Equal positions of one book are one position first.
            let mut books: Vec<(u16, BookEntry)> = Vec::new();
            for (book, entry) in group {
                match books.last_mut() {
                    Some((last, joined)) if *last == book => add_later(joined, entry),
                    _ => books.push((book, entry)),
                }
            }
            let books = books.into_iter().map(|(_, entry)| entry).collect();
            if let Some(entry) = merge(books, self.prefer) {
                visit(entry)?;
            }
        }
        Ok(())
    }
}

/// One position out of the same position of several books, in the order of the books.
pub fn merge(mut books: Vec<BookEntry>, prefer: Prefer) -> Option<BookEntry> {
    for entry in &mut books {
        entry.sort_moves();
    }
    let ply = books.iter().map(|entry| entry.position.ply()).min()?;
    let mut merged = match prefer {
        Prefer::Sum => sum(books)?,
        Prefer::First => {
            let at = books.iter().position(|entry| !entry.moves.is_empty()).unwrap_or(0);
            books.swap_remove(at)
        }
        Prefer::Last => {
            let at = books.iter().rposition(|entry| !entry.moves.is_empty()).unwrap_or(books.len() - 1);
            books.swap_remove(at)
        }
        Prefer::Deeper => {
            let best = books.iter().map(depth_and_moves).max()?;
            let at = books.iter().position(|entry| depth_and_moves(entry) == best)?;
            books.swap_remove(at)
        }
    };
    merged.position.set_ply(ply);
    Some(merged)
}

/// Depth of the best move, number of moves.
fn depth_and_moves(entry: &BookEntry) -> (Option<u32>, usize) {
    (entry.moves.first().map(|best| best.depth), entry.moves.len())
}

fn sum(books: Vec<BookEntry>) -> Option<BookEntry> {
    let mut books = books.into_iter();
    let mut summed = books.next()?;
    for entry in books {
        add_up(&mut summed, entry);
    }
    Some(summed)
}

/// Adds an equal position: counts and results are added, each move keeps the value that was searched deepest, the least
/// ply is kept.
pub fn add_up(summed: &mut BookEntry, entry: BookEntry) {
    summed.results = BookResults::plus(summed.results, entry.results);
    if entry.position.ply() < summed.position.ply() {
        summed.position = entry.position;
    }
    for mut candidate in entry.moves {
        let Some(known) = summed.moves.iter_mut().find(|known| known.mv == candidate.mv) else {
            summed.moves.push(candidate);
            continue;
        };
        let count = known.count.saturating_add(candidate.count);
        if (candidate.value.is_some(), candidate.depth) > (known.value.is_some(), known.depth) {
            std::mem::swap(known, &mut candidate);
        }
        known.count = count;
        known.reply = known.reply.or(candidate.reply);
    }
}

/// Reads which book black's and white's positions come from: `bw` means black's from the first.
pub fn parse_split(text: &str) -> Option<[u16; 2]> {
    match text {
        "bw" => Some([0, 1]),
        "wb" => Some([Color::White as u16, Color::Black as u16]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(ply: u32, moves: &[(&str, i32, u32, u32)]) -> BookEntry {
        let mut entry = BookEntry::new(Position::startpos());
        entry.position.set_ply(ply);
        for &(mv, value, depth, count) in moves {
            entry.moves.push(Candidate { value: Some(value), depth, count, ..Candidate::new(mv.parse().unwrap()) });
        }
        entry
    }

    fn merged(prefer: Prefer, books: &[&[(&str, i32, u32, u32)]]) -> Vec<(String, i32, u32, u32)> {
        let books = books.iter().enumerate().map(|(i, moves)| entry(9 - 2 * i as u32, moves)).collect();
        let merged = merge(books, prefer).unwrap();
        let moves = merged.moves.iter();
        moves.map(|found| (found.mv.to_string(), found.value_or_zero(), found.depth, found.count)).collect()
    }

    #[test]
    fn the_preferred_book_answers() {
        let a: &[_] = &[("7g7f", 10, 8, 3)];
        let b: &[_] = &[("7g7f", 20, 9, 1), ("2g2f", 5, 9, 1)];
        let first = |mv: (String, i32, u32, u32)| (mv.1, mv.3);
        assert_eq!(first(merged(Prefer::Deeper, &[a, b])[0].clone()), (20, 1));
        assert_eq!(first(merged(Prefer::First, &[a, b])[0].clone()), (10, 3));
        assert_eq!(first(merged(Prefer::Last, &[a, b])[0].clone()), (20, 1));
        assert_eq!(first(merged(Prefer::Last, &[b, a, &[]])[0].clone()), (10, 3));
        assert_eq!(merged(Prefer::First, &[&[], a]).len(), 1);
        assert_eq!(merged(Prefer::Deeper, &[&[], a]).len(), 1);
        // With equal depths more moves are better.
        let c: &[_] = &[("7g7f", 1, 8, 1), ("2g2f", 1, 1, 1)];
        assert_eq!(merged(Prefer::Deeper, &[a, c]).len(), 2);
        assert_eq!(merged(Prefer::Deeper, &[a, a])[0].3, 3);
        let summed = merged(Prefer::Sum, &[a, b]);
        assert_eq!(summed, [("7g7f".into(), 20, 9, 4), ("2g2f".into(), 5, 9, 1)]);
    }

    #[test]
    fn the_least_ply_is_kept() {
        let books = vec![entry(9, &[("7g7f", 1, 9, 1)]), entry(5, &[])];
        assert_eq!(merge(books, Prefer::Deeper).unwrap().position.ply(), 5);
        assert_eq!(merge(Vec::new(), Prefer::Sum), None);
    }
}
