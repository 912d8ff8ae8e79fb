//! The records of games: files that grow move by move, so that a kill loses nothing, and the folder's list of games,
//! which is that of a match: `komainu report` shows it.

use super::game::{Game, GameMove};
use super::settings::Settings;
use super::unfinished::{CUT_OFF, Unfinished};
use crate::arena::engine::machine;
use crate::arena::folder::{FolderError, MatchJournal};
use crate::arena::plan::{EnginePlan, Limit, Plan, Tournament};
use crate::settings::{Encoding, RecordFormat, Rules};
use jiff::ZonedDateTime;
use komainu::notation::csa::CsaVersion;
use komainu::notation::json::{EngineIdentity, GameLine, GameOrigin, MoveLine};
use komainu::notation::record::{Conclusion, Ending, GameRecord, RecordMove};
use komainu::notation::remark::Thought;
use komainu::notation::{csa, kif};
use komainu::position::{EnteringKingRule, Position};
use komainu::storage::JournalError;
use komainu::types::Color;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

/// The most files of one name that are told apart by a number.
const MAX_SAME_NAME: u32 = 1_000;

/// The files of one game.
pub(super) struct GameFiles {
    files: Vec<GrowingFile>,
    /// With comments as floodgate's server writes them, and as ShogiHome reads them from KIF.
    records: [GameRecord; 2],
    position: Position,
    /// Number of moves of the game that they hold.
    written: usize,
    comments: bool,
    /// The engine that plays here, and the machine.
    origin: GameOrigin,
    /// The list as it is with this game alone.
    plan: Plan,
    /// The game for the list, in case that it is cut off.
    unfinished: Option<Unfinished>,
    started: SystemTime,
    began: Instant,
}

/// A file whose text is only added to.
struct GrowingFile {
    format: RecordFormat,
    encoding: Encoding,
    path: PathBuf,
    file: File,
    text: String,
}

impl GameFiles {
    /// Begins the files of a game that has just started. A file that is there is never written over.
    pub(super) fn create(settings: &Settings, game: &Game, identity: EngineIdentity) -> io::Result<GameFiles> {
        let name = file_name(&settings.record.name, game, &ZonedDateTime::now());
        let mut files = GameFiles::without_files(settings, game, identity);
        for &format in settings.record.formats.iter().filter(|&&format| format != RecordFormat::None) {
            files.files.push(GrowingFile::create(settings, &name, format)?);
        }
        files.unfinished = Unfinished::begin(&settings.record.folder, &files.plan).ok();
        files.add_moves(game)?;
        Ok(files)
    }

    /// Keeps the game without files, for a folder that cannot be written to: only the list may get it.
    pub(super) fn without_files(settings: &Settings, game: &Game, identity: EngineIdentity) -> GameFiles {
        let mut record = head(settings, game, &ZonedDateTime::now());
        record.comments = identity.lines(game.side());
        let mut origin = GameOrigin { engines: Default::default(), machine: machine() };
        origin.engines[game.side()] = identity.clone();
        GameFiles {
            files: Vec::new(),
            records: [record.clone(), record],
            position: game.summary.start.clone(),
            written: 0,
            comments: settings.record.comments,
            origin,
            plan: plan(settings, game, &identity),
            unfinished: None,
            started: SystemTime::now(),
            began: Instant::now(),
        }
    }

    /// Adds the moves that the game has got since the last time.
    pub(super) fn add_moves(&mut self, game: &Game) -> io::Result<()> {
        for made in &game.moves[self.written..] {
            self.position.do_move(made.mv);
            let thought = if self.comments && made.thought.is_some() { thought(made) } else { None };
            let [for_csa, for_kif] = match thought {
                Some(thought) => [thought.floodgate(&self.position), thought.shogihome(&self.position)],
                None => [Vec::new(), Vec::new()],
            };
            for (record, comments) in self.records.iter_mut().zip([for_csa, for_kif]) {
                record.moves.push(RecordMove { mv: made.mv, spent: made.spent, comments });
            }
        }
        self.written = game.moves.len();
        self.write()?;
        let line = self.line(game, Conclusion::new(Ending::Error, None), CUT_OFF);
        self.unfinished.as_mut().map_or(Ok(()), |unfinished| unfinished.note(&line))
    }

    /// Ends the files. `detail` is what the ending does not tell.
    pub(super) fn finish(&mut self, game: &Game, conclusion: Conclusion, detail: &str) -> io::Result<()> {
        self.add_moves(game)?;
        for record in &mut self.records {
            record.conclusion = Some(conclusion);
            // With the last move: what stands before it is on the disk already.
            let comments = record.moves.last_mut().map_or(&mut record.comments, |last| &mut last.comments);
            comments.extend(Some(detail.to_string()).filter(|detail| !detail.is_empty()));
        }
        self.write()?;
        for file in &self.files {
            file.file.sync_data()?;
        }
        Ok(())
    }

