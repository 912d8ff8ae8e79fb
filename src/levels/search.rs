//! The search of a level: a plain alpha-beta search (principal variation search, chessprogramming wiki) within the node
//! budget, over the path of the search: its position, evaluation and limits.
//!
//! What the search of full strength learns from game to game (histories, corrections, the large table) is neither read
//! nor written: noise would spoil it, and a few thousand nodes need none of it.

use super::blindness::Blindness;
use super::chance::{mix, unit};
use super::giver::{self, Giver};
use super::habit::{self, Habits};
use super::hash::HashTable;
use super::level::LevelSettings;
use super::pace::Thought;
use super::plan;
use super::table::LevelParams;
use super::{chase, guard, noise, pace};
use crate::mate::{mate_in_one, shortest_mate};
use crate::movegen::{All, Captures, Evasions, MoveList, generate, leaves_unpromoted};
use crate::position::{CheckInfo, Position};
use crate::search::{Bound, Clock, MAX_PLY, MoveChooser, OnBlock, Path, Report, Window};
use crate::types::{Move, Score};
use std::time::Duration;

/// Centipawns below beta, per ply, that a quiet position's evaluation may lie and still be pruned.
const MARGIN_PER_PLY: i32 = 90;
/// Gain of a quiet move over the evaluation at most, besides [`MARGIN_PER_PLY`].
const QUIET_GAIN: i32 = 150;
/// The bound of a history value.
const HISTORY_LIMIT: i32 = 8_192;
/// Orders of a move: the table's first, then captures that win or keep material, killers, quiet moves by their history,
/// captures that lose.
const TT_MOVE: i32 = 1 << 30;
const GOOD_CAPTURE: i32 = 1 << 24;
const KILLER: i32 = 1 << 20;
/// Nodes for a search among the moves of a plan at least: who has one knows its moves.
const LEAST_PLAN_NODES: u64 = 200;
/// The longest mate that is searched for before anything else, and the moves after which that search gives up: the
/// mates of five plies that a game has take far fewer.
const MOST_MATE_PLIES: usize = 11;
const MOST_MATE_MOVES: u32 = 60_000;
/// Length of a wait before orders are looked at.
const NAP: Duration = Duration::from_millis(10);

/// The best move so far.
#[derive(Clone)]
struct Best {
    /// With the noise of the level.
    score: Score,
    /// The move and what the search expects to follow.
    line: Vec<Move>,
    depth: usize,
}

/// Advice of a plan on the next move.
enum Planned {
    /// Play this move of the plan.
    Follow(Best),
    /// Choose among these moves, as if there were no plan.
    ChooseAmong(Vec<Move>),
}

/// Aim of an iteration at the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aim {
    /// Opinion of the level: with its error and its habits.
    Opinion,
    /// Worth of moves, as far as the level sees.
    Worth,
    /// That, with a bonus for moves of the plan.
    Plan,
}

/// A search for one move of a level.
struct LevelSearch<'a> {
    path: &'a mut Path,
    params: LevelParams,
    seed: u64,
    /// The budget for a search: the level's, or less if less was asked for.
    nodes: u64,
    /// The budget for a search among the moves of a plan.
    plan_nodes: u64,
    /// The longest mate that is seen in the lines that it thinks of, in plies from the root.
    mate_plies: usize,
    /// The longest mate that it looks for before it thinks of anything else.
    first_mate: usize,
    aim: Aim,
    habits: Habits,
    /// Set if the level has given a handicap.
    giver: Option<Giver>,
    /// Centipawns by which the side to move is ahead, without the error of the level.
    lead: i32,
    /// Iterations after which another move was held for the best.
    doubts: usize,
    blindness: Blindness,
    table: HashTable,
    killers: Vec<[Option<Move>; 2]>,
    /// Quiet moves that have cut off, by the bits of the move and the parity of the ply.
    history: Vec<[i32; 2]>,
}

/// A level chooses its moves by a search of its own. One and the same level, seed and position give the same move.
impl MoveChooser for LevelSettings {
    fn declares(&self) -> bool {
        true
    }

    fn choose(&self, path: &mut Path, moves: &[Move], on_block: OnBlock) -> Report {
        let mut search = LevelSearch::new(path, *self);
        let report = search.run(moves, on_block);
        let doubts = search.doubts;
        wait_as_a_person(path, *self, Thought { answers: moves.len(), best: report.pv[0], doubts });
        report
    }
}

