//! A book that is opened for looking positions up, and several books that are asked one after the other.

use super::apery::{self, AperyBook};
use super::bytes::{Bytes, INTERNAL};
use super::entry::{BookEntry, Candidate, merge_repeated, sort_candidates};
use super::error::{BookError, BookFault};
use super::sbk;
use super::text::{Bad, TextBook, TextReader};
use super::ybb::{self, YbbBook};
use crate::position::Position;
use crate::types::{Counted, Move};
use std::borrow::Cow;
use std::fmt;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Files up to this size are read into memory if nothing else is wanted.
const SMALL: u64 = 64 << 20;
/// Files up to this size are read into memory if they cannot be searched on disk.
const MAX_IN_MEMORY: u64 = 1 << 30;
/// The most files that are asked before a book.
const MAX_PRIORITY: usize = 1_000;

/// The formats of books.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BookFormat {
    /// YANEURAOU-DB2016, a text: `.db`.
    Text,
    /// Packed positions of 2026: `.ybb`.
    Ybb,
    /// Apery's records: `.bin`.
    Apery,
    /// ShogiGUI's graph: `.sbk`.
    Sbk,
}

impl BookFormat {
    /// The format of a file by its first bytes and its length. The names of files do not matter.
    pub fn of(head: &[u8], length: u64) -> Option<BookFormat> {
        let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
        let is_text = text.starts_with(b"#") || text.starts_with(b"//") || text.starts_with(b"sfen ");
        if head.starts_with(&ybb::TAG) {
            Some(BookFormat::Ybb)
        } else if is_text || length == 0 {
            Some(BookFormat::Text)
        } else if matches!(head.first(), Some(0x0A | 0x12 | 0x1A)) && !is_apery(head, length) {
            Some(BookFormat::Sbk)
        } else if length.is_multiple_of(apery::RECORD_BYTES) {
            Some(BookFormat::Apery)
        } else {
            None
        }
    }
}

/// Tests whether the head of a file that might be a graph is two records of Apery in order, with moves of his.
fn is_apery(head: &[u8], length: u64) -> bool {
    if !length.is_multiple_of(apery::RECORD_BYTES) || head.len() < 16 || head[9] & 128 != 0 {
        return false;
    }
    if head.len() >= 32 && ybb::u64_at(head, 0) > ybb::u64_at(head, 16) {
        return false;
    }
    let whole = head[..head.len() / 16 * 16].to_vec();
    AperyBook::new(Bytes::in_memory(Cow::Owned(whole))).is_ok_and(|book| book.all_moves_are_moves())
}

/// Place of a book: in memory or on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnTheFly {
    /// Files above 64 MB stay on disk.
    #[default]
    Auto,
    /// Files stay on disk.
    Yes,
    /// Files are read into memory.
    No,
}

/// Settings of a look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// The ply of the book does not matter.
    pub ignore_ply: bool,
    /// A position that is not there is looked up turned by 180 degrees.
    pub flipped: bool,
}

impl Default for Lookup {
    fn default() -> Lookup {
        Lookup { ignore_ply: true, flipped: true }
    }
}

#[derive(Debug)]
enum Source {
    Memory(MemoryBook),
    Text(TextBook),
    Ybb(YbbBook),
    Apery(AperyBook),
}

/// A book that is opened for looking positions up.
///
/// ```
/// use komainu::book::{Book, Lookup};
/// use komainu::position::Position;
///
/// let text = "#YANEURAOU-DB2016 1.00\n\
///     sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n\
///     7g7f 3c3d 40 20 5\n";
/// let book = Book::from_bytes(text.as_bytes())?;
/// let moves = book.find(&Position::startpos(), Lookup::default())?.expect("it is there");
/// assert_eq!(moves[0].mv.to_string(), "7g7f");
/// # Ok::<(), komainu::book::BookFault>(())
/// ```
#[derive(Debug)]
pub struct Book {
    path: PathBuf,
    source: Source,
    format: BookFormat,
    length: u64,
    /// The order of the file allows searching on disk; not known if it did not matter.
    is_sorted: Option<bool>,
    /// Lines of a text that could not be read, and the first of them.
    skipped: Option<(u64, String)>,
}

