//! Opening books: looked up, read through, written, made from records.

use crate::board::Board;
use crate::errors::{bad_value, in_file, of_book};
use crate::moves::{AnyMove, PyMove, object};
use crate::numbers::number;
use crate::record::Record;
use crate::task;
use komainu::book::collect::{Collected, Collection, Collector};
use komainu::book::made::{BookMaker, MakeSettings};
use komainu::book::stream::visit_entries;
use komainu::book::write::{BookPositions, OutputFormat, folder_of, write_new};
use komainu::book::{BookEntry, BookError, BookSet, Candidate, INTERNAL, Lookup, OnTheFly, book_files};
use komainu::games::SourceGame;
use komainu::host::lock;
use komainu::movegen::is_legal;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// A move of a book. `value` is in centipawns for the side that moves, None if only the move is known; `depth` in plies
/// and `count` are 0 if they are not known.
///
/// >>> BookMove("7g7f", value=35, depth=20)
/// <BookMove 7g7f>
#[pyclass(module = "komainu", frozen, eq)]
#[derive(Clone, PartialEq)]
pub(crate) struct BookMove(Candidate);

#[pymethods]
impl BookMove {
    #[new]
    #[pyo3(signature = (r#move, *, value=None, depth=0, count=1, reply=None, comment=""))]
    fn new(
        r#move: AnyMove,
        value: Option<i32>,
        depth: u32,
        count: u32,
        reply: Option<AnyMove>,
        comment: &str,
    ) -> BookMove {
        let comment = comment.to_string();
        BookMove(Candidate { mv: r#move.0, reply: reply.map(|mv| mv.0), value, depth, count, comment })
    }

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

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((Py<PyMove>,), Bound<'py, PyDict>)> {
        let rest = PyDict::new(py);
        rest.set_item("value", self.0.value)?;
        rest.set_item("depth", self.0.depth)?;
        rest.set_item("count", self.0.count)?;
        rest.set_item("reply", self.reply(py)?)?;
        rest.set_item("comment", &self.0.comment)?;
        Ok(((object(py, self.0.mv)?,), rest))
    }

    fn __repr__(&self) -> String {
        format!("<BookMove {}>", self.0.mv)
    }
}

/// An opening book: YANEURAOU-DB2016 (.db), .ybb, Apery's .bin, ShogiGUI's .sbk; without a path the one that is built
/// in. Large files stay on disk. Iteration gives every position with its moves, `(Board, list of BookMove)`, in the
/// order of the file.
///
/// Errors: OSError for a file that is not there, ValueError for one that is no book.
///
/// >>> len(Book().lookup(Board())) > 0
/// True
/// >>> board, moves = next(iter(Book()))
/// >>> board.is_legal(moves[0].move)
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
            Some(error) => Err(of_book(error)),
            None => Ok(Book { books, path }),
        }
    }

    /// The legal moves that the book has in a position, the best one first; none if it does not know the position.
    fn lookup(&self, board: PyRef<'_, Board>) -> PyResult<Vec<BookMove>> {
        let found = self.books.find(&board.pos, Lookup::default()).map_err(of_book)?;
        let legal = found.unwrap_or_default().into_iter().filter(|candidate| is_legal(&board.pos, candidate.mv));
        Ok(legal.map(BookMove).collect())
    }

    /// Writes the book in the format that the ending of the name tells (.db, .ybb, .bin, .sbk, .jsonl), sorted, as a
    /// whole or not at all. Returns the number of positions.
    ///
    /// Errors: OSError for the file; ValueError for another ending.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<u64> {
        let mut writer = Writer::new(&path)?;
        task::run(
            py,
            || (),
            || {
                for book in self.books.books() {
                    visit_entries(book.path(), |entry| writer.push(entry)).map_err(Halt::raise)?;
                }
                writer.finish()
            },
        )?
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<BookIterator> {
        let files: Vec<PathBuf> = self.books.books().iter().map(|book| book.path().to_path_buf()).collect();
        let (sender, entries) = sync_channel(1_024);
        let body = move || {
            for file in files {
                let read = visit_entries(&file, |entry| sender.send(Ok(entry)).map_err(|_| Halt::Dropped));
                match read {
                    Ok(_) => {}
                    Err(Halt::Book(error)) => _ = sender.send(Err(error)),
                    Err(_) => return,
                }
            }
        };
        py.detach(|| thread::Builder::new().name("book".into()).spawn(body))?;
        Ok(BookIterator { entries: Mutex::new(entries) })
    }

    fn __repr__(&self) -> String {
        format!("<Book {}>", self.path.display())
    }
}

/// The positions of a book, one after the other.
#[pyclass(module = "komainu", frozen)]
struct BookIterator {
    entries: Mutex<Receiver<Result<BookEntry, BookError>>>,
}

