//! Playing below full strength: among the best moves of a shallow search, sometimes a worse one (Stockfish's skill
//! levels, by idea).
//!
//! The choice depends on nothing but the position and the level, so with one thread a game can be played again.

use super::root_move::RootMove;
use crate::random::SplitMix64;
use crate::search::limits::FULL_SKILL;
use crate::types::{Key, Score};

/// Number of the best moves to choose from.
pub(super) const CHOICES: usize = 4;
/// Centipawns beyond which a difference between moves makes a worse one no less likely.
const PAWN: i32 = 100;

/// The depth to which a level below [`FULL_SKILL`] searches, in plies.
pub(super) fn depth(level: u8) -> usize {
    1 + usize::from(level) * 3 / 4
}

/// Which of the best moves, in order, a level below [`FULL_SKILL`] plays.
pub(super) fn choose(best: &[RootMove], level: u8, key: Key) -> usize {
    let scores: Vec<Score> = best.iter().map(|root| root.score).take_while(|&score| score > -Score::INFINITE).collect();
    choice(&scores, level, key)
}

fn choice(scores: &[Score], level: u8, key: Key) -> usize {
    let (Some(&top), Some(&last)) = (scores.first(), scores.last()) else { return 0 };
    let weakness = 120 - 5 * i32::from(level.min(FULL_SKILL));
    let spread = (top.0 - last.0).min(PAWN);
    let mut random = SplitMix64(key.0 ^ u64::from(level));
    let mut best = (i32::MIN, 0);
    for (place, score) in scores.iter().enumerate() {
        // The worse the level, the more chance adds to a score, and the more it makes up for what a move is worse.
        let chance = random.below(weakness as usize) as i32;
        let push = (weakness * (top.0 - score.0).min(2 * PAWN) + spread * chance) / 128;
        best = best.max((score.0.max(-30_000) + push, -(place as i32)));
    }
    -best.1 as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::GOLDEN;

    /// Number of times that each place is chosen over many positions.
    fn shares(scores: [i32; CHOICES], level: u8) -> [usize; CHOICES] {
        let mut shares = [0; CHOICES];
        (0..1_000).for_each(|n: u64| {
            let key = Key(n.wrapping_mul(GOLDEN));
            shares[choice(&scores.map(Score), level, key)] += 1;
        });
        shares
    }

    #[test]
    fn the_lower_the_level_the_more_often_a_worse_move_is_chosen() {
        let scores = [50, 40, 20, -20];
        let [weak, middling, strong] = [0, 10, 19].map(|level| shares(scores, level)[0]);
        assert!(weak < middling && middling < strong && strong < 1_000, "{weak} {middling} {strong}");
    }

    #[test]
    fn a_blunder_is_chosen_by_nobody_and_the_choice_is_the_same_every_time() {
        assert_eq!(shares([50, -2_000, -2_000, -2_100], 0)[0], 1_000);
        assert_eq!(choice(&[], 3, Key(1)), 0);
        let choose = || (0..50).map(|n| choice(&[Score(3), Score(2), Score(1)], 5, Key(n))).collect::<Vec<_>>();
        assert_eq!(choose(), choose());
    }
}
