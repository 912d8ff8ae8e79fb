//! Files that options name.

use std::fs::File;
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

/// The most characters of a path that are shown.
const SHOWN: usize = 1_000;

/// A path in printable ASCII.
pub(super) fn show(path: &Path) -> String {
    let shown: String = path.to_string_lossy().chars().take(SHOWN).collect();
    shown.escape_default().to_string().replace("\\\\", "\\")
}

/// What is wrong with the evaluation file that was asked for. Without a fault there was nothing to load.
pub(super) fn eval_file_fault(name: &str) -> Option<String> {
    if matches!(name, "" | "<internal>" | "<material>") {
        return None;
    }
    let path = resolve(name);
    let fault = match File::open(&path) {
        Ok(_) => "this version reads no evaluation files".to_string(),
        Err(error) => error.to_string(),
    };
    Some(format!("error: EvalFile: {}: {fault}; the built-in evaluation is used", show(&path)))
}
