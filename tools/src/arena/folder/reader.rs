//! The reading side of a match folder: the plan and the games, whatever a killed match left of them.

use crate::arena::pairing::{GameAssignment, NextGame, Pairing, ResultsByGame};
use crate::arena::plan::{Plan, Tournament};
use crate::arena::stats::PlayedGame;
use crate::settings::table::{TableFault, read_settings};
use komainu::host::{read_file, read_text};
use komainu::notation::json::{GameLine, LineFault, game_lines};
use komainu::position::{Position, SfenError};
use komainu::storage::JournalError;
use komainu::types::{Color, Move, Quoted};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Name of the file that holds the plan.
pub const PLAN_FILE: &str = "match.toml";
/// Name of the file that holds the games.
pub const GAMES_FILE: &str = "games.jsonl";

/// A match: its plan and the games so far, in the order in which they ended.
#[derive(Clone, Debug)]
pub struct MatchFolder {
    pub plan: Plan,
    pub games: Vec<MatchGame>,
    /// Lines of the games file that could not be used.
    pub notes: Vec<Note>,
}

/// A game of the match.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchGame {
    pub line: GameLine,
    /// The indices of black and white among the engines of the plan.
    pub players: [usize; 2],
}

impl MatchGame {
    /// The game as statistics count it; `None` for a game without a result.
    pub fn played(&self) -> Option<PlayedGame> {
        PlayedGame::of(&self.line, self.players)
    }
}

/// A line that could not be used.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// Number of the line, from 1.
    pub line: usize,
    pub fault: GameLineFault,
}

/// Why a line could not be used.
#[derive(Clone, Debug, PartialEq)]
pub enum GameLineFault {
    /// The last line has no end: the match was killed, or writes it just now.
    Torn,
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
    /// The plan has another pair or other players under the number of this game.
    Foreign(u64),
}

impl GameLineFault {
    /// Tests whether a match goes on as if the line were not there.
    fn is_harmless(&self) -> bool {
        matches!(self, GameLineFault::Torn | GameLineFault::Repeated(_))
    }
}

impl From<LineFault> for GameLineFault {
    fn from(fault: LineFault) -> GameLineFault {
        match fault {
            LineFault::Torn => GameLineFault::Torn,
            LineFault::Unreadable(error) => GameLineFault::Unreadable(error),
        }
    }
}

impl fmt::Display for GameLineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GameLineFault::Torn => LineFault::Torn.fmt(f),
            GameLineFault::Unreadable(error) => LineFault::Unreadable(error.clone()).fmt(f),
            GameLineFault::Start(error) => write!(f, "bad start position: {error}"),
            GameLineFault::Move(number, text) => write!(f, "move {number}: {} is not a move", Quoted(text)),
            GameLineFault::Player(name) => write!(f, "no engine of {PLAN_FILE} is called {}", Quoted(name)),
            GameLineFault::Alone(name) => write!(f, "{} plays both sides", Quoted(name)),
            GameLineFault::Repeated(number) => write!(f, "game {number} stands further up already"),
            GameLineFault::Foreign(number) => write!(f, "game {} is none of this match", number + 1),
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.fault)
    }
}

/// Why a folder is no match, or cannot be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// It holds a match already.
    #[error("{} holds a match already: --resume goes on with it", .0.display())]
    Exists(PathBuf),
    /// It holds no match.
    #[error("{} holds no match", .0.display())]
    Missing(PathBuf),
    /// The file of games cannot be used, or another process has it.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A file cannot be read or written.
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, #[source] io::Error),
    /// The plan is none: its file and why.
    #[error("{}: {}", .0.display(), .1)]
    Plan(PathBuf, TableFault),
    /// The plan cannot be written as a file.
    #[error("{}: {}", .0.display(), .1)]
    Unwritable(PathBuf, #[source] toml::ser::Error),
    /// The plan names no two engines.
    #[error("{}: fewer than two engines", .0.display())]
    TooFewEngines(PathBuf),
    /// The plan gives two engines this name.
    #[error("{}: two engines are called {}", .0.display(), Quoted(.1))]
    SameName(PathBuf, String),
    /// It cannot be joined with others, and why.
    #[error("{}: {}", .0.display(), .1)]
    Refused(PathBuf, String),
    /// A line of the games that cannot be used.
    #[error("{}: {}", .0.display(), .1)]
    Game(PathBuf, Note),
}

impl MatchFolder {
    /// Reads the folder of a match that may still be played. A match without a game yet has no file of games.
    pub fn read(folder: &Path) -> Result<MatchFolder, FolderError> {
        let plan = read_plan(folder)?;
        let (games, notes) = read_games(&plan, &read_bytes(folder)?, false);
        Ok(MatchFolder { plan, games, notes })
    }

    /// Reads the folder of a match of which every line must be a game of its plan.
    pub fn read_strictly(folder: &Path) -> Result<MatchFolder, FolderError> {
        let plan = read_plan(folder)?;
        let (games, notes) = read_games(&plan, &read_bytes(folder)?, true);
        refuse_faults(folder, &notes)?;
        Ok(MatchFolder { plan, games, notes })
    }

