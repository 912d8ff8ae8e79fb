//! The folder of a match as a report reads it: the plan and the games, whatever a killed match left of them.

use crate::arena::plan::Plan;
use crate::arena::stats::PlayedGame;
use crate::notation::json::GameLine;
use crate::notation::record::Ending;
use crate::position::{Position, SfenError};
use crate::types::{Move, Quoted};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The plan of a match, in its folder.
const PLAN_FILE: &str = "match.toml";

/// Its games, in its folder.
const GAMES_FILE: &str = "games.jsonl";

/// A match: its plan and the games so far, in the order in which they ended.
#[derive(Clone, Debug)]
pub struct Folder {
    /// Plan of the match.
    pub plan: Plan,
    /// The games.
    pub games: Vec<ReportedGame>,
    /// Lines of the games file that could not be used.
    pub notes: Vec<Note>,
}

/// A game of the match.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportedGame {
    /// Its line.
    pub line: GameLine,
    /// The indices of black and white among the engines of the plan.
    pub players: [usize; 2],
}

impl ReportedGame {
    /// Result for the statistics; `None` for a game without one.
    pub fn played(&self) -> Option<PlayedGame> {
        let [black, white] = self.players;
        let is_drawn = matches!(
            self.line.ending,
            Ending::Repetition | Ending::Impasse | Ending::PlyLimit | Ending::AdjudicatedDraw | Ending::Draw
        );
        let is_result = self.line.winner.is_some() || is_drawn;
        is_result.then_some(PlayedGame { pair: self.line.pair, black, white, winner: self.line.winner })
    }
}

/// A line that could not be used.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// Its number, from 1.
    pub line: usize,
    /// Why.
    pub fault: GameLineFault,
}

/// Why a line could not be used.
#[derive(Clone, Debug, PartialEq)]
pub enum GameLineFault {
    /// The last line has no end: the match was killed, or writes it just now.
    Torn,
    /// No game as JSON.
    Unreadable(String),
    /// The start position is none.
    Start(SfenError),
    /// A move, counted from 1, is none.
    Move(usize, String),
    /// A player that the plan does not name.
    Player(String),
    /// The player of both sides.
    Alone(String),
    /// A game with this number stands further up.
    Repeated(u64),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.fault {
            GameLineFault::Torn => f.write_str("torn off, as a match leaves it that is killed or still runs"),
            GameLineFault::Unreadable(error) => write!(f, "no game: {error}"),
            GameLineFault::Start(error) => write!(f, "bad start position: {error}"),
            GameLineFault::Move(number, text) => write!(f, "move {number}: {} is not a move", Quoted(text)),
            GameLineFault::Player(name) => write!(f, "no engine of {PLAN_FILE} is called {}", Quoted(name)),
            GameLineFault::Alone(name) => write!(f, "{} plays both sides", Quoted(name)),
            GameLineFault::Repeated(number) => write!(f, "game {number} stands further up already"),
        }
    }
}

/// Why a folder is no match.
#[derive(Debug, Error)]
pub enum FolderError {
    /// A file cannot be read.
    #[error("{}: {}", .0.display(), .1)]
    Read(PathBuf, #[source] io::Error),
    /// The plan is none: its file, the line, and why.
    #[error("{}: line {}: {}", .0.display(), .1, .2)]
    Plan(PathBuf, usize, String),
    /// The plan names no two engines.
    #[error("{}: fewer than two engines", .0.display())]
    TooFewEngines(PathBuf),
    /// The plan gives two engines this name.
    #[error("{}: two engines are called {}", .0.display(), Quoted(.1))]
    SameName(PathBuf, String),
}

impl Folder {
    /// Reads the folder of a match. A match without a game yet has no file of games.
    pub fn read(folder: &Path) -> Result<Folder, FolderError> {
        let path = folder.join(PLAN_FILE);
        let plan = read_plan(&path)?;
        let path = folder.join(GAMES_FILE);
        let bytes = match std::fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            read => read.map_err(|error| FolderError::Read(path.clone(), error))?,
        };
        let (games, notes) = read_games(&plan, &bytes);
        Ok(Folder { plan, games, notes })
    }

    /// The file of games in a folder, which the notes speak of.
    pub fn games_file(folder: &Path) -> PathBuf {
        folder.join(GAMES_FILE)
    }
}

fn read_plan(path: &Path) -> Result<Plan, FolderError> {
    let text = std::fs::read_to_string(path).map_err(|error| FolderError::Read(path.into(), error))?;
    let plan: Plan = toml::from_str(&text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start.min(text.len()));
        let line = 1 + text.as_bytes()[..offset].iter().filter(|&&byte| byte == b'\n').count();
        let message = error.message().lines().collect::<Vec<_>>().join(" ");
        FolderError::Plan(path.into(), line, message)
    })?;
    if plan.engines.len() < 2 {
        return Err(FolderError::TooFewEngines(path.into()));
    }
    let mut names = HashSet::new();
    if let Some(twice) = plan.engines.iter().find(|engine| !names.insert(&engine.name)) {
        return Err(FolderError::SameName(path.into(), twice.name.clone()));
    }
    Ok(plan)
}

fn read_games(plan: &Plan, bytes: &[u8]) -> (Vec<ReportedGame>, Vec<Note>) {
    let indices: HashMap<&str, usize> =
        plan.engines.iter().enumerate().map(|(index, engine)| (engine.name.as_str(), index)).collect();
    let (mut games, mut notes, mut numbers) = (Vec::new(), Vec::new(), HashSet::new());
    for (at, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match read_game(&indices, line) {
            Ok(game) if numbers.insert(game.line.game) => games.push(game),
            Ok(game) => notes.push(Note { line: at + 1, fault: GameLineFault::Repeated(game.line.game) }),
            Err(fault) => {
                let is_torn = !line.ends_with(b"\n") && matches!(fault, GameLineFault::Unreadable(_));
                notes.push(Note { line: at + 1, fault: if is_torn { GameLineFault::Torn } else { fault } });
            }
        }
    }
    (games, notes)
}

fn read_game(indices: &HashMap<&str, usize>, line: &[u8]) -> Result<ReportedGame, GameLineFault> {
    let line: GameLine = serde_json::from_slice(line).map_err(|error| GameLineFault::Unreadable(error.to_string()))?;
    let index = |name: &String| indices.get(name.as_str()).copied().ok_or_else(|| GameLineFault::Player(name.clone()));
    let players = [index(&line.players[0])?, index(&line.players[1])?];
    if players[0] == players[1] {
        return Err(GameLineFault::Alone(line.players[0].clone()));
    }
    Position::from_sfen(&line.start).map_err(GameLineFault::Start)?;
    let is_move = |text: &str| text.parse::<Move>().is_ok();
    if let Some((at, bad)) = line.moves.iter().enumerate().find(|(_, played)| !is_move(&played.mv)) {
        return Err(GameLineFault::Move(at + 1, bad.mv.clone()));
    }
    Ok(ReportedGame { line, players })
}
