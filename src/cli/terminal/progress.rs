//! Progress of long work, in one form: on standard error if that is a terminal, else nowhere or as a line now and then.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt::Display;
use std::io::{IsTerminal, Write, stderr};
use std::thread;
use std::time::{Duration, Instant};

/// A bar, with the number and the kind of the items behind it.
const BAR: &str = "{elapsed} {wide_bar} {human_pos}/{human_len} {prefix}, {eta} to go";
/// Work whose length nobody knows.
const COUNTER: &str = "{elapsed} {human_pos} {prefix} {wide_msg}";
/// Interval in which the clock of a bar goes on.
const TICK: Duration = Duration::from_millis(500);
/// Interval of lines where there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(30);

fn styled(bar: ProgressBar, template: &str, what: &'static str) -> ProgressBar {
    // Each template is one of this file's own.
    bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_prefix(what);
    // The bar asks for a thread and panics without one; where nothing is drawn none is wanted.
    if stderr().is_terminal() && thread::Builder::new().spawn(|| ()).is_ok_and(|thread| thread.join().is_ok()) {
        bar.enable_steady_tick(TICK);
    }
    bar
}

/// A bar of so many items of a kind.
pub(in crate::cli) fn bar(length: u64, what: &'static str) -> ProgressBar {
    bar_on(length, what, ProgressDrawTarget::stderr())
}

/// A bar that is drawn somewhere, perhaps not yet.
pub(in crate::cli) fn bar_on(length: u64, what: &'static str, target: ProgressDrawTarget) -> ProgressBar {
    styled(ProgressBar::with_draw_target(Some(length), target), BAR, what)
}

/// A bar with a message above it.
pub(in crate::cli) fn bar_with_message(length: u64, what: &'static str, target: ProgressDrawTarget) -> ProgressBar {
    styled(ProgressBar::with_draw_target(Some(length), target), &format!("{{msg}}\n{BAR}"), what)
}

/// A count of items of a kind, with a message behind it.
pub(in crate::cli) fn counter(what: &'static str) -> ProgressBar {
    styled(ProgressBar::new_spinner(), COUNTER, what)
}

/// A bar with a message on a terminal, else the message as a line now and then.
pub(in crate::cli) struct LoggedBar {
    pub(in crate::cli) bar: ProgressBar,
    last_line: Instant,
    is_terminal: bool,
}

impl LoggedBar {
    pub(in crate::cli) fn new(length: u64, what: &'static str) -> LoggedBar {
        let bar = bar_with_message(length, what, ProgressDrawTarget::stderr());
        LoggedBar { bar, last_line: Instant::now(), is_terminal: stderr().is_terminal() }
    }

    /// Shows how many items are done, with a message.
    pub(in crate::cli) fn show(&mut self, done: u64, message: impl Display) {
        if self.is_terminal {
            self.bar.set_message(message.to_string());
            self.bar.set_position(done);
        } else if self.last_line.elapsed() >= LINE_INTERVAL {
            self.last_line = Instant::now();
            _ = writeln!(stderr(), "{message}");
        }
    }
}
