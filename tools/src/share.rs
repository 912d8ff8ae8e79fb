//! Shares of numbered work: every `N`th item, or the items of a range.

use komainu::types::Quoted;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// One of several equal shares of work whose items are numbered from 0: shard `I/N` takes every `N`th item, from item
/// `I - 1` on.
///
/// ```
/// use komainu_tools::share::Shard;
///
/// let shard: Shard = "2/3".parse()?;
/// let items: Vec<u64> = (0..8).filter(|&item| shard.takes(item)).collect();
/// assert_eq!((items, shard.share_of(8), shard.item(1)), (vec![1, 4, 7], 3, 4));
/// # Ok::<(), komainu_tools::share::ShardError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    /// From 1 to `count`.
    index: u32,
    /// At most [`Shard::MAX_COUNT`].
    count: u32,
}

/// A text that is no shard.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} is no shard: I/N with I from 1 to N, N up to {}", Quoted(.0), Shard::MAX_COUNT)]
pub struct ShardError(pub String);

impl Shard {
    /// The most shares.
    pub const MAX_COUNT: u32 = 10_000;

    /// The number of this share, from 1.
    pub fn index(self) -> u32 {
        self.index
    }

    /// Number of shares, at least 1.
    pub fn count(self) -> u32 {
        self.count
    }

    /// Tests whether the item belongs to this share.
    pub fn takes(self, item: u64) -> bool {
        item % u64::from(self.count) == u64::from(self.index - 1)
    }

    /// Number of the items, out of `items` in all, that belong to this share.
    pub fn share_of(self, items: u64) -> u64 {
        let count = u64::from(self.count);
        items / count + u64::from(items % count >= u64::from(self.index))
    }

    /// The item with this place in the share, both counted from 0.
    pub fn item(self, place: u64) -> u64 {
        place.saturating_mul(self.count.into()).saturating_add(u64::from(self.index - 1))
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let numbers = pair(text, "/");
        match numbers {
            Some((index, count)) if (1..=count).contains(&index) && count <= u64::from(Shard::MAX_COUNT) => {
                Ok(Shard { index: index as u32, count: count as u32 })
            }
            _ => Err(ShardError(text.to_string())),
        }
    }
}

/// Items from one number up to another, which is left out; items are numbered from 0.
///
/// ```
/// use komainu_tools::share::Span;
///
/// let span: Span = "3..5".parse()?;
/// let items: Vec<u64> = (0..8).filter(|&item| span.takes(item)).collect();
/// assert_eq!((items, span.end(), span.share_of(4)), (vec![3, 4], 5, 1));
/// # Ok::<(), komainu_tools::share::SpanError>(())
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
        match pair(text, "..") {
            Some((first, end)) if first < end => Ok(Span { first, end }),
            _ => Err(SpanError(text.to_string())),
        }
    }
}

/// Two numbers, digits alone, with a separator between them.
fn pair(text: &str, separator: &str) -> Option<(u64, u64)> {
    let (first, second) = text.split_once(separator)?;
    Some((digits(first)?, digits(second)?))
}

fn digits(text: &str) -> Option<u64> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

macro_rules! serde_conversions {
    ($($name:ident, $error:ident;)*) => {$(
        impl TryFrom<String> for $name {
            type Error = $error;

            fn try_from(text: String) -> Result<$name, $error> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(share: $name) -> String {
                share.to_string()
            }
        }
    )*};
}

serde_conversions! {
    Shard, ShardError;
    Span, SpanError;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_belongs_to_one_shard() {
        for count in 1..=7 {
            let shards: Vec<Shard> = (1..=count).map(|index| Shard { index, count }).collect();
            for items in 0..30 {
                for shard in &shards {
                    let taken: Vec<u64> = (0..items).filter(|&item| shard.takes(item)).collect();
                    assert_eq!(taken.len() as u64, shard.share_of(items), "{shard} of {items}");
                    assert!(taken.iter().enumerate().all(|(place, &item)| shard.item(place as u64) == item));
                }
                assert_eq!(shards.iter().map(|shard| shard.share_of(items)).sum::<u64>(), items);
            }
        }
    }

    #[test]
    fn texts_are_shards_or_named() {
        for text in ["1/1", "3/7", "10000/10000"] {
            assert_eq!(text.parse::<Shard>().unwrap().to_string(), text);
        }
        for text in ["", "1", "0/2", "3/2", "1/0", "1/10001", "+1/2", "1/2/3", "a/b", "1/ 2", "1/", "/2"] {
            let error = text.parse::<Shard>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("{} is no shard", Quoted(text))), "{error}");
        }
    }

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
