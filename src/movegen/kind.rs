//! The kinds of moves that can be asked for.

/// A kind of moves, as a type: [`All`], [`Captures`], [`Quiets`], [`Evasions`], [`Checks`], [`QuietChecks`].
pub trait Kind {
    /// Moves onto enemy pieces are wanted.
    const CAPTURES: bool;
    /// Moves onto empty squares and drops are wanted.
    const QUIETS: bool;
    /// Only moves that give check are wanted.
    const CHECKS: bool = false;
    /// The side to move is known to be in check.
    const IN_CHECK: bool = false;
}

/// Every legal move.
#[derive(Debug)]
pub enum All {}
/// Every legal capture.
#[derive(Debug)]
pub enum Captures {}
/// Every legal move that captures nothing, drops and quiet promotions included. With [`Captures`] it makes [`All`].
#[derive(Debug)]
pub enum Quiets {}
/// Every legal move of a side that is in check.
#[derive(Debug)]
pub enum Evasions {}
/// Every legal move that gives check, captures and drops included.
#[derive(Debug)]
pub enum Checks {}
/// Every move of [`Quiets`] that gives check.
#[derive(Debug)]
pub enum QuietChecks {}

impl Kind for All {
    const CAPTURES: bool = true;
    const QUIETS: bool = true;
}

impl Kind for Captures {
    const CAPTURES: bool = true;
    const QUIETS: bool = false;
}

impl Kind for Quiets {
    const CAPTURES: bool = false;
    const QUIETS: bool = true;
}

impl Kind for Evasions {
    const CAPTURES: bool = true;
    const QUIETS: bool = true;
    const IN_CHECK: bool = true;
}

impl Kind for Checks {
    const CAPTURES: bool = true;
    const QUIETS: bool = true;
    const CHECKS: bool = true;
}

impl Kind for QuietChecks {
    const CAPTURES: bool = false;
    const QUIETS: bool = true;
    const CHECKS: bool = true;
}
