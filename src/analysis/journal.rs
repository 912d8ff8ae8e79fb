//! Journal of an analysis, one position a line, so that it can go on after it was broken off.
//!
//! The first line holds the settings that results depend on. Every other line is a position of a game: the name of the
//! game, a checksum of its moves, and the [`Step`]. A line that was being written when the program ended is dropped.
//! The last line of a whole analysis says so.

use super::result::Step;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a journal cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, #[source] io::Error),
    /// Work was begun, and nobody said that it should go on.
    #[error("{}: work has been begun: go on with --resume, or delete it", .0.display())]
    Begun(PathBuf),
    /// Work was begun with other settings, which are named.
    #[error("{}: begun with other settings: {}", .0.display(), .1)]
    OtherSettings(PathBuf, String),
    /// A line of the file is none of a journal: its number from 1.
    #[error("{}: line {}: {}", .0.display(), .1, .2)]
    Line(PathBuf, usize, String),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    /// The settings that results depend on.
    Settings(String),
    /// A position of a game.
    Position {
        game: String,
        /// Checksum of its start and moves.
        sum: u32,
        step: Box<Step>,
    },
    /// All is done.
    Done(bool),
}

/// Where a line stands in the file.
#[derive(Clone, Copy, Debug)]
struct Place {
    offset: u64,
    length: usize,
}

/// Positions that have been searched, on disk; memory holds only where they stand.
#[derive(Debug)]
pub struct AnalysisJournal {
    path: PathBuf,
    file: File,
    length: u64,
    games: HashMap<(String, u32), BTreeMap<usize, Place>>,
}

impl AnalysisJournal {
    /// Opens a journal. One of an analysis that is whole is begun anew unless it is to be gone on with.
    pub fn open(path: &Path, settings: &str, resume: bool) -> Result<AnalysisJournal, JournalError> {
        let fail = |error| JournalError::Io(path.to_path_buf(), error);
        let known = match fs::metadata(path) {
            Ok(_) => true,
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(fail(error)),
        };
        let file = File::options().create(true).read(true).append(true).open(path).map_err(fail)?;
        let mut journal = AnalysisJournal { path: path.to_path_buf(), file, length: 0, games: HashMap::new() };
        if known {
            let is_done = journal.index(settings, resume)?;
            if !resume && !is_done && !journal.games.is_empty() {
                return Err(JournalError::Begun(journal.path));
            }
            if !resume {
                (journal.length, journal.games) = (0, HashMap::new());
            }
            journal.file.set_len(journal.length).map_err(fail)?;
        }
        if journal.length == 0 {
            journal.write(&Line::Settings(settings.to_string()))?;
        }
        Ok(journal)
    }

    /// Notes where the lines stand, up to one that is torn; whether all was done.
    fn index(&mut self, settings: &str, resume: bool) -> Result<bool, JournalError> {
        let fail = |error| JournalError::Io(self.path.clone(), error);
        let mut reader = BufReader::new(File::open(&self.path).map_err(fail)?);
        let mut text = Vec::new();
        let (mut number, mut is_done) = (0, false);
        loop {
            text.clear();
            let read = reader.read_until(b'\n', &mut text).map_err(fail)?;
            if read == 0 || !text.ends_with(b"\n") {
                return Ok(is_done);
            }
            number += 1;
            let line = serde_json::from_slice(&text);
            match line.map_err(|error| JournalError::Line(self.path.clone(), number, error.to_string()))? {
                Line::Settings(begun) if number == 1 => {
                    if resume && begun != settings {
                        return Err(JournalError::OtherSettings(self.path.clone(), begun));
                    }
                }
                Line::Settings(_) => {
                    return Err(JournalError::Line(self.path.clone(), number, "settings again".to_string()));
                }
                Line::Position { game, sum, step } => {
                    let place = Place { offset: self.length, length: read };
                    self.games.entry((game, sum)).or_default().insert(step.ply, place);
                    is_done = false;
                }
                Line::Done(done) => is_done = done,
            }
            self.length += read as u64;
        }
    }

    fn write(&mut self, line: &Line) -> Result<Place, JournalError> {
        let text = serde_json::to_string(line).expect("every key is a string") + "\n";
        self.file.write_all(text.as_bytes()).map_err(|error| JournalError::Io(self.path.clone(), error))?;
        let place = Place { offset: self.length, length: text.len() };
        self.length += text.len() as u64;
        Ok(place)
    }

