//! Zobrist keys: one random number for each piece on each square and one for the side to move (Zobrist 1970).
//!
//! Hands are not kept incrementally: the packed hands are mixed into a number when a key is asked for. Mixing is a
//! bijection, so different hands never share a number.

use crate::bitboard::COMPUTES;
use crate::random::{GOLDEN, mix};
use crate::types::{Color, Hand, Key, Piece, Square};

static PIECES: [[Key; 81]; Piece::COUNT] = {
    let mut table = [[Key(0); 81]; Piece::COUNT];
    let mut piece = 0;
    while piece < Piece::COUNT {
        let mut square = 0;
        while square < 81 {
            table[piece][square] = compute(piece, square);
            square += 1;
        }
        piece += 1;
    }
    table
};

const fn compute(piece: usize, square: usize) -> Key {
    Key(mix(((piece * 81 + square + 2) as u64).wrapping_mul(GOLDEN)))
}

/// Key that is added when white is to move.
pub(crate) const WHITE_TO_MOVE: Key = Key(mix(GOLDEN));

/// The number of a piece on a square.
pub(crate) fn piece(piece: Piece, square: Square) -> Key {
    if COMPUTES {
        return compute(piece.index(), square.index());
    }
    PIECES[piece.index()][square]
}

/// The number of both hands.
pub(crate) fn hands(hands: [Hand; 2]) -> Key {
    hands_of(Color::Black, hands[Color::Black], hands[Color::White])
}

/// The number of both hands, told as the hand of a side and the other hand. They do not come as an array, because a
/// processor that has written two words one by one waits when it reads them as one.
pub(crate) fn hands_of(side: Color, own: Hand, other: Hand) -> Key {
    let shift = 32 * side.index() as u32;
    Key(mix(u64::from(own.bits()) << shift | u64::from(other.bits()) << (32 - shift)))
}
