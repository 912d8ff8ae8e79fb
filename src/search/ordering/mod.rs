//! The order of moves, and what it is learnt from.
//!
//! `picker` hands out the moves of a node, best first; `history` keeps which moves were good before, `correction` by
//! how much the static evaluation was off; the tables that all threads learn are made of `cells`.

mod cells;
pub(super) mod correction;
pub(super) mod history;
pub(super) mod picker;
