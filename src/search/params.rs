//! The constants of the search, one line each. Depths in plies, margins in centipawns.

/// Half-width of the first aspiration window.
pub(super) const ASPIRATION_WINDOW: i32 = 50;
/// First depth that is searched with an aspiration window.
pub(super) const ASPIRATION_DEPTH: usize = 4;
/// Razoring: deepest remaining depth, margin a ply.
pub(super) const RAZORING_DEPTH: i32 = 3;
pub(super) const RAZORING_MARGIN: i32 = 300;
/// Reverse futility pruning: deepest remaining depth, margin a ply.
pub(super) const REVERSE_FUTILITY_DEPTH: i32 = 7;
pub(super) const REVERSE_FUTILITY_MARGIN: i32 = 120;
/// Null move: least remaining depth, base reduction, depth that adds a ply, centipawns above beta that add a ply.
pub(super) const NULL_MOVE_DEPTH: i32 = 3;
pub(super) const NULL_MOVE_REDUCTION: i32 = 3;
pub(super) const NULL_MOVE_DIVISOR: i32 = 4;
pub(super) const NULL_MOVE_SURPLUS: i32 = 300;
/// Internal iterative reduction: least remaining depth without a move from the table.
pub(super) const INTERNAL_REDUCTION_DEPTH: i32 = 5;
/// Probcut: least remaining depth, by how much it is reduced, centipawns above beta.
pub(super) const PROBCUT_DEPTH: i32 = 5;
pub(super) const PROBCUT_REDUCTION: i32 = 4;
pub(super) const PROBCUT_MARGIN: i32 = 250;
/// Futility pruning of quiet moves: deepest reduced depth, base margin, margin a ply.
pub(super) const FUTILITY_DEPTH: i32 = 6;
pub(super) const FUTILITY_BASE: i32 = 150;
pub(super) const FUTILITY_MARGIN: i32 = 120;
/// Late-move pruning: deepest remaining depth; at depth d, `base + d * d` quiet moves are tried.
pub(super) const LATE_MOVE_DEPTH: i32 = 7;
pub(super) const LATE_MOVE_BASE: i32 = 5;
/// History pruning: deepest reduced depth, history below zero a ply.
pub(super) const HISTORY_DEPTH: i32 = 4;
pub(super) const HISTORY_MARGIN: i32 = 3_000;
/// Pruning of losing captures and drops by exchange value: deepest remaining depth, centipawns a ply.
pub(super) const SEE_DEPTH: i32 = 7;
pub(super) const SEE_MARGIN: i32 = 90;
/// The same for quiet moves: centipawns for the square of the reduced depth.
pub(super) const SEE_QUIET_MARGIN: i32 = 30;
/// Singular extension: least remaining depth; how much shallower than that the table's score may be; centipawns a ply by which all other
/// moves must be worse; centipawns more for two plies.
pub(super) const SINGULAR_DEPTH: i32 = 7;
pub(super) const SINGULAR_TABLE_DEPTH: i32 = 3;
pub(super) const SINGULAR_MARGIN: i32 = 3;
pub(super) const SINGULAR_DOUBLE: i32 = 30;
/// Late-move reduction: least remaining depth, moves that are searched in full first.
pub(super) const REDUCTION_DEPTH: i32 = 3;
pub(super) const REDUCTION_MOVES: usize = 2;
/// Late-move reduction: history that takes off or adds a ply.
pub(super) const REDUCTION_HISTORY: i32 = 10_000;
/// History: bonus a ply of depth, the largest bonus.
pub(super) const BONUS_DEPTH: i32 = 140;
pub(super) const BONUS_MOST: i32 = 1_500;
/// Quiescence: margin by which a capture must be able to reach alpha.
pub(super) const DELTA_MARGIN: i32 = 200;
/// Quiescence: plies after which only recaptures are searched, and after which the evaluation stands.
pub(super) const RECAPTURE_PLIES: i32 = 6;
pub(super) const QUIESCENCE_PLIES: i32 = 16;
/// The first iteration is broken off only after this many nodes, so that nearly always there is a move to show for it.
pub(super) const FIRST_ITERATION_NODES: u64 = 10_000;
