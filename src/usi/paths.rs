//! Files that options name.

use crate::types::Visible;
use std::path::{Path, PathBuf};

/// Where a file is: a relative path counts from the folder of the program if the file is there, else from the working
/// directory. GUIs start engines in either.
pub(super) fn resolve(name: &str) -> PathBuf {
    let beside = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.join(name)));
    match beside {
        Some(path) if path.exists() => path,
        _ => std::path::absolute(name).unwrap_or_else(|_| PathBuf::from(name)),
    }
}

/// The most characters of a path or a text that are shown.
const SHOWN: usize = 1_000;

/// A path as a message shows it.
pub(super) fn show(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

/// A text with what cannot be seen escaped, cut off if it is very long.
pub(super) fn printable(text: &str) -> String {
    let end = text.char_indices().nth(SHOWN).map_or(text.len(), |(at, _)| at);
    Visible(&text[..end]).to_string()
}
