//! Step 15. Singular extension: how much deeper or shallower the TT move is searched than the others.

use super::node::{Node, NodeType, NonPv, Window};
use super::stack::StackEntry;
use super::worker::Worker;
use crate::search::bound::Bound;
use crate::search::params::*;
use crate::search::tt::Entry;
use crate::types::{Move, Score};

/// The result of a search without the TT move.
pub(super) enum Singular {
    /// Plies by which the TT move is searched deeper; shallower if below zero.
    Extend(i32),
    /// Other moves cut off as well: the node is done, with this score.
    MultiCut(Score),
}

/// From this ply on a piece that walks to and fro is not searched deeper.
const SHUFFLE_PLY: usize = 18;

impl Worker {
    /// Step 15. Singular extension: if all moves but the TT move fail far below its score, it stands alone and is
    /// looked at deeper, by one to three plies. If they do not, and reach beta themselves, the node is done; if they do
    /// not and the table's score is above beta or the node is expected to cut off, the move is looked at less deep
    /// (Anantharaman, Campbell and Hsu 1988; multi-cut: Björnsson and Marsland 1999; all by one search: Stockfish).
    #[inline(always)]
    pub(super) fn singular<N: NodeType>(&mut self, node: &Node, mv: Move) -> Singular {
        match self.singular_score(node, mv) {
            Some(score) => self.test_alone::<N>(node, mv, score),
            None => Singular::Extend(0),
        }
    }

    /// The TT score, if it is good enough to ask whether the move stands alone.
    #[inline(always)]
    fn singular_score(&self, node: &Node, mv: Move) -> Option<Score> {
        let Entry { score, bound, depth, .. } = node.entry?;
        let score = score.filter(|score| !score.is_decisive())?;
        let is_deep = node.depth >= singular_min_depth() + i32::from(node.tt_pv) && depth >= node.depth - 3;
        let asks = is_deep
            && node.excluded.is_none()
            && bound.contains(Bound::LOWER)
            && node.ply < 3 * self.root_depth()
            && !self.is_shuffling(node, mv);
        asks.then_some(score)
    }

    /// Searches all other moves below the table's score.
    fn test_alone<N: NodeType>(&mut self, node: &Node, mv: Move, tt_score: Score) -> Singular {
        let Node { window, depth, ply, .. } = *node;
        let line = i32::from(node.tt_pv && !N::PV);
        let bar = tt_score - (singular_margin() + singular_tt_pv_margin() * line) * depth / 55;
        // The search at the same ply writes into its entry of the stack. What it finds out of the node stays: that the
        // node cuts off, or that it belongs to the surroundings of a principal variation.
        let kept = self.stack[ply];
        self.stack[ply].excluded = Some(mv);
        let score = self.negamax::<NonPv>(Window::reaches(bar), (depth - 1) / 2, ply, node.cut_node);
        let StackEntry { tt_pv, cutoffs, .. } = self.stack[ply];
        self.stack[ply] = StackEntry { tt_pv, cutoffs, ..kept };
        if self.stopped() {
            return Singular::Extend(0);
        }
        if score < bar {
            return Singular::Extend(self.limited(ply, 1 + self.further_plies::<N>(node, bar.0 - score.0)));
        }
        if score >= window.beta && !score.is_decisive() {
            return Singular::MultiCut(score);
        }
        if tt_score >= window.beta {
            return Singular::Extend(-negative_extension_tt());
        }
        Singular::Extend(if node.cut_node { -negative_extension_cut() } else { 0 })
    }

    /// Plies beyond one that a move is extended which stands alone by `lead` centipawns.
    #[inline(always)]
    fn further_plies<N: NodeType>(&self, node: &Node, lead: i32) -> i32 {
        let (pv, quiet) = (i32::from(N::PV), i32::from(!node.tt_capture));
        let deep = i32::from(node.ply > self.root_depth());
        let unsure = node.correction.abs() / singular_correction();
        let double = double_extension_base() + double_extension_pv() * pv
            - double_extension_quiet() * quiet
            - unsure
            - self.learnt.history.tt_move_history() * double_extension_tt_history() / 128
            - double_extension_deep() * deep;
        let triple = triple_extension_base() + triple_extension_pv() * pv - triple_extension_quiet() * quiet
            + triple_extension_line() * i32::from(self.stack[node.ply].tt_pv)
            - unsure
            - triple_extension_deep() * deep;
        i32::from(lead > double) + i32::from(lead > triple)
    }

    /// Deep below the root a move is extended by no more than one ply, so that every iteration ends.
    #[inline(always)]
    fn limited(&self, ply: usize, extension: i32) -> i32 {
        if ply >= 2 * self.root_depth() { extension.min(1) } else { extension }
    }

    /// Tests whether a move goes on with a walk of one piece: to extend it would only put the end off.
    #[inline(always)]
    fn is_shuffling(&self, node: &Node, mv: Move) -> bool {
        if node.ply < SHUFFLE_PLY || node.tt_capture {
            return false;
        }
        let (own, before) = (self.stack.back(node.ply, 2).mv, self.stack.back(node.ply, 4).mv);
        let starts_at_end =
            |later: Move, earlier: Option<Move>| later.from().is_some_and(|from| earlier.map(Move::to) == Some(from));
        (1..=6).all(|back| self.stack.back(node.ply, back).mv.is_some())
            && starts_at_end(mv, own)
            && own.is_some_and(|own| starts_at_end(own, before))
    }
}
