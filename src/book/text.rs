//! YANEURAOU-DB2016, the text format (`.db`).
//!
//! A line `sfen BOARD SIDE HANDS [PLY]` begins a position, the lines behind it are its moves:
//! `MOVE REPLY VALUE DEPTH COUNT`, the first one needed only. `#` and `//` begin comments. Writers differ in the ply,
//! in the order of positions and moves and in the number of columns; all of that is read.
//!
//! ShogiHome leaves the columns empty that it has no value for, so that two blanks follow each other; other writers put
//! several blanks between columns that are all there. A line is read with empty columns wherever that makes sense.

use super::bytes::{Bytes, Stream};
use super::entry::{BookEntry, Candidate, MAX_CANDIDATES};
use super::error::{BookFault, BookLineFault};
use super::write::{BookPositions, OutputFormat, Written};
use crate::position::Position;
use crate::types::Move;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::str::FromStr;

/// The longest line that is read.
const MAX_LINE: usize = 64 << 10;

/// Value that older engines write for a move whose value they do not know.
const UNKNOWN_VALUE: i64 = -32_768;

/// Meaning of a line.
#[derive(Debug, PartialEq, Eq)]
enum Line<'a> {
    /// Nothing.
    Blank,
    /// A comment, without its mark.
    Comment(&'a [u8]),
    /// A position: what stands behind `sfen`.
    Position(&'a [u8]),
    /// A move of the position above, and a column of it that is no number, which counts as unknown.
    Candidate(Candidate, Option<BookLineFault>),
    /// `none`: the position is known, and there is nothing to play.
    NoMove,
    /// A word in the place of a move that is none, as `resign`.
    NotAMove(&'a [u8]),
}

/// Reads a line without its end. What is no number counts as none, as it does to the engine that has set the format.
fn read_line(line: &[u8]) -> Result<Line<'_>, BookLineFault> {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Ok(Line::Blank);
    }
    if let Some(text) = comment_text(line) {
        return Ok(Line::Comment(text.trim_ascii_start()));
    }
    if let Some(sfen) = position_text(line) {
        return Ok(Line::Position(sfen));
    }
    read_candidate(line)
}

/// Text behind `sfen`, if the line is a position.
fn position_text(line: &[u8]) -> Option<&[u8]> {
    line.strip_prefix(b"sfen ").or_else(|| line.strip_prefix(b"sfen\t")).map(<[u8]>::trim_ascii)
}

/// The text by which positions are sorted: the SFEN without the counter and the blanks around it.
fn key_of(sfen: &[u8]) -> &[u8] {
    let sfen = sfen.trim_ascii_end();
    let digits = sfen.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    sfen[..sfen.len() - digits].trim_ascii_end()
}

fn read_candidate(line: &[u8]) -> Result<Line<'_>, BookLineFault> {
    let columns = Columns::split(line);
    if columns.first.eq_ignore_ascii_case(b"none") {
        return Ok(Line::NoMove);
    }
    if is_no_move(columns.first) {
        return Ok(Line::NotAMove(columns.first));
    }
    let mv = read_move(columns.first).ok_or_else(|| BookLineFault::NoMove(shown(columns.first)))?;
    let mut candidate = Candidate::new(mv);
    let [reply, value, depth, count] = columns.others;
    if !reply.is_empty() && !is_no_move(reply) {
        candidate.reply = Some(read_move(reply).ok_or_else(|| BookLineFault::NoReply(shown(reply)))?);
    }
    let mut fault = None;
    if let Some(value) = read_number("value", mv, value, &mut fault)
        && value != UNKNOWN_VALUE
    {
        candidate.value = Some(value.clamp(i32::MIN.into(), i32::MAX.into()) as i32);
    }
    if let Some(depth) = read_count("depth", mv, depth, &mut fault) {
        candidate.depth = depth;
    }
    if let Some(count) = read_count("count", mv, count, &mut fault) {
        candidate.count = count;
    }
    candidate.comment = String::from_utf8_lossy(columns.comment).into_owned();
    Ok(Line::Candidate(candidate, fault))
}

/// The columns of the line of a move; those that are not there are empty.
#[derive(Default)]
struct Columns<'a> {
    first: &'a [u8],
    /// Reply, value, depth, count.
    others: [&'a [u8]; 4],
    /// The rest of the line without the mark of a comment.
    comment: &'a [u8],
}

