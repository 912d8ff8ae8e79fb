//! One thread of a search: everything that it owns.

use super::correction::{Corrections, Structure};
use super::history::{CONTINUATIONS, Context, History, PieceTo};
use super::limits::Limits;
use super::report::{Outcome, Report, Verdict};
use super::signals::Signals;
use super::time::{Budget, Course};
use super::tt::Table;
use super::{MAX_PLY, params::FIRST_ITERATION_NODES};
use crate::eval::{Evaluation, Evaluator};
use crate::movegen::is_legal;
use crate::position::{GameRules, Observer, Position};
use crate::types::{Color, Move, Piece, PieceType, Score, Square};
use arrayvec::ArrayVec;
use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A line of moves.
pub(super) type Line = ArrayVec<Move, { MAX_PLY + 1 }>;

/// A legal move of the root with what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// The score of the running iteration, minus infinity as long as the move was not found to be among the best.
    pub(super) score: Score,
    /// The score of the iteration before.
    pub(super) previous: Score,
    /// The line that goes with the score.
    pub(super) pv: Line,
    /// Nodes below it in this search.
    pub(super) nodes: u64,
}

impl RootMove {
    /// A move of which nothing is known.
    pub(super) fn new(mv: Move) -> RootMove {
        let unknown = -Score::INFINITE;
        RootMove { mv, score: unknown, previous: unknown, pv: [mv].into_iter().collect(), nodes: 0 }
    }

    /// Sorts the best to the front: by this iteration's score, then by the last one's.
    pub(super) fn order(&self) -> (Reverse<Score>, Reverse<Score>) {
        (Reverse(self.score), Reverse(self.previous))
    }

    /// The score that goes with the line, if the move was ever scored.
    fn known_score(&self) -> Option<Score> {
        [self.score, self.previous].into_iter().find(|&score| score > -Score::INFINITE)
    }
}

/// How often clock and signals are read, in nodes; more often under a small limit of nodes.
const CHECK_INTERVAL: u64 = 1_024;

/// What all workers of a search share.
pub(super) struct Shared {
    pub(super) table: Table,
    /// The first worker has ended: the others end too.
    pub(super) halt: AtomicBool,
}

/// A thread's share of a search: its position, evaluation, histories and counters.
pub(super) struct Worker {
    pub(super) id: usize,
    pub(super) shared: Arc<Shared>,
    pub(super) pos: Position,
    pub(super) eval: Evaluator,
    pub(super) history: History,
    /// What the static evaluation was off by lately.
    pub(super) corrections: Corrections,
    /// Keys of the position's slowly changing parts, and those before each move of the current path.
    pub(super) structure: Structure,
    structures: Vec<Structure>,
    pub(super) rules: GameRules,
    /// What a draw is worth to either side, by colour.
    pub(super) draw_scores: [Score; 2],
    pub(super) root_moves: Vec<RootMove>,
    /// The best line found from each ply of the current path.
    pub(super) pv: Vec<Line>,
    /// The static evaluations along the current path.
    pub(super) evals: [Score; MAX_PLY + 1],
    /// The same before any correction; without a meaning in check.
    pub(super) raw_evals: [Score; MAX_PLY + 1],
    /// The moves of the current path; `None` for a null move.
    pub(super) path: [Option<Move>; MAX_PLY + 1],
    /// The same as pieces on their destinations.
    moved: [PieceTo; MAX_PLY + 1],
    /// How many nodes of this ply cut off since their grandparent was entered.
    pub(super) cutoffs: [u16; MAX_PLY + 4],
    /// The move that a search at this ply leaves out, to see how much better than all others it is.
    pub(super) excluded: [Option<Move>; MAX_PLY + 1],
    pub(super) seldepth: usize,
    pub(super) nodes: u64,
    reported_nodes: u64,
    next_check: u64,
    last_check: Duration,
    /// The longest time between two looks at the clock.
    pub(super) longest_pause: Duration,
    pub(super) stopped: bool,
    /// Depth of the running iteration.
    pub(super) iteration: usize,
    pub(super) limits: Limits,
    pub(super) budget: Option<Budget>,
    /// What the iterations so far say about the time that the move is worth.
    pub(super) course: Course,
    pub(super) signals: Arc<Signals>,
}

