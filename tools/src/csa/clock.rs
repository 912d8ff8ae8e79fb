//! The clocks of a game as the server keeps them, and the latency that each move costs.
//!
//! The server charges `max(floor(time it took, network included), least)` and tells it behind the `T` of the echo. A
//! side loses when `left - charged + byoyomi + increment <= 0`. So a move must arrive before `left + byoyomi +
//! increment` is over, by a fraction of a second at least; and what is left then is `max(0, left + increment -
//! charged)`. Nothing here is measured: the clocks run by the echoes.

use super::time_control::TimeControl;
use crate::arena::live::ClockFace;
use std::collections::VecDeque;
use std::time::Duration;

/// Time of a move in a game without a limit of time.
const UNLIMITED_MOVE: Duration = Duration::from_secs(10);
/// Held back beyond the measured latency.
const RESERVE: Duration = Duration::from_millis(100);
/// Held back at least, while there is main time or an increment.
const MARGIN: Duration = Duration::from_millis(300);
/// Held back at least in pure byoyomi, where one late move ends the game and nothing that is saved is kept.
const BYOYOMI_MARGIN: Duration = Duration::from_millis(1_000);

/// The clock of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerClock {
    /// Times that the game has.
    pub control: TimeControl,
    /// Main time that is left, without the increment of the coming move.
    pub left: Duration,
}

impl ServerClock {
    /// A clock at the start of a game.
    pub fn new(control: TimeControl) -> ServerClock {
        ServerClock { control, left: control.total.unwrap_or_default() }
    }

    /// The time before whose end a move must have arrived; none without a limit.
    pub fn available(&self) -> Option<Duration> {
        let TimeControl { byoyomi, increment, stop_watch, .. } = self.control;
        if !self.control.is_limited() {
            return None;
        }
        if stop_watch {
            return Some(self.left);
        }
        Some((self.left + byoyomi + increment).saturating_sub(self.rounding()))
    }

    /// The last unit, where one that was begun is charged in full: it would use the clock up.
    fn rounding(&self) -> Duration {
        if self.control.rounds_up { self.control.unit } else { Duration::ZERO }
    }

    /// Takes off what the server has charged for a move.
    pub fn charge(&mut self, charged: Duration) {
        if self.control.is_limited() {
            self.left = (self.left + self.control.increment).saturating_sub(charged);
        }
    }

    /// Charges a move that was made before the game began here: its increment fills a full clock no further.
    pub fn charge_before(&mut self, charged: Duration) {
        let total = self.control.total.unwrap_or_default();
        self.charge(charged);
        self.left = self.left.min(total);
    }

    /// Tests whether nothing but byoyomi is left.
    fn is_in_byoyomi(&self) -> bool {
        self.control.increment.is_zero() && self.left.is_zero() && !self.control.stop_watch
    }

    /// The time to hold back of a move of which `latency` is known: that and 100 ms, and at least `margin`; without
    /// one 300 ms, or 1,000 ms in pure byoyomi, but never more than a quarter of the time for the move.
    pub fn held_back(&self, latency: Option<Duration>, margin: Option<Duration>) -> Duration {
        let available = self.available().unwrap_or(UNLIMITED_MOVE);
        let usual = if self.is_in_byoyomi() { BYOYOMI_MARGIN } else { MARGIN };
        let least = margin.unwrap_or(usual.min(available / 4));
        latency.map_or(least, |latency| (latency + RESERVE).max(least))
    }

    /// The clock for an engine, `gone` after the clock of the move was started, with `held_back` left out of it.
    ///
    /// A stop-watch of 60 s charges a move of less than 60 s nothing and must keep one period: that is main time
    /// without that period, and byoyomi.
    pub fn for_engine(&self, gone: Duration, held_back: Duration) -> ClockFace {
        let TimeControl { byoyomi, increment, stop_watch, .. } = self.control;
        let mut told = if !self.control.is_limited() {
            ClockFace { byoyomi: UNLIMITED_MOVE, ..ClockFace::default() }
        } else if stop_watch {
            ClockFace { left: self.left.saturating_sub(byoyomi), increment, byoyomi: byoyomi.min(self.left) }
        } else {
            ClockFace { left: self.left, increment, byoyomi }
        };
        // No time is told that would be negative: a late engine gets half of what it would have.
        let all = told.left + told.increment + told.byoyomi;
        let mut rest = (gone + held_back + self.rounding()).min(all / 2);
        for part in [&mut told.byoyomi, &mut told.left, &mut told.increment] {
            let taken = rest.min(*part);
            (*part, rest) = (*part - taken, rest - taken);
        }
        told
    }