impl Book {
    /// Opens a file. One that is wanted on disk but not sorted is read whole, up to 1 GiB.
    pub fn open(path: &Path, on_the_fly: OnTheFly) -> Result<Book, BookError> {
        Book::open_file(path, on_the_fly).map_err(|fault| fault.in_file(path))
    }

    fn open_file(path: &Path, on_the_fly: OnTheFly) -> Result<Book, BookFault> {
        let bytes = Bytes::open(path)?;
        let stays_on_disk = match on_the_fly {
            OnTheFly::Auto => bytes.length() > SMALL,
            OnTheFly::Yes => true,
            OnTheFly::No => false,
        };
        Book::from(path.to_path_buf(), bytes, stays_on_disk)
    }

    /// Opens the same file and reads it whole, whatever its order.
    pub fn open_whole(path: &Path) -> Result<Book, BookError> {
        Book::open_file_whole(path).map_err(|fault| fault.in_file(path))
    }

    fn open_file_whole(path: &Path) -> Result<Book, BookFault> {
        let bytes = Bytes::open(path)?;
        let format = format_of(&bytes)?;
        Book::read_whole(path.to_path_buf(), bytes, format, Some(false))
    }

    /// A book of bytes that are in memory, such as those that are built into a program. Sorted `.ybb` and `.bin` are
    /// searched where they are; texts and graphs are read.
    pub fn from_bytes(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Book, BookFault> {
        Book::from(PathBuf::from("<memory>"), Bytes::in_memory(bytes.into()), false)
    }

    fn from(path: PathBuf, bytes: Bytes, stays_on_disk: bool) -> Result<Book, BookFault> {
        let format = format_of(&bytes)?;
        let length = bytes.length();
        // Bytes that are not sorted come back to be read whole.
        let (unsorted, fault) = match format {
            // Texts and graphs are read from where they are: their bytes are not kept.
            BookFormat::Sbk => return Book::read_whole(path, bytes, format, None),
            BookFormat::Text if !stays_on_disk => return Book::read_whole(path, bytes, format, None),
            BookFormat::Text => match TextBook::new(bytes) {
                Ok(text) => return Ok(Book::sorted(path, Source::Text(text), format, length)),
                Err((bytes, BookFault::Bytes(..))) => return Book::read_whole(path, bytes, format, Some(false)),
                Err(refused) => refused,
            },
            BookFormat::Ybb => {
                let ybb = YbbBook::new(if stays_on_disk { bytes } else { bytes.into_memory()? })?;
                match ybb.test_order() {
                    Ok(()) => return Ok(Book::sorted(path, Source::Ybb(ybb), format, length)),
                    Err(fault) => (ybb.bytes, fault),
                }
            }
            BookFormat::Apery => {
                let apery = AperyBook::new(if stays_on_disk { bytes } else { bytes.into_memory()? })?;
                match apery.test_order() {
                    Ok(()) => return Ok(Book::sorted(path, Source::Apery(apery), format, length)),
                    Err(fault) => (apery.bytes, fault),
                }
            }
        };
        match fault {
            BookFault::NotSorted(_) => Book::read_whole(path, unsorted, format, Some(false)),
            fault => Err(fault),
        }
    }

    fn sorted(path: PathBuf, source: Source, format: BookFormat, length: u64) -> Book {
        Book { path, source, format, length, is_sorted: Some(true), skipped: None }
    }

    fn read_whole(path: PathBuf, bytes: Bytes, format: BookFormat, is_sorted: Option<bool>) -> Result<Book, BookFault> {
        let length = bytes.length();
        if length > MAX_IN_MEMORY && (is_sorted == Some(false) || format == BookFormat::Sbk) {
            return Err(BookFault::TooLarge(length >> 20));
        }
        let mut memory = MemoryBook::default();
        let mut skipped = None;
        match format {
            BookFormat::Text => {
                let mut reader = TextReader::new(BufReader::with_capacity(1 << 16, bytes.stream()), Bad::Skip);
                while let Some((entry, _)) = reader.next_entry()? {
                    memory.push(&entry);
                }
                if let (lines, Some((line, fault))) = reader.skipped() {
                    skipped = Some((lines, BookFault::Line(*line, fault.clone()).to_string()));
                }
            }
            BookFormat::Sbk => {
                sbk::read::<BookFault>(&bytes.into_contents()?, |entry| {
                    memory.push(&entry);
                    Ok(())
                })?;
            }
            BookFormat::Ybb => {
                let ybb = YbbBook::new(bytes.into_memory()?)?;
                for index in 0..ybb.positions {
                    memory.push(&ybb.entry(index)?);
                }
            }
            BookFormat::Apery => {
                let apery = AperyBook::new(bytes.into_memory()?)?.sorted()?;
                return Ok(Book { path, source: Source::Apery(apery), format, length, is_sorted, skipped });
            }
        }
        memory.finish();
        Ok(Book { path, source: Source::Memory(memory), format, length, is_sorted, skipped })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Format of the file.
    pub fn format(&self) -> BookFormat {
        self.format
    }

    /// Tests whether it is searched on disk.
    pub fn is_on_disk(&self) -> bool {
        match &self.source {
            Source::Memory(_) => false,
            Source::Text(text) => text.bytes.is_on_disk(),
            Source::Ybb(ybb) => ybb.bytes.is_on_disk(),
            Source::Apery(apery) => apery.bytes.is_on_disk(),
        }
    }

    /// Lines of a text that could not be read and were passed over: how many, and what is wrong with the first.
    pub fn skipped(&self) -> Option<(u64, &str)> {
        self.skipped.as_ref().map(|(lines, fault)| (*lines, fault.as_str()))
    }

    /// The moves of a position, the best one first. The twin is looked up if the position is not there; its moves are
    /// turned. They are not tested for legality, and comments come from texts on disk only.
    pub fn find(&self, position: &Position, how: Lookup) -> Result<Option<Vec<Candidate>>, BookFault> {
        let ply = if how.ignore_ply { None } else { Some(position.ply()) };
        let mut moves = self.find_exactly(position, ply)?;
        if moves.is_empty() && how.flipped {
            moves = self.find_exactly(&position.rotate(), ply)?;
            for candidate in &mut moves {
                candidate.rotate();
            }
        }
        if moves.is_empty() {
            return Ok(None);
        }
        sort_candidates(&mut moves);
        Ok(Some(moves))
    }

    /// The moves of the position itself; none if it is not there.
    fn find_exactly(&self, position: &Position, ply: Option<u32>) -> Result<Vec<Candidate>, BookFault> {
        let found = match &self.source {
            Source::Memory(memory) => memory.find(position, ply),
            Source::Text(text) => text.find(position, ply)?,
            Source::Ybb(ybb) => ybb.find(position, ply)?,
            // Its records have no ply.
            Source::Apery(apery) => apery.find(position)?,
        };
        let mut moves = found.unwrap_or_default();
        merge_repeated(&mut moves);
        Ok(moves)
    }
}

pub(crate) fn format_of(bytes: &Bytes) -> Result<BookFormat, BookFault> {
    let mut head = [0; 512];
    let count = bytes.read_up_to(0, &mut head)?;
    let head = &head[..count];
    match BookFormat::of(head, bytes.length()) {
        Some(format) => Ok(format),
        None => Err(BookFault::UnknownFormat(String::from_utf8_lossy(&head[..count.min(16)]).into_owned())),
    }
}

/// Contents in words: `12345 positions, sorted, on disk`.
impl fmt::Display for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Source::Memory(memory) => write!(f, "{}", Counted(memory.records.len() as u64, "position"))?,
            Source::Ybb(ybb) => write!(f, "{}", Counted(ybb.positions, "position"))?,
            Source::Apery(apery) => write!(f, "{}", Counted(apery.records, "move"))?,
            Source::Text(text) => match text.announced {
                Some(positions) => write!(f, "{}", Counted(positions, "position"))?,
                None => write!(f, "{:.1} MB", self.length as f64 / f64::from(1 << 20))?,
            },
        }
        match self.is_sorted {
            Some(true) => f.write_str(", sorted")?,
            Some(false) => f.write_str(", not sorted")?,
            None => {}
        }
        f.write_str(if self.is_on_disk() { ", on disk" } else { ", in memory" })
    }
}

