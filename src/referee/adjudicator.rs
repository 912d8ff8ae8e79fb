//! Games that are decided by the scores of the players: off unless whoever plays asks for it.

use crate::notation::record::{Conclusion, Ending};
use crate::types::Color;

/// When a game is decided by the scores of the engines. All off unless set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct Adjudication {
    /// The loser's score, in centipawns below zero, that ends a game; 0 for never.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_zero"))]
    pub resign_score: u64,
    /// Moves of both sides in a row for which that must hold.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_zero"))]
    pub resign_moves: u64,
    /// The loser's own scores are enough, whatever its opponent thinks.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_false"))]
    pub resign_one_sided: bool,
    /// Scores within this of zero end a game as a draw.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_zero"))]
    pub draw_score: u64,
    /// Moves of both sides in a row for which that must hold; 0 for never.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_zero"))]
    pub draw_moves: u64,
    /// But not before this ply.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_zero"))]
    pub draw_from_ply: u64,
}

#[cfg(feature = "serde")]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[cfg(feature = "serde")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Follows the scores of one game.
#[derive(Debug)]
pub struct Adjudicator {
    how: Adjudication,
    /// Moves in a row on which the scores of both sides agreed that a side is winning; above zero for black.
    decided: i64,
    /// Moves in a row on which each side thought that it is losing.
    hopeless: [u64; 2],
    /// Moves in a row with a score close to zero.
    level: u64,
}

impl Adjudicator {
    /// An adjudicator for a new game.
    pub fn new(how: Adjudication) -> Adjudicator {
        Adjudicator { how, decided: 0, hopeless: [0; 2], level: 0 }
    }

    /// Notes the score of a move, in centipawns from the view of the side that made it and larger than any other for a
    /// mate, and whether the game is over after this ply.
    pub fn note(&mut self, mover: Color, score: Option<i32>, ply: u32) -> Option<Conclusion> {
        self.note_decision(mover, score);
        self.note_level(score);
        // Each side has to agree on this number of its moves.
        let resign = self.how.resign_moves.max(1) * 2;
        let draw = self.how.draw_moves * 2;
        if self.how.resign_score > 0 && self.how.resign_one_sided && self.hopeless[mover] >= resign / 2 {
            return Some(Conclusion::new(Ending::AdjudicatedWin, Some(!mover)));
        }
        if self.how.resign_score > 0 && self.decided.unsigned_abs() >= resign {
            let winner = if self.decided > 0 { Color::Black } else { Color::White };
            return Some(Conclusion::new(Ending::AdjudicatedWin, Some(winner)));
        }
        let is_draw = draw > 0 && self.level >= draw && u64::from(ply) >= self.how.draw_from_ply;
        if is_draw { Some(Conclusion::new(Ending::AdjudicatedDraw, None)) } else { None }
    }

    fn note_decision(&mut self, mover: Color, score: Option<i32>) {
        let limit = self.how.resign_score.min(i32::MAX as u64) as i32;
        let is_hopeless = score.is_some_and(|score| score <= -limit);
        self.hopeless[mover] = if is_hopeless { self.hopeless[mover] + 1 } else { 0 };
        let winner = match score {
            Some(score) if score >= limit => Some(mover),
            Some(score) if score <= -limit => Some(!mover),
            _ => None,
        };
        self.decided = match winner {
            None => 0,
            Some(Color::Black) => self.decided.max(0) + 1,
            Some(Color::White) => self.decided.min(0) - 1,
        };
    }

    fn note_level(&mut self, score: Option<i32>) {
        let is_level = score.is_some_and(|score| u64::from(score.unsigned_abs()) <= self.how.draw_score);
        self.level = if is_level { self.level + 1 } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESIGN: Adjudication = Adjudication {
        resign_score: 1_000,
        resign_moves: 2,
        resign_one_sided: false,
        draw_score: 0,
        draw_moves: 0,
        draw_from_ply: 0,
    };

    /// The ply after which a game with these scores, black's first, is decided, and how.
    fn decided(how: Adjudication, scores: &[i32]) -> Option<(usize, Ending, Option<Color>)> {
        let mut adjudicator = Adjudicator::new(how);
        for (i, &score) in scores.iter().enumerate() {
            let mover = Color::ALL[i % 2];
            if let Some(end) = adjudicator.note(mover, Some(score), i as u32 + 1) {
                return Some((i + 1, end.ending, end.winner));
            }
        }
        None
    }

    #[test]
    fn both_sides_must_agree_for_the_whole_span() {
        let won = Some((4, Ending::AdjudicatedWin, Some(Color::Black)));
        assert_eq!(decided(RESIGN, &[1_000, -1_000, 1_500, -3_000]), won);
        let won = Some((5, Ending::AdjudicatedWin, Some(Color::White)));
        assert_eq!(decided(RESIGN, &[0, 1_000, -1_000, 1_500, -3_000]), won);
        assert_eq!(decided(RESIGN, &[1_000, -999, 1_500, -3_000, 1_000]), None);
        // Both believe that they win.
        assert_eq!(decided(RESIGN, &[2_000; 9]), None);
        assert_eq!(decided(Adjudication::default(), &[30_000, -30_000, 30_000, -30_000]), None);
    }

    #[test]
    fn the_loser_alone_may_decide_where_the_match_says_so() {
        let one_sided = Adjudication { resign_one_sided: true, ..RESIGN };
        let won = Some((4, Ending::AdjudicatedWin, Some(Color::Black)));
        assert_eq!(decided(one_sided, &[50, -1_000, 60, -1_000, 70]), won);
        assert_eq!(decided(RESIGN, &[50, -1_000, 60, -1_000, 70]), None);
        // The winner's opinion alone decides nothing, and the span must not be broken.
        assert_eq!(decided(one_sided, &[9_000, 0, 9_000, 0, 9_000, 0]), None);
        assert_eq!(decided(one_sided, &[0, -1_000, 0, -999, 0, -1_000]), None);
    }

    #[test]
    fn a_draw_needs_level_scores_late_in_the_game() {
        let how = Adjudication { draw_score: 10, draw_moves: 2, draw_from_ply: 6, ..Adjudication::default() };
        let drawn = |ply| Some((ply, Ending::AdjudicatedDraw, None));
        assert_eq!(decided(how, &[5; 9]), drawn(6));
        assert_eq!(decided(how, &[5, 5, 5, 5, 11, -10, 10, 0, 3]), drawn(9));
        assert_eq!(decided(Adjudication { draw_moves: 0, ..how }, &[0; 99]), None);
    }

    #[test]
    fn a_move_without_a_score_breaks_the_span() {
        let mut adjudicator = Adjudicator::new(Adjudication { resign_moves: 1, ..RESIGN });
        assert_eq!(adjudicator.note(Color::Black, Some(999_997), 1), None);
        assert_eq!(adjudicator.note(Color::White, None, 2), None);
        assert_eq!(adjudicator.note(Color::Black, Some(999_997), 3), None);
        assert!(adjudicator.note(Color::White, Some(-999_998), 4).is_some());
    }
}
