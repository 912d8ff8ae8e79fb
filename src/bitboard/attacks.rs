//! Attacks of any piece.

use super::Bitboard;
use super::sliders::{bishop_attacks, lance_attacks, rook_attacks};
use super::tables::piece_steps;
use crate::types::{Color, Piece, PieceType, Square};

/// Where a piece attacks, with these squares occupied.
///
/// ```
/// use komainu::bitboard::{Bitboard, attacks};
/// use komainu::types::{Color, PieceType, Square};
///
/// let lone = attacks(Color::Black, PieceType::Dragon, Square::S5E, Bitboard::EMPTY);
/// assert_eq!(lone.count(), 8 + 8 + 4);
/// // A piece on 5c stops it there.
/// let stopped = attacks(Color::Black, PieceType::Dragon, Square::S5E, Bitboard::from_square(Square::S5C));
/// assert_eq!(lone.without(stopped).count(), 2);
/// ```
#[inline]
pub fn attacks(color: Color, piece_type: PieceType, square: Square, occupied: Bitboard) -> Bitboard {
    use PieceType::*;
    let steps = piece_steps(Piece::new(color, piece_type), square);
    match piece_type.mover() {
        Lance => steps | lance_attacks(color, square, occupied),
        Bishop => steps | bishop_attacks(square, occupied),
        Rook => steps | rook_attacks(square, occupied),
        _ => steps,
    }
}
