//! What a clock shows when it is a side's turn.

use std::time::Duration;

/// The clock of the side to move, as `go` gives it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Time left.
    pub time: Duration,
    /// Time added for each move.
    pub increment: Duration,
    /// Time for each move after the rest is used up.
    pub byoyomi: Duration,
    /// Moves until the clock is set anew (`movestogo`), which shogi clocks never are.
    pub moves_to_go: Option<u32>,
}
