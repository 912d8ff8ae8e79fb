//! One thing to check.

use super::engines::Engines;
use super::outcome::Checked;

/// An item of the list: a fact about an engine that can be seen from outside.
#[derive(Debug)]
pub struct CheckItem {
    /// Number in the list, from 1 on.
    pub number: u8,
    pub level: ItemLevel,
    /// Statement that holds if it passes.
    pub name: &'static str,
    pub(super) run: fn(&mut Engines<'_>) -> Checked,
    /// Part of it that cannot be seen from outside, or not in the time; empty if there is none.
    pub left_out: &'static str,
}

/// An item on which a GUI or a match relies.
pub(super) const fn must(number: u8, name: &'static str, run: fn(&mut Engines<'_>) -> Checked) -> CheckItem {
    CheckItem { number, level: ItemLevel::Must, name, run, left_out: "" }
}

/// An item that somebody will miss.
pub(super) const fn should(number: u8, name: &'static str, run: fn(&mut Engines<'_>) -> Checked) -> CheckItem {
    CheckItem { level: ItemLevel::Should, ..must(number, name, run) }
}

/// An item that is nice to have.
pub(super) const fn nice(number: u8, name: &'static str, run: fn(&mut Engines<'_>) -> Checked) -> CheckItem {
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

/// Weight of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemLevel {
    /// A GUI or a match goes wrong otherwise.
    Must,
    Should,
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

/// A number as a user names it.
pub(super) fn label(number: u8) -> String {
    format!("U{number}")
}
