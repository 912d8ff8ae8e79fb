//! Journal of long work: a text book to which every position is added as soon as it has been searched.

use super::journal_path;
use crate::book::BookEntry;
use crate::book::text::{Bad, TextReader, write_entry};
use crate::cli::terminal::{Failure, in_file};
use crate::storage::{Head, Journal};
use std::collections::HashSet;
use std::io::{BufRead, Read, Write};
use std::path::Path;

/// Positions that have been searched.
pub(super) struct ThinkJournal {
    journal: Journal,
    done: HashSet<u64>,
}

impl ThinkJournal {
    /// Opens the journal of a book. What is there is gone on with or refused; a position that was being written when
    /// the program ended is dropped.
    pub(super) fn open(out: &Path, description: &str, resume: bool) -> Result<ThinkJournal, Failure> {
        let path = journal_path(out);
        let mut journal = Journal::open(&path, resume)?;
        let head = format!("# {description}\n");
        let found = journal.begin(head.as_bytes())?;
        if found == Head::Other {
            let mut first = String::new();
            let read = journal.reader().and_then(|reader| reader.take(10_000).read_line(&mut first));
            // A first line that is no UTF-8 is none of a journal.
            let theirs = read.map_or("something else", |_| first.trim_end().trim_start_matches("# "));
            return Err(journal.other_settings(theirs, description).into());
        }
        let mut known = Vec::new();
        journal.reader().and_then(|mut reader| reader.read_to_end(&mut known)).map_err(in_file(&path))?;
        // Every position ends with a blank line.
        let whole = known.windows(2).rposition(|pair| pair == b"\n\n").map_or(head.len(), |at| at + 2);
        journal.keep(whole as u64)?;
        let mut journal = ThinkJournal { journal, done: HashSet::new() };
        let mut done = HashSet::new();
        journal.visit(|entry| {
            done.insert(entry.position.key().0);
            Ok(())
        })?;
        journal.done = done;
        Ok(journal)
    }

    /// The keys of the positions that have been searched.
    pub(super) fn done(&self) -> &HashSet<u64> {
        &self.done
    }

    pub(super) fn append(&mut self, entry: &BookEntry) -> Result<(), Failure> {
        let mut text = Vec::new();
        write_entry(&mut text, entry).and_then(|()| writeln!(text)).map_err(in_file(self.journal.path()))?;
        self.journal.append(&text)?;
        self.done.insert(entry.position.key().0);
        Ok(())
    }

    pub(super) fn visit(&self, mut visit: impl FnMut(BookEntry) -> Result<(), Failure>) -> Result<(), Failure> {
        let path = self.journal.path();
        let mut reader = TextReader::new(self.journal.reader().map_err(in_file(path))?, Bad::Refuse);
        while let Some((entry, _)) = reader.next_entry().map_err(|fault| fault.in_file(path))? {
            visit(entry)?;
        }
        Ok(())
    }

    pub(super) fn remove(self) -> Result<(), Failure> {
        Ok(self.journal.remove()?)
    }
}
