//! Positions for tests: games of random moves, labelled with the hand-crafted evaluation.

use super::sample::TrainingSample;
use crate::eval::HandCrafted;
use crate::movegen::{All, generate};
use crate::position::Position;
use crate::random::Random;
use crate::training::records::Record;

/// So many positions of random games. The score is the evaluation of the position; a side wins that is ahead.
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
            let score = HandCrafted::new(&pos).evaluate(&pos).0 as i16;
            let position = pos.pack().expect("a position of a game has both kings");
            records.push((Record { position, score, best: None, ply, result: score.signum() as i8 }, pos.clone()));
        }
    }
    records
}

/// Random records as samples.
pub(super) fn random_samples(seed: u64, count: usize) -> Vec<TrainingSample> {
    random_records(seed, count).iter().map(|(record, pos)| TrainingSample::new(record, pos)).collect()
}
