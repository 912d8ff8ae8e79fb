//! The event queue of the session: commands of the GUI in their order, and events of the engine thread.
//!
//! The thread that reads the input pushes commands and is held up only by a flood of them. The session pops them one by
//! one, and leaves them in the queue while it waits for a search to answer or a table to be allocated; so commands that
//! a GUI sends ahead are executed in their order, and nothing is lost.

use super::engine::{Prepared, SearchEnd};
use crate::host::{HAS_THREADS, Instant, lock};
use crate::protocol::Command;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A message of the engine thread.
pub(crate) enum Event {
    /// What was ordered is ready.
    Prepared(Box<Prepared>),
    /// A search has ended and given its answer.
    SearchEnded(SearchEnd),
    /// A search for a mate has ended and given its answer.
    MateSearchEnded,
    /// A bench has ended and given its answer.
    BenchEnded,
}

/// A command of the GUI.
#[derive(Debug)]
pub(crate) struct QueuedCommand {
    pub(crate) command: Command,
    /// When it arrived: clocks run from here.
    pub(crate) arrived: Instant,
}

/// Next thing for the session to handle.
pub(crate) enum Next {
    /// A command to execute.
    Command(QueuedCommand),
    /// An event of the engine thread.
    Event(Event),
    /// Nothing came in time.
    Timeout,
    /// The time to end after `quit` is up, or nobody reads the output.
    Shutdown,
}

/// Bytes that may wait before the reader is held up.
const MAX_BYTES: usize = 64 << 20;
/// Time that is left to what was asked before `quit`. A search is over in milliseconds; a large table or net takes
/// seconds on a busy machine, and a script wants its `readyok` all the same.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Default)]
struct Pending {
    /// Commands with the bytes that they take here.
    commands: VecDeque<(QueuedCommand, usize)>,
    bytes: usize,
    events: VecDeque<Event>,
    deadline: Option<Instant>,
    /// Benches that were pushed and have not ended. They are waited for: whoever sends `bench` and `quit` wants its
    /// result.
    benches: usize,
    /// There was a `quit`.
    has_quit: bool,
}

impl Pending {
    /// From `quit` on the time is short, unless a bench is waited for.
    fn set_deadline(&mut self, now: Instant, patience: Duration) {
        if self.has_quit && self.benches == 0 {
            self.deadline.get_or_insert(now + patience);
        }
    }
}

/// The queue between the threads of a session.
pub(crate) struct EventQueue {
    pending: Mutex<Pending>,
    changed: Condvar,
    /// Time from `quit` on for what was asked before it.
    patience: Duration,
}

impl Default for EventQueue {
    fn default() -> EventQueue {
        EventQueue::with_patience(SHUTDOWN_TIMEOUT)
    }
}

impl EventQueue {
    fn with_patience(patience: Duration) -> EventQueue {
        EventQueue { pending: Mutex::default(), changed: Condvar::new(), patience }
    }

    /// Puts in a command that has just come.
    pub(crate) fn push_command(&self, command: Command, bytes: usize) {
        self.push_command_of(Instant::now(), command, bytes);
    }

    /// Puts in a command that arrived as a line of `bytes` bytes. `quit` also sets the time by which the session ends.
    pub(crate) fn push_command_of(&self, arrived: Instant, command: Command, bytes: usize) {
        let mut pending = lock(&self.pending);
        while HAS_THREADS && pending.bytes > MAX_BYTES && pending.deadline.is_none() {
            pending = self.changed.wait(pending).unwrap_or_else(PoisonError::into_inner);
        }
        match command {
            Command::Quit => pending.has_quit = true,
            Command::Bench(_) => pending.benches += 1,
            _ => {}
        }
        pending.set_deadline(arrived, self.patience);
        let bytes = bytes + size_of::<(QueuedCommand, usize)>();
        pending.bytes += bytes;
        pending.commands.push_back((QueuedCommand { command, arrived }, bytes));
        self.changed.notify_all();
    }

    /// A bench that was pushed has ended, or was refused.
    pub(crate) fn end_bench(&self) {
        let mut pending = lock(&self.pending);
        pending.benches -= 1;
        pending.set_deadline(Instant::now(), self.patience);
        self.changed.notify_all();
    }

