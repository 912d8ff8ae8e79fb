//! Time management: the time to think about a move, as pure functions of the clock.
//!
//! - [`OverheadEstimator`] measures what a move costs beyond its thinking time: the *reserve* to hold back. The engine
//!   knows how long it thought; the next `go` tells how much of its clock is gone. The difference is the latency of
//!   pipes, GUI and network; the delays with which the machine woke the search come on top.
//! - [`Budget`] is made of a clock, the user's [`TimeOptions`] and the measured overhead. Time that comes again with
//!   the next move (byoyomi, increment) is spent whole; main time is shared out over the moves to come; what lies below
//!   a *cushion* of several reserves is left alone, so that a late move now and then loses nothing.
//! - [`BestMoveStability`] says how much of its usual time a move is worth. After each iteration four things are known:
//!   how long the best move has stood, how often it has changed lately, whether the score falls, and how much of the
//!   work went into the best move. A move that stands firm is played sooner; one in doubt gets more time (Stockfish's
//!   time management; chessprogramming wiki, "Time management").
//!
//! Nothing here looks at a clock: all times are handed in.

use crate::types::{Move, Score};
use std::time::Duration;

/// The clock of the side to move, as `go` gives it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Time left.
    pub time: Duration,
    /// Time added for each move.
    pub increment: Duration,
    /// Time for each move after the rest is used up.
    pub byoyomi: Duration,
    /// Moves until the clock is set anew (`movestogo`), which shogi clocks never are.
    pub moves_to_go: Option<u32>,
}

