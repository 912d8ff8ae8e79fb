//! The search of a level: a plain alpha-beta search (principal variation search, chessprogramming wiki) within the node
//! budget, over the path of the search: its position, evaluation and limits.
//!
//! What the search of full strength learns from game to game (histories, corrections, the large table) is neither read
//! nor written: noise would spoil it, and a few thousand nodes need none of it.

use super::handicap::HandicapGiver;
use super::level::LevelSettings;
use super::opening;
use super::oversight::Oversight;
use super::params::{LevelParams, mix, noise, unit};
use super::preferences::{Preferences, king_attack_bonus};
use crate::mate::mate_in_one;
use crate::movegen::{All, Captures, Evasions, Kind, MoveList, generate, leaves_unpromoted};
use crate::position::CheckInfo;
use crate::search::{Bound, MAX_PLY, OnBlock, Path, Report, Window};
use crate::types::{Key, Move, Score};

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
/// Nodes for a search among the moves of an opening plan at least: who has a plan knows its moves.
const LEAST_PLAN_NODES: u64 = 200;

/// The best move so far.
#[derive(Clone)]
pub(crate) struct BestLine {
    /// As the search scores it.
    pub(crate) score: Score,
    /// The move and what the search expects to follow.
    pub(crate) line: Vec<Move>,
    pub(crate) depth: usize,
}

impl BestLine {
    pub(crate) fn mv(&self) -> Move {
        self.line[0]
    }
}

/// How the search scores positions and the moves of the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scoring {
    /// With the noise and the preferences of the level.
    Noisy,
    /// Without them.
    Exact,
    /// Without them, but with a bonus for moves of the opening plan.
    ExactWithPlan,
}

/// A search for one move of a level.
pub(crate) struct LevelSearch<'a> {
    pub(crate) path: &'a mut Path,
    pub(crate) params: LevelParams,
    pub(crate) seed: u64,
    /// The budget for a search: the level's, or less if less was asked for.
    pub(crate) nodes: u64,
    /// The budget for a search among the moves of an opening plan.
    pub(crate) plan_nodes: u64,
    /// The longest mate that is seen in the lines of the search, in plies from the root.
    mate_plies: usize,
    /// The longest mate that is looked for before the search.
    pub(crate) first_mate_plies: usize,
    pub(crate) scoring: Scoring,
    pub(crate) preferences: Preferences,
    /// Set if the level has given a handicap.
    pub(crate) giver: Option<HandicapGiver>,
    /// Centipawns by which the side to move is ahead, without noise.
    lead: i32,
    /// Iterations after which the best move was another one.
    pub(crate) best_move_changes: usize,
    pub(crate) oversight: Oversight,
    table: HashTable,
    killers: Vec<[Option<Move>; 2]>,
    /// Quiet moves that have cut off, by the bits of the move and the parity of the ply.
    history: Vec<[i32; 2]>,
}

