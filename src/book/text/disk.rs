//! Finding a position in a sorted text book by binary search, without reading the rest.

use super::super::bytes::Bytes;
use super::super::entry::{BookEntry, Candidate, MAX_CANDIDATES, key_text};
use super::super::error::BookFault;
use super::line::{Line, MAX_LINE, key_of, position_text, read_line};
use super::reader::append_comment;
use crate::position::Position;
use std::cmp::Ordering;

/// Bytes that are read at once: more than most positions with their moves have.
const CHUNK: usize = 4 << 10;
/// Bytes within which there must be a position, else this is no book.
const MAX_GAP: u64 = 1 << 20;
/// Equal positions with different plies that are looked at.
const MAX_EQUAL: usize = 64;
/// Positions at the beginning whose order is tested, and places spread over the file.
const TESTED_FIRST: usize = 10_000;
const TESTED_PLACES: u64 = 256;

/// A sorted text book.
#[derive(Debug)]
pub(in super::super) struct TextBook {
    bytes: Bytes,
    /// Number of positions that the file announces.
    pub(in super::super) announced: Option<u64>,
}

/// A line with the place where it begins and the place behind it.
struct Found {
    start: u64,
    end: u64,
    line: Vec<u8>,
}

impl Found {
    fn key(&self) -> &[u8] {
        key_of(position_text(&self.line).unwrap_or_default())
    }

    fn ply(&self) -> u32 {
        let sfen = position_text(&self.line).unwrap_or_default();
        let digits = &sfen[key_of(sfen).len()..];
        std::str::from_utf8(digits.trim_ascii()).ok().and_then(|text| text.parse().ok()).unwrap_or(1)
    }
}

impl TextBook {
    /// A book, unless the order of its positions is wrong where it is tested.
    pub(in super::super) fn new(bytes: Bytes) -> Result<TextBook, (Bytes, BookFault)> {
        let mut book = TextBook { bytes, announced: None };
        match book.test_order() {
            Ok(announced) => {
                book.announced = announced;
                Ok(book)
            }
            Err(fault) => Err((book.bytes, fault)),
        }
    }

    pub(in super::super) fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Tests the order of the first positions and of some that are spread over the file; the number of positions that
    /// the head of the file announces.
    fn test_order(&self) -> Result<Option<u64>, BookFault> {
        let mut announced = None;
        let mut lines = Lines::new(&self.bytes, 0);
        let mut last: Option<Found> = None;
        let mut tested = 0;
        while tested < TESTED_FIRST {
            let Some(line) = lines.next()? else { break };
            if position_text(&line.line).is_some() {
                rises(last.as_ref(), &line)?;
                last = Some(line);
                tested += 1;
            } else if let Some(number) = line.line.strip_prefix(b"# NOE:").filter(|_| last.is_none()) {
                announced = std::str::from_utf8(number.trim_ascii()).ok().and_then(|text| text.parse().ok());
            }
        }
        if tested < TESTED_FIRST {
            return Ok(announced);
        }
        let begun = lines.at;
        for place in 1..TESTED_PLACES {
            let from = begun + (self.bytes.length() - begun) / TESTED_PLACES * place;
            let Some(line) = self.next_position(from, self.bytes.length())? else { break };
            rises(last.as_ref().filter(|last| last.start != line.start), &line)?;
            last = Some(line);
        }
        Ok(announced)
    }

    /// The moves of a position. With `ply` only of the one with that counter, else of the one with the least.
    pub(in super::super) fn find(
        &self,
        position: &Position,
        ply: Option<u32>,
    ) -> Result<Option<Vec<Candidate>>, BookFault> {
        let key = key_text(position).into_bytes();
        let Some(first) = self.lower_bound(&key)? else { return Ok(None) };
        let mut best: Option<(u32, BookEntry)> = None;
        let mut next = Some(first);
        for _ in 0..MAX_EQUAL {
            let Some(found) = next.take().filter(|found| found.key() == key) else { break };
            let (entry, after) = self.read_entry(&found, position)?;
            let fits = ply.is_none_or(|ply| found.ply() == ply);
            match &mut best {
                Some((known, merged)) if *known == found.ply() && fits => {
                    entry.moves.into_iter().for_each(|candidate| merged.add(candidate));
                }
                Some((known, _)) if *known < found.ply() => {}
                _ if fits => best = Some((found.ply(), entry)),
                _ => {}
            }
            next = after;
        }
        Ok(best.map(|(_, entry)| entry.moves))
    }

