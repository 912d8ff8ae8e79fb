//! Time that a level takes for a move.

use super::level::LevelTime;
use super::params::unit;
use crate::position::Position;
use crate::search::Clock;
use crate::types::Move;
use std::time::Duration;

/// A person answers no faster than this.
const REACTION: Duration = Duration::from_millis(400);
/// The longest thought beyond that, its share of the main time, and of what is given for each move.
const LONGEST: Duration = Duration::from_secs(6);
const SHARE: f64 = 0.025;
const SHARE_OF_MOVE: f64 = 0.2;
/// The weight of each change of the best move, and how many count.
const CHANGE: f64 = 0.25;
const MAX_CHANGES: usize = 4;
/// With less than this on the clock there is no waiting.
const SHORT_CLOCK: Duration = Duration::from_secs(10);
/// The share of the byoyomi that is used at most.
const BYOYOMI_SHARE: f64 = 0.6;
/// The game's first moves are played from memory.
const OPENING_PLY: u32 = 8;
/// The weight of a move that needs no thought.
const PLAIN: f64 = 0.3;

/// What the search says about how hard the choice of a move was.
#[derive(Clone, Copy)]
pub(crate) struct SearchSummary {
    pub(crate) legal_moves: usize,
    pub(crate) best_move: Move,
    /// Iterations after which the best move was another one.
    pub(crate) best_move_changes: usize,
}

/// Time after the start of its clock at which the answer is due. The clock's own bounds are the caller's matter.
pub(crate) fn thinking_time(
    time: LevelTime,
    clock: &Clock,
    pos: &Position,
    summary: SearchSummary,
    seed: u64,
) -> Duration {
    let chance = unit(pos.key().0 ^ seed.rotate_left(31));
    match time {
        LevelTime::Fast => Duration::ZERO,
        LevelTime::Normal => Duration::from_millis(300 + (600.0 * chance) as u64),
        LevelTime::Human if clock.time + clock.byoyomi + clock.increment < SHORT_CLOCK => Duration::ZERO,
        LevelTime::Human => {
            let best = summary.best_move;
            let recaptures = pos.captured().is_some() && pos.last_move().is_some_and(|last| last.to() == best.to());
            let is_plain = recaptures || summary.legal_moves == 1 || pos.ply() <= OPENING_PLY;
            let changes = CHANGE * summary.best_move_changes.min(MAX_CHANGES) as f64;
            let weight = if is_plain { PLAIN } else { 0.5 + 1.1 * chance + changes };
            // Who has little main time left thinks as long as the time for each move allows.
            let of_move = (clock.byoyomi + clock.increment).mul_f64(SHARE_OF_MOVE);
            let target = REACTION + clock.time.mul_f64(SHARE).max(of_move).min(LONGEST).mul_f64(weight);
            if clock.byoyomi.is_zero() {
                return target;
            }
            target.min(clock.time + clock.byoyomi.mul_f64(BYOYOMI_SHARE))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(time: LevelTime, clock: Clock, pos: &Position, answers: usize) -> u128 {
        with_changes(time, clock, pos, answers, 0)
    }

    fn with_changes(time: LevelTime, clock: Clock, pos: &Position, legal_moves: usize, changes: usize) -> u128 {
        let best_move = "2g2f".parse().unwrap();
        let summary = SearchSummary { legal_moves, best_move, best_move_changes: changes };
        thinking_time(time, &clock, pos, summary, 7).as_millis()
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
    fn byoyomi_is_used_as_people_use_it_and_never_up() {
        let mut pos = Position::startpos();
        let byoyomi = |seconds| Clock { byoyomi: Duration::from_secs(seconds), ..Clock::default() };
        assert_eq!(millis(LevelTime::Human, byoyomi(10), &pos, 30), 400 + 600, "from memory");
        let mut times = Vec::new();
        for ply in 41..101 {
            pos.set_ply(ply);
            for mv in ["7g7f", "2g2f", "6i7h", "3i4h"] {
                let after = pos.after(mv.parse().unwrap());
                times.push(millis(LevelTime::Human, byoyomi(30), &after, 30));
            }
        }
        let least = *times.iter().min().unwrap();
        let most = *times.iter().max().unwrap();
        assert!(least >= 400 + 3_000 && most <= 18_000 && most > least + 1_000, "{least} {most}");
        // A move that is hard to choose takes longer, and only one that can be made takes little.
        let times = [0, 1, 4, 9].map(|changes| with_changes(LevelTime::Human, byoyomi(30), &pos, 30, changes));
        assert!(times[0] < times[1] && times[1] < times[2] && times[2] == times[3], "{times:?}");
        assert_eq!(millis(LevelTime::Human, byoyomi(30), &pos, 1), 400 + 1_800);
        // The last seconds of the main time do not cut a thought short; the end of the byoyomi is not reached.
        let both = Clock { time: Duration::from_secs(2), ..byoyomi(30) };
        assert_eq!(millis(LevelTime::Human, both, &pos, 30), times[0]);
        assert!(with_changes(LevelTime::Human, byoyomi(10), &pos, 30, 9) <= 6_000);
    }
}
