//! A book together with the files that are asked before it.

use super::book::{Book, Lookup, OnTheFly};
use super::entry::Candidate;
use super::error::{BookError, BookFault};
use super::internal::INTERNAL;
use crate::position::Position;
use std::path::{Path, PathBuf};

/// The most files that are asked before a book.
const MAX_PRIORITY: usize = 1_000;

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
    let stem = path.file_stem().unwrap_or_default().to_os_string();
    let numbered = |number: usize| {
        let mut name = stem.clone();
        name.push(format!("-{number:03}"));
        let mut file = path.with_file_name(name);
        if let Some(extension) = path.extension() {
            file.as_mut_os_string().push(".");
            file.as_mut_os_string().push(extension);
        }
        file
    };
    let mut files: Vec<PathBuf> = (0..MAX_PRIORITY).map(numbered).take_while(|file| file.is_file()).collect();
    let is_text = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("db"));
    let packed = path.with_extension("ybb");
    if path.exists() {
        files.push(path.to_path_buf());
    } else if is_text && packed.is_file() {
        files.push(packed);
    }
    files
}

impl BookSet {
    /// Opens these files. Those that cannot be used are left out, each with an error.
    pub fn open(files: &[PathBuf], on_the_fly: OnTheFly) -> (BookSet, Vec<BookError>) {
        let mut errors = Vec::new();
        let open = |file: &PathBuf| Book::open(file, on_the_fly).map_err(|error| errors.push(error)).ok();
        let books = files.iter().filter_map(open).collect();
        (BookSet { books }, errors)
    }

    /// A books of these books.
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
