//! One thread of a search: everything that it owns.

use super::control::SearchControl;
use super::correction::{CorrectionKeys, Corrections, LastMoves};
use super::history::{ContHistIndex, History, HistoryKeys, HistorySize, PieceTo, SharedHistory};
use super::path::Path;
use super::root::RootState;
use super::stack::{Line, MAX_PLY, Stack};
use super::tt::Table;
use crate::eval::{Evaluate, Evaluation};
use crate::movegen::is_legal;
use crate::position::{GameRules, Position};
use crate::types::{Move, Score};
use std::sync::Arc;

/// A thread's share of a search.
pub(crate) struct Worker {
    pub(crate) id: usize,
    /// The transposition table, which all workers share.
    pub(crate) table: Arc<Table>,
    pub(crate) path: Path,
    pub(crate) root: RootState,
    pub(crate) learnt: Learnt,
    /// State of each ply of the path.
    pub(crate) stack: Stack,
    /// Keys of the position's slowly changing parts, and those before each move of the path.
    pub(crate) correction_keys: CorrectionKeys,
    earlier_keys: Vec<CorrectionKeys>,
    /// No null move is tried above this ply: one is being verified.
    pub(crate) null_move_min_ply: usize,
    /// Every node that was entered, in order.
    #[cfg(test)]
    pub(crate) trace: Vec<super::tests::Entered>,
}

/// Tables that a worker has learnt, in this search and in earlier ones.
pub(crate) struct Learnt {
    /// Which moves were good.
    pub(crate) history: History,
    /// By how much the static evaluation was off.
    pub(crate) corrections: Corrections,
}

/// Tables that all workers of a pool learn together: too large for each to have its own, and the sooner learnt by many.
/// A clone is the same tables, the default none at all.
#[derive(Clone, Default)]
pub(crate) struct SharedTables {
    history: SharedHistory,
    corrections: Corrections,
}

impl SharedTables {
    pub(crate) fn new(size: HistorySize) -> SharedTables {
        SharedTables { history: SharedHistory::new(size), corrections: Corrections::new() }
    }

    /// Memory of the tables, in bytes.
    pub(crate) const fn bytes(size: HistorySize) -> usize {
        size.bytes() + Corrections::BYTES
    }

    /// Sums that change with everything that is learnt.
    #[cfg(test)]
    pub(crate) fn value_sums(&self) -> [i64; 2] {
        [self.history.value_sum(), self.corrections.value_sum()]
    }

    /// Forgets everything: fastest while no worker holds the tables.
    pub(crate) fn clear(&mut self) {
        self.history.clear();
        self.corrections.clear();
    }
}

impl Worker {
    /// A worker with tables of this size, which it learns together with others.
    pub(crate) fn new(id: usize, table: Arc<Table>, size: HistorySize, shared: &SharedTables) -> Worker {
        Worker {
            id,
            table,
            path: Path::new(id),
            root: RootState::default(),
            learnt: Learnt {
                history: History::new(size, shared.history.clone()),
                corrections: shared.corrections.clone(),
            },
            stack: Stack::new(),
            correction_keys: CorrectionKeys::default(),
            earlier_keys: Vec::new(),
            null_move_min_ply: 0,
            #[cfg(test)]
            trace: Vec::new(),
        }
    }

    /// Memory that a worker takes for itself, in bytes; its stack is taken when it searches.
    pub(crate) const BYTES: usize = History::BYTES + size_of::<Line>() * (MAX_PLY + 2);

    /// Tests whether the worker learns these tables.
    #[cfg(test)]
    pub(crate) fn learns(&self, shared: &SharedTables) -> bool {
        self.learnt.history.shared.is_same(&shared.history) && self.learnt.corrections.is_same(&shared.corrections)
    }

    /// Learns these tables from now on.
    pub(crate) fn share(&mut self, shared: &SharedTables) {
        self.learnt.history.shared = shared.history.clone();
        self.learnt.corrections = shared.corrections.clone();
    }

    /// Makes ready for a search of the position.
    pub(crate) fn prepare(&mut self, pos: &Position, rules: GameRules, control: &Arc<SearchControl>) {
        self.path.begin(pos, rules, control);
        self.root.begin_search();
        self.learnt.history.begin_search();
        self.stack.clear();
        self.correction_keys = CorrectionKeys::new(pos);
        self.earlier_keys.clear();
        self.null_move_min_ply = 0;
        #[cfg(test)]
        self.trace.clear();
    }

    /// Evaluates positions like this from now on.
    pub(crate) fn set_evaluation(&mut self, evaluation: &Evaluation) {
        *self.path.eval = evaluation.start(&self.path.pos);
    }

    /// Evaluates positions with this from now on, by the net again if it is `None`.
    pub(crate) fn set_evaluator(&mut self, evaluator: Option<&Arc<dyn Evaluate>>) {
        self.path.evaluator = evaluator.cloned();
    }

