//! One thing to check, and what may come of it.

use super::runner::Runner;
use std::fmt;

/// An item of the list: a fact about an engine that can be seen from outside.
pub struct CheckItem {
    /// Its number in the list, from 1 on.
    pub number: u8,
    /// How much depends on it.
    pub level: ItemLevel,
    /// What is so if it passes.
    pub name: &'static str,
    /// Finds out.
    pub(super) run: fn(&mut Runner<'_>) -> Checked,
    /// What of it cannot be seen from outside, or not in the time; empty if nothing.
    pub left_out: &'static str,
}

/// An item on which a GUI or a match relies.
pub(super) const fn must(number: u8, name: &'static str, run: fn(&mut Runner<'_>) -> Checked) -> CheckItem {
    CheckItem { number, level: ItemLevel::Must, name, run, left_out: "" }
}

/// An item that somebody will miss.
pub(super) const fn should(number: u8, name: &'static str, run: fn(&mut Runner<'_>) -> Checked) -> CheckItem {
    CheckItem { level: ItemLevel::Should, ..must(number, name, run) }
}

/// An item that is nice to have.
pub(super) const fn nice(number: u8, name: &'static str, run: fn(&mut Runner<'_>) -> Checked) -> CheckItem {
    CheckItem { level: ItemLevel::Nice, ..must(number, name, run) }
}

impl CheckItem {
    /// As a user names it: `U7`.
    pub fn label(&self) -> String {
        label(self.number)
    }

    /// The item, of which something is left out.
    pub(super) const fn without(self, left_out: &'static str) -> CheckItem {
        CheckItem { left_out, ..self }
    }
}

/// How much depends on an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemLevel {
    /// A GUI or a match goes wrong otherwise.
    Must,
    /// Somebody will miss it.
    Should,
    /// Nobody relies on it.
    Nice,
}

impl ItemLevel {
    /// `must`, `should` or `nice`.
    pub fn name(self) -> &'static str {
        match self {
            ItemLevel::Must => "must",
            ItemLevel::Should => "should",
            ItemLevel::Nice => "nice",
        }
    }
}

/// Why the check of an item ended before its end.
#[derive(Debug)]
pub(super) enum Abort {
    /// The engine does not do what the item says. Names the line.
    Fail(String),
    /// The engine has not what the item is about.
    Skip(String),
}

/// What came of an item; if it passed, a figure or nothing.
pub(super) type Checked = Result<String, Abort>;

/// The item fails.
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

/// A number as a user names it.
pub(super) fn label(number: u8) -> String {
    format!("U{number}")
}

/// Text of an engine in a message: printable, and not longer than a line of it.
pub(super) fn shown(text: &str) -> String {
    const MAX_CHARS: usize = 100;
    let end = text.char_indices().nth(MAX_CHARS).map(|(at, _)| at);
    let cut = if end.is_some() { "..." } else { "" };
    format!("\"{}{cut}\"", text[..end.unwrap_or(text.len())].escape_default())
}
