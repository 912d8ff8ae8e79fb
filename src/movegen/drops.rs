//! Drops: nifu, dead squares, and the pawn drop that would mate.

use super::king::attacked_around;
use super::side::Side;
use crate::bitboard::{Bitboard, king_attacks, line_through, pawn_attacks};
use crate::position::Position;
use crate::types::{Hand, PieceType, Square};

/// The legal destinations of the drops of a hand.
pub(crate) struct DropTargets {
    pub(crate) hand: Hand,
    /// Where a piece that may stand anywhere can be dropped.
    pub(crate) anywhere: Bitboard,
    /// Where a pawn can be dropped: dead squares, nifu and uchifuzume taken out.
    pub(crate) pawn: Bitboard,
}

impl DropTargets {
    /// Where a piece of a held type can be dropped.
    pub(crate) fn of<S: Side>(&self, piece_type: PieceType) -> Bitboard {
        match piece_type {
            PieceType::Pawn => self.pawn,
            PieceType::Lance => self.anywhere.without(S::LAST),
            PieceType::Knight => self.anywhere.without(S::LAST_TWO),
            _ => self.anywhere,
        }
    }

    /// Number of these drops.
    pub(crate) fn count<S: Side>(&self) -> u32 {
        use PieceType::*;
        let hand = self.hand;
        let kinds = hand.has(Silver) as u32 + hand.has(Gold) as u32 + hand.has(Bishop) as u32 + hand.has(Rook) as u32;
        let mut total = kinds * self.anywhere.count() + self.pawn.count();
        if hand.has(Lance) {
            total += self.anywhere.without(S::LAST).count();
        }
        if hand.has(Knight) {
            total += self.anywhere.without(S::LAST_TWO).count();
        }
        total
    }
}

/// The destinations of the pawn drops of the side to move among these empty squares.
#[inline(always)]
pub(crate) fn pawn_drops<S: Side>(pos: &Position, empty: Bitboard) -> Bitboard {
    let own_pawns = pos.pieces_moving_as(S::US, PieceType::Pawn);
    let mut targets = empty.without(own_pawns.fill_files() | S::LAST);
    if let Some(king) = pos.king(S::THEM) {
        // The one square from which a dropped pawn gives check.
        let checking = pawn_attacks(S::THEM, king);
        if targets.intersects(checking) && pawn_drop_mates::<S>(pos, king, checking) {
            targets = targets.without(checking);
        }
    }
    targets
}

/// Tests whether a pawn dropped in front of the enemy king gives mate (uchifuzume).
#[inline(never)]
fn pawn_drop_mates<S: Side>(pos: &Position, king: Square, checking: Bitboard) -> bool {
    let Some(square) = checking.first() else { return false };
    let occupied = (pos.occupied() | checking) ^ Bitboard::from_square(king);
    let flights = king_attacks(king).without(pos.pieces(S::THEM));
    if !flights.without(attacked_around::<S>(pos, king, occupied)).is_empty() {
        return false;
    }
    let defenders = pos.attackers(S::THEM, square, pos.occupied()).without(Bitboard::from_square(king));
    if defenders.is_empty() {
        return true;
    }
    // A pinned defender may still capture along the line of its pin.
    let pinned = pos.blockers(S::US, king, S::THEM).without(line_through(king, square));
    defenders.without(pinned).is_empty()
}
