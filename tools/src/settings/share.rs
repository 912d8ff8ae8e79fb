//! Work that several machines share.

use crate::share::Shard;
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};

/// A share of the work.
#[derive(Clone, Copy, Debug, Default, Serialize, clap::Args)]
#[group(id = "share")]
pub struct Share {
    /// Do one share of N alone, the Ith: the same flags for each share, then join what they make
    #[arg(long, value_name = "I/N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
}

/// A file by which workers are told to stop, whatever machine they run on.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
#[group(id = "stop")]
pub struct StopFile {
    /// File that ends the work once it is there: what has begun is finished, and the exit status is 0
    #[arg(long, value_name = "FILE")]
    stop_file: Option<PathBuf>,
}

impl StopFile {
    /// Path of the file, if one was named.
    pub fn path(&self) -> Option<&Path> {
        self.stop_file.as_deref()
    }

    /// Tests whether the work is to end.
    pub fn is_there(&self) -> bool {
        self.path().is_some_and(Path::exists)
    }
}

impl fmt::Display for StopFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path().unwrap_or(Path::new("")).display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_once_a_file_that_was_named_is_there() {
        let path = std::env::temp_dir().join(format!("komainu-stop-{}", std::process::id()));
        let stop = StopFile { stop_file: Some(path.clone()) };
        assert!(!stop.is_there() && !StopFile::default().is_there());
        std::fs::write(&path, "").unwrap();
        assert!(stop.is_there() && !StopFile::default().is_there());
        std::fs::remove_file(path).unwrap();
        assert!(!stop.is_there());
    }
}
