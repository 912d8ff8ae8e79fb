//! The binary format of 2026 (`.ybb`): packed positions in order, each with a place in a list of moves.
//!
//! 32 bytes of head (tag of 16, number of positions, flags; bit 0: moves have a depth), then for each position 44 bytes
//! (packed position 32, offset of its moves 8, ply 2, number of moves 2), then the moves, 4 bytes each (move, value) or
//! 6 with the depth. All numbers are little-endian. There are no replies, counts and comments.

use super::bytes::{Bytes, lower_bound, tested_records};
use super::entry::{BookEntry, Candidate, MAX_CANDIDATES, sort_candidates};
use super::error::BookFault;
use super::write::{BookPositions, OutputFormat, Written};
use crate::position::{PackedPosition, Position};
use crate::types::Move;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek, SeekFrom, Write};

pub(crate) const TAG: [u8; 16] = *b"YANE-BINBOOK-V1\0";
pub(crate) const HEAD_BYTES: u64 = 32;
pub(crate) const RECORD_BYTES: u64 = 44;
pub(crate) const FLAG_DEPTH: u64 = 1;
/// The value of a move that is known without one.
pub(crate) const UNKNOWN_VALUE: i16 = i16::MIN;

/// A binary book.
#[derive(Debug)]
pub(crate) struct YbbBook {
    pub(crate) bytes: Bytes,
    pub(crate) positions: u64,
    has_depth: bool,
    /// Where the moves begin.
    moves_at: u64,
}

struct Record {
    packed: [u8; 32],
    offset: u64,
    ply: u16,
    count: u16,
}

impl YbbBook {
    /// A book, unless its head promises more than the file has.
    pub(crate) fn new(bytes: Bytes) -> Result<YbbBook, BookFault> {
        let length = bytes.length();
        if length < HEAD_BYTES {
            return Err(BookFault::truncated(length, HEAD_BYTES - length));
        }
        let mut head = [0; HEAD_BYTES as usize];
        bytes.read_at(0, &mut head)?;
        let positions = u64_at(&head, 16);
        let flags = u64_at(&head, 24);
        if flags & !FLAG_DEPTH != 0 {
            return Err(BookFault::at(24, format_args!("unknown flags {flags:#x}")));
        }
        let moves_at = positions.checked_mul(RECORD_BYTES).and_then(|size| size.checked_add(HEAD_BYTES));
        let moves_at = moves_at.unwrap_or(u64::MAX);
        if moves_at > length {
            return Err(BookFault::truncated(length, moves_at - length));
        }
        Ok(YbbBook { bytes, positions, has_depth: flags & FLAG_DEPTH != 0, moves_at })
    }

    /// An error if the order of the positions is wrong where it is tested.
    pub(crate) fn test_order(&self) -> Result<(), BookFault> {
        let mut last: Option<[u8; 32]> = None;
        for index in tested_records(self.positions) {
            let record = self.record(index)?;
            if last.is_some_and(|last| last >= record.packed) {
                return Err(BookFault::NotSorted(offset_of(index)));
            }
            last = Some(record.packed);
        }
        Ok(())
    }

    fn record(&self, index: u64) -> Result<Record, BookFault> {
        let mut bytes = [0; RECORD_BYTES as usize];
        self.bytes.read_at(offset_of(index), &mut bytes)?;
        let mut packed = [0; 32];
        packed.copy_from_slice(&bytes[..32]);
        let u16_at = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        Ok(Record { packed, offset: u64_at(&bytes, 32), ply: u16_at(40), count: u16_at(42) })
    }

    fn moves(&self, index: u64, record: &Record) -> Result<Vec<Candidate>, BookFault> {
        let size = if self.has_depth { 6 } else { 4 };
        let length = u64::from(record.count) * size;
        let start = self.moves_at.checked_add(record.offset);
        let is_inside = start.and_then(|start| start.checked_add(length)).is_some_and(|end| end <= self.bytes.length());
        if !is_inside || record.count as usize > MAX_CANDIDATES {
            let why = format!("moves at offset {}, number {}, lie outside the file", record.offset, record.count);
            return Err(BookFault::at(offset_of(index), why));
        }
        let start = self.moves_at + record.offset;
        let mut bytes = vec![0; length as usize];
        self.bytes.read_at(start, &mut bytes)?;
        let mut moves = Vec::new();
        for (number, bytes) in bytes.chunks_exact(size as usize).enumerate() {
            let bits = u16::from_le_bytes([bytes[0], bytes[1]]);
            let place = start + number as u64 * size;
            let mv = Move::from_bits(bits).ok_or_else(|| BookFault::no_move(place, bits.into()))?;
            let value = i16::from_le_bytes([bytes[2], bytes[3]]);
            let depth = if self.has_depth { u16::from_le_bytes([bytes[4], bytes[5]]).into() } else { 0 };
            let value = if value == UNKNOWN_VALUE { None } else { Some(value.into()) };
            moves.push(Candidate { value, depth, ..Candidate::new(mv) });
        }
        Ok(moves)
    }

