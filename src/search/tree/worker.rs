//! One thread of a search: everything that it owns.

use super::stack::Stack;
use crate::eval::{Evaluation, Evaluator};
use crate::movegen::is_legal;
use crate::position::{GameRules, Observer, Position};
use crate::search::bound::Bound;
use crate::search::limits::Limits;
use crate::search::line::{Line, MAX_PLY};
use crate::search::ordering::correction::{CorrectionKeys, Corrections, LastMoves};
use crate::search::ordering::history::{ContHistIndex, History, HistoryKeys, HistorySize, PieceTo};
use crate::search::params::FIRST_ITERATION_NODES;
use crate::search::report::{Decision, Report, SearchResult};
use crate::search::root::root_move::RootMove;
use crate::search::root::signals::Signals;
use crate::search::time::{BestMoveStability, Budget};
use crate::search::tt::Table;
use crate::types::{Color, Move, Piece, PieceType, Score, Square, StopToken};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Nodes between two looks at clock and signals; fewer under a small limit of nodes.
const CHECK_INTERVAL: u64 = 1_024;

/// Tables that all workers of a search share.
pub(in crate::search) struct SharedTables {
    pub(in crate::search) table: Table,
    /// The first worker has ended: the others end too.
    pub(in crate::search) halt: AtomicBool,
}

/// A thread's share of a search: its position, evaluation, histories and counters.
pub(in crate::search) struct Worker {
    pub(in crate::search) id: usize,
    pub(super) shared: Arc<SharedTables>,
    pub(in crate::search) pos: Position,
    pub(in crate::search) eval: Evaluator,
    pub(super) history: History,
    /// Recent errors of the static evaluation.
    pub(super) corrections: Corrections,
    /// Keys of the position's slowly changing parts, and those before each move of the current path.
    pub(super) correction_keys: CorrectionKeys,
    earlier_keys: Vec<CorrectionKeys>,
    pub(super) rules: GameRules,
    /// Value of a draw to either side, by colour.
    pub(super) draw_scores: [Score; 2],
    pub(in crate::search) root_moves: Vec<RootMove>,
    /// Which place among the root moves is searched for; moves of earlier places are left out.
    pub(in crate::search) root_place: usize,
    /// The moves that are searched for it, as they stand among the root moves; in a row, for each is looked for.
    pub(in crate::search) root_order: Vec<Move>,
    /// Where the one that is being searched stands among the root moves.
    pub(in crate::search) root_searched: usize,
    /// Width of the root's window in the running search.
    pub(in crate::search) root_delta: i32,
    /// Amount that a window of one point takes off a reduction.
    pub(in crate::search) root_share: i32,
    /// The best line of the last iteration.
    pub(in crate::search) follow_line: Line,
    /// Entries of the plies of the current path.
    pub(super) stack: Stack,
    /// The best line found from each ply of the current path.
    pub(in crate::search) pv: Vec<Line>,
    /// No null move is tried above this ply: one is being verified.
    pub(super) null_move_min_ply: usize,
    pub(in crate::search) seldepth: usize,
    pub(in crate::search) nodes: u64,
    reported_nodes: u64,
    next_check: u64,
    last_check: Duration,
    /// The longest time between two looks at the clock.
    pub(super) longest_pause: Duration,
    pub(in crate::search) stopped: bool,
    /// Depth of the running iteration.
    pub(in crate::search) root_depth: usize,
    pub(in crate::search) limits: Limits,
    pub(super) budget: Option<Budget>,
    /// Stability of the best move over the iterations so far and since the last move of the game.
    pub(in crate::search) stability: BestMoveStability,
    pub(in crate::search) signals: Arc<Signals>,
    /// Every node that was entered, in order.
    #[cfg(test)]
    pub(super) trace: Vec<super::tests::Entered>,
}

