//! Opening books.

use crate::board::Board;
use crate::moves::{PyMove, object};
use crate::{bad_value, in_file};
use komainu::book::{BookSet, Candidate, INTERNAL, Lookup, OnTheFly, book_files};
use komainu::movegen::is_legal;
use pyo3::prelude::*;
use std::io;
use std::path::PathBuf;

/// A move of a book. `value` is in centipawns for the side that moves, None if only the move is known; `depth` in plies
/// and `count` are 0 if they are not known.
#[pyclass(module = "komainu", frozen)]
pub(crate) struct BookMove(Candidate);

#[pymethods]
impl BookMove {
    #[getter]
    fn r#move(&self, py: Python<'_>) -> PyResult<Py<PyMove>> {
        object(py, self.0.mv)
    }

    /// The answer that is expected; None if none is known.
    #[getter]
    fn reply(&self, py: Python<'_>) -> PyResult<Option<Py<PyMove>>> {
        self.0.reply.map(|mv| object(py, mv)).transpose()
    }

    #[getter]
    fn value(&self) -> Option<i32> {
        self.0.value
    }

    #[getter]
    fn depth(&self) -> u32 {
        self.0.depth
    }

    /// How often the move was played, or its weight.
    #[getter]
    fn count(&self) -> u32 {
        self.0.count
    }

    #[getter]
    fn comment(&self) -> &str {
        &self.0.comment
    }

    fn __repr__(&self) -> String {
        format!("<BookMove {}>", self.0.mv)
    }
}

/// An opening book: YANEURAOU-DB2016 (.db), .ybb, Apery's .bin, ShogiGUI's .sbk; without a path the one that is built
/// in. Large files stay on disk.
///
/// Errors: OSError for a file that is not there, ValueError for one that is no book.
///
/// >>> len(Book().lookup(Board())) > 0
/// True
#[pyclass(module = "komainu", frozen)]
pub(crate) struct Book {
    books: BookSet,
    path: PathBuf,
}

#[pymethods]
impl Book {
    #[new]
    #[pyo3(signature = (path=None))]
    fn new(py: Python<'_>, path: Option<PathBuf>) -> PyResult<Book> {
        let path = path.unwrap_or_else(|| PathBuf::from(INTERNAL));
        let files = book_files(&path);
        if files.is_empty() {
            return Err(in_file(&path, &io::Error::new(io::ErrorKind::NotFound, "there is no such book")));
        }
        let (books, errors) = py.detach(|| BookSet::open(&files, OnTheFly::Auto));
        match errors.into_iter().next() {
            Some(error) => Err(bad_value(error)),
            None => Ok(Book { books, path }),
        }
    }

    /// The legal moves that the book has in a position, the best one first; none if it does not know the position.
    fn lookup(&self, board: PyRef<'_, Board>) -> PyResult<Vec<BookMove>> {
        let found = self.books.find(&board.pos, Lookup::default()).map_err(bad_value)?;
        let legal = found.unwrap_or_default().into_iter().filter(|candidate| is_legal(&board.pos, candidate.mv));
        Ok(legal.map(BookMove).collect())
    }

    fn __repr__(&self) -> String {
        format!("<Book {}>", self.path.display())
    }
}
