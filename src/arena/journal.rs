//! The folder of a match: its plan and its games, written so that nothing is lost when the match is killed.
//!
//! `match.toml` holds the [`Plan`]; `games.jsonl` one line a game ([`GameLine`]), added in one piece as the game ends.
//! A line that was torn by a kill is cut off when the match is resumed, and its game is played again.

use super::plan::Plan;
use crate::notation::json::GameLine;
use crate::storage;
use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The file that holds the plan.
pub const PLAN_FILE: &str = "match.toml";
/// The file that holds the games.
pub const GAMES_FILE: &str = "games.jsonl";

/// Why a folder cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// It holds a match already.
    #[error("{} holds a match already: --resume goes on with it", .0.display())]
    Exists(PathBuf),
    /// It holds no match.
    #[error("{} holds no match", .0.display())]
    Missing(PathBuf),
    /// Another process plays this match.
    #[error("{} is in use by another match", .0.display())]
    InUse(PathBuf),
    /// The match in the folder is another one: which setting differs.
    #[error("{} holds a match with other settings: {}", .0.display(), .1)]
    Differs(PathBuf, &'static str),
    /// A file cannot be read or written.
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, #[source] io::Error),
    /// The plan cannot be read.
    #[error("{}: {}", .0.display(), .1)]
    Plan(PathBuf, String),
    /// A line of the games cannot be read: its number, counted from 1, and why.
    #[error("{} line {}: {}", .0.display(), .1, .2)]
    Game(PathBuf, usize, String),
}

/// The open journal of a match.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    games: File,
}

impl Journal {
    /// Begins a match in a folder, which is made if it is not there and must hold no match.
    pub fn create(folder: &Path, plan: &Plan) -> Result<Journal, JournalError> {
        let plan_file = folder.join(PLAN_FILE);
        let games_file = folder.join(GAMES_FILE);
        if Journal::exists(folder) {
            return Err(JournalError::Exists(folder.to_path_buf()));
        }
        fs::create_dir_all(folder).map_err(|error| JournalError::Io(folder.to_path_buf(), error))?;
        let games = open(&games_file)?;
        let text = toml::to_string(plan).map_err(|error| JournalError::Plan(plan_file.clone(), error.to_string()))?;
        write_whole(&plan_file, text.as_bytes())?;
        Ok(Journal { folder: folder.to_path_buf(), games })
    }

    /// Tests whether a folder holds a match with games.
    pub fn exists(folder: &Path) -> bool {
        fs::metadata(folder.join(GAMES_FILE)).is_ok_and(|data| data.len() > 0)
    }

    /// Goes on with the match in a folder: its plan and the games that have ended.
    pub fn resume(folder: &Path) -> Result<(Journal, Plan, Vec<GameLine>), JournalError> {
        let plan = read_plan(folder)?;
        let games_file = folder.join(GAMES_FILE);
        let mut games = open(&games_file)?;
        let fail = |error| JournalError::Io(games_file.clone(), error);
        let mut bytes = Vec::new();
        games.read_to_end(&mut bytes).map_err(fail)?;
        let (lines, whole) = parse_games(&bytes, &games_file)?;
        // The next line must not be written behind half a line.
        games.set_len(whole as u64).map_err(fail)?;
        games.seek(SeekFrom::End(0)).map_err(fail)?;
        Ok((Journal { folder: folder.to_path_buf(), games }, plan, lines))
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Adds a game and waits until it is on the disk.
    pub fn add(&mut self, line: &GameLine) -> Result<(), JournalError> {
        let fail = |error| JournalError::Io(self.folder.join(GAMES_FILE), error);
        let text = serde_json::to_string(line).map_err(|error| fail(error.into()))?;
        self.games.write_all(format!("{text}\n").as_bytes()).map_err(fail)?;
        self.games.sync_data().map_err(fail)
    }
}

/// Opens the file of games for this process alone.
fn open(path: &Path) -> Result<File, JournalError> {
    let fail = |error| JournalError::Io(path.to_path_buf(), error);
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(fail)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(JournalError::InUse(path.parent().unwrap_or(path).to_path_buf())),
        // A file system without locks: play on.
        Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// Writes a file so that it is there as a whole or not at all.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), JournalError> {
    storage::write_whole(path, bytes).map_err(|error| JournalError::Io(path.to_path_buf(), error))
}

/// The plan of the match in a folder.
pub fn read_plan(folder: &Path) -> Result<Plan, JournalError> {
    let path = folder.join(PLAN_FILE);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(JournalError::Missing(folder.to_path_buf()));
        }
        Err(error) => return Err(JournalError::Io(path, error)),
    };
    toml::from_str(&text).map_err(|error| JournalError::Plan(path, error.message().to_string()))
}

/// The games of the match in a folder, which may still be played: a line that is torn off is left out.
pub fn read_games(folder: &Path) -> Result<Vec<GameLine>, JournalError> {
    let path = folder.join(GAMES_FILE);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(JournalError::Missing(folder.to_path_buf()));
        }
        Err(error) => return Err(JournalError::Io(path, error)),
    };
    Ok(parse_games(&bytes, &path)?.0)
}

