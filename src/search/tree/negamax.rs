//! The recursive search, as numbered steps.
//!
//! The numbers are those of the textbook order of a modern alpha-beta search, from 1 to 22. Steps 7 to 14 stand in
//! `pruning.rs`, 15 in `extension.rs`, 17 and 18 in `reduction.rs`, what is learnt at their end in `learn.rs`.

use super::extension::Singular;
use super::node::{MoveInfo, Node, NodeType, Window};
use super::stack::NO_EVAL;
use super::worker::Worker;
use crate::movegen::has_legal_move;
use crate::position::{Cycle, Declaration, EnteringKingRule, Repetition};
use crate::search::bound::Bound;
use crate::search::line::MAX_PLY;
use crate::search::ordering::correction::corrected;
use crate::search::ordering::history::{HistoryKeys, PieceTo};
use crate::search::ordering::picker::Picker;
use crate::search::params::*;
use crate::search::tt::Entry;
use crate::types::{Move, Score};
use arrayvec::ArrayVec;

/// Moves with a number up to this are remembered to be punished if another one turns out best.
const REMEMBERED: i32 = 32;

/// Moves of a node that were searched and are not the best.
#[derive(Default)]
pub(super) struct SearchedMoves {
    pub(super) quiets: ArrayVec<MoveInfo, { REMEMBERED as usize }>,
    pub(super) captures: ArrayVec<MoveInfo, { REMEMBERED as usize }>,
}

/// Outcome of the loop over the moves.
struct Searched {
    best: Score,
    /// The move that raised alpha.
    best_move: Option<MoveInfo>,
    /// Number of moves.
    count: i32,
}

