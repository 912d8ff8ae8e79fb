//! The constants of the search, one line each. Depths in plies, margins in centipawns.

/// Half-width of the first aspiration window.
pub(super) const ASPIRATION_WINDOW: i32 = 50;
/// First depth that is searched with an aspiration window.
pub(super) const ASPIRATION_DEPTH: usize = 4;
/// Reverse futility pruning: deepest remaining depth, margin a ply.
pub(super) const REVERSE_FUTILITY_DEPTH: i32 = 6;
pub(super) const REVERSE_FUTILITY_MARGIN: i32 = 130;
/// Null move: least remaining depth, base reduction.
pub(super) const NULL_MOVE_DEPTH: i32 = 3;
pub(super) const NULL_MOVE_REDUCTION: i32 = 3;
/// Futility pruning of quiet moves: deepest remaining depth, base margin, margin a ply.
pub(super) const FUTILITY_DEPTH: i32 = 5;
pub(super) const FUTILITY_BASE: i32 = 150;
pub(super) const FUTILITY_MARGIN: i32 = 130;
/// Late-move pruning: deepest remaining depth; at depth d, `base + d * d` quiet moves are tried.
pub(super) const LATE_MOVE_DEPTH: i32 = 6;
pub(super) const LATE_MOVE_BASE: i32 = 5;
/// Pruning of losing captures and drops by exchange value: deepest remaining depth, centipawns a ply.
pub(super) const SEE_DEPTH: i32 = 6;
pub(super) const SEE_MARGIN: i32 = 90;
/// Late-move reduction: least remaining depth, moves that are searched in full first.
pub(super) const REDUCTION_DEPTH: i32 = 3;
pub(super) const REDUCTION_MOVES: usize = 3;
/// Internal iterative reduction: least remaining depth without a move from the table.
pub(super) const INTERNAL_REDUCTION_DEPTH: i32 = 5;
/// Quiescence: margin by which a capture must be able to reach alpha.
pub(super) const DELTA_MARGIN: i32 = 200;
/// Quiescence: plies after which only recaptures are searched, and after which the evaluation stands.
pub(super) const RECAPTURE_PLIES: i32 = 6;
pub(super) const QUIESCENCE_PLIES: i32 = 16;
/// The first iteration is broken off only after this many nodes, so that nearly always there is a move to show for it.
pub(super) const FIRST_ITERATION_NODES: u64 = 10_000;
