//! Time management: the time to think about a move, as pure functions of the clock.
//!
//! - [`OverheadEstimator`] measures what a move costs beyond its thinking time: the *reserve* to hold back.
//! - [`Budget`] is made of a clock, the user's [`TimeOptions`] and the measured overhead. Time that comes again with
//!   the next move (byoyomi, increment) is spent whole; main time is shared out over the moves to come; what lies below
//!   a *cushion* of several reserves is left alone, so that a late move now and then loses nothing.
//!
//! Nothing here looks at a clock: all times are handed in.

mod clock;
mod overhead;
mod stability;

pub use clock::Clock;
pub use overhead::OverheadEstimator;
pub(super) use stability::BestMoveStability;

use std::time::Duration;

/// Options of the user about time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeOptions {
    /// The least that is held back from the time of every move. Default 0: what is measured decides.
    pub network_delay: Duration,
    /// The least that is held back from a move that uses up the clock. Default 0.
    pub network_delay2: Duration,
    /// Think at least this long where the clock allows it. Default 0.
    pub minimum_thinking_time: Duration,
    /// The referee drops fractions of a second: think up to the end of the second. Default false.
    pub round_up_to_full_second: bool,
    /// Percentage of a move's share of the main time and increment, 1 to 1000. Default 100.
    pub slow_mover: u32,
}

impl Default for TimeOptions {
    fn default() -> TimeOptions {
        TimeOptions {
            network_delay: Duration::ZERO,
            network_delay2: Duration::ZERO,
            minimum_thinking_time: Duration::ZERO,
            round_up_to_full_second: false,
            slow_mover: 100,
        }
    }
}

/// Bounds of the time of a move besides the clock: the user's options and what the game has taught.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// Options of the user.
    pub options: TimeOptions,
    /// Overhead that was measured.
    pub overhead: OverheadEstimator,
}

/// The time for one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    /// No new iteration starts after this.
    pub(crate) soft: Duration,
    /// The search is broken off here.
    pub(crate) maximum: Duration,
}

/// Moves over which the main time is shared out.
const MOVES_TO_GO: u32 = 40;
/// A move may take this many times its share if an iteration needs it.
const STRETCH: u32 = 4;
/// Time that is left alone of a clock whose end is the end of the game, besides [`CUSHION_RESERVES`].
const CUSHION: Duration = Duration::from_millis(200);
/// Reserves that are left alone as well.
const CUSHION_RESERVES: u32 = 2;
/// No reserve counts for more than this in the cushion.
const CUSHION_RESERVE: Duration = Duration::from_millis(200);
/// An increment that brings no more than this, after the latency, does not refill a cushion.
const SLIGHT_GAIN: Duration = Duration::from_millis(10);
/// For how many moves the clock must last if each costs more than it brings.
const MOVES_TO_LAST: u32 = 80;
/// Held back from a fixed time for a move: the latency from the clock to the printed line.
const MOVETIME_RESERVE: Duration = Duration::from_millis(3);
/// No clock is planned with beyond this (34 years), so that sums and small multiples do not overflow.
const FOREVER: Duration = Duration::from_secs(1 << 30);

impl Budget {
    /// Exactly so much time, less the latency of the answer.
    pub(super) fn of_movetime(movetime: Duration) -> Budget {
        let time = movetime.saturating_sub(MOVETIME_RESERVE);
        Budget { soft: time, maximum: time }
    }

    /// Budget of a move that is worth `worth` times the usual time (0 or more), by this clock.
    pub(super) fn of_clock(clock: &Clock, timing: &Timing, worth: f64) -> Budget {
        TimeBank::new(clock, timing).budget(worth)
    }
}

/// The time bank: what there is to spend, the same for both ways of counting the increment.
struct TimeBank<'a> {
    /// Time of this move and all later ones, the increment of this move included.
    main: Duration,
    /// Comes with each later move.
    increment: Duration,
    /// Each move may take this long for nothing once the main time is gone.
    byoyomi: Duration,
    moves_to_go: Option<u32>,
    timing: &'a Timing,
}

/// A move's allocation from the time bank.
struct Allocation {
    /// Comes again with the next move.
    regular: Duration,
    /// Saved time that may go to this move and later ones.
    spare: Duration,
    /// The most that this move may take, should it need far more than its share.
    room: Duration,
}

