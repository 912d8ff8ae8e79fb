//! Reading records.

use super::fault::{RecordError, RecordFault, other, tested};
use super::hcpe::{HCP_BYTES, HCPE_BYTES, decode_hcp, decode_hcpe};
use super::share::{MAX_SHARE_HEAD, SHARE_MAGIC};
use super::{RECORD_BYTES, Record, from_record_unit};
use komainu::host::open_file;
use komainu::position::{PackedPosition, Position};
use komainu::types::{Counted, Move};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
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

/// Reads the records of a file with their positions, whose move counter is 1: that of the game stands in the record. It
/// ends after the first fault.
#[derive(Debug)]
pub struct Records<R> {
    input: R,
    format: RecordFormat,
    name: String,
    offset: u64,
    raw_score: i16,
    is_over: bool,
}

/// A line that tells the making of a share of records, and the records.
type OpenedShare = (String, Records<BufReader<File>>);

impl Records<BufReader<File>> {
    /// Opens a file of records of 40 bytes.
    pub fn open(path: &Path) -> Result<Records<BufReader<File>>, RecordError> {
        Records::open_as(path, RecordFormat::Psv)
    }

    /// Opens a file of records.
    pub fn open_as(path: &Path, format: RecordFormat) -> Result<Records<BufReader<File>>, RecordError> {
        let fail = |fault| RecordError { name: path.display().to_string(), offset: 0, fault };
        let open = || {
            let mut input = BufReader::with_capacity(1 << 16, open_file(path)?);
            let is_share = input.fill_buf()?.starts_with(SHARE_MAGIC);
            Ok::<_, std::io::Error>((input, is_share))
        };
        match open() {
            Ok((_, true)) => Err(fail(other("a share of records, which `data merge` joins with the others"))),
            Ok((input, false)) => Ok(Records { format, ..Records::new(input, &path.display().to_string()) }),
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
    /// Reads records of 40 bytes from any input. The name stands in messages.
    pub fn new(input: R, name: &str) -> Records<R> {
        Records { input, format: RecordFormat::Psv, name: name.to_string(), offset: 0, raw_score: 0, is_over: false }
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

    fn read_record(&mut self) -> Result<Option<(Record, Position)>, RecordFault> {
        let length = self.format.bytes();
        let mut bytes = Vec::with_capacity(length);
        self.input.by_ref().take(length as u64).read_to_end(&mut bytes).map_err(other)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        if bytes.len() < length {
            let bytes = Counted(bytes.len() as u64, "byte");
            return Err(RecordFault::Truncated(format!("the last record has {bytes}, not {length}")));
        }
        let read = match self.format {
            RecordFormat::Psv => decode(&bytes),
            RecordFormat::Hcp => decode_hcp(&bytes),
            RecordFormat::Hcpe => decode_hcpe(&bytes),
        }?;
        self.offset += length as u64;
        self.raw_score = bytes.get(32..34).map_or(0, |score| i16::from_le_bytes([score[0], score[1]]));
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

fn decode(bytes: &[u8]) -> Result<(Record, Position), RecordFault> {
    let (packed, rest) = bytes.split_at(32);
    let number = |at: usize| u16::from_le_bytes([rest[at], rest[at + 1]]);
    let position = PackedPosition(packed.try_into().expect("32 bytes"));
    let pos = position.unpack().map_err(other)?;
    let best = match number(2) {
        bits if NO_MOVES.contains(&bits) => None,
        bits => Some(Move::from_bits(bits).ok_or_else(|| other(format_args!("there is no move {bits:#06x}")))?),
    };
    let result = rest[6] as i8;
    if !(-1..=1).contains(&result) {
        return Err(other(format_args!("there is no result {result}")));
    }
    let score = from_record_unit(number(0) as i16);
    tested(Record { position, score, best, ply: number(4), result }, pos)
}
