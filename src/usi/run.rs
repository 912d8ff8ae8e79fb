//! Running a session: with threads that read and write, or driven by its owner, who hands it lines.

use super::debug_log::{DebugLog, Direction};
use super::engine::EngineThread;
use super::event_queue::{EventQueue, Next};
use super::info::POLL_INTERVAL;
use super::output::Output;
use super::session::Session;
use super::terminal::Audience;
use crate::host::Instant;
use crate::notation::encoding::decode_cp932;
use crate::protocol::Command;
use crate::system::core_wait;
use crate::types::opaque_debug;
use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// The most time that the GUI gets to read the last lines at the end.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(500);

/// Speaks USI with a program until `quit`, the end of the input, or until nobody reads the output. An error means that
/// the system has no threads to give.
pub fn run(input: impl Read + Send + 'static, output: impl Write + Send + 'static) -> io::Result<()> {
    run_for(Audience::Program, input, output)
}

/// Speaks USI as [`run`] does, with a program or a person.
pub fn run_for(
    audience: Audience,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    let queue = Arc::new(EventQueue::default());
    let log = Arc::new(DebugLog::new());
    let for_closing = Arc::clone(&queue);
    let out = Output::start(output, Arc::clone(&log), move || for_closing.abort()).map_err(no_thread)?;
    for line in audience.greeting() {
        out.line(line);
    }
    let engine = EngineThread::start(Arc::clone(&out), Arc::clone(&queue)).map_err(no_thread)?;
    let mut session = Session::new(audience, Arc::clone(&out), Arc::clone(&queue), Arc::clone(&log), engine);
    let for_reading = Arc::clone(&out);
    let read = move || read_lines(input, &queue, &log, &for_reading);
    // Not joined: it may wait for input that never comes.
    thread::Builder::new().name("input".into()).spawn(read).map_err(no_thread)?;
    session.run();
    out.finish(SHUTDOWN_TIMEOUT)
}

/// An error that is none of the output.
fn no_thread(error: io::Error) -> io::Error {
    io::Error::other(format!("the system gives no thread: {error}"))
}

/// A session that its owner drives: lines go in one by one, and in between it does what there is to do. Nothing here
/// waits.
///
/// It is the session of [`run`] without the threads that read and write. Where the host has no threads, searches are
/// tasks that the owner runs in slices ([`crate::host`]).
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
        let queue = Arc::new(EventQueue::default());
        let log = Arc::new(DebugLog::new());
        // There is no file to write it into before an option names one.
        log.close();
        let out = Arc::new(Output::direct(output, Arc::clone(&log)));
        let engine = EngineThread::start(Arc::clone(&out), Arc::clone(&queue))?;
        let session = Session::new(Audience::Program, Arc::clone(&out), Arc::clone(&queue), Arc::clone(&log), engine);
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

/// The longest line that is read; a longer one is thrown away. A game of 20,000 plies needs 100 kB.
const MAX_LINE: u64 = 16 << 20;

/// A thread that waits longer for a core is one that the system has suspended, and the game with it.
const MAX_LATE: Duration = Duration::from_secs(2);

/// Reads commands into the event queue until `quit` or the end of the input, which means the same.
fn read_lines(input: impl Read, queue: &EventQueue, log: &DebugLog, out: &Output) {
    let mut input = BufReader::new(input);
    let mut bytes = Vec::new();
    let mut arrived = Instant::now();
    loop {
        bytes.clear();
        // A line that is here as a whole has come with the one before it.
        let is_here = input.buffer().contains(&b'\n');
        let waited = if is_here { Duration::ZERO } else { core_wait() };
        let line = read_line(&mut input, &mut bytes);
        if !is_here {
            arrived = arrival(Instant::now(), core_wait().saturating_sub(waited));
        }
        match line {
            Ok(Found::End) | Err(_) => return queue.push_command(Command::Quit, 0),
            Ok(Found::TooLong) => {
                out.info_string(format_args!("error: a line of more than {MAX_LINE} bytes is ignored"));
            }
            Ok(Found::Line) => {
                if take_line(&bytes, arrived, queue, log, out) {
                    return;
                }
            }
        }
    }
}

