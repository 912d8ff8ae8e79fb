//! The recursive search, as numbered steps.
//!
//! The numbers are those of the textbook order of a modern alpha-beta search, from 1 to 22.

use super::MAX_PLY;
use super::history::Context;
use super::params::*;
use super::picker::Picker;
use super::pruning::{Singular, history_bonus};
use super::tt::{Bound, Entry};
use super::worker::Worker;
use crate::movegen::{has_legal_move, is_legal};
use crate::position::{Cycle, Declaration, EnteringKingRule, Repetition};
use crate::types::{Move, Score};
use arrayvec::ArrayVec;
use std::ops::Neg;

/// What is known of a node before it is searched.
pub(super) trait NodeType {
    /// The node may lie on the principal variation: its window is open.
    const PV: bool;
}

/// A node with an open window.
pub(super) enum Pv {}
/// A node whose window is one point wide.
pub(super) enum NonPv {}

impl NodeType for Pv {
    const PV: bool = true;
}

impl NodeType for NonPv {
    const PV: bool = false;
}

/// The scores that still matter: above alpha for the side to move, below beta for its opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) alpha: Score,
    pub(super) beta: Score,
}

impl Window {
    /// Every score.
    pub(super) const FULL: Window = Window { alpha: Score(-Score::INFINITE.0), beta: Score::INFINITE };

    /// The scores at most `delta` from this one.
    pub(super) fn around(score: Score, delta: i32) -> Window {
        Window { alpha: (score - delta).max(-Score::INFINITE), beta: (score + delta).min(Score::INFINITE) }
    }

    /// Only the question whether a score is above alpha.
    pub(super) fn null(self) -> Window {
        Window { alpha: self.alpha, beta: self.alpha + 1 }
    }
}