    /// Tells whether a position is there.
    pub fn has(&self, game: &str, sum: u32, ply: usize) -> bool {
        self.games.get(&(game.to_string(), sum)).is_some_and(|plies| plies.contains_key(&ply))
    }

    /// Adds a position, unless it is there.
    pub fn append(&mut self, game: &str, sum: u32, step: &Step) -> Result<(), JournalError> {
        if self.has(game, sum, step.ply) {
            return Ok(());
        }
        let place = self.write(&Line::Position { game: game.to_string(), sum, step: Box::new(step.clone()) })?;
        self.games.entry((game.to_string(), sum)).or_default().insert(step.ply, place);
        Ok(())
    }

    /// The positions of a game, in the order of their plies.
    pub fn steps(&self, game: &str, sum: u32) -> Result<Vec<Step>, JournalError> {
        let fail = |error| JournalError::Io(self.path.clone(), error);
        let Some(plies) = self.games.get(&(game.to_string(), sum)) else { return Ok(Vec::new()) };
        let mut file = File::open(&self.path).map_err(fail)?;
        let mut steps = Vec::with_capacity(plies.len());
        for place in plies.values() {
            let mut text = vec![0; place.length];
            file.seek(SeekFrom::Start(place.offset)).and_then(|_| file.read_exact(&mut text)).map_err(fail)?;
            match serde_json::from_slice(&text) {
                Ok(Line::Position { step, .. }) => steps.push(*step),
                Ok(_) => {}
                Err(error) => return Err(JournalError::Line(self.path.clone(), 0, error.to_string())),
            }
        }
        Ok(steps)
    }

    /// All is done.
    pub fn finish(mut self) -> Result<(), JournalError> {
        self.write(&Line::Done(true))?;
        self.file.sync_all().map_err(|error| JournalError::Io(self.path, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::result::PositionResult;

    fn step(ply: usize) -> Step {
        Step { ply, result: PositionResult { legal: ply as u32, ..PositionResult::default() }, after: None }
    }

    fn path(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("komainu-journal-{name}-{}", std::process::id()))
    }

    #[test]
    fn a_journal_goes_on_after_being_cut_off_anywhere() {
        let path = path("cut");
        _ = fs::remove_file(&path);
        let mut journal = AnalysisJournal::open(&path, "nodes 5", false).unwrap();
        (0..4).rev().for_each(|ply| journal.append("a", 7, &step(ply)).unwrap());
        journal.append("b", 7, &step(0)).unwrap();
        drop(journal);
        let whole = fs::read(&path).unwrap();
        let lines_before = |end: usize| whole[..end].iter().filter(|&&byte| byte == b'\n').count();
        for end in 0..=whole.len() {
            fs::write(&path, &whole[..end]).unwrap();
            let mut journal = AnalysisJournal::open(&path, "nodes 5", true).unwrap();
            let known = journal.steps("a", 7).unwrap().len() + journal.steps("b", 7).unwrap().len();
            assert_eq!(known, lines_before(end).saturating_sub(1), "{end}");
            assert_eq!(journal.steps("a", 8).unwrap(), [], "another game of this name");
            (0..4).rev().for_each(|ply| journal.append("a", 7, &step(ply)).unwrap());
            journal.append("b", 7, &step(0)).unwrap();
            assert_eq!(journal.steps("a", 7).unwrap(), (0..4).map(step).collect::<Vec<_>>());
            drop(journal);
            assert_eq!(fs::read(&path).unwrap(), whole, "{end}");
        }
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn work_that_was_begun_is_gone_on_with_or_refused() {
        let path = path("begun");
        _ = fs::remove_file(&path);
        let open = |settings: &str, resume| AnalysisJournal::open(&path, settings, resume);
        open("nodes 5", true).unwrap().append("a", 7, &step(1)).unwrap();
        assert!(matches!(open("nodes 5", false), Err(JournalError::Begun(_))));
        assert!(matches!(open("nodes 6", true), Err(JournalError::OtherSettings(_, begun)) if begun == "nodes 5"));
        let journal = open("nodes 5", true).unwrap();
        assert!(journal.has("a", 7, 1) && !journal.has("a", 7, 2) && !journal.has("a", 8, 1));
        journal.finish().unwrap();
        // What is whole may be gone over again, with other settings too.
        assert!(open("nodes 5", true).unwrap().has("a", 7, 1));
        assert!(!open("nodes 6", false).unwrap().has("a", 7, 1));
        fs::write(&path, "something else\n").unwrap();
        assert!(matches!(open("nodes 5", true), Err(JournalError::Line(_, 1, _))));
        fs::remove_file(&path).unwrap();
    }
}
