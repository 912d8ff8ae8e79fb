//! What waits for the session: lines of the GUI in their order, and news of its own threads.
//!
//! The thread that reads puts lines in and is held up by nothing but a flood of them. The session takes them out one by
//! one, and leaves them where they are while it waits for a search to answer or a table to be made; so whatever a GUI
//! sends ahead is obeyed in its order, and nothing is lost.

use super::command::Command;
use super::session::Event;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A line of the GUI.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) command: Command,
    /// When it was read: clocks run from here.
    pub(super) arrived: Instant,
}

/// What the session turns to next.
pub(super) enum Next {
    /// A line to obey.
    Line(Line),
    /// A thread of the session has something to tell.
    Event(Event),
    /// Nothing came in time.
    Pause,
    /// It is high time to end.
    End,
}

/// Bytes that may wait before the reader is held up.
const MAX_BYTES: usize = 64 << 20;
/// How long what was sent before `quit` may still take: some GUIs expect the end within a second.
const PATIENCE_AT_END: Duration = Duration::from_millis(800);

#[derive(Default)]
struct Waiting {
    lines: VecDeque<(Line, usize)>,
    bytes: usize,
    events: VecDeque<Event>,
    deadline: Option<Instant>,
}

/// The queue between the threads of a session.
#[derive(Default)]
pub(super) struct Inbox {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

impl Inbox {
    /// Puts in a command that was a line of so many bytes. `quit` also sets the time by which the session ends.
    pub(super) fn push_line(&self, command: Command, bytes: usize) {
        let arrived = Instant::now();
        let mut waiting = self.lock();
        while waiting.bytes > MAX_BYTES && waiting.deadline.is_none() {
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        if command == Command::Quit {
            waiting.deadline.get_or_insert(arrived + PATIENCE_AT_END);
        }
        let bytes = bytes + size_of::<(Line, usize)>();
        waiting.bytes += bytes;
        waiting.lines.push_back((Line { command, arrived }, bytes));
        self.changed.notify_all();
    }

    /// Puts a line back in front, to be obeyed when a search has ended.
    pub(super) fn put_back(&self, line: Line) {
        self.lock().lines.push_front((line, 0));
    }

    /// Tells the session something.
    pub(super) fn push_event(&self, event: Event) {
        self.lock().events.push_back(event);
        self.changed.notify_all();
    }

    /// Ends the session at once: nobody hears it any more.
    pub(super) fn abort(&self) {
        self.lock().deadline = Some(Instant::now());
        self.changed.notify_all();
    }

    /// Waits for what comes next: an event, or a line if lines are wanted, or the end of the patience.
    pub(super) fn next(&self, wants_line: bool, patience: Option<Duration>) -> Next {
        let until = patience.map(|patience| Instant::now() + patience);
        let mut waiting = self.lock();
        loop {
            let now = Instant::now();
            if waiting.deadline.is_some_and(|deadline| now >= deadline) {
                return Next::End;
            }
            if let Some(event) = waiting.events.pop_front() {
                return Next::Event(event);
            }
            if wants_line && let Some((line, bytes)) = waiting.lines.pop_front() {
                waiting.bytes -= bytes;
                self.changed.notify_all();
                return Next::Line(line);
            }
            if until.is_some_and(|until| now >= until) {
                return Next::Pause;
            }
            waiting = match until.into_iter().chain(waiting.deadline).min() {
                None => self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner),
                Some(wake) => self.changed.wait_timeout(waiting, wake - now).unwrap_or_else(PoisonError::into_inner).0,
            };
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // No holder of the lock can panic half way through a change.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_order_and_wait_until_they_are_wanted() {
        let inbox = Inbox::default();
        inbox.push_line(Command::Stop, 5);
        inbox.push_line(Command::IsReady, 8);
        assert!(matches!(inbox.next(false, Some(Duration::from_millis(1))), Next::Pause));
        let Next::Line(line) = inbox.next(true, None) else { panic!("no line") };
        assert_eq!(line.command, Command::Stop);
        inbox.put_back(line);
        for command in [Command::Stop, Command::IsReady] {
            let Next::Line(line) = inbox.next(true, None) else { panic!("no line") };
            assert_eq!(line.command, command);
        }
        assert_eq!(inbox.lock().bytes, 0);
    }

    #[test]
    fn a_quit_that_cannot_be_obeyed_ends_the_session_all_the_same() {
        let inbox = Inbox::default();
        inbox.push_line(Command::Quit, 5);
        let started = Instant::now();
        assert!(matches!(inbox.next(false, None), Next::End));
        assert!(started.elapsed() > PATIENCE_AT_END / 2 && started.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_flood_holds_the_reader_up_and_nothing_is_lost() {
        let inbox = Inbox::default();
        std::thread::scope(|scope| {
            scope.spawn(|| (0..200).for_each(|_| inbox.push_line(Command::Ignored, 1 << 20)));
            for _ in 0..200 {
                assert!(inbox.lock().bytes <= MAX_BYTES + (1 << 20));
                assert!(matches!(inbox.next(true, None), Next::Line(_)));
            }
        });
    }
}