/// The same window from the opponent's view.
impl Neg for Window {
    type Output = Window;
    fn neg(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

/// What the steps of one node share.
pub(super) struct Node {
    pub(super) window: Window,
    pub(super) depth: i32,
    pub(super) ply: usize,
    pub(super) in_check: bool,
    /// The node is expected to fail high: so does its parent's first move low.
    pub(super) cut_node: bool,
    /// What the table knows.
    pub(super) entry: Option<Entry>,
    /// Static evaluation, corrected by what was learnt; meaningless in check.
    pub(super) static_eval: Score,
    /// The same, drawn towards the table's score where its bound allows.
    pub(super) eval: Score,
    /// The evaluation rose since the side's last move.
    pub(super) improving: bool,
    /// The position is or was on the principal variation.
    pub(super) was_pv: bool,
    /// The table's move is a capture: quiet moves are less likely to be better.
    pub(super) table_capture: bool,
    /// A move that is left out, to see how much better than all others it is.
    pub(super) excluded: Option<Move>,
    /// The moves that led here.
    pub(super) context: Context,
}

/// Moves that are remembered to be punished if a later one cuts off.
pub(super) type Tried = ArrayVec<Move, 64>;

impl Worker {
    /// The score of the position in the window, searched `depth` plies deep, `ply` plies below the root. A `cut_node`
    /// is one that is expected to fail high.
    pub(super) fn negamax<N: NodeType>(&mut self, mut window: Window, depth: i32, ply: usize, cut_node: bool) -> Score {
        if depth <= 0 {
            return self.quiescence::<N>(window, 0, ply);
        }
        // Step 1. Abort, time, node count.
        self.pv[ply].clear();
        if self.must_stop() {
            return Score::DRAW;
        }
        self.seldepth = self.seldepth.max(ply);
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
        // Step 4. Transposition table.
        let key = self.pos.key();
        let excluded = self.excluded[ply];
        let entry = self.shared.table.probe(key, ply);
        if excluded.is_none()
            && let Some(score) = entry.and_then(|entry| cut_off::<N>(&entry, window, depth))
        {
            self.learn_table_cut(entry, window, depth, ply);
            return score;
        }
        // Step 5. Declaration, mate in one.
        if let Some(score) = self.declaration_win(ply) {
            return score;
        }
        if entry.is_none()
            && !self.pos.in_check()
            && let Some(score) = self.mate_at_once(depth, ply)
        {
            return score;
        }
        // Step 6. Static evaluation.
        let mut node = self.evaluate_node(window, depth, ply, entry);
        (node.cut_node, node.excluded) = (cut_node, excluded);
        node.was_pv |= N::PV;
        self.cutoffs[ply + 2] = 0;
        if !N::PV && !node.in_check && excluded.is_none() {
            // Step 7. Razoring.
            if let Some(score) = self.razoring(&node) {
                return score;
            }
            // Step 8. Reverse futility pruning.
            if let Some(score) = self.reverse_futility(&node) {
                return score;
            }
            // Step 9. Null-move pruning.
            if let Some(score) = self.null_move(&node) {
                return score;
            }
        }
        if self.stopped {
            return Score::DRAW;
        }
        // Step 10. Internal iterative reduction.
        node.depth -= self.internal_reduction::<N>(&node);
        // Step 11. Probcut.
        if !N::PV
            && !node.in_check
            && excluded.is_none()
            && let Some(score) = self.probcut(&node)
        {
            return score;
        }
        // Step 12. The cheap probcut.
        if !N::PV
            && excluded.is_none()
            && let Some(score) = self.cheap_probcut(&node)
        {
            return score;
        }
        if self.stopped {
            return Score::DRAW;
        }
        // Steps 13 to 20.
        let (best, best_move) = self.search_moves::<N>(&node);
        if self.stopped {
            return Score::DRAW;
        }
        // Step 21. No legal move: the side to move has lost, in check or not. All others are left out: no answer.
        if best == -Score::INFINITE {
            return if excluded.is_some() { window.alpha } else { Score::mated_in(ply) };
        }
        if excluded.is_some() {
            return best;
        }
        // Step 22. Store.
        let bound = if best >= window.beta {
            Bound::LOWER
        } else if N::PV && best_move.is_some() {
            Bound::EXACT
        } else {
            Bound::UPPER
        };
        self.learn_correction(&node, best, best_move, bound);
        let eval = self.raw_evals[ply];
        let (depth, was_pv) = (node.depth, node.was_pv);
        self.shared.table.store(key, ply, Entry { mv: best_move, score: best, eval, depth, bound, was_pv });
        if best <= node.window.alpha {
            self.learn_fail_low(&node);
        }
        best
    }

    /// Steps 13 to 20: the loop over the moves. The best score and its move, if it raised alpha.
    fn search_moves<N: NodeType>(&mut self, node: &Node) -> (Score, Option<Move>) {
        let Node { window, ply, .. } = *node;
        let table_move = node.entry.and_then(|entry| entry.mv);
        let mut alpha = window.alpha;
        let mut best = -Score::INFINITE;
        let mut best_move = None;
        let (mut quiets, mut captures) = (Tried::new(), Tried::new());
        let mut check_info = None;
        let mut count = 0;
        // Step 13. Loop over moves, best first.
        let mut picker = Picker::new(&self.pos, table_move, self.history.killers(ply), node.context)
            .with_all_moves(self.limits.all_moves);
        while let Some(mv) = picker.next(&self.pos, &self.history) {
            if node.excluded == Some(mv) {
                continue;
            }
            count += 1;
            let is_quiet = self.is_quiet(mv);
            let losing = picker.is_at_bad_captures();
            // Step 14. Shallow pruning.
            let candidate = Candidate { mv, count, is_quiet, best };
            if self.is_prunable::<N>(node, &candidate, &mut picker, &mut check_info) {
                continue;
            }
            // Step 15. Extensions: a move that stands alone.
            let mut extension = 0;
            if table_move == Some(mv) {
                match self.singular::<N>(node, mv) {
                    Singular::Extend(plies) => extension = plies,
                    Singular::Cut(score) => return (score, None),
                }
                if self.stopped {
                    return (best, None);
                }
            }
            let late = Late { count, losing, ..self.late(node, mv) };
            // Step 16. Make the move.
            self.do_move(mv, ply);
            // Step 15. A move that gives check, known once it is made, is searched one ply deeper.
            let gives_check = self.pos.in_check();
            let deep = ply as i32 >= check_extension() * self.iteration as i32 || node.depth < check_extension_depth();
            if gives_check && extension == 0 && !deep && !losing {
                extension = 1;
            }
            let late = Late { gives_check, ..late };
            let depth = node.depth - 1 + extension;
            let score = self.search_move::<N>(node, Window { alpha, beta: window.beta }, best, depth, late);
            self.undo_move();
            if self.stopped {
                return (best, None);
            }
            // Step 20. Best move, histories.
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    if N::PV {
                        self.extend_pv(mv, ply);
                    }
                    alpha = score;
                    if alpha >= window.beta {
                        break;
                    }
                }
            }
            _ = if is_quiet { quiets.try_push(mv) } else { captures.try_push(mv) };
        }
        if best >= window.beta
            && let Some(mv) = best_move
        {
            self.cutoffs[ply] += 1;
            self.learn_cut(node, mv, &quiets, &captures);
        }
        (best, best_move)
    }