    /// The moves of a position, with `ply` only if it has that counter.
    pub(crate) fn find(&self, position: &Position, ply: Option<u32>) -> Result<Option<Vec<Candidate>>, BookFault> {
        // A position with one king cannot be packed, so it is in no such book.
        let Ok(PackedPosition(key)) = position.pack() else { return Ok(None) };
        let index = lower_bound(self.positions, key, |index| Ok(self.record(index)?.packed), offset_of)?;
        if index == self.positions {
            return Ok(None);
        }
        let record = self.record(index)?;
        let is_other_ply = ply.is_some_and(|ply| ply.min(u16::MAX.into()) != u32::from(record.ply));
        if record.packed != key || is_other_ply { Ok(None) } else { self.moves(index, &record).map(Some) }
    }

    /// The position at this place of the file.
    pub(crate) fn entry(&self, index: u64) -> Result<BookEntry, BookFault> {
        let record = self.record(index)?;
        let position = PackedPosition(record.packed)
            .unpack()
            .map_err(|error| BookFault::at(offset_of(index), format_args!("no position: {error}")))?;
        let mut entry = BookEntry::new(position);
        entry.position.set_ply(record.ply.into());
        entry.moves = self.moves(index, &record)?;
        Ok(entry)
    }
}

/// Where the record of a position begins.
fn offset_of(index: u64) -> u64 {
    HEAD_BYTES + index * RECORD_BYTES
}

/// The records first, the moves behind them: these wait in the spare file, in the same order.
pub(crate) fn write_ybb(source: &dyn BookPositions, out: &mut dyn Write, spare: &mut File) -> io::Result<Written> {
    let mut written = Written::default();
    let mut has_depth = false;
    let mut positions = 0_u64;
    source.visit(&mut |entry| {
        positions += 1;
        has_depth |= entry.moves.iter().any(|candidate| candidate.depth > 0);
        Ok(())
    })?;
    out.write_all(&TAG)?;
    out.write_all(&positions.to_le_bytes())?;
    out.write_all(&(if has_depth { FLAG_DEPTH } else { 0 }).to_le_bytes())?;
    let mut moves = BufWriter::new(spare);
    let mut offset = 0_u64;
    source.visit(&mut |mut entry| {
        sort_candidates(&mut entry.moves);
        written.count(&entry, OutputFormat::Ybb);
        let Ok(PackedPosition(packed)) = entry.position.pack() else { return Ok(()) };
        let mut record = [0; RECORD_BYTES as usize];
        record[..32].copy_from_slice(&packed);
        record[32..40].copy_from_slice(&offset.to_le_bytes());
        record[40..42].copy_from_slice(&(entry.position.ply().min(u16::MAX.into()) as u16).to_le_bytes());
        record[42..].copy_from_slice(&(entry.moves.len() as u16).to_le_bytes());
        out.write_all(&record)?;
        for candidate in &entry.moves {
            let value = candidate.value.map_or(UNKNOWN_VALUE, |value| value.clamp(-32_767, 32_767) as i16);
            moves.write_all(&candidate.mv.bits().to_le_bytes())?;
            moves.write_all(&value.to_le_bytes())?;
            offset += 4;
            if has_depth {
                moves.write_all(&(candidate.depth.min(u16::MAX.into()) as u16).to_le_bytes())?;
                offset += 2;
            }
        }
        Ok(())
    })?;
    let spare = moves.into_inner().map_err(io::IntoInnerError::into_error)?;
    spare.seek(SeekFrom::Start(0))?;
    io::copy(&mut BufReader::with_capacity(1 << 20, spare), out)?;
    Ok(written)
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(number)
}
