//! How a level chooses its move: mates first, then the opening plan, then its search, whose move is replaced where it
//! is one that no person of the level would play.

use super::handicap::{ANSWER_DEPTH, COUNTING_NODES, LEAST_DEPTH, MARGIN, MISTAKE, RIVALS};
use super::level::LevelSettings;
use super::oversight::Oversight;
use super::params::unit;
use super::preferences::MOST_LOST_BY_PLAN;
use super::search::{BestLine, LevelSearch, Scoring};
use super::thinking_time::{SearchSummary, thinking_time};
use crate::mate::{mate_in_one, shortest_mate};
use crate::movegen::{All, Captures, generate};
use crate::position::{CheckInfo, Position};
use crate::search::{Clock, MoveChooser, OnBlock, Path, Report, Window};
use crate::types::{Move, PieceType, Score, Square};
use std::time::Duration;

/// The longest mate that is looked for before the search, and the moves after which that is given up: the mates of five
/// plies that a game has take far fewer.
const MAX_MATE_PLIES: usize = 11;
const MAX_MATE_MOVES: u32 = 60_000;
/// Length of a wait before the search control is looked at again.
const NAP: Duration = Duration::from_millis(10);

/// Centipawns from which on a move that loses them by the captures on its destination is a blunder.
const BLUNDER: i32 = 500;
/// Centipawns from which on a piece that is left to the opponent is a blunder: a bishop.
const HANGING: i32 = 700;
/// Centipawns that the move in place of a blunder may be worse: beyond the noise of the level, or without it.
const BLUNDER_MARGIN: i32 = 150;
/// Centipawns from which on a check that costs them is a sacrifice.
const SACRIFICE: i32 = 300;
/// Centipawns from which on whoever is behind by them is losing.
const LOSING: i32 = 600;

/// What the opening plan says about the next move.
enum PlanAdvice {
    /// Play this move of the plan.
    Follow(BestLine),
    /// Choose among these moves, as if there were no plan.
    ChooseAmong(Vec<Move>),
}

/// A level chooses its moves by a search of its own. One and the same level, seed and position give the same move.
impl MoveChooser for LevelSettings {
    fn declares(&self) -> bool {
        true
    }

    fn choose(&self, path: &mut Path, moves: &[Move], on_block: OnBlock) -> Report {
        let mut search = LevelSearch::new(path, *self);
        let report = search.choose_move(moves, on_block);
        let best_move_changes = search.best_move_changes;
        let summary = SearchSummary { legal_moves: moves.len(), best_move: report.pv[0], best_move_changes };
        wait_as_a_person(path, *self, summary);
        report
    }
}

/// Waits until the answer is due, unless a signal comes.
fn wait_as_a_person(path: &mut Path, settings: LevelSettings, summary: SearchSummary) {
    let Path { pos, limiter, .. } = path;
    while !limiter.control.is_stopped() {
        // While the opponent thinks the answer waits for him anyway.
        limiter.take_ponder_hit();
        let Some(budget) = limiter.budget() else {
            if limiter.control.is_pondering() {
                limiter.control.nap(NAP);
                continue;
            }
            return;
        };
        // A time for the move is as good as a byoyomi.
        let clock = match limiter.limits.movetime {
            Some(byoyomi) => Clock { byoyomi, ..Clock::default() },
            None => match limiter.limits.clock {
                Some(clock) => clock,
                None => return,
            },
        };
        let target = thinking_time(settings.time, &clock, pos, summary, settings.seed);
        let left = target.min(budget.soft).saturating_sub(limiter.control.thinking_time());
        if left.is_zero() {
            return;
        }
        limiter.control.nap(left.min(NAP));
    }
}

