//! The log of what was said: lines of server, client and engine with the time of each. Secrets are hidden.

use super::secret::{Redactor, Secret};
use crate::client::{Listener, Speaker};
use komainu::host::lock;
use serde::Deserialize;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Instant, SystemTime};

/// The lines that are logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Logged {
    /// Nothing.
    #[default]
    None,
    /// The lines of the server and to it.
    Server,
    /// The lines of the engine and to it.
    Engine,
    /// Both.
    All,
}

/// A log, which several threads write to.
pub(super) struct WireLog {
    logged: Logged,
    state: Mutex<State>,
}

struct State {
    file: Option<File>,
    redactor: Redactor,
}

/// The name of the log in the folder of records.
const LOG_FILE: &str = "csa.log";

impl WireLog {
    /// Opens the log in a folder; it is added to.
    pub(super) fn open(folder: &Path, logged: Logged, redactor: Redactor) -> io::Result<WireLog> {
        let file = match logged {
            Logged::None => None,
            _ => Some(OpenOptions::new().create(true).append(true).open(folder.join(LOG_FILE))?),
        };
        Ok(WireLog { logged, state: Mutex::new(State { file, redactor }) })
    }

    /// Hides one more secret from now on.
    pub(super) fn hide(&self, secret: Secret) {
        lock(&self.state).redactor.add(secret);
    }

    /// Notes a line of the server or the engine (`>`), or to it (`<`). A log that cannot be written is no reason to
    /// lose a game.
    pub(super) fn note(&self, other: Logged, arrow: char, line: &str) {
        if self.logged != Logged::All && self.logged != other {
            return;
        }
        let name = if other == Logged::Engine { "engine" } else { "server" };
        let time = humantime::format_rfc3339_millis(SystemTime::now());
        let mut state = lock(&self.state);
        let text = format!("{time} {name} {arrow} {}\n", state.redactor.hide(line.trim_end_matches('\r')));
        if let Some(file) = &mut state.file {
            _ = file.write_all(text.as_bytes());
        }
    }
}

/// The lines of the engine and to it.
impl Listener for WireLog {
    fn note(&self, speaker: Speaker, _: Instant, text: &str) {
        let arrow = if speaker == Speaker::Engine { '>' } else { '<' };
        for line in text.lines() {
            WireLog::note(self, Logged::Engine, arrow, line);
        }
    }
}
