//! The binary format of 2026 (`.ybb`): packed positions in order, each with a place in a list of moves.
//!
//! 32 bytes of head (tag of 16, number of positions, flags; bit 0: moves have a depth), then for each position 44 bytes
//! (packed position 32, offset of its moves 8, ply 2, number of moves 2), then the moves, 4 bytes each (move, value) or
//! 6 with the depth. All numbers are little-endian. There are no replies, counts and comments.

use super::bytes::Bytes;
use super::entry::{BookEntry, Candidate, MAX_CANDIDATES};
use super::error::BookFault;
use crate::position::{PackedPosition, Position};
use crate::types::Move;

pub(super) const TAG: [u8; 16] = *b"YANE-BINBOOK-V1\0";
pub(super) const HEAD_BYTES: u64 = 32;
pub(super) const RECORD_BYTES: u64 = 44;
pub(super) const FLAG_DEPTH: u64 = 1;
/// The value of a move that is known without one.
pub(super) const UNKNOWN_VALUE: i16 = i16::MIN;

/// Positions at the beginning whose order is tested, and places spread over the file.
const TESTED_FIRST: u64 = 10_000;
const TESTED_PLACES: u64 = 256;

/// A binary book.
#[derive(Debug)]
pub(super) struct YbbBook {
    bytes: Bytes,
    positions: u64,
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
    pub(super) fn new(bytes: Bytes) -> Result<YbbBook, BookFault> {
        let length = bytes.length();
        if length < HEAD_BYTES {
            return Err(BookFault::truncated(length, HEAD_BYTES - length));
        }
        let mut head = [0; HEAD_BYTES as usize];
        bytes.read_at(0, &mut head)?;
        let (positions, flags) = (u64_at(&head, 16), u64_at(&head, 24));
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
    pub(super) fn test_order(&self) -> Result<(), BookFault> {
        let first = self.positions.min(TESTED_FIRST);
        let places = (1..TESTED_PLACES).map(|place| self.positions / TESTED_PLACES * place).filter(|&at| at > first);
        let mut last: Option<[u8; 32]> = None;
        for index in (0..first).chain(places) {
            let record = self.record(index)?;
            if last.is_some_and(|last| last >= record.packed) {
                return Err(BookFault::NotSorted(HEAD_BYTES + index * RECORD_BYTES));
            }
            last = Some(record.packed);
        }
        Ok(())
    }

    pub(super) fn len(&self) -> u64 {
        self.positions
    }

    pub(super) fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    pub(super) fn into_bytes(self) -> Bytes {
        self.bytes
    }

    fn record(&self, index: u64) -> Result<Record, BookFault> {
        let mut bytes = [0; RECORD_BYTES as usize];
        self.bytes.read_at(HEAD_BYTES + index * RECORD_BYTES, &mut bytes)?;
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
        let at = HEAD_BYTES + index * RECORD_BYTES;
        if !is_inside || record.count as usize > MAX_CANDIDATES {
            let Record { offset, count, .. } = record;
            let why = format_args!("moves at offset {offset}, number {count}, lie outside the file");
            return Err(BookFault::at(at, why));
        }
        let start = self.moves_at + record.offset;
        let mut bytes = vec![0; length as usize];
        self.bytes.read_at(start, &mut bytes)?;
        let mut entry = BookEntry::new(Position::startpos());
        for (number, bytes) in bytes.chunks_exact(size as usize).enumerate() {
            let bits = u16::from_le_bytes([bytes[0], bytes[1]]);
            let place = start + number as u64 * size;
            let mv = Move::from_bits(bits).ok_or_else(|| BookFault::no_move(place, bits.into()))?;
            let value = i16::from_le_bytes([bytes[2], bytes[3]]);
            let depth = if self.has_depth { u16::from_le_bytes([bytes[4], bytes[5]]).into() } else { 0 };
            let value = (value != UNKNOWN_VALUE).then_some(value.into());
            entry.add(Candidate { value, depth, ..Candidate::new(mv) });
        }
        Ok(entry.moves)
    }

    /// The moves of a position, with `ply` only if it has that counter.
    pub(super) fn find(&self, position: &Position, ply: Option<u32>) -> Result<Option<Vec<Candidate>>, BookFault> {
        // A position with one king cannot be packed, so it is in no such book.
        let Ok(PackedPosition(key)) = position.pack() else { return Ok(None) };
        let (mut lo, mut hi) = (0, self.positions);
        let (mut below, mut above): (Option<[u8; 32]>, Option<[u8; 32]>) = (None, None);
        while lo < hi {
            let mid = lo + (hi - lo) / 2;
            let record = self.record(mid)?;
            // What the search has seen bounds what it may see now.
            let is_between = below.is_none_or(|key| key < record.packed) && above.is_none_or(|key| record.packed < key);
            if !is_between {
                return Err(BookFault::NotSorted(HEAD_BYTES + mid * RECORD_BYTES));
            }
            match record.packed.cmp(&key) {
                std::cmp::Ordering::Less => (lo, below) = (mid + 1, Some(record.packed)),
                std::cmp::Ordering::Greater => (hi, above) = (mid, Some(record.packed)),
                std::cmp::Ordering::Equal => {
                    let fits = ply.is_none_or(|ply| u32::from(record.ply) == ply.min(u16::MAX.into()));
                    return if fits { self.moves(mid, &record).map(Some) } else { Ok(None) };
                }
            }
        }
        Ok(None)
    }

    /// The position at this place of the file.
    pub(super) fn entry(&self, index: u64) -> Result<BookEntry, BookFault> {
        let record = self.record(index)?;
        let place = HEAD_BYTES + index * RECORD_BYTES;
        let position = PackedPosition(record.packed)
            .unpack()
            .map_err(|error| BookFault::at(place, format_args!("no position: {error}")))?;
        let mut entry = BookEntry::new(position);
        entry.position.set_ply(record.ply.into());
        entry.moves = self.moves(index, &record)?;
        Ok(entry)
    }
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(number)
}