impl Worker {
    pub(super) fn new(id: usize, shared: Arc<Shared>) -> Worker {
        let pos = Position::startpos();
        Worker {
            id,
            shared,
            eval: Evaluator::new(&Evaluation::default(), &pos),
            pos,
            history: History::new(),
            corrections: Corrections::new(),
            structure: Structure::default(),
            structures: Vec::new(),
            rules: GameRules::default(),
            draw_scores: [Score::DRAW; 2],
            root_moves: Vec::new(),
            pv: vec![Line::new(); MAX_PLY + 2],
            evals: [Score(0); MAX_PLY + 1],
            raw_evals: [Score(0); MAX_PLY + 1],
            path: [None; MAX_PLY + 1],
            moved: [PieceTo::NONE; MAX_PLY + 1],
            cutoffs: [0; MAX_PLY + 4],
            excluded: [None; MAX_PLY + 1],
            seldepth: 0,
            nodes: 0,
            reported_nodes: 0,
            next_check: 0,
            last_check: Duration::ZERO,
            longest_pause: Duration::ZERO,
            stopped: false,
            iteration: 0,
            limits: Limits::default(),
            budget: None,
            course: Course::default(),
            signals: Arc::default(),
        }
    }

    /// Makes ready for a search of the position.
    pub(super) fn prepare(&mut self, pos: &Position, rules: GameRules, limits: &Limits, signals: &Arc<Signals>) {
        self.pos = pos.clone();
        self.eval.reset(pos);
        self.structure = Structure::new(pos);
        self.structures.clear();
        self.excluded = [None; MAX_PLY + 1];
        self.cutoffs = [0; MAX_PLY + 4];
        self.history.age();
        self.rules = rules;
        self.draw_scores[pos.side()] = limits.draw_value;
        self.draw_scores[!pos.side()] = -limits.draw_value;
        self.limits = limits.clone();
        self.budget = Budget::new(limits);
        self.course = Course::default();
        self.signals = Arc::clone(signals);
        (self.seldepth, self.nodes, self.reported_nodes, self.iteration) = (0, 0, 0, 0);
        self.next_check = 0;
        (self.last_check, self.longest_pause) = (signals.elapsed(), Duration::ZERO);
        self.stopped = false;
    }

    /// Evaluates positions like this from now on.
    pub(super) fn set_evaluation(&mut self, evaluation: &Evaluation) {
        self.eval = Evaluator::new(evaluation, &self.pos);
    }

    /// Forgets what earlier games taught.
    pub(super) fn clear(&mut self) {
        self.history.clear();
        self.corrections.clear();
    }

    /// Makes a move at a ply of the search; [`Worker::undo_move`] takes it back.
    #[inline(always)]
    pub(super) fn do_move(&mut self, mv: Move, ply: usize) {
        self.shared.table.prefetch(self.pos.key_after(mv));
        self.nodes += 1;
        self.path[ply] = Some(mv);
        self.moved[ply] = PieceTo::of(&self.pos, mv);
        self.structures.push(self.structure);
        let structure = &mut self.structure;
        match &mut self.eval {
            Evaluator::HandCrafted(eval) => {
                eval.push();
                self.pos.do_move_observed(mv, &mut Watchers { eval: &mut **eval, structure });
            }
            Evaluator::Net(eval) => {
                eval.push();
                self.pos.do_move_observed(mv, &mut Watchers { eval: &mut **eval, structure });
            }
        }
    }

    /// Takes back the last move.
    #[inline(always)]
    pub(super) fn undo_move(&mut self) {
        self.pos.undo();
        self.eval.pop();
        self.structure = self.structures.pop().expect("a move was made");
    }

    /// Passes at a ply of the search.
    pub(super) fn do_null_move(&mut self, ply: usize) {
        self.nodes += 1;
        self.path[ply] = None;
        self.moved[ply] = PieceTo::NONE;
        self.pos.do_null_move();
    }