    fn write(&mut self) -> io::Result<()> {
        let [for_csa, for_kif] = &self.records;
        for file in &mut self.files {
            let text = match file.format {
                RecordFormat::Csa => csa::write_version(for_csa, CsaVersion::V3_0),
                _ => kif::write(for_kif),
            };
            file.grow_to(text)?;
        }
        Ok(())
    }

    pub(super) fn paths(&self) -> Vec<String> {
        self.files.iter().map(|file| file.path.display().to_string()).collect()
    }

    /// Adds the game, which has ended, to the list of its folder.
    pub(super) fn list(&mut self, folder: &Path, line: GameLine) -> Result<(), FolderError> {
        // If the list cannot be written to now, the game is listed by the next session.
        if let Some(unfinished) = &mut self.unfinished {
            _ = unfinished.note(&line);
        }
        add_to_list(folder, &self.plan, line)?;
        if let Some(unfinished) = self.unfinished.take() {
            unfinished.end();
        }
        Ok(())
    }

    /// The line of the game in the folder's list, without its number.
    pub(super) fn line(&self, game: &Game, conclusion: Conclusion, detail: &str) -> GameLine {
        let moves = game.moves.iter().map(move_line).collect();
        let started = humantime::format_rfc3339_seconds(self.started).to_string();
        GameLine {
            players: game.summary.players.clone(),
            start: game.summary.start.to_sfen(),
            opening_plies: game.summary.moves.len(),
            moves,
            ending: conclusion.ending,
            winner: conclusion.winner,
            detail: detail.to_string(),
            started,
            duration_ms: self.began.elapsed().as_millis() as u64,
            origin: Some(Box::new(self.origin.clone())),
            ..GameLine::default()
        }
    }
}