/// A book in memory.
#[derive(Debug, Default)]
struct MemoryBook {
    /// Sorted by key and ply.
    records: Vec<Record>,
    moves: Vec<Stored>,
}

/// Where the moves of a position are: 24 bytes.
#[derive(Clone, Copy, Debug)]
struct Record {
    key: u64,
    ply: u32,
    first: u32,
    count: u32,
}

impl Record {
    fn place(&self) -> (u64, u32) {
        (self.key, self.ply)
    }
}

/// A move without its comment: 20 bytes.
#[derive(Clone, Copy, Debug)]
struct Stored {
    mv: Move,
    reply: Option<Move>,
    value: Option<i32>,
    depth: u32,
    count: u32,
}

impl Stored {
    fn of(candidate: &Candidate) -> Stored {
        Stored {
            mv: candidate.mv,
            reply: candidate.reply,
            value: candidate.value,
            depth: candidate.depth,
            count: candidate.count,
        }
    }

    fn candidate(self) -> Candidate {
        Candidate {
            mv: self.mv,
            reply: self.reply,
            value: self.value,
            depth: self.depth,
            count: self.count,
            comment: String::new(),
        }
    }
}

impl MemoryBook {
    /// Takes a position in; positions come in any order. Beyond 2^32 moves nothing more is taken.
    fn push(&mut self, entry: &BookEntry) {
        self.push_moves(entry.position.key().0, entry.position.ply(), &entry.moves);
    }

