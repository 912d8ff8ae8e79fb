//! A position after moves: what may be played, and whether the game is over.

use super::question::Question;
use komainu::bitboard::{Bitboard, attacks};
use komainu::levels::OpeningPlan;
use komainu::movegen::{All, Foul, foul, generate};
use komainu::notation::kif;
use komainu::notation::record::{Conclusion, Ending};
use komainu::notation::usi::parse_move;
use komainu::position::{Declaration, GameRules, Handicap, Position};
use komainu::referee::{declared, judge};
use komainu::types::{Move, MoveKind, PieceType, Square};
use serde_json::{Value, json};

/// The end of a game as a page has it.
pub(super) fn end(conclusion: &Conclusion) -> Value {
    json!({ "ending": conclusion.ending, "winner": conclusion.winner })
}

/// The end that a question tells, if it tells one.
pub(super) fn told_end(question: &Question) -> Result<Option<Conclusion>, String> {
    let end = &question.0["end"];
    let Some(ending) = end["ending"].as_str() else { return Ok(None) };
    let known = Ending::ALL.into_iter().find(|known| serde_json::to_value(known).is_ok_and(|name| name == ending));
    let ending = known.ok_or_else(|| format!("{ending} is no end of a game"))?;
    let winner = end["winner"].as_str().and_then(|winner| winner.parse().ok());
    Ok(Some(Conclusion::new(ending, winner)))
}

/// The position that the game of a question starts in.
pub(super) fn start(question: &Question) -> Result<Position, String> {
    match question.text("start")? {
        None => Ok(Position::startpos()),
        Some(sfen) => Position::from_sfen(sfen).map_err(|error| error.to_string()),
    }
}

/// The position after the legal moves of a question, and these with their texts.
pub(super) fn walk(question: &Question) -> Result<(Position, Vec<Move>, Vec<String>), String> {
    let mut pos = start(question)?;
    let mut made = Vec::new();
    let mut texts = Vec::new();
    for (index, text) in question.texts("moves")?.into_iter().enumerate() {
        let mv = parse_move(&pos, text).map_err(|error| format!("move {}: {error}", index + 1))?;
        texts.push(kif::move_text(&pos, mv, pos.last_move().map(Move::to)));
        pos.do_move(mv);
        made.push(mv);
    }
    Ok((pos, made, texts))
}

/// Rules of a game: the limit of plies and the rule of declarations of a question, or the usual ones.
fn rules(question: &Question) -> Result<GameRules, String> {
    let mut rules = GameRules::default();
    if let Some(plies) = question.number("plies")? {
        rules.ply_limit = u32::try_from(plies).map_err(|_| format!("{plies} plies are no limit"))?;
    }
    if let Some(name) = question.text("declarations")? {
        rules.entering_king = name.parse().map_err(|error| format!("declarations: {error}"))?;
    }
    Ok(rules)
}

fn names(squares: Bitboard) -> Vec<String> {
    squares.into_iter().map(|square| square.to_string()).collect()
}

pub(super) fn answer(question: &Question) -> Result<Value, String> {
    let (pos, _, texts) = walk(question)?;
    let rules = rules(question)?;
    let end = judge(&pos, &rules);
    // Once the game is over there are neither moves nor declarations.
    let legal: Vec<Move> = if end.is_some() { Vec::new() } else { pos.legal_moves().into_iter().collect() };
    let declares = end.is_none() && declared(&pos, &rules).is_some();
    let draws = end.is_none() && pos.declaration(rules.entering_king) == Some(Declaration::Draw);
    Ok(json!({
        "sfen": pos.to_sfen(),
        "side": pos.side(),
        "check": pos.in_check(),
        "checkers": names(pos.checkers()),
        "legal": legal,
        "declares": declares,
        "draws": draws,
        "end": end.as_ref().map(self::end),
        "texts": texts,
    }))
}

