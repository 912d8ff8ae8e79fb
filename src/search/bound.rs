//! Bounds of scores.

use bitflags::bitflags;

bitflags! {
    /// Relation of a score to the true one; both bits together mean equality, none that there is no score.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Bound: u8 {
        /// The true score is at most this.
        const UPPER = 1;
        /// The true score is at least this.
        const LOWER = 2;
        /// The true score is this.
        const EXACT = 3;
    }
}