impl Worker {
    /// The score of the position in the window, searched `depth` plies deep, `ply` plies below the root. A `cut_node`
    /// is one that is expected to fail high.
    pub(in crate::search) fn negamax<N: NodeType>(
        &mut self,
        mut window: Window,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Score {
        if depth <= 0 {
            return self.quiescence::<N>(window, 0, ply);
        }
        // Step 1. Abort, time, node count.
        if N::PV {
            self.pv[ply].clear();
        }
        if self.must_stop() {
            return Score::DRAW;
        }
        self.seldepth = self.seldepth.max(ply);
        if !N::ROOT {
            // Step 2. Repetition, ply limit.
            if let Some(score) = self.game_end(ply) {
                return score;
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
        if let Some(score) = self.table_cut::<N>(&node) {
            return score;
        }
        // Step 5. Declaration.
        if !N::ROOT
            && node.excluded.is_none()
            && let Some(score) = self.declaration_win(ply)
        {
            return score;
        }
        // Step 6. Static evaluation, and what it says of the move before.
        self.evaluate_node(&mut node);
        self.hindsight(&mut node);
        // Steps 7 to 12. The node as a whole.
        if let Some(score) = self.prune_node::<N>(&mut node) {
            return score;
        }
        if self.stopped {
            return Score::DRAW;
        }
        // Steps 13 to 20.
        node.keys = self.history_keys(ply);
        let mut others = SearchedMoves::default();
        let mut searched = match self.search_moves::<N>(&mut node, &mut others) {
            Ok(searched) => searched,
            Err(score) => return score,
        };
        if self.stopped {
            return Score::DRAW;
        }
        // Step 21. No legal move: the side to move has lost, in check or not. All others are left out: no answer.
        if searched.count == 0 {
            searched.best = if node.excluded.is_some() { window.alpha } else { Score::mated_in(ply) };
        } else if searched.best >= window.beta && !searched.best.is_decisive() && !window.alpha.is_decisive() {
            // A score above beta is worth less the less deep it was searched (Stockfish).
            let depth = node.depth.max(0);
            searched.best = Score((searched.best.0 * depth + window.beta.0) / (depth + 1));
        }
        if searched.count > 0 {
            self.learn_from_node::<N>(&node, searched.best, searched.best_move.as_ref(), &others);
        }
        // Step 22. Store.
        if searched.best <= window.alpha {
            node.tt_pv |= self.stack.back(ply, 1).tt_pv;
            self.stack[ply].tt_pv = node.tt_pv;
        }
        if node.excluded.is_none() {
            self.store::<N>(&node, &searched);
            self.learn_evaluation(&node, searched.best, searched.best_move.as_ref());
        }
        searched.best
    }

    /// Begins a node: looks into the table and sets the ply's entry of the stack.
    #[inline(always)]
    fn enter<N: NodeType>(&mut self, window: Window, depth: i32, ply: usize, cut_node: bool) -> Node {
        #[cfg(test)]
        self.trace.push(super::tests::Entered { ply, window, depth, cut_node });
        let in_check = self.pos.in_check();
        let excluded = self.stack[ply].excluded;
        let entry = self.shared.table.probe(self.pos.key(), ply);
        let parent = self.stack.parent_mut(ply);
        let prior_reduction = std::mem::take(&mut parent.reduction);
        let follow_pv = N::ROOT || parent.follow_pv && parent.mv == self.follow_line.get(ply - 1).copied();
        self.stack[ply + 2].cutoffs = 0;
        let stack = &mut self.stack[ply];
        let known_pv = if excluded.is_some() { stack.tt_pv } else { entry.is_some_and(|entry| entry.tt_pv) };
        let tt_pv = N::PV || known_pv;
        (stack.in_check, stack.tt_hit, stack.tt_pv, stack.follow_pv) = (in_check, entry.is_some(), tt_pv, follow_pv);
        (stack.stat_score, stack.move_count) = (0, 0);
        let tt_move =
            if N::ROOT { Some(self.root_moves[self.root_place].mv) } else { entry.and_then(|entry| entry.mv) };
        Node {
            window,
            depth,
            ply,
            in_check,
            cut_node,
            entry,
            tt_move,
            tt_capture: tt_move.is_some_and(|mv| self.pos.piece_on(mv.to()).is_some()),
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

    /// Step 4: the TT score, if it is deep enough and decides. To fail high it has to be a ply deeper than asked for,
    /// and a shallow one may only say what is expected of the node. A quiet move that cuts off once more is rewarded.
    #[inline(always)]
    fn table_cut<N: NodeType>(&mut self, node: &Node) -> Option<Score> {
        let entry = node.entry.filter(|_| !N::PV && node.excluded.is_none())?;
        let beta = node.window.beta;
        let score = entry.answers(beta)?;
        let is_deep = entry.depth > node.depth - i32::from(score <= beta);
        if !is_deep || (node.cut_node != (score >= beta) && node.depth <= 5) {
            return None;
        }
        if score >= beta
            && let Some(mv) = node.tt_move
        {
            self.learn_table_cut(node, mv);
        }
        Some(score)
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
            let raw = stored.unwrap_or_else(|| self.eval.evaluate(&self.pos).clamp_eval());
            node.raw_eval = Some(raw);
            node.static_eval = corrected(raw, node.correction);
            node.eval = node.entry.and_then(|entry| entry.improves(node.static_eval)).unwrap_or(node.static_eval);
            if node.entry.is_none() {
                self.shared.table.store(self.pos.key(), ply, Entry::unsearched(raw, node.tt_pv));
            }
            self.stack[ply].static_eval = node.static_eval;
            self.learn_evaluation_difference(node);
        }
        node.improving = node.static_eval > self.stack.back(ply, 2).static_eval;
    }

    /// Step 6: what the evaluation says of the reduction that led here. If the last move did the opponent no good, it is
    /// searched deeper after all; if both sides like the position, it was no hard question (Stockfish).
    #[inline(always)]
    fn hindsight(&self, node: &mut Node) {
        let before = self.stack.back(node.ply, 1).static_eval;
        if node.in_check || before == NO_EVAL {
            return;
        }
        let opponent_worsening = node.static_eval > -before;
        if node.prior_reduction >= hindsight_plies() && !opponent_worsening {
            node.depth += 1;
        }
        if node.prior_reduction >= 2 && node.depth >= 2 && node.static_eval.0 + before.0 > hindsight() {
            node.depth -= 1;
        }
    }

    /// Steps 13 to 20: the loop over the moves. An error is the score of a node that need not be looked at further.
    fn search_moves<N: NodeType>(&mut self, node: &mut Node, others: &mut SearchedMoves) -> Result<Searched, Score> {
        let Node { window: Window { mut alpha, beta }, ply, .. } = *node;
        let mut best = -Score::INFINITE;
        let mut best_move = None;
        let mut count = 0;
        // Step 13. Loop over moves, best first.
        let all_moves = self.limits.all_moves || N::ROOT;
        let mut picker = Picker::new(&self.pos, node.tt_move, node.keys).with_all_moves(all_moves);
        while let Some(mv) = picker.next(&self.pos, &self.history) {
            if node.excluded == Some(mv) || N::ROOT && !self.is_root_move(mv) {
                continue;
            }
            count += 1;
            self.stack[ply].move_count = count;
            let info = self.move_info(mv, count);
            let window = Window { alpha, beta };
            let mut reduction = self.base_reduction(node, count, window.width());
            let mut new_depth = node.depth - 1;
            // Step 14. Shallow pruning.
            if !N::ROOT
                && !best.is_loss()
                && self.is_prunable::<N>(node, &mut picker, &info, window, reduction, best_move.is_some(), &mut best)
            {
                continue;
            }
            // Step 15. Extensions: a move that stands alone.
            let mut extension = 0;
            if !N::ROOT && node.tt_move == Some(mv) {
                match self.singular::<N>(node, mv) {
                    Singular::Extend(plies) => extension = plies,
                    Singular::Cut(score) => return Err(score),
                }
                if self.stopped {
                    break;
                }
                node.depth += i32::from(extension > 0);
            }
            // Step 16. Make the move.
            new_depth += extension;
            let stat_score = self.stat_score(node, &info);
            self.stack[ply].stat_score = stat_score;
            reduction = self.reduction::<N>(node, &info, alpha, stat_score, reduction);
            let nodes = self.nodes;
            self.do_move(mv, ply);
            // Steps 17 to 19.
            let score = self.search_move::<N>(node, &info, window, best, new_depth, reduction);
            self.undo_move();
            if self.stopped {
                break;
            }
            if N::ROOT {
                self.note_root_move(&info, score, window, self.nodes - nodes);
            }
            // Step 20. Best move. Of equal moves near the horizon one in eight is taken for better, so that lines differ;
            // not on the principal variation, where such a move has no line of its own.
            let tie = !N::PV
                && score == best
                && ply as i32 + 2 >= self.root_depth as i32
                && self.nodes & 14 == 0
                && !Score(score.0.abs() + 1).is_win();
            if score > best || tie {
                best = score;
                if score.0 + i32::from(tie) > alpha.0 {
                    best_move = Some(info);
                    if N::PV && !N::ROOT {
                        self.extend_pv(mv, ply);
                    }
                    if score >= beta {
                        self.stack[ply].cutoffs += i32::from(extension < 2 || N::PV);
                        break;
                    }
                    // Once a move has raised alpha, another one is less likely to.
                    if node.depth > 2 && node.depth < raise_limit() && !score.is_decisive() {
                        node.depth -= raise_depth();
                    }
                    alpha = score;
                    continue;
                }
            }
            if count <= REMEMBERED {
                if info.captured.is_some() { &mut others.captures } else { &mut others.quiets }.push(info);
            }
        }
        Ok(Searched { best, best_move, count })
    }

    #[inline(always)]
    pub(super) fn move_info(&self, mv: Move, count: i32) -> MoveInfo {
        let captured = self.pos.piece_on(mv.to()).map(|piece| piece.piece_type());
        MoveInfo { mv, count, piece_to: PieceTo::of(&self.pos, mv), captured }
    }

    /// Step 22: the table learns what was found. What follows from no legal move at all needs no deeper search.
    #[inline(always)]
    fn store<N: NodeType>(&mut self, node: &Node, searched: &Searched) {
        if N::ROOT && self.root_place > 0 {
            return;
        }
        let bound = if searched.best >= node.window.beta {
            Bound::LOWER
        } else if N::PV && searched.best_move.is_some() {
            Bound::EXACT
        } else {
            Bound::UPPER
        };
        let depth = if searched.count > 0 { node.depth } else { (node.depth + 6).min(MAX_PLY as i32 - 1) };
        let entry = Entry {
            mv: searched.best_move.map(|info| info.mv),
            score: Some(searched.best),
            eval: node.raw_eval,
            depth,
            bound,
            tt_pv: node.tt_pv,
        };
        self.shared.table.store(self.pos.key(), node.ply, entry);
    }

    /// The score if the game has ended by repetition or length; a search beyond [`MAX_PLY`] ends with the evaluation.
    pub(in crate::search) fn game_end(&mut self, ply: usize) -> Option<Score> {
        // A repetition is the search's guess about the rest of the game: as good as won or lost, but no proven mate.
        match self.pos.cycle_within(ply, &self.rules) {
            Some(Cycle::Repetition(Repetition::Draw)) => return Some(self.draw_score()),
            Some(Cycle::Repetition(Repetition::Win)) => return Some(Score::REPETITION_WIN - ply as i32),
            Some(Cycle::Repetition(Repetition::Loss)) => return Some(-(Score::REPETITION_WIN - ply as i32)),
            // A side that comes round to the same board with less in hand has gone wrong on the way.
            Some(Cycle::Gain) if superior_repetition() > 0 => return Some(Score::SUPERIOR - ply as i32),
            Some(Cycle::Loss) if superior_repetition() > 0 => return Some(-(Score::SUPERIOR - ply as i32)),
            _ => {}
        }
        if self.pos.is_past_ply_limit(&self.rules) {
            return Some(self.score_past_limit(ply));
        }
        (ply >= MAX_PLY).then(|| self.eval.evaluate(&self.pos).clamp_eval())
    }

    /// The score of a game that has reached its ply limit: a draw, unless the last move of all mated and that counts.
    #[cold]
    fn score_past_limit(&self, ply: usize) -> Score {
        let is_last_ply = self.pos.ply() == self.rules.ply_limit + 1;
        if self.rules.mate_on_last_ply && is_last_ply && !has_legal_move(&self.pos) {
            return Score::mated_in(ply);
        }
        self.draw_score()
    }

    /// The score of a draw from the view of the side to move.
    fn draw_score(&self) -> Score {
        self.draw_scores[self.pos.side()]
    }

    /// The score if the side to move can declare a win, or reach its goal under the try rule.
    pub(in crate::search) fn declaration_win(&self, ply: usize) -> Option<Score> {
        if self.rules.entering_king == EnteringKingRule::NoEnteringKing {
            return None;
        }
        match self.pos.declaration(self.rules.entering_king)? {
            Declaration::Win | Declaration::Try(_) => Some(Score::mate_in(ply + 1)),
            Declaration::Draw => None,
        }
    }

    /// Puts a move in front of the line of the next ply.
    pub(in crate::search) fn extend_pv(&mut self, mv: Move, ply: usize) {
        let (head, tail) = self.pv.split_at_mut(ply + 1);
        let line = &mut head[ply];
        line.clear();
        line.push(mv);
        line.extend(tail[0].iter().copied().take(MAX_PLY - 1));
    }
}
