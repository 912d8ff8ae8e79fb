//! The one place that writes to the GUI: whole lines, flushed at once.

use std::fmt::Display;
use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// A writer of lines that several threads may use.
pub struct Output {
    writer: Mutex<Box<dyn Write + Send>>,
    closed: AtomicBool,
}

impl Output {
    /// Writes to this.
    pub fn new(writer: Box<dyn Write + Send>) -> Output {
        Output { writer: Mutex::new(writer), closed: AtomicBool::new(false) }
    }

    /// Writes a line and flushes it. If nobody reads any more the line is lost and [`Output::is_closed`] is true.
    pub fn line(&self, text: impl Display) {
        let line = format!("{text}\n");
        let Ok(mut writer) = self.writer.lock() else { return };
        if writer.write_all(line.as_bytes()).and_then(|()| writer.flush()).is_err() {
            self.closed.store(true, Ordering::Relaxed);
        }
    }

    /// A remark for the user: `info string ...`.
    pub fn remark(&self, text: impl Display) {
        self.line(format_args!("info string {text}"));
    }

    /// Whether a line could not be written: the reader has gone.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }
}