impl Worker {
    pub(in crate::search) fn new(id: usize, shared: Arc<SharedTables>, size: HistorySize) -> Worker {
        let pos = Position::startpos();
        Worker {
            id,
            shared,
            eval: Evaluator::new(&Evaluation::default(), &pos),
            pos,
            history: History::new(size),
            corrections: Corrections::new(),
            correction_keys: CorrectionKeys::default(),
            earlier_keys: Vec::new(),
            rules: GameRules::default(),
            draw_scores: [Score::DRAW; 2],
            root_moves: Vec::new(),
            root_place: 0,
            root_order: Vec::new(),
            root_searched: 0,
            root_delta: 1,
            root_share: 0,
            follow_line: Line::new(),
            stack: Stack::new(),
            pv: vec![Line::new(); MAX_PLY + 2],
            null_move_min_ply: 0,
            seldepth: 0,
            nodes: 0,
            reported_nodes: 0,
            next_check: 0,
            last_check: Duration::ZERO,
            longest_pause: Duration::ZERO,
            stopped: false,
            root_depth: 0,
            limits: Limits::default(),
            budget: None,
            stability: BestMoveStability::default(),
            signals: Arc::new(Signals::new(&StopToken::new())),
            #[cfg(test)]
            trace: Vec::new(),
        }
    }

    /// Size of a worker in bytes; its stack is taken when it searches.
    pub(in crate::search) const fn bytes(size: HistorySize) -> usize {
        size.bytes() + Corrections::BYTES + size_of::<Line>() * (MAX_PLY + 2)
    }

    /// Makes ready for a search of the position.
    pub(in crate::search) fn prepare(
        &mut self,
        pos: &Position,
        rules: GameRules,
        limits: &Limits,
        signals: &Arc<Signals>,
    ) {
        self.pos = pos.clone();
        self.eval.reset(pos);
        self.correction_keys = CorrectionKeys::new(pos);
        self.earlier_keys.clear();
        self.stack.clear();
        self.follow_line.clear();
        self.null_move_min_ply = 0;
        self.history.begin_search();
        self.rules = rules;
        self.draw_scores[pos.side()] = limits.draw_value;
        self.draw_scores[!pos.side()] = -limits.draw_value;
        self.limits = limits.clone();
        self.budget = limits.budget(1.0);
        self.stability.begin_search();
        self.signals = Arc::clone(signals);
        (self.seldepth, self.nodes, self.reported_nodes, self.root_depth) = (0, 0, 0, 0);
        self.next_check = 0;
        (self.last_check, self.longest_pause) = (signals.elapsed(), Duration::ZERO);
        self.stopped = false;
    }

    /// Evaluates positions like this from now on.
    pub(in crate::search) fn set_evaluation(&mut self, evaluation: &Evaluation) {
        self.eval = Evaluator::new(evaluation, &self.pos);
    }

    /// Forgets what earlier games taught.
    pub(in crate::search) fn clear(&mut self) {
        self.history.clear();
        self.corrections.clear();
        self.stability = BestMoveStability::default();
    }

    /// Has the table's entries of the position after a move fetched.
    #[inline(always)]
    pub(super) fn prefetch_after(&self, mv: Move) {
        self.shared.table.prefetch(self.pos.key_after(mv));
    }

    /// Makes a move at a ply of the search; [`Worker::undo_move`] takes it back.
    #[inline(always)]
    pub(in crate::search) fn do_move(&mut self, mv: Move, ply: usize) {
        self.shared.table.prefetch(self.pos.key_after(mv));
        self.nodes += 1;
        let captures = self.pos.piece_on(mv.to()).is_some();
        let piece_to = PieceTo::of(&self.pos, mv);
        let entry = &mut self.stack[ply];
        (entry.mv, entry.piece_to) = (Some(mv), piece_to);
        entry.cont_hist = self.history.cont_hist_index(self.pos.in_check(), captures, piece_to);
        self.earlier_keys.push(self.correction_keys);
        let keys = &mut self.correction_keys;
        match &mut self.eval {
            Evaluator::HandCrafted(eval) => {
                eval.push();
                self.pos.do_move_observed(mv, &mut Both(&mut **eval, keys));
            }
            Evaluator::Net(eval) => {
                eval.push();
                self.pos.do_move_observed(mv, &mut Both(&mut **eval, keys));
            }
        }
        self.corrections.prefetch(&self.pos, &self.correction_keys, &self.last_moves(ply + 1));
    }