    /// Forgets what earlier games taught it alone; [`SharedTables::clear`] does so for what all have learnt.
    pub(crate) fn clear(&mut self) {
        self.learnt.history.clear();
        self.root.forget_game();
    }

    /// The search must end: what it returns from now on means nothing.
    pub(crate) fn stopped(&self) -> bool {
        self.path.limiter.stopped
    }

    /// Nodes of this thread so far.
    pub(crate) fn nodes(&self) -> u64 {
        self.path.limiter.nodes
    }

    /// Depth of the running iteration, in plies.
    pub(crate) fn root_depth(&self) -> usize {
        self.path.limiter.root_depth
    }

    /// Static evaluation of the root.
    pub(crate) fn root_eval(&self) -> Score {
        self.stack[0].static_eval.clamp_eval()
    }

    /// Has the table's entries of the position after a move fetched.
    #[inline(always)]
    pub(crate) fn prefetch_after(&self, mv: Move) {
        self.table.prefetch(self.path.pos.key_after(mv));
    }

    /// Makes a move at a ply of the search; [`Worker::undo_move`] takes it back.
    #[inline(always)]
    pub(crate) fn do_move(&mut self, mv: Move, ply: usize) {
        check_move(&self.path.pos, mv, ply);
        self.prefetch_after(mv);
        let pos = &self.path.pos;
        let captures = pos.piece_on(mv.to()).is_some();
        let piece_to = PieceTo::of(pos, mv);
        let entry = &mut self.stack[ply];
        entry.mv = Some(mv);
        entry.piece_to = piece_to;
        entry.cont_hist = self.learnt.history.cont_hist_index(pos.in_check(), captures, piece_to);
        self.earlier_keys.push(self.correction_keys);
        self.path.do_move_observed(mv, &mut self.correction_keys);
        self.learnt.corrections.prefetch(&self.path.pos, &self.correction_keys, &self.last_moves(ply + 1));
    }

    /// Takes back the last move.
    #[inline(always)]
    pub(crate) fn undo_move(&mut self) {
        self.path.undo_move();
        self.correction_keys = self.earlier_keys.pop().expect("a move was made");
    }

    /// Passes at a ply of the search; [`Path::undo_null_move`] takes it back.
    pub(crate) fn do_null_move(&mut self, ply: usize) {
        debug_assert!(!self.path.pos.in_check(), "a pass in check");
        let entry = &mut self.stack[ply];
        entry.mv = None;
        entry.piece_to = PieceTo::NONE;
        entry.cont_hist = ContHistIndex::NONE;
        self.path.do_null_move();
    }

    /// Where the histories keep what they know of the moves at a ply.
    pub(crate) fn history_keys(&self, ply: usize) -> HistoryKeys {
        HistoryKeys {
            cont_hist: std::array::from_fn(|i| self.stack.back(ply, i + 1).cont_hist),
            pawn_row: self.learnt.history.pawn_row(self.correction_keys.pawn()),
            ply,
        }
    }

    /// The moves that the corrections at a ply depend on.
    fn last_moves(&self, ply: usize) -> LastMoves {
        let [last, two_before, four_before] = [1, 2, 4].map(|back| self.stack.back(ply, back).piece_to);
        LastMoves { last, two_before, four_before }
    }

    /// By how much the past corrects the static evaluation, in 1/131,072 centipawn.
    #[inline(always)]
    pub(crate) fn correction(&self, ply: usize) -> i32 {
        self.learnt.corrections.value(&self.path.pos, &self.correction_keys, &self.last_moves(ply))
    }

    /// The search has found out by how much the static evaluation is off.
    pub(crate) fn learn_correction(&mut self, ply: usize, bonus: i32) {
        let moves = self.last_moves(ply);
        self.learnt.corrections.learn(&self.path.pos, &self.correction_keys, &moves, bonus);
    }
}

/// Nodes between two comparisons of the incremental state with one made afresh.
const INTERVAL: u64 = 512;

/// A move that is about to be made.
fn check_move(pos: &Position, mv: Move, ply: usize) {
    debug_assert!(ply < MAX_PLY, "a move beyond the last ply");
    debug_assert!(is_legal(pos, mv), "{mv} is illegal in {}", pos.to_sfen());
}

/// The incremental state, now and then.
pub(crate) fn check_state(nodes: u64, path: &Path, keys: &CorrectionKeys) {
    debug_assert!(!nodes.is_multiple_of(INTERVAL) || is_sound(path, keys));
}

/// Returns true if position, keys and evaluation are what they would be if made afresh.
#[cold]
fn is_sound(path: &Path, keys: &CorrectionKeys) -> bool {
    let pos = &path.pos;
    assert_eq!(pos.validate(), Ok(()));
    assert_eq!(*keys, CorrectionKeys::new(pos), "{}", pos.to_sfen());
    let mut kept = path.eval.clone();
    let mut fresh = path.eval.clone();
    fresh.reset(pos);
    kept.evaluate(pos) == fresh.evaluate(pos)
}
