//! The recursive search, as numbered steps.
//!
//! The numbers are those of the textbook order of a modern alpha-beta search, from 1 to 22. Steps 1 to 6, 21 and 22
//! stand here, 7 to 12 in `pruning.rs`, 13 to 20 in `move_loop.rs`, and what the histories learn in `learn.rs`.

use super::correction::corrected;
use super::history::HistoryKeys;
use super::move_loop::SearchedMoves;
use super::node::{
    MoveLoop, Node, NodeType, Window, check_entry, check_evaluated, check_found, check_score, check_window,
};
use super::params::*;
use super::report::Bound;
use super::stack::{MAX_PLY, NO_EVAL};
use super::tt::Entry;
use super::worker::{Worker, check_state};
use crate::types::Score;
use std::ops::ControlFlow;

impl Worker {
    /// The score of the position in the window, searched `depth` plies deep, `ply` plies below the root. A `cut_node`
    /// is one that is expected to fail high.
    pub(crate) fn negamax<N: NodeType>(&mut self, mut window: Window, depth: i32, ply: usize, cut_node: bool) -> Score {
        if depth <= 0 {
            return self.quiescence::<N>(window, 0, ply);
        }
        check_window::<N>(window, ply);
        check_state(self.nodes(), &self.path, &self.correction_keys);
        // Step 1. Abort, time, node count.
        if N::PV {
            self.path.pv[ply].clear();
        }
        self.path.limiter.poll();
        if self.stopped() {
            return Score::DRAW;
        }
        self.path.seldepth = self.path.seldepth.max(ply);
        if !N::ROOT {
            // Step 2. Repetition, ply limit.
            if let Some(score) = self.path.game_end(ply) {
                return score;
            }
            if ply >= MAX_PLY {
                return self.path.evaluate();
            }
            // Step 3. Mate-distance pruning: a shorter mate is known already.
            window.alpha = window.alpha.max(Score::mated_in(ply));
            window.beta = window.beta.min(Score::mate_in(ply + 1));
            if window.alpha >= window.beta {
                return window.alpha;
            }
        }
        let mut node = self.enter::<N>(window, depth.min(MAX_PLY as i32 - 1), ply, cut_node);
        // Step 4. Transposition table.
        if let Some(score) = self.tt_cutoff::<N>(&node) {
            self.learn_tt_cutoff(&node, score);
            return score;
        }
        // Step 5. Declaration.
        if !N::ROOT
            && node.excluded.is_none()
            && let Some(score) = self.path.declaration_win(ply)
        {
            return score;
        }
        // Step 6. Static evaluation, and what it says of the move before.
        self.evaluate_node(&mut node);
        node.depth += self.hindsight(&node);
        check_evaluated::<N>(&node);
        if !node.in_check {
            // Steps 7 to 9. Razoring, reverse futility, mate in one, null move.
            if let Some(score) = self.prune_by_evaluation::<N>(&node) {
                return score;
            }
            node.improving |= node.static_eval >= window.beta;
            // Step 10. Internal iterative reduction.
            node.depth -= self.internal_iterative_reduction::<N>(&node);
        }
        // Steps 11 and 12. Probcut.
        if !N::ROOT
            && let Some(score) = self.probcut(&node)
        {
            return score;
        }
        if self.stopped() {
            return Score::DRAW;
        }
        // Steps 13 to 20. Loop over moves.
        node.keys = self.history_keys(ply);
        let mut others = SearchedMoves::default();
        let found = match self.search_moves::<N>(&mut node, &mut others) {
            ControlFlow::Continue(found) => found,
            ControlFlow::Break(score) => return score,
        };
        if self.stopped() { Score::DRAW } else { self.leave::<N>(node, found, &others) }
    }

    /// Steps 21 and 22: the score of a node whose moves have been searched; histories and table learn it.
    #[inline(always)]
    fn leave<N: NodeType>(&mut self, mut node: Node, mut found: MoveLoop, others: &SearchedMoves) -> Score {
        check_found::<N>(&node, &found);
        let Node { window, ply, .. } = node;
        // Step 21. Mate: without a legal move the side to move has lost, in check or not. Without any but the excluded
        // one the singular search has no answer.
        if found.count == 0 {
            found.best = if node.excluded.is_some() { window.alpha } else { Score::mated_in(ply) };
        } else if found.best >= window.beta && !found.best.is_decisive() && !window.alpha.is_decisive() {
            // A score above beta is worth less the less deep it was searched (Stockfish).
            let depth = node.depth.max(0);
            found.best = Score((found.best.0 * depth + window.beta.0) / (depth + 1));
        }
        // Step 21. Histories.
        if found.count > 0 {
            self.learn_from_node::<N>(&node, &found, others);
        }
        // Step 22. Store.
        if found.best <= window.alpha {
            node.tt_pv |= self.stack.back(ply, 1).tt_pv;
            self.stack[ply].tt_pv = node.tt_pv;
        }
        if node.excluded.is_none() {
            self.store::<N>(&node, &found);
            self.learn_evaluation(&node, &found);
        }
        found.best
    }

