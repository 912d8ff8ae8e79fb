//! Words of a subcommand to the user, and its end: lines, progress, failures with their exit codes.

mod output;
pub(super) mod progress;
pub(super) mod screen;
mod threads;

use komainu::book::BookError;
use komainu::games::FileError;
use komainu::notation::usi::parse_opening;
use komainu::position::Position;
use komainu::storage::{JournalError, write_whole};
use komainu::system::free_megabytes;
use komainu::types::{Quoted, UnknownName};
use komainu_tools::analyst::AnalystError;
use komainu_tools::arena::folder::FolderError;
use komainu_tools::arena::pairing::PairingError;
use komainu_tools::openings::OpeningError;
use komainu_tools::training::{DataError, ReadError};
pub(super) use output::{
    complain, end_of_work, of_output, print_and_go_on, print_json, print_line, print_passed, print_styled, unless_gone,
    verdict,
};
use std::fs;
use std::path::Path;
pub(super) use threads::{check_memory_of_search, say_fewer, start_workers, worker_pool};

/// Exit code of work that an interrupt has ended: that of a program that dies of SIGINT.
pub(super) const INTERRUPTED: u8 = 130;

/// Why a subcommand ends before its end: the exit code is 1 if a check failed, 2 for bad usage, 130 for an interrupt.
pub(crate) enum Failure {
    /// Nobody reads the output any more, as after `| head`: no reason to complain.
    ReaderGone,
    /// A check failed; it has been reported.
    CheckFailed,
    /// The work was interrupted; that has been said.
    Interrupted,
    /// The arguments make no sense: one line that names the token.
    Usage(String),
    /// One line and an exit code, of a subcommand that has more of them.
    Exit(u8, String),
}

impl Failure {
    /// Tells the user, and the exit code.
    pub(super) fn report(self) -> u8 {
        let (code, message) = match self {
            Failure::ReaderGone => return 0,
            Failure::CheckFailed => return 1,
            Failure::Interrupted => return INTERRUPTED,
            Failure::Usage(message) => (2, message),
            Failure::Exit(code, message) => (code, message),
        };
        complain(message);
        code
    }
}

/// Errors whose text says all that the user must know.
macro_rules! usage_failures {
    ($($error:ty),*) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Failure {
                Failure::Usage(error.to_string())
            }
        }
    )*};
}

usage_failures!(
    AnalystError,
    BookError,
    DataError,
    FileError,
    FolderError,
    JournalError,
    OpeningError,
    PairingError,
    ReadError,
    UnknownName
);

/// Message about a file that cannot be read or written.
pub(super) fn in_file(path: &Path) -> impl Fn(std::io::Error) -> Failure {
    move |error| Failure::Usage(komainu::host::in_file(path, error))
}

/// Writes a file, and makes the folders that lead to it.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(in_file(folder))?;
    }
    write_whole(path, bytes).map_err(in_file(path))
}

/// Makes a table of the megabytes of `--hash`, if so many are free.
pub(super) fn hash_table<T>(megabytes: u32, make: impl FnOnce(usize) -> Option<T>) -> Result<T, Failure> {
    let free = free_megabytes();
    let made = if megabytes as usize <= free { make(megabytes as usize) } else { None };
    made.ok_or_else(|| Failure::Usage(format!("--hash {megabytes}: only {free} MB are free")))
}

/// The position of a text: as the protocol has it, or a bare SFEN, with moves behind it. No word is passed over.
pub(super) fn read_position(text: &str) -> Result<Position, String> {
    let parsed = parse_opening(text).map_err(|error| error.to_string())?;
    match parsed.ignored {
        Some(token) => Err(format!("unexpected {}", Quoted(&token))),
        None => Ok(parsed.position),
    }
}

/// The lines of a list with their numbers from 1, without empty ones and comments, which begin with `#`.
pub(super) fn numbered_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    (1..).zip(lines).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}
