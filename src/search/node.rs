//! Node of the search: its type, its window, and the state that its steps share.

use super::history::{HistoryKeys, PieceTo};
use super::report::Bound;
use super::stack::{MAX_PLY, NO_EVAL};
use super::tt::{DEPTH_NONE, DEPTH_UNSEARCHED, Entry};
use crate::types::{Move, PieceType, Score};
use std::ops::Neg;

/// Type of a node, known before it is searched.
pub(crate) trait NodeType {
    /// The node may lie on the principal variation: its window is open.
    const PV: bool;
    /// The node is the root.
    const ROOT: bool;
}

/// The root.
pub(crate) enum Root {}
/// A node with an open window.
pub(crate) enum Pv {}
/// A node whose window is one point wide.
pub(crate) enum NonPv {}

impl NodeType for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}

impl NodeType for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}

impl NodeType for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// The scores that still matter: above alpha for the side to move, below beta for its opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) alpha: Score,
    pub(crate) beta: Score,
}

impl Window {
    /// Every score.
    pub(crate) const FULL: Window = Window { alpha: Score(-Score::INFINITE.0), beta: Score::INFINITE };

    /// The scores at most `delta` from this one.
    pub(crate) fn around(score: Score, delta: i32) -> Window {
        Window { alpha: (score - delta).max(-Score::INFINITE), beta: (score + delta).min(Score::INFINITE) }
    }

    /// Only the question whether a score is above alpha.
    pub(crate) fn null(self) -> Window {
        Window { alpha: self.alpha, beta: self.alpha + 1 }
    }

    /// Only the question whether a score is at least this.
    pub(crate) fn reaches(score: Score) -> Window {
        Window { alpha: score - 1, beta: score }
    }

    /// Bound that a score is, found by a search with this window.
    pub(crate) fn bound_of(self, score: Score) -> Bound {
        if score >= self.beta {
            Bound::LOWER
        } else if score <= self.alpha {
            Bound::UPPER
        } else {
            Bound::EXACT
        }
    }

    /// Number of scores between alpha and beta.
    pub(crate) fn width(self) -> i32 {
        self.beta.0 - self.alpha.0
    }
}