/// Writes the folder of a match that has been played already, which must hold none yet.
pub fn write_match(folder: &Path, plan: &Plan, games: &[GameLine]) -> Result<(), JournalError> {
    let mut journal = Journal::create(folder, plan)?;
    let path = folder.join(GAMES_FILE);
    let mut text = String::new();
    for game in games {
        text.push_str(&serde_json::to_string(game).map_err(|error| JournalError::Io(path.clone(), error.into()))?);
        text.push('\n');
    }
    let written = journal.games.write_all(text.as_bytes()).and_then(|()| journal.games.sync_data());
    written.map_err(|error| JournalError::Io(path, error))
}

/// The games among these bytes, each once, and the length of the whole lines. Only the last line may be torn.
fn parse_games(bytes: &[u8], path: &Path) -> Result<(Vec<GameLine>, usize), JournalError> {
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let mut seen = HashSet::new();
    let mut games = Vec::new();
    for (number, line) in bytes[..whole].split(|&byte| byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let game: GameLine = serde_json::from_slice(line)
            .map_err(|error| JournalError::Game(path.to_path_buf(), number + 1, error.to_string()))?;
        if seen.insert(game.game) {
            games.push(game);
        }
    }
    Ok((games, whole))
}

#[cfg(test)]
mod tests {
    use super::super::plan::{EnginePlan, Limit, OpeningsPlan, SprtPlan};
    use super::*;
    use crate::notation::json::MoveLine;
    use crate::notation::record::Ending;
    use crate::types::Color;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("komainu-journal-{}-{name}", std::process::id()));
        _ = fs::remove_dir_all(&folder);
        folder
    }

    fn plan() -> Plan {
        let engine = |name: &str| EnginePlan {
            name: name.into(),
            command: format!("./{name} --quick"),
            options: [("USI_Hash".to_string(), "16".to_string())].into(),
            limit: (name == "b").then_some(Limit { nodes: 7, ..Limit::default() }),
            ..EnginePlan::default()
        };
        let openings = OpeningsPlan { plies: 8, shuffle: Some(3), ..OpeningsPlan::default() };
        let limit = Limit { time_ms: 1_000, increment_ms: 50, ..Limit::default() };
        let sprt = SprtPlan { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: Default::default() };
        let engines = vec![engine("a"), engine("b")];
        Plan { openings, limit, sprt: Some(sprt), margin_ms: 5, ..Plan::new(engines, 10) }
    }

    fn game(number: u64) -> GameLine {
        GameLine {
            game: number,
            pair: number / 2,
            round: 0,
            players: ["a".into(), "b \"quoted\"".into()],
            start: crate::position::START_SFEN.into(),
            opening_plies: 1,
            moves: vec![MoveLine { mv: "7g7f".into(), millis: Some(5), cp: Some(-3), ..MoveLine::default() }],
            ending: Ending::Resignation,
            winner: Some(Color::Black),
            last_millis: Some(4),
            detail: String::new(),
            started: "2026-11-21T12:00:00Z".into(),
            duration_ms: 1_234,
        }
    }

    #[test]
    fn a_match_is_resumed_with_its_plan_and_its_games() {
        let folder = folder("resume");
        let mut journal = Journal::create(&folder, &plan()).unwrap();
        (0..3).for_each(|number| journal.add(&game(number)).unwrap());
        assert!(matches!(Journal::resume(&folder).unwrap_err(), JournalError::InUse(_)));
        drop(journal);
        assert!(matches!(Journal::create(&folder, &plan()).unwrap_err(), JournalError::Exists(_)));
        let (mut journal, read, games) = Journal::resume(&folder).unwrap();
        assert_eq!(read, plan());
        assert_eq!(games, [game(0), game(1), game(2)]);
        journal.add(&game(3)).unwrap();
        drop(journal);
        assert_eq!(Journal::resume(&folder).unwrap().2.len(), 4);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_line_that_a_kill_tore_is_cut_off_wherever_it_was_torn() {
        let folder = folder("torn");
        let mut journal = Journal::create(&folder, &plan()).unwrap();
        (0..2).for_each(|number| journal.add(&game(number)).unwrap());
        drop(journal);
        let path = folder.join(GAMES_FILE);
        let bytes = fs::read(&path).unwrap();
        for length in bytes.len() / 2..bytes.len() {
            fs::write(&path, &bytes[..length]).unwrap();
            let (mut journal, _, games) = Journal::resume(&folder).unwrap();
            assert_eq!(games, [game(0)], "{length}");
            journal.add(&game(1)).unwrap();
            drop(journal);
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn faults_name_their_file_and_line() {
        let folder = folder("faults");
        assert!(matches!(Journal::resume(&folder).unwrap_err(), JournalError::Missing(_)));
        drop(Journal::create(&folder, &plan()).unwrap());
        fs::write(folder.join(GAMES_FILE), "{\"game\":0}\n{}\n").unwrap();
        assert!(Journal::resume(&folder).unwrap_err().to_string().contains("games.jsonl line 1: missing field"));
        fs::write(folder.join(PLAN_FILE), "games = 5\nspeed = 3\nengine = []\n").unwrap();
        let error = Journal::resume(&folder).unwrap_err().to_string();
        assert!(error.contains("match.toml") && error.contains("speed"), "{error}");
        fs::remove_dir_all(folder).unwrap();
    }
}
