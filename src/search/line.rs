//! Lines of moves, and how long they get.

use crate::types::Move;
use arrayvec::ArrayVec;

/// The deepest ply that the search reaches.
pub const MAX_PLY: usize = 246;

/// A line of moves.
pub(super) type Line = ArrayVec<Move, { MAX_PLY + 1 }>;
