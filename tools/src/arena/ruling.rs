//! Rulings on the answers of engines.
//!
//! No statement of an engine is taken on trust: moves must be legal, declarations are counted. Which rule of
//! declarations applies is the match's affair ([`GameRules`]); whether the game is over is found by
//! [`komainu::referee`].

use komainu::notation::record::{Conclusion, Ending};
use komainu::notation::usi::parse_move;
use komainu::position::{Declaration, EnteringKingRule, GameRules, Position};
use komainu::protocol::BestMove;
use komainu::types::{Counted, Move};

/// Meaning of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    Play(Move),
    /// A legal move that ends the game: the king arrives under the try rule.
    PlayAndEnd(Move, Conclusion),
    /// The game is over without a move. The text is what the ending does not tell.
    End(Conclusion, String),
}

/// Rules on an answer of the side to move.
pub fn judge_answer(pos: &Position, answer: &BestMove<String>, rules: &GameRules) -> Ruling {
    let side = pos.side();
    let declaration = pos.declaration(rules.entering_king);
    match answer {
        BestMove::Resign => Ruling::End(Conclusion::new(Ending::Resignation, Some(!side)), String::new()),
        BestMove::Win => {
            let ending = match declaration {
                Some(Declaration::Win | Declaration::Try(_)) => Conclusion::new(Ending::Declaration, Some(side)),
                Some(Declaration::Draw) => Conclusion::new(Ending::Impasse, None),
                None => Conclusion::new(Ending::FalseDeclaration, Some(!side)),
            };
            Ruling::End(ending, if declaration.is_none() { false_claim(pos, rules) } else { String::new() })
        }
        BestMove::Move(text, _) => match parse_move(pos, text) {
            Ok(mv) if declaration == Some(Declaration::Try(mv)) => {
                Ruling::PlayAndEnd(mv, Conclusion::new(Ending::Declaration, Some(side)))
            }
            Ok(mv) => Ruling::Play(mv),
            Err(error) => Ruling::End(Conclusion::new(Ending::IllegalMove, Some(!side)), error.to_string()),
        },
    }
}

fn false_claim(pos: &Position, rules: &GameRules) -> String {
    if matches!(rules.entering_king, EnteringKingRule::NoEnteringKing | EnteringKingRule::TryRule) {
        return format!("no declaration under {}", rules.entering_king);
    }
    let count = pos.camp_count();
    let king = if count.king_safe_in_camp { "king safe in the camp" } else { "king not in the camp or in check" };
    let (pieces, points) = (Counted(count.pieces, "piece"), Counted(count.points, "point"));
    format!("{king}, {pieces}, {points} under {}", rules.entering_king)
}

#[cfg(test)]
mod tests;
