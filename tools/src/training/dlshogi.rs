//! Inputs and policy labels of the nets of dlshogi, as cshogi makes them.
//!
//! Both are seen by the side to move: with white to move the board is turned by 180 degrees and the colours are
//! exchanged. Squares are in the order of [`Square::index`](komainu::types::Square::index), file by file from 1a on.

use arrayvec::ArrayVec;
use komainu::bitboard::{Bitboard, attacks};
use komainu::position::Position;
use komainu::types::{Color, Move, MoveKind, PieceType};

/// Planes of the board: for each side 14 of its pieces, 14 of the squares that each kind attacks, 3 of squares that it
/// attacks at least once, twice, three times.
pub const BOARD_PLANES: usize = 2 * (14 + 14 + ATTACK_COUNTS);

/// Planes of the hands, each a count that is reached, and one of a check.
pub const HAND_PLANES: usize = 2 * 28 + 1;

/// Labels of moves: 20 ways to move and 7 kinds of drops, onto 81 squares.
pub const LABELS: usize = 27 * 81;

const ATTACK_COUNTS: usize = 3;

/// The most pieces of each kind in a hand that have a plane, in the order of [`PieceType::HAND_ARRAY`].
const MOST_IN_HAND: [u8; 7] = [8, 4, 4, 4, 4, 2, 2];

/// The planes of the board, with the squares that are 1 in each.
pub fn board_planes(pos: &Position) -> ArrayVec<Bitboard, BOARD_PLANES> {
    let side = pos.side();
    let mut planes = ArrayVec::new();
    for color in [side, !side] {
        let mut attacked = [Bitboard::EMPTY; 14];
        let mut counted = [Bitboard::EMPTY; ATTACK_COUNTS];
        for square in pos.pieces(color) {
            let Some(piece) = pos.piece_on(square) else { continue };
            let mut reached = attacks(color, piece.piece_type(), square, pos.occupied());
            attacked[piece.piece_type().index() - 1] |= reached;
            for level in &mut counted {
                let again = *level & reached;
                *level |= reached;
                reached = again;
            }
        }
        planes.extend(PieceType::ALL.map(|piece_type| pos.pieces_of(color, piece_type)));
        planes.extend(attacked);
        planes.extend(counted);
    }
    if side == Color::White {
        for plane in &mut planes {
            *plane = plane.rotate();
        }
    }
    planes
}

/// The planes of the hands, each of which is 1 on all squares or on none.
pub fn hand_planes(pos: &Position) -> ArrayVec<bool, HAND_PLANES> {
    let side = pos.side();
    let mut planes = ArrayVec::new();
    for color in [side, !side] {
        for (count, most) in pos.hand_counts(color).into_iter().zip(MOST_IN_HAND) {
            planes.extend((0..most).map(|number| number < count));
        }
    }
    planes.push(pos.in_check());
    planes
}

/// The label of a move, below [`LABELS`]; `None` for a move that no piece makes.
pub fn label(mv: Move, side: Color) -> Option<usize> {
    let to = mv.to().seen_by(side);
    let way = match mv.kind() {
        MoveKind::Drop { piece_type, .. } => 20 + PieceType::HAND.iter().position(|&kind| kind == piece_type)?,
        MoveKind::Board { from, promote, .. } => {
            let from = from.seen_by(side);
            let files = from.file().index() as i32 - to.file().index() as i32;
            let ranks = to.rank().index() as i32 - from.rank().index() as i32;
            let way = match (ranks.signum(), files.signum()) {
                _ if ranks == -2 && files == -1 => 8,
                _ if ranks == -2 && files == 1 => 9,
                (-1, 0) => 0,
                (-1, -1) => 1,
                (-1, 1) => 2,
                (0, -1) => 3,
                (0, 1) => 4,
                (1, 0) => 5,
                (1, -1) => 6,
                (1, 1) => 7,
                _ => return None,
            };
            way + if promote { 10 } else { 0 }
        }
    };
    Some(81 * way + to.index())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turned_position_has_the_same_planes() {
        let pos = komainu::notation::usi::parse_board("startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e").unwrap();
        let turned = pos.rotate();
        assert_eq!((board_planes(&pos), hand_planes(&pos)), (board_planes(&turned), hand_planes(&turned)));
        assert_ne!(board_planes(&pos), board_planes(&Position::startpos()));
        assert_ne!(hand_planes(&pos), hand_planes(&Position::startpos()));
    }

    #[test]
    fn labels_are_those_of_dlshogi() {
        // As cshogi 1.1.0 gives them.
        for (text, side, expected) in LABELLED {
            assert_eq!(label(text.parse().unwrap(), side), Some(expected), "{text} {side:?}");
        }
    }

    const LABELLED: [(&str, Color, usize); 19] = [
        ("7g7f", Color::Black, 59),
        ("3c3d", Color::White, 59),
        ("9a9b", Color::White, 7),
        ("P*3d", Color::Black, 1_641),
        ("S*3d", Color::Black, 1_884),
        ("B*3d", Color::Black, 1_965),
        ("R*3d", Color::Black, 2_046),
        ("G*3d", Color::Black, 2_127),
        ("N*3d", Color::White, 1_841),
        ("G*3d", Color::White, 2_165),
        ("6d5b+", Color::Black, 1_576),
        ("6d7b+", Color::Black, 1_513),
        ("6d7b", Color::Black, 703),
        ("6d5b", Color::Black, 766),
        ("9g8h", Color::Black, 637),
        ("5e5c+", Color::Black, 848),
        ("5e5i", Color::Black, 449),
        ("5e1e", Color::Black, 328),
        ("5e9e", Color::Black, 319),
    ];
}