    /// What is known of a move before it is made.
    #[inline(always)]
    pub(super) fn late(&self, node: &Node, mv: Move) -> Late {
        let is_quiet = self.is_quiet(mv);
        let history = if is_quiet { self.history.quiet(&self.pos, &node.context, mv) } else { 0 };
        Late { count: 0, is_quiet, losing: false, gives_check: false, history }
    }

    /// Steps 17 to 19: the move has been made; its score from the view of the side that made it.
    #[inline(always)]
    pub(super) fn search_move<N: NodeType>(
        &mut self,
        node: &Node,
        window: Window,
        best: Score,
        mut depth: i32,
        late: Late,
    ) -> Score {
        let ply = node.ply + 1;
        if late.count == 1 {
            return -self.negamax::<N>(-window, depth, ply, !N::PV && !node.cut_node);
        }
        // Step 17. Late-move reduction: first ask a shallower search whether the move is worth more.
        let reduction = self.reduction::<N>(node, &late).clamp(0, (depth - 1).max(0));
        let mut score = -self.negamax::<NonPv>(-window.null(), depth - reduction, ply, true);
        // Step 18. Zero-window search at full depth; a little deeper or shallower if the score says so.
        if reduction > 0 && score > window.alpha {
            let shallow = depth - reduction;
            depth += (score > best + deeper_margin()) as i32 - (score < best + shallower_margin()) as i32;
            if depth > shallow {
                score = -self.negamax::<NonPv>(-window.null(), depth, ply, !node.cut_node);
            }
        }
        // Step 19. The move is better than the best so far: its exact score is wanted.
        if N::PV && score > window.alpha && score < window.beta {
            score = -self.negamax::<Pv>(-window, depth, ply, false);
        }
        score
    }

    /// Step 20: a move has cut off, those that were tried before it have not.
    fn learn_cut(&mut self, node: &Node, best: Move, quiets: &[Move], captures: &[Move]) {
        let bonus = history_bonus(node.depth);
        let malus = bonus * malus_percent() / 100;
        if self.is_quiet(best) {
            self.history.set_killer(node.ply, best);
            self.history.update_quiet(&self.pos, &node.context, best, bonus);
            for &mv in quiets.iter().filter(|&&mv| mv != best) {
                self.history.update_quiet(&self.pos, &node.context, mv, -malus);
            }
        } else {
            self.history.update_capture(&self.pos, best, bonus);
        }
        for &mv in captures.iter().filter(|&&mv| mv != best) {
            self.history.update_capture(&self.pos, mv, -malus);
        }
    }

    /// Whether a move neither captures nor promotes.
    #[inline(always)]
    fn is_quiet(&self, mv: Move) -> bool {
        self.pos.piece_on(mv.to()).is_none() && !mv.is_promotion()
    }

    /// Step 4: the table's move cuts off once more.
    #[inline(always)]
    fn learn_table_cut(&mut self, entry: Option<Entry>, window: Window, depth: i32, ply: usize) {
        let cuts = |entry: &Entry| table_cut_percent() > 0 && entry.score >= window.beta;
        let Some(mv) = entry.filter(cuts).and_then(|entry| entry.mv) else { return };
        if self.is_quiet(mv) && is_legal(&self.pos, mv) {
            let context = self.context(ply);
            self.history.update_quiet(&self.pos, &context, mv, history_bonus(depth) * table_cut_percent() / 100);
        }
    }

    /// Step 20: all moves failed; the one that led here did well.
    #[inline(always)]
    fn learn_fail_low(&mut self, node: &Node) {
        let ply = node.ply;
        if fail_low_percent() == 0 || ply == 0 {
            return;
        }
        if let Some(before) = self.path[ply - 1].filter(|_| self.pos.captured().is_none()) {
            let bonus = history_bonus(node.depth) * fail_low_percent() / 100;
            let context = self.context(ply - 1);
            self.history.update_made(!self.pos.side(), before, &context, self.moved(ply - 1), bonus);
        }
    }

    /// Step 22: the search has found out by how much the static evaluation is off, if the position is quiet.
    fn learn_correction(&mut self, node: &Node, best: Score, best_move: Option<Move>, bound: Bound) {
        let is_quiet = best_move.is_none_or(|mv| self.pos.piece_on(mv.to()).is_none());
        let tells = match bound {
            Bound::LOWER => best > node.static_eval,
            Bound::UPPER => best < node.static_eval,
            _ => true,
        };
        if !node.in_check && is_quiet && tells && !best.is_mate() {
            let difference = best.0 - node.static_eval.0;
            self.corrections.learn(&self.pos, &self.structure, node.depth, difference);
        }
    }