    /// Puts a command back in front, to be executed when a search has ended.
    pub(crate) fn put_back(&self, command: QueuedCommand) {
        lock(&self.pending).commands.push_front((command, 0));
    }

    /// Puts in an event for the session.
    pub(crate) fn push_event(&self, event: Event) {
        lock(&self.pending).events.push_back(event);
        self.changed.notify_all();
    }

    /// Ends the session at once: nobody reads its output any more.
    pub(crate) fn abort(&self) {
        lock(&self.pending).deadline = Some(Instant::now());
        self.changed.notify_all();
    }

    /// Waits for what comes next: an event, or a line if lines are wanted, or the timeout.
    pub(crate) fn next(&self, accepts_commands: bool, timeout: Option<Duration>) -> Next {
        let until = timeout.map(|timeout| Instant::now() + timeout);
        let mut pending = lock(&self.pending);
        loop {
            let now = Instant::now();
            if pending.deadline.is_some_and(|deadline| now >= deadline) {
                return Next::Shutdown;
            }
            if let Some(event) = pending.events.pop_front() {
                return Next::Event(event);
            }
            if accepts_commands && let Some((command, bytes)) = pending.commands.pop_front() {
                pending.bytes -= bytes;
                self.changed.notify_all();
                return Next::Command(command);
            }
            if until.is_some_and(|until| now >= until) {
                return Next::Timeout;
            }
            let wake = match (until, pending.deadline) {
                (Some(until), Some(deadline)) => Some(until.min(deadline)),
                (until, deadline) => until.or(deadline),
            };
            pending = match wake {
                None => self.changed.wait(pending).unwrap_or_else(PoisonError::into_inner),
                Some(wake) => self.changed.wait_timeout(pending, wake - now).unwrap_or_else(PoisonError::into_inner).0,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_keep_their_order_and_wait_until_they_are_accepted() {
        let queue = EventQueue::default();
        queue.push_command(Command::Stop, 5);
        queue.push_command(Command::IsReady, 8);
        assert!(matches!(queue.next(false, Some(Duration::from_millis(1))), Next::Timeout));
        let Next::Command(queued) = queue.next(true, None) else { panic!("no command") };
        assert_eq!(queued.command, Command::Stop);
        queue.put_back(queued);
        for command in [Command::Stop, Command::IsReady] {
            let Next::Command(queued) = queue.next(true, None) else { panic!("no command") };
            assert_eq!(queued.command, command);
        }
        assert_eq!(lock(&queue.pending).bytes, 0);
    }

    #[test]
    fn a_quit_that_cannot_be_executed_ends_the_session_all_the_same() {
        let patience = Duration::from_millis(100);
        let queue = EventQueue::with_patience(patience);
        queue.push_command(Command::Quit, 5);
        let started = Instant::now();
        assert!(matches!(queue.next(false, None), Next::Shutdown));
        assert!(started.elapsed() > patience / 2 && started.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn what_was_asked_before_a_quit_is_waited_for() {
        let queue = EventQueue::default();
        queue.push_command(Command::Quit, 5);
        // As long as a table takes on a busy machine.
        assert!(matches!(queue.next(false, Some(Duration::from_millis(1_200))), Next::Timeout));
        queue.push_event(Event::BenchEnded);
        assert!(matches!(queue.next(false, None), Next::Event(Event::BenchEnded)));
        assert!(matches!(queue.next(true, None), Next::Command(QueuedCommand { command: Command::Quit, .. })));
    }

    #[test]
    fn a_quit_waits_for_the_benches_before_it() {
        let queue = EventQueue::with_patience(Duration::from_millis(50));
        queue.push_command(Command::Bench("1".into()), 5);
        queue.push_command(Command::Quit, 5);
        assert!(matches!(queue.next(false, Some(Duration::from_millis(200))), Next::Timeout));
        queue.end_bench();
        assert!(matches!(queue.next(false, None), Next::Shutdown));
    }

    #[test]
    fn a_flood_holds_the_reader_up_and_nothing_is_lost() {
        let queue = EventQueue::default();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..200 {
                    queue.push_command(Command::Ignored, 1 << 20);
                }
            });
            for _ in 0..200 {
                assert!(lock(&queue.pending).bytes <= MAX_BYTES + (1 << 20));
                assert!(matches!(queue.next(true, None), Next::Command(_)));
            }
        });
    }
}
