//! The watchdog of a running search.
//!
//! On a busy machine the thread that searches may lose its core for a tenth of a second just when its time is up. The
//! thread that waits for it has slept meanwhile and is woken sooner: it measures how late that is, and if the search is
//! overdue it answers with what was known after the last iteration.

use crate::host::Instant;
use crate::search::bound::Bound;
use crate::search::limits::Limits;
use crate::search::report::{Decision, Report, SearchResult};
use crate::search::signals::Signals;
use crate::types::Move;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Interval at which the waking of an idle thread is timed.
const NAP: Duration = Duration::from_millis(20);
/// Time after its end in which a search may answer by itself.
const GRACE: Duration = Duration::from_millis(10);
/// Time after its end in which a search that has not finished its first iteration may answer by itself.
const FIRST_GRACE: Duration = Duration::from_millis(50);

type OnAnswer<'a> = &'a mut (dyn FnMut(&SearchResult) + Send);

/// Sees to it that a search has one answer, in time.
pub(super) struct Watchdog<'a> {
    limits: &'a Limits,
    signals: &'a Signals,
    /// A legal move, should nothing better be known.
    fallback: Move,
    state: Mutex<WatchdogState<'a>>,
}

struct WatchdogState<'a> {
    /// The best line of the last iteration.
    latest: Option<Report>,
    /// Taken by whoever answers.
    on_answer: Option<OnAnswer<'a>>,
    result: Option<SearchResult>,
    /// By how much a nap was too long at most.
    latest_waking: Duration,
}