    /// The moves that led to a ply of the search.
    #[inline(always)]
    pub(super) fn context(&self, ply: usize) -> Context {
        CONTINUATIONS.map(|back| if ply >= back { self.moved[ply - back] } else { PieceTo::NONE })
    }

    /// The move of the path at a ply as a piece on its destination.
    pub(super) fn moved(&self, ply: usize) -> PieceTo {
        self.moved[ply]
    }

    /// The static evaluation as the past corrects it.
    #[inline(always)]
    pub(super) fn corrected(&self, eval: Score) -> Score {
        self.corrections.correct(&self.pos, &self.structure, eval)
    }

    /// Whether the search must end now. Reads clock and signals only every so many nodes.
    #[inline(always)]
    pub(super) fn must_stop(&mut self) -> bool {
        if self.nodes >= self.next_check && !self.stopped {
            self.check_limits();
        }
        self.stopped
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
        self.stopped = stop && (self.iteration > 1 || self.nodes >= FIRST_ITERATION_NODES);
    }

    /// The time for this move, unless it is not bounded by time or the opponent's clock is running.
    pub(super) fn budget_now(&mut self) -> Option<Budget> {
        if self.limits.ponder {
            if self.signals.is_pondering() {
                return None;
            }
            self.limits.begin_clock(self.signals.hit_clock());
            self.budget = Budget::new(&self.limits);
        }
        self.budget
    }

    /// Adds this worker's nodes to the count of all.
    pub(super) fn flush_nodes(&mut self) {
        self.signals.add_nodes(self.nodes - self.reported_nodes);
        self.reported_nodes = self.nodes;
    }

    /// What the search has come to, with the report whose line begins with the move to play.
    pub(super) fn outcome(&self, report: Option<Report>) -> Outcome {
        let root = &self.root_moves[0];
        let line = report.as_ref().map_or(&root.pv[..], |report| &report.pv);
        let best = line.first().copied().unwrap_or(root.mv);
        Outcome {
            verdict: Verdict::Play(best, line.get(1).copied().or_else(|| self.expected_answer(best))),
            report,
            nodes: self.signals.nodes(),
            longest_pause: self.longest_pause,
        }
    }

    /// The answer to a move that the table knows of. A line is one move long when the search was stopped just as the move
    /// had turned out better than the window.
    fn expected_answer(&self, best: Move) -> Option<Move> {
        let mut after = self.pos.clone();
        after.do_move(best);
        self.shared.table.probe(after.key(), 1)?.mv.filter(|&mv| is_legal(&after, mv))
    }

    /// The state of the search at this moment, one report for each of the best `lines` root moves.
    pub(super) fn reports(&mut self, depth: usize, lines: usize) -> Vec<Report> {
        self.flush_nodes();
        let now = Report {
            multi_pv: None,
            depth,
            seldepth: self.seldepth,
            score: self.evals[0],
            nodes: self.signals.nodes(),
            time: self.signals.elapsed(),
            hashfull: self.shared.table.hashfull(),
            pv: Vec::new(),
        };
        let report = |(place, root): (usize, &RootMove)| Report {
            multi_pv: (lines > 1).then_some(place + 1),
            score: root.known_score().unwrap_or(now.score),
            pv: root.pv.to_vec(),
            ..now
        };
        self.root_moves.iter().take(lines).enumerate().map(report).collect()
    }
}

/// All that follows the position's moves.
struct Watchers<'a, E> {
    eval: &'a mut E,
    structure: &'a mut Structure,
}

impl<E: Observer> Observer for Watchers<'_, E> {
    #[inline(always)]
    fn piece_added(&mut self, piece: Piece, square: Square) {
        self.eval.piece_added(piece, square);
        self.structure.piece_added(piece, square);
    }

    #[inline(always)]
    fn piece_removed(&mut self, piece: Piece, square: Square) {
        self.eval.piece_removed(piece, square);
        self.structure.piece_removed(piece, square);
    }

    #[inline(always)]
    fn hand_changed(&mut self, color: Color, piece_type: PieceType, count: u8) {
        self.eval.hand_changed(color, piece_type, count);
        self.structure.hand_changed(color, piece_type, count);
    }
}