/// The rule that a move would break, and the squares of the pieces that make it illegal.
pub(super) fn foul_of(question: &Question) -> Result<Value, String> {
    let (pos, _, _) = walk(question)?;
    let text = question.needed_text("move")?;
    let mv: Move = text.parse().map_err(|error| format!("move: {error}"))?;
    let us = pos.side();
    let (foul, squares) = match foul(&pos, mv) {
        None => (None, Bitboard::EMPTY),
        Some(Foul::Nifu) => (Some("nifu"), pos.pieces_of(us, PieceType::Pawn) & Bitboard::file(mv.to().file())),
        Some(Foul::Uchifuzume) => (Some("uchifuzume"), pos.pieces_of(!us, PieceType::King)),
        Some(Foul::DeadPiece) => (Some("dead-piece"), Bitboard::from_square(mv.to())),
        Some(Foul::KingInCheck) => (Some("king-in-check"), takers(&pos, mv)),
    };
    Ok(json!({ "foul": foul, "squares": names(squares) }))
}

/// Centipawns that the opponent must win for a piece to hang: a lance.
const HANGS: i32 = 300;

/// The pieces that a move leaves to the opponent, beyond what it takes itself.
pub(super) fn hanging(question: &Question) -> Result<Value, String> {
    let (mut pos, _, _) = walk(question)?;
    let mv = parse_move(&pos, question.needed_text("move")?).map_err(|error| format!("move: {error}"))?;
    let taken = pos.piece_on(mv.to()).map_or(0, |victim| victim.piece_type().capture_gain());
    let before = mv.from().map(|from| value_on(&pos, from));
    pos.do_move(mv);
    // What a promotion has gained is lost again with the piece.
    let taken = taken + before.map_or(0, |before| value_on(&pos, mv.to()) - before);
    let mut pieces = Vec::new();
    for answer in &generate::<All>(&pos) {
        let Some(victim) = pos.piece_on(answer.to()) else { continue };
        let piece = (victim.piece_type().to_string(), answer.to().to_string());
        if pos.see_ge(answer, taken + HANGS) && !pieces.contains(&piece) {
            pieces.push(piece);
        }
    }
    Ok(json!({ "pieces": pieces }))
}

/// The value of the piece on a square.
fn value_on(pos: &Position, square: Square) -> i32 {
    pos.piece_on(square).map_or(0, |piece| piece.piece_type().value())
}

/// The pieces that could take the king of the side to move after a move of it.
fn takers(pos: &Position, mv: Move) -> Bitboard {
    let us = pos.side();
    let to = mv.to();
    let from = match mv.kind() {
        MoveKind::Drop { .. } => None,
        MoveKind::Board { from, .. } => Some(from),
    };
    let kings = pos.pieces_of(us, PieceType::King);
    let king = if from.is_some_and(|from| kings.contains(from)) { Some(to) } else { kings.into_iter().next() };
    let occupied = from.map_or(pos.occupied(), |from| pos.occupied().without(Bitboard::from_square(from)));
    let occupied = occupied | Bitboard::from_square(to);
    let takes = |square: &Square| {
        let piece = pos.piece_on(*square).map(|piece| piece.piece_type());
        piece.zip(king).is_some_and(|(piece, king)| attacks(!us, piece, *square, occupied).contains(king))
    };
    let others = pos.pieces(!us).without(Bitboard::from_square(to));
    others.into_iter().filter(takes).fold(Bitboard::EMPTY, |all, square| all | Bitboard::from_square(square))
}

/// The names of every plan of the levels, in Japanese and English.
pub(super) fn plans() -> Value {
    let plans: Vec<[String; 2]> = OpeningPlan::all().iter().map(OpeningPlan::names).collect();
    json!({ "plans": plans })
}

pub(super) fn handicaps() -> Value {
    let handicaps = Handicap::USUAL.map(|handicap| json!({ "name": handicap.name(), "sfen": handicap.sfen() }));
    json!({ "handicaps": handicaps })
}
