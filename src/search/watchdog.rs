//! The watchdog of a running search.
//!
//! On a busy machine the thread that searches may lose its core for a tenth of a second just when its time is up. The
//! thread that waits for it has slept meanwhile and is woken sooner: it measures how late that is, and if the search is
//! overdue it answers with what was known after the last iteration.

use super::control::SearchControl;
use super::report::{Bound, Decision, Report, SearchResult};
use crate::host::{Instant, lock};
use crate::types::Move;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

/// Interval at which the waking of an idle thread is timed.
const NAP: Duration = Duration::from_millis(20);
/// Time after its end in which a search may answer by itself.
const GRACE: Duration = Duration::from_millis(10);
/// Time after its end in which a search that has not finished its first iteration may answer by itself.
const FIRST_GRACE: Duration = Duration::from_millis(50);

type OnAnswer<'a> = &'a mut (dyn FnMut(&SearchResult) + Send);

/// Sees to it that a search has one answer, in time.
pub(crate) struct Watchdog<'a> {
    control: &'a SearchControl,
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
    /// The thread that searches has ended.
    has_ended: bool,
    /// By how much a nap was too long at most.
    latest_waking: Duration,
}

impl<'a> Watchdog<'a> {
    pub(crate) fn new(control: &'a SearchControl, fallback: Move, on_answer: OnAnswer<'a>) -> Watchdog<'a> {
        let state = WatchdogState {
            latest: None,
            on_answer: Some(on_answer),
            result: None,
            has_ended: false,
            latest_waking: Duration::ZERO,
        };
        Watchdog { control, fallback, state: Mutex::new(state) }
    }

    /// Keeps what an iteration has found. A score that may be too high proves nothing; one that may be too low says
    /// less than a score that is known for the same move.
    pub(crate) fn note(&self, block: &[Report]) {
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
    pub(crate) fn answer(&self, result: SearchResult) {
        let Some(on_answer) = self.lock().on_answer.take() else { return };
        // The search is over: whoever looks now need not tell it to stop.
        self.control.end();
        on_answer(&result);
        self.lock().result = Some(result);
    }

    /// The thread that searches has ended, with or without an answer.
    pub(crate) fn end(&self) {
        self.lock().has_ended = true;
    }

    /// Waits for the answer, and gives it if the search is overdue.
    pub(crate) fn keep(&self) {
        let mut stopped_at = None;
        while self.is_waiting() {
            let mut nap = NAP;
            if let Some(deadline) = self.deadline(&mut stopped_at) {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    // The clock of the search runs late: by the grace that it had, and by how late this thread woke up.
                    let late = self.grace() + deadline.elapsed();
                    return self.answer(SearchResult { longest_pause: late, ..self.known() });
                }
                nap = nap.min(left);
            }
            let began = Instant::now();
            if self.control.nap(nap) {
                let late = began.elapsed().saturating_sub(nap);
                let mut state = self.lock();
                state.latest_waking = state.latest_waking.max(late);
            }
        }
    }

    /// Tests whether an answer may still come from the thread that searches.
    fn is_waiting(&self) -> bool {
        let state = self.lock();
        state.on_answer.is_some() && !state.has_ended
    }

    fn grace(&self) -> Duration {
        if self.lock().latest.is_some() { GRACE } else { FIRST_GRACE }
    }

    /// When the search is overdue, if it is bounded by time or was stopped, which was first seen at `stopped_at`.
    fn deadline(&self, stopped_at: &mut Option<Instant>) -> Option<Instant> {
        let now = Instant::now();
        if self.control.is_stopped() {
            return Some(*stopped_at.get_or_insert(now) + self.grace());
        }
        let end = self.control.budget()?.maximum + self.grace();
        now.checked_add(end.saturating_sub(self.control.thinking_time()))
    }

    /// Result that is known without the search's help.
    fn known(&self) -> SearchResult {
        let report = self.lock().latest.clone();
        let decision = match &report {
            Some(report) => Decision::Play(report.pv[0], report.pv.get(1).copied()),
            None => Decision::Play(self.fallback, None),
        };
        SearchResult { nodes: self.control.nodes(), ..SearchResult::without_search(decision, report) }
    }

    /// The answer that was given; if there was none, because the search broke down, it is given now.
    pub(crate) fn result(&self) -> SearchResult {
        self.control.wait();
        self.answer(self.known());
        let state = self.lock();
        let result = state.result.clone().expect("there is a result once there is an answer");
        SearchResult { longest_pause: result.longest_pause.max(state.latest_waking), ..result }
    }

    fn lock(&self) -> MutexGuard<'_, WatchdogState<'a>> {
        // No holder of the lock can panic half way through a change.
        lock(&self.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Limits;
    use crate::types::StopToken;
    use std::sync::mpsc::channel;

    fn report() -> Report {
        Report::of_winning_move("7g7f".parse().unwrap())
    }

    fn to_millis(millis: u64) -> SearchControl {
        let limits = Limits { movetime: Some(Duration::from_millis(millis)), ..Limits::default() };
        SearchControl::new(limits, &StopToken::new())
    }

    #[test]
    fn a_search_that_does_not_come_to_answer_is_answered_for_once() {
        let control = to_millis(30);
        let (sender, answers) = channel();
        let mut on_answer = |result: &SearchResult| sender.send(result.decision).unwrap();
        let watchdog = Watchdog::new(&control, "2g2f".parse().unwrap(), &mut on_answer);
        watchdog.note(&[report()]);
        watchdog.keep();
        assert!(control.elapsed() >= Duration::from_millis(30) && control.is_stopped());
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
        let control = to_millis(0);
        let mut on_answer = |_: &SearchResult| ();
        let watchdog = Watchdog::new(&control, "2g2f".parse().unwrap(), &mut on_answer);
        watchdog.keep();
        assert!(control.elapsed() >= FIRST_GRACE);
        assert_eq!(watchdog.result().decision, Decision::Play("2g2f".parse().unwrap(), None));
    }

    #[test]
    fn an_analysis_is_overdue_only_after_a_stop() {
        let stop = StopToken::new();
        let limits = Limits { infinite: true, movetime: Some(Duration::ZERO), ..Limits::default() };
        let control = SearchControl::new(limits, &stop);
        let mut on_answer = |_: &SearchResult| ();
        let watchdog = Watchdog::new(&control, "2g2f".parse().unwrap(), &mut on_answer);
        watchdog.note(&[report()]);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(60));
                stop.stop();
            });
            watchdog.keep();
        });
        assert!(control.elapsed() >= Duration::from_millis(60) + GRACE);
    }

    #[test]
    fn an_answer_ends_the_watch_at_once() {
        let control = SearchControl::new(Limits::to_depth(1), &StopToken::new());
        let mut on_answer = |_: &SearchResult| ();
        let watchdog = &Watchdog::new(&control, "2g2f".parse().unwrap(), &mut on_answer);
        std::thread::scope(|scope| {
            scope.spawn(|| watchdog.answer(SearchResult::without_search(Decision::Resign, None)));
            // The thread that answers may live on for a while: that is not waited for.
            watchdog.keep();
        });
        assert_eq!(watchdog.result().decision, Decision::Resign);
    }
}