impl LevelSearch<'_> {
    fn choose_move(&mut self, moves: &[Move], on_block: OnBlock) -> Report {
        let mate = shortest_mate(&mut self.path.pos, self.first_mate_plies.min(MAX_MATE_PLIES), MAX_MATE_MOVES);
        let best = match mate {
            Some(line) if moves.contains(&line[0]) => {
                BestLine { score: Score::mate_in(line.len()), depth: line.len(), line }
            }
            _ => match self.ask_plan(moves) {
                PlanAdvice::Follow(best) => best,
                PlanAdvice::ChooseAmong(moves) => self.preferred(&moves, on_block),
            },
        };
        let report = self.report(&best);
        on_block(std::slice::from_ref(&report));
        report
    }

    /// Looks for a move of the opening plan that costs less than its bonus by the search without noise.
    fn ask_plan(&mut self, moves: &[Move]) -> PlanAdvice {
        let pos = &mut self.path.pos;
        let mut next = Vec::new();
        for &mv in self.preferences.planned() {
            if moves.contains(&mv) && !is_blunder(pos, mv) {
                next.push(mv);
            }
        }
        if next.is_empty() || pos.in_check() {
            return PlanAdvice::ChooseAmong(moves.to_vec());
        }
        let others: Vec<Move> = moves.iter().copied().filter(|mv| !next.contains(mv)).collect();
        // The moves of a plan are known: nobody overlooks what is wrong with them.
        let usual_nodes = std::mem::replace(&mut self.nodes, self.plan_nodes);
        let usual_oversight = std::mem::replace(&mut self.oversight, Oversight::none());
        let best = self.best_planned(&next, &others);
        self.nodes = usual_nodes;
        self.oversight = usual_oversight;
        self.path.limiter.allow_nodes(self.nodes);
        match best {
            Some(best) => PlanAdvice::Follow(best),
            None if others.is_empty() => PlanAdvice::ChooseAmong(moves.to_vec()),
            // What has been found wanting is not played because of noise after all.
            None => PlanAdvice::ChooseAmong(others),
        }
    }

    /// The best of the next moves of the plan, if it loses little against the best one of the others, equally deep.
    fn best_planned(&mut self, next: &[Move], others: &[Move]) -> Option<BestLine> {
        let best = self.deepen_with(Scoring::ExactWithPlan, &mut [next, others].concat());
        if !next.contains(&best.mv()) {
            return None;
        }
        if others.is_empty() {
            return Some(best);
        }
        let other = self.deepen_with(Scoring::Exact, &mut others.to_vec());
        if self.gain(other.mv(), best.mv()) < MOST_LOST_BY_PLAN { Some(best) } else { None }
    }

    /// The move that the level holds for the best, unless people would not play it.
    fn preferred(&mut self, moves: &[Move], on_block: OnBlock) -> BestLine {
        let best = self.deepen(&mut moves.to_vec(), on_block);
        let best = self.without_blunder(best, moves, on_block);
        let best = self.without_odd_move(best, moves);
        self.with_most_mistakes(best, moves)
    }

    /// Centipawns by which a move is better than another one, without noise, both searched alone and equally deep.
    fn gain(&mut self, mv: Move, other: Move) -> i32 {
        self.path.limiter.allow_nodes(2 * self.nodes);
        self.set_scoring(Scoring::Exact);
        let mut gain = 0;
        for depth in 1..=self.deepest() {
            self.path.limiter.root_depth = depth;
            let first = self.search_root(&mut [mv], depth);
            let second = self.search_root(&mut [other], depth);
            let Some(first) = first else { break };
            let Some(second) = second else { break };
            gain = first.score.0 - second.score.0;
        }
        self.set_scoring(Scoring::Noisy);
        gain
    }

    /// The move in place of one that people would not play, unless that is better by a margin.
    fn without_odd_move(&mut self, best: BestLine, moves: &[Move]) -> BestLine {
        let pos = &mut self.path.pos;
        let Some(margin) = self.preferences.margin(pos, best.mv()) else { return best };
        if best.score.is_decisive() {
            return best;
        }
        let mut usual = Vec::new();
        for &mv in moves {
            if self.preferences.margin(pos, mv).is_none() && !is_blunder(pos, mv) {
                usual.push(mv);
            }
        }
        if usual.is_empty() {
            return best;
        }
        self.path.limiter.allow_nodes(self.nodes);
        let other = self.deepen(&mut usual, &mut |_| ());
        if self.gain(best.mv(), other.mv()) > margin { best } else { other }
    }

    /// The move in place of a blunder, if there is a safe one that is not much worse.
    fn without_blunder(&mut self, best: BestLine, moves: &[Move], on_block: OnBlock) -> BestLine {
        if unit(self.path.pos.key().0 ^ self.seed.rotate_left(43)) >= self.params.guard_chance {
            return best;
        }
        if let Some(other) = self.in_place_of_blunder(&best, moves, is_blunder, on_block) {
            return other;
        }
        // Where every move that is as good leaves a piece behind, the move need not give away another one besides.
        self.in_place_of_blunder(&best, moves, gives_away, on_block).unwrap_or(best)
    }

    /// The safe move in place of a blunder of this kind, if there is one that is not much worse.
    fn in_place_of_blunder(
        &mut self,
        best: &BestLine,
        moves: &[Move],
        is_blunder: fn(&mut Position, Move) -> bool,
        on_block: OnBlock,
    ) -> Option<BestLine> {
        let mv = best.mv();
        let score = best.score.0;
        let pos = &mut self.path.pos;
        let is_spite = is_spite_check(pos, mv, score);
        if !is_spite && !is_blunder(pos, mv) {
            return None;
        }
        let mut safe = Vec::new();
        for &mv in moves {
            if !is_spite_check(pos, mv, score) && !is_blunder(pos, mv) {
                safe.push(mv);
            }
        }
        if safe.is_empty() {
            return None;
        }
        self.path.limiter.allow_nodes(self.nodes);
        let other = self.deepen(&mut safe, on_block);
        let margin = self.params.noise as i32 + BLUNDER_MARGIN;
        let is_as_good = is_spite || other.score.0 >= score - margin;
        if is_as_good || self.gain(mv, other.mv()) <= BLUNDER_MARGIN { Some(other) } else { None }
    }

    /// As the giver of a handicap: of the moves that are about as good as the best one, that after which most answers
    /// lose much. The best one stays if the counting takes too long.
    fn with_most_mistakes(&mut self, best: BestLine, moves: &[Move]) -> BestLine {
        let has_choice = moves.len() > 1 && !best.score.is_decisive() && self.params.depth >= LEAST_DEPTH;
        if self.giver.is_none() || !has_choice {
            return best;
        }
        self.path.limiter.allow_nodes(self.nodes);
        let rivals = self.rivals(&best, moves);
        if rivals.is_empty() {
            return best;
        }
        self.path.limiter.allow_nodes(self.nodes * COUNTING_NODES);
        let mut most = self.mistakes_after(&best);
        let mut hardest = best.clone();
        for rival in rivals {
            let count = self.mistakes_after(&rival);
            if count > most {
                most = count;
                hardest = rival;
            }
        }
        if self.path.limiter.stopped { best } else { hardest }
    }

    /// Moves besides the best one that are nearly as good and no blunders, each with its score and line.
    fn rivals(&mut self, best: &BestLine, moves: &[Move]) -> Vec<BestLine> {
        let mut rivals = Vec::new();
        let least = best.score - MARGIN;
        for &mv in moves {
            if mv == best.mv() {
                continue;
            }
            let cost = self.root_cost(mv);
            let window = Window { alpha: least + cost, beta: best.score + cost + 1 };
            self.path.do_move(mv);
            let score = -self.negamax(-window, best.depth as i32 - 1, 1, true);
            self.path.undo_move();
            if self.path.limiter.stopped || rivals.len() == RIVALS {
                break;
            }
            if score > window.alpha && !is_blunder(&mut self.path.pos, mv) {
                let line = [&[mv], &self.path.pv[1][..]].concat();
                rivals.push(BestLine { score: score - cost, line, depth: best.depth });
            }
        }
        rivals
    }

    /// Number of the answers that the level sees and that lose much against the move's score.
    fn mistakes_after(&mut self, rival: &BestLine) -> usize {
        let depth = ANSWER_DEPTH.min(self.params.depth) as i32 - 1;
        let lost = rival.score + MISTAKE;
        self.path.do_move(rival.mv());
        self.path.pv[1].clear();
        let mut count = 0;
        for (_, answer) in self.ordered_moves::<All>(None, 1) {
            self.path.do_move(answer);
            if self.negamax(Window::reaches(lost), depth, 2, true) >= lost {
                count += 1;
            }
            self.path.undo_move();
        }
        self.path.undo_move();
        count
    }
}