    fn push_moves(&mut self, key: u64, ply: u32, moves: &[Candidate]) {
        if u32::try_from(self.moves.len() + moves.len()).is_err() {
            return;
        }
        let first = self.moves.len() as u32;
        self.records.push(Record { key, ply, first, count: moves.len() as u32 });
        self.moves.extend(moves.iter().map(Stored::of));
    }

    /// Puts the positions in order, after the last one. Equal positions with equal plies become one.
    fn finish(&mut self) {
        self.records.sort_by_key(|record| record.place());
        if self.records.windows(2).any(|pair| pair[0].place() == pair[1].place()) {
            self.merge_equal();
        }
        self.records.shrink_to_fit();
        self.moves.shrink_to_fit();
    }

    fn merge_equal(&mut self) {
        let records = std::mem::take(&mut self.records);
        for group in records.chunk_by(|a, b| a.place() == b.place()) {
            if let [one] = group {
                self.records.push(*one);
                continue;
            }
            let mut merged = BookEntry::new(Position::startpos());
            for candidate in group.iter().flat_map(|record| self.moves_of(record)) {
                merged.add(candidate);
            }
            self.push_moves(group[0].key, group[0].ply, &merged.moves);
        }
    }

    fn moves_of(&self, record: &Record) -> Vec<Candidate> {
        let moves = &self.moves[record.first as usize..][..record.count as usize];
        moves.iter().map(|stored| stored.candidate()).collect()
    }

    /// The moves of a position. With `ply` only of the one with that counter, else of the one with the least.
    fn find(&self, position: &Position, ply: Option<u32>) -> Option<Vec<Candidate>> {
        let key = position.key().0;
        let sought = (key, ply.unwrap_or(0));
        let at = self.records.partition_point(|record| record.place() < sought);
        let record = self.records.get(at)?;
        if record.key != key || ply.is_some_and(|ply| ply != record.ply) {
            return None;
        }
        Some(self.moves_of(record))
    }
}

