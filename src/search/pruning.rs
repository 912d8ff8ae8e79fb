//! Steps that leave out what will not matter, or look closer at what does: razoring, reverse futility, null move,
//! probcut, shallow pruning, singular extension, reductions.

use super::MAX_PLY;
use super::negamax::{Candidate, Late, Node, NodeType, NonPv, Window};
use super::params::*;
use super::picker::Picker;
use super::tt::{Bound, Entry};
use super::worker::Worker;
use crate::mate::mate_in_one;
use crate::position::CheckInfo;
use crate::types::{Move, Score};

/// Base-2 logarithm in 1/256, rounded down, for 1 and more. Integers, so that every machine searches the same tree.
const fn log2(x: u32) -> u32 {
    let whole = x.ilog2();
    // The mantissa in 1/256 above the power of two is close enough to the logarithm's fraction.
    let fraction = (x << 8 >> whole) - 256;
    whole * 256 + fraction
}

/// `[depth][move number]`: the product of the logarithms of both, in 1/256.
static LOGARITHMS: [[u16; 64]; 64] = {
    let mut table = [[0; 64]; 64];
    let mut depth = 1;
    while depth < 64 {
        let mut number = 1;
        while number < 64 {
            table[depth][number] = (log2(depth as u32) * log2(number as u32) / 256) as u16;
            number += 1;
        }
        depth += 1;
    }
    table
};

/// What is found out about a move that stands alone.
pub(super) enum Singular {
    /// It is searched so many plies deeper; shallower if below zero.
    Extend(i32),
    /// Others cut off as well: the node is done.
    Cut(Score),
}

/// How much a cut-off at this depth teaches.
pub(super) fn history_bonus(depth: i32) -> i32 {
    (bonus_depth() * depth).min(bonus_most())
}

/// What is taken off the depth of a move by its number, in 1/256 ply.
#[inline(always)]
fn base_reduction(depth: i32, count: usize) -> i32 {
    let product = LOGARITHMS[depth.clamp(0, 63) as usize][count.min(63)];
    reduction_base() + i32::from(product) * reduction_slope() / 256
}

impl Worker {
    /// Step 5: a mate in one, where the table knows nothing of the position. It needs no search, and a shogi king is often
    /// mated by a drop that no other step would try first (YaneuraOu).
    #[inline(always)]
    pub(super) fn mate_at_once(&mut self, depth: i32, ply: usize) -> Option<Score> {
        if depth < mate_in_one_depth() || !self.pos.may_mate(&self.rules) {
            return None;
        }
        let mv = mate_in_one(&self.pos)?;
        let (score, eval) = (Score::mate_in(ply + 1), self.eval.evaluate(&self.pos).clamp_eval());
        // It will be no other at any depth.
        let entry = Entry { mv: Some(mv), score, eval, depth: MAX_PLY as i32, bound: Bound::EXACT, was_pv: false };
        self.shared.table.store(self.pos.key(), ply, entry);
        Some(score)
    }

    /// Step 7: so far below alpha that only captures could help: ask the quiescence search (Birmingham and Kent 1977; in
    /// this form Strelka and Stockfish).
    #[inline(always)]
    pub(super) fn razoring(&mut self, node: &Node) -> Option<Score> {
        let Node { window, depth, ply, .. } = *node;
        if depth > razoring_depth() || node.eval + razoring_margin() * depth > window.alpha || window.alpha.is_mate() {
            return None;
        }
        let score = self.quiescence::<NonPv>(window.null(), 0, ply);
        (score <= window.alpha).then_some(score)
    }

    /// Step 8: the position is so good that a quiet move keeps it above beta (Heinz 1998, "static null move").
    #[inline(always)]
    pub(super) fn reverse_futility(&self, node: &Node) -> Option<Score> {
        let margin = reverse_futility_margin() * (node.depth - node.improving as i32);
        let holds = node.depth <= reverse_futility_depth()
            && node.eval - margin >= node.window.beta
            && !node.window.beta.is_mate()
            && !node.eval.is_mate();
        holds.then(|| Score((node.eval.0 + node.window.beta.0) / 2))
    }