impl<'a> Columns<'a> {
    /// Splits a line at each blank, where that makes sense, else at each run of blanks.
    fn split(line: &'a [u8]) -> Columns<'a> {
        let columns = Columns::split_at(line, false);
        if columns.make_sense() { columns } else { Columns::split_at(line, true) }
    }

    fn split_at(line: &'a [u8], at_runs: bool) -> Columns<'a> {
        let mut columns = Columns::default();
        let mut rest = line;
        for place in 0..5 {
            if at_runs {
                rest = rest.trim_ascii_start();
            }
            if rest.is_empty() || comment_text(rest).is_some() {
                break;
            }
            let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            let (column, after) = rest.split_at(length);
            rest = after.get(1..).unwrap_or_default();
            match place {
                0 => columns.first = column,
                place => columns.others[place - 1] = column,
            }
        }
        let comment = rest.trim_ascii();
        columns.comment = comment_text(comment).unwrap_or(comment).trim_ascii();
        columns
    }

    /// Tests whether every column is what belongs there, and none is left over.
    fn make_sense(&self) -> bool {
        let [reply, numbers @ ..] = self.others;
        let is_reply = reply.is_empty() || is_no_move(reply) || read_move(reply).is_some();
        let are_numbers =
            numbers.iter().all(|column| column.is_empty() || is_unknown(column) || is_whole_number(column));
        let is_left_over = self.comment.split(u8::is_ascii_whitespace).next().is_some_and(is_whole_number);
        let is_depth = !numbers[1].starts_with(b"-");
        is_reply && are_numbers && is_depth && !is_left_over
    }
}

fn is_whole_number(column: &[u8]) -> bool {
    matches!(number(column), Some((_, true)))
}

/// Text behind the mark of a comment, if there is one.
fn comment_text(text: &[u8]) -> Option<&[u8]> {
    text.strip_prefix(b"#").or_else(|| text.strip_prefix(b"//"))
}

/// The number of a column, as the engine that has set the format reads it; none if the column is empty or a word. What
/// is no number and not `none` is a fault.
fn read_number(name: &'static str, mv: Move, column: &[u8], fault: &mut Option<BookLineFault>) -> Option<i64> {
    match number(column) {
        Some((value, true)) => return Some(value),
        None if column.is_empty() || is_unknown(column) => return None,
        _ => {}
    }
    fault.get_or_insert(BookLineFault::NoNumber { column: name, mv, text: shown(column) });
    number(column).map(|(value, _)| value)
}

/// The number of a column that cannot be below 0, held within its bounds.
fn read_count(name: &'static str, mv: Move, column: &[u8], fault: &mut Option<BookLineFault>) -> Option<u32> {
    let value = read_number(name, mv, column, fault)?;
    let count = value.clamp(0, u32::MAX.into()) as u32;
    if i64::from(count) != value {
        fault.get_or_insert(BookLineFault::NoCount { column: name, mv, value });
    }
    Some(count)
}

fn is_unknown(column: &[u8]) -> bool {
    column.eq_ignore_ascii_case(b"none")
}

fn is_no_move(word: &[u8]) -> bool {
    [&b"none"[..], b"resign", b"win"].iter().any(|known| word.eq_ignore_ascii_case(known))
}

fn read_move(word: &[u8]) -> Option<Move> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

fn shown(word: &[u8]) -> String {
    String::from_utf8_lossy(&word[..word.len().min(100)]).into_owned()
}

/// The number that a column begins with, cut to 64 bits, and whether it is all of it.
fn number(column: &[u8]) -> Option<(i64, bool)> {
    let digits = column.strip_prefix(b"-").or_else(|| column.strip_prefix(b"+")).unwrap_or(column);
    if !digits.first().is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let mut value = 0_i64;
    for digit in digits.iter().take_while(|byte| byte.is_ascii_digit()) {
        value = value.saturating_mul(10).saturating_add((digit - b'0').into());
    }
    let value = if column.starts_with(b"-") { -value } else { value };
    Some((value, digits.iter().all(u8::is_ascii_digit)))
}

fn number_of_text<T: FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text.trim_ascii()).ok()?.parse().ok()
}

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
    /// The position that has been begun says that it has no moves.
    has_none: bool,
    /// A fault of the line that was read last which costs nothing of it.
    remark: Option<BookLineFault>,
    /// Lines that were passed over.
    skipped: u64,
    /// The first of them.
    first_fault: Option<(u64, BookLineFault)>,
    /// The positions that the file itself says that it has (`# NOE:`).
    announced: Option<u64>,
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
            has_none: false,
            remark: None,
            skipped: 0,
            first_fault: None,
            announced: None,
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
        let mut next = self.next_entry_noting(&mut |_, _| ())?;
        if let Some((entry, _)) = &mut next {
            entry.merge_repeated();
        }
        Ok(next)
    }

    /// Reads the next position as [`TextReader::next_entry`] does, but leaves moves that are listed twice as they are,
    /// and reports every line that is at fault.
    pub fn next_entry_noting(
        &mut self,
        note: &mut dyn FnMut(u64, &BookLineFault),
    ) -> Result<Option<(BookEntry, u64)>, BookFault> {
        while self.read_line()? {
            let finished = match self.read_entry() {
                Ok(finished) => {
                    if let Some(fault) = self.remark.take() {
                        note(self.line, &fault);
                    }
                    finished
                }
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
            Line::Blank => {}
            Line::NoMove => {
                self.has_none = true;
                if self.open.as_ref().is_some_and(|(entry, _)| !entry.moves.is_empty()) {
                    self.remark = Some(BookLineFault::NoneBesideMoves);
                }
            }
            Line::NotAMove(word) => self.remark = Some(BookLineFault::NotAMove(shown(word))),
            Line::Comment(text) => {
                if let Some(number) = text.strip_prefix(b"NOE:") {
                    self.announced = number_of_text(number);
                }
                if let Some((entry, _)) = &mut self.open {
                    append_comment(entry, text);
                }
            }
            Line::Position(sfen) => {
                let position = Position::from_sfen(&String::from_utf8_lossy(sfen))?;
                self.has_none = false;
                return Ok(self.open.replace((BookEntry::new(position), self.line)));
            }
            Line::Candidate(candidate, fault) => {
                let Some((entry, _)) = &mut self.open else {
                    // The moves of a position that was refused need no further word.
                    if self.skipped > 0 {
                        return Ok(None);
                    }
                    return Err(BookLineFault::NoPosition(candidate.mv.to_string()));
                };
                if entry.moves.len() >= MAX_CANDIDATES {
                    return Err(BookLineFault::TooManyMoves(MAX_CANDIDATES));
                }
                self.remark = fault;
                if self.has_none && entry.moves.is_empty() {
                    self.remark = Some(BookLineFault::NoneBesideMoves);
                }
                entry.moves.push(candidate);
            }
        }
        Ok(None)
    }
}