/// Books in the order in which they are asked: the first that has a position answers.
#[derive(Debug, Default)]
pub struct BookSet {
    books: Vec<Book>,
}

/// The files that a name stands for: for `X.db` first `X-000.db`, `X-001.db` and so on up to the first that is missing,
/// then `X.db` itself or else `X.ybb`. [`INTERNAL`] stands for itself. Empty if none of them is there.
pub fn book_files(path: &Path) -> Vec<PathBuf> {
    if path == Path::new(INTERNAL) {
        return vec![path.to_path_buf()];
    }
    let mut files = Vec::new();
    for number in 0..MAX_PRIORITY {
        let file = numbered(path, number);
        if !file.is_file() {
            break;
        }
        files.push(file);
    }
    let is_text = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("db"));
    let packed = path.with_extension("ybb");
    if path.exists() {
        files.push(path.to_path_buf());
    } else if is_text && packed.is_file() {
        files.push(packed);
    }
    files
}

/// `X-000.db` for `X.db` and 0.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_os_string();
    name.push(format!("-{number:03}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

impl BookSet {
    /// Opens these files. Those that cannot be used are left out, each with an error.
    pub fn open(files: &[PathBuf], on_the_fly: OnTheFly) -> (BookSet, Vec<BookError>) {
        let mut books = Vec::new();
        let mut errors = Vec::new();
        for file in files {
            match Book::open(file, on_the_fly) {
                Ok(book) => books.push(book),
                Err(error) => errors.push(error),
            }
        }
        (BookSet { books }, errors)
    }

    /// A set of these books.
    pub fn of(books: Vec<Book>) -> BookSet {
        BookSet { books }
    }

    /// The books.
    pub fn books(&self) -> &[Book] {
        &self.books
    }

    /// Tests whether there is no book.
    pub fn is_empty(&self) -> bool {
        self.books.is_empty()
    }

    /// The moves of a position out of the first book that has any, the best one first.
    pub fn find(&self, position: &Position, how: Lookup) -> Result<Option<Vec<Candidate>>, BookError> {
        for book in &self.books {
            if let Some(moves) = book.find(position, how).map_err(|fault| fault.in_file(book.path()))? {
                return Ok(Some(moves));
            }
        }
        Ok(None)
    }

    /// Reads a book whole in which a look-up has found positions out of order. An error means that it stays as it was.
    pub fn reread(&mut self, path: &Path) -> Result<(), BookError> {
        let whole = Book::open_whole(path)?;
        if let Some(book) = self.books.iter_mut().find(|book| book.path() == path) {
            *book = whole;
        }
        Ok(())
    }
}

impl BookError {
    /// Tests whether the positions of the file are out of order, so that it can be used only when it is read whole.
    pub fn is_about_order(&self) -> bool {
        matches!(self.fault, BookFault::NotSorted(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_ply_is_found_and_equal_ones_are_merged() {
        let mut book = MemoryBook::default();
        for (ply, mv, count) in [(9, "7g7f", 1), (5, "2g2f", 2), (5, "2g2f", 3), (5, "9g9f", 1)] {
            let mut entry = BookEntry::new(Position::startpos());
            entry.position.set_ply(ply);
            entry.add(Candidate { count, ..Candidate::new(mv.parse().unwrap()) });
            book.push(&entry);
        }
        book.finish();
        assert_eq!(book.records.len(), 2);
        let found = |ply| {
            let moves = book.find(&Position::startpos(), ply)?;
            Some(moves.iter().map(|found| (found.mv.to_string(), found.count)).collect::<Vec<_>>())
        };
        let at_five = Some(vec![("2g2f".to_string(), 5), ("9g9f".to_string(), 1)]);
        assert_eq!(found(None), at_five);
        assert_eq!(found(Some(5)), at_five);
        assert_eq!(found(Some(9)), Some(vec![("7g7f".to_string(), 1)]));
        assert_eq!((found(Some(4)), found(Some(10))), (None, None));
    }
}
