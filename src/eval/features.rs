//! What the hand-crafted evaluation looks at: a list of features, each with a weight for the middlegame and one for the
//! endgame.
//!
//! A feature is seen from the side that it belongs to and counts for that side, so both colours share the weights; left
//! and right are alike. The evaluation of a position is the sum of the weights of its features, those of white negative:
//!
//! - a piece of a type on the board, and so many pieces of a type in hand;
//! - the place of a king;
//! - a piece of a type beside its own king, and beside the enemy's, by the files between them and the ranks ahead;
//! - the right to move.
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
/// A relation to a king: files between, 0 to 8, and ranks ahead of it, -8 to 8.
const RELATIONS: usize = 9 * 17;

const HANDS: usize = TYPES;
const KINGS: usize = HANDS + 8 * COUNTS;
const OWN_KING: usize = KINGS + 9 * 5;
const ENEMY_KING: usize = OWN_KING + TYPES * RELATIONS;
const TEMPO: usize = ENEMY_KING + TYPES * RELATIONS;

/// The number of features.
pub const COUNT: usize = TEMPO + 1;

/// Which side's king a piece is seen beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// Its own.
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

/// `[square][king]`: how a black piece stands to a king.
static STANCES: [[u16; 81]; 81] = {
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

/// A piece beside a king.
#[inline(always)]
pub fn relation(piece: Piece, square: Square, king: Square, beside: Beside) -> usize {
    // Seen from the other side of the board, a white piece stands like a black one.
    let stance = match piece.color() {
        Color::Black => STANCES[square][king],
        Color::White => STANCES[square.rotate()][king.rotate()],
    };
    let base = match beside {
        Beside::Own => OWN_KING,
        Beside::Enemy => ENEMY_KING,
    };
    base + piece.piece_type().index() * RELATIONS + usize::from(stance)
}

/// Whether a feature is about where a piece stands, not that it is there.
pub const fn is_place(feature: usize) -> bool {
    feature >= KINGS && feature < TEMPO
}

/// The right to move.
pub const fn tempo() -> usize {
    TEMPO
}

/// How far the game has gone, 0 to [`PHASES`]: the pieces in hand, pawns once and others twice.
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
                let beside = if owner == color { Beside::Own } else { Beside::Enemy };
                visit(relation(piece, square, king, beside), sign(color));
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