/// Tests whether a move gives something away at once: what [`gives_away`] tells, or a bishop or rook that it leaves
/// where it is taken, without having taken as much.
pub(crate) fn is_blunder(pos: &mut Position, mv: Move) -> bool {
    if gives_away(pos, mv) {
        return true;
    }
    let taken = pos.piece_on(mv.to()).map_or(0, |victim| victim.piece_type().capture_gain());
    if taken >= BLUNDER {
        return false;
    }
    pos.do_move(mv);
    let leaves = !pos.in_check() && leaves_a_piece(pos, mv.to());
    pos.undo();
    leaves
}

/// Tests whether a move gives away a piece on its destination, or a mate in one.
fn gives_away(pos: &mut Position, mv: Move) -> bool {
    if !pos.see_ge(mv, 1 - BLUNDER) {
        return true;
    }
    pos.do_move(mv);
    let mates = mate_in_one(pos).is_some();
    pos.undo();
    mates
}

/// Tests whether the side to move can take a bishop or rook that did not just move, for less than it is worth.
fn leaves_a_piece(pos: &Position, moved: Square) -> bool {
    for mv in &generate::<Captures>(pos) {
        if mv.to() == moved {
            continue;
        }
        let Some(victim) = pos.piece_on(mv.to()) else { continue };
        let is_major = matches!(victim.piece_type().unpromoted(), PieceType::Bishop | PieceType::Rook);
        if is_major && pos.see_ge(mv, HANGING) {
            return true;
        }
    }
    false
}

/// Tests whether a move is a check that only throws a piece away in a lost game; `score` is the mover's.
pub(crate) fn is_spite_check(pos: &Position, mv: Move, score: i32) -> bool {
    score <= -LOSING && CheckInfo::new(pos).gives_check(pos, mv) && !pos.see_ge(mv, 1 - SACRIFICE)
}