    /// Tests whether the server counts whole seconds, so that a second that was begun may as well be used up.
    pub fn counts_whole_seconds(&self) -> bool {
        self.control.unit.as_millis().is_multiple_of(1_000)
    }
}

/// The latency of moves: from sending one to its echo.
#[derive(Clone, Debug, Default)]
pub struct Latency {
    samples: VecDeque<Duration>,
}

const SAMPLES: usize = 50;

impl Latency {
    /// Adds the latency of a move.
    pub fn add(&mut self, sample: Duration) {
        if self.samples.len() == SAMPLES {
            self.samples.pop_front();
        }
        self.samples.push_back(sample);
    }

    /// The 95th percentile of the last 50 moves; none before the first.
    pub fn percentile(&self) -> Option<Duration> {
        let mut sorted: Vec<Duration> = self.samples.iter().copied().collect();
        sorted.sort_unstable();
        let at = (sorted.len() * 95).div_ceil(100).checked_sub(1)?;
        sorted.get(at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;
    const SECS: fn(u64) -> Duration = Duration::from_secs;

    fn clock(total: u64, byoyomi: u64, increment: u64) -> ServerClock {
        let control = TimeControl {
            total: Some(SECS(total)),
            byoyomi: SECS(byoyomi),
            increment: SECS(increment),
            ..TimeControl::default()
        };
        ServerClock::new(control)
    }

    fn stop_watch(total: u64, byoyomi: u64) -> ServerClock {
        let clock = clock(total, byoyomi, 0);
        ServerClock::new(TimeControl { stop_watch: true, ..clock.control })
    }

    /// A server by the formulas of shogi-server: what it charges, and what is left; none if the time is up.
    fn server(clock: &ServerClock, wall: Duration) -> Option<(Duration, Duration)> {
        let TimeControl { byoyomi, increment, least, stop_watch, .. } = clock.control;
        let rounded = if clock.control.rounds_up { wall.as_secs_f64().ceil() as u64 } else { wall.as_secs() };
        let left = clock.left.as_secs() as i64;
        let wall = rounded.max(least.as_secs()) as i64;
        let byoyomi = byoyomi.as_secs() as i64;
        let increment = increment.as_secs() as i64;
        let charged = if stop_watch { wall / byoyomi * byoyomi } else { wall };
        let is_up = if stop_watch { left <= charged } else { left - charged + byoyomi + increment <= 0 };
        let after = (left + increment - charged).max(0);
        (!is_up).then_some((SECS(charged as u64), SECS(after as u64)))
    }

    #[test]
    fn a_move_is_in_time_exactly_before_what_is_available() {
        let clocks = [
            clock(300, 0, 10),
            clock(0, 10, 0),
            clock(5, 10, 0),
            clock(0, 0, 5),
            clock(60, 0, 0),
            clock(7, 3, 2),
            stop_watch(900, 60),
            stop_watch(60, 60),
            stop_watch(10, 5),
        ];
        for clock in clocks {
            let available = clock.available().unwrap();
            assert!(server(&clock, available - MS(1)).is_some(), "{clock:?}");
            assert_eq!(server(&clock, available), None, "{clock:?}");
        }
        let rounding = ServerClock::new(TimeControl { rounds_up: true, ..clock(5, 10, 2).control });
        assert_eq!(rounding.available(), Some(SECS(16)));
        assert!(server(&rounding, SECS(16)).is_some() && server(&rounding, SECS(16) + MS(1)).is_none());
        assert_eq!(clock(300, 0, 10).available(), Some(SECS(310)));
        assert_eq!(clock(0, 10, 0).available(), Some(SECS(10)));
    }

    #[test]
    fn the_clock_is_charged_as_the_server_charges_it() {
        for mut clock in [clock(300, 0, 10), clock(5, 10, 0), clock(20, 3, 2), stop_watch(900, 60), stop_watch(20, 5)] {
            for wall in [990, 9_990, 12_000, 1_500, 4_999, 61_000, 0] {
                let Some((charged, after)) = server(&clock, MS(wall)) else { break };
                clock.charge(charged);
                assert_eq!(clock.left, after, "{clock:?} {wall} ms");
            }
        }
        let mut used_up = clock(5, 10, 0);
        used_up.charge(SECS(12));
        assert_eq!(used_up.left, Duration::ZERO);
        let least = TimeControl { least: SECS(1), ..clock(60, 0, 0).control };
        assert_eq!(server(&ServerClock::new(least), MS(200)), Some((SECS(1), SECS(59))));
    }

    /// Whoever uses all that he is told, however the increment is read, is in time.
    #[test]
    fn all_that_an_engine_is_told_is_in_time_under_both_conventions() {
        for clock in [clock(300, 0, 10), clock(0, 10, 0), clock(0, 0, 1), clock(3, 10, 0), stop_watch(900, 60)] {
            let held = clock.held_back(Some(MS(40)), None);
            let told = clock.for_engine(MS(5), held);
            // "Before": the increment comes on top of the time; "after": it is in it already.
            let before = told.left + told.increment + told.byoyomi;
            let after = told.left.max(told.increment) + told.byoyomi;
            for used in [before, after] {
                assert!(server(&clock, used + MS(5) + held - MS(1)).is_some(), "{clock:?} {told:?}");
            }
            assert_eq!(before + MS(5) + held, clock.available().unwrap(), "the increment counts once: {told:?}");
        }
    }

    #[test]
    fn what_is_held_back_grows_with_the_latency_and_never_takes_all() {
        let fischer = clock(300, 0, 10);
        assert_eq!(fischer.held_back(None, None), MS(300));
        assert_eq!(fischer.held_back(Some(MS(50)), None), MS(300));
        assert_eq!(fischer.held_back(Some(MS(450)), None), MS(550));
        assert_eq!(fischer.held_back(Some(MS(50)), Some(MS(10))), MS(150));
        assert_eq!(fischer.held_back(Some(MS(50)), Some(MS(2_000))), MS(2_000));
        assert_eq!(clock(0, 10, 0).held_back(None, None), MS(1_000));
        assert_eq!(clock(0, 1, 0).held_back(None, None), MS(250));
        assert_eq!(clock(0, 0, 1).held_back(None, None), MS(250));
        let told = clock(0, 1, 0).for_engine(MS(0), MS(2_000));
        assert_eq!(told.byoyomi, MS(500));
    }

    #[test]
    fn a_game_without_a_limit_is_played_by_the_move() {
        let unlimited = ServerClock::new(TimeControl::default());
        assert_eq!(unlimited.available(), None);
        assert_eq!(unlimited.for_engine(MS(0), MS(0)).byoyomi, UNLIMITED_MOVE);
    }

    #[test]
    fn moves_before_the_game_never_fill_a_clock_beyond_its_total() {
        let mut clock = clock(300, 0, 10);
        clock.charge_before(SECS(1));
        assert_eq!(clock.left, SECS(300));
        clock.charge_before(SECS(25));
        assert_eq!(clock.left, SECS(285));
    }

    #[test]
    fn the_percentile_leaves_the_worst_of_many_out() {
        let mut latency = Latency::default();
        assert_eq!(latency.percentile(), None);
        latency.add(MS(700));
        assert_eq!(latency.percentile(), Some(MS(700)));
        for ms in 1..=50 {
            latency.add(MS(ms));
        }
        assert_eq!(latency.percentile(), Some(MS(48)));
        assert_eq!(latency.samples.len(), SAMPLES);
    }
}
