//! A thread that does nothing but look at the clock: where it is late, the machine stood still, and so did every
//! program.

use std::collections::VecDeque;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Interval at which a match looks.
const INTERVAL: Duration = Duration::from_millis(20);
/// Least delay that is a stall: less is the custom of a busy machine.
const LEAST: Duration = Duration::from_millis(100);
/// Interval and least delay where single answers are timed.
const FINE: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(2)];
const MAX_KEPT: usize = 1_000;

/// A time in which the machine stood still.
#[derive(Clone, Copy, Debug)]
struct Stall {
    from: Instant,
    to: Instant,
}

#[derive(Debug)]
struct Seen {
    stalls: VecDeque<Stall>,
    /// When it is to look again; later than that it is late.
    due: Instant,
}

/// Watch over the stalls of this machine, which ends when this is dropped.
#[derive(Debug)]
pub struct StallWatch {
    seen: Arc<Mutex<Seen>>,
    interval: Duration,
    least: Duration,
    /// Dropped to end the thread.
    stop: Option<Sender<()>>,
}

impl StallWatch {
    /// Begins to watch for stalls of a tenth of a second and more. Without a thread to spare none is ever seen.
    pub fn start() -> StallWatch {
        StallWatch::with(INTERVAL, LEAST)
    }

    /// Begins to watch for delays of milliseconds, by which single answers seem later than they are.
    pub fn start_fine() -> StallWatch {
        let [interval, least] = FINE;
        StallWatch::with(interval, least)
    }

    fn with(interval: Duration, least: Duration) -> StallWatch {
        let seen = Arc::new(Mutex::new(Seen { stalls: VecDeque::new(), due: Instant::now() + interval }));
        let (stop, stopped) = channel();
        let for_thread = Arc::clone(&seen);
        let watch = move || {
            while stopped.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                let now = Instant::now();
                let mut seen = lock(&for_thread);
                if now.saturating_duration_since(seen.due) > least {
                    let stall = Stall { from: seen.due, to: now };
                    seen.stalls.push_back(stall);
                    if seen.stalls.len() > MAX_KEPT {
                        seen.stalls.pop_front();
                    }
                }
                seen.due = now + interval;
            }
        };
        let thread = thread::Builder::new().name("stall watch".into()).spawn(watch);
        StallWatch { seen, interval, least, stop: thread.is_ok().then_some(stop) }
    }

    /// A watch that sees nothing.
    pub fn off() -> StallWatch {
        let seen = Arc::new(Mutex::new(Seen { stalls: VecDeque::new(), due: Instant::now() }));
        StallWatch { seen, interval: INTERVAL, least: LEAST, stop: None }
    }

    /// For how long the machine stood still between two moments, all stalls together. Waits until a stall that has just
    /// ended is known.
    pub fn within(&self, from: Instant, to: Instant) -> Duration {
        if self.stop.is_some() {
            thread::sleep(self.interval * 2);
        }
        let seen = lock(&self.seen);
        seen.stalls.iter().map(|stall| stall.to.min(to).saturating_duration_since(stall.from.max(from))).sum()
    }

    /// For how long, up to a moment that has just passed, no thread of this program may have run: what was noted at
    /// that moment may have happened so much earlier.
    pub fn delay_before(&self, at: Instant) -> Duration {
        if self.stop.is_none() {
            return Duration::ZERO;
        }
        let seen = lock(&self.seen);
        let known = seen.stalls.iter().rev().find(|stall| stall.from < at && stall.to + self.interval >= at);
        let from = known.map_or(seen.due, |stall| stall.from);
        let delay = at.saturating_duration_since(from);
        if delay > self.least { delay } else { Duration::ZERO }
    }
}

fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_stalls(stalls: &[(u64, u64)]) -> (StallWatch, impl Fn(u64) -> Instant) {
        let watch = StallWatch::off();
        let start = Instant::now();
        let at = move |millis| start + Duration::from_millis(millis);
        for &(from, to) in stalls {
            lock(&watch.seen).stalls.push_back(Stall { from: at(from), to: at(to) });
        }
        (watch, at)
    }

    #[test]
    fn only_what_lies_between_the_moments_counts() {
        let (watch, at) = with_stalls(&[(100, 300), (900, 1_000)]);
        let millis = |from, to| watch.within(at(from), at(to)).as_millis();
        assert_eq!([millis(0, 2_000), millis(200, 950), millis(300, 900), millis(1_000, 1_100)], [300, 150, 0, 0]);
    }

    #[test]
    fn an_answer_that_comes_with_the_end_of_a_stall_may_have_come_at_its_beginning() {
        let (mut watch, at) = with_stalls(&[(100, 300)]);
        watch.stop = Some(channel().0);
        lock(&watch.seen).due = at(5_000);
        let millis = |moment| watch.delay_before(at(moment)).as_millis();
        assert_eq!([millis(90), millis(250), millis(301), millis(400)], [0, 150, 201, 0]);
    }

    #[test]
    fn a_machine_that_runs_has_no_long_stall() {
        let (watch, start) = (StallWatch::start(), Instant::now());
        thread::sleep(Duration::from_millis(50));
        assert!(watch.within(start, Instant::now()) <= start.elapsed());
    }
}