    /// A match that has just been played: nothing is read.
    pub fn in_memory(plan: Plan, lines: Vec<GameLine>) -> MatchFolder {
        let seat = |line: GameLine| Some(MatchGame { players: plan.players(&line)?, line });
        let games = lines.into_iter().filter_map(seat).collect();
        MatchFolder { plan, games, notes: Vec::new() }
    }

    /// The file of games in a folder, which the notes speak of.
    pub fn games_file(folder: &Path) -> PathBuf {
        folder.join(GAMES_FILE)
    }
}

/// The first line that keeps a match from going on.
pub(super) fn refuse_faults(folder: &Path, notes: &[Note]) -> Result<(), FolderError> {
    match notes.iter().find(|note| !note.fault.is_harmless()) {
        Some(note) => Err(FolderError::Game(folder.join(GAMES_FILE), note.clone())),
        None => Ok(()),
    }
}

/// The plan of the match in a folder.
pub fn read_plan(folder: &Path) -> Result<Plan, FolderError> {
    let path = folder.join(PLAN_FILE);
    let text = match read_text(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(FolderError::Missing(folder.to_path_buf()));
        }
        Err(error) => return Err(FolderError::Io(path, error)),
    };
    let plan: Plan = read_settings(&text).map_err(|fault| FolderError::Plan(path.clone(), fault))?;
    if plan.engines.len() < 2 {
        return Err(FolderError::TooFewEngines(path));
    }
    let mut names = HashSet::new();
    if let Some(twice) = plan.engines.iter().find(|engine| !names.insert(&engine.name)) {
        return Err(FolderError::SameName(path, twice.name.clone()));
    }
    Ok(plan)
}

fn read_bytes(folder: &Path) -> Result<Vec<u8>, FolderError> {
    let path = folder.join(GAMES_FILE);
    match read_file(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => read.map_err(|error| FolderError::Io(path, error)),
    }
}

/// The games of a plan among these lines. Only who goes on with a match asks whether the plan has each of them.
pub(super) fn read_games(plan: &Plan, bytes: &[u8], must_fit: bool) -> (Vec<MatchGame>, Vec<Note>) {
    LineReader::new(plan, must_fit).read(bytes)
}

/// Reads the lines of a plan's games, as many at a time as there are.
#[derive(Debug)]
pub(super) struct LineReader {
    /// Places of the engines in the plan.
    indices: HashMap<String, usize>,
    /// Pairings in which every game must be.
    pairing: Option<Pairing>,
    /// Numbers of the games that have been read.
    numbers: HashSet<u64>,
    /// Number of lines that have been read.
    lines: usize,
}

impl LineReader {
    pub(super) fn new(plan: &Plan, must_fit: bool) -> LineReader {
        let indices = plan.engines.iter().enumerate().map(|(index, engine)| (engine.name.clone(), index)).collect();
        // Which games of a Swiss tournament meet follows from those before; a server pairs as it likes.
        let pairing = Pairing::new(plan).ok().filter(|_| must_fit && plan.tournament != Tournament::Swiss);
        LineReader { indices, pairing, numbers: HashSet::new(), lines: 0 }
    }

    /// Reads the lines behind those that have been read.
    pub(super) fn read(&mut self, bytes: &[u8]) -> (Vec<MatchGame>, Vec<Note>) {
        let (mut games, mut notes) = (Vec::new(), Vec::new());
        for (number, line) in game_lines(bytes) {
            let read = line.map_err(GameLineFault::from).and_then(|line| seat(&self.indices, line));
            let fault = match read {
                Ok(game) if self.pairing.is_some_and(|pairing| !is_game_of(&game, &pairing)) => {
                    GameLineFault::Foreign(game.line.game)
                }
                Ok(game) if self.numbers.insert(game.line.game) => {
                    games.push(game);
                    continue;
                }
                Ok(game) => GameLineFault::Repeated(game.line.game),
                Err(fault) => fault,
            };
            notes.push(Note { line: self.lines + number, fault });
        }
        self.lines += bytes.iter().filter(|&&byte| byte == b'\n').count();
        (games, notes)
    }
}

fn seat(indices: &HashMap<String, usize>, line: GameLine) -> Result<MatchGame, GameLineFault> {
    let index = |name: &String| indices.get(name).copied().ok_or_else(|| GameLineFault::Player(name.clone()));
    let players = [index(&line.players[0])?, index(&line.players[1])?];
    if players[0] == players[1] {
        return Err(GameLineFault::Alone(line.players[0].clone()));
    }
    Position::from_sfen(&line.start).map_err(GameLineFault::Start)?;
    let is_move = |text: &str| text.parse::<Move>().is_ok();
    if let Some((at, bad)) = line.moves.iter().enumerate().find(|(_, played)| !is_move(&played.mv)) {
        return Err(GameLineFault::Move(at + 1, bad.mv.clone()));
    }
    Ok(MatchGame { line, players })
}

/// Tests whether the pairings have this pair and these players under the number of the game.
fn is_game_of(game: &MatchGame, pairing: &Pairing) -> bool {
    let NextGame::Game(GameAssignment { pair, round, black, white, .. }) =
        pairing.game(game.line.game, &ResultsByGame::new())
    else {
        return false;
    };
    (game.line.pair, game.line.round) == (pair, round)
        && [game.players[Color::Black], game.players[Color::White]] == [black, white]
}
