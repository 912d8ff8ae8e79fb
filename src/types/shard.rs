//! A share of numbered work.

use super::Quoted;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// One of several equal shares of work whose items are numbered from 0: shard `I/N` takes every `N`th item, from item
/// `I - 1` on.
///
/// ```
/// use komainu::types::Shard;
///
/// let shard: Shard = "2/3".parse()?;
/// let items: Vec<u64> = (0..8).filter(|&item| shard.takes(item)).collect();
/// assert_eq!((items, shard.share_of(8), shard.item(1)), (vec![1, 4, 7], 3, 4));
/// # Ok::<(), komainu::types::ShardError>(())
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
        let (index, count) = (u64::from(self.index), u64::from(self.count));
        items / count + u64::from(items % count >= index)
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
        let is_digits = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
        let number = |part: &str| Some(part).filter(is_digits).and_then(|part| part.parse().ok());
        let shard = text
            .split_once('/')
            .and_then(|(index, count)| Some(Shard { index: number(index)?, count: number(count)? }))
            .filter(|shard| (1..=shard.count).contains(&shard.index) && shard.count <= Shard::MAX_COUNT);
        shard.ok_or_else(|| ShardError(text.to_string()))
    }
}

impl TryFrom<String> for Shard {
    type Error = ShardError;

    fn try_from(text: String) -> Result<Shard, ShardError> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
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
}
