//! Reading records.

use super::share::{MAX_SHARE_HEAD, SHARE_MAGIC};
use super::{RECORD_BYTES, Record, from_record_unit};
use crate::host::open_file;
use crate::movegen::is_legal;
use crate::position::{PackedPosition, Position};
use crate::types::{Counted, Move};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use thiserror::Error;

/// Reads the records of a file with their positions, whose move counter is 1: that of the game stands in the record. It
/// ends after the first fault.
#[derive(Debug)]
pub struct Records<R> {
    input: R,
    name: String,
    offset: u64,
    is_over: bool,
}

/// A fault of a file: its name, the byte at which the faulty record begins, the fault.
#[derive(Debug, Error)]
#[error("{name}: byte {offset}: {fault}")]
pub struct RecordError {
    pub name: String,
    /// Where the faulty record begins.
    pub offset: u64,
    /// Fault of the record.
    #[source]
    pub fault: RecordFault,
}

/// Fault of a record.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordFault {
    /// The file ends within the record.
    #[error("{0}")]
    Truncated(String),
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

fn other(why: impl ToString) -> RecordFault {
    RecordFault::Other(why.to_string())
}

/// A line that tells the making of a share of records, and the records.
type OpenedShare = (String, Records<BufReader<File>>);

impl Records<BufReader<File>> {
    /// Opens a file of records.
    pub fn open(path: &Path) -> Result<Records<BufReader<File>>, RecordError> {
        let fail = |fault| RecordError { name: path.display().to_string(), offset: 0, fault };
        let open = || {
            let mut input = BufReader::with_capacity(1 << 16, open_file(path)?);
            let is_share = input.fill_buf()?.starts_with(SHARE_MAGIC);
            Ok::<_, std::io::Error>((input, is_share))
        };
        match open() {
            Ok((_, true)) => Err(fail(other("a share of records, which `data merge` joins with the others"))),
            Ok((input, false)) => Ok(Records::new(input, &path.display().to_string())),
            Err(error) => Err(fail(other(error))),
        }
    }

    /// Opens a share of records: what made it, and its records. `None` for a file that is none.
    pub fn open_share(path: &Path) -> Result<Option<OpenedShare>, RecordError> {
        let name = path.display().to_string();
        let open = || {
            let mut input = BufReader::with_capacity(1 << 16, open_file(path)?);
            if !input.fill_buf()?.starts_with(SHARE_MAGIC) {
                return Ok(None);
            }
            let mut head = Vec::new();
            input.by_ref().take(MAX_SHARE_HEAD).read_until(b'\n', &mut head)?;
            let made = String::from_utf8_lossy(&head[SHARE_MAGIC.len()..]).trim_end().to_string();
            Ok::<_, std::io::Error>(Some((made, head.len() as u64, input)))
        };
        match open() {
            Ok(opened) => {
                Ok(opened.map(|(made, offset, input)| (made, Records { offset, ..Records::new(input, &name) })))
            }
            Err(error) => Err(RecordError { name, offset: 0, fault: other(error) }),
        }
    }
}

impl<R: Read> Records<R> {
    /// Reads from any input. The name stands in messages.
    pub fn new(input: R, name: &str) -> Records<R> {
        Records { input, name: name.to_string(), offset: 0, is_over: false }
    }

    fn read_record(&mut self) -> Result<Option<(Record, Position)>, RecordFault> {
        let mut bytes = Vec::with_capacity(RECORD_BYTES);
        self.input.by_ref().take(RECORD_BYTES as u64).read_to_end(&mut bytes).map_err(other)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let bytes: [u8; RECORD_BYTES] = bytes.try_into().map_err(|short: Vec<u8>| {
            let bytes = Counted(short.len() as u64, "byte");
            RecordFault::Truncated(format!("the last record has {bytes}, not {RECORD_BYTES}"))
        })?;
        let read = decode(&bytes)?;
        self.offset += RECORD_BYTES as u64;
        Ok(Some(read))
    }
}

impl<R: Read> Iterator for Records<R> {
    type Item = Result<(Record, Position), RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let read = self.read_record();
        self.is_over = !matches!(read, Ok(Some(_)));
        match read {
            Ok(read) => read.map(Ok),
            Err(fault) => Some(Err(RecordError { name: self.name.clone(), offset: self.offset, fault })),
        }
    }
}

/// Three values that stand for no move on the board: no move at all, a null move, resignation and a declaration.
const NO_MOVES: [u16; 4] = [0, (1 << 7) + 1, (2 << 7) + 2, (3 << 7) + 3];

fn decode(bytes: &[u8; RECORD_BYTES]) -> Result<(Record, Position), RecordFault> {
    let (packed, rest) = bytes.split_at(32);
    let number = |at: usize| u16::from_le_bytes([rest[at], rest[at + 1]]);
    let position = PackedPosition(packed.try_into().expect("32 bytes"));
    let pos = position.unpack().map_err(other)?;
    let best = match number(2) {
        bits if NO_MOVES.contains(&bits) => None,
        bits => Some(Move::from_bits(bits).ok_or_else(|| other(format_args!("there is no move {bits:#06x}")))?),
    };
    if let Some(mv) = best.filter(|&mv| !is_legal(&pos, mv)) {
        return Err(other(format_args!("{mv} is not legal")));
    }
    let result = rest[6] as i8;
    if !(-1..=1).contains(&result) {
        return Err(other(format_args!("there is no result {result}")));
    }
    let score = from_record_unit(number(0) as i16);
    Ok((Record { position, score, best, ply: number(4), result }, pos))
}