/// Adds a line to the comment on the last move, or on a position without moves, unless that is very long.
fn append_comment(entry: &mut BookEntry, text: &[u8]) {
    let comment = entry.moves.last_mut().map_or(&mut entry.comment, |last| &mut last.comment);
    let text = String::from_utf8_lossy(text.trim_ascii_end());
    if comment.len() + text.len() < MAX_COMMENT {
        if !comment.is_empty() {
            comment.push('\n');
        }
        comment.push_str(&text);
    }
}

/// Bytes that are read at once: more than most positions with their moves have.
const CHUNK: usize = 4 << 10;
/// Bytes within which there must be a position, else this is no book.
const MAX_GAP: u64 = 1 << 20;
/// Equal positions with different plies that are looked at.
const MAX_EQUAL: usize = 64;
/// Positions at the beginning whose order is tested, and places spread over the file.
const TESTED_FIRST: usize = 10_000;
const TESTED_PLACES: u64 = 256;

/// A sorted text book.
#[derive(Debug)]
pub(crate) struct TextBook {
    pub(crate) bytes: Bytes,
    /// Number of positions that the file announces.
    pub(crate) announced: Option<u64>,
}

/// A line with the place where it begins and the place behind it.
struct Found {
    start: u64,
    end: u64,
    line: Vec<u8>,
}

impl Found {
    fn key(&self) -> &[u8] {
        key_of(position_text(&self.line).unwrap_or_default())
    }

    fn ply(&self) -> u32 {
        let sfen = position_text(&self.line).unwrap_or_default();
        let digits = &sfen[key_of(sfen).len()..];
        number_of_text(digits).unwrap_or(1)
    }
}

impl TextBook {
    /// A book, unless the order of its positions is wrong where it is tested.
    pub(crate) fn new(bytes: Bytes) -> Result<TextBook, (Bytes, BookFault)> {
        let mut book = TextBook { bytes, announced: None };
        match book.test_order() {
            Ok(announced) => {
                book.announced = announced;
                Ok(book)
            }
            Err(fault) => Err((book.bytes, fault)),
        }
    }

