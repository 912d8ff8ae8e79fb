//! The one place that writes to the GUI: whole lines of UTF-8, each sent at once.
//!
//! A thread of its own does the writing, so that neither the session nor the search waits for a GUI that is slow to
//! read; only an answer is written by the thread that found it, for the sake of the clock. If very much waits to be
//! read, further reports on the search are left out; answers never are.

use super::debug_log::{DebugLog, Direction};
use crate::host::{Instant, lock};
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Bytes that may wait before reports are left out.
const MAX_REPORT_BYTES: usize = 1 << 20;
/// Bytes that may wait before the engine waits for the GUI.
const MAX_BYTES: usize = 64 << 20;

#[derive(Default)]
struct Buffer {
    text: String,
    /// The last line that was sent.
    last_line: String,
    /// The writer has taken text and not finished writing it.
    is_writing: bool,
    /// Nobody reads any more: everything is thrown away.
    is_closed: bool,
    /// Nothing more will be sent.
    is_finished: bool,
    /// Why nobody reads any more.
    failure: Option<io::Error>,
}

impl Buffer {
    fn append(&mut self, text: &str) {
        if self.is_closed {
            return;
        }
        self.text.push_str(text);
        self.last_line.clear();
        self.last_line.push_str(text.lines().last().unwrap_or_default());
    }
}

/// A writer of lines that several threads may use.
pub(crate) struct Output {
    /// Taken only by whoever has set `is_writing`.
    writer: Mutex<Box<dyn Write + Send>>,
    log: Arc<DebugLog>,
    /// There is no thread that writes: whoever sends does it.
    is_direct: bool,
    buffer: Mutex<Buffer>,
    changed: Condvar,
}

impl Output {
    /// Starts the thread that writes to `writer`. `on_closed` is called when it ends, which is early if
    /// nobody reads any more.
    pub(crate) fn start(
        writer: impl Write + Send + 'static,
        log: Arc<DebugLog>,
        on_closed: impl FnOnce() + Send + 'static,
    ) -> io::Result<Arc<Output>> {
        let out = Arc::new(Output::new(Box::new(writer), log));
        let for_thread = Arc::clone(&out);
        thread::Builder::new().name("output".into()).spawn(move || {
            for_thread.write_until_closed();
            on_closed();
        })?;
        Ok(out)
    }

    fn new(writer: Box<dyn Write + Send>, log: Arc<DebugLog>) -> Output {
        Output { writer: Mutex::new(writer), log, is_direct: false, buffer: Mutex::default(), changed: Condvar::new() }
    }

    /// An output without a thread: whoever sends writes, and waits for the reader.
    pub(crate) fn direct(writer: impl Write + Send + 'static, log: Arc<DebugLog>) -> Output {
        Output { is_direct: true, ..Output::new(Box::new(writer), log) }
    }

    /// Throws away whatever is sent from now on.
    pub(crate) fn close(&self) {
        lock(&self.buffer).is_closed = true;
    }

    /// Sends a line.
    pub(crate) fn line(&self, text: impl Display) {
        self.push(&format!("{text}\n"));
    }

    /// Sends lines about a search that stay together, unless too much waits to be read.
    pub(crate) fn report(&self, lines: &str) {
        if lock(&self.buffer).text.len() < MAX_REPORT_BYTES {
            self.push(lines);
        }
    }

    /// A message for the user: `info string ...`.
    pub(crate) fn info_string(&self, text: impl Display) {
        self.line(format_args!("info string {text}"));
    }

    /// Sends an answer right behind the line that belongs before it, which is not sent again if nothing was sent since.
    ///
    /// This very thread writes, with all that waits before: no other thread need be woken first. Waits for a GUI that
    /// is slow to read.
    pub(crate) fn answer(&self, line_before: impl Display, answer: impl Display) {
        let line_before = line_before.to_string();
        let mut buffer = lock(&self.buffer);
        if buffer.last_line != line_before {
            buffer.append(&format!("{line_before}\n"));
        }
        buffer.append(&format!("{answer}\n"));
        if buffer.is_writing {
            // The thread that is at it will find them.
            return self.changed.notify_all();
        }
        self.flush_buffer(buffer);
    }

    fn push(&self, text: &str) {
        let mut buffer = lock(&self.buffer);
        while !self.is_direct && buffer.text.len() > MAX_BYTES && !buffer.is_closed {
            buffer = self.wait(buffer);
        }
        buffer.append(text);
        if self.is_direct && !buffer.is_writing {
            return self.flush_buffer(buffer);
        }
        self.changed.notify_all();
    }

    /// Writes what is sent until nobody reads or nothing more comes.
    fn write_until_closed(&self) {
        loop {
            let mut buffer = lock(&self.buffer);
            while buffer.is_writing || buffer.text.is_empty() {
                if buffer.is_closed || buffer.is_finished {
                    return;
                }
                buffer = self.wait(buffer);
            }
            self.flush_buffer(buffer);
        }
    }

