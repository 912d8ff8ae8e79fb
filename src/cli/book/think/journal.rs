//! Journal of long work: a text book to which every position is added as soon as it has been searched.

use super::journal_path;
use crate::book::BookEntry;
use crate::book::text::{Bad, TextReader, write_entry};
use crate::cli::terminal::{Failure, in_file};
use crate::types::Quoted;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

/// Positions that have been searched.
pub(super) struct ThinkJournal {
    path: PathBuf,
    file: File,
    done: HashSet<u64>,
}

impl ThinkJournal {
    /// Opens the journal of a book. What is there is gone on with or refused; a position that was being written when
    /// the program ended is dropped.
    pub(super) fn open(out: &Path, description: &str, resume: bool) -> Result<ThinkJournal, Failure> {
        let path = journal_path(out);
        let fail = in_file(&path);
        let head = format!("# {description}\n");
        let known = match fs::read(&path) {
            Ok(known) if resume => known,
            Ok(_) => {
                let shown = path.display();
                return Err(Failure::Usage(format!("{shown}: work has been begun: go on with --resume, or delete it")));
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(fail(error)),
        };
        let file = File::options().create(true).append(true).open(&path).map_err(&fail)?;
        let mut journal = ThinkJournal { path: path.clone(), file, done: HashSet::new() };
        if known.is_empty() {
            journal.file.write_all(head.as_bytes()).map_err(&fail)?;
            return Ok(journal);
        }
        if !known.starts_with(head.as_bytes()) {
            let first =
                String::from_utf8_lossy(known.split(|&byte| byte == b'\n').next().unwrap_or_default()).into_owned();
            let shown = path.display();
            return Err(Failure::Usage(format!("{shown}: begun with other settings: {}", Quoted(&first))));
        }
        // Every position ends with a blank line.
        let whole = known.windows(2).rposition(|pair| pair == b"\n\n").map_or(head.len(), |at| at + 2);
        journal.file.set_len(whole as u64).map_err(&fail)?;
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

    /// Adds a position.
    pub(super) fn append(&mut self, entry: &BookEntry) -> Result<(), Failure> {
        let mut text = Vec::new();
        let written = write_entry(&mut text, entry).and_then(|()| writeln!(text));
        written.and_then(|()| self.file.write_all(&text)).map_err(in_file(&self.path))?;
        self.done.insert(entry.position.key().0);
        Ok(())
    }

    /// Hands on every position.
    pub(super) fn visit(&self, mut visit: impl FnMut(BookEntry) -> Result<(), Failure>) -> Result<(), Failure> {
        let file = File::open(&self.path).map_err(in_file(&self.path))?;
        let mut reader = TextReader::new(BufReader::new(file), Bad::Refuse);
        while let Some((entry, _)) = reader.next_entry().map_err(|fault| fault.in_file(&self.path))? {
            visit(entry)?;
        }
        Ok(())
    }

    /// The work is done.
    pub(super) fn remove(self) -> Result<(), Failure> {
        drop(self.file);
        fs::remove_file(&self.path).map_err(in_file(&self.path))
    }
}
