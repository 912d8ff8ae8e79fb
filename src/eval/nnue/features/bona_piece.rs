//! Numbers of pieces in their places, kings left out: below 90 pieces in hand, then a plane of 81 squares for each
//! kind and owner.
//!
//! | in hand | own | other | | on the board | from |
//! |---|---|---|---|---|---|
//! | pawn | 1 | 20 | | pawn | 90 |
//! | lance | 39 | 44 | | lance | 252 |
//! | knight | 49 | 54 | | knight | 414 |
//! | silver | 59 | 64 | | silver | 576 |
//! | gold | 69 | 74 | | gold and the four promoted pieces that move as one | 738 |
//! | bishop | 79 | 82 | | bishop | 900 |
//! | rook | 85 | 88 | | horse, rook, dragon | 1062, 1224, 1386 |
//!
//! On the board the own plane comes first, the other's 81 numbers later. Number 0 stands for a piece that is not in
//! the game; a few numbers below 90 are never used.

use super::{Placement, View};
use crate::types::{Color, Piece, PieceType};

/// One more than the largest number.
pub const COUNT: usize = 1548;
/// A piece that is not in the game.
pub const MISSING: usize = 0;

/// The piece types of the nine planes in order; a promoted piece that moves as a gold is on the gold's plane.
pub const PLANES: [PieceType; 9] = {
    use PieceType::*;
    [Pawn, Lance, Knight, Silver, Gold, Bishop, Horse, Rook, Dragon]
};

/// `[viewer][piece]`: the number of the piece on the viewer's first square; 0 for a king.
const BOARD: [[u16; Piece::COUNT]; 2] = {
    let mut table = [[0; Piece::COUNT]; 2];
    let mut i = 0;
    while i < Piece::ALL.len() {
        let piece = Piece::ALL[i];
        let plane_type = match piece.piece_type() {
            PieceType::Horse => PieceType::Horse,
            PieceType::Dragon => PieceType::Dragon,
            other => other.mover(),
        };
        let mut plane = 0;
        while plane < PLANES.len() {
            if PLANES[plane] as u8 == plane_type as u8 {
                let own = 90 + 162 * plane as u16;
                table[piece.color().index()][piece.index()] = own;
                table[piece.color().flip().index()][piece.index()] = own + 81;
            }
            plane += 1;
        }
        i += 1;
    }
    table
};

/// `[type][own, other]`: the number of the first piece in hand.
const HAND: [[u16; 2]; 8] = [[0, 0], [1, 20], [39, 44], [49, 54], [59, 64], [79, 82], [85, 88], [69, 74]];

/// The number of a placement; `None` for a king.
pub fn index(view: View, placement: Placement) -> Option<usize> {
    match placement {
        Placement::Board(piece, square) => {
            let plane = BOARD[view.side][piece.index()];
            (plane != 0).then(|| usize::from(plane) + view.square(square))
        }
        Placement::Hand(owner, piece_type, nth) => Some(hand(view.side, owner, piece_type) + usize::from(nth) - 1),
    }
}

fn hand(viewer: Color, owner: Color, piece_type: PieceType) -> usize {
    usize::from(HAND[piece_type.index() & 7][usize::from(viewer != owner)])
}
