//! Why work on training data ends.

use super::input::ReadError;
use komainu::storage::JournalError;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why work on training data ends.
#[derive(Debug, Error)]
pub enum DataError {
    /// A file of games or records cannot be read, is damaged, or none.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file that the work adds to cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A file cannot be made, read or written.
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, #[source] io::Error),
    /// A reason, in words, for which the work cannot be done with these data.
    #[error("{0}")]
    Refused(String),
}

impl DataError {
    /// The error of a file that cannot be made, read or written.
    pub(super) fn in_file(path: &Path) -> impl Fn(io::Error) -> DataError {
        move |error| DataError::Io(path.to_path_buf(), error)
    }

    /// A refusal with its reason.
    pub(super) fn refused<T>(why: impl ToString) -> Result<T, DataError> {
        Err(DataError::Refused(why.to_string()))
    }
}
