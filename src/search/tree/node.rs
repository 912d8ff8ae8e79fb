//! Node of the search: its type, its window, and the state that its steps share.

use crate::search::ordering::history::HistoryKeys;
use crate::search::tt::Entry;
use crate::types::{Move, Score};
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
pub(in crate::search) struct Window {
    pub(in crate::search) alpha: Score,
    pub(in crate::search) beta: Score,
}

impl Window {
    /// Every score.
    pub(in crate::search) const FULL: Window = Window { alpha: Score(-Score::INFINITE.0), beta: Score::INFINITE };

    /// The scores at most `delta` from this one.
    pub(in crate::search) fn around(score: Score, delta: i32) -> Window {
        Window { alpha: (score - delta).max(-Score::INFINITE), beta: (score + delta).min(Score::INFINITE) }
    }

    /// Only the question whether a score is above alpha.
    #[inline(always)]
    pub(in crate::search) fn null(self) -> Window {
        Window { alpha: self.alpha, beta: self.alpha + 1 }
    }

    /// Only the question whether a score is at least this.
    #[inline(always)]
    pub(in crate::search) fn reaches(score: Score) -> Window {
        Window { alpha: score - 1, beta: score }
    }

    /// Number of scores between alpha and beta.
    #[inline(always)]
    pub(in crate::search) fn width(self) -> i32 {
        self.beta.0 - self.alpha.0
    }
}

/// Window from the opponent's view.
impl Neg for Window {
    type Output = Window;
    #[inline(always)]
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
    #[inline(always)]
    pub(super) fn is_all_node<N: NodeType>(&self) -> bool {
        !N::PV && !self.cut_node
    }

    /// The TT score.
    #[inline(always)]
    pub(super) fn tt_score(&self) -> Option<Score> {
        self.entry.and_then(|entry| entry.score)
    }

    /// Tests whether the TT score is above this one. No score counts as one above all others: nothing speaks against
    /// the node.
    #[inline(always)]
    pub(super) fn tt_score_above(&self, score: Score) -> bool {
        self.tt_score().is_none_or(|known| known > score)
    }

    /// The depth of the TT score, below all that are searched if there is none.
    #[inline(always)]
    pub(super) fn tt_depth(&self) -> i32 {
        self.entry.map_or(crate::search::tt::DEPTH_NONE, |entry| entry.depth)
    }
}

/// Facts about a move before it is made.
#[derive(Clone, Copy)]
pub(in crate::search) struct MoveInfo {
    pub(in crate::search) mv: Move,
    /// Its number among the moves of the node, from 1.
    pub(in crate::search) count: i32,
    /// The piece that stands on the destination after the move, and where.
    pub(super) piece_to: crate::search::ordering::history::PieceTo,
    /// Type of the piece that it captures.
    pub(super) captured: Option<crate::types::PieceType>,
}

impl MoveInfo {
    /// Half of what the capture gains: the victim counted once.
    #[inline(always)]
    pub(super) fn victim_value(&self) -> i32 {
        self.captured.map_or(0, |victim| victim.capture_gain() / 2)
    }
}
