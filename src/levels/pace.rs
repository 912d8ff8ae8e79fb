//! Time that a level takes for a move.

use super::chance::unit;
use super::level::LevelTime;
use crate::position::Position;
use crate::search::Clock;
use crate::types::Move;
use std::time::Duration;

/// A person answers no faster than this.
const REACTION: Duration = Duration::from_millis(400);
/// The longest thought beyond that, and its share of the main time.
const LONGEST: Duration = Duration::from_secs(6);
const SHARE: f64 = 0.025;
/// With less than this on the clock there is no waiting.
const SHORT_CLOCK: Duration = Duration::from_secs(10);
/// The share of the byoyomi that is used at most.
const BYOYOMI_SHARE: f64 = 0.6;
/// The game's first moves are played from memory.
const OPENING_PLY: u32 = 8;
/// The weight of a move that needs no thought.
const PLAIN: f64 = 0.3;

/// Time after the start of its clock at which the answer is due. The clock's own bounds are the caller's matter.
pub(super) fn target(
    time: LevelTime,
    clock: &Clock,
    pos: &Position,
    answers: usize,
    best: Move,
    seed: u64,
) -> Duration {
    let chance = unit(pos.key().0 ^ seed.rotate_left(31));
    match time {
        LevelTime::Fast => Duration::ZERO,
        LevelTime::Normal => Duration::from_millis(300 + (600.0 * chance) as u64),
        LevelTime::Human if clock.time + clock.byoyomi + clock.increment < SHORT_CLOCK => Duration::ZERO,
        LevelTime::Human => {
            let recaptures = pos.captured().is_some() && pos.last_move().is_some_and(|last| last.to() == best.to());
            let is_plain = recaptures || answers == 1 || pos.ply() <= OPENING_PLY;
            let weight = if is_plain { PLAIN } else { 0.5 + 1.1 * chance };
            let target = REACTION + clock.time.mul_f64(SHARE).min(LONGEST).mul_f64(weight);
            let in_byoyomi = clock.time.is_zero() && !clock.byoyomi.is_zero();
            if in_byoyomi { target.min(clock.byoyomi.mul_f64(BYOYOMI_SHARE)) } else { target }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(time: LevelTime, clock: Clock, pos: &Position, answers: usize) -> u128 {
        target(time, &clock, pos, answers, "2g2f".parse().unwrap(), 7).as_millis()
    }

    #[test]
    fn a_person_thinks_longer_with_more_time_and_less_where_there_is_no_choice() {
        let mut pos = Position::startpos();
        pos.set_ply(41);
        let clock = |seconds| Clock { time: Duration::from_secs(seconds), ..Clock::default() };
        let times = [100, 200, 600].map(|seconds| millis(LevelTime::Human, clock(seconds), &pos, 30));
        assert!(times[0] < times[1] && times[1] < times[2] && times[2] <= 400 + 9_600, "{times:?}");
        assert_eq!(millis(LevelTime::Human, clock(100), &pos, 1), 400 + 750);
        assert_eq!(millis(LevelTime::Human, clock(9), &pos, 30), 0);
        assert_eq!(millis(LevelTime::Fast, clock(600), &pos, 30), 0);
        let normal = millis(LevelTime::Normal, clock(600), &pos, 30);
        assert!((300..=900).contains(&normal), "{normal}");
        pos.set_ply(3);
        assert_eq!(millis(LevelTime::Human, clock(100), &pos, 30), 400 + 750);
    }

    #[test]
    fn byoyomi_is_never_used_up() {
        let pos = Position::startpos();
        let byoyomi = Clock { byoyomi: Duration::from_secs(10), ..Clock::default() };
        assert_eq!(millis(LevelTime::Human, byoyomi, &pos, 30), 400);
    }
}
