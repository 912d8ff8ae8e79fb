//! A hundred facts about an engine that can be seen from outside, checked one by one.
//!
//! Each item is checked by a conversation of its own. Beside what an item asks for, every line of every conversation is
//! judged by the [`grammar`](super::grammar); a fault is held against the item that it is about, if that item is among
//! those to check. An engine that crashes, hangs or floods fails items, no more.
//!
//! Times are taken at the pipe and hold for a busy machine: a time that is wrong is taken up to three times, and what
//! an engine should do within a few milliseconds it is given 100 to 300 for. The limits of clocks are kept as they are.

mod clocks;
mod conversation;
mod engines;
mod games;
mod go;
mod info;
mod item;
mod mate;
mod options;
mod outcome;
mod ponder;
mod positions;
mod record;
mod rules;
mod runner;
mod setups;
mod text;

pub use engines::CheckedEngine;
pub use item::{CheckItem, ItemLevel};
pub use runner::{CheckEvent, ItemResult, ItemStatus, Runner};

use komainu::types::Quoted;
use thiserror::Error;

/// A list of items that names none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}: not U1 to U100 or a range of them", Quoted(.0))]
pub struct UnknownItem(String);

/// The items by what they are about, in the order of their numbers.
const SECTIONS: [&[CheckItem]; 10] = [
    text::ITEMS,
    options::ITEMS,
    games::ITEMS,
    setups::ITEMS,
    go::ITEMS,
    clocks::ITEMS,
    ponder::ITEMS,
    mate::ITEMS,
    info::ITEMS,
    rules::ITEMS,
];

/// All items, in the order of their numbers.
pub fn all_items() -> impl Iterator<Item = &'static CheckItem> {
    SECTIONS.iter().flat_map(|section| section.iter())
}

/// The items of a list such as `U1,U20-U40`; the letter may be missing.
///
/// ```
/// use komainu_tools::conformance::check::select;
///
/// assert_eq!(select("U9-U11,2").map(|items| items.len()), Ok(4));
/// let unknown = select("U101").err().map(|error| error.to_string());
/// assert_eq!(unknown.as_deref(), Some("\"U101\": not U1 to U100 or a range of them"));
/// ```
pub fn select(list: &str) -> Result<Vec<&'static CheckItem>, UnknownItem> {
    let mut chosen = [false; 101];
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        match (item_number(first), item_number(last)) {
            (Some(first), Some(last)) if first <= last => chosen[first..=last].fill(true),
            _ => return Err(UnknownItem(part.to_string())),
        }
    }
    Ok(all_items().filter(|item| chosen[usize::from(item.number)]).collect())
}

/// The number of an item, with or without its letter: `U9`, `9`.
fn item_number(text: &str) -> Option<usize> {
    let text = text.trim();
    text.strip_prefix(['U', 'u']).unwrap_or(text).parse().ok().filter(|number| (1..=100).contains(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_items_are_numbered_from_1_to_100() {
        let numbers: Vec<u8> = all_items().map(|item| item.number).collect();
        assert_eq!(numbers, (1..=100).collect::<Vec<u8>>());
    }

    #[test]
    fn what_breaks_no_game_and_no_gui_is_no_must() {
        // Nor what engines fail that play whole tournaments.
        for item in select("U26,U82,U83,U1-U3,U7,U10,U11,U13,U23,U24,U30,U94").unwrap() {
            assert_eq!(item.level, ItemLevel::Should, "{}", item.label());
        }
    }

    #[test]
    fn items_are_chosen_by_number_and_range() {
        let chosen = |list| match select(list) {
            Ok(items) => Ok(items.iter().map(|item| item.label()).collect::<Vec<_>>().join(" ")),
            Err(unknown) => Err(unknown.to_string()),
        };
        assert_eq!(chosen("U3").unwrap(), "U3");
        assert_eq!(chosen("u9-11, 2,U10").unwrap(), "U2 U9 U10 U11");
        assert_eq!(chosen("U99-U100").unwrap(), "U99 U100");
        for bad in ["", "U0", "U101", "x", "U5-U3", "U1-", "U1,,U2", "U1-U2-U3", "U+1x"] {
            assert!(chosen(bad).unwrap_err().starts_with('"'), "{bad}");
        }
    }
}
