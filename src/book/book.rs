//! A book that is opened for looking positions up.

use super::apery::AperyBook;
use super::bytes::Bytes;
use super::entry::{Candidate, sort_candidates};
use super::error::{BookError, BookFault};
use super::memory::MemoryBook;
use super::text::{Bad, TextBook, TextReader};
use super::ybb::YbbBook;
use super::{sbk, twin};
use crate::position::Position;
use std::borrow::Cow;
use std::fmt;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Files up to this size are read into memory if nothing else is wanted.
const SMALL: u64 = 64 << 20;
/// Files up to this size are read into memory if they cannot be searched on disk.
const MAX_IN_MEMORY: u64 = 1 << 30;

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
        let is_text = [&b"#"[..], b"//", b"sfen "].iter().any(|&mark| text.starts_with(mark));
        if head.starts_with(&super::ybb::TAG) {
            Some(BookFormat::Ybb)
        } else if is_text || length == 0 {
            Some(BookFormat::Text)
        } else if matches!(head.first(), Some(0x0A | 0x12 | 0x1A)) && !is_apery(head, length) {
            Some(BookFormat::Sbk)
        } else if length.is_multiple_of(super::apery::RECORD_BYTES) {
            Some(BookFormat::Apery)
        } else {
            None
        }
    }
}

/// Tests whether the head of a file that might be a graph is two records of Apery in order, with moves of his.
fn is_apery(head: &[u8], length: u64) -> bool {
    let [first, second] = [0, 16].map(|at| head.get(at..at + 8).map(|bytes| super::ybb::u64_at(bytes, 0)));
    let zero_bit = head.get(9).is_some_and(|&byte| byte & 128 == 0);
    length.is_multiple_of(super::apery::RECORD_BYTES)
        && zero_bit
        && first.is_some()
        && second.is_none_or(|_| first <= second)
        && AperyBook::new(Bytes::in_memory(Cow::Owned(head[..head.len() / 16 * 16].to_vec())))
            .is_ok_and(|book| book.all_moves_are_moves())
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
        let open = || {
            let bytes = Bytes::open(path)?;
            let stays = match on_the_fly {
                OnTheFly::Auto => bytes.length() > SMALL,
                OnTheFly::Yes => true,
                OnTheFly::No => false,
            };
            Book::from(path.to_path_buf(), bytes, stays)
        };
        open().map_err(|fault: BookFault| fault.in_file(path))
    }

    /// Opens the same file and reads it whole, whatever its order.
    pub fn open_whole(path: &Path) -> Result<Book, BookError> {
        let open = || {
            let bytes = Bytes::open(path)?;
            let format = format_of(&bytes)?;
            Book::read_whole(path.to_path_buf(), bytes, format, Some(false))
        };
        open().map_err(|fault: BookFault| fault.in_file(path))
    }

    /// A book of bytes that are in memory, such as those that are built into a program. Sorted `.ybb` and `.bin` are
    /// searched where they are; texts and graphs are read.
    pub fn from_bytes(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Book, BookFault> {
        Book::from(PathBuf::from("<memory>"), Bytes::in_memory(bytes.into()), false)
    }

    fn from(path: PathBuf, bytes: Bytes, stays: bool) -> Result<Book, BookFault> {
        let format = format_of(&bytes)?;
        // Texts and graphs are read from where they are: their bytes are not kept.
        let is_searched = matches!(format, BookFormat::Ybb | BookFormat::Apery);
        let bytes = if is_searched && !stays { bytes.into_memory()? } else { bytes };
        let length = bytes.length();
        let is_sorted = Some(true);
        let book = |source| Book { path: path.clone(), source, format, length, is_sorted, skipped: None };
        match format {
            BookFormat::Text if stays => match TextBook::new(bytes) {
                Ok(text) => Ok(book(Source::Text(text))),
                Err((bytes, BookFault::NotSorted(_) | BookFault::Bytes(..))) => {
                    Book::read_whole(path, bytes, format, Some(false))
                }
                Err((_, fault)) => Err(fault),
            },
            BookFormat::Ybb => {
                let ybb = YbbBook::new(bytes)?;
                match ybb.test_order() {
                    Ok(()) => Ok(book(Source::Ybb(ybb))),
                    Err(BookFault::NotSorted(_)) => Book::read_whole(path, ybb.into_bytes(), format, Some(false)),
                    Err(fault) => Err(fault),
                }
            }
            BookFormat::Apery => {
                let apery = AperyBook::new(bytes)?;
                match apery.test_order() {
                    Ok(()) => Ok(book(Source::Apery(apery))),
                    Err(BookFault::NotSorted(_)) => Book::read_whole(path, apery.into_bytes(), format, Some(false)),
                    Err(fault) => Err(fault),
                }
            }
            BookFormat::Text | BookFormat::Sbk => Book::read_whole(path, bytes, format, None),
        }
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
                for index in 0..ybb.len() {
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
            Source::Text(text) => text.bytes().is_on_disk(),
            Source::Ybb(ybb) => ybb.bytes().is_on_disk(),
            Source::Apery(apery) => apery.bytes().is_on_disk(),
        }
    }

    /// Lines of a text that could not be read and were passed over: how many, and what is wrong with the first.
    pub fn skipped(&self) -> Option<(u64, &str)> {
        self.skipped.as_ref().map(|(lines, fault)| (*lines, fault.as_str()))
    }

    /// The moves of a position, the best one first. The twin is looked up if the position is not there; its moves are
    /// turned. They are not tested for legality, and comments come from texts on disk only.
    pub fn find(&self, position: &Position, how: Lookup) -> Result<Option<Vec<Candidate>>, BookFault> {
        let ply = (!how.ignore_ply).then_some(position.ply());
        let mut found = self.find_exactly(position, ply)?.filter(|moves| !moves.is_empty());
        if found.is_none() && how.flipped {
            found = self.find_exactly(&twin::rotate(position), ply)?.filter(|moves| !moves.is_empty());
            found.iter_mut().flatten().for_each(Candidate::rotate);
        }
        Ok(found.map(|mut moves| {
            sort_candidates(&mut moves);
            moves
        }))
    }

    fn find_exactly(&self, position: &Position, ply: Option<u32>) -> Result<Option<Vec<Candidate>>, BookFault> {
        match &self.source {
            Source::Memory(memory) => Ok(memory.find(position, ply)),
            Source::Text(text) => text.find(position, ply),
            Source::Ybb(ybb) => ybb.find(position, ply),
            // Its records have no ply.
            Source::Apery(apery) => apery.find(position),
        }
    }
}

pub(super) fn format_of(bytes: &Bytes) -> Result<BookFormat, BookFault> {
    let mut head = [0; 512];
    let count = bytes.read_up_to(0, &mut head)?;
    let head = &head[..count];
    let unknown = || BookFault::UnknownFormat(String::from_utf8_lossy(&head[..count.min(16)]).into_owned());
    BookFormat::of(head, bytes.length()).ok_or_else(unknown)
}

/// Contents in words: `12345 positions, sorted, on disk`.
impl fmt::Display for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use crate::types::Counted;
        let size = || format!("{:.1} MB", self.length as f64 / f64::from(1 << 20));
        match &self.source {
            Source::Memory(memory) => write!(f, "{}", Counted(memory.len() as u64, "position"))?,
            Source::Ybb(ybb) => write!(f, "{}", Counted(ybb.len(), "position"))?,
            Source::Apery(apery) => write!(f, "{}", Counted(apery.len(), "move"))?,
            Source::Text(text) => match text.announced {
                Some(positions) => write!(f, "{}", Counted(positions, "position"))?,
                None => f.write_str(&size())?,
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
