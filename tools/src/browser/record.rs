//! Records: what a text says, and a game as text.

use super::position::{end, start, told_end, walk};
use super::question::Question;
use crate::analysis::{StudyGame, StudySettings};
use komainu::games::{SourceGame, read_source_text};
use komainu::notation::Format;
use komainu::notation::kif;
use komainu::notation::record::{GameRecord, RecordMove};
use komainu::notation::usi::write_game;
use komainu::position::Position;
use komainu::types::Move;
use serde_json::{Value, json};
use std::time::Duration;

/// The lines beside the game: after how many moves each leaves it, and how it goes on.
fn variations(record: &GameRecord) -> Vec<Value> {
    let mut before: Vec<&RecordMove> = record.moves.iter().collect();
    let mut all = Vec::new();
    for variation in &record.variations {
        before.truncate(variation.from.saturating_sub(1));
        before.extend(&variation.moves);
        let after = record.moves.iter().zip(&before).take_while(|(played, other)| played.mv == other.mv).count();
        let own = before.get(after..).unwrap_or_default();
        if !own.is_empty() {
            let moves: Vec<Move> = own.iter().map(|made| made.mv).collect();
            let comments: Vec<&Vec<String>> = own.iter().map(|made| &made.comments).collect();
            all.push(json!({ "after": after, "moves": moves, "comments": comments }));
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

pub(super) fn read(question: &Question) -> Result<Value, String> {
    let (source, count) = source(question)?;
    let record = &source.record;
    let mut pos: Position = record.start.clone();
    let mut moves = Vec::new();
    let mut texts = Vec::new();
    // Milliseconds, as far as they are told.
    let mut spent = Vec::new();
    // Those before the first move, then those on each move.
    let mut comments = vec![&record.comments];
    for made in &record.moves {
        moves.push(made.mv);
        texts.push(kif::move_text(&pos, made.mv, pos.last_move().map(Move::to)));
        spent.push(made.spent.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)));
        comments.push(&made.comments);
        pos.do_move(made.mv);
    }
    Ok(json!({
        "start": record.start.to_sfen(),
        "side": record.start.side(),
        "moves": moves,
        "texts": texts,
        "spent": spent,
        "players": record.players,
        "event": record.event_or_title(),
        "started": record.started,
        "end": record.conclusion.as_ref().map(end),
        "warnings": source.warnings,
        "fault": source.fault,
        "count": count,
        "comments": comments,
        "variations": variations(record),
        // Positions to be searched, by the moves made before: each part by itself.
        "blocks": study_game(record).blocks(&StudySettings::default()),
    }))
}

/// The game of a question as a text in its `format`, the name of one of records or `usi`.
pub(super) fn write(question: &Question) -> Result<Value, String> {
    let (_, moves, _) = walk(question)?;
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
        conclusion: told_end(question)?,
        ..GameRecord::new(start(question)?)
    };
    let text = match question.needed_text("format")? {
        "usi" => write_game(&record),
        name => name.parse::<Format>().map_err(|_| format!("{name} is no format"))?.write(&record),
    };
    Ok(json!({ "text": text }))
}
