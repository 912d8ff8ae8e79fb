//! Checks of a book: everything that keeps a position from being found or a move from being played.

use super::book::{BookFormat, format_of};
use super::bytes::Bytes;
use super::entry::BookEntry;
use super::error::{BookError, BookFault};
use super::sort::Sorter;
use super::stream::visit_raw_entries;
use super::text::{Bad, TextReader};
use super::ybb::YbbBook;
use crate::movegen::is_legal;
use crate::position::PackedPosition;
use crate::types::Color;
use std::io::BufReader;
use std::path::Path;

/// Values beyond this are those of no engine.
const MAX_VALUE: i32 = 32_000;

/// Findings of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Positions that could be read.
    pub positions: u64,
    /// Their moves.
    pub moves: u64,
    /// Things that are wrong.
    pub faults: u64,
    /// Positions whose ply does not fit the side to move, as in books that number every position 1.
    pub odd_plies: u64,
}

/// A check under way.
struct Check<'a> {
    report: CheckReport,
    found: &'a mut dyn FnMut(&str),
    /// Keys of all positions, to find those that are there twice.
    keys: Sorter,
    last_key: Option<Vec<u8>>,
    is_out_of_order: bool,
}

/// Checks a book, in bounded memory with its files in `folder`. Each fault is told in a line that begins with its
/// place.
pub fn check_book(
    path: &Path,
    folder: &Path,
    memory: usize,
    found: &mut dyn FnMut(&str),
) -> Result<CheckReport, BookError> {
    let fail = |fault: BookFault| fault.in_file(path);
    let mut check = Check {
        report: CheckReport::default(),
        found,
        keys: Sorter::new(folder, memory),
        last_key: None,
        is_out_of_order: false,
    };
    let bytes = Bytes::open(path).map_err(|error| fail(error.into()))?;
    match format_of(&bytes).map_err(fail)? {
        BookFormat::Text => check.text(&bytes).map_err(fail)?,
        BookFormat::Ybb => check.ybb(bytes).map_err(fail)?,
        BookFormat::Apery | BookFormat::Sbk => {
            let result = visit_raw_entries(path, |entry| {
                let place = format!("position {}", check.report.positions + 1);
                check.entry(&entry, &place, None).map_err(|error| fail(error.into()))
            });
            if let Err(BookError { fault, .. }) = result {
                check.fault(&fault.to_string());
            }
        }
    }
    check.duplicates().map_err(|error| fail(error.into()))
}