impl<'a> LevelSearch<'a> {
    pub(crate) fn new(path: &'a mut Path, settings: LevelSettings) -> LevelSearch<'a> {
        let plan = opening::choose(&path.pos, &settings).map(|(plan, _)| plan);
        let seed = mix(settings.seed);
        let lead = path.evaluate().0;
        let usual = LevelParams::of(settings.level);
        let params = usual.when_winning(lead, path.pos.ply());
        let chance = unit(path.pos.key().0 ^ seed.rotate_left(7));
        let asked = path.limiter.limits.nodes.unwrap_or(u64::MAX);
        let nodes = params.nodes.min(asked);
        path.limiter.limits.nodes = Some(nodes);
        LevelSearch {
            params,
            seed,
            nodes,
            plan_nodes: params.nodes.max(LEAST_PLAN_NODES).min(asked),
            // Mates that are further away are looked for; they do not make a piece worth giving that may lead to one.
            mate_plies: if chance < usual.mate_chance { usual.mate_plies } else { 0 },
            first_mate_plies: if chance < params.mate_chance { params.mate_plies } else { 0 },
            scoring: Scoring::Noisy,
            preferences: Preferences::new(&path.pos, plan, params.noise, seed),
            giver: HandicapGiver::new(&path.pos, settings.given),
            lead,
            best_move_changes: 0,
            oversight: Oversight::new(&params, seed, &path.pos),
            table: HashTable::new(nodes),
            killers: vec![[None; 2]; MAX_PLY + 2],
            history: vec![[0; 2]; 1 << 16],
            path,
        }
    }

    /// Searches these moves of the root with another scoring, and a budget and a table of its own.
    pub(crate) fn deepen_with(&mut self, scoring: Scoring, moves: &mut [Move]) -> BestLine {
        self.path.limiter.allow_nodes(self.nodes);
        self.set_scoring(scoring);
        let best = self.deepen(moves, &mut |_| ());
        self.set_scoring(Scoring::Noisy);
        best
    }

    /// Changes the scoring. Scores of the last one are of no use then.
    pub(crate) fn set_scoring(&mut self, scoring: Scoring) {
        self.scoring = scoring;
        self.table = HashTable::new(self.nodes);
    }

    /// Cost of a move of the root besides its score, in centipawns.
    pub(crate) fn root_cost(&self, mv: Move) -> i32 {
        match self.scoring {
            Scoring::Noisy => {
                let bonus = king_attack_bonus(&self.path.pos, mv, self.lead, self.params.noise);
                self.preferences.cost(&self.path.pos, mv) - bonus
            }
            Scoring::Exact => 0,
            Scoring::ExactWithPlan => -self.preferences.plan_bonus(mv),
        }
    }

    /// The deepest iteration.
    pub(crate) fn deepest(&self) -> usize {
        self.path.limiter.limits.depth.unwrap_or(MAX_PLY - 1).clamp(1, self.params.depth)
    }

    /// Searches these moves of the root, one depth after the other.
    pub(crate) fn deepen(&mut self, moves: &mut [Move], on_block: OnBlock) -> BestLine {
        let mut best = BestLine { score: -Score::INFINITE, line: vec![moves[0]], depth: 1 };
        for depth in 1..=self.deepest() {
            self.path.limiter.root_depth = depth;
            if let Some(found) = self.search_root(moves, depth) {
                if depth > 1 && found.mv() != best.mv() {
                    self.best_move_changes += 1;
                }
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
    pub(crate) fn search_root(&mut self, moves: &mut [Move], depth: usize) -> Option<BestLine> {
        let mut best: Option<BestLine> = None;
        for number in 0..moves.len() {
            let mv = moves[number];
            let cost = self.root_cost(mv);
            let mut alpha = -Score::INFINITE;
            let mut window = Window { alpha, beta: Score::INFINITE };
            if let Some(best) = &best {
                alpha = best.score;
                window.alpha = alpha + cost;
            }
            self.path.do_move(mv);
            let mut score = self.search_move(window, depth as i32 - 1, 0, 1, best.is_none());
            self.path.undo_move();
            if self.path.limiter.stopped {
                break;
            }
            if !score.is_decisive() {
                score = score - cost;
            }
            if score > alpha {
                let line = [&[mv], &self.path.pv[1][..]].concat();
                best = Some(BestLine { score, line, depth });
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

    pub(crate) fn negamax(&mut self, window: Window, depth: i32, ply: usize, may_pass: bool) -> Score {
        let in_check = self.path.pos.in_check();
        let extends = in_check && ply < (self.params.depth + 2).min(2 * self.path.limiter.root_depth);
        let depth = depth + i32::from(extends);
        if depth <= 0 {
            return self.quiescence(window, 0, ply);
        }
        if let Some(score) = self.score_without_search(ply) {
            return score;
        }
        let is_pv = window.width() > 1;
        let key = self.path.pos.key();
        let entry = self.table.probe(key);
        // Where answers are overlooked a score is not that of the position.
        let sees_all = !self.oversight.is_at(ply);
        if sees_all
            && !is_pv
            && let Some(entry) = entry
            && entry.cuts_off(depth, window.beta)
        {
            return entry.score;
        }
        let may_prune = self.params.prunes() && !is_pv && !in_check;
        let mut eval = -Score::INFINITE;
        if may_prune {
            eval = self.evaluate();
            if let Some(score) = self.prune_node(window.beta, eval, depth, ply, may_pass) {
                return score;
            }
        }
        let mut moves = self.ordered_moves::<All>(entry.and_then(|entry| entry.mv), ply);
        if moves.is_empty() {
            return self.mated(ply);
        }
        let info = CheckInfo::new(&self.path.pos);
        let Window { mut alpha, beta } = window;
        let mut best = -Score::INFINITE;
        let mut best_move = None;
        let mut tried = Vec::new();
        let mut searched = 0;
        for number in 0..moves.len() {
            let mv = pick_next(&mut moves[number..]);
            let is_quiet = self.is_quiet(mv);
            let gives_check = info.gives_check(&self.path.pos, mv);
            if may_prune && depth <= 6 && !best.is_loss() && best > -Score::INFINITE && !gives_check {
                let is_late =
                    is_quiet && (searched > 4 + depth * depth || eval + QUIET_GAIN + MARGIN_PER_PLY * depth <= alpha);
                if is_late || !self.path.pos.see_ge(mv, -100 * depth) {
                    continue;
                }
            }
            let mut reduction = 1;
            if depth >= 3 && searched >= 3 && is_quiet && !in_check && !gives_check {
                reduction += late_move_reduction(depth, searched, is_pv);
            }
            self.path.do_move(mv);
            let score = self.search_move(Window { alpha, beta }, depth - 1, ply, reduction, searched == 0);
            self.path.undo_move();
            if self.path.limiter.stopped {
                return Score::DRAW;
            }
            searched += 1;
            best = best.max(score);
            if score > alpha {
                alpha = score;
                best_move = Some(mv);
                self.path.extend_pv(mv, ply);
                if alpha >= beta {
                    if is_quiet {
                        self.note_cutoff(mv, &tried, depth, ply);
                    }
                    break;
                }
            }
            if is_quiet {
                tried.push(mv);
            }
        }
        if sees_all {
            let bound = if best >= beta {
                Bound::LOWER
            } else if best_move.is_some() {
                Bound::EXACT
            } else {
                Bound::UPPER
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
        if !self.path.limiter.stopped && score >= beta && !score.is_decisive() { Some(score) } else { None }
    }

    /// Captures and answers to checks until the position is quiet, `plies` below the search proper.
    fn quiescence(&mut self, window: Window, plies: i32, ply: usize) -> Score {
        if let Some(score) = self.score_without_search(ply) {
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
        let mut moves = if in_check {
            self.ordered_moves::<Evasions>(None, ply)
        } else {
            self.ordered_moves::<Captures>(None, ply)
        };
        if in_check && moves.is_empty() {
            return self.mated(ply);
        }
        for number in 0..moves.len() {
            let mv = pick_next(&mut moves[number..]);
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
            best = best.max(score);
            if score > alpha {
                alpha = score;
                self.path.extend_pv(mv, ply);
                if alpha >= beta {
                    break;
                }
            }
        }
        best
    }

    /// Plies of captures that are looked at: all, where scores are exact.
    fn quiescence_plies(&self) -> i32 {
        if self.scoring == Scoring::Noisy { self.params.quiescence_plies() } else { LevelParams::ALL_CAPTURES }
    }

    /// Enters a node: the score if it is known without a search, because the search is over or the game is.
    fn score_without_search(&mut self, ply: usize) -> Option<Score> {
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
        if ply >= self.mate_plies {
            return None;
        }
        let mate = mate_in_one(&path.pos)?;
        path.pv[ply].push(mate);
        Some(Score::mate_in(ply + 1))
    }

    /// The score of a side that has no move: a mate, unless it is longer than the level sees.
    fn mated(&mut self, ply: usize) -> Score {
        if ply <= self.mate_plies { Score::mated_in(ply) } else { self.evaluate() }
    }

    /// The evaluation as the level sees it: with its noise, and the style of the giver of a handicap.
    fn evaluate(&mut self) -> Score {
        let mut score = self.path.unclamped();
        let pos = &self.path.pos;
        if self.scoring == Scoring::Noisy {
            score = score + noise(self.params.noise, pos.key(), self.seed, pos.ply());
        }
        if let Some(giver) = self.giver {
            let bonus = giver.bonus(pos);
            score = score + if pos.side() == giver.side { bonus } else { -bonus };
        }
        score.clamp_eval()
    }

    /// The moves of a node that the level sees, each with its order.
    pub(crate) fn ordered_moves<K: Kind>(&self, tt_move: Option<Move>, ply: usize) -> Vec<(i32, Move)> {
        let pos = &self.path.pos;
        let list: MoveList = generate::<K>(pos);
        let mut moves = Vec::with_capacity(list.len());
        for mv in &list {
            if self.path.limiter.limits.all_moves || !leaves_unpromoted(pos, mv) {
                moves.push((self.order(mv, tt_move, ply), mv));
            }
        }
        if self.oversight.is_at(ply) && !pos.in_check() {
            let info = CheckInfo::new(pos);
            let first = moves.iter().copied().max_by_key(|&(order, _)| order);
            moves.retain(|&(_, mv)| !self.oversight.overlooks(pos, &info, mv, ply));
            // At least one answer is seen.
            if moves.is_empty() {
                moves.extend(first);
            }
        }
        moves
    }

    fn order(&self, mv: Move, tt_move: Option<Move>, ply: usize) -> i32 {
        if Some(mv) == tt_move {
            return TT_MOVE;
        }
        if let Some(captured) = self.path.pos.piece_on(mv.to()) {
            let wins = self.path.pos.see_ge(mv, 0);
            return if wins { GOOD_CAPTURE + captured.piece_type().capture_gain() } else { -GOOD_CAPTURE };
        }
        let killer = if self.killers[ply].contains(&Some(mv)) { KILLER } else { 0 };
        killer + self.history[usize::from(mv.bits())][ply & 1] + 1_000 * i32::from(mv.is_promotion())
    }

    fn is_quiet(&self, mv: Move) -> bool {
        self.path.pos.piece_on(mv.to()).is_none() && !mv.is_promotion()
    }

    /// A quiet move has cut off after these other ones that had not.
    fn note_cutoff(&mut self, mv: Move, tried: &[Move], depth: i32, ply: usize) {
        let killers = &mut self.killers[ply];
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
        let bonus = (depth * depth * 16).min(HISTORY_LIMIT / 4);
        self.update_history(mv, ply, bonus);
        for &other in tried {
            self.update_history(other, ply, -bonus);
        }
    }

    fn update_history(&mut self, mv: Move, ply: usize, bonus: i32) {
        let value = &mut self.history[usize::from(mv.bits())][ply & 1];
        *value += bonus - *value * bonus.abs() / HISTORY_LIMIT;
    }

    /// Report on a move: its line, and the score at the line's end without noise.
    pub(crate) fn report(&mut self, best: &BestLine) -> Report {
        let score = self.exact_score(best);
        Report { depth: best.depth, score, pv: best.line.clone(), hashfull: 0, ..self.path.progress() }
    }

    fn exact_score(&mut self, best: &BestLine) -> Score {
        if best.score.is_decisive() && best.score > -Score::INFINITE {
            return best.score;
        }
        let nodes = self.path.limiter.nodes;
        let plies = best.line.len().min(MAX_PLY - 1);
        for &mv in &best.line[..plies] {
            self.path.do_move(mv);
        }
        let leaf = self.path.game_end(plies).unwrap_or_else(|| self.path.evaluate());
        for _ in 0..plies {
            self.path.undo_move();
        }
        // Walking to the leaf is no search.
        self.path.limiter.nodes = nodes;
        if plies.is_multiple_of(2) { leaf } else { -leaf }
    }
}

/// Puts the first move in order in front and returns it.
fn pick_next(moves: &mut [(i32, Move)]) -> Move {
    let mut first = 0;
    for at in 1..moves.len() {
        if moves[at].0 > moves[first].0 {
            first = at;
        }
    }
    moves.swap(0, first);
    moves[0].1
}

/// Late-move reduction: plies that a late quiet move is searched shallower at first.
fn late_move_reduction(depth: i32, searched: i32, is_pv: bool) -> i32 {
    let reduction = 0.4 + f64::from(depth).ln() * f64::from(searched).ln() / 2.2;
    (reduction as i32 - i32::from(is_pv)).clamp(0, depth - 2)
}

/// The most slots of a hash table, of 24 bytes each.
const MAX_SLOTS: usize = 1 << 18;

/// What the hash table knows about a position.
#[derive(Clone, Copy, Debug)]
struct Entry {
    mv: Option<Move>,
    score: Score,
    depth: i32,
    bound: Bound,
}

impl Entry {
    /// Tests whether the score decides a search of this depth that asks for beta.
    fn cuts_off(&self, depth: i32, beta: Score) -> bool {
        let decides = match self.bound {
            Bound::EXACT => true,
            Bound::LOWER => self.score >= beta,
            Bound::UPPER => self.score < beta,
            _ => false,
        };
        // A mate may be seen from one place and be too long from another.
        decides && self.depth >= depth && !self.score.is_decisive()
    }
}

/// The hash table of one search, which is thrown away with it: one position a slot, the latest stays.
struct HashTable(Vec<Option<(Key, Entry)>>);

impl HashTable {
    /// A table for a search of `nodes` nodes.
    fn new(nodes: u64) -> HashTable {
        let slots = usize::try_from(2 * nodes).unwrap_or(MAX_SLOTS).min(MAX_SLOTS).next_power_of_two();
        HashTable(vec![None; slots])
    }

    fn slot(&self, key: Key) -> usize {
        key.0 as usize & (self.0.len() - 1)
    }

    fn probe(&self, key: Key) -> Option<Entry> {
        match self.0[self.slot(key)] {
            Some((stored, entry)) if stored == key => Some(entry),
            _ => None,
        }
    }

    fn store(&mut self, key: Key, mv: Option<Move>, score: Score, depth: i32, bound: Bound) {
        let mv = mv.or_else(|| self.probe(key).and_then(|entry| entry.mv));
        let slot = self.slot(key);
        self.0[slot] = Some((key, Entry { mv, score, depth, bound }));
    }
}
