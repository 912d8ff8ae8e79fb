//! An encoding of a game: one line of JSON, which a match writes for each game and its report reads.
//!
//! The model is [`GameRecord`](super::record::GameRecord); a line adds the place of the game in its match.

use super::record::{Conclusion, Ending, GameRecord, Outcome, RecordMove};
use super::remark::Thought;
use super::score::{InfoScore, ReportedScore};
use super::usi::parse_move;
use crate::position::Position;
use crate::types::{Color, Quoted};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;
use thiserror::Error;

/// One game of a match.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GameLine {
    /// Number in the match, from 0.
    pub game: u64,
    /// The number of its pair: the two games of a pair have the same opening with colours swapped.
    pub pair: u64,
    /// The round of a tournament, from 0.
    pub round: u32,
    /// The names of black and white.
    pub players: [String; 2],
    /// The SFEN of the position in which the game began.
    pub start: String,
    /// Number of moves that belong to the opening and were not played by the engines.
    pub opening_plies: usize,
    /// The moves.
    pub moves: Vec<MoveLine>,
    /// End of the game.
    pub ending: Ending,
    /// `"black"`, `"white"`, or `null` for a draw and for a game without a result.
    #[serde(with = "color")]
    pub winner: Option<Color>,
    /// Milliseconds that the side to move had used at the end, if it did not move any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_millis: Option<u64>,
    /// Detail that the ending does not tell, such as the text of an illegal move; empty if there is nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// When it began: UTC, as in `2026-11-21T12:00:00Z`.
    pub started: String,
    /// Duration of the game in milliseconds.
    pub duration_ms: u64,
    /// Longest time in milliseconds for which the machine itself stood still during the move that was late, of a game
    /// that was lost on time for that reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_stall_ms: Option<u64>,
    /// Programs that played it, and their machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Box<GameOrigin>>,
}

impl GameLine {
    /// Result of the game; `None` for a game that counts for nobody: broken off, an error, or lost on time because the
    /// machine stood still.
    pub fn result(&self) -> Option<Outcome> {
        if self.host_stall_ms.is_some() {
            return None;
        }
        Conclusion::new(self.ending, self.winner).outcome()
    }

    /// Hash of the position after the opening and of the moves from there: games with an equal one are the same game
    /// again, whatever way their openings have come to that position. Another build may hash in another way.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let (opening, played) = self.moves.split_at(self.opening_plies.min(self.moves.len()));
        match self.begins(opening) {
            Some(pos) => pos.key().hash(&mut hasher),
            None => (&self.start, opening.iter().map(|one| &one.mv).collect::<Vec<_>>()).hash(&mut hasher),
        }
        for one in played {
            one.mv.hash(&mut hasher);
        }
        hasher.finish()
    }

    /// The position after the opening; `None` if it cannot be played.
    fn begins(&self, opening: &[MoveLine]) -> Option<Position> {
        let mut pos = Position::from_sfen(&self.start).ok()?;
        for played in opening {
            let mv = parse_move(&pos, &played.mv).ok()?;
            pos.do_move(mv);
        }
        Some(pos)
    }
}

/// Why a line of a file of games is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LineFault {
    /// It is the last one and has no end.
    #[error("torn off, as a match leaves it that is killed or still runs")]
    Torn,
    /// It is no JSON of a game.
    #[error("no game: {0}")]
    Unreadable(String),
}

/// Lines of a file of games, each with its number from 1: a game, or why it is none.
pub fn game_lines(bytes: &[u8]) -> impl Iterator<Item = (usize, Result<GameLine, LineFault>)> {
    let lines = (1..).zip(bytes.split_inclusive(|&byte| byte == b'\n'));
    lines.filter(|(_, line)| !line.trim_ascii().is_empty()).map(|(number, line)| {
        let read = serde_json::from_slice(line).map_err(|error| {
            if line.ends_with(b"\n") { LineFault::Unreadable(error.to_string()) } else { LineFault::Torn }
        });
        (number, read)
    })
}

/// The programs of a game and the machine on which they ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameOrigin {
    /// Black and white.
    pub engines: [EngineIdentity; 2],
    /// The machine.
    pub machine: Machine,
}

