//! The input as it comes: bytes in any encoding, in lines of any length.

use super::debug_log::{DebugLog, Direction};
use super::event_queue::EventQueue;
use super::output::Output;
use crate::host::Instant;
use crate::notation::encoding::decode_cp932;
use crate::protocol::Command;
use crate::system::core_wait;
use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};
use std::time::Duration;

/// The longest line that is read; a longer one is thrown away. A game of 20,000 plies needs 100 kB.
const MAX_LINE: u64 = 16 << 20;

/// A thread that waits longer for a core is one that the system has suspended, and the game with it.
const MAX_LATE: Duration = Duration::from_secs(2);

/// Reads commands into the event queue until `quit` or the end of the input, which means the same.
pub(super) fn read_lines(input: impl Read, queue: &EventQueue, log: &DebugLog, out: &Output) {
    let mut input = BufReader::new(input);
    let mut bytes = Vec::new();
    let mut arrived = Instant::now();
    loop {
        bytes.clear();
        // A line that is here as a whole has come with the one before it.
        let is_here = input.buffer().contains(&b'\n');
        let waited = (!is_here).then(core_wait);
        let line = read_line(&mut input, &mut bytes);
        if let Some(waited) = waited {
            arrived = arrival(Instant::now(), core_wait().saturating_sub(waited));
        }
        match line {
            Ok(Found::End) | Err(_) => break queue.push_command(Command::Quit, 0),
            Ok(Found::TooLong) => {
                out.info_string(format_args!("error: a line of more than {MAX_LINE} bytes is ignored"));
            }
            Ok(Found::Line) => {
                if take_line(&bytes, arrived, queue, log, out) {
                    break;
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
pub(super) fn take_line(bytes: &[u8], arrived: Instant, queue: &EventQueue, log: &DebugLog, out: &Output) -> bool {
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

/// Result of reading.
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