/// Waits until the answer is due, unless an order comes.
fn wait_as_a_person(path: &mut Path, settings: LevelSettings, thought: Thought) {
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
        let in_movetime = |byoyomi| Clock { byoyomi, ..Clock::default() };
        let clock = limiter.limits.movetime.map(in_movetime).or(limiter.limits.clock);
        let Some(clock) = clock else { return };
        let target = pace::target(settings.time, &clock, pos, thought, settings.seed);
        let left = target.min(budget.soft).saturating_sub(limiter.control.thinking_time());
        if left.is_zero() {
            return;
        }
        limiter.control.nap(left.min(NAP));
    }
}

impl<'a> LevelSearch<'a> {
    fn new(path: &'a mut Path, settings: LevelSettings) -> LevelSearch<'a> {
        let LevelSettings { level, given, .. } = settings;
        let plan = plan::choose(&path.pos, &settings).map(|(plan, _)| plan);
        let seed = mix(settings.seed);
        let lead = path.evaluate().0;
        let usual = LevelParams::of(level);
        let params = chase::eager(usual, lead, path.pos.ply());
        let chance = unit(path.pos.key().0 ^ seed.rotate_left(7));
        let seen = |params: LevelParams| if chance < params.mate_chance { params.mate_plies } else { 0 };
        let asked = path.limiter.limits.nodes.unwrap_or(u64::MAX);
        let nodes = params.nodes.min(asked);
        path.limiter.limits.nodes = Some(nodes);
        LevelSearch {
            params,
            seed,
            nodes,
            plan_nodes: params.nodes.max(LEAST_PLAN_NODES).min(asked),
            // Mates that are further away are looked for; they do not make a piece worth giving that may lead to one.
            mate_plies: seen(usual),
            first_mate: seen(params),
            aim: Aim::Opinion,
            habits: Habits::new(&path.pos, plan, params.noise, seed),
            giver: Giver::new(&path.pos, given),
            lead,
            doubts: 0,
            blindness: Blindness::new(&params, seed, &path.pos),
            table: HashTable::new(nodes),
            killers: vec![[None; 2]; MAX_PLY + 2],
            history: vec![[0; 2]; 1 << 16],
            path,
        }
    }

    fn run(&mut self, moves: &[Move], on_block: OnBlock) -> Report {
        let mate = shortest_mate(&mut self.path.pos, self.first_mate.min(MOST_MATE_PLIES), MOST_MATE_MOVES);
        let best = match mate.filter(|line| moves.contains(&line[0])) {
            Some(line) => Best { score: Score::mate_in(line.len()), depth: line.len(), line },
            None => match self.planned(moves) {
                Planned::Follow(best) => best,
                Planned::ChooseAmong(moves) => self.preferred(&moves, on_block),
            },
        };
        let report = self.report(&best);
        on_block(std::slice::from_ref(&report));
        report
    }

    /// Looks for a move of the plan that costs less than its bonus by the search without the error of the level.
    fn planned(&mut self, moves: &[Move]) -> Planned {
        let pos = &mut self.path.pos;
        let may_be_played = |mv: &&Move| moves.contains(mv) && !guard::is_gift(pos, **mv);
        let next: Vec<Move> = self.habits.planned().iter().filter(may_be_played).copied().collect();
        if next.is_empty() || self.path.pos.in_check() {
            return Planned::ChooseAmong(moves.to_vec());
        }
        // The moves of a plan are known: nobody overlooks what is wrong with them.
        let (nodes, blindness) = (self.nodes, self.blindness);
        (self.nodes, self.blindness) = (self.plan_nodes, Blindness::none());
        let others: Vec<Move> = moves.iter().copied().filter(|mv| !next.contains(mv)).collect();
        let best = self.best_planned(&next, &others);
        (self.nodes, self.blindness) = (nodes, blindness);
        self.path.limiter.allow_nodes(self.nodes);
        match best {
            Some(best) => Planned::Follow(best),
            None if others.is_empty() => Planned::ChooseAmong(moves.to_vec()),
            // What has been found wanting is not played by an error after all.
            None => Planned::ChooseAmong(others),
        }
    }

    /// The best of the next moves of the plan, if it loses little against the best one of the others, equally deep.
    fn best_planned(&mut self, next: &[Move], others: &[Move]) -> Option<Best> {
        let best = self.deepen_for(Aim::Plan, &mut [next, others].concat());
        if !next.contains(&best.line[0]) {
            return None;
        }
        if others.is_empty() {
            return Some(best);
        }
        let other = self.deepen_for(Aim::Worth, &mut others.to_vec());
        (self.gain(other.line[0], best.line[0]) < habit::MOST_LOST_BY_PLAN).then_some(best)
    }

    /// The move that the level holds for the best, unless people would not play it.
    fn preferred(&mut self, moves: &[Move], on_block: OnBlock) -> Best {
        let best = self.deepen(&mut moves.to_vec(), on_block);
        let best = self.without_gift(best, moves, on_block);
        let best = self.without_oddity(best, moves);
        self.with_most_mistakes(best, moves)
    }

    /// Searches these moves of the root for another aim, with a budget and a table of its own.
    fn deepen_for(&mut self, aim: Aim, moves: &mut [Move]) -> Best {
        self.path.limiter.allow_nodes(self.nodes);
        self.aim_at(aim);
        let best = self.deepen(moves, &mut |_| ());
        self.aim_at(Aim::Opinion);
        best
    }

    /// Scores of one aim are of no use for another.
    fn aim_at(&mut self, aim: Aim) {
        (self.aim, self.table) = (aim, HashTable::new(self.nodes));
    }

    /// Centipawns by which a move is better than another one, without the error of the evaluation, both searched alone
    /// and equally deep.
    fn gain(&mut self, mv: Move, other: Move) -> i32 {
        self.path.limiter.allow_nodes(2 * self.nodes);
        self.aim_at(Aim::Worth);
        let mut gain = 0;
        for depth in 1..=self.deepest() {
            self.path.limiter.root_depth = depth;
            let [worth, rest] = [mv, other].map(|mv| self.search_root(&mut [mv], depth).map(|best| best.score.0));
            let (Some(worth), Some(rest)) = (worth, rest) else { break };
            gain = worth - rest;
        }
        self.aim_at(Aim::Opinion);
        gain
    }

    /// The move in place of one that people would not play, unless that is better by a margin.
    fn without_oddity(&mut self, best: Best, moves: &[Move]) -> Best {
        let pos = &mut self.path.pos;
        let Some(margin) = self.habits.margin(pos, best.line[0]).filter(|_| !best.score.is_decisive()) else {
            return best;
        };
        let is_usual = |mv: &Move| self.habits.margin(pos, *mv).is_none() && !guard::is_gift(pos, *mv);
        let mut usual: Vec<Move> = moves.iter().copied().filter(is_usual).collect();
        if usual.is_empty() {
            return best;
        }
        self.path.limiter.allow_nodes(self.nodes);
        let other = self.deepen(&mut usual, &mut |_| ());
        if self.gain(best.line[0], other.line[0]) > margin { best } else { other }
    }

    /// The move in place of a gift, if there is a safe one that is not much worse.
    fn without_gift(&mut self, best: Best, moves: &[Move], on_block: OnBlock) -> Best {
        if unit(self.path.pos.key().0 ^ self.seed.rotate_left(43)) >= self.params.guard_chance {
            return best;
        }
        // Where every move that is as good leaves a piece behind, the move need not give away another one besides.
        let other = self.in_place_of_gift(&best, moves, guard::is_gift, on_block);
        other.or_else(|| self.in_place_of_gift(&best, moves, guard::gives_away, on_block)).unwrap_or(best)
    }

    /// The safe move in place of a gift of this kind, if there is one that is not much worse.
    fn in_place_of_gift(
        &mut self,
        best: &Best,
        moves: &[Move],
        is_gift: fn(&mut Position, Move) -> bool,
        on_block: OnBlock,
    ) -> Option<Best> {
        let (mv, pos) = (best.line[0], &mut self.path.pos);
        let is_spite_check = |pos: &Position, mv| guard::is_spite_check(pos, mv, best.score.0);
        let mut is_safe = |mv: &Move| !is_spite_check(pos, *mv) && !is_gift(pos, *mv);
        if is_safe(&mv) {
            return None;
        }
        let mut safe: Vec<Move> = moves.iter().copied().filter(is_safe).collect();
        if safe.is_empty() {
            return None;
        }
        let is_spite = guard::is_spite_check(&self.path.pos, mv, best.score.0);
        self.path.limiter.allow_nodes(self.nodes);
        let other = self.deepen(&mut safe, on_block);
        let margin = self.params.noise as i32 + guard::MARGIN;
        let is_as_good = is_spite || other.score.0 >= best.score.0 - margin;
        (is_as_good || self.gain(mv, other.line[0]) <= guard::MARGIN).then_some(other)
    }

    /// Cost of a move of the root for the aim, in centipawns.
    fn root_cost(&self, mv: Move) -> i32 {
        match self.aim {
            Aim::Opinion => {
                let bonus = chase::bonus(&self.path.pos, mv, self.lead, self.params.noise);
                self.habits.reluctance(&self.path.pos, mv) - bonus
            }
            Aim::Worth => 0,
            Aim::Plan => -self.habits.plan_bonus(mv),
        }
    }

    /// As the giver of a handicap: of the moves that are about as good as the best one, that after which most answers
    /// lose much. None is replaced if the counting takes too long.
    fn with_most_mistakes(&mut self, best: Best, moves: &[Move]) -> Best {
        let has_choice = moves.len() > 1 && !best.score.is_decisive() && self.params.depth >= giver::LEAST_DEPTH;
        if self.giver.is_none() || !has_choice {
            return best;
        }
        self.path.limiter.allow_nodes(self.nodes);
        let mut rivals = self.rivals(&best, moves);
        if rivals.is_empty() {
            return best;
        }
        self.path.limiter.allow_nodes(self.nodes * giver::COUNTING_NODES);
        rivals.insert(0, best.clone());
        let counts: Vec<usize> = rivals.iter().map(|rival| self.mistakes_after(rival)).collect();
        // Of the same number the first one, which is the best.
        let most = (0..counts.len()).rev().max_by_key(|&at| counts[at]).filter(|_| !self.path.limiter.stopped);
        most.map_or(best, |at| rivals.swap_remove(at))
    }

    /// Moves besides the best one that are nearly as good and no gifts, each with its score and line.
    fn rivals(&mut self, best: &Best, moves: &[Move]) -> Vec<Best> {
        let mut rivals = Vec::new();
        let least = best.score - giver::MARGIN;
        for &mv in moves.iter().filter(|&&mv| mv != best.line[0]) {
            let cost = self.root_cost(mv);
            let window = Window { alpha: least + cost, beta: best.score + cost + 1 };
            self.path.do_move(mv);
            let score = -self.negamax(-window, best.depth as i32 - 1, 1, true);
            self.path.undo_move();
            if self.path.limiter.stopped || rivals.len() == giver::RIVALS {
                break;
            }
            if score > window.alpha && !guard::is_gift(&mut self.path.pos, mv) {
                let line = [&[mv], &self.path.pv[1][..]].concat();
                rivals.push(Best { score: score - cost, line, depth: best.depth });
            }
        }
        rivals
    }

    /// Number of the answers that the level sees and that lose much against the move's score.
    fn mistakes_after(&mut self, rival: &Best) -> usize {
        let depth = giver::ANSWER_DEPTH.min(self.params.depth) as i32 - 1;
        let lost = rival.score + giver::MISTAKE;
        self.path.do_move(rival.line[0]);
        self.path.pv[1].clear();
        let answers = self.ordered::<All>(None, 1);
        let mut count = 0;
        for (_, answer) in answers {
            self.path.do_move(answer);
            count += usize::from(self.negamax(Window::reaches(lost), depth, 2, true) >= lost);
            self.path.undo_move();
        }
        self.path.undo_move();
        count
    }

    /// The deepest iteration.
    fn deepest(&self) -> usize {
        self.path.limiter.limits.depth.unwrap_or(MAX_PLY - 1).clamp(1, self.params.depth)
    }

    /// Searches these moves of the root, one depth after the other.
    fn deepen(&mut self, moves: &mut [Move], on_block: OnBlock) -> Best {
        let mut best = Best { score: -Score::INFINITE, line: vec![moves[0]], depth: 1 };
        for depth in 1..=self.deepest() {
            self.path.limiter.root_depth = depth;
            if let Some(found) = self.search_root(moves, depth) {
                self.doubts += usize::from(depth > 1 && found.line[0] != best.line[0]);
                best = found;
            }
            if self.path.limiter.stopped {
                break;
            }
            let report = self.report(&best);
            on_block(&[report]);
            if moves.len() == 1 || best.score.is_mate() {
                break;
            }
        }
        best
    }

    /// One iteration. Of an unfinished one the best move so far counts: the one that was best before came first.
    fn search_root(&mut self, moves: &mut [Move], depth: usize) -> Option<Best> {
        let mut best: Option<Best> = None;
        for number in 0..moves.len() {
            let mv = moves[number];
            let cost = self.root_cost(mv);
            let alpha = best.as_ref().map_or(-Score::INFINITE, |best| best.score);
            let window = Window { alpha: if best.is_some() { alpha + cost } else { alpha }, beta: Score::INFINITE };
            self.path.do_move(mv);
            let score = self.search_move(window, depth as i32 - 1, 0, 1, best.is_none());
            self.path.undo_move();
            let score = if score.is_decisive() { score } else { score - cost };
            if self.path.limiter.stopped {
                break;
            }
            if score > alpha {
                let line = [&[mv], &self.path.pv[1][..]].concat();
                best = Some(Best { score, line, depth });
                moves[..=number].rotate_right(1);
            }
        }
        best
    }

    /// The score of the move that was just made at a ply: the first of a node with the whole window, the others first
    /// with the question whether they are better, `reduction` plies (1 or more) shallower.
    fn search_move(&mut self, window: Window, depth: i32, ply: usize, reduction: i32, is_first: bool) -> Score {
        if !is_first {
            let reduced = (depth + 1 - reduction).max(0);
            let mut score = -self.negamax(-window.null(), reduced, ply + 1, true);
            if score > window.alpha && reduced < depth {
                score = -self.negamax(-window.null(), depth, ply + 1, true);
            }
            if score <= window.alpha || score >= window.beta || window.width() <= 1 {
                return score;
            }
        }
        -self.negamax(-window, depth, ply + 1, true)
    }

    fn negamax(&mut self, window: Window, depth: i32, ply: usize, may_pass: bool) -> Score {
        let in_check = self.path.pos.in_check();
        let extends = in_check && ply < (self.params.depth + 2).min(2 * self.path.limiter.root_depth);
        let depth = depth + i32::from(extends);
        if depth <= 0 {
            return self.quiescence(window, 0, ply);
        }
        if let Some(score) = self.known_end(ply) {
            return score;
        }
        let is_pv = window.width() > 1;
        let key = self.path.pos.key();
        let known = self.table.probe(key);
        // Where answers are overlooked a score is not that of the position.
        let sees_all = !self.blindness.is_at(ply);
        let stored = known.filter(|_| sees_all && !is_pv).and_then(|known| known.answers(depth, window.beta));
        if let Some(score) = stored {
            return score;
        }
        let may_prune = self.params.prunes() && !is_pv && !in_check;
        let eval = if may_prune { self.evaluate() } else { -Score::INFINITE };
        if may_prune && let Some(score) = self.prune_node(window.beta, eval, depth, ply, may_pass) {
            return score;
        }
        let mut moves = self.ordered::<All>(known.and_then(|known| known.mv), ply);
        if moves.is_empty() {
            return self.mated(ply);
        }
        let info = CheckInfo::new(&self.path.pos);
        let Window { mut alpha, beta } = window;
        let (mut best, mut best_move) = (-Score::INFINITE, None);
        let mut tried = Vec::new();
        let mut searched = 0;
        for number in 0..moves.len() {
            let mv = next(&mut moves[number..]);
            let is_quiet = self.is_quiet(mv);
            let gives_check = info.gives_check(&self.path.pos, mv);
            if may_prune && !best.is_loss() && best > -Score::INFINITE && !gives_check {
                let is_late =
                    is_quiet && (searched > 4 + depth * depth || eval + QUIET_GAIN + MARGIN_PER_PLY * depth <= alpha);
                if depth <= 6 && (is_late || !self.path.pos.see_ge(mv, -100 * depth)) {
                    continue;
                }
            }
            let is_late = depth >= 3 && searched >= 3 && is_quiet && !in_check && !gives_check;
            let reduction = if is_late { 1 + late_reduction(depth, searched, is_pv) } else { 1 };
            self.path.do_move(mv);
            let score = self.search_move(Window { alpha, beta }, depth - 1, ply, reduction, searched == 0);
            self.path.undo_move();
            if self.path.limiter.stopped {
                return Score::DRAW;
            }
            searched += 1;
            if score > best {
                best = score;
                if score > alpha {
                    (alpha, best_move) = (score, Some(mv));
                    self.path.extend_pv(mv, ply);
                    if alpha >= beta {
                        self.note_cutoff(mv, is_quiet, &tried, depth, ply);
                        break;
                    }
                }
            }
            if is_quiet {
                tried.push(mv);
            }
        }
        if sees_all {
            let bound = match best_move {
                _ if best >= beta => Bound::LOWER,
                Some(_) => Bound::EXACT,
                None => Bound::UPPER,
            };
            self.table.store(key, best_move, best, depth, bound);
        }
        best
    }

    /// Cuts off where the position is so good that even a pass keeps it above beta.
    fn prune_node(&mut self, beta: Score, eval: Score, depth: i32, ply: usize, may_pass: bool) -> Option<Score> {
        if beta.is_decisive() || eval < beta {
            return None;
        }
        if depth <= 6 && eval - MARGIN_PER_PLY * depth >= beta {
            return Some(eval);
        }
        if !may_pass || depth < 3 {
            return None;
        }
        self.path.do_null_move();
        let score = -self.negamax(-Window::reaches(beta), depth - 3 - depth / 4, ply + 1, false);
        self.path.undo_null_move();
        (!self.path.limiter.stopped && score >= beta && !score.is_decisive()).then_some(score)
    }

    /// Captures and answers to checks until the position is quiet, `plies` below the search proper.
    fn quiescence(&mut self, window: Window, plies: i32, ply: usize) -> Score {
        if let Some(score) = self.known_end(ply) {
            return score;
        }
        let in_check = self.path.pos.in_check();
        let Window { mut alpha, beta } = window;
        let mut best = -Score::INFINITE;
        let is_last = plies >= self.quiescence_plies();
        if !in_check || is_last {
            best = self.evaluate();
            if best >= beta || is_last {
                return best;
            }
            alpha = alpha.max(best);
        }
        let eval = best;
        let mut moves =
            if in_check { self.ordered::<Evasions>(None, ply) } else { self.ordered::<Captures>(None, ply) };
        if in_check && moves.is_empty() {
            return self.mated(ply);
        }
        for number in 0..moves.len() {
            let mv = next(&mut moves[number..]);
            if !in_check {
                let gain = self.path.pos.piece_on(mv.to()).map_or(0, |victim| victim.piece_type().capture_gain());
                if eval + gain + 2 * QUIET_GAIN <= alpha || !self.path.pos.see_ge(mv, 0) {
                    continue;
                }
            }
            self.path.do_move(mv);
            let score = -self.quiescence(-Window { alpha, beta }, plies + 1, ply + 1);
            self.path.undo_move();
            if self.path.limiter.stopped {
                return Score::DRAW;
            }
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    self.path.extend_pv(mv, ply);
                    if alpha >= beta {
                        break;
                    }
                }
            }
        }
        best
    }

    /// Plies of captures that are looked at: all, where the level looks twice.
    fn quiescence_plies(&self) -> i32 {
        if self.aim == Aim::Opinion { self.params.quiescence_plies() } else { LevelParams::ALL_CAPTURES }
    }

    /// Enters a node: the score if it is known without a search, because the search is over or the game is.
    fn known_end(&mut self, ply: usize) -> Option<Score> {
        let path = &mut *self.path;
        path.pv[ply].clear();
        path.limiter.poll();
        if path.limiter.stopped {
            return Some(Score::DRAW);
        }
        path.seldepth = path.seldepth.max(ply);
        if let Some(score) = path.game_end(ply) {
            return Some(score);
        }
        if ply >= MAX_PLY {
            return Some(path.evaluate());
        }
        if let Some(score) = path.declaration_win(ply) {
            return Some(score);
        }
        let mate = if ply < self.mate_plies { mate_in_one(&path.pos)? } else { return None };
        path.pv[ply].push(mate);
        Some(Score::mate_in(ply + 1))
    }

    /// The score of a side that has no move: a mate, unless it is longer than the level sees.
    fn mated(&mut self, ply: usize) -> Score {
        if ply <= self.mate_plies { Score::mated_in(ply) } else { self.evaluate() }
    }

    /// Opinion of the level on the position: the evaluation, its error, and the style of a giver.
    fn evaluate(&mut self) -> Score {
        let path = &mut *self.path;
        let opinion = path.unclamped();
        let pos = &path.pos;
        let deviation = if self.aim == Aim::Opinion { self.params.noise } else { 0.0 };
        let error = noise::error(deviation, pos.key(), self.seed, pos.ply());
        let style =
            self.giver.map_or(0, |giver| if pos.side() == giver.side { giver.bonus(pos) } else { -giver.bonus(pos) });
        (opinion + error + style).clamp_eval()
    }

    /// The moves of a node that the level sees, each with its order.
    fn ordered<K: crate::movegen::Kind>(&self, tt_move: Option<Move>, ply: usize) -> Vec<(i32, Move)> {
        let pos = &self.path.pos;
        let list: MoveList = generate::<K>(pos);
        let is_useful = |mv: &Move| self.path.limiter.limits.all_moves || !leaves_unpromoted(pos, *mv);
        let order = |mv| {
            if Some(mv) == tt_move {
                return TT_MOVE;
            }
            let captured = pos.piece_on(mv.to()).map(|piece| piece.piece_type());
            if let Some(captured) = captured {
                return if pos.see_ge(mv, 0) { GOOD_CAPTURE + captured.capture_gain() } else { -GOOD_CAPTURE };
            }
            let killer = if self.killers[ply].contains(&Some(mv)) { KILLER } else { 0 };
            killer + self.history[usize::from(mv.bits())][ply & 1] + 1_000 * i32::from(mv.is_promotion())
        };
        let mut moves: Vec<(i32, Move)> = list.into_iter().filter(is_useful).map(|mv| (order(mv), mv)).collect();
        if self.blindness.is_at(ply) && !pos.in_check() {
            let info = CheckInfo::new(pos);
            let first = moves.iter().copied().max_by_key(|&(order, _)| order);
            moves.retain(|&(_, mv)| !self.blindness.overlooks(pos, &info, mv, ply));
            // At least one answer is seen.
            if moves.is_empty() {
                moves.extend(first);
            }
        }
        moves
    }

    fn is_quiet(&self, mv: Move) -> bool {
        self.path.pos.piece_on(mv.to()).is_none() && !mv.is_promotion()
    }

    /// A move has cut off after these quiet ones that had not.
    fn note_cutoff(&mut self, mv: Move, is_quiet: bool, tried: &[Move], depth: i32, ply: usize) {
        if !is_quiet {
            return;
        }
        let killers = &mut self.killers[ply];
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
        let bonus = (depth * depth * 16).min(HISTORY_LIMIT / 4);
        let mut learn = |mv: Move, bonus: i32| {
            let value = &mut self.history[usize::from(mv.bits())][ply & 1];
            *value += bonus - *value * bonus.abs() / HISTORY_LIMIT;
        };
        learn(mv, bonus);
        tried.iter().for_each(|&mv| learn(mv, -bonus));
    }

    /// Report on a move: its line, and the score at the line's end without the error of the level.
    fn report(&mut self, best: &Best) -> Report {
        let score = self.true_score(best);
        Report { depth: best.depth, score, pv: best.line.clone(), hashfull: 0, ..self.path.progress() }
    }

    fn true_score(&mut self, best: &Best) -> Score {
        if best.score.is_decisive() && best.score > -Score::INFINITE {
            return best.score;
        }
        let nodes = self.path.limiter.nodes;
        let plies = best.line.len().min(MAX_PLY - 1);
        best.line[..plies].iter().for_each(|&mv| self.path.do_move(mv));
        let leaf = self.path.game_end(plies).unwrap_or_else(|| self.path.evaluate());
        (0..plies).for_each(|_| self.path.undo_move());
        // Walking to the leaf is no search.
        self.path.limiter.nodes = nodes;
        if plies.is_multiple_of(2) { leaf } else { -leaf }
    }
}

/// The first move in order, which is put in front.
fn next(moves: &mut [(i32, Move)]) -> Move {
    let first = (1..moves.len()).fold(0, |first, at| if moves[at].0 > moves[first].0 { at } else { first });
    moves.swap(0, first);
    moves[0].1
}

/// Late-move reduction: plies that a late quiet move is searched shallower at first.
fn late_reduction(depth: i32, searched: i32, is_pv: bool) -> i32 {
    let reduction = 0.4 + f64::from(depth).ln() * f64::from(searched).ln() / 2.2;
    (reduction as i32 - i32::from(is_pv)).clamp(0, depth - 2)
}
