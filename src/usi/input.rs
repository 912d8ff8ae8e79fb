//! The input as it comes: bytes in any encoding, in lines of any length.

use super::debug_log::{DebugLog, Direction};
use super::event_queue::EventQueue;
use super::output::Output;
use crate::notation::encoding::decode_cp932;
use crate::protocol::Command;
use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};

/// The longest line that is read; a longer one is thrown away. A game of 20,000 plies needs 100 kB.
const MAX_LINE: u64 = 16 << 20;

/// Reads commands into the event queue until `quit` or the end of the input, which means the same.
pub(super) fn read_lines(input: impl Read, queue: &EventQueue, log: &DebugLog, out: &Output) {
    let mut input = BufReader::new(input);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match read_line(&mut input, &mut bytes) {
            Ok(Found::End) | Err(_) => break queue.push_command(Command::Quit, 0),
            Ok(Found::TooLong) => {
                out.info_string(format_args!("error: a line of more than {MAX_LINE} bytes is ignored"));
            }
            Ok(Found::Line) => {
                if take_line(&bytes, queue, log, out) {
                    break;
                }
            }
        }
    }
}

/// Takes a line in, as a command of the queue. Returns whether it was `quit`.
pub(super) fn take_line(bytes: &[u8], queue: &EventQueue, log: &DebugLog, out: &Output) -> bool {
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
        queue.push_command(command, bytes.len());
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