impl Clock {
    /// The clock before the next move, after one that took so long; `None` if that was too long and the time is up.
    ///
    /// The time is counted without the increment of the coming move, which is there from its beginning; byoyomi pays
    /// for what exceeds both.
    ///
    /// ```
    /// use komainu::search::Clock;
    /// use std::time::Duration;
    ///
    /// let seconds = Duration::from_secs;
    /// let clock = Clock { time: seconds(10), byoyomi: seconds(5), ..Clock::default() };
    /// assert_eq!(clock.after(seconds(4)).map(|clock| clock.time), Some(seconds(6)));
    /// assert_eq!(clock.after(seconds(12)).map(|clock| clock.time), Some(seconds(0)));
    /// assert_eq!(clock.after(seconds(16)), None);
    /// ```
    pub fn after(self, used: Duration) -> Option<Clock> {
        let main = self.time.saturating_add(self.increment);
        if used > main.saturating_add(self.byoyomi) {
            return None;
        }
        Some(Clock { time: main.saturating_sub(used), ..self })
    }
}

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
    pub(crate) fn of_movetime(movetime: Duration) -> Budget {
        let time = movetime.saturating_sub(MOVETIME_RESERVE);
        Budget { soft: time, maximum: time }
    }

    /// Budget of a move that is worth `worth` times the usual time (0 or more), by this clock.
    pub(crate) fn of_clock(clock: &Clock, timing: &Timing, worth: f64) -> Budget {
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
        let share = self.scaled(regular + saved);
        let maximum = (share * STRETCH).min(regular + spare / 4).max(share).min(room);
        // The next iteration takes longer than all before it: one that begins later would not end within the share.
        let soft = self.scaled(regular * 9 / 10 + saved * 3 / 5).mul_f64(worth);
        Budget { soft: soft.min(maximum), maximum }
    }

    /// A share as the user wants it scaled, less the latency, which is charged too.
    fn scaled(&self, time: Duration) -> Duration {
        let time = time.saturating_sub(self.timing.overhead.average_lag());
        time * self.timing.options.slow_mover.clamp(1, 1_000) / 100
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
        match self.last {
            Some(own) if own.ply.checked_add(2) == Some(ply) => self.compare(&own, clock),
            Some(own) if own.ply == ply => {}
            _ => self.on_top = false,
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
    pub(crate) fn reserve(&self, period: Duration) -> Duration {
        let share = (period / 6).mul_f64((period.as_secs_f64() / SHORT.as_secs_f64()).min(1.0));
        let prior = share.clamp(PRIOR[0], PRIOR[1]);
        let doubt = prior / 2 * TRUST / TRUST.saturating_add(self.quiet);
        // Where no clock shows the latency it counts as much as the machine's delay: in byoyomi the clock stands still.
        let measured = MARGIN + (self.lag.max(self.late) + self.late) * 5 / 4;
        measured.max(prior / 2 + doubt)
    }

    /// Average cost of a move beyond the time that it takes.
    pub(crate) fn average_lag(&self) -> Duration {
        self.average_lag
    }

    /// Tests whether the increment of this move comes on top of what the clock shows.
    ///
    /// A clock below the increment proves it: if the clock held the increment already, it could not be less.
    pub(crate) fn increment_is_on_top(&self, clock: &Clock) -> bool {
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
    if same_rules && tells && charged.subsec_nanos() != 0 { Some(charged) } else { None }
}

/// The recent maximum: rises at once, falls slowly.
fn fading_maximum(maximum: Duration, new: Duration) -> Duration {
    new.max(maximum - maximum / FADE)
}

/// Number of iterations back with which a score is compared.
const LOOK_BACK: usize = 4;
/// No score beyond this counts as a fall: the game is decided.
const DECIDED: i32 = 2_000;

/// The stability of the best move over the iterations of a search and from move to move of a game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BestMoveStability {
    best: Option<Move>,
    /// Iterations so far, and the one since which the best move has stood.
    iterations: usize,
    stands_since: usize,
    /// Number of changes of the best move, each counting half as much with every iteration.
    changes: f64,
    /// The scores of the last iterations, in centipawns.
    scores: [f64; LOOK_BACK],
    /// The last score.
    score: f64,
    /// The score's average of the last move of the game.
    last_average: Option<f64>,
    /// Firmness of the best move at the last move of the game, and now: 0.6 to 1.6.
    last_firmness: f64,
    firmness: f64,
    /// Share of the last search's nodes that went into the best move, 0 to 1.
    effort: f64,
}

impl Default for BestMoveStability {
    fn default() -> BestMoveStability {
        BestMoveStability {
            best: None,
            iterations: 0,
            stands_since: 0,
            changes: 0.0,
            scores: [0.0; LOOK_BACK],
            score: 0.0,
            last_average: None,
            last_firmness: 0.85,
            firmness: 0.85,
            effort: 0.0,
        }
    }
}

/// The value at `x` of the line through two points.
fn line(x: f64, (x0, y0): (f64, f64), (x1, y1): (f64, f64)) -> f64 {
    y0 + (x - x0) * (y1 - y0) / (x1 - x0)
}

fn centipawns(score: Score) -> f64 {
    f64::from(score.0.clamp(-DECIDED, DECIDED))
}

impl BestMoveStability {
    /// Begins a search; what the last move of the game taught is kept.
    pub(crate) fn begin_search(&mut self) {
        *self = BestMoveStability {
            best: None,
            iterations: 0,
            stands_since: 0,
            changes: 0.0,
            scores: [self.score; LOOK_BACK],
            last_firmness: if self.iterations > 0 { self.firmness } else { self.last_firmness },
            effort: 0.0,
            ..*self
        };
    }

    /// So often, on average over the threads, a move after the first has turned out best within an iteration.
    pub(crate) fn note_changes(&mut self, changes: f64) {
        self.changes += changes;
    }

    /// An iteration has ended with this best move, its score, and the share of all nodes that it took.
    pub(crate) fn note(&mut self, best: Move, score: Score, effort: f64) {
        if self.best != Some(best) {
            self.best = Some(best);
            self.stands_since = self.iterations;
        }
        self.score = centipawns(score);
        self.effort = effort;
        if self.iterations == 0 && self.last_average.is_none() {
            self.scores = [self.score; LOOK_BACK];
        }
        let stood = (self.iterations - self.stands_since) as f64;
        self.firmness = line(stood, (4.96, 0.639), (18.79, 1.712)).clamp(0.629, 1.544);
    }

    /// The iteration that was noted counts as one of the past.
    pub(crate) fn end_iteration(&mut self) {
        self.scores[self.iterations % LOOK_BACK] = self.score;
        self.iterations += 1;
        self.changes /= 2.0;
    }

    /// The search has ended; the best move's scores were this on average.
    pub(crate) fn end_search(&mut self, average: Score) {
        self.last_average = Some(centipawns(average));
    }

    /// Factor of its usual time that the move is worth: about 0.3 to 4.
    pub(crate) fn factor(&self) -> f64 {
        if self.best.is_none() {
            return 1.0;
        }
        let earlier = self.scores[self.iterations % LOOK_BACK];
        let fall = self.last_average.map_or(f64::INFINITY, |average| 2.30 * (average - self.score));
        let falling = ((11.48 + fall + 1.1 * (earlier - self.score)) / 100.0).clamp(0.576, 1.728);
        let standing = (1.468 + self.last_firmness) / (2.284 * self.firmness);
        let instability = 1.077 + 2.229 * self.changes;
        let effort = line(self.effort, (0.758, 0.969), (1.0451, 0.714)).clamp(0.693, 0.838);
        falling * standing * instability * effort
    }
}

#[cfg(test)]
mod tests;
