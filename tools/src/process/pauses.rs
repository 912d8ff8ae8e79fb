//! A thread that does nothing but look at the clock: where it is late, the machine stood still, and so did every
//! program.

use komainu::host::lock;
use std::collections::VecDeque;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Interval at which a match looks.
const INTERVAL: Duration = Duration::from_millis(20);
/// Least delay that counts as a pause: a busy machine has shorter ones all the time.
const LEAST: Duration = Duration::from_millis(100);
/// Interval and least delay where single answers are timed.
const FINE_INTERVAL: Duration = Duration::from_millis(5);
const FINE_LEAST: Duration = Duration::from_millis(2);
const MAX_KEPT: usize = 1_000;

/// A time in which the machine stood still.
#[derive(Clone, Copy, Debug)]
struct Pause {
    from: Instant,
    to: Instant,
}

#[derive(Debug)]
struct Pauses {
    pauses: VecDeque<Pause>,
    /// When it is to look again; later than that it is late.
    due: Instant,
}

/// Notes the pauses of this machine until it is dropped.
#[derive(Debug)]
pub struct PauseMonitor {
    seen: Arc<Mutex<Pauses>>,
    interval: Duration,
    least: Duration,
    /// Dropped to end the thread.
    stop: Option<Sender<()>>,
}

impl PauseMonitor {
    /// Begins to look for pauses of a tenth of a second and more. Without a thread to spare none is ever seen.
    pub fn start() -> PauseMonitor {
        PauseMonitor::with(INTERVAL, LEAST)
    }

    /// Begins to look for delays of milliseconds, by which single answers seem later than they are.
    pub fn start_fine() -> PauseMonitor {
        PauseMonitor::with(FINE_INTERVAL, FINE_LEAST)
    }

    fn with(interval: Duration, least: Duration) -> PauseMonitor {
        let seen = Arc::new(Mutex::new(Pauses { pauses: VecDeque::new(), due: Instant::now() + interval }));
        let (stop, stopped) = channel();
        let for_thread = Arc::clone(&seen);
        let watch = move || {
            while stopped.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                let now = Instant::now();
                let mut seen = lock(&for_thread);
                if now.saturating_duration_since(seen.due) > least {
                    let pause = Pause { from: seen.due, to: now };
                    seen.pauses.push_back(pause);
                    if seen.pauses.len() > MAX_KEPT {
                        seen.pauses.pop_front();
                    }
                }
                seen.due = now + interval;
            }
        };
        let thread = thread::Builder::new().name("pause monitor".into()).spawn(watch);
        PauseMonitor { seen, interval, least, stop: thread.is_ok().then_some(stop) }
    }

    /// A monitor that sees nothing.
    pub fn off() -> PauseMonitor {
        let seen = Arc::new(Mutex::new(Pauses { pauses: VecDeque::new(), due: Instant::now() }));
        PauseMonitor { seen, interval: INTERVAL, least: LEAST, stop: None }
    }

    /// For how long the machine stood still between two moments, all pauses together. Waits until a pause that has just
    /// ended is known.
    pub fn within(&self, from: Instant, to: Instant) -> Duration {
        if self.stop.is_some() {
            thread::sleep(self.interval * 2);
        }
        let seen = lock(&self.seen);
        seen.pauses.iter().map(|pause| pause.to.min(to).saturating_duration_since(pause.from.max(from))).sum()
    }

    /// For how long, up to a moment that has just passed, no thread of this program may have run: what was noted at
    /// that moment may have happened so much earlier.
    pub fn delay_before(&self, at: Instant) -> Duration {
        if self.stop.is_none() {
            return Duration::ZERO;
        }
        let seen = lock(&self.seen);
        let known = seen.pauses.iter().rev().find(|pause| pause.from < at && pause.to + self.interval >= at);
        let from = known.map_or(seen.due, |pause| pause.from);
        let delay = at.saturating_duration_since(from);
        if delay > self.least { delay } else { Duration::ZERO }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_pauses(pauses: &[(u64, u64)]) -> (PauseMonitor, impl Fn(u64) -> Instant) {
        let watch = PauseMonitor::off();
        let start = Instant::now();
        let at = move |millis| start + Duration::from_millis(millis);
        for &(from, to) in pauses {
            lock(&watch.seen).pauses.push_back(Pause { from: at(from), to: at(to) });
        }
        (watch, at)
    }

    #[test]
    fn only_what_lies_between_the_moments_counts() {
        let (watch, at) = with_pauses(&[(100, 300), (900, 1_000)]);
        let millis = |from, to| watch.within(at(from), at(to)).as_millis();
        assert_eq!([millis(0, 2_000), millis(200, 950), millis(300, 900), millis(1_000, 1_100)], [300, 150, 0, 0]);
    }

    #[test]
    fn an_answer_that_comes_with_the_end_of_a_stall_may_have_come_at_its_beginning() {
        let (mut watch, at) = with_pauses(&[(100, 300)]);
        watch.stop = Some(channel().0);
        lock(&watch.seen).due = at(5_000);
        let millis = |moment| watch.delay_before(at(moment)).as_millis();
        assert_eq!([millis(90), millis(250), millis(301), millis(400)], [0, 150, 201, 0]);
    }

    #[test]
    fn a_machine_that_runs_has_no_long_stall() {
        let watch = PauseMonitor::start();
        let start = Instant::now();
        thread::sleep(Duration::from_millis(50));
        assert!(watch.within(start, Instant::now()) <= start.elapsed());
    }
}
