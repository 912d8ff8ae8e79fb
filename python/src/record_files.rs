//! Files and folders of records, read one game after the other or as a table.

use crate::errors::{bad_value, in_file, of_file, of_games};
use crate::numbers::maybe;
use crate::record::Record;
use crate::task;
use komainu::formations::GameNames;
use komainu::games::{InOrder, SourceFile, SourceGame, Unread, read_in_order, source_files};
use komainu::host::lock;
use komainu::notation::record::{Conclusion, GameRecord, RecordMove};
use komainu::types::Color;
use komainu_tools::training::ReadError;
use komainu_tools::training::games::{Game, GamesReader, Hcpe3Reader};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// A game of a file, or why there is none.
type Read<T> = Result<T, String>;

/// What was made of the games of a file or folder on so many threads.
fn games_of<T: Send + 'static>(
    py: Python<'_>,
    path: &Path,
    jobs: Option<&Bound<'_, PyAny>>,
    make: impl Fn(&SourceFile, SourceGame) -> T + Clone + Send + 'static,
) -> PyResult<InOrder<Read<T>>> {
    let jobs = maybe("jobs", jobs, 1, 1_024)?.unwrap_or(1) as usize;
    let files = py.detach(|| source_files(&[path.to_path_buf()])).map_err(|error| of_file(&error))?;
    let read = move |file: &SourceFile, game: Result<SourceGame, Unread>| match game {
        Ok(game) => Ok(make(file, game)),
        Err(unread) => Err(format!("{}: {unread}; passed over", file.path.display())),
    };
    Ok(read_in_order(files, jobs, read)?)
}

fn record(file: &SourceFile, game: SourceGame) -> Record {
    Record::of_game(game, Some(file.path.clone()))
}

fn warn(py: Python<'_>, told: &str) -> PyResult<()> {
    let told = CString::new(told.replace('\0', " ")).expect("there is no zero byte any more");
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &told, 1)
}

/// The records of files, one after the other.
#[pyclass(module = "komainu", frozen)]
pub(crate) struct RecordIterator {
    records: Mutex<InOrder<Read<Record>>>,
    strict: bool,
}

#[pymethods]
impl RecordIterator {
    fn __iter__(this: PyRef<'_, RecordIterator>) -> PyRef<'_, RecordIterator> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Record>> {
        loop {
            py.check_signals()?;
            let Some(read) = py.detach(|| lock(&self.records).next()) else { return Ok(None) };
            match read.map_err(|error| of_file(&error))? {
                Ok(record) if self.strict => return record.whole().map(Some),
                Ok(record) => return Ok(Some(record)),
                Err(told) if self.strict => return Err(bad_value(told)),
                Err(told) => warn(py, &told)?,
            }
        }
    }
}

/// The games of files, those of folders and their folders too, one after the other in the order of their names. Only a
/// few are in memory at a time, whatever their number.
///
/// A game with a fault is kept as far as it goes and tells it in `fault`; a game of which nothing could be read is left
/// out, with a warning that names the file and the place. strict=True raises ValueError for either. jobs: threads that
/// read ahead; the order does not depend on them.
///
/// Errors: OSError for a file or folder that cannot be read; the next call goes on behind it.
#[pyfunction]
#[pyo3(signature = (path, jobs=None, *, strict=false))]
pub(crate) fn iter_records(
    py: Python<'_>,
    path: PathBuf,
    jobs: Option<&Bound<'_, PyAny>>,
    strict: bool,
) -> PyResult<RecordIterator> {
    let records = games_of(py, &path, jobs, record)?;
    Ok(RecordIterator { records: Mutex::new(records), strict })
}

/// All games of files as a list, as `iter_records` reads them.
///
/// Errors: OSError for a file or folder that cannot be read; with strict=True ValueError for the first fault.
#[pyfunction]
#[pyo3(signature = (path, jobs=None, *, strict=false))]
pub(crate) fn read_records(
    py: Python<'_>,
    path: PathBuf,
    jobs: Option<&Bound<'_, PyAny>>,
    strict: bool,
) -> PyResult<Vec<Record>> {
    let iterator = iter_records(py, path, jobs, strict)?;
    let mut records = Vec::new();
    while let Some(record) = iterator.__next__(py)? {
        records.push(record);
    }
    Ok(records)
}

/// A row of a table of games: black, white, result, plies, opening, castles of black and white, path.
type Row = (String, String, &'static str, usize, String, String, String, PathBuf);

fn row(file: &SourceFile, game: SourceGame) -> Row {
    let names = GameNames::of(&game.record);
    let castle = |side: Color| names.castles[side].last().map_or(String::new(), |[japanese, _]| japanese.clone());
    let player = |side: Color| game.record.players[side].clone().unwrap_or_default();
    let result = match game.result {
        None => "",
        Some(result) => result.words(),
    };
    (
        player(Color::Black),
        player(Color::White),
        result,
        game.record.moves.len(),
        names.header().unwrap_or_default(),
        castle(Color::Black),
        castle(Color::White),
        file.path.clone(),
    )
}

/// The rows of the table of the games of a file or folder.
#[pyfunction]
pub(crate) fn game_rows(py: Python<'_>, path: PathBuf, jobs: &Bound<'_, PyAny>) -> PyResult<Vec<Row>> {
    let mut games = games_of(py, &path, Some(jobs), row)?;
    let halt = AtomicBool::new(false);
    let read = task::run(
        py,
        || halt.store(true, Ordering::Relaxed),
        || games.by_ref().take_while(|_| !halt.load(Ordering::Relaxed)).collect::<Result<Vec<_>, _>>(),
    )?;
    let mut rows = Vec::new();
    for one in read.map_err(|error| of_file(&error))? {
        match one {
            Ok(row) => rows.push(row),
            Err(told) => warn(py, &told)?,
        }
    }
    Ok(rows)
}

/// The games of a file, which its name tells: of dlshogi (.hcpe3), or of this program.
fn games(path: &Path) -> Result<Box<dyn Iterator<Item = Result<Game, ReadError>>>, ReadError> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("hcpe3")) {
        return Ok(Box::new(Hcpe3Reader::open(path)?));
    }
    Ok(Box::new(GamesReader::open(path)?))
}

/// The games of a file of training games (.games, .hcpe3), each with the scores of its moves as bytes of int16.
#[pyfunction]
pub(crate) fn read_games(py: Python<'_>, path: PathBuf) -> PyResult<Vec<(Record, Vec<u8>)>> {
    std::fs::File::open(&path).map_err(|error| in_file(&path, &error))?;
    let halt = AtomicBool::new(false);
    let read = task::run(
        py,
        || halt.store(true, Ordering::Relaxed),
        || {
            let games = games(&path)?.take_while(|_| !halt.load(Ordering::Relaxed));
            games.map(|game| game.map(|game| of_game(&game))).collect::<Result<Vec<_>, _>>()
        },
    )?;
    read.map_err(of_games)
}

fn of_game(game: &Game) -> (Record, Vec<u8>) {
    let conclusion = Some(Conclusion::new(game.ending(), game.winner()));
    let moves = game.plies().iter().map(|ply| RecordMove::new(ply.mv)).collect();
    let scores = game.plies().iter().flat_map(|ply| ply.score.to_le_bytes()).collect();
    (Record::of_record(GameRecord { moves, conclusion, ..GameRecord::new(game.start().clone()) }), scores)
}