impl<'a> Watchdog<'a> {
    pub(super) fn new(
        limits: &'a Limits,
        signals: &'a Signals,
        fallback: Move,
        on_answer: OnAnswer<'a>,
    ) -> Watchdog<'a> {
        let state =
            WatchdogState { latest: None, on_answer: Some(on_answer), result: None, latest_waking: Duration::ZERO };
        Watchdog { limits, signals, fallback, state: Mutex::new(state) }
    }

    /// Keeps what an iteration has found. A score that may be too high proves nothing; one that may be too low says
    /// less than a score that is known for the same move.
    pub(super) fn note(&self, block: &[Report]) {
        let Some(report) = block.first() else { return };
        let mut state = self.lock();
        let is_known = state.latest.as_ref().is_some_and(|latest| latest.pv.first() == report.pv.first());
        let is_news = match report.bound {
            Bound::EXACT => true,
            Bound::LOWER => !is_known,
            _ => false,
        };
        if is_news {
            state.latest = Some(report.clone());
        }
    }

    /// Answers, unless that has been done.
    pub(super) fn answer(&self, result: SearchResult) {
        let Some(on_answer) = self.lock().on_answer.take() else { return };
        // The search is over: whoever looks now need not tell it to stop.
        self.signals.end();
        on_answer(&result);
        self.lock().result = Some(result);
    }

    /// Waits for the answer, and gives it if the search is overdue.
    pub(super) fn keep(&self, is_over: impl Fn() -> bool) {
        let mut limits = self.limits.clone();
        let mut stopped_at = None;
        while self.lock().on_answer.is_some() && !is_over() {
            let deadline = self.deadline(&mut limits, &mut stopped_at);
            let left = deadline.map_or(NAP, |deadline| deadline.saturating_duration_since(Instant::now()));
            if let Some(deadline) = deadline.filter(|_| left.is_zero()) {
                // The clock of the search runs late: by the grace that it had, and by how late this thread woke up.
                let late = self.grace() + deadline.elapsed();
                return self.answer(SearchResult { longest_pause: late, ..self.known() });
            }
            let (began, nap) = (Instant::now(), NAP.min(left));
            if self.signals.nap(nap) {
                let late = began.elapsed().saturating_sub(nap);
                let mut state = self.lock();
                state.latest_waking = state.latest_waking.max(late);
            }
        }
    }

    fn grace(&self) -> Duration {
        if self.lock().latest.is_some() { GRACE } else { FIRST_GRACE }
    }

    /// When the search is overdue, if it is bounded by time or was stopped.
    fn deadline(&self, limits: &mut Limits, stopped_at: &mut Option<Instant>) -> Option<Instant> {
        let (now, grace) = (Instant::now(), self.grace());
        if self.signals.is_stopped() {
            return Some(*stopped_at.get_or_insert(now) + grace);
        }
        if limits.ponder && !self.signals.is_pondering() {
            limits.begin_clock(self.signals.hit_clock());
        }
        let budget = limits.budget(1.0).filter(|_| !limits.must_wait())?;
        let left = (budget.maximum + grace).saturating_sub(self.signals.thinking_time());
        now.checked_add(left)
    }

    /// Result that is known without the search's help.
    fn known(&self) -> SearchResult {
        let report = self.lock().latest.clone();
        let line = report.as_ref().map_or(&[self.fallback][..], |report| &report.pv).to_vec();
        SearchResult {
            decision: Decision::Play(line[0], line.get(1).copied()),
            report,
            nodes: self.signals.nodes(),
            longest_pause: Duration::ZERO,
            fault: None,
        }
    }

    /// The answer that was given; if there was none, because the search broke down, it is given now.
    pub(super) fn result(&self) -> SearchResult {
        self.signals.wait(self.limits);
        self.answer(self.known());
        let state = self.lock();
        let result = state.result.clone().expect("there is a result once there is an answer");
        SearchResult { longest_pause: result.longest_pause.max(state.latest_waking), ..result }
    }

    fn lock(&self) -> MutexGuard<'_, WatchdogState<'a>> {
        // No holder of the lock can panic half way through a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::StopToken;
    use std::sync::mpsc::channel;

    fn report() -> Report {
        Report::of_winning_move("7g7f".parse().unwrap())
    }

    fn to_millis(millis: u64) -> Limits {
        Limits { movetime: Some(Duration::from_millis(millis)), ..Limits::default() }
    }

    #[test]
    fn a_search_that_does_not_come_to_answer_is_answered_for_once() {
        let (signals, limits) = (Signals::new(&StopToken::new()), to_millis(30));
        let (sender, answers) = channel();
        let mut on_answer = |result: &SearchResult| sender.send(result.decision).unwrap();
        let watchdog = Watchdog::new(&limits, &signals, "2g2f".parse().unwrap(), &mut on_answer);
        watchdog.note(&[report()]);
        watchdog.keep(|| false);
        assert!(signals.elapsed() >= Duration::from_millis(30) && signals.is_stopped());
        // The search has come to it at last.
        watchdog.answer(SearchResult::without_search(Decision::Resign, None));
        let result = watchdog.result();
        assert_eq!(result.decision, Decision::Play("7g7f".parse().unwrap(), None));
        assert!(result.longest_pause >= GRACE, "the clock of the search ran late: {:?}", result.longest_pause);
        drop(watchdog);
        drop(sender);
        assert_eq!(answers.iter().count(), 1);
    }

    #[test]
    fn without_an_iteration_there_is_some_legal_move() {
        let (signals, limits) = (Signals::new(&StopToken::new()), to_millis(0));
        let mut on_answer = |_: &SearchResult| ();
        let watchdog = Watchdog::new(&limits, &signals, "2g2f".parse().unwrap(), &mut on_answer);
        watchdog.keep(|| false);
        assert!(signals.elapsed() >= FIRST_GRACE);
        assert_eq!(watchdog.result().decision, Decision::Play("2g2f".parse().unwrap(), None));
    }

    #[test]
    fn an_analysis_is_overdue_only_after_a_stop() {
        let stop = StopToken::new();
        let (signals, limits) = (Signals::new(&stop), Limits { infinite: true, ..to_millis(0) });
        let mut on_answer = |_: &SearchResult| ();
        let watchdog = Watchdog::new(&limits, &signals, "2g2f".parse().unwrap(), &mut on_answer);
        watchdog.note(&[report()]);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(60));
                stop.stop();
            });
            watchdog.keep(|| false);
        });
        assert!(signals.elapsed() >= Duration::from_millis(60) + GRACE);
    }

    #[test]
    fn an_answer_ends_the_watch_at_once() {
        let (signals, limits) = (Signals::new(&StopToken::new()), Limits::to_depth(1));
        let mut on_answer = |_: &SearchResult| ();
        let watchdog = &Watchdog::new(&limits, &signals, "2g2f".parse().unwrap(), &mut on_answer);
        std::thread::scope(|scope| {
            scope.spawn(|| watchdog.answer(SearchResult::without_search(Decision::Resign, None)));
            // The thread that answers may live on for a while: that is not waited for.
            watchdog.keep(|| false);
        });
        assert_eq!(watchdog.result().decision, Decision::Resign);
    }
}
