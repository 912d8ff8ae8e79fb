//! The bytes of a book: on disk, in memory, or built in.

use super::error::BookFault;
use crate::host::{lock, open_regular};
use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The name that stands for it in place of a file: `Book::open(Path::new(INTERNAL), OnTheFly::Auto)`.
pub const INTERNAL: &str = "<internal>";

/// File of the built-in book, a `.ybb`.
#[cfg(not(feature = "packed"))]
pub(crate) fn internal_file() -> &'static [u8] {
    include_bytes!("komainu.ybb")
}

/// File of the built-in book, a `.ybb`, inflated at the first call.
#[cfg(feature = "packed")]
pub(crate) fn internal_file() -> &'static [u8] {
    static FILE: once_cell::sync::Lazy<Vec<u8>> = once_cell::sync::Lazy::new(|| {
        let deflated = include_bytes!(env!("KOMAINU_BOOK"));
        miniz_oxide::inflate::decompress_to_vec_zlib(deflated).expect("the build has deflated it")
    });
    &FILE
}

/// Bytes that can be read from any place.
#[derive(Debug)]
pub(crate) struct Bytes {
    store: Store,
    length: u64,
}

#[derive(Debug)]
enum Store {
    Disk(Mutex<File>),
    Memory(Cow<'static, [u8]>),
}

impl Bytes {
    /// The bytes of a file, which stay on disk; or those of the book that is built in.
    pub(crate) fn open(path: &Path) -> io::Result<Bytes> {
        if path == Path::new(INTERNAL) {
            return Ok(Bytes::in_memory(Cow::Borrowed(internal_file())));
        }
        if path.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "a folder, not a file"));
        }
        let mut file = open_regular(path, OpenOptions::new().read(true))?;
        let length = file.seek(SeekFrom::End(0))?;
        Ok(Bytes { store: Store::Disk(Mutex::new(file)), length })
    }

    pub(crate) fn in_memory(bytes: Cow<'static, [u8]>) -> Bytes {
        Bytes { length: bytes.len() as u64, store: Store::Memory(bytes) }
    }

    /// Reads bytes that lie on disk into memory.
    pub(crate) fn into_memory(self) -> io::Result<Bytes> {
        let Store::Disk(file) = self.store else { return Ok(self) };
        let mut file = file.into_inner().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(0))?;
        let mut bytes = Vec::new();
        // A file that grows meanwhile is read up to the length that it had.
        file.take(self.length).read_to_end(&mut bytes)?;
        Ok(Bytes::in_memory(Cow::Owned(bytes)))
    }

    /// All of them.
    pub(crate) fn into_contents(self) -> io::Result<Cow<'static, [u8]>> {
        match self.into_memory()?.store {
            Store::Memory(bytes) => Ok(bytes),
            Store::Disk(_) => unreachable!("they are in memory now"),
        }
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    pub(crate) fn is_on_disk(&self) -> bool {
        matches!(self.store, Store::Disk(_))
    }

    /// Fills the buffer from this offset on, as far as there are bytes; how many there were.
    pub(crate) fn read_up_to(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match &self.store {
            Store::Memory(bytes) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
                let count = buffer.len().min(bytes.len() - start);
                buffer[..count].copy_from_slice(&bytes[start..start + count]);
                Ok(count)
            }
            Store::Disk(file) => {
                let mut file = lock(file);
                file.seek(SeekFrom::Start(offset))?;
                let mut count = 0;
                while count < buffer.len() {
                    match file.read(&mut buffer[count..]) {
                        Ok(0) => break,
                        Ok(more) => count += more,
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(error),
                    }
                }
                Ok(count)
            }
        }
    }

    /// Fills the buffer from this offset on; it is an error if the bytes end before.
    pub(crate) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        if self.read_up_to(offset, buffer)? < buffer.len() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file has become shorter"));
        }
        Ok(())
    }
}

/// Records at the beginning of a sorted file whose order is tested, and places spread over the file.
const TESTED_FIRST: u64 = 10_000;
const TESTED_PLACES: u64 = 256;

/// The records whose order is tested, of so many.
pub(crate) fn tested_records(count: u64) -> impl Iterator<Item = u64> {
    let first = count.min(TESTED_FIRST);
    let places = (1..TESTED_PLACES).map(move |place| count / TESTED_PLACES * place).filter(move |&at| at > first);
    (0..first).chain(places)
}

