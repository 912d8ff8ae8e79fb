//! The referee: what an answer means under the rules, and whether the game is over.
//!
//! No statement of an engine is taken on trust. Moves must be legal, declarations are counted, repetition and perpetual check are
//! found from the history of the game; which limits and which rule of declarations apply is the match's affair
//! ([`GameRules`]).

use super::answer::Answer;
use crate::movegen::has_legal_move;
use crate::notation::record::{Conclusion, Ending};
use crate::notation::usi::parse_move;
use crate::position::{Declaration, EnteringKingRule, GameRules, Position, Repetition};
use crate::types::{Color, Counted, Move};

/// What an answer means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// A legal move.
    Play(Move),
    /// A legal move that ends the game: the king arrives under the try rule.
    PlayAndEnd(Move, Conclusion),
    /// The game is over without a move. The text is what the ending does not tell.
    End(Conclusion, String),
}

/// A game that ends like this, won by a side or drawn.
pub const fn conclusion(ending: Ending, winner: Option<Color>) -> Conclusion {
    Conclusion { ending, winner, spent: None }
}

/// Rules on an answer of the side to move.
pub fn rule(pos: &Position, answer: &Answer, rules: &GameRules) -> Ruling {
    let side = pos.side();
    let declaration = pos.declaration(rules.entering_king);
    match answer {
        Answer::Resign => Ruling::End(conclusion(Ending::Resignation, Some(!side)), String::new()),
        Answer::Win => {
            let ending = match declaration {
                Some(Declaration::Win | Declaration::Try(_)) => conclusion(Ending::Declaration, Some(side)),
                Some(Declaration::Draw) => conclusion(Ending::Impasse, None),
                None => conclusion(Ending::FalseDeclaration, Some(!side)),
            };
            Ruling::End(ending, if declaration.is_none() { false_claim(pos, rules) } else { String::new() })
        }
        Answer::Move(text, _) => match parse_move(pos, text) {
            Ok(mv) if declaration == Some(Declaration::Try(mv)) => {
                Ruling::PlayAndEnd(mv, conclusion(Ending::Declaration, Some(side)))
            }
            Ok(mv) => Ruling::Play(mv),
            Err(error) => Ruling::End(conclusion(Ending::IllegalMove, Some(!side)), error.to_string()),
        },
    }
}

/// What was wrong with a declaration.
fn false_claim(pos: &Position, rules: &GameRules) -> String {
    if matches!(rules.entering_king, EnteringKingRule::NoEnteringKing | EnteringKingRule::TryRule) {
        return format!("no declaration under {}", rules.entering_king);
    }
    let count = pos.camp_count();
    let king = if count.king_safe_in_camp { "king safe in the camp" } else { "king not in the camp or in check" };
    let (pieces, points) = (Counted(count.pieces, "piece"), Counted(count.points, "point"));
    format!("{king}, {pieces}, {points} under {}", rules.entering_king)
}

/// Whether the game is over before the side to move plays.
///
/// Repetition is judged first, then the limit of plies, then mate: a mate on the last ply counts only where the rules
/// say so ([`GameRules::mate_on_last_ply`]).
pub fn ending(pos: &Position, rules: &GameRules) -> Option<Conclusion> {
    let side = pos.side();
    if let Some(repetition) = pos.repetition_within(0, rules) {
        return Some(match repetition {
            Repetition::Draw => conclusion(Ending::Repetition, None),
            Repetition::Win => conclusion(Ending::PerpetualCheck, Some(side)),
            Repetition::Loss => conclusion(Ending::PerpetualCheck, Some(!side)),
        });
    }
    let is_late = pos.is_past_ply_limit(rules);
    if (!is_late || rules.mate_on_last_ply) && !has_legal_move(pos) {
        let ending = if pos.in_check() { Ending::Checkmate } else { Ending::NoMoves };
        return Some(conclusion(ending, Some(!side)));
    }
    is_late.then_some(conclusion(Ending::PlyLimit, None))
}

#[cfg(test)]
mod tests;