/// Marks that tell a program from another build of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineIdentity {
    /// The name that it gives after `id name`; empty if it gives none.
    pub id_name: String,
    /// SHA-256 of the program and of the files that its options name, by their paths: 64 hexadecimal digits.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// SHA-256 of the files that its arguments name, by their paths, without those that it wrote as it started. One that
    /// changes may be its log: it makes no other engine.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, String>,
    /// Options that it was sent, with those that the match sets itself.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
}

impl EngineIdentity {
    /// Lines for the head of a record: name of the engine of a side, its options, and the sums of its files by their
    /// names. Paths tell too much of a machine for records that go round.
    pub fn lines(&self, side: Color) -> Vec<String> {
        let side = side.name();
        let mut lines = Vec::new();
        if !self.id_name.is_empty() {
            lines.push(format!("{side}: {}", self.id_name));
        }
        for (name, value) in &self.options {
            lines.push(format!("{side}: option {name}={value}"));
        }
        for (path, sum) in self.files.iter().chain(&self.arguments) {
            let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
            lines.push(format!("{side}: file {file} SHA-256 {sum}"));
        }
        lines
    }

    /// Fails with what differs unless name and options are those of another identity.
    pub fn check_name_and_options(&self, other: &EngineIdentity) -> Result<(), String> {
        if self.id_name != other.id_name {
            return Err(format!("it calls itself {}, not {}", Quoted(&other.id_name), Quoted(&self.id_name)));
        }
        for name in self.options.keys().chain(other.options.keys()) {
            let before = self.options.get(name);
            let now = other.options.get(name);
            if now != before {
                return Err(format!("its option {name} is {}, not {}", option_value(now), option_value(before)));
            }
        }
        Ok(())
    }

    /// Tests whether program and files hold the same, wherever they are.
    pub fn has_files_of(&self, other: &EngineIdentity) -> bool {
        has_same_sums(&self.files, &other.files) && has_same_sums(&self.arguments, &other.arguments)
    }

    /// Fails with what differs unless the other identity is that of the same engine.
    pub fn check(&self, other: &EngineIdentity) -> Result<(), String> {
        self.check_name_and_options(other)?;
        self.check_files(other)
    }

    /// Fails with what differs unless program and files of options are those of another identity.
    pub fn check_files(&self, other: &EngineIdentity) -> Result<(), String> {
        if has_same_sums(&self.files, &other.files) {
            return Ok(());
        }
        for (path, sum) in &other.files {
            match self.files.get(path) {
                Some(before) if before == sum => {}
                Some(before) => return Err(format!("{path} is another file: SHA-256 {sum}, not {before}")),
                None => return Err(format!("{path} did not play before: SHA-256 {sum}")),
            }
        }
        match self.files.keys().find(|path| !other.files.contains_key(*path)) {
            Some(path) => Err(format!("{path} is missing")),
            None => Ok(()),
        }
    }

    /// Files that arguments name and that hold something else in another identity, by their paths.
    pub fn changed_arguments<'a>(&self, other: &'a EngineIdentity) -> impl Iterator<Item = &'a str> {
        let is_changed = |path: &String, sum: &String| self.arguments.get(path).is_some_and(|known| known != sum);
        other.arguments.iter().filter(move |(path, sum)| is_changed(path, sum)).map(|(path, _)| path.as_str())
    }
}

fn has_same_sums(one: &BTreeMap<String, String>, other: &BTreeMap<String, String>) -> bool {
    let mut sums: Vec<&String> = one.values().collect();
    let mut others: Vec<&String> = other.values().collect();
    sums.sort();
    others.sort();
    sums == others
}

fn option_value(value: Option<&String>) -> String {
    value.map_or("the engine's own".to_string(), |value| Quoted(value).to_string())
}

/// A machine that plays games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Name of the host.
    pub host: String,
    /// Name of the processor, as in `Intel(R) Xeon(R) Processor`.
    pub cpu: String,
    /// Cores that the program may use.
    pub cores: usize,
}