    /// The first position that is not before the key.
    fn lower_bound(&self, key: &[u8]) -> Result<Option<Found>, BookFault> {
        let (mut lo, mut hi) = (0, self.bytes.length());
        let mut below: Option<Found> = None;
        let mut found: Option<Found> = None;
        while lo < hi {
            let mid = lo + (hi - lo) / 2;
            let Some(line) = self.next_position(mid, hi)? else {
                hi = mid;
                continue;
            };
            // What the search has seen bounds what it may see now.
            rises(below.as_ref(), &line)?;
            if let Some(above) = found.as_ref().filter(|above| above.start != line.start) {
                rises(Some(&line), above)?;
            }
            if line.key().cmp(key) == Ordering::Less {
                lo = line.end;
                below = Some(line);
            } else {
                hi = mid;
                found = Some(line);
            }
        }
        Ok(found)
    }

    /// The first position that begins at `from` or behind it, and before `end`.
    fn next_position(&self, from: u64, end: u64) -> Result<Option<Found>, BookFault> {
        let mut lines = Lines::new(&self.bytes, from.saturating_sub(1));
        if from > 0 {
            // Ends the line that `from` lies in; at the beginning of a line that is an empty rest.
            lines.skip()?;
        }
        loop {
            if lines.at >= end {
                return Ok(None);
            }
            if lines.at > from.saturating_add(MAX_GAP) {
                return Err(BookFault::NotSorted(from));
            }
            match lines.next()? {
                None => return Ok(None),
                Some(line) if position_text(&line.line).is_some() => return Ok(Some(line)),
                Some(_) => {}
            }
        }
    }

    /// The moves behind the line of a position, and the position that comes next.
    fn read_entry(&self, found: &Found, position: &Position) -> Result<(BookEntry, Option<Found>), BookFault> {
        let mut entry = BookEntry::new(position.clone());
        let mut lines = Lines::new(&self.bytes, found.end);
        while lines.at <= found.end + MAX_GAP {
            let Some(line) = lines.next()? else { break };
            if position_text(&line.line).is_some() {
                return Ok((entry, Some(line)));
            }
            match read_line(&line.line) {
                Ok(Line::Candidate(candidate)) if entry.moves.len() < MAX_CANDIDATES => entry.add(candidate),
                Ok(Line::Comment(text)) => {
                    let comment = entry.moves.last_mut().map_or(&mut entry.comment, |last| &mut last.comment);
                    append_comment(comment, text);
                }
                // A line that cannot be read costs a move, no more.
                _ => {}
            }
        }
        Ok((entry, None))
    }
}

fn rises(below: Option<&Found>, above: &Found) -> Result<(), BookFault> {
    match below {
        Some(below) if below.key() > above.key() => Err(BookFault::NotSorted(above.start.max(below.start))),
        _ => Ok(()),
    }
}

/// The lines from a place on.
struct Lines<'a> {
    bytes: &'a Bytes,
    buffer: Vec<u8>,
    /// Where in the buffer the next line begins.
    next: usize,
    /// Where in the file that is.
    at: u64,
}

impl Lines<'_> {
    fn new(bytes: &Bytes, at: u64) -> Lines<'_> {
        Lines { bytes, buffer: Vec::new(), next: 0, at }
    }

    /// Reads on; false if there is no more.
    fn fill(&mut self) -> Result<bool, BookFault> {
        self.buffer.drain(..self.next);
        self.next = 0;
        let known = self.buffer.len();
        // Long texts are read in larger and larger pieces.
        self.buffer.resize(known + CHUNK.max(known), 0);
        let count = self.bytes.read_up_to(self.at + known as u64, &mut self.buffer[known..])?;
        self.buffer.truncate(known + count);
        Ok(count > 0)
    }

    /// Length of the next line in bytes with its end; none at the end of the text.
    fn line_length(&mut self) -> Result<Option<usize>, BookFault> {
        let mut searched = 0;
        loop {
            let rest = &self.buffer[self.next..];
            if let Some(end) = rest[searched..].iter().position(|&byte| byte == b'\n') {
                return Ok(Some(searched + end + 1));
            }
            searched = rest.len();
            if searched > MAX_LINE {
                return Err(BookFault::at(self.at, format_args!("a line of more than {MAX_LINE} bytes")));
            }
            if !self.fill()? {
                return Ok((searched > 0).then_some(searched));
            }
        }
    }

    fn skip(&mut self) -> Result<(), BookFault> {
        let length = self.line_length()?.unwrap_or(0);
        self.next += length;
        self.at += length as u64;
        Ok(())
    }

    fn next(&mut self) -> Result<Option<Found>, BookFault> {
        let Some(length) = self.line_length()? else { return Ok(None) };
        let start = self.at;
        let line = self.buffer[self.next..self.next + length].trim_ascii();
        let line = if start == 0 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line }.to_vec();
        self.next += length;
        self.at += length as u64;
        Ok(Some(Found { start, end: self.at, line }))
    }
}