    /// Begins a node: looks into the table and sets the ply's entry of the stack.
    #[inline(always)]
    fn enter<N: NodeType>(&mut self, window: Window, depth: i32, ply: usize, cut_node: bool) -> Node {
        #[cfg(test)]
        self.trace.push(super::tests::Entered { ply, window, depth, cut_node });
        let in_check = self.path.pos.in_check();
        let excluded = self.stack[ply].excluded;
        let entry = self.table.probe(self.path.pos.key(), ply);
        if let Some(entry) = &entry {
            check_entry(entry);
        }
        let parent = self.stack.parent_mut(ply);
        let prior_reduction = std::mem::take(&mut parent.reduction);
        let follow_pv = N::ROOT || parent.follow_pv && parent.mv == self.root.follow_line.get(ply - 1).copied();
        self.stack[ply + 2].cutoffs = 0;
        let stack = &mut self.stack[ply];
        let known_pv = if excluded.is_some() { stack.tt_pv } else { entry.is_some_and(|entry| entry.tt_pv) };
        let tt_pv = N::PV || known_pv;
        stack.in_check = in_check;
        stack.tt_hit = entry.is_some();
        stack.tt_pv = tt_pv;
        stack.follow_pv = follow_pv;
        stack.stat_score = 0;
        stack.move_count = 0;
        let tt_move =
            if N::ROOT { Some(self.root.moves[self.root.place].mv) } else { entry.and_then(|entry| entry.mv) };
        Node {
            window,
            depth,
            ply,
            in_check,
            cut_node,
            entry,
            tt_move,
            tt_capture: tt_move.is_some_and(|mv| self.path.pos.piece_on(mv.to()).is_some()),
            tt_pv,
            follow_pv,
            raw_eval: None,
            static_eval: NO_EVAL,
            eval: NO_EVAL,
            correction: 0,
            improving: false,
            prior_reduction,
            excluded,
            keys: HistoryKeys::default(),
        }
    }

    /// Step 4. Transposition-table cutoff: the TT score, if it is deep enough and decides. To fail high it has to be a
    /// ply deeper than asked for, and a shallow one may only say what is expected of the node.
    fn tt_cutoff<N: NodeType>(&self, node: &Node) -> Option<Score> {
        if N::PV || node.excluded.is_some() {
            return None;
        }
        let entry = node.entry?;
        let beta = node.window.beta;
        let score = entry.answers(beta)?;
        let is_deep = entry.depth > node.depth - i32::from(score <= beta);
        let is_expected = node.cut_node == (score >= beta) || node.depth > 5;
        if is_deep && is_expected { Some(score) } else { None }
    }

    /// Step 6: the evaluation, corrected, and the TT score in its place where that is nearer to the truth. What is
    /// computed anew is stored at once.
    #[inline(always)]
    fn evaluate_node(&mut self, node: &mut Node) {
        let ply = node.ply;
        node.correction = self.correction(ply);
        if node.in_check {
            // In check the evaluation says little: the side's last one stands for it.
            node.static_eval = self.stack.back(ply, 2).static_eval;
            node.eval = node.static_eval;
            self.stack[ply].static_eval = node.static_eval;
            return;
        }
        if node.excluded.is_some() {
            node.static_eval = self.stack[ply].static_eval;
            node.eval = node.static_eval;
        } else {
            let stored = node.entry.and_then(|entry| entry.eval);
            let raw = stored.unwrap_or_else(|| self.path.evaluate());
            node.raw_eval = Some(raw);
            node.static_eval = corrected(raw, node.correction);
            node.eval = node.entry.and_then(|entry| entry.improves(node.static_eval)).unwrap_or(node.static_eval);
            if node.entry.is_none() {
                self.table.store(self.path.pos.key(), ply, Entry::unsearched(raw, node.tt_pv));
            }
            self.stack[ply].static_eval = node.static_eval;
            self.learn_evaluation_difference(node);
        }
        node.improving = node.static_eval > self.stack.back(ply, 2).static_eval;
    }

    /// Step 6. Hindsight: by how many plies the evaluation corrects the reduction that led here. If the last move did
    /// the opponent no good, it is searched deeper after all; if both sides like the position, it was no hard question
    /// (Stockfish).
    fn hindsight(&self, node: &Node) -> i32 {
        let before = self.stack.back(node.ply, 1).static_eval;
        if node.in_check || before == NO_EVAL {
            return 0;
        }
        let opponent_worsening = node.static_eval > -before;
        let longer = i32::from(node.prior_reduction >= hindsight_min_reduction() && !opponent_worsening);
        let is_easy =
            node.prior_reduction >= 2 && node.depth + longer >= 2 && node.static_eval.0 + before.0 > hindsight_margin();
        longer - i32::from(is_easy)
    }

    /// Step 22: the table learns what was found. What follows from no legal move at all needs no deeper search.
    fn store<N: NodeType>(&mut self, node: &Node, found: &MoveLoop) {
        if N::ROOT && self.root.place > 0 {
            return;
        }
        let bound = if found.best >= node.window.beta {
            Bound::LOWER
        } else if N::PV && found.best_move.is_some() {
            Bound::EXACT
        } else {
            Bound::UPPER
        };
        let depth = if found.count > 0 { node.depth } else { (node.depth + 6).min(MAX_PLY as i32 - 1) };
        let entry = Entry {
            mv: found.best_move.map(|info| info.mv),
            score: Some(found.best),
            eval: node.raw_eval,
            depth,
            bound,
            tt_pv: node.tt_pv,
        };
        check_entry(&entry);
        check_score(found.best, bound, node.window, node.ply);
        self.table.store(self.path.pos.key(), node.ply, entry);
    }
}