/// Window from the opponent's view.
impl Neg for Window {
    type Output = Window;
    fn neg(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

/// State that the steps of one node share.
pub(crate) struct Node {
    pub(crate) window: Window,
    /// Remaining depth in plies; steps 6, 10, 15 and 20 change it.
    pub(crate) depth: i32,
    pub(crate) ply: usize,
    pub(crate) in_check: bool,
    /// The node is expected to fail high.
    pub(crate) cut_node: bool,
    /// Entry of the transposition table.
    pub(crate) entry: Option<Entry>,
    /// The TT move; at the root the best move so far.
    pub(crate) tt_move: Option<Move>,
    /// The TT move captures: quiet moves are less likely to be better.
    pub(crate) tt_capture: bool,
    /// The position is or was on a principal variation.
    pub(crate) tt_pv: bool,
    /// The path to this node is the last iteration's best line.
    pub(crate) follow_pv: bool,
    /// Static evaluation without any correction; `None` in check.
    pub(crate) raw_eval: Option<Score>,
    /// Static evaluation, corrected; in check that of two plies before, which may be [`NO_EVAL`].
    pub(crate) static_eval: Score,
    /// Corrected evaluation, or the TT score where its bound says that it is nearer to the truth.
    pub(crate) eval: Score,
    /// Correction of the evaluation by the histories, in 1/131,072 centipawn.
    pub(crate) correction: i32,
    /// The evaluation rose since the side's last move.
    pub(crate) improving: bool,
    /// Plies that were taken off the search which asks this node; 0 if none.
    pub(crate) prior_reduction: i32,
    /// A move that is left out, to see how much better than all others it is.
    pub(crate) excluded: Option<Move>,
    /// Where the histories keep what they know of this node's moves.
    pub(crate) keys: HistoryKeys,
}

impl Node {
    /// Tests whether the node is expected to fail low: every move has to be tried.
    pub(crate) fn is_all_node<N: NodeType>(&self) -> bool {
        !N::PV && !self.cut_node
    }

    /// The TT score.
    pub(crate) fn tt_score(&self) -> Option<Score> {
        self.entry.and_then(|entry| entry.score)
    }

    /// Tests whether the TT score is above this one. No score counts as one above all others: nothing speaks against
    /// the node.
    pub(crate) fn tt_score_above(&self, score: Score) -> bool {
        self.tt_score().is_none_or(|known| known > score)
    }

    /// The depth of the TT score, below all that are searched if there is none.
    pub(crate) fn tt_depth(&self) -> i32 {
        self.entry.map_or(DEPTH_NONE, |entry| entry.depth)
    }
}

/// Facts about a move before it is made.
#[derive(Clone, Copy)]
pub(crate) struct MoveInfo {
    pub(crate) mv: Move,
    /// Number among the moves of the node, from 1.
    pub(crate) count: i32,
    /// The piece that stands on the destination after the move, and where.
    pub(crate) piece_to: PieceTo,
    /// Captured piece.
    pub(crate) captured: Option<PieceType>,
}

impl MoveInfo {
    /// Half of what the capture gains: the victim counted once.
    pub(crate) fn victim_value(&self) -> i32 {
        self.captured.map_or(0, |victim| victim.capture_gain() / 2)
    }
}

/// Outcome of the loop over the moves of a node.
pub(crate) struct MoveLoop {
    /// The node's window, with alpha as the moves so far have raised it.
    pub(crate) window: Window,
    /// The best score so far: of a search, or what a move that was left out could reach at most.
    pub(crate) best: Score,
    /// The move that raised alpha last.
    pub(crate) best_move: Option<MoveInfo>,
    /// Number of moves.
    pub(crate) count: i32,
}

impl MoveLoop {
    /// The loop of a node with this window, before the first move.
    pub(crate) fn new(window: Window) -> MoveLoop {
        MoveLoop { window, best: -Score::INFINITE, best_move: None, count: 0 }
    }

    /// A move was left out that could have reached no more than this score.
    pub(crate) fn raise_to(&mut self, bound: Score) {
        if self.best <= bound && !self.best.is_decisive() && !bound.is_win() {
            self.best = bound;
        }
    }
}

/// Verdict on a move before it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prune {
    /// It is searched.
    Keep,
    /// It is left out.
    Skip,
    /// It is left out, and could have reached no more than this score.
    SkipWithBound(Score),
}

// Assertions that hold at every node. Builds with debug assertions check them; the others contain none of this.

/// The window that a node is entered with.
pub(crate) fn check_window<N: NodeType>(window: Window, ply: usize) {
    let Window { alpha, beta } = window;
    debug_assert!(alpha < beta, "the window {alpha:?} to {beta:?} is not in order");
    debug_assert!(-Score::INFINITE <= alpha && beta <= Score::INFINITE, "{window:?} has scores that there are not");
    debug_assert!(N::PV || window.width() == 1, "{window:?} is open off the principal variation");
    debug_assert!(N::ROOT == (ply == 0), "ply {ply} is another node type's");
    debug_assert!(ply <= MAX_PLY, "ply {ply} lies too deep");
}

/// An entry of the transposition table, read or about to be stored.
pub(crate) fn check_entry(entry: &Entry) {
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
pub(crate) fn check_evaluated<N: NodeType>(node: &Node) {
    debug_assert!(node.depth <= MAX_PLY as i32, "{} plies are more than a search has", node.depth);
    debug_assert!(!(N::PV && node.cut_node), "a node of the principal variation is expected to cut off");
    debug_assert!(node.tt_pv || !N::PV, "a node of the principal variation is not marked as one");
    debug_assert!(node.static_eval == NO_EVAL || is_evaluation(node.static_eval), "{:?}", node.static_eval);
    debug_assert!(node.in_check || node.static_eval != NO_EVAL, "out of check there is an evaluation");
    debug_assert!(!(node.in_check && node.raw_eval.is_some()), "in check nothing is evaluated");
    debug_assert!(node.prior_reduction.abs() <= 2 * MAX_PLY as i32, "a reduction of {}", node.prior_reduction);
}

/// The loop over the moves of a node, when it has ended.
pub(crate) fn check_found<N: NodeType>(node: &Node, found: &MoveLoop) {
    let best = found.best;
    let Window { alpha, beta } = node.window;
    debug_assert!(found.window.alpha >= alpha && found.window.beta == beta, "moves only raise alpha");
    debug_assert!(N::ROOT || found.window.alpha < beta || found.best_move.is_some(), "no move has closed the window");
    debug_assert!(found.count > 0 || best == -Score::INFINITE, "{best:?} without a move");
    debug_assert!(best < beta || found.best_move.is_some(), "{best:?} is above {beta:?} without a move");
    debug_assert!(best <= alpha || found.best_move.is_some(), "{best:?} is above {alpha:?} without a move");
    debug_assert!(best <= Score::mate_in(node.ply + 1), "{best:?} is a mate before the next move");
}

/// The score of a node.
pub(crate) fn check_score(best: Score, bound: Bound, window: Window, ply: usize) {
    debug_assert!(best >= Score::mated_in(ply) && best <= Score::mate_in(ply + 1), "{best:?} at ply {ply}");
    debug_assert!(bound != Bound::LOWER || best >= window.beta, "{best:?} is no lower bound in {window:?}");
    debug_assert!(bound != Bound::EXACT || best < window.beta, "{best:?} is not exact in {window:?}");
}