    /// Tests the order of the first positions and of some that are spread over the file; the number of positions that
    /// the head of the file announces.
    fn test_order(&self) -> Result<Option<u64>, BookFault> {
        let mut announced = None;
        let mut lines = Lines::new(&self.bytes, 0);
        let mut last: Option<Found> = None;
        let mut tested = 0;
        while tested < TESTED_FIRST {
            let Some(line) = lines.next()? else { break };
            if position_text(&line.line).is_some() {
                rises(last.as_ref(), &line)?;
                last = Some(line);
                tested += 1;
            } else if last.is_none()
                && let Some(number) = line.line.strip_prefix(b"# NOE:")
            {
                announced = number_of_text(number);
            }
        }
        if tested < TESTED_FIRST {
            return Ok(announced);
        }
        let begun = lines.at;
        for place in 1..TESTED_PLACES {
            let from = begun + (self.bytes.length() - begun) / TESTED_PLACES * place;
            let Some(line) = self.next_position(from, self.bytes.length())? else { break };
            rises(last.as_ref().filter(|last| last.start != line.start), &line)?;
            last = Some(line);
        }
        Ok(announced)
    }

    /// The moves of a position. With `ply` only of the one with that counter, else of the one with the least.
    pub(crate) fn find(&self, position: &Position, ply: Option<u32>) -> Result<Option<Vec<Candidate>>, BookFault> {
        let key = position.to_sfen_without_counter().into_bytes();
        let Some(first) = self.lower_bound(&key)? else { return Ok(None) };
        let mut best: Option<(u32, BookEntry)> = None;
        let mut next = Some(first);
        for _ in 0..MAX_EQUAL {
            let Some(found) = next.take() else { break };
            if found.key() != key {
                break;
            }
            let (entry, after) = self.read_entry(&found, position)?;
            next = after;
            let found_ply = found.ply();
            if ply.is_some_and(|ply| ply != found_ply) {
                continue;
            }
            match &mut best {
                Some((known, merged)) if *known == found_ply => {
                    merged.moves.extend(entry.moves);
                }
                Some((known, _)) if *known < found_ply => {}
                _ => best = Some((found_ply, entry)),
            }
        }
        Ok(best.map(|(_, entry)| entry.moves))
    }

    /// The first position that is not before the key.
    fn lower_bound(&self, key: &[u8]) -> Result<Option<Found>, BookFault> {
        let mut lo = 0;
        let mut hi = self.bytes.length();
        let mut below: Option<Found> = None;
        let mut found: Option<Found> = None;
        while lo < hi {
            let mid = lo + (hi - lo) / 2;
            let Some(line) = self.next_position(mid, hi)? else {
                hi = mid;
                continue;
            };
            // What the search has seen bounds what it may see now.
            rises(below.as_ref(), &line)?;
            if let Some(above) = &found
                && above.start != line.start
            {
                rises(Some(&line), above)?;
            }
            if line.key() < key {
                lo = line.end;
                below = Some(line);
            } else {
                hi = mid;
                found = Some(line);
            }
        }
        Ok(found)
    }

    /// The first position that begins at `from` or behind it, and before `end`.
    fn next_position(&self, from: u64, end: u64) -> Result<Option<Found>, BookFault> {
        let mut lines = Lines::new(&self.bytes, from.saturating_sub(1));
        if from > 0 {
            // Ends the line that `from` lies in; at the beginning of a line that is an empty rest.
            lines.read()?;
        }
        loop {
            if lines.at >= end {
                return Ok(None);
            }
            if lines.at > from.saturating_add(MAX_GAP) {
                return Err(BookFault::NotSorted(from));
            }
            let Some(line) = lines.next()? else { return Ok(None) };
            if position_text(&line.line).is_some() {
                return Ok(Some(line));
            }
        }
    }

    /// The moves behind the line of a position, and the position that comes next.
    fn read_entry(&self, found: &Found, position: &Position) -> Result<(BookEntry, Option<Found>), BookFault> {
        let mut entry = BookEntry::new(position.clone());
        let mut lines = Lines::new(&self.bytes, found.end);
        while lines.at <= found.end + MAX_GAP {
            let Some(line) = lines.next()? else { break };
            if position_text(&line.line).is_some() {
                return Ok((entry, Some(line)));
            }
            match read_line(&line.line) {
                Ok(Line::Candidate(candidate, _)) if entry.moves.len() < MAX_CANDIDATES => entry.moves.push(candidate),
                Ok(Line::Comment(text)) => append_comment(&mut entry, text),
                // A line that cannot be read costs a move, no more.
                _ => {}
            }
        }
        Ok((entry, None))
    }
}

