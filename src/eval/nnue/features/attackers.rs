//! Number of attackers of each side on each square.

use crate::bitboard::{Bitboard, attacks};
use crate::position::Position;
use crate::types::{Color, Square};

/// The squares that each side attacks once and more often. Every piece counts whose step or line reaches the square,
/// kings and pinned pieces too, whatever stands there; lines end at the first piece.
#[derive(Clone, Copy, Debug)]
pub(in crate::eval::nnue) struct Attackers {
    /// `[color]`: by one piece at least.
    once: [Bitboard; 2],
    /// `[color]`: by two at least.
    twice: [Bitboard; 2],
}

impl Attackers {
    /// Attacks on a position's squares.
    pub(in crate::eval::nnue) fn of(pos: &Position) -> Attackers {
        let mut attackers = Attackers { once: [Bitboard::EMPTY; 2], twice: [Bitboard::EMPTY; 2] };
        let occupied = pos.occupied();
        for square in occupied {
            let Some(piece) = pos.piece_on(square) else { continue };
            let (color, reached) = (piece.color(), attacks(piece.color(), piece.piece_type(), square, occupied));
            attackers.twice[color] = attackers.twice[color].or(attackers.once[color].and(reached));
            attackers.once[color] = attackers.once[color].or(reached);
        }
        attackers
    }

    /// The kind of a square for a side, 0 to 8: three times its own attackers plus those of the other, each up to two.
    pub(in crate::eval::nnue) fn kind(&self, side: Color, square: Square) -> usize {
        let count = |color: Color| {
            usize::from(self.once[color].contains(square)) + usize::from(self.twice[color].contains(square))
        };
        3 * count(side) + count(!side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attackers_are_counted_up_to_two() {
        let pos = Position::from_sfen("4k4/4r4/9/9/4p4/9/4P4/3GSG3/3LKL3 b - 1").expect("a SFEN");
        let attackers = Attackers::of(&pos);
        let kind = |square: &str| {
            let square = square.parse().expect("a square");
            (attackers.kind(Color::Black, square), attackers.kind(Color::White, square))
        };
        // Two golds and a silver, nothing of white's; two golds and the king (the silver moves no pieces sideways).
        assert_eq!((kind("5g"), kind("5h")), ((6, 2), (6, 2)));
        // The pawn that the rook covers; the rook covers no square behind it.
        assert_eq!((kind("5e"), kind("5f")), ((1, 3), (4, 4)));
        // The king covers its rook.
        assert_eq!((kind("5b"), kind("1a")), ((1, 3), (0, 0)));
    }
}