    /// Step 9: if even a pass keeps the score above beta, a move will (Goetsch and Campbell 1990; adaptive: Heinz 1999).
    /// Shogi knows next to no zugzwang, so the answer is not verified.
    #[inline(always)]
    pub(super) fn null_move(&mut self, node: &Node) -> Option<Score> {
        let Node { window, depth, ply, .. } = *node;
        let after_null = self.path[ply - 1].is_none();
        if depth < null_move_depth() || after_null || node.eval < window.beta || window.beta.is_mate() {
            return None;
        }
        let surplus = ((node.eval.0 - window.beta.0) / null_move_surplus()).min(3);
        let reduction = null_move_reduction() + depth / null_move_divisor() + surplus;
        self.do_null_move(ply);
        let question = Window { alpha: window.beta - 1, beta: window.beta };
        let score = -self.negamax::<NonPv>(-question, depth - 1 - reduction, ply + 1, !node.cut_node);
        self.pos.undo();
        // A mate found behind a pass is no mate.
        (!self.stopped && score >= window.beta).then(|| if score.is_mate() { window.beta } else { score })
    }

    /// Step 10: plies that are taken off a node without a move from the table, where the order of moves is poor: the next
    /// iteration will have one (Schröder 2018, Rebel).
    #[inline(always)]
    pub(super) fn internal_reduction<N: NodeType>(&self, node: &Node) -> i32 {
        let has_move = node.entry.is_some_and(|entry| entry.mv.is_some());
        (!has_move && node.depth >= internal_reduction_depth() && (N::PV || node.cut_node)) as i32
    }

    /// Step 11: a capture that brings a shallower search far above beta will bring this one above it (Buro 1995; in this
    /// form Stockfish).
    pub(super) fn probcut(&mut self, node: &Node) -> Option<Score> {
        let Node { window, depth, ply, .. } = *node;
        let raised = window.beta + probcut_margin();
        let doubts = |entry: Entry| entry.depth > depth - probcut_reduction() && entry.score < raised;
        if depth < probcut_depth() || window.beta.is_mate() || node.entry.is_some_and(doubts) {
            return None;
        }
        let threshold = raised.0 - node.static_eval.0;
        let question = Window { alpha: raised - 1, beta: raised };
        let mut picker = Picker::winning(&self.pos, node.entry.and_then(|entry| entry.mv), threshold);
        while let Some(mv) = picker.next(&self.pos, &self.history) {
            self.do_move(mv, ply);
            let mut score = -self.quiescence::<NonPv>(-question, 0, ply + 1);
            if score >= raised {
                score = -self.negamax::<NonPv>(-question, depth - probcut_reduction(), ply + 1, !node.cut_node);
            }
            self.undo_move();
            if self.stopped {
                return None;
            }
            if score >= raised {
                let (eval, depth) = (self.raw_evals[ply], depth - probcut_reduction() + 1);
                let entry = Entry { mv: Some(mv), score, eval, depth, bound: Bound::LOWER, was_pv: false };
                self.shared.table.store(self.pos.key(), ply, entry);
                return Some(if score.is_mate() { score } else { score - probcut_margin() });
            }
        }
        None
    }

    /// Step 12: the table knows a score so far above beta that a shallower search is proof enough (Stockfish).
    #[inline(always)]
    pub(super) fn cheap_probcut(&self, node: &Node) -> Option<Score> {
        let raised = node.window.beta + cheap_probcut_margin();
        let entry = node.entry?;
        let is_proof = entry.bound.contains(Bound::LOWER)
            && entry.depth >= node.depth - probcut_reduction()
            && entry.score >= raised
            && !entry.score.is_mate()
            && !node.window.beta.is_mate();
        is_proof.then_some(raised)
    }