fn rises(below: Option<&Found>, above: &Found) -> Result<(), BookFault> {
    match below {
        Some(below) if below.key() > above.key() => Err(BookFault::NotSorted(above.start.max(below.start))),
        _ => Ok(()),
    }
}

/// The lines from a place on.
struct Lines<'a> {
    input: BufReader<Stream<'a>>,
    /// Where in the file the next line begins.
    at: u64,
}

impl Lines<'_> {
    fn new(bytes: &Bytes, at: u64) -> Lines<'_> {
        Lines { input: BufReader::with_capacity(CHUNK, bytes.stream_from(at)), at }
    }

    /// The next line with its end; empty at the end of the text.
    fn read(&mut self) -> Result<Vec<u8>, BookFault> {
        let mut line = Vec::new();
        let limit = MAX_LINE as u64 + 1;
        let count = self.input.by_ref().take(limit).read_until(b'\n', &mut line)? as u64;
        if count == limit && !line.ends_with(b"\n") {
            return Err(BookFault::at(self.at, format_args!("a line of more than {MAX_LINE} bytes")));
        }
        self.at += count;
        Ok(line)
    }

    fn next(&mut self) -> Result<Option<Found>, BookFault> {
        let start = self.at;
        let line = self.read()?;
        if line.is_empty() {
            return Ok(None);
        }
        let text = line.trim_ascii();
        let text = if start == 0 { text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text) } else { text };
        Ok(Some(Found { start, end: self.at, line: text.to_vec() }))
    }
}

/// The first line of every text book.
pub const HEADER: &str = "#YANEURAOU-DB2016 1.00\n";

pub(crate) fn write_text(source: &dyn BookPositions, mut out: &mut dyn Write) -> io::Result<Written> {
    let mut written = Written::default();
    out.write_all(HEADER.as_bytes())?;
    source.visit(&mut |mut entry| {
        entry.sort_moves();
        written.count(&entry, OutputFormat::Text);
        write_entry(&mut out, &entry)
    })?;
    Ok(written)
}

/// Writes a position with its moves, five columns each, and with its comments as lines of their own. A value that is
/// not known is `none`, which other engines read as 0.
pub fn write_entry(out: &mut impl Write, entry: &BookEntry) -> io::Result<()> {
    writeln!(out, "sfen {}", entry.position)?;
    write_comment(out, &entry.comment)?;
    for candidate in &entry.moves {
        write!(out, "{} ", candidate.mv)?;
        match candidate.reply {
            Some(reply) => write!(out, "{reply} ")?,
            None => write!(out, "none ")?,
        }
        match candidate.value {
            Some(value) => write!(out, "{value} ")?,
            None => write!(out, "none ")?,
        }
        writeln!(out, "{} {}", candidate.depth, candidate.count)?;
        write_comment(out, &candidate.comment)?;
    }
    Ok(())
}

