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
use komainu::types::{Color, Move, MoveKind, PieceType, Square};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Answer {
    sfen: String,
    side: Color,
    check: bool,
    /// Squares of the pieces that give check.
    checkers: Vec<String>,
    /// Legal moves; none once the game is over.
    legal: Vec<Move>,
    /// The side to move may declare and wins.
    declares: bool,
    /// The side to move may declare and draws, by the 24-point rule.
    draws: bool,
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
    let mut pos = start;
    let mut made = Vec::new();
    let mut texts = Vec::new();
    for (index, text) in moves.iter().enumerate() {
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

pub(super) fn answer(question: &Question) -> Result<Answer, String> {
    let (pos, _, texts) = walk(start(question.text("start")?)?, &question.texts("moves")?)?;
    let rules = rules(question)?;
    let end = judge(&pos, &rules);
    let legal = if end.is_some() { Vec::new() } else { generate::<All>(&pos).iter().copied().collect() };
    let declares = end.is_none() && declared(&pos, &rules).is_some();
    let draws = end.is_none() && pos.declaration(rules.entering_king) == Some(Declaration::Draw);
    Ok(Answer {
        sfen: pos.to_sfen(),
        side: pos.side(),
        check: pos.in_check(),
        checkers: names(pos.checkers()),
        legal,
        declares,
        draws,
        end: end.map(End::from),
        texts,
    })
}

#[derive(Serialize)]
pub(super) struct FoulAnswer {
    foul: Option<&'static str>,
    /// Squares of the pieces that make the move illegal.
    squares: Vec<String>,
}

/// The rule that a move would break.
pub(super) fn foul_of(question: &Question) -> Result<FoulAnswer, String> {
    let (pos, _, _) = walk(start(question.text("start")?)?, &question.texts("moves")?)?;
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
    Ok(FoulAnswer { foul, squares: names(squares) })
}

#[derive(Serialize)]
pub(super) struct HangingAnswer {
    pieces: Vec<(String, String)>,
}

/// Centipawns that the opponent must win for a piece to hang: a lance.
const HANGS: i32 = 300;

/// The pieces that a move leaves to the opponent, beyond what it takes itself.
pub(super) fn hanging(question: &Question) -> Result<HangingAnswer, String> {
    let (mut pos, _, _) = walk(start(question.text("start")?)?, &question.texts("moves")?)?;
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
    Ok(HangingAnswer { pieces })
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
pub(super) fn plans() -> Vec<[String; 2]> {
    OpeningPlan::all().iter().map(OpeningPlan::names).collect()
}

#[derive(Serialize)]
pub(super) struct NamedStart {
    name: &'static str,
    sfen: &'static str,
}

pub(super) fn handicaps() -> [NamedStart; 10] {
    Handicap::USUAL.map(|handicap| NamedStart { name: handicap.name(), sfen: handicap.sfen() })
}
