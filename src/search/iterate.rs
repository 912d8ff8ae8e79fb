//! Iterative deepening: one depth after the other, each with a window around the last score.

use super::MAX_PLY;
use super::negamax::{Late, Node, Pv, Window};
use super::params::*;
use super::report::Report;
use super::skill::{self, CHOICES};
use super::time::Budget;
use super::worker::{RootMove, Worker};
use crate::types::Score;

impl Worker {
    /// Deepens until a limit is met. Returns the last report on the best move, which is the move to play.
    pub(super) fn iterate(&mut self, on_block: &mut (dyn FnMut(&[Report]) + Send)) -> Option<Report> {
        let weakened = self.limits.weakened();
        let deepest = self.limits.depth.unwrap_or(MAX_PLY - 1).clamp(1, MAX_PLY - 1);
        let deepest = weakened.map_or(deepest, |level| deepest.min(skill::depth(level)));
        let mut last: Option<Report> = None;
        for depth in 1..=deepest {
            self.iteration = depth;
            let lines = self.signals.multi_pv(self.limits.multi_pv).clamp(1, self.root_moves.len());
            let places = if weakened.is_some() { lines.max(CHOICES).min(self.root_moves.len()) } else { lines };
            for root in &mut self.root_moves {
                root.previous = std::mem::replace(&mut root.score, -Score::INFINITE);
            }
            for place in 0..places {
                self.aspirate(depth, place);
                if self.stopped {
                    break;
                }
            }
            if self.stopped {
                // What was found so far, with the final count of nodes. The line is at least the last iteration's.
                last = self.reports(depth.max(2) - 1, lines).into_iter().next();
                break;
            }
            let best = &self.root_moves[0];
            self.course.note(best.mv, best.score, best.nodes as f64 / self.nodes.max(1) as f64);
            let reports = self.reports(depth, lines);
            on_block(&reports);
            last = reports.into_iter().next();
            if self.is_settled(depth) {
                break;
            }
        }
        self.flush_nodes();
        if let (Some(level), Some(_)) = (weakened, &last) {
            let choice = skill::choose(&self.root_moves[..CHOICES.min(self.root_moves.len())], level, self.pos.key());
            self.root_moves[..=choice].rotate_right(1);
            let depth = last.map_or(1, |report| report.depth);
            last = self.reports(depth, 1).into_iter().next();
        }
        last
    }

    /// Whether another iteration is not worth its time.
    fn is_settled(&mut self, depth: usize) -> bool {
        let budget = self.budget_now();
        if self.limits.must_wait() {
            return false;
        }
        // A mate that was searched to its end cannot become shorter.
        let best = self.root_moves.first().map_or(Score::DRAW, |best| best.score);
        if best.mate_plies().is_some_and(|plies| (plies.unsigned_abs() as usize) < depth) {
            return true;
        }
        if self.limits.nodes.is_some_and(|limit| self.nodes >= limit) {
            return true;
        }
        if budget.is_none() {
            return false;
        }
        // A single legal move needs no thought in a game; the next iteration takes longer than all before it.
        let worth = Budget::of_worth(&self.limits, self.course.factor());
        self.root_moves.len() == 1 && self.limits.clock.is_some()
            || worth.is_some_and(|budget| self.signals.thinking_time() >= budget.soft)
    }

    /// One iteration for one place of the order, with a window around the last score that widens until the score lies
    /// inside. The moves before that place are left out.
    fn aspirate(&mut self, depth: usize, place: usize) {
        let previous = self.root_moves[place].previous;
        let mut delta = aspiration_window();
        let mut window = Window::FULL;
        if depth >= ASPIRATION_DEPTH && previous > -Score::MAX_EVAL && !previous.is_mate() {
            window = Window::around(previous, delta);
        }
        loop {
            let score = self.search_root(window, depth as i32, place);
            // Stable: moves that did not raise alpha keep their order.
            self.root_moves[place..].sort_by_key(RootMove::order);
            if self.stopped {
                return;
            }
            if score > window.alpha && score < window.beta {
                break;
            }
            delta *= 3;
            let wide = if delta > 1_000 { Window::FULL } else { Window::around(score, delta) };
            window = Window {
                alpha: if score <= window.alpha { wide.alpha } else { window.alpha },
                beta: if score >= window.beta { wide.beta } else { window.beta },
            };
        }
        // A later place may turn out better than an earlier one.
        self.root_moves[..=place].sort_by_key(RootMove::order);
    }

    /// The moves of the root from a place of the order on, best first from the last iteration.
    fn search_root(&mut self, window: Window, depth: i32, place: usize) -> Score {
        let mut alpha = window.alpha;
        let mut best = -Score::INFINITE;
        let node = self.root_node(window, depth);
        for index in place..self.root_moves.len() {
            let mv = self.root_moves[index].mv;
            let nodes = self.nodes;
            let count = index - place + 1;
            let mut late = Late { count, ..self.late(&node, mv) };
            self.do_move(mv, 0);
            late.gives_check = self.pos.in_check();
            let open = Window { alpha, ..window };
            let score = self.search_move::<Pv>(&node, open, best, depth - 1, late);
            self.undo_move();
            if self.stopped {
                break;
            }
            let line = std::mem::take(&mut self.pv[1]);
            let root = &mut self.root_moves[index];
            root.nodes += self.nodes - nodes;
            if count == 1 || score > alpha {
                root.score = score;
                root.pv = [mv].into_iter().chain(line).take(MAX_PLY).collect();
            } else {
                // Only known to be no better: behind all that are.
                root.score = -Score::INFINITE;
            }
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= window.beta {
                break;
            }
        }
        best
    }

    /// The root as a node.
    fn root_node(&mut self, window: Window, depth: i32) -> Node {
        let entry = self.shared.table.probe(self.pos.key(), 0);
        let node = self.evaluate_node(window, depth, 0, entry);
        Node { was_pv: true, ..node }
    }
}
