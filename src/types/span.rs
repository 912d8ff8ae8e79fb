//! A range of numbered work.

use super::Quoted;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Items from one number up to another, which is left out; items are numbered from 0.
///
/// ```
/// use komainu::types::Span;
///
/// let span: Span = "3..5".parse()?;
/// let items: Vec<u64> = (0..8).filter(|&item| span.takes(item)).collect();
/// assert_eq!((items, span.end(), span.share_of(4)), (vec![3, 4], 5, 1));
/// # Ok::<(), komainu::types::SpanError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Span {
    first: u64,
    /// Above `first`.
    end: u64,
}

/// A text that is no range.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} is no range: A..B with A below B, from 0 on, without B", Quoted(.0))]
pub struct SpanError(pub String);

impl Span {
    /// Number behind the last item.
    pub fn end(self) -> u64 {
        self.end
    }

    /// Tests whether the item is in the range.
    pub fn takes(self, item: u64) -> bool {
        (self.first..self.end).contains(&item)
    }

    /// Number of the items, out of `items` in all, that are in the range.
    pub fn share_of(self, items: u64) -> u64 {
        self.end.min(items) - self.first.min(items)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.first, self.end)
    }
}

impl FromStr for Span {
    type Err = SpanError;

    fn from_str(text: &str) -> Result<Span, SpanError> {
        let is_digits = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
        let number = |part: &str| Some(part).filter(is_digits).and_then(|part| part.parse().ok());
        let span =
            text.split_once("..").and_then(|(first, end)| Some(Span { first: number(first)?, end: number(end)? }));
        span.filter(|span| span.first < span.end).ok_or_else(|| SpanError(text.to_string()))
    }
}

impl TryFrom<String> for Span {
    type Error = SpanError;

    fn try_from(text: String) -> Result<Span, SpanError> {
        text.parse()
    }
}

impl From<Span> for String {
    fn from(span: Span) -> String {
        span.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_takes_its_first_item_and_not_its_end() {
        for (text, share) in [("0..1", 1), ("0..10", 10), ("3..7", 4), ("9..10", 1), ("9..12", 1), ("10..12", 0)] {
            let span: Span = text.parse().unwrap();
            assert_eq!(span.to_string(), text);
            assert_eq!(span.share_of(10), share, "{text}");
            assert_eq!((0..10).filter(|&item| span.takes(item)).count() as u64, share, "{text}");
        }
    }

    #[test]
    fn ranges_that_follow_one_another_leave_nothing_out_and_take_nothing_twice() {
        let spans: Vec<Span> = ["0..3", "3..4", "4..9"].iter().map(|text| text.parse().unwrap()).collect();
        assert!((0..9).all(|item| spans.iter().filter(|span| span.takes(item)).count() == 1));
    }

    #[test]
    fn texts_are_ranges_or_named() {
        for text in [
            "", "5", "5..5", "6..5", "..5", "5..", "..", "-1..5", "0..=5", "0...5", "0..5..9", "a..b", "0 ..5", "+1..2",
        ] {
            let error = text.parse::<Span>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("{} is no range", Quoted(text))), "{error}");
        }
        assert!("0..18446744073709551616".parse::<Span>().is_err(), "more than can be counted");
    }
}