/// The first of so many sorted records whose key is not below this one. An error tells where they are out of order.
pub(crate) fn lower_bound<K: Ord + Copy>(
    count: u64,
    key: K,
    key_at: impl Fn(u64) -> Result<K, BookFault>,
    offset_of: impl Fn(u64) -> u64,
) -> Result<u64, BookFault> {
    let mut lo = 0;
    let mut hi = count;
    let mut below: Option<K> = None;
    let mut above: Option<K> = None;
    while lo < hi {
        let mid = lo + (hi - lo) / 2;
        let found = key_at(mid)?;
        // What the search has seen bounds what it may see now.
        if below.is_some_and(|below| found < below) || above.is_some_and(|above| found > above) {
            return Err(BookFault::NotSorted(offset_of(mid)));
        }
        if found < key {
            lo = mid + 1;
            below = Some(found);
        } else {
            hi = mid;
            above = Some(found);
        }
    }
    Ok(lo)
}

/// Bytes read one after the other from a place on, for whoever wants a stream.
#[derive(Debug)]
pub(crate) struct Stream<'a> {
    bytes: &'a Bytes,
    offset: u64,
}

impl Bytes {
    pub(crate) fn stream(&self) -> Stream<'_> {
        self.stream_from(0)
    }

    pub(crate) fn stream_from(&self, offset: u64) -> Stream<'_> {
        Stream { bytes: self, offset }
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read_up_to(self.offset, buffer)?;
        self.offset += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::check::check_book;
    use crate::book::stream::visit_entries;
    use crate::book::{Book, BookError, BookFormat, Lookup, OnTheFly};
    use crate::position::Position;

    #[test]
    fn the_built_in_book_is_small_and_without_faults() {
        assert!(internal_file().len() <= 300_000, "{} bytes", internal_file().len());
        let mut faults = Vec::new();
        let mut found = |fault: &str| faults.push(fault.to_string());
        let report = check_book(Path::new(INTERNAL), &std::env::temp_dir(), 1 << 20, &mut found).unwrap();
        assert_eq!((faults, report.faults), (Vec::new(), 0));
        assert!(report.positions >= 1_000, "{} positions", report.positions);
    }

    #[test]
    fn it_opens_games_in_several_ways_with_either_rook_and_no_move_is_much_worse_than_the_best() {
        let book = Book::open(Path::new(INTERNAL), OnTheFly::Auto).unwrap();
        assert_eq!((book.format(), book.is_on_disk()), (BookFormat::Ybb, false));
        let first = book.find(&Position::startpos(), Lookup::default()).unwrap().expect("the start position");
        let first: Vec<String> = first.iter().map(|candidate| candidate.mv.to_string()).collect();
        assert!(first.len() == 2 && first.iter().all(|mv| ["2g2f", "7g7f"].contains(&mv.as_str())), "{first:?}");
        let mut played = std::collections::HashSet::new();
        let visited = visit_entries::<BookError>(Path::new(INTERNAL), |entry| {
            played.extend(entry.moves.iter().map(|candidate| candidate.mv.to_string()));
            let value = |place: usize| entry.moves[place].value.expect("every move was searched");
            let worst = (0..entry.moves.len()).map(value).min().unwrap();
            assert!(value(0) - worst <= 30, "{}: {:?}", entry.position, entry.moves);
            Ok(())
        });
        visited.unwrap();
        assert!(["2f2e", "8d8e", "2h6h", "8b4b"].iter().all(|mv| played.contains(*mv)));
    }

    #[test]
    fn its_main_lines_are_sixteen_plies_long_and_more() {
        let book = Book::open(Path::new(INTERNAL), OnTheFly::Auto).unwrap();
        for first in ["2g2f", "7g7f"] {
            let mut pos = Position::startpos();
            pos.play(first.parse().unwrap()).unwrap();
            while let Some(moves) = book.find(&pos, Lookup::default()).unwrap() {
                pos.play(moves[0].mv).expect("a legal move");
            }
            assert!(pos.moves_made() >= 16, "{first}: {} plies, {pos}", pos.moves_made());
        }
    }
}
