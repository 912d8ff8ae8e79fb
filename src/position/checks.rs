//! Who attacks a square, who gives check, who is pinned.

use super::Position;
use crate::bitboard::{
    Bitboard, between, bishop_attacks, bishop_rays, gold_attacks, king_attacks, knight_attacks, lance_attacks,
    lance_rays, pawn_attacks, rook_attacks, rook_rays, silver_attacks,
};
use crate::types::{Color, PieceType, Square};

impl Position {
    /// Horses, dragons and kings of both sides: the pieces with a king's steps.
    pub(crate) fn king_steppers(&self) -> Bitboard {
        (self.movers(PieceType::Bishop) | self.movers(PieceType::Rook)) & self.promoted | self.movers(PieceType::King)
    }

    /// The pieces of a side that attack a square by a step, not by sliding.
    pub(super) fn step_attackers(&self, attacker: Color, square: Square) -> Bitboard {
        let defender = !attacker;
        (pawn_attacks(defender, square) & self.movers(PieceType::Pawn)
            | knight_attacks(defender, square) & self.movers(PieceType::Knight)
            | silver_attacks(defender, square) & self.movers(PieceType::Silver)
            | gold_attacks(defender, square) & self.movers(PieceType::Gold)
            | king_attacks(square) & self.king_steppers())
            & self.pieces(attacker)
    }

    /// The pieces of a side that attack a square when these squares are occupied.
    ///
    /// ```
    /// use komainu::position::Position;
    /// use komainu::types::{Color, Square};
    ///
    /// let position = Position::startpos();
    /// // The rook along its rank, a gold and a silver.
    /// let squares = position.attackers(Color::Black, Square::S7H, position.occupied());
    /// assert_eq!(squares.into_iter().map(|square| square.to_string()).collect::<Vec<_>>(), ["2h", "6i", "7i"]);
    /// ```
    pub fn attackers(&self, attacker: Color, square: Square, occupied: Bitboard) -> Bitboard {
        let sliders = bishop_attacks(square, occupied) & self.movers(PieceType::Bishop)
            | rook_attacks(square, occupied) & self.movers(PieceType::Rook)
            | lance_attacks(!attacker, square, occupied) & self.movers(PieceType::Lance);
        self.step_attackers(attacker, square) | sliders & self.pieces(attacker)
    }

    /// Tests whether a side attacks a square when these squares are occupied.
    pub fn is_attacked(&self, attacker: Color, square: Square, occupied: Bitboard) -> bool {
        !self.attackers(attacker, square, occupied).is_empty()
    }

    /// The sliders of a side that would attack the square on an empty board.
    pub(super) fn aiming_sliders(&self, attacker: Color, square: Square) -> Bitboard {
        (bishop_rays(square) & self.movers(PieceType::Bishop)
            | rook_rays(square) & self.movers(PieceType::Rook)
            | lance_rays(!attacker, square) & self.movers(PieceType::Lance))
            & self.pieces(attacker)
    }

    /// The pieces of `color` that stand alone between a square and an enemy slider of `attacker`.
    pub(crate) fn blockers(&self, attacker: Color, square: Square, color: Color) -> Bitboard {
        single_blockers(square, self.aiming_sliders(attacker, square), self.occupied()) & self.pieces(color)
    }

    /// Checkers and pinned pieces of the side to move, from nothing.
    #[inline(always)]
    pub(super) fn checkers_and_pinned(&self) -> (Bitboard, Bitboard) {
        let Some(king) = self.king(self.side) else { return (Bitboard::EMPTY, Bitboard::EMPTY) };
        let mut checkers = self.step_attackers(!self.side, king);
        let mut pinned = Bitboard::EMPTY;
        let occupied = self.occupied();
        for slider in self.aiming_sliders(!self.side, king) {
            let inside = between(king, slider) & occupied;
            if inside.is_empty() {
                checkers |= Bitboard::from_square(slider);
            } else if !inside.is_many() {
                pinned |= inside;
            }
        }
        (checkers, pinned & self.pieces(self.side))
    }
}

/// The pieces that stand alone between a square and one of these sliders when these squares are occupied.
pub(super) fn single_blockers(square: Square, sliders: Bitboard, occupied: Bitboard) -> Bitboard {
    let mut blockers = Bitboard::EMPTY;
    for slider in sliders {
        let inside = between(square, slider) & occupied;
        if !inside.is_many() {
            blockers |= inside;
        }
    }
    blockers
}
