//! Outcomes of the check of an item, and the functions by which an item states them.

use std::fmt;
use std::time::Duration;

/// Measurements that are taken before a figure counts as wrong: a machine may be busy for a moment.
const TRIES: usize = 3;

/// Why the check of an item ended before its end.
#[derive(Debug)]
pub(super) enum Abort {
    /// The engine does not do what the item says. Names the line.
    Fail(String),
    /// The engine has ended where it should not: after what, how, and its last words.
    Ended(String),
    /// The engine has not what the item is about.
    Skip(String),
    /// The user has had enough.
    Interrupted,
}

/// Outcome of an item; if it passed, a figure or nothing.
pub(super) type Checked = Result<String, Abort>;

pub(super) fn fail<T>(why: impl fmt::Display) -> Result<T, Abort> {
    Err(Abort::Fail(why.to_string()))
}

/// The item cannot be checked with this engine.
pub(super) fn skip<T>(why: impl fmt::Display) -> Result<T, Abort> {
    Err(Abort::Skip(why.to_string()))
}

/// Fails unless something is so.
pub(super) fn require(is_so: bool, why: impl FnOnce() -> String) -> Result<(), Abort> {
    if is_so { Ok(()) } else { Err(Abort::Fail(why())) }
}

/// It passes, and there is no more to say.
pub(super) const PASSED: Checked = Ok(String::new());

/// Text of an engine in a message: printable, and not longer than a line of it.
pub(super) fn shown(text: &str) -> String {
    const MAX_CHARS: usize = 100;
    let end = text.char_indices().nth(MAX_CHARS).map(|(at, _)| at);
    let cut = if end.is_some() { "..." } else { "" };
    format!("\"{}{cut}\"", text[..end.unwrap_or(text.len())].escape_default())
}

/// Measures until a time lies between two, a few times at most.
pub(super) fn timed(least: u64, most: u64, mut measure: impl FnMut() -> Result<Duration, Abort>) -> Checked {
    let mut times = Vec::new();
    while times.len() < TRIES {
        let millis = measure()?.as_secs_f64() * 1_000.0;
        if least as f64 <= millis && millis < most as f64 {
            return Ok(format!("{millis:.0} ms"));
        }
        times.push(format!("{millis:.0}"));
    }
    fail(format_args!("after {} ms; it should be {least} to {most}", times.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_right_if_one_of_three_is() {
        let mut times = [900, 700, 500].map(Duration::from_millis).into_iter();
        assert_eq!(timed(400, 600, || Ok(times.next().unwrap())).unwrap(), "500 ms");
        let Err(Abort::Fail(why)) = timed(400, 600, || Ok(Duration::from_millis(600))) else { panic!("not late") };
        assert_eq!(why, "after 600, 600, 600 ms; it should be 400 to 600");
        assert!(matches!(timed(0, 1, || fail("dead")), Err(Abort::Fail(_))));
    }
}