fn write_comment(out: &mut impl Write, comment: &str) -> io::Result<()> {
    for line in comment.lines() {
        writeln!(out, "# {line}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(text: &str) -> Candidate {
        match read_line(text.as_bytes()) {
            Ok(Line::Candidate(candidate, _)) => candidate,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn columns_may_be_missing_and_words_stand_for_unknown_numbers() {
        let fields = |text: &str| {
            let Candidate { mv, reply, value, depth, count, comment } = candidate(text);
            (mv.to_string(), reply.map(|mv| mv.to_string()), value, depth, count, comment)
        };
        let of = |reply: Option<&str>, value, depth, count, comment: &str| {
            ("7g7f".to_string(), reply.map(str::to_string), value, depth, count, comment.to_string())
        };
        assert_eq!(fields("7g7f"), of(None, None, 0, 1, ""));
        assert_eq!(fields("7g7f none"), of(None, None, 0, 1, ""));
        assert_eq!(fields("7g7f 3c3d 25"), of(Some("3c3d"), Some(25), 0, 1, ""));
        assert_eq!(fields("  7g7f\t3c3d  -25   12 7 \r"), of(Some("3c3d"), Some(-25), 12, 7, ""));
        assert_eq!(fields("7g7f None none none"), of(None, None, 0, 1, ""));
        assert_eq!(fields("7g7f none none none 3"), of(None, None, 0, 3, ""));
        assert_eq!(fields("7g7f resign 0 32 5 // a line"), of(None, Some(0), 32, 5, "a line"));
        assert_eq!(fields("7g7f none 0 32 # early"), of(None, Some(0), 32, 1, "early"));
        assert_eq!(fields("7g7f none 0 32 5 plain words"), of(None, Some(0), 32, 5, "plain words"));
        assert_eq!(fields("7g7f none -32768 3"), of(None, None, 3, 1, ""));
        let huge = "7g7f none -99999999999999999999 99999999999999 -5";
        assert_eq!(fields(huge), of(None, Some(i32::MIN), u32::MAX, 0, ""));
    }

    #[test]
    fn a_column_that_is_empty_stays_empty() {
        let fields = |text: &str| {
            let Candidate { reply, value, depth, count, comment, .. } = candidate(text);
            (reply.map_or("none".to_string(), |mv| mv.to_string()), value, depth, count, comment)
        };
        let of = |reply: &str, value, depth, count| (reply.to_string(), value, depth, count, String::new());
        assert_eq!(fields("2g2f 8c8d   500"), of("8c8d", None, 0, 500));
        assert_eq!(fields("7g7f 3c3d 30  7"), of("3c3d", Some(30), 0, 7));
        assert_eq!(fields("7g7f 3c3d  20 5"), of("3c3d", None, 20, 5));
        assert_eq!(fields("7g7f  30 20 5"), of("none", Some(30), 20, 5));
        assert_eq!(fields("7g7f 3c3d   "), of("3c3d", None, 0, 1));
        assert_eq!(fields("7g7f none 30 20  #a word").4, "a word");
        // Several blanks between columns that are all there.
        assert_eq!(fields("7g7f  3c3d  30  20  5"), of("3c3d", Some(30), 20, 5));
        assert_eq!(fields("7g7f 3c3d   30   20"), of("3c3d", Some(30), 20, 1));
        assert_eq!(fields("7g7f 3c3d  -30 20 5"), of("3c3d", Some(-30), 20, 5));
    }

    #[test]
    fn a_column_that_is_no_number_is_named_and_read_as_far_as_it_goes() {
        let fault = |text: &str| match read_line(text.as_bytes()) {
            Ok(Line::Candidate(candidate, fault)) => (candidate.value, fault.map(|fault| fault.to_string())),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(fault("7g7f none abc 20 5"), (None, Some("value \"abc\" of 7g7f is no number".to_string())));
        assert_eq!(fault("7g7f none 12.5 20 5"), (Some(12), Some("value \"12.5\" of 7g7f is no number".to_string())));
        assert_eq!(fault("7g7f none 5 deep 5"), (Some(5), Some("depth \"deep\" of 7g7f is no number".to_string())));
        assert_eq!(fault("7g7f none none None none"), (None, None));
    }

    #[test]
    fn lines_are_told_apart() {
        assert_eq!(read_line(b"  \r"), Ok(Line::Blank));
        assert_eq!(read_line(b"# NOE:5"), Ok(Line::Comment(b"NOE:5")));
        assert_eq!(read_line(b"// two words"), Ok(Line::Comment(b"two words")));
        assert_eq!(read_line(b"sfen  9/9 b - 1\r"), Ok(Line::Position(b"9/9 b - 1")));
        assert_eq!(read_line(b"none none"), Ok(Line::NoMove));
        assert_eq!(read_line(b"resign none"), Ok(Line::NotAMove(b"resign")));
        assert_eq!(read_line(b"hello world"), Err(BookLineFault::NoMove("hello".into())));
        assert_eq!(read_line(b"7g7f 9z9z"), Err(BookLineFault::NoReply("9z9z".into())));
        assert_eq!(read_line(b"\xff\xfe 1"), Err(BookLineFault::NoMove("\u{fffd}\u{fffd}".into())));
    }

    #[test]
    fn the_key_leaves_out_the_counter() {
        for text in ["k b 2P 10", "k b 2P", "k b 2P  7  ", "k b 2P \t"] {
            assert_eq!(key_of(text.as_bytes()), b"k b 2P");
        }
        assert_eq!(key_of(b"k b - 1"), b"k b -");
    }

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
        for (from, to) in moves.filter(|(from, to)| from != to) {
            text.push_str(&format!("{from}{to}\n"));
        }
        assert_eq!(read(&text, Bad::Refuse).unwrap_err(), "line 650: more than 648 moves for a position");
    }
}
