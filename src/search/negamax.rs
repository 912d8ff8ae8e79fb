//! The recursive search, as numbered steps.
//!
//! The numbers are those of the textbook order of a modern alpha-beta search; steps that are not built yet are missing.

use super::MAX_PLY;
use super::params::*;
use super::picker::Picker;
use super::tt::{Bound, Entry};
use super::worker::Worker;
use crate::movegen::has_legal_move;
use crate::position::{Declaration, EnteringKingRule, Repetition};
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
    /// Static evaluation, corrected by the table's bound; meaningless in check.
    pub(super) eval: Score,
    /// The evaluation rose since the side's last move.
    pub(super) improving: bool,
}

/// Quiet moves that are remembered to be punished if a later one cuts off.
pub(super) type Tried = ArrayVec<Move, 64>;

impl Worker {
    /// The score of the position in the window, searched `depth` plies deep, `ply` plies below the root.
    pub(super) fn negamax<N: NodeType>(&mut self, mut window: Window, depth: i32, ply: usize) -> Score {
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
        let entry = self.shared.table.probe(key, ply);
        if let Some(score) = entry.and_then(|entry| cut_off::<N>(&entry, window, depth)) {
            return score;
        }
        // Step 5. Declaration.
        if let Some(score) = self.declaration_win(ply) {
            return score;
        }
        // Step 6. Static evaluation.
        let node = self.evaluate_node(window, depth, ply, entry);
        if !N::PV && !node.in_check {
            // Step 8. Reverse futility pruning.
            if let Some(score) = self.reverse_futility(&node) {
                return score;
            }
            // Step 9. Null-move pruning.
            if let Some(score) = self.null_move(&node) {
                return score;
            }
        }
        // Step 10. Internal iterative reduction: without a move from the table the order is poor.
        let table_move = entry.and_then(|entry| entry.mv);
        let reduce = table_move.is_none() && depth >= INTERNAL_REDUCTION_DEPTH;
        let node = Node { depth: depth - reduce as i32, ..node };
        // Steps 13 to 20.
        let (best, best_move, raised) = self.search_moves::<N>(&node, table_move);
        if self.stopped {
            return Score::DRAW;
        }
        // Step 21. No legal move: the side to move has lost, in check or not.
        if best == -Score::INFINITE {
            return Score::mated_in(ply);
        }
        // Step 22. Store.
        let bound = if best >= window.beta {
            Bound::LOWER
        } else if N::PV && raised {
            Bound::EXACT
        } else {
            Bound::UPPER
        };
        let eval = self.evals[ply];
        self.shared.table.store(key, ply, Entry { mv: best_move, score: best, eval, depth: node.depth, bound });
        best
    }

    /// Steps 13 to 20: the loop over the moves. The best score, its move if it raised alpha, and whether one did.
    fn search_moves<N: NodeType>(&mut self, node: &Node, table_move: Option<Move>) -> (Score, Option<Move>, bool) {
        let Node { window, ply, .. } = *node;
        let mut alpha = window.alpha;
        let mut best = -Score::INFINITE;
        let mut best_move = None;
        let mut tried = Tried::new();
        let mut check_info = None;
        let mut count = 0;
        // Step 13. Loop over moves, best first.
        let mut picker =
            Picker::new(&self.pos, table_move, self.history.killers(ply)).with_all_moves(self.limits.all_moves);
        while let Some(mv) = picker.next(&self.pos, &self.history) {
            count += 1;
            let is_quiet = self.pos.piece_on(mv.to()).is_none() && !mv.is_promotion();
            // Step 14. Shallow pruning.
            let candidate = Candidate { mv, count, is_quiet, best };
            if self.is_prunable::<N>(node, &candidate, &mut check_info) {
                continue;
            }
            // Step 16. Make the move.
            let losing = picker.is_at_bad_captures();
            self.do_move(mv, ply);
            // Step 15. Extension: a move that gives check, known once it is made, is searched one ply deeper.
            let gives_check = self.pos.in_check();
            let extension = (gives_check && ply < 2 * self.iteration && !losing) as i32;
            let depth = node.depth - 1 + extension;
            let score = self.search_move::<N>(
                node,
                Window { alpha, beta: window.beta },
                depth,
                Late { count, reducible: (is_quiet || losing) && !gives_check, quiet: is_quiet.then_some(mv) },
            );
            self.undo_move(mv);
            if self.stopped {
                return (best, best_move, false);
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
                        if is_quiet {
                            self.history.reward(self.pos.side(), node.depth, ply, mv, &tried);
                        }
                        break;
                    }
                }
            }
            if is_quiet {
                _ = tried.try_push(mv);
            }
        }
        (best, best_move, alpha > window.alpha)
    }

    /// Steps 17 to 19: the move has been made; its score from the view of the side that made it.
    #[inline(always)]
    fn search_move<N: NodeType>(&mut self, node: &Node, window: Window, depth: i32, late: Late) -> Score {
        let ply = node.ply + 1;
        if late.count == 1 {
            return -self.negamax::<N>(-window, depth, ply);
        }
        // Step 17. Late-move reduction: first ask a shallower search whether the move is worth more.
        let reduction = if late.reducible { self.reduction::<N>(node, late.count, late.quiet) } else { 0 };
        let mut score = -self.negamax::<NonPv>(-window.null(), depth - reduction, ply);
        // Step 18. Zero-window search at full depth.
        if reduction > 0 && score > window.alpha {
            score = -self.negamax::<NonPv>(-window.null(), depth, ply);
        }
        // Step 19. The move is better than the best so far: its exact score is wanted.
        if N::PV && score > window.alpha && score < window.beta {
            score = -self.negamax::<Pv>(-window, depth, ply);
        }
        score
    }

    /// The score if the game has ended by repetition or length; a search beyond [`MAX_PLY`] ends with the evaluation.
    pub(super) fn game_end(&self, ply: usize) -> Option<Score> {
        // A repetition is the search's guess about the rest of the game: as good as won or lost, but no proven mate.
        match self.pos.repetition_within(ply, &self.rules) {
            Some(Repetition::Draw) => return Some(self.draw_score()),
            Some(Repetition::Win) => return Some(Score::MAX_EVAL - ply as i32),
            Some(Repetition::Loss) => return Some(-(Score::MAX_EVAL - ply as i32)),
            None => {}
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

    /// Step 6: the evaluation, drawn towards the table's score where its bound allows.
    fn evaluate_node(&mut self, window: Window, depth: i32, ply: usize, entry: Option<Entry>) -> Node {
        let in_check = self.pos.in_check();
        let stored = entry.map(|entry| entry.eval);
        let mut eval = stored.unwrap_or_else(|| self.eval.evaluate(&self.pos).clamp_eval());
        self.evals[ply] = eval;
        let improving = !in_check && ply >= 2 && eval > self.evals[ply - 2];
        if let Some(entry) = entry.filter(|entry| !entry.score.is_mate()) {
            let is_better = if entry.score > eval { Bound::LOWER } else { Bound::UPPER };
            if entry.bound.contains(is_better) {
                eval = entry.score;
            }
        }
        Node { window, depth, ply, in_check, eval, improving }
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
struct Late {
    count: usize,
    reducible: bool,
    quiet: Option<Move>,
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