    /// Writes what waits; nobody else may be writing.
    fn flush_buffer(&self, mut buffer: MutexGuard<'_, Buffer>) {
        let text = std::mem::take(&mut buffer.text);
        buffer.is_writing = true;
        drop(buffer);
        // Noted first: what the GUI says to it would stand before it otherwise.
        let log_error = text.lines().find_map(|line| self.log.note(Direction::FromEngine, line).err());
        let mut writer = lock(&self.writer);
        let result = writer.write_all(text.as_bytes()).and_then(|()| writer.flush());
        drop(writer);
        let mut buffer = lock(&self.buffer);
        buffer.is_writing = false;
        if let Err(error) = result {
            buffer.is_closed = true;
            buffer.failure.get_or_insert(error);
        }
        if buffer.is_closed {
            buffer.text.clear();
        }
        self.changed.notify_all();
        if self.is_direct && !buffer.text.is_empty() {
            // Sent by another thread meanwhile, which has left it to this one.
            self.flush_buffer(buffer);
        } else {
            drop(buffer);
        }
        if let Some(error) = log_error {
            self.info_string(error);
        }
    }

    /// Waits as [`Output::drain`] does and ends the thread. An error is that of the first write that failed.
    pub(crate) fn finish(&self, timeout: Duration) -> io::Result<()> {
        self.drain(timeout);
        let mut buffer = lock(&self.buffer);
        buffer.is_finished = true;
        self.changed.notify_all();
        buffer.failure.take().map_or(Ok(()), Err)
    }

    /// Waits until everything has been written, or nobody reads, but no longer than this.
    fn drain(&self, timeout: Duration) {
        let until = Instant::now() + timeout;
        let mut buffer = lock(&self.buffer);
        while !buffer.is_closed && (buffer.is_writing || !buffer.text.is_empty()) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            buffer = self.changed.wait_timeout(buffer, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn wait<'a>(&self, guard: MutexGuard<'a, Buffer>) -> MutexGuard<'a, Buffer> {
        self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
impl Output {
    /// An output that keeps everything buffer.
    pub(crate) fn idle() -> Output {
        let out = Output::new(Box::new(io::sink()), Arc::new(DebugLog::new()));
        lock(&out.buffer).is_writing = true;
        out
    }

    /// Text that was sent to an output that has no thread.
    pub(crate) fn take_buffered(&self) -> String {
        std::mem::take(&mut lock(&self.buffer).text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// A reader that can stop reading and go away.
    struct Pipe {
        sender: Sender<Vec<u8>>,
        gate: Arc<Mutex<()>>,
    }

    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _open = self.gate.lock().unwrap();
            self.sender.send(bytes.to_vec()).map_err(|_| io::ErrorKind::BrokenPipe)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// An output, what it wrote, a lock that keeps it from writing, and the news of its end.
    struct Ends(Arc<Output>, Receiver<Vec<u8>>, Arc<Mutex<()>>, Receiver<()>);

    fn pipe() -> Ends {
        let (sender, bytes) = channel();
        let (closed, is_closed) = channel();
        let gate = Arc::new(Mutex::new(()));
        let pipe = Pipe { sender, gate: Arc::clone(&gate) };
        let out = Output::start(pipe, Arc::new(DebugLog::new()), move || closed.send(()).unwrap()).unwrap();
        Ends(out, bytes, gate, is_closed)
    }

    #[test]
    fn lines_arrive_whole_and_in_utf_8() {
        let Ends(out, bytes, ..) = pipe();
        out.line("readyok");
        out.info_string("将棋");
        out.drain(Duration::from_secs(10));
        let text: Vec<u8> = bytes.try_iter().flatten().collect();
        assert_eq!(text, "readyok\ninfo string 将棋\n".as_bytes());
    }

    #[test]
    fn a_reader_that_stops_reading_holds_nobody_up_and_misses_reports_only() {
        let Ends(out, bytes, gate, _) = pipe();
        let closed_gate = gate.lock().unwrap();
        let report = "info string x\n".repeat(1_000);
        for _ in 0..1_000 {
            out.report(&report);
        }
        out.line("bestmove resign");
        out.drain(Duration::from_millis(10));
        drop(closed_gate);
        out.drain(Duration::from_secs(10));
        let text: Vec<u8> = bytes.try_iter().flatten().collect();
        assert!(text.len() < 3 * MAX_REPORT_BYTES && text.ends_with(b"bestmove resign\n"), "{}", text.len());
    }

    #[test]
    fn a_reader_that_went_away_is_noticed() {
        let Ends(out, bytes, _, is_closed) = pipe();
        drop(bytes);
        out.line("readyok");
        is_closed.recv_timeout(Duration::from_secs(10)).unwrap();
        out.line("readyok");
        out.drain(Duration::from_secs(10));
    }
}
