//! Reading a text book from its first line to its last.

use super::super::entry::{BookEntry, MAX_CANDIDATES};
use super::super::error::{BookFault, BookLineFault};
use super::line::{Line, MAX_LINE, read_line};
use crate::position::Position;
use std::io::{BufRead, Read};

/// Treatment of a line that is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bad {
    /// It is passed over; a position that cannot be takes its moves with it.
    Skip,
    /// Reading ends with the error.
    Refuse,
}

/// The most bytes of comments that are kept of a position, and of each of its moves.
const MAX_COMMENT: usize = 64 << 10;

/// Hands out the positions of a text one after the other.
#[derive(Debug)]
pub struct TextReader<R> {
    input: R,
    bad: Bad,
    /// Number of the line that was read last, from 1.
    line: u64,
    buffer: Vec<u8>,
    /// The position that has been begun, and its line.
    open: Option<(BookEntry, u64)>,
    /// Lines that were passed over.
    skipped: u64,
    /// The first of them.
    first_fault: Option<(u64, BookLineFault)>,
    /// The positions that the file itself says that it has (`# NOE:`).
    announced: Option<u64>,
    has_ended: bool,
}

impl<R: BufRead> TextReader<R> {
    /// A reader from the first byte of a text on.
    pub fn new(input: R, bad: Bad) -> TextReader<R> {
        TextReader {
            input,
            bad,
            line: 0,
            buffer: Vec::new(),
            open: None,
            skipped: 0,
            first_fault: None,
            announced: None,
            has_ended: false,
        }
    }

    /// Number of lines that were passed over, and the first of them.
    pub fn skipped(&self) -> (u64, Option<&(u64, BookLineFault)>) {
        (self.skipped, self.first_fault.as_ref())
    }

    /// Number of positions that the file announces.
    pub fn announced(&self) -> Option<u64> {
        self.announced
    }

    /// The next position with the number of its line.
    pub fn next_entry(&mut self) -> Result<Option<(BookEntry, u64)>, BookFault> {
        self.next_entry_noting(&mut |_, _| ())
    }

    /// Reads the next entry as [`TextReader::next_entry`] does, and reports every line that is passed over.
    pub fn next_entry_noting(
        &mut self,
        note: &mut dyn FnMut(u64, &BookLineFault),
    ) -> Result<Option<(BookEntry, u64)>, BookFault> {
        while !self.has_ended {
            if !self.read_line()? {
                self.has_ended = true;
                break;
            }
            let finished = match self.read_entry() {
                Ok(finished) => finished,
                Err(fault) if self.bad == Bad::Refuse => return Err(BookFault::Line(self.line, fault)),
                Err(fault) => {
                    note(self.line, &fault);
                    self.skipped += 1;
                    // The moves of a position that cannot be belong to no other one.
                    let is_position = matches!(fault, BookLineFault::Sfen(_));
                    self.first_fault.get_or_insert((self.line, fault));
                    if is_position { self.open.take() } else { None }
                }
            };
            if finished.is_some() {
                return Ok(finished);
            }
        }
        Ok(self.open.take())
    }

    /// Reads a line into the buffer; false at the end.
    fn read_line(&mut self) -> Result<bool, BookFault> {
        self.buffer.clear();
        let limit = MAX_LINE as u64 + 2;
        let count = self.input.by_ref().take(limit).read_until(b'\n', &mut self.buffer)?;
        if count == 0 {
            return Ok(false);
        }
        self.line += 1;
        if self.buffer.last() == Some(&b'\n') {
            self.buffer.pop();
        } else if count as u64 == limit {
            self.input.skip_until(b'\n')?;
        }
        if self.line == 1 && self.buffer.starts_with(b"\xef\xbb\xbf") {
            self.buffer.drain(..3);
        }
        Ok(true)
    }

