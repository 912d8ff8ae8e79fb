//! Exceptions: a `ValueError` for what the caller gave, an `OSError` as Python makes it for files, and those of engines
//! and solvers.

use komainu::book::{BookError, BookFault};
use komainu::games::FileError;
use komainu_tools::training::{ReadError, ReadFault};
use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::fmt::Display;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

create_exception!(
    komainu,
    EngineError,
    PyRuntimeError,
    "An engine has ended, is silent, answers with an illegal move, or takes no such option."
);
create_exception!(komainu, Undecided, PyRuntimeError, "The limits were reached before a mate was proved or disproved.");

/// Error about a value that the caller gave.
pub(crate) fn bad_value(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// An error of the system about a file: of the class that its number stands for, with `errno`, `strerror`, `filename`.
pub(crate) fn in_file(path: &Path, error: &io::Error) -> PyErr {
    // As text: a path would come out as an object of pathlib.
    let path = path.as_os_str().to_os_string();
    match error.raw_os_error() {
        // There the number is one of Windows, from which Python makes its own.
        Some(code) if cfg!(windows) => PyOSError::new_err((0, error.to_string(), path, code)),
        Some(code) => Python::attach(|py| {
            let told = py.import("os").and_then(|os| os.call_method1("strerror", (code,))?.extract::<String>());
            PyOSError::new_err((code, told.unwrap_or_else(|_| error.to_string()), path))
        }),
        None => Python::attach(|py| match code(py, error.kind(), Path::new(&path)) {
            Some(code) => PyOSError::new_err((code, error.to_string(), path)),
            None => PyOSError::new_err(format!("{}: {error}", path.display())),
        }),
    }
}

/// The number that a kind of errors has on this system.
fn code(py: Python<'_>, kind: ErrorKind, path: &Path) -> Option<i32> {
    let name = match kind {
        _ if path.is_dir() => "EISDIR",
        ErrorKind::NotFound => "ENOENT",
        ErrorKind::PermissionDenied => "EACCES",
        ErrorKind::AlreadyExists => "EEXIST",
        ErrorKind::InvalidInput => "EINVAL",
        ErrorKind::OutOfMemory => "ENOMEM",
        _ => return None,
    };
    py.import("errno").ok()?.getattr(name).ok()?.extract().ok()
}

pub(crate) fn of_file(error: &FileError) -> PyErr {
    in_file(&error.path, &error.error)
}

pub(crate) fn of_book(error: BookError) -> PyErr {
    match &error.fault {
        BookFault::Io(fault) => in_file(&error.path, fault),
        _ => bad_value(error),
    }
}

pub(crate) fn of_games(error: ReadError) -> PyErr {
    match &error.fault {
        ReadFault::Io(fault) => in_file(&PathBuf::from(&error.name), fault),
        _ => bad_value(error),
    }
}