/// The moment at which a line arrived that was read `late` after it, since this thread had to wait for a core.
fn arrival(read: Instant, late: Duration) -> Instant {
    read.checked_sub(late.min(MAX_LATE)).unwrap_or(read)
}

/// Takes a line in that has arrived at a moment, as a command of the queue. Returns whether it was `quit`.
fn take_line(bytes: &[u8], arrived: Instant, queue: &EventQueue, log: &DebugLog, out: &Output) -> bool {
    if bytes.len() as u64 > MAX_LINE {
        out.info_string(format_args!("error: a line of more than {MAX_LINE} bytes is ignored"));
        return false;
    }
    let text = decode(bytes);
    if let Err(error) = log.note(Direction::ToEngine, text.trim_end_matches(['\r', '\n'])) {
        out.info_string(error);
    }
    let command = Command::read(&text);
    let is_quit = command == Command::Quit;
    if !matches!(command, Command::Empty | Command::Ignored) {
        queue.push_command_of(arrived, command, bytes.len());
    }
    is_quit
}

/// What was read.
enum Found {
    Line,
    TooLong,
    End,
}

fn read_line(input: &mut impl BufRead, bytes: &mut Vec<u8>) -> io::Result<Found> {
    let read = input.by_ref().take(MAX_LINE).read_until(b'\n', bytes)? as u64;
    if read == MAX_LINE && bytes.last() != Some(&b'\n') {
        bytes.clear();
        bytes.shrink_to(1 << 16);
        input.skip_until(b'\n')?;
        return Ok(Found::TooLong);
    }
    Ok(if read == 0 { Found::End } else { Found::Line })
}

/// The text of a line: UTF-8, else CP932 as Japanese Windows programs send it. What is neither shows as U+FFFD.
fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(decode_cp932(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usi::event_queue::Next;

    /// Input that comes in pieces, with a pause before each.
    struct Pieces(Vec<&'static [u8]>);

    impl Read for Pieces {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            std::thread::sleep(Duration::from_millis(20));
            let piece = if self.0.is_empty() { &[][..] } else { self.0.remove(0) };
            room[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }

    #[test]
    fn lines_that_come_in_one_piece_have_arrived_together() {
        let queue = EventQueue::default();
        let log = std::sync::Arc::new(DebugLog::new());
        let out = Output::direct(io::sink(), std::sync::Arc::clone(&log));
        let pieces = Pieces(vec![b"usinewgame\ngo infinite\nst", b"op\nisready\n"]);
        read_lines(pieces, &queue, &log, &out);
        let arrived: Vec<Instant> = std::iter::from_fn(|| match queue.next(true, Some(Duration::ZERO)) {
            Next::Command(command) => Some(command.arrived),
            _ => None,
        })
        .collect();
        assert_eq!(arrived.len(), 5, "with the end of the input");
        // The third line is whole with the second piece.
        assert!(arrived[0] == arrived[1] && arrived[1] < arrived[2] && arrived[2] == arrived[3]);
        assert!(arrived[4] > arrived[3]);
    }

    #[test]
    fn what_is_read_late_for_want_of_a_core_has_arrived_earlier() {
        let read = Instant::now();
        for (late, counted) in [(0, 0), (30, 30), (2_000, 2_000), (3_600_000, 2_000)] {
            let arrived = arrival(read, Duration::from_millis(late));
            assert_eq!(read.saturating_duration_since(arrived), Duration::from_millis(counted), "{late} ms");
        }
    }

    #[test]
    fn lines_are_utf_8_or_else_cp932() {
        assert_eq!(decode("将棋".as_bytes()), "将棋");
        assert_eq!(decode(b"C:\\\x8F\xAB\x8A\xFB\\x.db"), "C:\\将棋\\x.db");
        // NEC's and IBM's characters, which CP932 has and Shift_JIS has not.
        assert_eq!(decode(b"\x87\x40\xED\x40 1"), "①纊 1");
        assert_eq!(decode(b"\xff\xfe\x00\x81"), "\u{FFFD}\u{FFFD}\0\u{FFFD}");
        assert_eq!(decode(b"plain\r\n"), "plain\r\n");
    }
}
