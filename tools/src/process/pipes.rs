//! The three pipes of a program.

use komainu::host::lock;
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::process::{ChildStderr, ChildStdin};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// A longer line is cut. The longest known mate, written out, is an eighth of it.
pub const MAX_LINE_BYTES: usize = 1 << 16;
/// Bytes that are kept of the beginning of standard error.
const MAX_HEAD_BYTES: usize = 4_096;
/// Bytes that are kept of its end.
const MAX_TAIL_BYTES: usize = 2_000;

/// A line of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputLine {
    pub at: Instant,
    /// Without its LF; bytes that are no UTF-8 are replaced.
    pub text: String,
    pub end: LineEnd,
}

/// End of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    Whole,
    /// With the end of the output.
    Broken,
    /// Not within [`MAX_LINE_BYTES`]; the rest of it is lost.
    Cut,
}

/// Bytes that are read at once at most.
pub(crate) const PIECE_BYTES: usize = 8_192;

/// Lines, put together from pieces of an output.
#[derive(Default)]
pub(crate) struct LineSplitter {
    /// The line under way.
    bytes: Vec<u8>,
    /// Mark that the rest of that line is lost.
    is_cut: bool,
}

impl LineSplitter {
    /// Takes a piece that has arrived just now and hands on the lines that it ends. `false` once nobody wants them.
    pub(crate) fn take(&mut self, mut piece: &[u8], hand_on: &mut impl FnMut(OutputLine) -> bool) -> bool {
        let at = Instant::now();
        while !piece.is_empty() {
            let end = piece.iter().position(|&byte| byte == b'\n');
            let part = &piece[..end.unwrap_or(piece.len())];
            piece = end.map_or(&[], |end| &piece[end + 1..]);
            let room = MAX_LINE_BYTES - self.bytes.len();
            let is_lost = self.is_cut;
            self.is_cut = end.is_none() && (is_lost || part.len() >= room);
            if is_lost {
                continue;
            }
            self.bytes.extend(&part[..part.len().min(room)]);
            let end = match end {
                _ if part.len() >= room => LineEnd::Cut,
                Some(_) => LineEnd::Whole,
                None => return true,
            };
            if !hand_on(self.line(at, end)) {
                return false;
            }
        }
        true
    }

    /// The output has ended: hands on what there is of a line.
    pub(crate) fn end(&mut self, hand_on: &mut impl FnMut(OutputLine) -> bool) {
        if !self.bytes.is_empty() {
            hand_on(self.line(Instant::now(), LineEnd::Broken));
        }
    }

    fn line(&mut self, at: Instant, end: LineEnd) -> OutputLine {
        let text = String::from_utf8_lossy(&self.bytes).into_owned();
        self.bytes.clear();
        OutputLine { at, text, end }
    }
}

