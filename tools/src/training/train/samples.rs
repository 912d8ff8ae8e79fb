//! Positions for tests: games of random moves, labelled with the balance of material.

use super::sample::TrainingSample;
use crate::random::Random;
use crate::training::records::Record;
use komainu::movegen::{All, generate};
use komainu::position::Position;
use komainu::types::{Color, PieceType, Square};

/// Centipawns by which the side to move is ahead: the pieces, and a quarter of a pawn for each rank that one has
/// advanced.
fn balance(pos: &Position) -> i16 {
    let value = |kind: PieceType| match kind.unpromoted() {
        PieceType::Pawn => 100,
        PieceType::Lance | PieceType::Knight => 300,
        PieceType::Silver | PieceType::Gold => 500,
        PieceType::Bishop => 800,
        PieceType::Rook => 1_000,
        _ => 0,
    };
    let sign = |color: Color| if color == pos.side() { 1 } else { -1 };
    let on_board = Square::ALL.into_iter().filter_map(|square| Some((square, pos.piece_on(square)?)));
    let board = on_board.map(|(square, piece)| {
        let advance = if piece.color() == Color::Black { 8 - square.rank() as i32 } else { square.rank() as i32 };
        sign(piece.color()) * (value(piece.piece_type()) + 25 * advance)
    });
    let held = Color::ALL.into_iter().flat_map(|color| PieceType::HAND.map(|kind| (color, kind)));
    let hands = held.map(|(color, kind)| sign(color) * value(kind) * pos.hand(color).count(kind) as i32);
    (board.sum::<i32>() + hands.sum::<i32>()) as i16
}

/// Records and positions of random games. The score is the balance of the position; a side wins that is ahead.
pub(super) fn random_records(seed: u64, count: usize) -> Vec<(Record, Position)> {
    let mut random = Random::new(seed, 0);
    let mut records = Vec::new();
    while records.len() < count {
        let mut pos = Position::startpos();
        for ply in 0..100 {
            let moves = generate::<All>(&pos);
            if moves.is_empty() || records.len() == count {
                break;
            }
            pos.do_move(*random.pick(&moves));
            let score = balance(&pos);
            let position = pos.pack().expect("a position of a game has both kings");
            records.push((Record { position, score, best: None, ply, result: score.signum() as i8 }, pos.clone()));
        }
    }
    records
}

pub(super) fn random_samples(seed: u64, count: usize) -> Vec<TrainingSample> {
    random_records(seed, count).iter().map(|(record, pos)| TrainingSample::new(record, pos)).collect()
}
