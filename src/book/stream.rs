//! Reading the positions of a book of any format one after the other.

use super::apery::{AperyBook, apery_key};
use super::book::{BookFormat, format_of};
use super::bytes::Bytes;
use super::entry::BookEntry;
use super::error::{BookError, BookFault};
use super::sbk;
use super::text::{Bad, TextReader};
use super::ybb::YbbBook;
use crate::movegen::{All, generate};
use crate::position::{PackedPosition, Position};
use std::collections::HashSet;
use std::io::BufReader;
use std::path::Path;

/// Hands every position of a book to `visit`, in the order of the file, and tells the format. A book that cannot be
/// read is an error at the first fault, so that nothing is lost in silence.
///
/// Apery's format has keys in place of positions: what can be reached from the start position by moves of the book and
/// one other move in between is found. ShogiGUI's is read whole into memory, as it is a graph.
pub fn visit_entries<E: From<BookError>>(
    path: &Path,
    mut visit: impl FnMut(BookEntry) -> Result<(), E>,
) -> Result<BookFormat, E> {
    visit_raw_entries(path, |mut entry| {
        entry.merge_repeated();
        visit(entry)
    })
}

/// The same with moves that are listed twice as they are.
pub(crate) fn visit_raw_entries<E: From<BookError>>(
    path: &Path,
    mut visit: impl FnMut(BookEntry) -> Result<(), E>,
) -> Result<BookFormat, E> {
    let fail = |fault: BookFault| E::from(fault.in_file(path));
    let bytes = Bytes::open(path).map_err(|error| fail(error.into()))?;
    let format = format_of(&bytes).map_err(fail)?;
    match format {
        BookFormat::Text => {
            let mut reader = TextReader::new(BufReader::with_capacity(1 << 20, bytes.stream()), Bad::Refuse);
            while let Some((entry, _)) = reader.next_entry_noting(&mut |_, _| ()).map_err(fail)? {
                visit(entry)?;
            }
        }
        BookFormat::Ybb => {
            let ybb = YbbBook::new(bytes).map_err(fail)?;
            for index in 0..ybb.positions {
                visit(ybb.entry(index).map_err(fail)?)?;
            }
        }
        BookFormat::Apery => {
            let apery = AperyBook::new(bytes).and_then(AperyBook::sorted).map_err(fail)?;
            walk(&apery, fail, visit)?;
        }
        BookFormat::Sbk => {
            let bytes = bytes.into_contents().map_err(|error| fail(error.into()))?;
            match sbk::read(&bytes, |entry| visit(entry).map_err(Stop::Visit)) {
                Ok(()) => {}
                Err(Stop::BookFault(fault)) => return Err(fail(fault)),
                Err(Stop::Visit(error)) => return Err(error),
            }
        }
    }
    Ok(format)
}

/// Why reading ends.
enum Stop<E> {
    BookFault(BookFault),
    Visit(E),
}

impl<E> From<BookFault> for Stop<E> {
    fn from(fault: BookFault) -> Stop<E> {
        Stop::BookFault(fault)
    }
}

/// Finds the positions behind Apery's keys.
fn walk<E>(
    apery: &AperyBook,
    fail: impl Fn(BookFault) -> E,
    mut visit: impl FnMut(BookEntry) -> Result<(), E>,
) -> Result<(), E> {
    let mut walk = AperyWalk { apery, seen: HashSet::new(), open: Vec::new() };
    let start = Position::startpos();
    walk.seen.insert(apery_key(&start));
    walk.open.extend(start.pack().into_iter().map(|packed| (packed, 1)));
    while let Some((packed, ply)) = walk.open.pop() {
        let mut position = packed.unpack().expect("what was packed here can be unpacked");
        position.set_ply(ply);
        let entry = walk.next_entry(position).map_err(&fail)?;
        if !entry.moves.is_empty() {
            visit(entry)?;
        }
    }
    Ok(())
}

/// A walk through the positions of a book of Apery.
struct AperyWalk<'a> {
    apery: &'a AperyBook,
    /// Keys of the positions that were met.
    seen: HashSet<u64>,
    /// Positions with their plies that are still to be visited.
    open: Vec<(PackedPosition, u32)>,
}

impl AperyWalk<'_> {
    /// The position with its moves; those that can be reached from it are opened.
    fn next_entry(&mut self, position: Position) -> Result<BookEntry, BookFault> {
        let mut entry = BookEntry::new(position);
        entry.moves = self.apery.find(&entry.position)?.unwrap_or_default();
        for mv in &generate::<All>(&entry.position) {
            let mut after = entry.position.after(mv);
            let is_book_move = entry.moves.iter().any(|candidate| candidate.mv == mv);
            if self.reach(&after)? || !(is_book_move || entry.moves.is_empty()) {
                continue;
            }
            for reply in &generate::<All>(&after) {
                after.do_move(reply);
                self.reach(&after)?;
                after.undo();
            }
        }
        Ok(entry)
    }

    /// Opens a position if the book has it and it was not met before; tells whether the book has it.
    fn reach(&mut self, position: &Position) -> Result<bool, BookFault> {
        let is_there = self.apery.find(position)?.is_some();
        if is_there && self.seen.insert(apery_key(position)) {
            self.open.extend(position.pack().into_iter().map(|packed| (packed, position.ply())));
        }
        Ok(is_there)
    }
}