    /// Takes back the last move.
    #[inline(always)]
    pub(in crate::search) fn undo_move(&mut self) {
        self.pos.undo();
        self.eval.pop();
        self.correction_keys = self.earlier_keys.pop().expect("a move was made");
    }

    /// Passes at a ply of the search; [`Worker::undo_null_move`] takes it back.
    pub(in crate::search) fn do_null_move(&mut self, ply: usize) {
        self.nodes += 1;
        let entry = &mut self.stack[ply];
        (entry.mv, entry.piece_to, entry.cont_hist) = (None, PieceTo::NONE, ContHistIndex::NONE);
        self.pos.do_null_move();
    }

    /// Takes back a null move.
    pub(in crate::search) fn undo_null_move(&mut self) {
        self.pos.undo();
    }

    /// Where the histories keep what they know of the moves at a ply.
    #[inline(always)]
    pub(super) fn history_keys(&self, ply: usize) -> HistoryKeys {
        HistoryKeys {
            cont_hist: std::array::from_fn(|i| self.stack.back(ply, i + 1).cont_hist),
            pawn_row: self.history.pawn_row(self.correction_keys.pawn()),
            ply,
        }
    }

    /// The moves that the corrections at a ply depend on.
    #[inline(always)]
    fn last_moves(&self, ply: usize) -> LastMoves {
        let [last, two_before, four_before] = [1, 2, 4].map(|back| self.stack.back(ply, back).piece_to);
        LastMoves { last, two_before, four_before }
    }

    /// By how much the past corrects the static evaluation, in 1/131,072 centipawn.
    #[inline(always)]
    pub(super) fn correction(&self, ply: usize) -> i32 {
        self.corrections.value(&self.pos, &self.correction_keys, &self.last_moves(ply))
    }

    /// The search has found out by how much the static evaluation is off.
    pub(super) fn learn_correction(&mut self, ply: usize, bonus: i32) {
        let moves = self.last_moves(ply);
        self.corrections.learn(&self.pos, &self.correction_keys, &moves, bonus);
    }

    /// Tests whether the search must end now. Reads clock and signals only every [`CHECK_INTERVAL`] nodes.
    #[inline(always)]
    pub(in crate::search) fn must_stop(&mut self) -> bool {
        if self.nodes >= self.next_check && !self.stopped {
            self.check_limits();
        }
        self.stopped
    }

    /// Goes on after the limit of nodes, with a number of them more.
    pub(in crate::search) fn allow_nodes(&mut self, nodes: u64) {
        self.limits.nodes = Some(self.nodes + nodes);
        (self.next_check, self.stopped) = (0, false);
    }

    #[cold]
    fn check_limits(&mut self) {
        self.flush_nodes();
        self.next_check = self.nodes + self.limits.nodes.map_or(CHECK_INTERVAL, |n| (n / 128).clamp(1, CHECK_INTERVAL));
        let mut stop = self.signals.is_stopped() || self.shared.halt.load(Ordering::Relaxed);
        if self.id == 0 {
            let now = self.signals.elapsed();
            self.longest_pause = self.longest_pause.max(now.saturating_sub(self.last_check));
            self.last_check = now;
            if let Some(limit) = self.limits.nodes {
                let all = self.signals.nodes();
                stop |= all >= limit;
                self.next_check = self.next_check.min(self.nodes + limit.saturating_sub(all).max(1));
            }
            stop |= self.budget_now().is_some_and(|budget| self.signals.thinking_time() >= budget.maximum);
        }
        self.stopped = stop && (self.root_depth > 1 || self.nodes >= FIRST_ITERATION_NODES);
    }

