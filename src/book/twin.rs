//! The 180-degree twin of a position: the board turned, the colours swapped. It is worth the same to the side to move,
//! and its moves are the same moves turned.

use crate::position::{Position, PositionBuilder};
use crate::types::{Color, Move, MoveKind, Piece, Square};

/// The move on the turned board.
pub fn rotate_move(mv: Move) -> Move {
    match mv.kind() {
        MoveKind::Board { from, to, promote: false } => Move::board(from.rotate(), to.rotate()),
        MoveKind::Board { from, to, promote: true } => Move::promotion(from.rotate(), to.rotate()),
        MoveKind::Drop { piece_type, to } => Move::drop(piece_type, to.rotate()),
    }
}

/// The twin, with the same counter and without history.
pub fn rotate(position: &Position) -> Position {
    let mut builder = PositionBuilder::new();
    for square in Square::ALL {
        if let Some(piece) = position.piece_on(square) {
            builder.piece(square.rotate(), Piece::new(!piece.color(), piece.piece_type()));
        }
    }
    for color in Color::ALL {
        for (piece_type, count) in position.hand(color).iter() {
            builder.hand(!color, piece_type, count.into());
        }
    }
    builder.side(!position.side()).ply(position.ply());
    builder.build().expect("what is sound is sound when it is turned")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::{All, generate};
    use crate::notation::usi::parse_position;

    #[test]
    fn turned_twice_is_the_same_and_the_moves_turn_with_it() {
        let line = "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e 5c5d 4e3d";
        let mut position = parse_position(line).unwrap().position.without_history();
        let mut twin = rotate(&position);
        assert_eq!(rotate(&twin), position);
        assert_ne!(twin.side(), position.side());
        let sorted = |mut moves: Vec<Move>| {
            moves.sort();
            moves
        };
        let turned = generate::<All>(&position).iter().map(|&mv| rotate_move(mv)).collect();
        assert_eq!(sorted(turned), sorted(generate::<All>(&twin).to_vec()));
        position.do_move("B*5e".parse().unwrap());
        twin.do_move(rotate_move("B*5e".parse().unwrap()));
        assert_eq!(rotate(&position), twin.without_history());
    }
}
