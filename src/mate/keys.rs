//! Keys of positions as the solver knows them: the board and the turn. The attacker's hand stands beside the key, not in
//! it, so that positions that differ in the hands alone are found together; the defender's hand follows from both.
//!
//! The key after a move is found without making the move.

use crate::position::Position;
use crate::types::{Color, Hand, Move, MoveKind, Piece, Square};

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The finaliser of splitmix64 (Steele, Lea, Flood 2014).
const fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

static PIECES: [[u64; 81]; Piece::COUNT] = {
    let mut table = [[0; 81]; Piece::COUNT];
    let mut i = 0;
    while i < Piece::COUNT * 81 {
        table[i / 81][i % 81] = mix((i as u64 + 0x4D41_5445).wrapping_mul(GOLDEN));
        i += 1;
    }
    table
};

/// Changes with every ply.
const TURN: u64 = mix(GOLDEN ^ 0x4D41_5445);

/// The key of board and turn.
pub(super) fn key_of(pos: &Position) -> u64 {
    let pieces =
        Square::ALL.into_iter().filter_map(|square| pos.piece_on(square).map(|piece| PIECES[piece.index()][square]));
    pieces.fold(if pos.side() == Color::White { TURN } else { 0 }, |key, piece| key ^ piece)
}

/// The key, and the hand of the side to move, after a legal move.
#[inline]
pub(super) fn after(pos: &Position, key: u64, mv: Move) -> (u64, Hand) {
    let us = pos.side();
    let mut hand = pos.hand(us);
    let mut key = key ^ TURN;
    match mv.kind() {
        MoveKind::Drop { piece_type, to } => {
            hand.remove(piece_type);
            key ^= PIECES[Piece::new(us, piece_type).index()][to];
        }
        MoveKind::Board { from, to, promote } => {
            let moved = pos.piece_on(from).expect("a legal move starts on a piece");
            if let Some(taken) = pos.piece_on(to) {
                hand.add(taken.piece_type().unpromoted());
                key ^= PIECES[taken.index()][to];
            }
            let placed = if promote { moved.promoted() } else { moved };
            key ^= PIECES[moved.index()][from] ^ PIECES[placed.index()][to];
        }
    }
    (key, hand)
}

/// What a move at a ply adds to the key of a path: a path is the sequence of its moves.
#[inline]
pub(super) fn step(mv: Move, ply: usize) -> u64 {
    mix(((ply as u64) << 16 | mv.bits() as u64).wrapping_mul(GOLDEN))
}

/// The key of a position at the end of a path.
#[inline]
pub(super) fn at_end_of(path: u64, key: u64, hand: Hand) -> u64 {
    path ^ key ^ mix(hand.bits() as u64 ^ GOLDEN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::{All, generate};

    #[test]
    fn the_key_after_a_move_is_the_key_of_the_position_after_it() {
        let sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
        let mut pos = Position::from_sfen(sfen).unwrap();
        for ply in 0..60 {
            let moves = generate::<All>(&pos);
            for &mv in moves.iter() {
                let (us, found) = (pos.side(), after(&pos, key_of(&pos), mv));
                pos.do_move(mv);
                assert_eq!(found, (key_of(&pos), pos.hand(us)));
                pos.undo();
            }
            let Some(&mv) = moves.get(ply * 7 % moves.len().max(1)) else { break };
            pos.do_move(mv);
        }
    }
}
