//! The times of moves: `( 0:07/00:01:30)`, for the move and in all.

use crate::notation::vocabulary::{digit, is_blank};
use std::time::Duration;

/// Takes the parentheses with the time of a move from the front of the text: the time, if it can be read, and the rest.
pub(crate) fn take(text: &str) -> (Option<Duration>, &str) {
    let Some(inside) = text.trim_start_matches(is_blank).strip_prefix(['(', '（']) else { return (None, text) };
    let (inside, rest) = inside.split_once([')', '）']).unwrap_or((inside, ""));
    // A number alone is no time, but a square.
    let is_time = inside.contains([':', '：', '/', '／']);
    (if is_time { read(inside) } else { None }, rest)
}

/// Reads the time of the move, `m:ss` or `h:mm:ss`.
fn read(inside: &str) -> Option<Duration> {
    let spent = inside.split(['/', '／']).next().unwrap_or_default();
    let mut seconds = 0u64;
    for part in spent.trim_matches(is_blank).split([':', '：']) {
        let part = part.trim_matches(is_blank);
        if part.is_empty() {
            return None;
        }
        let mut number = 0u64;
        for c in part.chars() {
            number = number.checked_mul(10)?.checked_add(digit(c)?.into())?;
        }
        seconds = seconds.checked_mul(60)?.checked_add(number)?;
    }
    Some(Duration::from_secs(seconds))
}

/// Writes the time of a move and the time in all; both in whole seconds.
pub(crate) fn write(spent: Duration, total: Duration) -> String {
    let spent = spent.as_secs();
    let total = total.as_secs();
    format!("({:>2}:{:02}/{:02}:{:02}:{:02})", spent / 60, spent % 60, total / 3600, total / 60 % 60, total % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_all_their_forms() {
        for (text, seconds) in [
            ("   ( 0:01/00:00:01)+", Some(1)),
            ("( 1:02:03/ 1:02:03)", Some(3723)),
            ("(12:34)", Some(754)),
            ("（0：05/00：00：05）", Some(5)),
            ("(0:05", Some(5)),
            ("", None),
            ("()", None),
            ("(33)", None),
            ("(a:b/c)", None),
            ("(99999999999999999999:00)", None),
        ] {
            let (spent, rest) = take(text);
            assert_eq!(spent, seconds.map(Duration::from_secs), "{text}");
            assert_eq!(rest, if text.ends_with('+') { "+" } else { "" }, "{text}");
        }
        assert_eq!(write(Duration::from_secs(67), Duration::from_secs(3700)), "( 1:07/01:01:40)");
    }
}