/// One move of a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MoveLine {
    /// The move in USI.
    #[serde(rename = "m")]
    pub mv: String,
    /// Milliseconds that were charged for it; `None` for a move of the opening.
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    pub millis: Option<u64>,
    /// The engine's score in centipawns, from the view of the side that moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cp: Option<i32>,
    /// Plies to the mate, if the score is one; below zero if the side that moved is mated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mate: Option<i32>,
    /// The words of USI for a score that is neither: `mate +` for a mate of unknown length, `cp 30 lowerbound` where no
    /// more than a bound was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<String>,
    /// The depth that the engine reported.
    #[serde(rename = "d", default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The nodes that the engine reported.
    #[serde(rename = "n", default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The moves that the engine expected next, the reply first: in USI, with blanks between.
    #[serde(rename = "pv", default, skip_serializing_if = "String::is_empty")]
    pub line: String,
}

impl MoveLine {
    /// What the engine said of its move: a score, or a bound of it.
    pub fn told_score(&self) -> Option<InfoScore> {
        if let Some(cp) = self.cp {
            return Some(InfoScore::Exact(ReportedScore::Centipawns(cp)));
        }
        if let Some(plies) = self.mate {
            return Some(InfoScore::Exact(ReportedScore::Mate(plies)));
        }
        InfoScore::read(self.score.as_deref()?)
    }

    /// Tests whether the engine told a mate, of whatever length.
    pub fn is_mate(&self) -> bool {
        self.told_score().and_then(InfoScore::exact).is_some_and(|score| score.mates().is_some())
    }

    /// Keeps what the engine said of its move.
    pub fn set_score(&mut self, score: Option<InfoScore>) {
        self.cp = None;
        self.mate = None;
        self.score = None;
        match score {
            None => {}
            Some(InfoScore::Exact(ReportedScore::Centipawns(cp))) => self.cp = Some(cp),
            Some(InfoScore::Exact(ReportedScore::Mate(plies))) => self.mate = Some(plies),
            Some(InfoScore::Exact(ReportedScore::UnknownMate { .. })) => {
                self.score = score.map(|score| score.to_string())
            }
            Some(InfoScore::AtLeast(_) | InfoScore::AtMost(_)) => self.score = score.map(|score| score.to_string()),
        }
    }
}

/// The game as a record, with comments on what the engines thought, each for the position after its move. A move that
/// cannot be read, which a journal never holds, ends it.
pub fn record_of(line: &GameLine, comments: impl Fn(&Thought, &Position) -> Vec<String>) -> GameRecord {
    let start = Position::from_sfen(&line.start).unwrap_or_else(|_| Position::startpos());
    let mut pos = start.clone();
    let mut record = GameRecord::new(start);
    record.players = line.players.each_ref().map(|name| Some(name.clone()));
    record.started = Some(line.started.replace(['T', 'Z'], " ").trim().replace('-', "/"));
    record.event = Some(format!("komainu match, game {}", line.game + 1));
    if let Some(origin) = &line.origin {
        record.comments.extend(Color::ALL.iter().flat_map(|&side| origin.engines[side].lines(side)));
    }
    for played in &line.moves {
        let Ok(mv) = parse_move(&pos, &played.mv) else { break };
        pos.do_move(mv);
        let spent = played.millis.map(Duration::from_millis);
        let comments = thought(played).map(|thought| comments(&thought, &pos)).unwrap_or_default();
        record.moves.push(RecordMove { mv, spent, comments });
    }
    let spent = line.last_millis.map(Duration::from_millis);
    record.conclusion = Some(Conclusion { ending: line.ending, winner: line.winner, spent });
    if !line.detail.is_empty() {
        let comments = record.moves.last_mut().map_or(&mut record.comments, |last| &mut last.comments);
        comments.push(format!("{}: {}", line.ending, line.detail));
    }
    record
}

/// Thought of the engine about its move, if it told a score.
fn thought(played: &MoveLine) -> Option<Thought> {
    let score = played.told_score()?;
    let line = played.line.split_ascii_whitespace().map_while(|word| word.parse().ok()).collect();
    Some(Thought { score, depth: played.depth, nodes: played.nodes, line })
}

/// A side by its name.
mod color {
    use crate::types::Color;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(color: &Option<Color>, serializer: S) -> Result<S::Ok, S::Error> {
        color.map(Color::name).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Color>, D::Error> {
        let Some(name) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
        match Color::ALL.into_iter().find(|color| color.name() == name) {
            Some(color) => Ok(Some(color)),
            None => Err(serde::de::Error::custom(format!("\"{name}\" is neither black nor white"))),
        }
    }
}
