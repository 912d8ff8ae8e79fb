//! A session that its owner drives: lines go in one by one, and in between it does what there is to do. Nothing here
//! waits.
//!
//! It is the session of [`run`](super::run) without the threads that read and write. Where the host has no threads,
//! searches are tasks that the owner runs in slices ([`crate::host`]).

use super::debug_log::DebugLog;
use super::event_queue::{EventQueue, Next};
use super::info::POLL_INTERVAL;
use super::input::take_line;
use super::output::Output;
use super::session::Session;
use super::table_thread::TableThread;
use crate::host::Instant;
use crate::types::opaque_debug;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

/// A session that speaks USI with whoever calls.
///
/// ```
/// use komainu::usi::DrivenSession;
/// use std::io::{self, Write};
/// use std::sync::{Arc, Mutex};
///
/// #[derive(Clone, Default)]
/// struct Lines(Arc<Mutex<Vec<u8>>>);
///
/// impl Write for Lines {
///     fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
///         self.0.lock().unwrap().write(bytes)
///     }
///     fn flush(&mut self) -> io::Result<()> {
///         Ok(())
///     }
/// }
///
/// let lines = Lines::default();
/// let mut session = DrivenSession::new(lines.clone())?;
/// session.line(b"usi");
/// assert!(lines.0.lock().unwrap().ends_with(b"usiok\n"));
/// session.line(b"go nodes 1000");
/// while session.owes_answer() {
///     session.turn();
/// }
/// assert!(String::from_utf8_lossy(&lines.0.lock().unwrap()).contains("\nbestmove "));
/// # Ok::<(), io::Error>(())
/// ```
pub struct DrivenSession {
    session: Session,
    out: Arc<Output>,
    queue: Arc<EventQueue>,
    log: Arc<DebugLog>,
    /// When a running search last had its turn to show that it lives.
    beat_at: Instant,
    is_over: bool,
}

opaque_debug!(DrivenSession);

impl DrivenSession {
    /// A session that writes its lines to `output` on the calling thread. An error means that the system has no thread
    /// to give.
    pub fn new(output: impl Write + Send + 'static) -> io::Result<DrivenSession> {
        let (queue, log) = (Arc::new(EventQueue::default()), Arc::new(DebugLog::new()));
        // There is no file to write it into before an option names one.
        log.close();
        let out = Arc::new(Output::direct(output, Arc::clone(&log)));
        let session = Session::new(Arc::clone(&out), Arc::clone(&queue), Arc::clone(&log), TableThread::start()?);
        Ok(DrivenSession { session, out, queue, log, beat_at: Instant::now(), is_over: false })
    }

    /// Takes a line in and does what can be done at once. After `quit` nothing is said any more.
    pub fn line(&mut self, bytes: &[u8]) {
        if self.is_over {
            return;
        }
        if take_line(bytes, Instant::now(), &self.queue, &self.log, &self.out) {
            return self.end();
        }
        self.turn();
    }

    /// Does what there is to do: lines that have waited, searches that have ended, signs of life.
    pub fn turn(&mut self) {
        if !self.is_over && self.beat_at.elapsed() >= POLL_INTERVAL {
            self.beat_at = Instant::now();
            _ = self.session.handle(Next::Timeout);
        }
        while !self.is_over {
            match self.session.next(Some(Duration::ZERO)) {
                Next::Timeout => return,
                next => {
                    if self.session.handle(next).is_break() {
                        self.end();
                    }
                }
            }
        }
    }

    /// Tests whether something is under way that will be answered.
    pub fn owes_answer(&self) -> bool {
        !self.is_over && self.session.owes_answer()
    }

    /// Ends the session; nothing is said from now on.
    pub fn end(&mut self) {
        self.is_over = true;
        self.out.close();
        self.session.stop();
    }
}
