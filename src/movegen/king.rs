//! Which squares around a king are attacked.

use super::side::Side;
use crate::bitboard::{
    Bitboard, bishop_attacks, king_attacks, king_vicinity, lance_attacks, piece_steps, rook_attacks,
};
use crate::position::Position;
use crate::types::PieceType::{Bishop, Gold, Knight, Lance, Pawn, Rook, Silver};
use crate::types::Square;

/// The squares that pieces of `S` attack, complete for the squares around the enemy king.
///
/// `occupied` should leave that king out, so that it shields nothing behind it. Near pieces come first; a slider is
/// looked up only if its empty-board ray meets a square around the king.
#[inline(always)]
pub(crate) fn attacked_around<S: Side>(side: S, pos: &Position, king: Square, occupied: Bitboard) -> Bitboard {
    let us = pos.pieces(side.color());
    let near = king_vicinity(king);
    let mut attacked = pos.pieces_moving_as(side.color(), Pawn).forward_onto(side.color(), king_attacks(king));
    let steppers = (pos.movers(Silver) | pos.movers(Gold) | pos.king_steppers()) & near.steppers
        | pos.movers(Knight) & near.knights[side.color()];
    for square in steppers & us {
        if let Some(piece) = pos.piece_on(square) {
            attacked |= piece_steps(piece, square);
        }
    }
    let bishops = pos.movers(Bishop) & near.bishops;
    let rooks = pos.movers(Rook) & near.rooks;
    let lances = pos.movers(Lance) & near.lances[side.color()];
    if ((bishops | rooks | lances) & us).is_empty() {
        return attacked;
    }
    for square in bishops & us {
        attacked |= bishop_attacks(square, occupied);
    }
    for square in rooks & us {
        attacked |= rook_attacks(square, occupied);
    }
    for square in lances & us {
        attacked |= lance_attacks(side.color(), square, occupied);
    }
    attacked
}
