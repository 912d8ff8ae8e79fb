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

use crate::host::{lock, open_regular};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, SystemTime};

/// Bytes of the first lines that are kept.
const KEPT: usize = 64 << 10;
/// Longest time for which an option that names the file waits until it is open. A file system may take longer; the
/// session does not.
const OPEN_TIMEOUT: Duration = Duration::from_millis(300);
/// The first line of a log.
const HEADER: &str = concat!("# komainu ", env!("CARGO_PKG_VERSION"), " debug log");

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
    /// The file is being opened: what is to stand in it.
    Opening(Vec<u8>, PathBuf),
    Open(File, PathBuf),
}

/// A log that may be off.
pub(crate) struct DebugLog {
    state: Mutex<LogState>,
}

impl DebugLog {
    /// A log that waits to be opened.
    pub(crate) fn new() -> DebugLog {
        DebugLog { state: Mutex::new(LogState::Waiting(Vec::new())) }
    }

    /// Notes a line. If it cannot be written the log ends, and the error says so.
    pub(crate) fn note(&self, direction: Direction, text: &str) -> Result<(), String> {
        let mut state = lock(&self.state);
        if matches!(*state, LogState::Off) {
            return Ok(());
        }
        let arrow = if direction == Direction::ToEngine { '>' } else { '<' };
        let line = format!("{} {arrow} {text}\n", humantime::format_rfc3339_millis(SystemTime::now()));
        let result = match &mut *state {
            LogState::Waiting(lines) | LogState::Opening(lines, _) if lines.len() + line.len() > KEPT => {
                *state = LogState::Off;
                Ok(())
            }
            LogState::Waiting(lines) | LogState::Opening(lines, _) => {
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
    ///
    /// A thread of its own opens the file, since a file system may keep whoever opens waiting. `report` is told why
    /// there is no log.
    pub(crate) fn open(log: &Arc<DebugLog>, path: &Path, report: impl FnOnce(io::Error) + Send + 'static) {
        let mut state = lock(&log.state);
        if matches!(&*state, LogState::Open(_, open) | LogState::Opening(_, open) if open == path) {
            return;
        }
        let kept = match std::mem::replace(&mut *state, LogState::Off) {
            LogState::Waiting(lines) | LogState::Opening(lines, _) => lines,
            LogState::Off | LogState::Open(..) => Vec::new(),
        };
        *state = LogState::Opening(kept, path.to_path_buf());
        drop(state);
        let (sender, opened) = channel();
        let for_thread = Arc::clone(log);
        let path = path.to_path_buf();
        let open = move || {
            if let Err(error) = for_thread.opened(&path, open_file(&path)) {
                report(error);
            }
            _ = sender.send(());
        };
        match thread::Builder::new().name("debug log".into()).spawn(open) {
            Ok(_) => _ = opened.recv_timeout(OPEN_TIMEOUT),
            Err(_) => log.close(),
        }
    }

    /// A file has been opened or not, for a log that may have turned to another one meanwhile.
    fn opened(&self, path: &Path, file: io::Result<File>) -> io::Result<()> {
        let mut state = lock(&self.state);
        let LogState::Opening(kept, _) = &mut *state else { return Ok(()) };
        let text = [HEADER.as_bytes(), &b"\n"[..], kept.as_slice()].concat();
        *state = LogState::Off;
        let mut file = file?;
        file.write_all(&text)?;
        *state = LogState::Open(file, path.to_path_buf());
        Ok(())
    }

    /// The options have been sent: a log that was not opened stays off.
    pub(crate) fn stop_buffering(&self) {
        let mut state = lock(&self.state);
        if matches!(*state, LogState::Waiting(_)) {
            *state = LogState::Off;
        }
    }

    /// Writes no more.
    pub(crate) fn close(&self) {
        *lock(&self.state) = LogState::Off;
    }
}

/// Opens a file that is new, empty or a log: nothing else is written to.
fn open_file(path: &Path) -> io::Result<File> {
    let mut file = open_regular(path, OpenOptions::new().create(true).read(true).append(true))?;
    let mut head = Vec::new();
    Read::by_ref(&mut file).take(80).read_to_end(&mut head)?;
    let first = head.split(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii_end();
    if head.is_empty() || first.starts_with(b"# komainu ") && first.ends_with(b" debug log") {
        return Ok(file);
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "the file is no debug log; it stays as it is"))
}
