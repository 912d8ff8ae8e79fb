//! The Python package `komainu`: the library's types as Python sees them, and nothing of its own.
//!
//! What may take long runs on a thread of its own without the interpreter's lock ([`task`]), so that other Python
//! threads go on and Ctrl-C ends it. Text from outside ends in a `ValueError` that names the word.

mod analysis;
mod arrays;
mod board;
mod book;
mod conversation;
mod engine;
mod game;
mod limits;
mod lines;
mod moves;
mod numbers;
mod record;
mod task;

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::fmt::Display;
use std::io;
use std::path::Path;

create_exception!(
    komainu,
    EngineError,
    PyRuntimeError,
    "An engine has ended, is silent, answers with an illegal move, or takes no such option."
);
create_exception!(komainu, Undecided, PyRuntimeError, "The limits were reached before a mate was proved or disproved.");

/// Error about a value that the caller gave.
fn bad_value(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// An error of the system about a file, as the exception that Python has for it.
fn in_file(path: &Path, error: &io::Error) -> PyErr {
    io::Error::new(error.kind(), format!("{}: {error}", path.display())).into()
}

/// Runs the command line, the name of the program first, and returns the exit code.
#[pyfunction]
fn run_command_line(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| komainu_cli::run_words(words))
}

#[pymodule]
fn _komainu(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("BLACK", 0)?;
    module.add("WHITE", 1)?;
    module.add("STARTPOS", komainu::position::START_SFEN)?;
    module.add("EngineError", py.get_type::<EngineError>())?;
    module.add("Undecided", py.get_type::<Undecided>())?;
    module.add_class::<moves::PyMove>()?;
    module.add_class::<board::Board>()?;
    module.add_class::<board::LegalMoves>()?;
    module.add_class::<record::Record>()?;
    module.add_class::<record::Node>()?;
    module.add_class::<conversation::Conversation>()?;
    module.add_class::<analysis::Analysis>()?;
    module.add_class::<engine::Judgement>()?;
    module.add_class::<game::MatchResult>()?;
    module.add_class::<book::Book>()?;
    module.add_class::<book::BookMove>()?;
    module.add_function(wrap_pyfunction!(run_command_line, module)?)?;
    module.add_function(wrap_pyfunction!(numbers::whole_number, module)?)?;
    module.add_function(wrap_pyfunction!(engine::mate, module)?)?;
    module.add_function(wrap_pyfunction!(game::play_match, module)?)?;
    module.add_function(wrap_pyfunction!(record::read_records, module)?)?;
    module.add_function(wrap_pyfunction!(arrays::unpack_psv, module)?)?;
    module.add_function(wrap_pyfunction!(arrays::features_of_psv, module)?)?;
    module.add_function(wrap_pyfunction!(record::read_games, module)?)
}
