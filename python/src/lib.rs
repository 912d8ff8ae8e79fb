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
mod errors;
mod game;
mod limits;
mod lines;
mod moves;
mod numbers;
mod octets;
mod planes;
mod record;
mod record_files;
mod solver;
mod task;

use errors::{EngineError, Undecided};
use pyo3::prelude::*;
use std::ffi::OsString;

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
    module.add_class::<book::Book>()?;
    module.add_class::<book::BookMove>()?;
    module.add_function(wrap_pyfunction!(run_command_line, module)?)?;
    module.add_function(wrap_pyfunction!(numbers::whole_number, module)?)?;
    module.add_class::<solver::MateSolver>()?;
    module.add_class::<record_files::RecordIterator>()?;
    module.add_function(wrap_pyfunction!(solver::mate, module)?)?;
    module.add_function(wrap_pyfunction!(solver::solve_rows, module)?)?;
    module.add_function(wrap_pyfunction!(record::node_at, module)?)?;
    module.add_function(wrap_pyfunction!(record_files::iter_records, module)?)?;
    module.add_function(wrap_pyfunction!(record_files::game_rows, module)?)?;
    module.add_function(wrap_pyfunction!(book::write_book, module)?)?;
    module.add_function(wrap_pyfunction!(book::make_book, module)?)?;
    module.add_function(wrap_pyfunction!(planes::planes, module)?)?;
    module.add_function(wrap_pyfunction!(planes::labels, module)?)?;
    module.add_function(wrap_pyfunction!(game::play_match, module)?)?;
    module.add_function(wrap_pyfunction!(record_files::read_records, module)?)?;
    module.add_function(wrap_pyfunction!(arrays::unpack_records, module)?)?;
    module.add_function(wrap_pyfunction!(arrays::features_of_records, module)?)?;
    module.add_function(wrap_pyfunction!(record_files::read_games, module)?)
}