    /// Takes the line in the buffer in. Returns the position before, if this is the next one.
    fn read_entry(&mut self) -> Result<Option<(BookEntry, u64)>, BookLineFault> {
        if self.buffer.len() > MAX_LINE {
            return Err(BookLineFault::TooLong(MAX_LINE));
        }
        match read_line(&self.buffer)? {
            Line::Blank | Line::NoMove => {}
            Line::Comment(text) => {
                if let Some(number) = text.strip_prefix(b"NOE:") {
                    self.announced = std::str::from_utf8(number.trim_ascii()).ok().and_then(|text| text.parse().ok());
                }
                if let Some((entry, _)) = &mut self.open {
                    let comment = entry.moves.last_mut().map_or(&mut entry.comment, |last| &mut last.comment);
                    append_comment(comment, text);
                }
            }
            Line::Position(sfen) => {
                let position = Position::from_sfen(&String::from_utf8_lossy(sfen));
                let line = self.line;
                let entry = position.map(|position| (BookEntry::new(position), line))?;
                return Ok(self.open.replace(entry));
            }
            Line::Candidate(candidate) => {
                let Some((entry, _)) = &mut self.open else {
                    return match self.has_bad_position() {
                        true => Ok(None),
                        false => Err(BookLineFault::NoPosition(candidate.mv.to_string())),
                    };
                };
                if entry.moves.len() >= MAX_CANDIDATES {
                    return Err(BookLineFault::TooManyMoves(MAX_CANDIDATES));
                }
                entry.add(candidate);
            }
        }
        Ok(None)
    }

    /// Tests whether a position has been refused: its moves need no further word.
    fn has_bad_position(&self) -> bool {
        self.skipped > 0
    }
}

/// Adds a line to a comment, unless that is very long.
pub(super) fn append_comment(comment: &mut String, text: &[u8]) {
    let text = String::from_utf8_lossy(text.trim_ascii_end());
    if comment.len() + text.len() < MAX_COMMENT {
        if !comment.is_empty() {
            comment.push('\n');
        }
        comment.push_str(&text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, bad: Bad) -> Result<Vec<(BookEntry, u64)>, String> {
        let mut reader = TextReader::new(text.as_bytes(), bad);
        let mut entries = Vec::new();
        while let Some(entry) = reader.next_entry().map_err(|error| error.to_string())? {
            entries.push(entry);
        }
        Ok(entries)
    }

    const START: &str = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

    #[test]
    fn comments_belong_to_what_stands_before_them() {
        let text = format!(
            "#YANEURAOU-DB2016 1.00\n# NOE:2\n{START}\n# of the position\n\n7g7f none 0 32 5\n// of the move\n# twice\n"
        );
        let entries = read(&text, Bad::Refuse).unwrap();
        assert_eq!((entries.len(), entries[0].1), (1, 3));
        let entry = &entries[0].0;
        assert_eq!(
            (entry.comment.as_str(), entry.moves[0].comment.as_str()),
            ("of the position", "of the move\ntwice")
        );
    }

    #[test]
    fn a_move_that_is_there_twice_has_the_later_values_and_both_counts() {
        let entries = read(&format!("{START}\n7g7f none 5 1 3\n7g7f 3c3d 9 2 4\n"), Bad::Refuse).unwrap();
        let moves = &entries[0].0.moves;
        assert_eq!((moves.len(), moves[0].value, moves[0].count), (1, Some(9), 7));
    }

    #[test]
    fn a_fault_is_named_with_its_line_or_passed_over() {
        let error = |text: &str| read(text, Bad::Refuse).unwrap_err();
        assert_eq!(error("\n7g7f none\n"), "line 2: \"7g7f\" before any position");
        assert_eq!(
            error(&format!("{START}\nfoo bar")),
            "line 2: \"foo\" is neither a move nor a position nor a comment"
        );
        assert!(error("sfen 9/9 b - 1\n").starts_with("line 1: bad sfen: the board has 2 ranks"));
        let long = "7".repeat(MAX_LINE + 10);
        assert_eq!(error(&format!("{START}\n{long}\n7g7f")), "line 2: longer than 65536 bytes");
        let text = format!("{START}\n7g7f\n{long}\nfoo\nsfen 9/9 b - 1\n2g2f\n{START}\n2g2f none\n");
        let entries = read(&text, Bad::Skip).unwrap();
        let shown: Vec<(u64, usize, String)> =
            entries.iter().map(|(entry, line)| (*line, entry.moves.len(), entry.moves[0].mv.to_string())).collect();
        assert_eq!(shown, [(1, 1, "7g7f".to_string()), (7, 1, "2g2f".to_string())]);
    }

    #[test]
    fn too_many_moves_are_refused() {
        let mut text = format!("{START}\n");
        let squares: Vec<String> =
            ('1'..='9').flat_map(|file| ('a'..='i').map(move |rank| format!("{file}{rank}"))).collect();
        let moves = squares.iter().flat_map(|from| squares.iter().map(move |to| (from, to)));
        moves.filter(|(from, to)| from != to).for_each(|(from, to)| text.push_str(&format!("{from}{to}\n")));
        assert_eq!(read(&text, Bad::Refuse).unwrap_err(), "line 650: more than 648 moves for a position");
    }
}