impl GrowingFile {
    fn create(settings: &Settings, name: &str, format: RecordFormat) -> io::Result<GrowingFile> {
        let folder = &settings.record.folder;
        let encoding = settings.record.encoding;
        let extension = format.extension(encoding);
        let mut number = 1;
        loop {
            let path = folder.join(match number {
                1 => format!("{name}.{extension}"),
                number => format!("{name}-{number}.{extension}"),
            });
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok(GrowingFile { format, encoding, path, file, text: String::new() }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < MAX_SAME_NAME => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Writes what the text has more than before; all of it if the beginning has changed.
    fn grow_to(&mut self, text: String) -> io::Result<()> {
        let encode = |text: &str| self.format.encoded(text, self.encoding).0;
        match text.strip_prefix(&self.text) {
            Some(more) => self.file.write_all(&encode(more))?,
            None => {
                self.file.set_len(0)?;
                self.file.seek(SeekFrom::Start(0))?;
                self.file.write_all(&encode(&text))?;
            }
        }
        self.text = text;
        Ok(())
    }
}

/// The thought of the engine on its move, with the line behind it; none without a score.
pub(super) fn thought(made: &GameMove) -> Option<Thought> {
    let info = made.thought.as_ref()?;
    let line = if info.pv.first() == Some(&made.mv) { info.pv[1..].to_vec() } else { Vec::new() };
    Some(Thought { score: info.score?, depth: info.depth, nodes: info.nodes, line })
}

pub(super) fn move_line(made: &GameMove) -> MoveLine {
    let thought = thought(made);
    let line: Vec<String> = thought.iter().flat_map(|thought| &thought.line).map(|mv| mv.to_string()).collect();
    let mut played = MoveLine {
        mv: made.mv.to_string(),
        millis: made.spent.map(|spent| spent.as_millis() as u64),
        depth: thought.as_ref().and_then(|thought| thought.depth),
        nodes: thought.as_ref().and_then(|thought| thought.nodes),
        line: line.join(" "),
        ..MoveLine::default()
    };
    played.set_score(thought.map(|thought| thought.score));
    played
}

/// The record above the moves.
fn head(settings: &Settings, game: &Game, now: &ZonedDateTime) -> GameRecord {
    let summary = &game.summary;
    let mut record = GameRecord::new(summary.start.clone());
    record.players = summary.players.clone().map(|name| Some(name).filter(|name| !name.is_empty()));
    record.event = Some(summary.id.clone()).filter(|id| !id.is_empty());
    record.site = Some(format!("{}:{}", settings.host, settings.port));
    record.started = Some(now.strftime("%Y/%m/%d %H:%M:%S").to_string());
    let times = summary.times.map(|control| {
        let seconds = |time: Duration| time.as_secs_f64();
        let total = control.total.unwrap_or_default();
        format!("{}+{}+{}", seconds(total), seconds(control.byoyomi), seconds(control.increment))
    });
    let limited = |color: Color| summary.times[color].is_limited();
    let header = |key: &str, value: String| (key.to_string(), value);
    match &times {
        [black, white] if black == white && limited(Color::Black) => record.headers.push(header("TIME", black.clone())),
        [black, white] if limited(Color::Black) || limited(Color::White) => {
            record.headers.push(header("TIME+", black.clone()));
            record.headers.push(header("TIME-", white.clone()));
        }
        _ => {}
    }
    if game.rules.ply_limit > 0 {
        record.headers.push(header("MAX_MOVES", game.rules.ply_limit.to_string()));
    }
    let points = match game.rules.entering_king {
        EnteringKingRule::CSARule27 | EnteringKingRule::CSARule27H => Some("27"),
        EnteringKingRule::CSARule24 | EnteringKingRule::CSARule24H => Some("24"),
        EnteringKingRule::TryRule | EnteringKingRule::NoEnteringKing => None,
    };
    record.headers.extend(points.map(|points| header("JISHOGI", points.to_string())));
    record
}

/// The name of the files: the places `{date}`, `{time}`, `{black}`, `{white}`, `{id}` of a pattern filled in, and
/// everything replaced that cannot stand in a name everywhere.
fn file_name(pattern: &str, game: &Game, now: &ZonedDateTime) -> String {
    let [black, white] = &game.summary.players;
    let name = pattern
        .replace("{date}", &now.strftime("%Y%m%d").to_string())
        .replace("{time}", &now.strftime("%H%M%S").to_string())
        .replace("{black}", black)
        .replace("{white}", white)
        .replace("{id}", &game.summary.id);
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "_.+@-".contains(c);
    let name: String = name.chars().take(200).map(|c| if is_safe(c) { c } else { '_' }).collect();
    // No hidden file, no way to another folder.
    let name = name.trim_start_matches('.').to_string();
    if name.is_empty() { "game".to_string() } else { name }
}

/// The list as that of a match, with the clock and the rules of its first game.
pub(super) fn plan(settings: &Settings, game: &Game, identity: &EngineIdentity) -> Plan {
    let control = game.summary.times[game.side()];
    let millis = |time: Duration| time.as_millis() as u64;
    let limit = Limit {
        time_ms: millis(control.total.unwrap_or_default()),
        increment_ms: millis(control.increment),
        byoyomi_ms: millis(control.byoyomi),
        ..Limit::default()
    };
    let player = |color: Color| EnginePlan { name: game.summary.players[color].clone(), ..EnginePlan::default() };
    let own = EnginePlan {
        options: settings.engine.options.clone(),
        command: settings.engine.command.clone().unwrap_or_default(),
        identity: Some(identity.clone()),
        ..player(game.side())
    };
    let games = settings.games.unwrap_or(0);
    let rules = Rules::from(game.rules);
    let mut plan = Plan { tournament: Tournament::Server, limit, rules, ..Plan::new(vec![own], games) };
    plan.add_engines([player(!game.side())]);
    plan
}

/// Longest wait for a folder that another process writes to.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Adds a game to the list of its folder. `fresh` is the list as it is with this game alone.
pub(super) fn add_to_list(folder: &Path, fresh: &Plan, mut line: GameLine) -> Result<(), FolderError> {
    let deadline = Instant::now() + LOCK_TIMEOUT;
    let mut journal = loop {
        let opened = if MatchJournal::exists(folder) {
            MatchJournal::resume(folder).map(|(journal, read)| {
                let next = read.games.iter().map(|game| game.line.game + 1).max();
                (journal, read.plan, next)
            })
        } else {
            MatchJournal::create(folder, fresh).map(|journal| (journal, fresh.clone(), None))
        };
        match opened {
            Err(FolderError::Journal(JournalError::InUse(..)) | FolderError::Exists(_))
                if Instant::now() < deadline =>
            {
                thread::sleep(Duration::from_millis(50));
            }
            Err(error) => return Err(error),
            Ok((journal, mut plan, next)) => {
                line.game = next.unwrap_or(0);
                line.pair = line.game;
                let known = plan.engines.len();
                plan.add_engines(fresh.engines.iter().cloned());
                if plan.engines.len() > known {
                    journal.write_plan(&plan)?;
                }
                break journal;
            }
        }
    };
    journal.add(&line)
}