    /// The score if the game has ended by repetition or length; a search beyond [`MAX_PLY`] ends with the evaluation.
    pub(super) fn game_end(&mut self, ply: usize) -> Option<Score> {
        // A repetition is the search's guess about the rest of the game: as good as won or lost, but no proven mate.
        match self.pos.cycle_within(ply, &self.rules) {
            Some(Cycle::Repetition(Repetition::Draw)) => return Some(self.draw_score()),
            Some(Cycle::Repetition(Repetition::Win)) => return Some(Score::MAX_EVAL - ply as i32),
            Some(Cycle::Repetition(Repetition::Loss)) => return Some(-(Score::MAX_EVAL - ply as i32)),
            // A side that comes round to the same board with less in hand has gone wrong on the way.
            Some(Cycle::Gain) if dominance() > 0 => return Some(CYCLE_GAIN - ply as i32),
            Some(Cycle::Loss) if dominance() > 0 => return Some(-(CYCLE_GAIN - ply as i32)),
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
    pub(super) fn declaration_win(&self, ply: usize) -> Option<Score> {
        if self.rules.entering_king == EnteringKingRule::NoEnteringKing {
            return None;
        }
        match self.pos.declaration(self.rules.entering_king)? {
            Declaration::Win | Declaration::Try(_) => Some(Score::mate_in(ply + 1)),
            Declaration::Draw => None,
        }
    }

    /// Step 6: the evaluation, corrected, and drawn towards the table's score where its bound allows.
    pub(super) fn evaluate_node(&mut self, window: Window, depth: i32, ply: usize, entry: Option<Entry>) -> Node {
        let in_check = self.pos.in_check();
        // In check the evaluation says little, and nothing asks the table for it: the side's last one stands for it.
        let last = (in_check && ply >= 2).then(|| self.evals[ply - 2]);
        let static_eval = last.unwrap_or_else(|| {
            let stored = entry.filter(|_| !in_check).map(|entry| entry.eval);
            self.raw_evals[ply] = stored.unwrap_or_else(|| self.eval.evaluate(&self.pos).clamp_eval());
            self.corrected(self.raw_evals[ply])
        });
        self.evals[ply] = static_eval;
        let improving = !in_check && ply >= 2 && static_eval > self.evals[ply - 2];
        let mut eval = static_eval;
        if let Some(entry) = entry.filter(|entry| !entry.score.is_mate()) {
            let is_better = if entry.score > eval { Bound::LOWER } else { Bound::UPPER };
            if entry.bound.contains(is_better) {
                eval = entry.score;
            }
        }
        let context = self.context(ply);
        Node {
            window,
            depth,
            ply,
            in_check,
            cut_node: false,
            entry,
            static_eval,
            eval,
            improving,
            was_pv: entry.is_some_and(|entry| entry.was_pv),
            table_capture: entry.and_then(|entry| entry.mv).is_some_and(|mv| self.pos.piece_on(mv.to()).is_some()),
            excluded: None,
            context,
        }
    }

    /// Puts a move in front of the line of the next ply.
    pub(super) fn extend_pv(&mut self, mv: Move, ply: usize) {
        let (head, tail) = self.pv.split_at_mut(ply + 1);
        let line = &mut head[ply];
        line.clear();
        line.push(mv);
        line.extend(tail[0].iter().copied().take(MAX_PLY - 1));
    }
}

/// What step 14 needs to know of a move.
pub(super) struct Candidate {
    pub(super) mv: Move,
    /// Its number among the moves of the node, from 1.
    pub(super) count: usize,
    pub(super) is_quiet: bool,
    /// The best score of the moves before it.
    pub(super) best: Score,
}

/// What steps 17 to 19 need to know of a move.
pub(super) struct Late {
    /// Its number among the moves of the node, from 1.
    pub(super) count: usize,
    pub(super) is_quiet: bool,
    /// It loses material by exchanges.
    pub(super) losing: bool,
    pub(super) gives_check: bool,
    /// What is known of it, if it is quiet.
    pub(super) history: i32,
}

/// Step 4: the stored score if it answers the question that the window asks. Not on the principal variation, whose
/// line would end here.
#[inline(always)]
pub(super) fn cut_off<N: NodeType>(entry: &Entry, window: Window, depth: i32) -> Option<Score> {
    if N::PV || entry.depth < depth {
        return None;
    }
    let wanted = if entry.score >= window.beta { Bound::LOWER } else { Bound::UPPER };
    let decides = entry.score >= window.beta || entry.score <= window.alpha;
    (decides && entry.bound.contains(wanted)).then_some(entry.score)
}