impl<'a> TimeBank<'a> {
    fn new(clock: &Clock, timing: &'a Timing) -> TimeBank<'a> {
        let increment = clock.increment.min(FOREVER);
        let on_top = if timing.overhead.increment_is_on_top(clock) { increment } else { Duration::ZERO };
        TimeBank {
            main: clock.time.min(FOREVER) + on_top,
            increment,
            byoyomi: clock.byoyomi.min(FOREVER),
            moves_to_go: clock.moves_to_go,
            timing,
        }
    }

    fn budget(&self, worth: f64) -> Budget {
        let ceiling = self.ceiling();
        // A move that uses up the clock gets byoyomi and increment whole again: there is nothing to save.
        if !self.byoyomi.is_zero() && self.main <= self.byoyomi + self.increment {
            return Budget { soft: ceiling, maximum: ceiling };
        }
        let allocation = if self.byoyomi.is_zero() { self.above_cushion() } else { self.before_byoyomi() };
        let room = allocation.room.min(ceiling);
        let Budget { soft, maximum } = self.share(&allocation, room, worth);
        let soft = soft.max(self.timing.options.minimum_thinking_time.min(maximum));
        Budget { soft: self.round_up(soft, room), maximum: self.round_up(maximum, room) }
    }

    /// The share of one move, and what it may take at most.
    fn share(&self, allocation: &Allocation, room: Duration, worth: f64) -> Budget {
        let Allocation { regular, spare, .. } = *allocation;
        let saved = spare / self.moves_to_go.unwrap_or(MOVES_TO_GO).clamp(1, MOVES_TO_GO);
        // The latency is charged too.
        let scaled = |time: Duration| {
            let time = time.saturating_sub(self.timing.overhead.average_lag());
            time * self.timing.options.slow_mover.clamp(1, 1_000) / 100
        };
        let share = scaled(regular + saved);
        let maximum = (share * STRETCH).min(regular + spare / 4).max(share).min(room);
        // The next iteration takes longer than all before it: one that begins later would not end within the share.
        let soft = scaled(regular * 9 / 10 + saved * 3 / 5).mul_f64(worth);
        Budget { soft: soft.min(maximum), maximum }
    }

    /// Without byoyomi the end of the clock is the end of the game: what is above the cushion is spent.
    ///
    /// Below it less than the increment is spent, the less the lower the clock, and so the cushion comes back.
    fn above_cushion(&self) -> Allocation {
        let cushion = self.cushion();
        let full = cushion + self.increment;
        let level = (self.main.as_secs_f64() / full.as_secs_f64()).min(1.0);
        let regular = if full.is_zero() { Duration::ZERO } else { self.increment.mul_f64(level * level) };
        let room = self.main.saturating_sub(cushion).max(regular);
        Allocation { regular, spare: self.main.saturating_sub(full), room }
    }

    /// With byoyomi the main time is there to be used up; every move that does not use it up counts against it.
    fn before_byoyomi(&self) -> Allocation {
        let regular = self.increment + self.byoyomi;
        Allocation { regular, spare: self.main.saturating_sub(self.increment), room: self.available() }
    }

    /// Cushion that is left alone: several reserves, and the cost of playing on if the increment does not cover that.
    fn cushion(&self) -> Duration {
        let cost = self.timing.overhead.average_lag();
        let reserve = self.timing.overhead.reserve(self.main).min(CUSHION_RESERVE);
        let to_last = MOVES_TO_LAST.min(self.moves_to_go.unwrap_or(MOVES_TO_LAST));
        let playing_on = cost.saturating_sub(self.increment) * to_last;
        let cushion = CUSHION + reserve * CUSHION_RESERVES + self.increment / 4 + playing_on;
        // A cushion that nothing refills would only shorten the thinking.
        if self.increment <= cost + SLIGHT_GAIN { cushion.min(self.main * 2 / 3) } else { cushion }
    }

    /// The time after which the game is lost.
    fn available(&self) -> Duration {
        self.main + self.byoyomi
    }

    /// No move may take longer than this: the clock less what must be held back.
    fn ceiling(&self) -> Duration {
        self.available() - self.held_back(self.timing.options.network_delay2)
    }

    /// The reserve, or the user's delays if they are longer, but never more than half of the time that there is.
    fn held_back(&self, delay: Duration) -> Duration {
        let reserve = self.timing.overhead.reserve(self.available());
        reserve.max(self.timing.options.network_delay).max(delay).min(self.available() / 2)
    }

    /// The end of the second within which the answer to this time arrives, if there is room and the user wants it.
    fn round_up(&self, time: Duration, room: Duration) -> Duration {
        if !self.timing.options.round_up_to_full_second {
            return time;
        }
        let reserve = self.held_back(Duration::ZERO);
        let arrival = time + reserve;
        let seconds = arrival.as_secs() + u64::from(arrival.subsec_nanos() > 0);
        let end = Duration::from_secs(seconds) - reserve;
        if end <= room { end } else { time }
    }
}

#[cfg(test)]
mod simulated_games;
#[cfg(test)]
mod tests;
