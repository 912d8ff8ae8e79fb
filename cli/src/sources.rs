//! Care for files of games that are read, beside which something is written.

use crate::terminal::Failure;
use komainu::games::SourceFile;
use std::fs;
use std::path::{Path, PathBuf};

/// Leaves out what lies in a folder of results below one of the folders that were named: results are no games to read.
pub(super) fn leave_out_results(files: &mut Vec<SourceFile>, named: &[PathBuf], out: &Path) {
    let Ok(out) = fs::canonicalize(out) else { return };
    let folders = named.iter().filter_map(|path| fs::canonicalize(path).ok());
    if folders.into_iter().any(|folder| out != folder && out.starts_with(&folder)) {
        files.retain(|file| !fs::canonicalize(&file.path).is_ok_and(|path| path.starts_with(&out)));
    }
}

/// A file that is to be written must be none that was read: its owner has no other copy.
pub(super) fn refuse_to_overwrite(out: &Path, sources: &[SourceFile]) -> Result<(), Failure> {
    let Ok(out) = fs::canonicalize(out) else { return Ok(()) };
    let is_read = |file: &&SourceFile| fs::canonicalize(&file.path).is_ok_and(|path| path == out);
    match sources.iter().find(is_read) {
        Some(file) => Err(Failure::Usage(format!("{}: it is read, and is not written over", file.path.display()))),
        None => Ok(()),
    }
}
