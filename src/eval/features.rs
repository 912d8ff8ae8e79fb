//! The features of the hand-crafted evaluation, each with a weight for the middlegame and one for the endgame.
//!
//! A feature is seen from the side that it belongs to and counts for that side, so both colours share the weights; left
//! and right are alike. The evaluation of a position is the sum of the weights of its features, those of white negative:
//!
//! - a piece of a type on the board, and a number of pieces of a type in hand;
//! - the square of a king;
//! - a piece of a type relative to its own king, and to the enemy's, by the files between them and the ranks ahead;
//! - the side to move.
//!
//! Weights are fitted to games of the engine itself (`examples/fit_evaluation.rs`). That pieces are judged by their
//! distance to both kings is as old as the evaluation by pairs and triples of pieces of Bonanza (Hoki 2006), of which
//! this is the smallest part.

use crate::position::Position;
use crate::types::{Color, Piece, PieceType, Square};

/// Piece types have numbers below this.
const TYPES: usize = 15;
/// Counts of a piece in hand, 0 to 18.
const COUNTS: usize = 19;
/// Squares relative to a king: files between, 0 to 8, and ranks ahead of it, -8 to 8.
const KING_RELATIVE_INDICES: usize = 9 * 17;

const HANDS: usize = TYPES;
const KINGS: usize = HANDS + 8 * COUNTS;
const OWN_KING: usize = KINGS + 9 * 5;
const ENEMY_KING: usize = OWN_KING + TYPES * KING_RELATIVE_INDICES;
const TEMPO: usize = ENEMY_KING + TYPES * KING_RELATIVE_INDICES;

/// The number of features.
pub const COUNT: usize = TEMPO + 1;

/// The king that a piece's square is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceKing {
    /// The king of the piece's side.
    Own,
    /// The enemy's.
    Enemy,
}

/// A piece on the board, wherever it stands.
#[inline(always)]
pub const fn board(piece_type: PieceType) -> usize {
    piece_type.index()
}

/// So many pieces of a type in hand, one or more.
#[inline(always)]
pub const fn hand(piece_type: PieceType, count: u8) -> usize {
    HANDS + (piece_type.index() & 7) * COUNTS + if count < 18 { count as usize } else { 18 }
}

/// A king on a square.
#[inline(always)]
pub const fn king(color: Color, square: Square) -> usize {
    let (file, rank) = (square.index() / 9, square.index() % 9);
    let advanced = match color {
        Color::Black => 8 - rank,
        Color::White => rank,
    };
    KINGS + advanced * 5 + file.abs_diff(4)
}

/// `[square][king]`: the king-relative index of a black piece.
static KING_RELATIVE_INDEX: [[u16; 81]; 81] = {
    let mut table = [[0; 81]; 81];
    let mut index = 0;
    while index < 81 * 81 {
        let (piece, king) = (index / 81, index % 81);
        let ahead = 8 + king % 9 - piece % 9;
        table[piece][king] = ((piece / 9).abs_diff(king / 9) * 17 + ahead) as u16;
        index += 1;
    }
    table
};

/// A piece on a square relative to a king.
#[inline(always)]
pub fn king_relative(piece: Piece, square: Square, king: Square, reference: ReferenceKing) -> usize {
    // On the rotated board a white piece has the index of a black one.
    let index = match piece.color() {
        Color::Black => KING_RELATIVE_INDEX[square][king],
        Color::White => KING_RELATIVE_INDEX[square.rotate()][king.rotate()],
    };
    let base = match reference {
        ReferenceKing::Own => OWN_KING,
        ReferenceKing::Enemy => ENEMY_KING,
    };
    base + piece.piece_type().index() * KING_RELATIVE_INDICES + usize::from(index)
}

/// Whether a feature depends on the square of a piece: a king's square or a king-relative one.
pub const fn is_positional(feature: usize) -> bool {
    feature >= KINGS && feature < TEMPO
}

/// The side to move.
pub const fn tempo() -> usize {
    TEMPO
}

/// The phase of the game, 0 (opening) to [`PHASES`] (endgame): the pieces in hand, pawns once and others twice.
pub fn phase(pos: &Position) -> i32 {
    let held = |color| pos.hand(color).iter().map(|(piece_type, count)| phase_weight(piece_type) * i32::from(count));
    Color::ALL.into_iter().flat_map(held).sum::<i32>().min(PHASES)
}

/// What a piece in hand adds to the phase.
#[inline(always)]
pub const fn phase_weight(piece_type: PieceType) -> i32 {
    if matches!(piece_type, PieceType::Pawn) { 1 } else { 2 }
}

/// The phase of an endgame.
pub const PHASES: i32 = 16;

/// Calls a function with each feature of a position and its sign, positive for black.
pub fn visit(pos: &Position, mut visit: impl FnMut(usize, i32)) {
    let sign = |color| if color == Color::Black { 1 } else { -1 };
    for square in pos.occupied() {
        let Some(piece) = pos.piece_on(square) else { continue };
        let (color, piece_type) = (piece.color(), piece.piece_type());
        if piece_type == PieceType::King {
            visit(king(color, square), sign(color));
            continue;
        }
        visit(board(piece_type), sign(color));
        for owner in Color::ALL {
            if let Some(king) = pos.king(owner) {
                let reference = if owner == color { ReferenceKing::Own } else { ReferenceKing::Enemy };
                visit(king_relative(piece, square, king, reference), sign(color));
            }
        }
    }
    for color in Color::ALL {
        pos.hand(color).iter().filter(|&(_, count)| count > 0).for_each(|(piece_type, count)| {
            visit(hand(piece_type, count), sign(color));
        });
    }
    visit(TEMPO, sign(pos.side()));
}
