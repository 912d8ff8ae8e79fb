//! The folder of a match: its plan and its games, written so that nothing is lost when the match is killed.
//!
//! `match.toml` holds the `Plan`; `games.jsonl` one line a game (`GameLine`), added in one piece as the game ends.
//! One reader serves everybody, also who watches a folder grow ([`FolderTail`]). Whoever only looks at a match
//! takes what can be used and is told of the rest ([`MatchFolder::read`]); whoever goes on with a match or joins it
//! with others wants every line to be a game of it ([`MatchFolder::read_strictly`]). A last line that a kill has
//! torn off, and a game that is there twice, are no faults: the one is played again, the other counts once.
//!
//! Beside them lie records that GUIs open ([`save`]): CSA and KIF, with times, and what the engines thought as
//! comments: floodgate's in CSA, ShogiHome's in KIF.

#[cfg(test)]
mod tests;

use crate::arena::pairing::{GameAssignment, NextGame, Pairing, ResultsByGame};
use crate::arena::plan::{Plan, Tournament};
use crate::arena::stats::PlayedGame;
use crate::client::FileStamp;
use crate::settings::{RecordFormat, read_settings};
use komainu::host::{open_file, read_file, read_text};
use komainu::notation::json::{GameLine, LineFault, game_lines, record_of};
use komainu::notation::remark::Thought;
use komainu::notation::{csa, kif};
use komainu::position::Position;
use komainu::storage::{self, Journal, JournalError};
use komainu::types::{Color, Move, Quoted};
use std::collections::{HashMap, HashSet};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::{fmt, fs};
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
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GameLineFault {
    /// The last line has no end: the match was killed, or writes it just now.
    #[error("{}", LineFault::Torn)]
    Torn,
    #[error("game {0} stands further up already")]
    Repeated(u64),
    /// It is no game of the plan: why.
    #[error("{0}")]
    Refused(String),
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
            LineFault::Unreadable(_) => GameLineFault::Refused(fault.to_string()),
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
    /// A plan or a line of the games that cannot be used, or a folder that cannot be joined with others: where, and why.
    #[error("{}: {}", .0.display(), .1)]
    Refused(PathBuf, String),
}

