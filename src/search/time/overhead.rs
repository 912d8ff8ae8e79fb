//! The estimator of the overhead of a move: latency and scheduling delays, measured over the moves of a game.
//!
//! The engine knows how long it thought; the next `go` tells how much of its clock is gone. The difference is the
//! latency of pipes, GUI and network. Together with the delays with which the machine woke the search it gives the
//! reserve that must be held back, which no fixed delay can know.

use super::clock::Clock;
use std::time::Duration;

/// The least that is held back, on top of all that was measured.
const MARGIN: Duration = Duration::from_millis(8);
/// Held back before anything was measured: a sixth of the period, within these bounds.
const PRIOR: [Duration; 2] = [Duration::from_millis(10), Duration::from_millis(120)];
/// Of a shorter period a smaller share is held back: no share of it that leaves time to think covers a late wake-up.
const SHORT: Duration = Duration::from_millis(400);
/// After this many quiet moves the prior has come down half of the way to its half.
const TRUST: u32 = 256;
/// A move that costs no more than this is quiet; one that costs more takes away all trust.
const QUIET: Duration = Duration::from_millis(30);
/// A maximum fades by one part in this many with each measurement.
const FADE: u32 = 32;
/// The average follows a measurement by one part in this many.
const SMOOTHING: u32 = 8;
/// More than this is no lag but an interruption (a suspended machine, a paused game).
const WORST: Duration = Duration::from_secs(2);

/// The overhead measured so far: lag, jitter, and how the increment is counted. Kept by the session over a game; the
/// measurements of the machine also over the next ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OverheadEstimator {
    /// The largest recent latency: what a move was charged beyond the time that it took. 0 to 2 s.
    lag: Duration,
    /// The largest recent delay of the end of a search. 0 to 2 s.
    late: Duration,
    /// The latency on average. 0 to 2 s.
    average_lag: Duration,
    /// Number of moves in a row that were measured and quiet.
    quiet: u32,
    /// In this game the increment is proven to come on top of the clock before the move.
    on_top: bool,
    /// The own move that was thought about last.
    last: Option<OwnMove>,
}

/// An own move, as far as the clock is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OwnMove {
    clock: Clock,
    ply: u32,
    /// From reading `go` to the written answer; `None` before the answer.
    spent: Option<Duration>,
}

impl OverheadEstimator {
    /// A `go`, or a `ponderhit` with clocks, brings the clock of the side to move. It is compared with the clock
    /// before the last own move.
    ///
    /// `ply` counts the moves made in the game so far. If it is not that of the next own move, the clock belongs to
    /// another game or another variation and teaches nothing.
    pub fn clock_arrived(&mut self, clock: &Clock, ply: u32) {
        let (own, same) = (self.last.map(|own| own.ply), self.last.filter(|own| own.ply.checked_add(2) == Some(ply)));
        if let Some(own) = same {
            self.compare(&own, clock);
        } else if own != Some(ply) {
            self.on_top = false;
        }
        self.on_top |= clock.time < clock.increment;
        self.last = Some(OwnMove { clock: *clock, ply, spent: None });
    }

    /// The answer has been written, `spent` after `go` (or `ponderhit`) was read. `overrun` is by how much the search
    /// ended later than it was meant to, or for how long at most it did not get to look at the clock: both show how
    /// late the machine may be. Zero if it ended in time.
    pub fn answered(&mut self, spent: Duration, overrun: Duration) {
        let overrun = overrun.min(WORST);
        self.late = fading_maximum(self.late, overrun);
        if overrun > QUIET {
            self.quiet = 0;
        }
        if let Some(own) = &mut self.last {
            own.spent = Some(spent);
        }
    }

    /// Before a game the threads of this process waited so long for each turn on a core: the first move, too, may end
    /// as late as that.
    pub fn waited(&mut self, turn: Duration) {
        self.late = self.late.max(turn.min(WORST));
    }

    /// A new game: forgets the game, keeps what was measured of machine and latency.
    pub fn new_game(&mut self) {
        self.on_top = false;
        self.last = None;
    }

    /// Learns the lag of an own move from the clock that came after it.
    fn compare(&mut self, own: &OwnMove, next: &Clock) {
        let Some(spent) = own.spent else { return };
        let Some(charged) = charged(&own.clock, next) else { return };
        let lag = charged.saturating_sub(spent).min(WORST);
        self.lag = fading_maximum(self.lag, lag);
        self.average_lag = self.average_lag - self.average_lag / SMOOTHING + lag / SMOOTHING;
        self.quiet = if lag <= QUIET { self.quiet.saturating_add(1) } else { 0 };
    }

    /// Reserve to hold back of a period so that the answer arrives in time, as far as is known.
    ///
    /// The prior gives way only slowly and never to less than its half: what it covers is rare, and one game in a
    /// hundred that is lost on time costs more than a twentieth of the time gains.
    pub(super) fn reserve(&self, period: Duration) -> Duration {
        let share = (period / 6).mul_f64((period.as_secs_f64() / SHORT.as_secs_f64()).min(1.0));
        let prior = share.clamp(PRIOR[0], PRIOR[1]);
        let doubt = prior / 2 * TRUST / TRUST.saturating_add(self.quiet);
        // Where no clock shows the latency it counts as much as the machine's delay: in byoyomi the clock stands still.
        let measured = MARGIN + (self.lag.max(self.late) + self.late) * 5 / 4;
        measured.max(prior / 2 + doubt)
    }

    /// Average cost of a move beyond the time that it takes.
    pub(super) fn average_lag(&self) -> Duration {
        self.average_lag
    }

    /// Tests whether the increment of this move comes on top of what the clock shows.
    ///
    /// A clock below the increment proves it: if the clock held the increment already, it could not be less.
    pub(super) fn increment_is_on_top(&self, clock: &Clock) -> bool {
        self.on_top || clock.time < clock.increment
    }
}

/// Time that the referee took for a move, if the next clock tells. However the increment is counted, it has come once
/// between two clocks.
fn charged(before: &Clock, next: &Clock) -> Option<Duration> {
    let same_rules = before.increment == next.increment && before.byoyomi == next.byoyomi;
    // Once byoyomi is used the clock stands still.
    let tells = next.byoyomi.is_zero() || next.time > next.increment;
    let charged = before.time.checked_add(before.increment)?.checked_sub(next.time)?;
    // Whole seconds come from a referee who counts nothing else, and hide the lag.
    (same_rules && tells && charged.subsec_nanos() != 0).then_some(charged)
}

/// The recent maximum: rises at once, falls slowly.
fn fading_maximum(maximum: Duration, new: Duration) -> Duration {
    new.max(maximum - maximum / FADE)
}
