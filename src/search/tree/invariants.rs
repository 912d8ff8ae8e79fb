//! Assertions that hold at every node. Builds with debug assertions check it; the others contain none of this.

use super::node::{MoveLoop, Node, NodeType, Window};
use super::path::Path;
use super::stack::NO_EVAL;
use crate::movegen::is_legal;
use crate::position::Position;
use crate::search::bound::Bound;
use crate::search::line::MAX_PLY;
use crate::search::ordering::correction::CorrectionKeys;
use crate::search::tt::{DEPTH_UNSEARCHED, Entry};
use crate::types::{Move, Score};

/// Nodes between two comparisons of the incremental state with one made afresh.
const INTERVAL: u64 = 512;

/// The window that a node is entered with.
pub(super) fn check_window<N: NodeType>(window: Window, ply: usize) {
    let Window { alpha, beta } = window;
    debug_assert!(alpha < beta, "the window {alpha:?} to {beta:?} is not in order");
    debug_assert!(-Score::INFINITE <= alpha && beta <= Score::INFINITE, "{window:?} has scores that there are not");
    debug_assert!(N::PV || window.width() == 1, "{window:?} is open off the principal variation");
    debug_assert!(N::ROOT == (ply == 0), "ply {ply} is another node type's");
    debug_assert!(ply <= MAX_PLY, "ply {ply} lies too deep");
}

/// An entry of the transposition table, read or about to be stored.
pub(super) fn check_entry(entry: &Entry) {
    debug_assert!(entry.depth >= DEPTH_UNSEARCHED && entry.depth <= MAX_PLY as i32, "{entry:?} has an odd depth");
    debug_assert!(entry.score.is_some() != entry.bound.is_empty(), "{entry:?} has a bound of no score or none of one");
    debug_assert!(entry.score.is_none_or(|score| score.0.abs() <= Score::MATE.0), "{entry:?} scores more than a mate");
    debug_assert!(entry.eval.is_none_or(is_evaluation), "{entry:?} has a decisive evaluation");
}

/// Returns true if a score may be an evaluation.
fn is_evaluation(score: Score) -> bool {
    score.0.abs() <= Score::MAX_EVAL.0
}

/// The node after step 6.
pub(super) fn check_evaluated<N: NodeType>(node: &Node) {
    debug_assert!(node.depth <= MAX_PLY as i32, "{} plies are more than a search has", node.depth);
    debug_assert!(!(N::PV && node.cut_node), "a node of the principal variation is expected to cut off");
    debug_assert!(node.tt_pv || !N::PV, "a node of the principal variation is not marked as one");
    debug_assert!(node.static_eval == NO_EVAL || is_evaluation(node.static_eval), "{:?}", node.static_eval);
    debug_assert!(node.in_check || node.static_eval != NO_EVAL, "out of check there is an evaluation");
    debug_assert!(!(node.in_check && node.raw_eval.is_some()), "in check nothing is evaluated");
    debug_assert!(node.prior_reduction.abs() <= 2 * MAX_PLY as i32, "a reduction of {}", node.prior_reduction);
}

/// The loop over the moves of a node, when it has ended.
pub(super) fn check_found<N: NodeType>(node: &Node, found: &MoveLoop) {
    let (best, Window { alpha, beta }) = (found.best, node.window);
    debug_assert!(found.window.alpha >= alpha && found.window.beta == beta, "moves only raise alpha");
    debug_assert!(N::ROOT || found.window.alpha < beta || found.best_move.is_some(), "no move has closed the window");
    debug_assert!(found.count > 0 || best == -Score::INFINITE, "{best:?} without a move");
    debug_assert!(best < beta || found.best_move.is_some(), "{best:?} is above {beta:?} without a move");
    debug_assert!(best <= alpha || found.best_move.is_some(), "{best:?} is above {alpha:?} without a move");
    debug_assert!(best <= Score::mate_in(node.ply + 1), "{best:?} is a mate before the next move");
}

/// The score of a node.
pub(super) fn check_score(best: Score, bound: Bound, window: Window, ply: usize) {
    debug_assert!(best >= Score::mated_in(ply) && best <= Score::mate_in(ply + 1), "{best:?} at ply {ply}");
    debug_assert!(bound != Bound::LOWER || best >= window.beta, "{best:?} is no lower bound in {window:?}");
    debug_assert!(bound != Bound::EXACT || best < window.beta, "{best:?} is not exact in {window:?}");
}

/// A move that is about to be made.
pub(super) fn check_move(pos: &Position, mv: Move, ply: usize) {
    debug_assert!(ply < MAX_PLY, "a move beyond the last ply");
    debug_assert!(is_legal(pos, mv), "{mv} is illegal in {}", pos.to_sfen());
}

/// The incremental state, now and then.
pub(super) fn check_state(nodes: u64, path: &Path, keys: &CorrectionKeys) {
    debug_assert!(!nodes.is_multiple_of(INTERVAL) || is_sound(path, keys));
}

/// Returns true if position, keys and evaluation are what they would be if made afresh.
#[cold]
fn is_sound(path: &Path, keys: &CorrectionKeys) -> bool {
    let pos = &path.pos;
    assert_eq!(pos.validate(), Ok(()));
    assert_eq!(*keys, CorrectionKeys::new(pos), "{}", pos.to_sfen());
    let (mut kept, mut fresh) = (path.eval.clone(), path.eval.clone());
    fresh.reset(pos);
    kept.evaluate(pos) == fresh.evaluate(pos)
}