impl FolderError {
    pub(crate) fn refused(path: PathBuf, why: impl fmt::Display) -> FolderError {
        FolderError::Refused(path, why.to_string())
    }
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
pub(crate) fn refuse_faults(folder: &Path, notes: &[Note]) -> Result<(), FolderError> {
    match notes.iter().find(|note| !note.fault.is_harmless()) {
        Some(note) => Err(FolderError::refused(folder.join(GAMES_FILE), note)),
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
    let plan: Plan = read_settings(&text).map_err(|fault| FolderError::refused(path.clone(), fault))?;
    if plan.engines.len() < 2 {
        return Err(FolderError::refused(path, "fewer than two engines"));
    }
    let mut names = HashSet::new();
    if let Some(twice) = plan.engines.iter().find(|engine| !names.insert(&engine.name)) {
        return Err(FolderError::refused(path, format_args!("two engines are called {}", Quoted(&twice.name))));
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
pub(crate) fn read_games(plan: &Plan, bytes: &[u8], must_fit: bool) -> (Vec<MatchGame>, Vec<Note>) {
    LineReader::new(plan, must_fit).read(bytes)
}

/// Reads the lines of a plan's games, as many at a time as there are.
#[derive(Debug)]
pub(crate) struct LineReader {
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
    pub(crate) fn new(plan: &Plan, must_fit: bool) -> LineReader {
        let indices = plan.engines.iter().enumerate().map(|(index, engine)| (engine.name.clone(), index)).collect();
        // Which games of a Swiss tournament meet follows from those before; a server pairs as it likes.
        let pairing = if must_fit && plan.tournament != Tournament::Swiss { Pairing::new(plan).ok() } else { None };
        LineReader { indices, pairing, numbers: HashSet::new(), lines: 0 }
    }

    /// Reads the lines behind those that have been read.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> (Vec<MatchGame>, Vec<Note>) {
        let mut games = Vec::new();
        let mut notes = Vec::new();
        for (number, line) in game_lines(bytes) {
            let read = line
                .map_err(GameLineFault::from)
                .and_then(|line| seat(&self.indices, line).map_err(GameLineFault::Refused));
            let fault = match read {
                Ok(game) if self.pairing.is_some_and(|pairing| !is_game_of(&game, &pairing)) => {
                    GameLineFault::Refused(format!("game {} is none of this match", game.line.game + 1))
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

fn seat(indices: &HashMap<String, usize>, line: GameLine) -> Result<MatchGame, String> {
    let mut players = [0; 2];
    for (player, name) in players.iter_mut().zip(&line.players) {
        let Some(&index) = indices.get(name) else {
            return Err(format!("no engine of {PLAN_FILE} is called {}", Quoted(name)));
        };
        *player = index;
    }
    if players[0] == players[1] {
        return Err(format!("{} plays both sides", Quoted(&line.players[0])));
    }
    Position::from_sfen(&line.start).map_err(|error| format!("bad start position: {error}"))?;
    for (number, played) in (1..).zip(&line.moves) {
        if played.mv.parse::<Move>().is_err() {
            return Err(format!("move {number}: {} is not a move", Quoted(&played.mv)));
        }
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

/// The open journal of a match.
#[derive(Debug)]
pub struct MatchJournal {
    folder: PathBuf,
    games: Journal,
}

impl MatchJournal {
    /// Begins a match in a folder, which is made if it is not there and must hold no match.
    pub fn create(folder: &Path, plan: &Plan) -> Result<MatchJournal, FolderError> {
        fs::create_dir_all(folder).map_err(|error| FolderError::Io(folder.to_path_buf(), error))?;
        let games = match Journal::open(&folder.join(GAMES_FILE), false) {
            Err(JournalError::Begun(_)) => return Err(FolderError::Exists(folder.to_path_buf())),
            games => games?,
        };
        let journal = MatchJournal { folder: folder.to_path_buf(), games };
        journal.write_plan(plan)?;
        Ok(journal)
    }

    /// Tests whether a folder holds a match with games.
    pub fn exists(folder: &Path) -> bool {
        fs::metadata(folder.join(GAMES_FILE)).is_ok_and(|data| data.len() > 0)
    }

    /// Tests whether a process plays the match in a folder.
    pub fn is_in_use(folder: &Path) -> bool {
        Journal::is_in_use(&folder.join(GAMES_FILE))
    }

    /// Goes on with the match in a folder: its plan and the games that have ended.
    pub fn resume(folder: &Path) -> Result<(MatchJournal, MatchFolder), FolderError> {
        let plan = read_plan(folder)?;
        let mut games = Journal::open(&folder.join(GAMES_FILE), true)?;
        let mut bytes = Vec::new();
        games.reader().and_then(|mut reader| reader.read_to_end(&mut bytes)).map_err(games.fail())?;
        let (read, notes) = read_games(&plan, &bytes, true);
        refuse_faults(folder, &notes)?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        // The next line must not be written behind half a line, nor behind one that lacks its end.
        if notes.iter().any(|note| note.fault == GameLineFault::Torn) {
            games.keep(whole as u64)?;
        } else if whole < bytes.len() {
            games.append(b"\n")?;
        }
        let journal = MatchJournal { folder: folder.to_path_buf(), games };
        Ok((journal, MatchFolder { plan, games: read, notes }))
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes the plan, which may have grown.
    pub fn write_plan(&self, plan: &Plan) -> Result<(), FolderError> {
        let path = self.folder.join(PLAN_FILE);
        let text = toml::to_string(plan).map_err(|error| FolderError::refused(path.clone(), error))?;
        write_whole(&path, text.as_bytes())
    }

    /// Adds a game and waits until it is on the disk.
    pub fn add(&mut self, line: &GameLine) -> Result<(), FolderError> {
        self.add_all(&[line])
    }

    /// Adds games and waits until they are on the disk: all of them or none.
    pub fn add_all(&mut self, lines: &[&GameLine]) -> Result<(), FolderError> {
        let mut text = String::new();
        for line in lines {
            text += &serde_json::to_string(line).map_err(|error| self.games.fail()(error.into()))?;
            text.push('\n');
        }
        self.games.append(text.as_bytes())?;
        Ok(self.games.sync()?)
    }
}

/// Writes a file so that it is there as a whole or not at all.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), FolderError> {
    storage::write_whole(path, bytes).map_err(|error| FolderError::Io(path.to_path_buf(), error))
}

/// Writes the folder of a match that has been played already, which must hold none yet.
pub fn write_match(folder: &Path, plan: &Plan, games: &[GameLine]) -> Result<(), FolderError> {
    MatchJournal::create(folder, plan)?.add_all(&games.iter().collect::<Vec<_>>())
}

/// A folder of a match that grows, or that is not there yet.
#[derive(Debug)]
pub struct FolderTail {
    folder: PathBuf,
    /// Reader of the games, once there is a plan.
    reader: Option<LineReader>,
    /// The state of the plan that was read.
    plan_stamp: Option<FileStamp>,
    /// Bytes of the games that have been read, up to the end of a line.
    offset: u64,
}

/// Growth of a folder since it was last read.
#[derive(Debug, Default)]
pub struct Growth {
    /// The plan, if it is new or was written anew.
    pub plan: Option<Plan>,
    /// Games that have ended.
    pub games: Vec<MatchGame>,
}

impl FolderTail {
    /// A folder of which nothing has been read yet.
    pub fn new(folder: &Path) -> FolderTail {
        FolderTail { folder: folder.to_path_buf(), reader: None, plan_stamp: None, offset: 0 }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Reads what has come since the last time. A line without its end is being written, or was torn by a kill: it is
    /// read once it is whole.
    pub fn read(&mut self) -> Result<Growth, FolderError> {
        let mut growth = Growth { plan: self.read_plan()?, games: Vec::new() };
        let Some(reader) = &mut self.reader else { return Ok(growth) };
        let path = self.folder.join(GAMES_FILE);
        let bytes = read_behind(&path, &mut self.offset).map_err(|error| FolderError::Io(path, error))?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let (games, notes) = reader.read(&bytes[..whole]);
        refuse_faults(&self.folder, &notes)?;
        self.offset += whole as u64;
        growth.games = games;
        Ok(growth)
    }

    /// The plan, if it is there and not the one that was read.
    fn read_plan(&mut self) -> Result<Option<Plan>, FolderError> {
        let stamp = FileStamp::of(self.folder.join(PLAN_FILE));
        if self.plan_stamp.as_ref() == Some(&stamp) {
            return Ok(None);
        }
        let plan = match read_plan(&self.folder) {
            // It is not there yet, or has just been taken away.
            Err(FolderError::Missing(_)) => return Ok(None),
            read => read?,
        };
        self.reader.get_or_insert_with(|| LineReader::new(&plan, true));
        self.plan_stamp = Some(stamp);
        Ok(Some(plan))
    }
}

/// The bytes of a file behind those that have been read. A shorter file is one that was begun anew.
fn read_behind(path: &Path, offset: &mut u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let length = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(bytes),
        data => data?.len(),
    };
    if length < *offset {
        *offset = 0;
    }
    if length > *offset {
        let mut file = open_file(path)?;
        file.seek(SeekFrom::Start(*offset))?;
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// The folder of the records in that of the match.
pub const RECORDS_FOLDER: &str = "records";
/// The folder of the conversations in that of the match.
pub const LOGS_FOLDER: &str = "logs";

/// Saves a game in the formats of its plan.
pub fn save(folder: &Path, line: &GameLine, plan: &Plan) -> Result<(), FolderError> {
    let folder = folder.join(RECORDS_FOLDER);
    let name = game_name(line);
    for &format in plan.format.iter().filter(|&&format| format != RecordFormat::None) {
        fs::create_dir_all(&folder).map_err(|error| FolderError::Io(folder.clone(), error))?;
        let text = match format {
            RecordFormat::Csa => csa::write(&record_of(line, Thought::floodgate)),
            _ => kif::write(&record_of(line, Thought::shogihome)),
        };
        let (bytes, _) = format.encoded(&text, plan.encoding);
        write_whole(&folder.join(format!("{name}.{}", format.extension(plan.encoding))), &bytes)?;
    }
    Ok(())
}

/// Saves the conversations of a game.
pub fn save_log(folder: &Path, line: &GameLine, log: &str) -> Result<(), FolderError> {
    let folder = folder.join(LOGS_FOLDER);
    fs::create_dir_all(&folder).map_err(|error| FolderError::Io(folder.clone(), error))?;
    write_whole(&folder.join(format!("{}.log", game_name(line))), log.as_bytes())
}

/// The name of the files of a game, without an ending: `00012-new-old`.
fn game_name(line: &GameLine) -> String {
    let [black, white] = line.players.each_ref().map(|name| file_name(name));
    format!("{:05}-{black}-{white}", line.game + 1)
}

/// Part of a name that can stand in the name of a file everywhere.
fn file_name(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || matches!(c, '.' | '_' | '+' | '-') { c } else { '_' };
    name.chars().take(40).map(safe).collect()
}
