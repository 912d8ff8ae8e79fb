//! Journal of an analysis, one position a line, so that it can go on after it was broken off.
//!
//! The first line holds the settings that results depend on. Every other line is a position of a game: the name of the
//! game, a checksum of its moves, and the [`Step`]. A line that was being written when the program ended is dropped.
//! The last line of a whole analysis says so.

use super::result::Step;
use komainu::storage::{Head, Journal, JournalError};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, Read};
use std::path::Path;

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
    journal: Journal,
    games: HashMap<(String, u32), BTreeMap<usize, Place>>,
}

impl AnalysisJournal {
    /// Opens a journal. One of an analysis that is whole is begun anew unless it is to be gone on with.
    pub fn open(path: &Path, settings: &str, resume: bool) -> Result<AnalysisJournal, JournalError> {
        let mut journal = AnalysisJournal { journal: Journal::open(path, true)?, games: HashMap::new() };
        let head = text(&Line::Settings(settings.to_string()));
        let found = journal.journal.begin(head.as_bytes())?;
        if found == Head::New {
            return Ok(journal);
        }
        let (theirs, is_done) = journal.index()?;
        if resume && found == Head::Other {
            return Err(journal.journal.other_settings(theirs, settings));
        }
        if !resume && !is_done && !journal.games.is_empty() {
            return Err(journal.journal.begun());
        }
        if !resume {
            journal.games.clear();
            journal.journal.keep(0)?;
            journal.journal.begin(head.as_bytes())?;
        }
        Ok(journal)
    }

    /// Notes where the lines stand and cuts off one that is torn. Returns the settings and whether all was done.
    fn index(&mut self) -> Result<(String, bool), JournalError> {
        let mut settings = None;
        let mut is_done = false;
        let mut offset = 0;
        let mut reader = self.journal.reader().map_err(self.journal.fail())?;
        let mut text = Vec::new();
        for number in 1.. {
            text.clear();
            let length = reader.read_until(b'\n', &mut text).map_err(self.journal.fail())?;
            if !text.ends_with(b"\n") {
                break;
            }
            let damaged = |why: String| self.journal.damaged(format_args!("line {number}"), why);
            match (serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?, &settings) {
                (Line::Settings(begun), None) => settings = Some(begun),
                (Line::Settings(_), Some(_)) => return Err(damaged("settings again".to_string())),
                (_, None) => return Err(damaged("no settings".to_string())),
                (Line::Position { game, sum, step }, _) => {
                    self.games.entry((game, sum)).or_default().insert(step.ply, Place { offset, length });
                    is_done = false;
                }
                (Line::Done(done), _) => is_done = done,
            }
            offset += length as u64;
        }
        drop(reader);
        self.journal.keep(offset)?;
        Ok((settings.unwrap_or_default(), is_done))
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
        let text = text(&Line::Position { game: game.to_string(), sum, step: Box::new(step.clone()) });
        let place = Place { offset: self.journal.append(text.as_bytes())?, length: text.len() };
        self.games.entry((game.to_string(), sum)).or_default().insert(step.ply, place);
        Ok(())
    }

    /// The positions of a game, in the order of their plies.
    pub fn steps(&self, game: &str, sum: u32) -> Result<Vec<Step>, JournalError> {
        let Some(plies) = self.games.get(&(game.to_string(), sum)) else { return Ok(Vec::new()) };
        plies.values().map(|place| self.read_step(place)).collect()
    }

    fn read_step(&self, place: &Place) -> Result<Step, JournalError> {
        let mut text = vec![0; place.length];
        let read = self.journal.reader_at(place.offset).and_then(|mut reader| reader.read_exact(&mut text));
        read.map_err(self.journal.fail())?;
        match serde_json::from_slice(&text) {
            Ok(Line::Position { step, .. }) => Ok(*step),
            Ok(_) => Err(self.journal.damaged(format_args!("byte {}", place.offset), "no position")),
            Err(error) => Err(self.journal.damaged(format_args!("byte {}", place.offset), error)),
        }
    }

    /// All is done.
    pub fn finish(mut self) -> Result<(), JournalError> {
        self.journal.append(text(&Line::Done(true)).as_bytes())?;
        self.journal.sync()
    }
}

/// A line of the file.
fn text(line: &Line) -> String {
    serde_json::to_string(line).expect("every key is a string") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::result::PositionResult;
    use std::fs;

    fn step(ply: usize) -> Step {
        Step { ply, result: PositionResult { legal: ply as u32, ..PositionResult::default() }, after: None, kept: None }
    }

    #[test]
    fn a_journal_goes_on_after_being_cut_off_anywhere() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut journal = AnalysisJournal::open(&path, "nodes 5", false).unwrap();
        for ply in (0..4).rev() {
            journal.append("a", 7, &step(ply)).unwrap();
        }
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
            for ply in (0..4).rev() {
                journal.append("a", 7, &step(ply)).unwrap();
            }
            journal.append("b", 7, &step(0)).unwrap();
            assert_eq!(journal.steps("a", 7).unwrap(), (0..4).map(step).collect::<Vec<_>>());
            drop(journal);
            assert_eq!(fs::read(&path).unwrap(), whole, "{end}");
        }
    }
}