#[pymethods]
impl BookIterator {
    fn __iter__(this: PyRef<'_, BookIterator>) -> PyRef<'_, BookIterator> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<(Board, Vec<BookMove>)>> {
        py.check_signals()?;
        match py.detach(|| lock(&self.entries).recv()) {
            Err(_) => Ok(None),
            Ok(Err(error)) => Err(of_book(error)),
            Ok(Ok(BookEntry { position, moves, .. })) => {
                Ok(Some((Board { pos: position }, moves.into_iter().map(BookMove).collect())))
            }
        }
    }
}

/// Why the positions of a book are not read to their end.
enum Halt {
    Book(BookError),
    Write(PyErr),
    /// Nobody takes them any more.
    Dropped,
}

impl From<BookError> for Halt {
    fn from(error: BookError) -> Halt {
        Halt::Book(error)
    }
}

impl Halt {
    fn raise(self) -> PyErr {
        match self {
            Halt::Book(error) => of_book(error),
            Halt::Write(error) => error,
            Halt::Dropped => bad_value("nobody reads the book"),
        }
    }
}

/// Memory for putting positions in order; the rest goes into files beside the book.
const MEMORY: usize = 256 << 20;

fn format_of(path: &Path) -> PyResult<OutputFormat> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    OutputFormat::of_name(&name)
        .ok_or_else(|| bad_value(format_args!("{name:?} ends in none of .db, .ybb, .bin, .sbk, .jsonl")))
}

fn collector(path: &Path, format: OutputFormat) -> Collector {
    let how = Collection { order: format.order(), memory: MEMORY, fold: false, keep_ply: false };
    Collector::new(how, folder_of(path))
}

fn write(path: &Path, format: OutputFormat, source: &dyn BookPositions) -> PyResult<u64> {
    let written = write_new(path, format, source).and_then(|(file, written)| {
        file.finish()?;
        Ok(written.positions)
    });
    written.map_err(|error| in_file(path, &error))
}

/// A book that is being written.
struct Writer<'a> {
    path: &'a Path,
    format: OutputFormat,
    collector: Collector,
}

impl Writer<'_> {
    fn new(path: &Path) -> PyResult<Writer<'_>> {
        let format = format_of(path)?;
        Ok(Writer { path, format, collector: collector(path, format) })
    }

    fn push(&mut self, entry: BookEntry) -> Result<(), Halt> {
        match self.collector.push(0, entry) {
            Ok(_) => Ok(()),
            Err(error) => Err(Halt::Write(in_file(self.path, &error))),
        }
    }

    fn finish(self) -> PyResult<u64> {
        let collected: Collected = self.collector.finish().map_err(|error| in_file(self.path, &error))?;
        write(self.path, self.format, &collected)
    }
}

/// Writes a book of positions with their moves, pairs of a Board and a list of BookMove, as books give them: in the
/// format that the ending of the name tells, sorted, equal positions as one. Returns the number of positions.
///
/// Errors: OSError for the file; ValueError for another ending, and for a move that is not legal.
#[pyfunction]
pub(crate) fn write_book(py: Python<'_>, path: PathBuf, entries: &Bound<'_, PyAny>) -> PyResult<u64> {
    let mut writer = Writer::new(&path)?;
    for entry in entries.try_iter()? {
        let (board, moves): (PyRef<'_, Board>, Vec<PyRef<'_, BookMove>>) = entry?.extract()?;
        let mut entry = BookEntry::new(board.pos.without_history());
        for candidate in &moves {
            if !is_legal(&board.pos, candidate.0.mv) {
                return Err(bad_value(format_args!("{}: {} is not legal", board.pos, candidate.0.mv)));
            }
            entry.add(candidate.0.clone());
        }
        writer.push(entry).map_err(Halt::raise)?;
    }
    task::run(py, || (), || writer.finish())?
}

/// Makes a book from records, each move as often as it was played, and opens it. A position that a game meets twice
/// counts once; each record counts.
///
/// plies: of each game, 60 if nothing is said. min_count: moves that were played less often are left out. scores: take over
/// what programs wrote of their moves; the deepest counts.
///
/// Errors: OSError for the file; ValueError for another ending than .db, .ybb, .bin, .sbk, and without a move.
#[pyfunction]
#[pyo3(signature = (path, records, *, plies=None, min_count=None, scores=false))]
pub(crate) fn make_book(
    py: Python<'_>,
    path: PathBuf,
    records: &Bound<'_, PyAny>,
    plies: Option<&Bound<'_, PyAny>>,
    min_count: Option<&Bound<'_, PyAny>>,
    scores: bool,
) -> PyResult<Book> {
    let format = format_of(&path)?;
    let settings = MakeSettings {
        plies: plies.map_or(Ok(60), |value| number("plies", value, 1, 10_000))? as usize,
        min_count: min_count.map_or(Ok(1), |value| number("min_count", value, 1, u32::MAX.into()))? as u32,
        scores,
        reply: true,
    };
    let mut maker = BookMaker::new(settings, collector(&path, format));
    for record in records.try_iter()? {
        let record = record?.extract::<PyRef<'_, Record>>()?.record();
        let result = record.conclusion.and_then(|end| end.outcome());
        let game = SourceGame { record, result, warnings: Vec::new(), fault: None, text: None, line: None };
        maker.add_new(&game).map_err(|error| in_file(&path, &error))?;
    }
    let written = task::run(
        py,
        || (),
        || {
            let made = maker.finish().map_err(|error| in_file(&path, &error))?;
            let (file, written) = write_new(&path, format, &made).map_err(|error| in_file(&path, &error))?;
            if written.positions == 0 {
                return Err(bad_value("the records have no move for a book"));
            }
            file.finish().map_err(|error| in_file(&path, &error))
        },
    )?;
    written?;
    Book::new(py, Some(path))
}
