//! A position after moves: what may be played, and whether the game is over.

use super::question::Question;
use crate::movegen::{All, generate};
use crate::notation::kif;
use crate::notation::record::{Conclusion, Ending};
use crate::notation::usi::parse_move;
use crate::position::{GameRules, Handicap, Position};
use crate::referee::{declared, judge};
use crate::types::{Color, Move};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Answer {
    sfen: String,
    side: Color,
    check: bool,
    /// Legal moves; none once the game is over.
    legal: Vec<Move>,
    /// The side to move may declare and wins.
    declares: bool,
    end: Option<End>,
    texts: Vec<String>,
}

/// End of a game.
#[derive(Clone, Copy, Serialize)]
pub(super) struct End {
    pub(super) ending: Ending,
    pub(super) winner: Option<Color>,
}

impl From<Conclusion> for End {
    fn from(conclusion: Conclusion) -> End {
        End { ending: conclusion.ending, winner: conclusion.winner }
    }
}

impl End {
    /// The end that a question tells, if it tells one.
    pub(super) fn of(question: &Question) -> Result<Option<End>, String> {
        let end = &question.0["end"];
        let Some(ending) = end["ending"].as_str() else { return Ok(None) };
        let known = Ending::ALL.into_iter().find(|known| serde_json::to_value(known).is_ok_and(|name| name == ending));
        let ending = known.ok_or_else(|| format!("{ending} is no end of a game"))?;
        let winner = end["winner"].as_str().and_then(|winner| winner.parse().ok());
        Ok(Some(End { ending, winner }))
    }
}

/// The position that a game starts in.
pub(super) fn start(sfen: Option<&str>) -> Result<Position, String> {
    match sfen {
        None => Ok(Position::startpos()),
        Some(sfen) => Position::from_sfen(sfen).map_err(|error| error.to_string()),
    }
}

/// Legal moves from a start with their texts, and the position after them.
pub(super) fn walk(start: Position, moves: &[&str]) -> Result<(Position, Vec<Move>, Vec<String>), String> {
    let (mut pos, mut made, mut texts) = (start, Vec::new(), Vec::new());
    for (index, text) in moves.iter().enumerate() {
        let mv = parse_move(&pos, text).map_err(|error| format!("move {}: {error}", index + 1))?;
        texts.push(kif::move_text(&pos, mv, pos.last_move().map(Move::to)));
        pos.do_move(mv);
        made.push(mv);
    }
    Ok((pos, made, texts))
}

pub(super) fn answer(question: &Question) -> Result<Answer, String> {
    let (pos, _, texts) = walk(start(question.text("start")?)?, &question.texts("moves")?)?;
    let rules = GameRules::default();
    let end = judge(&pos, &rules);
    let legal = if end.is_some() { Vec::new() } else { generate::<All>(&pos).iter().copied().collect() };
    let declares = end.is_none() && declared(&pos, &rules).is_some();
    let (sfen, side, check) = (pos.to_sfen(), pos.side(), pos.in_check());
    Ok(Answer { sfen, side, check, legal, declares, end: end.map(End::from), texts })
}

#[derive(Serialize)]
pub(super) struct NamedStart {
    name: &'static str,
    sfen: &'static str,
}

pub(super) fn handicaps() -> [NamedStart; 10] {
    Handicap::ALL.map(|handicap| NamedStart { name: handicap.name(), sfen: handicap.sfen() })
}