    /// Step 14: whether a move near the leaves can be left out unsearched: one of many late ones (Romstad), one that
    /// cannot bring the score up to alpha (Heinz 1998), one that never helped, one that loses an exchange. Checks stay
    /// unless they lose material: in shogi they are the moves that decide.
    #[inline(always)]
    pub(super) fn is_prunable<N: NodeType>(
        &self,
        node: &Node,
        candidate: &Candidate,
        picker: &mut Picker,
        check_info: &mut Option<CheckInfo>,
    ) -> bool {
        let Candidate { mv, count, is_quiet, best } = *candidate;
        if best <= Score::mated_in(MAX_PLY) || node.in_check || N::PV {
            return false;
        }
        let depth = node.depth;
        if !is_quiet {
            // Exchanges that lose more than the depth can bring back.
            return depth <= see_depth() && !self.pos.see_ge(mv, -see_margin() * depth);
        }
        // Late moves: so many better-looking ones did not help. Only checks are still looked at.
        let enough = (late_move_base() + depth * depth) / (2 - node.improving as i32);
        let is_late = depth <= late_move_depth() && count as i32 > enough;
        let reduced = if is_late { 0 } else { (depth - base_reduction(depth, count) / 256).max(0) };
        // Futility: a quiet move will not bring the score up to alpha.
        let reachable = node.static_eval + futility_base() + futility_margin() * reduced;
        let is_futile = reduced <= futility_depth() && reachable <= node.window.alpha;
        // History: it never helped.
        let is_bad = || {
            reduced <= history_depth()
                && self.history.quiet(&self.pos, &node.context, mv) < -history_margin() * (reduced + 1)
        };
        if is_late || is_futile || is_bad() {
            let info = check_info.get_or_insert_with(|| CheckInfo::new(&self.pos));
            if is_late {
                picker.only_checks(&self.pos, info);
            }
            if !info.gives_check(&self.pos, mv) {
                return true;
            }
        }
        depth <= see_depth() && !self.pos.see_ge(mv, -see_quiet_margin() * reduced * reduced - see_margin())
    }

    /// Step 15: if all moves but the table's fail far below its score, that move stands alone and is looked at deeper.
    /// If they do not, and reach beta themselves, the node is done; if the table's score is above beta, less deep
    /// (Anantharaman, Campbell and Hsu 1988; multi-cut: Björnsson and Marsland 1999; both by one search: Stockfish).
    pub(super) fn singular<N: NodeType>(&mut self, node: &Node, mv: Move) -> Singular {
        let Node { window, depth, ply, .. } = *node;
        let none = Singular::Extend(0);
        let Some(entry) = node.entry else { return none };
        if depth < singular_depth()
            || node.excluded.is_some()
            || ply >= 2 * self.iteration
            || !entry.bound.contains(Bound::LOWER)
            || entry.depth < depth - singular_table_depth()
            || entry.score.is_mate()
        {
            return none;
        }
        let bar = entry.score - singular_margin() * depth / 16;
        self.excluded[ply] = Some(mv);
        let question = Window { alpha: bar - 1, beta: bar };
        let score = self.negamax::<NonPv>(question, (depth - 1) / 2, ply, node.cut_node);
        self.excluded[ply] = None;
        if self.stopped {
            return none;
        }
        if score < bar {
            return Singular::Extend(1 + (!N::PV && score < bar - singular_double()) as i32);
        }
        if bar >= window.beta && !N::PV {
            return Singular::Cut(bar);
        }
        Singular::Extend(if entry.score >= window.beta { -2 } else { -(node.cut_node as i32) })
    }

    /// Step 17: by how many plies a late move is searched shallower: it is most likely no better than the first ones, and
    /// history says how likely (Romstad 2006, Glaurung).
    #[inline(always)]
    pub(super) fn reduction<N: NodeType>(&self, node: &Node, late: &Late) -> i32 {
        let in_full = reduction_moves() + if node.ply == 0 { reduction_root_moves() } else { 0 };
        if node.depth < reduction_depth() || late.count as i32 <= in_full {
            return 0;
        }
        let mut reduction = base_reduction(node.depth, late.count);
        reduction -= late.history * 256 / reduction_history();
        reduction += reduction_cut_node() * node.cut_node as i32;
        reduction += reduction_worsening() * !node.improving as i32;
        reduction += reduction_table_capture() * node.table_capture as i32;
        reduction += reduction_cutoffs() * (self.cutoffs[node.ply + 1] > 2) as i32;
        reduction -= reduction_pv() * N::PV as i32;
        reduction -= reduction_was_pv() * node.was_pv as i32;
        reduction -= reduction_in_check() * node.in_check as i32;
        reduction -= reduction_check() * late.gives_check as i32;
        reduction -= reduction_capture() * (!late.is_quiet && !late.losing) as i32;
        reduction / 256
    }
}
