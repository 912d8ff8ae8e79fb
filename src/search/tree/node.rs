//! Node of the search: its type, its window, and the state that its steps share.

use crate::search::bound::Bound;
use crate::search::ordering::history::{HistoryKeys, PieceTo};
use crate::search::tt::{DEPTH_NONE, Entry};
use crate::types::{Move, PieceType, Score};
use std::ops::Neg;

/// Type of a node, known before it is searched.
pub(in crate::search) trait NodeType {
    /// The node may lie on the principal variation: its window is open.
    const PV: bool;
    /// The node is the root.
    const ROOT: bool;
}

/// The root.
pub(in crate::search) enum Root {}
/// A node with an open window.
pub(in crate::search) enum Pv {}
/// A node whose window is one point wide.
pub(in crate::search) enum NonPv {}

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
pub(super) struct Node {
    pub(super) window: Window,
    /// Remaining depth in plies; steps 6, 10, 15 and 20 change it.
    pub(super) depth: i32,
    pub(super) ply: usize,
    pub(super) in_check: bool,
    /// The node is expected to fail high.
    pub(super) cut_node: bool,
    /// Entry of the transposition table.
    pub(super) entry: Option<Entry>,
    /// The TT move; at the root the best move so far.
    pub(super) tt_move: Option<Move>,
    /// The TT move captures: quiet moves are less likely to be better.
    pub(super) tt_capture: bool,
    /// The position is or was on a principal variation.
    pub(super) tt_pv: bool,
    /// The path to this node is the last iteration's best line.
    pub(super) follow_pv: bool,
    /// Static evaluation without any correction; `None` in check.
    pub(super) raw_eval: Option<Score>,
    /// Static evaluation, corrected; in check that of two plies before, which may be [`super::stack::NO_EVAL`].
    pub(super) static_eval: Score,
    /// Corrected evaluation, or the TT score where its bound says that it is nearer to the truth.
    pub(super) eval: Score,
    /// Correction of the evaluation by the histories, in 1/131,072 centipawn.
    pub(super) correction: i32,
    /// The evaluation rose since the side's last move.
    pub(super) improving: bool,
    /// Plies that were taken off the search which asks this node; 0 if none.
    pub(super) prior_reduction: i32,
    /// A move that is left out, to see how much better than all others it is.
    pub(super) excluded: Option<Move>,
    /// Where the histories keep what they know of this node's moves.
    pub(super) keys: HistoryKeys,
}

impl Node {
    /// Tests whether the node is expected to fail low: every move has to be tried.
    pub(super) fn is_all_node<N: NodeType>(&self) -> bool {
        !N::PV && !self.cut_node
    }

    /// The TT score.
    pub(super) fn tt_score(&self) -> Option<Score> {
        self.entry.and_then(|entry| entry.score)
    }

    /// Tests whether the TT score is above this one. No score counts as one above all others: nothing speaks against
    /// the node.
    pub(super) fn tt_score_above(&self, score: Score) -> bool {
        self.tt_score().is_none_or(|known| known > score)
    }

    /// The depth of the TT score, below all that are searched if there is none.
    pub(super) fn tt_depth(&self) -> i32 {
        self.entry.map_or(DEPTH_NONE, |entry| entry.depth)
    }
}

/// Facts about a move before it is made.
#[derive(Clone, Copy)]
pub(in crate::search) struct MoveInfo {
    pub(in crate::search) mv: Move,
    /// Number among the moves of the node, from 1.
    pub(in crate::search) count: i32,
    /// The piece that stands on the destination after the move, and where.
    pub(super) piece_to: PieceTo,
    /// Captured piece.
    pub(super) captured: Option<PieceType>,
}

impl MoveInfo {
    /// Half of what the capture gains: the victim counted once.
    pub(super) fn victim_value(&self) -> i32 {
        self.captured.map_or(0, |victim| victim.capture_gain() / 2)
    }
}

/// Outcome of the loop over the moves of a node.
pub(super) struct MoveLoop {
    /// The node's window, with alpha as the moves so far have raised it.
    pub(super) window: Window,
    /// The best score so far: of a search, or what a move that was left out could reach at most.
    pub(super) best: Score,
    /// The move that raised alpha last.
    pub(super) best_move: Option<MoveInfo>,
    /// Number of moves.
    pub(super) count: i32,
}

impl MoveLoop {
    /// The loop of a node with this window, before the first move.
    pub(super) fn new(window: Window) -> MoveLoop {
        MoveLoop { window, best: -Score::INFINITE, best_move: None, count: 0 }
    }

    /// A move was left out that could have reached no more than this score.
    pub(super) fn raise_to(&mut self, bound: Score) {
        if self.best <= bound && !self.best.is_decisive() && !bound.is_win() {
            self.best = bound;
        }
    }
}

/// Verdict on a move before it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prune {
    /// It is searched.
    Keep,
    /// It is left out.
    Skip,
    /// It is left out, and could have reached no more than this score.
    SkipWithBound(Score),
}
