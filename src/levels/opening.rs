//! A plan for the opening, chosen by the seed of the game: where the rook and the king belong. It varies the games and
//! gives the first moves a purpose.

use super::chance::mix;
use crate::position::Position;
use crate::types::{Color, PieceType, Square};

/// The plan counts before this ply.
const LAST_PLY: u32 = 20;
/// Worth of a rook on its file, and of each step of the king towards its castle, in centipawns.
const ROOK_BONUS: i32 = 45;
const KING_BONUS: i32 = 15;

/// Where the pieces belong, as Black sees the board: the rook's file, the king's file, and how often in twenty games.
const PLANS: [(usize, usize, u64); 10] =
    [(2, 7, 5), (2, 8, 2), (3, 7, 1), (4, 7, 1), (5, 2, 2), (5, 7, 1), (6, 2, 3), (7, 2, 2), (8, 2, 2), (2, 6, 1)];

/// A plan of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OpeningStyle {
    pub(super) side: Color,
    rook_file: usize,
    king_file: usize,
}

impl OpeningStyle {
    /// The plan of a side in a game; none after the opening.
    pub(super) fn new(pos: &Position, seed: u64) -> Option<OpeningStyle> {
        let side = pos.side();
        let total: u64 = PLANS.iter().map(|plan| plan.2).sum();
        let mut left = mix(seed ^ (side.index() as u64 + 1)) % total;
        let chosen = PLANS.iter().find(|plan| {
            let is_chosen = left < plan.2;
            left = left.saturating_sub(plan.2);
            is_chosen
        });
        let &(rook_file, king_file, _) = chosen.filter(|_| pos.ply() < LAST_PLY)?;
        Some(OpeningStyle { side, rook_file, king_file })
    }

    /// Fit of a position with the plan, in centipawns for its side.
    pub(super) fn bonus(&self, pos: &Position) -> i32 {
        // Files count from 1 on Black's right; White's plan is the same from the other side of the board.
        let file = |square: Square| {
            let file = square.file().index() + 1;
            if self.side == Color::Black { file } else { 10 - file }
        };
        let mut rooks = pos.pieces_of(self.side, PieceType::Rook).into_iter();
        let rook = if rooks.any(|rook| file(rook) == self.rook_file) { ROOK_BONUS } else { 0 };
        let steps = pos.king(self.side).map_or(0, |king| file(king).abs_diff(self.king_file));
        rook - KING_BONUS * steps as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plan_is_chosen_and_ends_with_the_opening() {
        let mut start = Position::startpos();
        let plans: Vec<_> = (0..400).filter_map(|seed| OpeningStyle::new(&start, seed)).collect();
        assert_eq!(plans.len(), 400);
        for (rook, king, _) in PLANS {
            assert!(plans.iter().any(|plan| (plan.rook_file, plan.king_file) == (rook, king)), "{rook} {king}");
        }
        start.set_ply(LAST_PLY);
        assert_eq!(OpeningStyle::new(&start, 1), None);
    }

    #[test]
    fn both_sides_see_the_board_from_their_own_edge() {
        let start = Position::startpos();
        for side in [Color::Black, Color::White] {
            // The rook stands on its second file, the king on the fifth.
            assert_eq!(OpeningStyle { side, rook_file: 2, king_file: 7 }.bonus(&start), ROOK_BONUS - 2 * KING_BONUS);
            assert_eq!(OpeningStyle { side, rook_file: 6, king_file: 5 }.bonus(&start), 0);
        }
    }
}