impl Check<'_> {
    fn fault(&mut self, text: &str) {
        self.report.faults += 1;
        (self.found)(text);
    }

    fn text(&mut self, bytes: &Bytes) -> Result<(), BookFault> {
        let mut head = [0; 64];
        let count = bytes.read_up_to(0, &mut head)?;
        let head = head[..count].strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head[..count]);
        if !head.starts_with(b"#YANEURAOU-DB2016") {
            self.fault("line 1: the header #YANEURAOU-DB2016 1.00 is missing");
        }
        let mut reader = TextReader::new(BufReader::with_capacity(1 << 20, bytes.stream()), Bad::Skip);
        loop {
            let entry = reader.next_entry_noting(&mut |line, fault| {
                self.report.faults += 1;
                (self.found)(&format!("line {line}: {fault}"));
            })?;
            let Some((entry, line)) = entry else { return Ok(()) };
            let key = entry.position.to_sfen_without_counter().into_bytes();
            self.entry(&entry, &format!("line {line}"), Some(key))?;
        }
    }

    fn ybb(&mut self, bytes: Bytes) -> Result<(), BookFault> {
        let ybb = YbbBook::new(bytes)?;
        for index in 0..ybb.positions {
            let place = format!("position {}", index + 1);
            match ybb.entry(index) {
                Ok(entry) => {
                    let key = entry.position.pack().ok().map(|PackedPosition(bytes)| bytes.to_vec());
                    self.entry(&entry, &place, key)?;
                }
                Err(BookFault::Io(error)) => return Err(error.into()),
                Err(fault) => self.fault(&format!("{place}: {fault}")),
            }
        }
        Ok(())
    }

    /// Checks a position; with a key also that it stands behind the last one.
    fn entry(&mut self, entry: &BookEntry, place: &str, key: Option<Vec<u8>>) -> std::io::Result<()> {
        self.report.positions += 1;
        self.report.moves += entry.moves.len() as u64;
        for (number, candidate) in entry.moves.iter().enumerate() {
            if entry.moves[..number].iter().any(|known| known.mv == candidate.mv) {
                self.fault(&format!("{place}: {} is listed twice", candidate.mv));
            }
            if !is_legal(&entry.position, candidate.mv) {
                self.fault(&format!("{place}: {} is not legal", candidate.mv));
            } else if let Some(reply) = candidate.reply {
                let after = entry.position.after(candidate.mv);
                if !is_legal(&after, reply) {
                    self.fault(&format!("{place}: reply {reply} to {} is not legal", candidate.mv));
                }
            }
            if let Some(value) = candidate.value
                && value.unsigned_abs() > MAX_VALUE.unsigned_abs()
            {
                self.fault(&format!("{place}: value {value} of {} is beyond {MAX_VALUE}", candidate.mv));
            }
        }
        let is_blacks = entry.position.ply() % 2 == 1;
        self.report.odd_plies += u64::from(is_blacks != (entry.position.side() == Color::Black));
        if let Some(key) = key {
            let is_behind = self.last_key.as_ref().is_none_or(|last| *last <= key);
            if !is_behind && !std::mem::replace(&mut self.is_out_of_order, true) {
                self.fault(&format!("{place}: not sorted from here on"));
            }
            self.last_key = Some(key);
        }
        self.note_key(entry, place)
    }

    /// Keeps what is needed to find twins: whose turn it is, the values, the place.
    fn note_key(&mut self, entry: &BookEntry, place: &str) -> std::io::Result<()> {
        let side = entry.position.side();
        let mut turned = entry.clone();
        if side == Color::White {
            turned.rotate();
        }
        let mut values: Vec<(u16, i32)> =
            turned.moves.iter().map(|candidate| (candidate.mv.bits(), candidate.value_or_zero())).collect();
        values.sort_unstable();
        let values: String = values.iter().map(|(mv, value)| format!("{mv}={value},")).collect();
        let body = format!("{} {} {values} {place}", side as u8, entry.position.ply());
        let rank = self.keys.len();
        self.keys.push(turned.position.to_sfen_without_counter().as_bytes(), rank, body.as_bytes())
    }

    /// Names positions that are there twice, and twins with other values.
    fn duplicates(mut self) -> std::io::Result<CheckReport> {
        let keys = std::mem::replace(&mut self.keys, Sorter::new(Path::new(""), 0)).finish()?;
        let mut pass = keys.pass()?;
        let mut group: Vec<String> = Vec::new();
        let mut last: Option<Vec<u8>> = None;
        loop {
            let item = pass.next()?;
            if item.as_ref().map(|item| &item.key) != last.as_ref() {
                self.judge_group(&group);
                group.clear();
            }
            let Some(item) = item else { return Ok(self.report) };
            group.push(String::from_utf8_lossy(&item.body).into_owned());
            last = Some(item.key);
        }
    }

    fn judge_group(&mut self, group: &[String]) {
        let mut known: Vec<[&str; 4]> = Vec::new();
        for text in group {
            let mut words = text.splitn(4, ' ');
            let fields: [&str; 4] = std::array::from_fn(|_| words.next().unwrap_or_default());
            let [side, ply, values, place] = fields;
            if let Some(first) = known.iter().find(|other| other[0] == side && other[1] == ply) {
                self.fault(&format!("{place}: the position of {} once more", first[3]));
            } else if let Some(first) = known.iter().find(|other| other[0] != side && other[2] != values) {
                self.fault(&format!("{place}: the position of {} turned by 180 degrees, with other values", first[3]));
            }
            known.push(fields);
        }
    }
}
