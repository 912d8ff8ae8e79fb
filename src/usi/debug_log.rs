//! The debug log: every line in both directions with the time of day to the millisecond.
//!
//! ```text
//! # komainu 0.1.0 debug log
//! 2026-01-31T08:52:33.123Z > usi
//! 2026-01-31T08:52:33.125Z < usiok
//! ```
//!
//! `>` goes to the engine, `<` comes from it. An option names the file, and options are sent after the conversation has
//! begun; so its first lines are kept until the first `isready` has been executed and shows that there is no log.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// Bytes of the first lines that are kept.
const KEPT: usize = 64 << 10;

/// Who speaks to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// A command.
    ToEngine,
    /// An answer.
    FromEngine,
}

enum LogState {
    /// No log yet: what would stand in it.
    Waiting(Vec<u8>),
    Off,
    Open(File, PathBuf),
}

/// A log that may be off.
pub(super) struct DebugLog {
    state: Mutex<LogState>,
}

impl DebugLog {
    /// A log that waits to be opened.
    pub(super) fn new() -> DebugLog {
        DebugLog { state: Mutex::new(LogState::Waiting(Vec::new())) }
    }

    /// Notes a line. If it cannot be written the log ends, and the error says so.
    pub(super) fn note(&self, direction: Direction, text: &str) -> Result<(), String> {
        let mut state = self.lock();
        if matches!(*state, LogState::Off) {
            return Ok(());
        }
        let arrow = if direction == Direction::ToEngine { '>' } else { '<' };
        let line = format!("{} {arrow} {text}\n", humantime::format_rfc3339_millis(SystemTime::now()));
        let result = match &mut *state {
            LogState::Waiting(lines) if lines.len() + line.len() > KEPT => {
                *state = LogState::Off;
                Ok(())
            }
            LogState::Waiting(lines) => {
                lines.extend_from_slice(line.as_bytes());
                Ok(())
            }
            LogState::Off => Ok(()),
            LogState::Open(file, _) => file.write_all(line.as_bytes()),
        };
        result.map_err(|error| {
            *state = LogState::Off;
            format!("error: the debug log ends: {error}")
        })
    }

    /// Goes on in this file, behind what stands in it; one that is open already stays. Without it there is no log.
    pub(super) fn open(&self, path: &Path) -> io::Result<()> {
        let mut state = self.lock();
        if matches!(&*state, LogState::Open(_, open) if open == path) {
            return Ok(());
        }
        let kept = match std::mem::replace(&mut *state, LogState::Off) {
            LogState::Waiting(lines) => lines,
            LogState::Off | LogState::Open(..) => Vec::new(),
        };
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        writeln!(file, concat!("# komainu ", env!("CARGO_PKG_VERSION"), " debug log"))?;
        file.write_all(&kept)?;
        *state = LogState::Open(file, path.to_path_buf());
        Ok(())
    }

    /// The options have been sent: a log that was not opened stays off.
    pub(super) fn stop_buffering(&self) {
        let mut state = self.lock();
        if matches!(*state, LogState::Waiting(_)) {
            *state = LogState::Off;
        }
    }

    /// Writes no more.
    pub(super) fn close(&self) {
        *self.lock() = LogState::Off;
    }

    fn lock(&self) -> MutexGuard<'_, LogState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
