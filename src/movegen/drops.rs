//! Drops: nifu, dead squares, and the pawn drop that would mate.

use super::king::attacked_around;
use super::side::Side;
use crate::bitboard::{Bitboard, king_attacks, line_through, pawn_attacks};
use crate::position::Position;
use crate::types::{Color, Hand, PieceType, Square};

/// The legal destinations of the drops of a hand.
pub(crate) struct DropTargets<S> {
    pub(crate) side: S,
    pub(crate) hand: Hand,
    /// Where a piece that may stand anywhere can be dropped.
    pub(crate) anywhere: Bitboard,
    /// Where a pawn can be dropped: dead squares, nifu and uchifuzume taken out.
    pub(crate) pawn: Bitboard,
}

impl<S: Side> DropTargets<S> {
    /// Where a piece of a held type can be dropped.
    pub(crate) fn of(&self, piece_type: PieceType) -> Bitboard {
        match piece_type {
            PieceType::Pawn => self.pawn,
            PieceType::Lance => self.anywhere.without(self.side.last()),
            PieceType::Knight => self.anywhere.without(self.side.last_two()),
            _ => self.anywhere,
        }
    }

    /// Number of these drops.
    pub(crate) fn count(&self) -> u32 {
        use PieceType::*;
        let hand = self.hand;
        let kinds = hand.has(Silver) as u32 + hand.has(Gold) as u32 + hand.has(Bishop) as u32 + hand.has(Rook) as u32;
        let mut total = kinds * self.anywhere.count() + self.pawn.count();
        if hand.has(Lance) {
            total += self.anywhere.without(self.side.last()).count();
        }
        if hand.has(Knight) {
            total += self.anywhere.without(self.side.last_two()).count();
        }
        total
    }
}

/// The destinations of the pawn drops of the side to move among these empty squares.
#[inline(always)]
pub(crate) fn pawn_drops<S: Side>(side: S, pos: &Position, empty: Bitboard) -> Bitboard {
    let own_pawns = pos.pieces_moving_as(side.color(), PieceType::Pawn);
    let mut targets = empty.without(own_pawns.fill_files() | side.last());
    if let Some(king) = pos.king(side.opponent().color()) {
        // The one square from which a dropped pawn gives check.
        let checking = pawn_attacks(side.opponent().color(), king);
        if targets.intersects(checking) && pawn_drop_mates(side.color(), pos, king, checking) {
            targets = targets.without(checking);
        }
    }
    targets
}

/// Tests whether a pawn dropped in front of the enemy king gives mate (uchifuzume).
#[inline(never)]
fn pawn_drop_mates(us: Color, pos: &Position, king: Square, checking: Bitboard) -> bool {
    let Some(square) = checking.first() else { return false };
    let occupied = (pos.occupied() | checking) ^ Bitboard::from_square(king);
    let flights = king_attacks(king).without(pos.pieces(!us));
    if !flights.without(attacked_around(us, pos, king, occupied)).is_empty() {
        return false;
    }
    let defenders = pos.attackers(!us, square, pos.occupied()).without(Bitboard::from_square(king));
    if defenders.is_empty() {
        return true;
    }
    // A pinned defender may still capture along the line of its pin.
    let pinned = pos.blockers(us, king, !us).without(line_through(king, square));
    defenders.without(pinned).is_empty()
}