/// Stamps each line of a program or a connection and hands it on until nobody wants it.
pub fn read_lines(mut output: impl Read, mut hand_on: impl FnMut(OutputLine) -> bool) {
    let mut splitter = LineSplitter::default();
    let mut piece = [0; PIECE_BYTES];
    loop {
        match output.read(&mut piece) {
            Ok(0) => return splitter.end(&mut hand_on),
            Ok(count) => {
                if !splitter.take(&piece[..count], &mut hand_on) {
                    return;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// The writing end of a program's input.
pub(crate) enum Input {
    /// Written to by whoever sends.
    Direct(ChildStdin),
    /// Written to by a thread of its own, which ends when the program reads no more.
    Queued(Sender<Vec<u8>>),
    Closed,
}

impl Input {
    pub(crate) fn direct(stdin: ChildStdin) -> io::Result<Input> {
        Ok(Input::Direct(stdin))
    }

    pub(crate) fn queued(stdin: ChildStdin) -> io::Result<Input> {
        let (sender, pieces) = channel();
        thread::Builder::new().name("program input".into()).spawn(move || write_all(stdin, &pieces))?;
        Ok(Input::Queued(sender))
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Input::Direct(stdin) => stdin.write_all(bytes).and_then(|()| stdin.flush()),
            Input::Queued(sender) => sender.send(bytes.to_vec()).map_err(|_| io::ErrorKind::BrokenPipe.into()),
            Input::Closed => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

fn write_all(mut stdin: ChildStdin, pieces: &Receiver<Vec<u8>>) {
    for piece in pieces {
        if stdin.write_all(&piece).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

/// Standard error of a program: read to its end, kept at its beginning and at its end.
pub(crate) struct Stderr {
    kept: Arc<Mutex<KeptStderr>>,
    /// Ends when nobody can write any more.
    thread: JoinHandle<()>,
}

#[derive(Default)]
struct KeptStderr {
    head: Vec<u8>,
    tail: VecDeque<u8>,
}

impl KeptStderr {
    fn add(&mut self, bytes: &[u8]) {
        let room = MAX_HEAD_BYTES - self.head.len();
        self.head.extend(&bytes[..bytes.len().min(room)]);
        self.tail.extend(bytes);
        let excess = self.tail.len().saturating_sub(MAX_TAIL_BYTES);
        self.tail.drain(..excess);
    }
}

impl Stderr {
    /// Starts the thread that reads.
    pub(crate) fn read(mut pipe: ChildStderr) -> io::Result<Stderr> {
        let kept: Arc<Mutex<KeptStderr>> = Arc::default();
        let shared = Arc::clone(&kept);
        let thread = thread::Builder::new().name("program errors".into()).spawn(move || {
            let mut buffer = [0; 4_096];
            while let Ok(count @ 1..) = pipe.read(&mut buffer) {
                lock(&shared).add(&buffer[..count]);
            }
        })?;
        Ok(Stderr { kept, thread })
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.thread.is_finished()
    }

    pub(crate) fn head(&self) -> String {
        String::from_utf8_lossy(&lock(&self.kept).head).trim().to_string()
    }

    pub(crate) fn tail(&self) -> String {
        String::from_utf8_lossy(lock(&self.kept).tail.make_contiguous()).trim().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_and_what_follows_them_is_read() {
        let long = [&vec![b'x'; MAX_LINE_BYTES + 5][..], b" bestmove 7g7f\nnext\r\nlast"].concat();
        let mut lines = Vec::new();
        read_lines(&long[..], |line| {
            lines.push((line.text, line.end));
            true
        });
        let end = |(text, end): &(String, LineEnd)| (text.len(), *end);
        assert_eq!(end(&lines[0]), (MAX_LINE_BYTES, LineEnd::Cut));
        assert_eq!(lines[1..], [("next\r".into(), LineEnd::Whole), ("last".into(), LineEnd::Broken)]);
    }

    #[test]
    fn lines_are_the_same_in_whatever_pieces_they_come() {
        let long = "x".repeat(MAX_LINE_BYTES);
        let text = format!("one\n\ntwo \r\n{long}\n{}\n{long}more\n駒\nlast", &long[1..]);
        let split = |size: usize| {
            let mut splitter = LineSplitter::default();
            let mut lines = Vec::new();
            let mut keep = |line: OutputLine| {
                lines.push((line.text, line.end));
                true
            };
            for piece in text.as_bytes().chunks(size) {
                assert!(splitter.take(piece, &mut keep));
            }
            splitter.end(&mut keep);
            lines
        };
        let whole = split(usize::MAX);
        let short = |(text, end): &(String, LineEnd)| (text.len(), *end);
        let expected = [3, 0, 5, MAX_LINE_BYTES, MAX_LINE_BYTES - 1, MAX_LINE_BYTES, 3, 4];
        assert!(whole.iter().map(|line| short(line).0).eq(expected));
        use LineEnd::*;
        assert!(whole.iter().map(|line| short(line).1).eq([Whole, Whole, Whole, Cut, Whole, Cut, Whole, Broken]));
        for size in [1, 2, 3, 7, 100, PIECE_BYTES, MAX_LINE_BYTES] {
            assert_eq!(split(size), whole, "pieces of {size} bytes");
        }
    }

    #[test]
    fn the_beginning_and_the_end_of_standard_error_are_kept() {
        let mut kept = KeptStderr::default();
        for number in 0..2_000 {
            kept.add(format!("{number:4} ").as_bytes());
        }
        assert_eq!(kept.head.len(), MAX_HEAD_BYTES);
        assert!(kept.head.starts_with(b"   0    1 "));
        assert_eq!(kept.tail.len(), MAX_TAIL_BYTES);
        assert!(kept.tail.make_contiguous().ends_with(b"1998 1999 "));
    }
}
