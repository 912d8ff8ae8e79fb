//! How long to think: pure functions of the clock.

use super::limits::{Clock, Limits};
use std::time::Duration;

/// The time for one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Budget {
    /// No new iteration starts after this.
    pub(super) soft: Duration,
    /// The search is broken off here.
    pub(super) maximum: Duration,
}

/// How many more moves a game is expected to last.
const MOVES_TO_GO: u32 = 40;
/// A move may take this many times its share if an iteration needs it.
const STRETCH: u32 = 4;
/// The most that is held back for the way of the answer to the referee.
const MAX_RESERVE: Duration = Duration::from_millis(120);
/// The least that is held back.
const MIN_RESERVE: Duration = Duration::from_millis(12);
/// Held back from a fixed time for a move: the way from the clock to the printed line.
const MOVETIME_RESERVE: Duration = Duration::from_millis(3);

/// What is held back from a period so that the answer arrives in time: a tenth, within bounds.
fn reserve(period: Duration) -> Duration {
    (period / 10).clamp(MIN_RESERVE, MAX_RESERVE)
}

impl Budget {
    /// The time that these limits give a move; `None` if it is not bounded by time.
    pub(super) fn new(limits: &Limits) -> Option<Budget> {
        if let Some(movetime) = limits.movetime {
            let time = movetime.saturating_sub(MOVETIME_RESERVE);
            return Some(Budget { soft: time, maximum: time });
        }
        limits.clock.map(Budget::of_clock)
    }

    /// Shares out the main time over the moves to come and spends byoyomi or increment whole.
    ///
    /// A clock below the own increment can only mean that the increment comes on top of the clock before the move;
    /// otherwise the clock may hold it already, and nothing beyond the clock is planned.
    fn of_clock(clock: Clock) -> Budget {
        let on_top = if clock.time < clock.increment { clock.increment } else { Duration::ZERO };
        let available = clock.time + on_top + clock.byoyomi;
        let maximum = available.saturating_sub(reserve(available));
        let regular = clock.byoyomi.max(on_top);
        if clock.time <= regular {
            // Nearly all of it comes again with the next move: there is nothing to save.
            let spend = regular.saturating_sub(reserve(regular)).min(maximum);
            let maximum = spend.max(maximum.min(spend + clock.time / 4));
            return Budget { soft: maximum, maximum };
        }
        let share = (clock.time / MOVES_TO_GO + clock.increment * 3 / 4 + clock.byoyomi * 3 / 4).min(maximum);
        let maximum = (share * STRETCH).min(maximum).min(clock.time / 4 + regular).max(share);
        // The next iteration takes longer than all before it: one that begins later would not end within the share.
        Budget { soft: share * 3 / 5, maximum }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(time: u64, increment: u64, byoyomi: u64) -> Budget {
        let ms = Duration::from_millis;
        let clock = Clock { time: ms(time), increment: ms(increment), byoyomi: ms(byoyomi) };
        Budget::new(&Limits { clock: Some(clock), ..Limits::default() }).unwrap()
    }

    #[test]
    fn a_move_never_takes_more_than_the_clock_allows() {
        for time in [0, 1, 5, 50, 300, 1_000, 10_000, 600_000, 100_000_000_000] {
            for increment in [0, 10, 100, 2_000, 60_000] {
                for byoyomi in [0, 50, 100, 1_000, 30_000] {
                    let Budget { soft, maximum } = budget(time, increment, byoyomi);
                    let on_top = if time < increment { increment } else { 0 };
                    let available = Duration::from_millis(time + on_top + byoyomi);
                    assert!(soft <= maximum, "{time}+{increment} {byoyomi}");
                    assert!(maximum <= available.saturating_sub(reserve(available)), "{time}+{increment} {byoyomi}");
                }
            }
        }
    }

    #[test]
    fn byoyomi_alone_is_used_up() {
        let Budget { soft, maximum } = budget(0, 0, 1_000);
        assert!(soft >= Duration::from_millis(850) && maximum <= Duration::from_millis(950));
        assert_eq!(budget(0, 0, 0).maximum, Duration::ZERO);
        assert!(budget(0, 2_000, 0).soft >= Duration::from_millis(1_800));
    }

    #[test]
    fn a_game_with_main_time_lasts_for_every_move() {
        // The soft limit and now and then the maximum is spent; the clock must hold for 300 moves.
        for (time, increment, byoyomi) in [(10_000, 100, 0), (60_000, 0, 0), (10_000, 0, 500), (1_000, 50, 0)] {
            let mut clock = Duration::from_millis(time);
            let (inc, byo) = (Duration::from_millis(increment), Duration::from_millis(byoyomi));
            for number in 0..300 {
                let limits = Clock { time: clock, increment: inc, byoyomi: byo };
                let spent =
                    if number % 5 == 0 { Budget::of_clock(limits).maximum } else { Budget::of_clock(limits).soft };
                let on_top = if clock < inc { inc } else { Duration::ZERO };
                assert!(spent <= clock + on_top + byo);
                clock = (clock + inc + if spent > clock { byo } else { Duration::ZERO }).saturating_sub(spent);
            }
        }
    }
}