    /// The time for this move, unless it is not bounded by time or the opponent's clock is running.
    pub(in crate::search) fn budget_now(&mut self) -> Option<Budget> {
        if self.limits.ponder {
            if self.signals.is_pondering() {
                return None;
            }
            self.limits.begin_clock(self.signals.hit_clock());
            self.budget = self.limits.budget(1.0);
        }
        self.budget
    }

    /// Adds this worker's nodes to the count of all.
    pub(in crate::search) fn flush_nodes(&mut self) {
        self.signals.add_nodes(self.nodes - self.reported_nodes);
        self.reported_nodes = self.nodes;
    }

    /// Result of the search, with the report whose line begins with the move to play.
    pub(in crate::search) fn result(&self, report: Option<Report>) -> SearchResult {
        let root = &self.root_moves[0];
        let searched = if report.is_none() { root.pv() } else { Vec::new() };
        let line = report.as_ref().map_or(&searched, |report| &report.pv);
        let best = line.first().copied().unwrap_or(root.mv);
        let answer = line.get(1).copied().or_else(|| self.lengthened(vec![best]).get(1).copied());
        SearchResult {
            decision: Decision::Play(best, answer),
            report,
            nodes: self.signals.nodes(),
            longest_pause: self.longest_pause,
            fault: None,
        }
    }

    /// A line from the root with what the table knows of its rest, as far as the iteration is deep. Lines are short where a
    /// move has turned out better than the window: its answers were searched for a bound only.
    pub(in crate::search) fn lengthened(&self, mut line: Vec<Move>) -> Vec<Move> {
        let mut pos = self.pos.clone();
        line.iter().for_each(|&mv| pos.do_move(mv));
        while line.len() < self.root_depth && pos.occurrences() == 1 {
            let known = self.shared.table.probe(pos.key(), line.len()).and_then(|entry| entry.mv);
            let Some(mv) = known.filter(|&mv| is_legal(&pos, mv)) else { break };
            pos.do_move(mv);
            line.push(mv);
        }
        line
    }

    /// The state of the search at this moment, one report for each of the best `lines` root moves.
    pub(in crate::search) fn reports(&mut self, lines: usize) -> Vec<Report> {
        let now = self.progress();
        let report = |(place, root): (usize, &RootMove)| Report {
            multi_pv: (lines > 1).then_some(place + 1),
            depth: root.depth.max(1),
            bound: root.bound,
            score: root.shown_score().unwrap_or(now.score),
            pv: root.pv(),
            ..now
        };
        self.root_moves.iter().take(lines).enumerate().map(report).collect()
    }

    /// A report without line and score.
    pub(in crate::search) fn progress(&mut self) -> Report {
        self.flush_nodes();
        Report {
            multi_pv: None,
            depth: self.root_depth,
            seldepth: self.seldepth,
            score: self.stack[0].static_eval.clamp_eval(),
            bound: Bound::EXACT,
            nodes: self.signals.nodes(),
            time: self.signals.elapsed(),
            hashfull: self.shared.table.hashfull(),
            pv: Vec::new(),
        }
    }
}

/// Two observers of the same moves.
struct Both<'a, A, B>(&'a mut A, &'a mut B);

impl<A: Observer, B: Observer> Observer for Both<'_, A, B> {
    #[inline(always)]
    fn piece_added(&mut self, piece: Piece, square: Square) {
        self.0.piece_added(piece, square);
        self.1.piece_added(piece, square);
    }

    #[inline(always)]
    fn piece_removed(&mut self, piece: Piece, square: Square) {
        self.0.piece_removed(piece, square);
        self.1.piece_removed(piece, square);
    }

    #[inline(always)]
    fn hand_changed(&mut self, color: Color, piece_type: PieceType, count: u8) {
        self.0.hand_changed(color, piece_type, count);
        self.1.hand_changed(color, piece_type, count);
    }
}
