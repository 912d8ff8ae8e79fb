//! Progress of long work, in one form: a bar on standard error if that is a terminal, else a line now and then.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};
use komainu::host::lock;
use std::fmt::{Debug, Display};
use std::io::{self, IsTerminal, Write, stderr};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

/// A bar, with the number and the kind of the items behind it.
const BAR: &str = "{elapsed} {wide_bar} {human_pos}/{human_len} {prefix}, {eta} to go";
/// Work whose length nobody knows.
const COUNTER: &str = "{elapsed} {human_pos} {prefix} {wide_msg}";
/// Both as a line where there is no terminal.
const BAR_LINE: &str = "{elapsed} {human_pos}/{human_len} {prefix}, {eta} to go";
const COUNTER_LINE: &str = "{elapsed} {human_pos} {prefix} {msg}";
/// Interval in which the clock of a bar goes on.
const TICK: Duration = Duration::from_millis(500);
/// Interval of lines with a message where there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(30);
/// Interval of lines that tell of nothing but the progress.
const BARE_LINE_INTERVAL: Duration = Duration::from_secs(60);

/// A draw target for those who read a file or a pipe: what would be drawn is written as a line, at most one an
/// interval.
#[derive(Debug)]
struct Lines<W> {
    out: W,
    interval: Duration,
    /// The text that was drawn last, and the time of the last line that was written.
    drawn: Mutex<(String, Instant)>,
}

impl<W> Lines<W> {
    fn new(out: W, interval: Duration) -> Lines<W> {
        Lines { out, interval, drawn: Mutex::new((String::new(), Instant::now())) }
    }

    fn with_drawn<R>(&self, work: impl FnOnce(&mut (String, Instant)) -> R) -> R {
        work(&mut lock(&self.drawn))
    }
}

impl<W: Debug + Send + Sync> TermLike for Lines<W>
where
    for<'a> &'a W: Write,
{
    fn width(&self) -> u16 {
        120
    }

    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.write_str(text)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.with_drawn(|(drawn, _)| drawn.push_str(text));
        Ok(())
    }

    fn clear_line(&self) -> io::Result<()> {
        self.with_drawn(|(drawn, _)| drawn.clear());
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        self.with_drawn(|(drawn, written)| {
            let line = std::mem::take(drawn);
            if line.trim().is_empty() || written.elapsed() < self.interval {
                return Ok(());
            }
            *written = Instant::now();
            writeln!(&self.out, "{}", line.trim())
        })
    }
}

/// Standard error: a bar if it is a terminal, else lines.
pub(crate) fn target() -> ProgressDrawTarget {
    if stderr().is_terminal() {
        return ProgressDrawTarget::stderr();
    }
    ProgressDrawTarget::term_like_with_hz(Box::new(Lines::new(stderr(), BARE_LINE_INTERVAL)), 1)
}

fn styled(bar: ProgressBar, template: &str, what: &'static str) -> ProgressBar {
    // Each template is one of this file's own.
    bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_prefix(what);
    // The bar asks for a thread and panics without one.
    if thread::Builder::new().spawn(|| ()).is_ok_and(|thread| thread.join().is_ok()) {
        bar.enable_steady_tick(TICK);
    }
    bar
}

/// A bar of so many items of a kind.
pub(crate) fn bar(length: u64, what: &'static str) -> ProgressBar {
    bar_on(length, what, target())
}

/// A bar that is drawn somewhere, perhaps not yet.
pub(crate) fn bar_on(length: u64, what: &'static str, target: ProgressDrawTarget) -> ProgressBar {
    let template = if stderr().is_terminal() { BAR } else { BAR_LINE };
    styled(ProgressBar::with_draw_target(Some(length), target), template, what)
}

/// A bar with a message above it.
pub(crate) fn bar_with_message(length: u64, what: &'static str, target: ProgressDrawTarget) -> ProgressBar {
    styled(ProgressBar::with_draw_target(Some(length), target), &format!("{{msg}}\n{BAR}"), what)
}

/// A count of items of a kind, with a message behind it.
pub(crate) fn counter(what: &'static str) -> ProgressBar {
    let template = if stderr().is_terminal() { COUNTER } else { COUNTER_LINE };
    styled(ProgressBar::with_draw_target(None, target()), template, what)
}

/// A bar with a message on a terminal, else the message as a line now and then.
pub(crate) struct LoggedBar {
    pub(crate) bar: ProgressBar,
    last_line: Instant,
    is_terminal: bool,
}

impl LoggedBar {
    pub(crate) fn new(length: u64, what: &'static str) -> LoggedBar {
        let bar = bar_with_message(length, what, ProgressDrawTarget::stderr());
        LoggedBar { bar, last_line: Instant::now(), is_terminal: stderr().is_terminal() }
    }

    /// Shows how many items are done, with a message.
    pub(crate) fn show(&mut self, done: u64, message: impl Display) {
        if self.is_terminal {
            self.bar.set_message(message.to_string());
            self.bar.set_position(done);
        } else if self.last_line.elapsed() >= LINE_INTERVAL {
            self.last_line = Instant::now();
            _ = writeln!(stderr(), "{message}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The lines of a file after a bar of four positions has gone through them.
    fn lines(interval: Duration, finish: impl Fn(&ProgressBar)) -> String {
        let file = tempfile::NamedTempFile::new().unwrap();
        let lines = Lines::new(file.reopen().unwrap(), interval);
        let bar = ProgressBar::with_draw_target(Some(4), ProgressDrawTarget::term_like(Box::new(lines)));
        bar.set_style(ProgressStyle::with_template("{pos}/{len} {prefix}").unwrap());
        bar.set_prefix("positions");
        for done in 1..=3 {
            bar.set_position(done);
            bar.tick();
        }
        finish(&bar);
        fs::read_to_string(file.path()).unwrap()
    }

    #[test]
    fn without_a_terminal_progress_is_a_line_of_text_an_interval() {
        let all = lines(Duration::ZERO, |_| ());
        assert!(all.lines().all(|line| line.ends_with("/4 positions")), "{all:?}");
        assert!(all.contains("1/4 positions\n") && all.ends_with("3/4 positions\n"), "{all:?}");
        assert!(!all.contains(['\x1b', '\r']), "{all:?}");
    }

    #[test]
    fn work_that_ends_within_the_interval_says_nothing() {
        assert_eq!(lines(Duration::from_secs(60), ProgressBar::finish_and_clear), "");
        assert_eq!(lines(Duration::from_secs(60), |bar| bar.suspend(|| ())), "");
    }

    #[test]
    fn work_that_is_done_leaves_no_blank_line() {
        let all = lines(Duration::ZERO, ProgressBar::finish_and_clear);
        assert!(all.lines().all(|line| line.ends_with("/4 positions")), "{all:?}");
    }
}
