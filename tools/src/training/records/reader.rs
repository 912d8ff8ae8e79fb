//! Reading records.

use super::hcpe::{HCP_BYTES, HCPE_BYTES, decode_hcp, decode_hcpe};
use super::{RECORD_BYTES, Record, from_record_unit};
use crate::training::input::{Input, ReadError, ReadFault, damaged};
use komainu::movegen::is_legal;
use komainu::position::{PackedPosition, Position};
use komainu::types::{Counted, Move};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

/// Formats of files of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordFormat {
    /// Records of 40 bytes (`.psv`).
    Psv,
    /// Positions of Apery and dlshogi (`.hcp`), read as records without a move, with score and result 0.
    Hcp,
    /// Records of dlshogi (`.hcpe`); the move counter is not in them.
    Hcpe,
}

impl RecordFormat {
    /// Length of a record.
    pub fn bytes(self) -> usize {
        match self {
            RecordFormat::Psv => RECORD_BYTES,
            RecordFormat::Hcp => HCP_BYTES,
            RecordFormat::Hcpe => HCPE_BYTES,
        }
    }
}

/// Records of a block, the last one of which may be short. A share of a file of records is every Nth block of it.
pub(in crate::training) const BLOCK: u64 = 512;
/// Bytes of a block.
pub(in crate::training) const BLOCK_BYTES: u64 = BLOCK * RECORD_BYTES as u64;

/// Number of records in a block of so many in all.
pub(in crate::training) fn block_length(records: u64, block: u64) -> u64 {
    records.saturating_sub(block * BLOCK).min(BLOCK)
}

/// Beginning of a file with a share of records: a line, behind which the records stand.
const SHARE_MAGIC: &[u8] = b"KMNSHARE ";
/// The longest such line.
const MAX_SHARE_HEAD: u64 = 10_000;

/// Line with which a share of records begins: what made it.
pub(in crate::training) fn share_head(description: &str) -> Vec<u8> {
    [SHARE_MAGIC, description.as_bytes(), b"\n"].concat()
}

/// Reads the records of a file with their positions, whose move counter is 1: that of the game stands in the record. It
/// ends after the first fault.
#[derive(Debug)]
pub struct Records<R> {
    input: Input<R>,
    format: RecordFormat,
    raw_score: i16,
}

/// A line that tells the making of a share of records, and the records.
type OpenedShare = (String, Records<BufReader<File>>);

impl Records<BufReader<File>> {
    /// Opens a file of records of 40 bytes.
    pub fn open(path: &Path) -> Result<Records<BufReader<File>>, ReadError> {
        Records::open_as(path, RecordFormat::Psv)
    }

    /// Opens a file of records.
    pub fn open_as(path: &Path, format: RecordFormat) -> Result<Records<BufReader<File>>, ReadError> {
        let mut input = Input::open(path)?;
        if input.begins_with(SHARE_MAGIC)? {
            return Err(input.error(damaged("a share of records, which `data merge` joins with the others")));
        }
        Ok(Records { input, format, raw_score: 0 })
    }

    /// Opens a share of records: what made it, and its records. `None` for a file that is none.
    pub fn open_share(path: &Path) -> Result<Option<OpenedShare>, ReadError> {
        let mut input = Input::open(path)?;
        if !input.begins_with(SHARE_MAGIC)? {
            return Ok(None);
        }
        let head = input.read_line(MAX_SHARE_HEAD)?;
        let made = String::from_utf8_lossy(&head[SHARE_MAGIC.len()..]).trim_end().to_string();
        Ok(Some((made, Records { input, format: RecordFormat::Psv, raw_score: 0 })))
    }
}

impl<R: Read> Records<R> {
    /// Reads records of 40 bytes from any input. The name stands in messages.
    pub fn new(input: R, name: &str) -> Records<R> {
        Records { input: Input::new(input, name), format: RecordFormat::Psv, raw_score: 0 }
    }

    /// Reads records of this format instead.
    #[must_use]
    pub fn in_format(self, format: RecordFormat) -> Records<R> {
        Records { format, ..self }
    }

    /// Score of the last record as the file has it: of a `.psv` in the unit of the file, where [`Record::score`] is in
    /// centipawns and cut off before it would be a mate. 0 before the first record.
    pub fn raw_score(&self) -> i16 {
        self.raw_score
    }
}

impl<R: Read> Iterator for Records<R> {
    type Item = Result<(Record, Position), ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let length = self.format.bytes();
        let mut bytes = Vec::with_capacity(length);
        let read = self.input.next(|input| {
            if !input.fill(&mut bytes, length)? {
                return if bytes.is_empty() { Ok(None) } else { Err(cut_off(bytes.len(), length)) };
            }
            let read = match self.format {
                RecordFormat::Psv => decode(&bytes),
                RecordFormat::Hcp => decode_hcp(&bytes),
                RecordFormat::Hcpe => decode_hcpe(&bytes),
            };
            Ok(Some((read?, length)))
        });
        if let Some(Ok(_)) = read {
            self.raw_score = bytes.get(32..34).map_or(0, |score| i16::from_le_bytes([score[0], score[1]]));
        }
        read
    }
}

fn cut_off(length: usize, whole: usize) -> ReadFault {
    ReadFault::Torn(format!("the last record has {}, not {whole}", Counted(length as u64, "byte")))
}

/// A record whose move is legal, with its position.
pub(super) fn tested(record: Record, pos: Position) -> Result<(Record, Position), ReadFault> {
    match record.best {
        Some(mv) if !is_legal(&pos, mv) => Err(damaged(format_args!("{mv} is not legal"))),
        _ => Ok((record, pos)),
    }
}

/// Three values that stand for no move on the board: no move at all, a null move, resignation and a declaration.
const NO_MOVES: [u16; 4] = [0, (1 << 7) + 1, (2 << 7) + 2, (3 << 7) + 3];

fn decode(bytes: &[u8]) -> Result<(Record, Position), ReadFault> {
    let (packed, rest) = bytes.split_at(32);
    let position = PackedPosition(packed.try_into().expect("32 bytes"));
    let pos = position.unpack().map_err(damaged)?;
    let best = match u16::from_le_bytes([rest[2], rest[3]]) {
        bits if NO_MOVES.contains(&bits) => None,
        bits => Some(Move::from_bits(bits).ok_or_else(|| damaged(format_args!("there is no move {bits:#06x}")))?),
    };
    let result = rest[6] as i8;
    if !(-1..=1).contains(&result) {
        return Err(damaged(format_args!("there is no result {result}")));
    }
    let score = from_record_unit(i16::from_le_bytes([rest[0], rest[1]]));
    let ply = u16::from_le_bytes([rest[4], rest[5]]);
    tested(Record { position, score, best, ply, result }, pos)
}
