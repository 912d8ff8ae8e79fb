//! Files that options name.

use crate::eval::NetFile;
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

/// Where a net is that an option names: a file, or a folder with an `nn.bin`, counted from the folder of the program or
/// from the working directory. A name that is neither counts from the working directory.
pub(super) fn find_net(name: &str) -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    let working = std::env::current_dir().unwrap_or_default();
    let folders = program.parent().into_iter().chain([working.as_path()]);
    NetFile::find(name.as_ref(), folders)
        .unwrap_or_else(|| std::path::absolute(name).unwrap_or_else(|_| PathBuf::from(name)))
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
