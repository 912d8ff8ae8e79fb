//! Records: what a text says, and a game as text.

use super::position::{End, start, walk};
use crate::analysis::{StudyGame, StudySettings};
use crate::notation::Format;
use crate::notation::kif;
use crate::notation::record::{Conclusion, GameRecord, RecordMove};
use crate::notation::source::{SourceGame, read_source_text};
use crate::notation::usi::write_game;
use crate::position::Position;
use crate::types::{Color, Move};
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[derive(Deserialize)]
pub(super) struct ReadQuestion {
    text: String,
    /// Name of its file, if it has one.
    #[serde(default)]
    name: String,
    /// Which game of a text with several, from 0.
    #[serde(default)]
    game: usize,
}

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
    /// Games in the text.
    count: usize,
    /// Positions to be searched, by the moves made before: each part by itself.
    blocks: Vec<Vec<usize>>,
}

/// One game of a text, and how many it holds.
pub(super) fn source(text: &str, name: &str, game: usize) -> Result<(SourceGame, usize), String> {
    let mut games = read_source_text(name, text);
    let count = games.len();
    if game >= count {
        return Err(format!("game {} of {count}", game + 1));
    }
    games.swap_remove(game).map(|source| (source, count))
}

pub(super) fn study_game(record: &GameRecord) -> StudyGame {
    StudyGame { start: record.start.clone(), moves: record.moves.iter().map(|made| made.mv).collect() }
}

pub(super) fn read(question: &ReadQuestion) -> Result<ReadAnswer, String> {
    let (source, count) = source(&question.text, &question.name, question.game)?;
    let record = source.record;
    let mut pos: Position = record.start.clone();
    let mut texts = Vec::new();
    for made in &record.moves {
        texts.push(kif::move_text(&pos, made.mv, pos.last_move().map(Move::to)));
        pos.do_move(made.mv);
    }
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    Ok(ReadAnswer {
        start: record.start.to_sfen(),
        side: record.start.side(),
        blocks: study_game(&record).blocks(&StudySettings::default()),
        moves: record.moves.iter().map(|made| made.mv).collect(),
        spent: record.moves.iter().map(|made| made.spent.map(millis)).collect(),
        texts,
        end: record.conclusion.map(End::from),
        players: record.players,
        event: record.event,
        started: record.started,
        warnings: source.warnings,
        fault: source.fault,
        count,
    })
}

#[derive(Deserialize)]
pub(super) struct WriteQuestion {
    /// A format of records by name, or `usi`.
    format: String,
    start: Option<String>,
    moves: Vec<String>,
    #[serde(default)]
    players: [Option<String>; 2],
    end: Option<End>,
    /// Milliseconds of each move.
    #[serde(default)]
    spent: Vec<u64>,
    started: Option<String>,
}

pub(super) fn write(question: &WriteQuestion) -> Result<String, String> {
    let start = start(question.start.as_deref())?;
    let (_, moves, _) = walk(start.clone(), &question.moves)?;
    let spent = |index: usize| question.spent.get(index).map(|&millis| Duration::from_millis(millis));
    let moves = moves.into_iter().enumerate();
    let moves = moves.map(|(index, mv)| RecordMove { spent: spent(index), ..RecordMove::new(mv) });
    let record = GameRecord {
        players: question.players.clone(),
        started: question.started.clone(),
        moves: moves.collect(),
        conclusion: question.end.map(|end| Conclusion::new(end.ending, end.winner)),
        ..GameRecord::new(start)
    };
    if question.format == "usi" {
        return Ok(write_game(&record));
    }
    let format: Format = question.format.parse().map_err(|_| format!("{} is no format", question.format))?;
    Ok(format.write(&record))
}
