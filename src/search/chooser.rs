//! Choosing a move in another way than by the search of full strength.

use super::report::Report;
use super::tree::path::Path;
use crate::types::Move;
use std::fmt;

/// Who chooses the move in place of the search of full strength: a playing level.
///
/// One thread asks it, however many there are. An analysis, and a search for several lines, is always at full strength.
pub trait MoveChooser: fmt::Debug + Sync {
    /// True if it declares a win where the rules allow it.
    fn declares(&self) -> bool;

    /// Chooses one of the moves (at least one) at the end of the path, which must lead there again when it returns. The
    /// line of the report begins with the move; `on_block` is told of every iteration.
    fn choose(&self, path: &mut Path, moves: &[Move], on_block: &mut (dyn FnMut(&[Report]) + Send)) -> Report;
}
