//! Records: what a text says, and a game as text.

use super::position::{End, start, walk};
use super::question::Question;
use crate::analysis::{StudyGame, StudySettings};
use komainu::games::{SourceGame, read_source_text};
use komainu::notation::Format;
use komainu::notation::kif;
use komainu::notation::record::{Conclusion, GameRecord, RecordMove};
use komainu::notation::usi::write_game;
use komainu::position::Position;
use komainu::types::{Color, Move};
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;

#[derive(Serialize)]
pub(super) struct ReadAnswer {
    start: String,
    side: Color,
    moves: Vec<Move>,
    texts: Vec<String>,
    /// Milliseconds, as far as they are told.
    spent: Vec<Option<u64>>,
    players: [Option<String>; 2],
    event: Option<String>,
    started: Option<String>,
    end: Option<End>,
    warnings: Vec<String>,
    fault: Option<String>,
    count: usize,
    /// Comments of the record: those before the first move, then those on each move.
    comments: Vec<Vec<String>>,
    variations: Vec<Branch>,
    /// Positions to be searched, by the moves made before: each part by itself.
    blocks: Vec<Vec<usize>>,
}

/// Line of a record beside the game: it leaves the game after so many moves, and goes on with these.
#[derive(Serialize)]
struct Branch {
    after: usize,
    moves: Vec<Move>,
    comments: Vec<Vec<String>>,
}

/// The lines beside the game, each from where it leaves the game.
fn branches(record: &GameRecord) -> Vec<Branch> {
    let mut before: Vec<&RecordMove> = record.moves.iter().collect();
    let mut all = Vec::new();
    for variation in &record.variations {
        before.truncate(variation.from.saturating_sub(1));
        before.extend(&variation.moves);
        let after = record.moves.iter().zip(&before).take_while(|(played, other)| played.mv == other.mv).count();
        let own = before.get(after..).unwrap_or_default();
        let comments = own.iter().map(|made| made.comments.clone()).collect();
        if !own.is_empty() {
            all.push(Branch { after, moves: own.iter().map(|made| made.mv).collect(), comments });
        }
    }
    all
}

/// The game of a question: that of its `text`, as of a file with this `name`, number `game` of several from 0. How many
/// there are.
pub(super) fn source(question: &Question) -> Result<(SourceGame, usize), String> {
    let name = question.text("name")?.unwrap_or_default();
    let mut games = read_source_text(name, question.needed_text("text")?);
    let count = games.len();
    let game = question.number("game")?.unwrap_or(0) as usize;
    if game >= count {
        return Err(format!("game {} of {count}", game + 1));
    }
    games.swap_remove(game).map(|source| (source, count)).map_err(|unread| unread.told)
}

pub(super) fn study_game(record: &GameRecord) -> StudyGame {
    StudyGame { start: record.start.clone(), moves: record.moves.iter().map(|made| made.mv).collect() }
}

pub(super) fn read(question: &Question) -> Result<ReadAnswer, String> {
    let (source, count) = source(question)?;
    let record = source.record;
    let mut pos: Position = record.start.clone();
    let mut texts = Vec::new();
    for made in &record.moves {
        texts.push(kif::move_text(&pos, made.mv, pos.last_move().map(Move::to)));
        pos.do_move(made.mv);
    }
    let event = record.event_or_title().map(str::to_string);
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    Ok(ReadAnswer {
        start: record.start.to_sfen(),
        side: record.start.side(),
        blocks: study_game(&record).blocks(&StudySettings::default()),
        moves: record.moves.iter().map(|made| made.mv).collect(),
        spent: record.moves.iter().map(|made| made.spent.map(millis)).collect(),
        texts,
        comments: [&record.comments]
            .into_iter()
            .chain(record.moves.iter().map(|made| &made.comments))
            .cloned()
            .collect(),
        variations: branches(&record),
        end: record.conclusion.map(End::from),
        players: record.players,
        event,
        started: record.started,
        warnings: source.warnings,
        fault: source.fault,
        count,
    })
}

/// The game of a question as a text in its `format`, the name of one of records or `usi`.
pub(super) fn write(question: &Question) -> Result<String, String> {
    let start = start(question.text("start")?)?;
    let (_, moves, _) = walk(start.clone(), &question.texts("moves")?)?;
    let millis = question.list("spent")?;
    let spent = |index: usize| millis.get(index).and_then(Value::as_u64).map(Duration::from_millis);
    let moves = moves.into_iter().enumerate();
    let moves = moves.map(|(index, mv)| RecordMove { spent: spent(index), ..RecordMove::new(mv) });
    let players = question.list("players")?;
    let player = |side: usize| players.get(side).and_then(Value::as_str).map(str::to_string);
    let byoyomi = question.text("byoyomi")?.map(|time| ("秒読み".to_string(), time.to_string()));
    let record = GameRecord {
        time_limit: question.text("time_limit")?.map(str::to_string),
        headers: byoyomi.into_iter().collect(),
        players: [player(0), player(1)],
        started: question.text("started")?.map(str::to_string),
        moves: moves.collect(),
        conclusion: End::of(question)?.map(|end| Conclusion::new(end.ending, end.winner)),
        ..GameRecord::new(start)
    };
    match question.needed_text("format")? {
        "usi" => Ok(write_game(&record)),
        name => name.parse().map(|format: Format| format.write(&record)).map_err(|_| format!("{name} is no format")),
    }
}
