//! When a game of self-play is over under the rules.

use crate::movegen::has_legal_move;
use crate::notation::record::Ending;
use crate::position::{Declaration, GameRules, Position, Repetition};
use crate::types::Color;

/// The end of a game: how, and who won; nobody in a draw.
pub type End = (Ending, Option<Color>);

/// Whether the game is over before the side to move plays. A side that may declare a win does.
///
/// Repetition is judged first, then mate, then the limit of plies and the declaration: a mate on the last ply counts
/// where the rules say so ([`GameRules::mate_on_last_ply`]).
pub fn judge(pos: &Position, rules: &GameRules) -> Option<End> {
    let side = pos.side();
    if let Some(repetition) = pos.repetition_within(0, rules) {
        return Some(match repetition {
            Repetition::Draw => (Ending::Repetition, None),
            Repetition::Win => (Ending::PerpetualCheck, Some(side)),
            Repetition::Loss => (Ending::PerpetualCheck, Some(!side)),
        });
    }
    let is_late = pos.is_past_ply_limit(rules);
    if (!is_late || rules.mate_on_last_ply) && !has_legal_move(pos) {
        let ending = if pos.in_check() { Ending::Checkmate } else { Ending::NoMoves };
        return Some((ending, Some(!side)));
    }
    if is_late {
        return Some((Ending::PlyLimit, None));
    }
    match pos.declaration(rules.entering_king) {
        Some(Declaration::Win) => Some((Ending::Declaration, Some(side))),
        _ => None,
    }
}

/// Decides games whose scores leave no doubt: both sides have seen the same side ahead by [`Adjudicator::SCORE`] for
/// [`Adjudicator::PLIES`] plies.
#[derive(Default)]
pub struct Adjudicator {
    /// Plies in a row with such a score; above zero for black.
    decided: i32,
}

impl Adjudicator {
    /// The least score, in centipawns, that leaves no doubt.
    pub const SCORE: i16 = 3_000;
    /// For how many plies in a row it must last.
    pub const PLIES: i32 = 8;

    /// Notes the score of a ply from the view of the side that moves. Returns the winner once there is no doubt.
    pub fn note(&mut self, mover: Color, score: i16) -> Option<Color> {
        let leader = match score {
            score if score >= Adjudicator::SCORE => Some(mover),
            score if score <= -Adjudicator::SCORE => Some(!mover),
            _ => None,
        };
        self.decided = match leader {
            None => 0,
            Some(Color::Black) => self.decided.max(0) + 1,
            Some(Color::White) => self.decided.min(0) - 1,
        };
        leader.filter(|_| self.decided.abs() >= Adjudicator::PLIES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn winner(scores: &[i16]) -> Option<(usize, Color)> {
        let mut adjudicator = Adjudicator::default();
        let mut plies = scores.iter().enumerate();
        plies.find_map(|(i, &score)| Some((i + 1, adjudicator.note(Color::ALL[i % 2], score)?)))
    }

    #[test]
    fn a_game_is_decided_when_both_sides_agree_for_eight_plies() {
        let black = [3_000, -3_000, 9_000, -4_000, 31_000, -31_000, 3_000, -3_000, 3_000];
        assert_eq!(winner(&black), Some((8, Color::Black)));
        assert_eq!(winner(&black[1..]), Some((8, Color::White)));
        assert_eq!(winner(&black[..7]), None);
        assert_eq!(winner(&[3_000; 20]), None, "each side believes that it wins");
        let pause = [3_000, -3_000, 3_000, -2_999, 3_000, -3_000, 3_000, -3_000, 3_000, -3_000, 3_000, -3_000];
        assert_eq!(winner(&pause), Some((12, Color::Black)));
    }

    #[test]
    fn endings_are_judged_in_the_order_of_the_rules() {
        let rules = GameRules { ply_limit: 100, mate_on_last_ply: true, ..GameRules::default() };
        let judged = |sfen: &str| judge(&Position::from_sfen(sfen).expect("a valid SFEN"), &rules);
        let (black, white) = (Some(Color::Black), Some(Color::White));
        assert_eq!(judged("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 100"), None);
        let late = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 101";
        assert_eq!(judged(late), Some((Ending::PlyLimit, None)));
        assert_eq!(judged("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 101"), Some((Ending::Checkmate, black)));
        assert_eq!(judged("8k/9/6+R2/9/9/9/9/9/K8 w - 9"), None);
        assert_eq!(judged("K8/9/1+r7/9/9/9/9/9/8k b - 9"), Some((Ending::NoMoves, white)));
        let declare = "1K7/PPPPPPPPP/R8/9/9/9/9/9/8k b R2B4G4S 9";
        assert_eq!(judged(declare), Some((Ending::Declaration, black)));
        assert_eq!(judged(&declare.replace(" 9", " 101")), Some((Ending::PlyLimit, None)));
    }
}
