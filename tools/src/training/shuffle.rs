//! Putting games or records into a random order, in bounded memory.
//!
//! A file that does not fit into memory is first dealt out at random to enough parts that each fits, and then each part
//! is put into a random order by itself: every order of the whole is as likely as any other.

use super::DataError;
use super::games::{Game, GamesReader, GamesWriter};
use super::records::{RECORD_BYTES, Records};
use crate::random::Random;
use komainu::host::open_file;
use komainu::storage::NewFile;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use tempfile::tempfile_in;

/// Contents of a file: games or records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataKind {
    Games,
    /// Records of 40 bytes.
    Records,
}

/// The most parts: each is an open file.
const MAX_PARTS: u64 = 256;

impl DataKind {
    /// The kind of a file, by its first bytes.
    pub fn of(path: &Path) -> io::Result<DataKind> {
        let mut bytes = Vec::new();
        open_file(path)?.take(super::games::MAGIC.len() as u64).read_to_end(&mut bytes)?;
        Ok(if bytes == super::games::MAGIC { DataKind::Games } else { DataKind::Records })
    }

    /// The length of the item with which these bytes begin.
    fn item_length(self, bytes: &[u8]) -> usize {
        match self {
            DataKind::Games => Game::encoded_length([bytes[0], bytes[1]]),
            DataKind::Records => RECORD_BYTES,
        }
    }
}

/// Parts on the disk, beside the output; nothing of them is left in the end, also after a kill.
type Parts = Vec<BufWriter<File>>;

fn parts(output: &Path, count: u64) -> io::Result<Parts> {
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    (0..count).map(|_| tempfile_in(folder).map(BufWriter::new)).collect()
}

/// Writes what the inputs hold into a new file, in an order that depends on the seed alone, with about `memory` bytes
/// of memory. Returns how many items there were.
pub fn shuffle(inputs: &[PathBuf], output: &Path, seed: u64, memory: u64) -> Result<u64, DataError> {
    let in_output = DataError::in_file(output);
    let mut kind = None;
    let mut size = 0;
    for path in inputs {
        let fail = DataError::in_file(path);
        let this = DataKind::of(path).map_err(&fail)?;
        if *kind.get_or_insert(this) != this {
            return DataError::refused(format_args!("{}: not of the kind of the first file", path.display()));
        }
        size += fs::metadata(path).map_err(fail)?.len();
    }
    let kind = kind.unwrap_or(DataKind::Records);
    if output.exists() {
        return Err(in_output(io::ErrorKind::AlreadyExists.into()));
    }
    let mut file = NewFile::create(output).map_err(&in_output)?;
    if kind == DataKind::Games {
        let description = format!("komainu {} shuffle seed {seed}", env!("CARGO_PKG_VERSION"));
        GamesWriter::new(&mut file, &description).map_err(&in_output)?;
    }
    let mut random = Random::new(seed, 0);
    let mut parts = parts(output, (size / memory.max(1) + 1).min(MAX_PARTS)).map_err(&in_output)?;
    let count = deal(inputs, kind, &mut parts, &mut random, &in_output)?;
    for part in &mut parts {
        shuffle_part(kind, part, &mut file, &mut random).map_err(&in_output)?;
    }
    file.finish().map_err(&in_output)?;
    Ok(count)
}

/// Puts each item into a random part.
fn deal(
    inputs: &[PathBuf],
    kind: DataKind,
    parts: &mut Parts,
    random: &mut Random,
    in_output: &impl Fn(io::Error) -> DataError,
) -> Result<u64, DataError> {
    let mut count = 0;
    let mut put = |bytes: &[u8]| {
        let part = random.below(parts.len());
        count += 1;
        parts[part].write_all(bytes).map_err(in_output)
    };
    for path in inputs {
        match kind {
            DataKind::Games => {
                for game in GamesReader::open(path)? {
                    put(&game?.encode())?;
                }
            }
            DataKind::Records => {
                for read in Records::open(path)? {
                    put(&read?.0.encode())?;
                }
            }
        }
    }
    Ok(count)
}

/// Reads a part, and writes its items in a random order.
fn shuffle_part(
    kind: DataKind,
    part: &mut BufWriter<File>,
    output: &mut impl Write,
    random: &mut Random,
) -> io::Result<()> {
    part.flush()?;
    let file = part.get_mut();
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let mut items: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let end = at + kind.item_length(&bytes[at..]);
        items.push(at..end);
        at = end;
    }
    random.shuffle(&mut items);
    for item in items {
        output.write_all(&bytes[item])?;
    }
    Ok(())
}
