//! The threads of a search.
//!
//! Every worker searches the same root over the shared table (lazy SMP) and learns the same large histories; what one
//! finds speeds up the others. The first worker keeps the limits and reports. The threads live on from search to
//! search: to start and end one costs as much as some hundreds of nodes, and many times that on a virtual machine.

use super::breakdown::Breakdown;
use super::vote::select_best_thread;
use super::watchdog::Watchdog;
use crate::eval::{Evaluate, Evaluation};
use crate::host::{Crew, HAS_THREADS, has_clock, share};
use crate::movegen::has_legal_move;
use crate::position::{Declaration, GameRules, Position};
use crate::search::bound::Bound;
use crate::search::chooser::MoveChooser;
use crate::search::limits::Limits;
use crate::search::ordering::history::HistorySize;
use crate::search::report::{Decision, Report, SearchError, SearchResult};
use crate::search::signals::Signals;
use crate::search::tree::root_move::{RootMove, root_moves};
use crate::search::tree::worker::{SharedTables, Worker};
use crate::search::tt::{Shrunk, Table};
use crate::system;
use crate::types::opaque_debug;
use crate::types::{Move, StopToken};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The table and the workers, kept from move to move.
pub struct ThreadPool {
    table: Arc<Table>,
    shrunk: Option<Shrunk>,
    workers: Vec<Worker>,
    /// The large tables that the workers learn together.
    shared: SharedTables,
    evaluation: Evaluation,
    /// The evaluation of the user in place of it.
    evaluator: Option<Arc<dyn Evaluate>>,
    history: HistorySize,
    asked_threads: usize,
    /// The threads of the workers, started by the first search that wants them.
    crew: Option<Crew>,
    /// Nothing is to be forgotten: there was no search since the table was made or cleared.
    is_clear: bool,
}

opaque_debug!(ThreadPool);

/// Stack of a search thread, in bytes: a node keeps its list of moves there.
pub const STACK_BYTES: usize = 32 << 20;
/// Held while a pool takes its memory.
static BUILDING: Mutex<()> = Mutex::new(());

/// Memory that full histories must leave to the table, the threads and the rest of the program.
const MEMORY_LEFT: usize = 48 << 20;

/// Builder of a [`ThreadPool`]: see [`ThreadPool::builder`].
#[derive(Clone, Debug)]
pub struct ThreadPoolBuilder {
    threads: usize,
    table_megabytes: usize,
    history: HistorySize,
    evaluation: Evaluation,
}

impl ThreadPoolBuilder {
    /// Threads of a search, 1 or more. Default 1.
    pub fn threads(mut self, threads: usize) -> ThreadPoolBuilder {
        self.threads = threads.max(1);
        self
    }

    /// Megabytes of the transposition table, 1 or more. Default 16.
    pub fn table_megabytes(mut self, megabytes: usize) -> ThreadPoolBuilder {
        self.table_megabytes = megabytes.max(1);
        self
    }

    /// Histories, which all threads share. Default [`HistorySize::Full`].
    pub fn history(mut self, history: HistorySize) -> ThreadPoolBuilder {
        self.history = history;
        self
    }

    /// The evaluation. Default: the built-in net.
    pub fn evaluation(mut self, evaluation: Evaluation) -> ThreadPoolBuilder {
        self.evaluation = evaluation;
        self
    }

    /// The bytes that the pool is going to take, all of them at once: the table, the histories, and some 1.2 MB for
    /// each thread. The stack of a thread, [`STACK_BYTES`] of address space, takes memory only where it is used.
    pub fn bytes(&self) -> usize {
        let table = self.table_megabytes.saturating_mul(1 << 20);
        let threads = self.threads.saturating_mul(Worker::BYTES);
        table.saturating_add(SharedTables::bytes(self.history)).saturating_add(threads)
    }

    /// Bytes of the smallest pool that [`ThreadPoolBuilder::build`] makes, whatever was asked for: without them it ends
    /// the program.
    pub const LEAST_BYTES: usize = SharedTables::bytes(HistorySize::Small) + Worker::BYTES + (8 << 20);

    /// Makes the pool: with small histories, a smaller table or fewer threads if the system has no memory for more,
    /// which [`ThreadPool::has_small_history`], [`ThreadPool::shrunk`] and [`ThreadPool::fewer_threads`] tell.
    pub fn build(mut self) -> ThreadPool {
        // Nobody else takes what was found to be free.
        let _alone = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
        // A table can be of any size; histories cannot, and take their memory first.
        if SharedTables::bytes(self.history) + MEMORY_LEFT > system::free_megabytes() << 20 {
            self.history = HistorySize::Small;
        }
        let shared = SharedTables::new(self.history);
        let (table, shrunk) = Table::new(self.table_megabytes);
        let mut pool = ThreadPool {
            table: Arc::new(table),
            shrunk,
            workers: Vec::new(),
            shared,
            evaluation: self.evaluation,
            evaluator: None,
            history: self.history,
            asked_threads: 0,
            crew: None,
            is_clear: true,
        };
        pool.set_threads(self.threads);
        pool
    }
}

impl ThreadPool {
    /// A pool as by default but for the number of threads and the megabytes of the table.
    pub fn new(threads: usize, megabytes: usize) -> ThreadPool {
        ThreadPool::builder().threads(threads).table_megabytes(megabytes).build()
    }

    /// Begins to make a pool: one thread, a table of 16 MB, full histories and the built-in net if nothing else is
    /// said.
    ///
    /// ```
    /// use komainu::search::{HistorySize, ThreadPool};
    ///
    /// let builder = ThreadPool::builder().threads(2).table_megabytes(8).history(HistorySize::Small);
    /// assert!(builder.bytes() < 45 << 20);
    /// let pool = builder.build();
    /// assert_eq!((pool.threads(), pool.shrunk(), pool.fewer_threads()), (2, None, None));
    /// ```
    pub fn builder() -> ThreadPoolBuilder {
        ThreadPoolBuilder {
            threads: 1,
            table_megabytes: 16,
            history: HistorySize::Full,
            evaluation: Evaluation::default(),
        }
    }

    /// Changes the number of threads (1 or more); the table keeps what it knows. If there is no memory for that number,
    /// fewer are made: see [`ThreadPool::fewer_threads`].
    pub fn set_threads(&mut self, threads: usize) {
        let threads = threads.max(1);
        if threads == self.asked_threads {
            return;
        }
        self.asked_threads = threads;
        self.crew = None;
        self.workers.truncate(threads);
        let missing = threads - self.workers.len();
        let made = fitting_workers(missing, system::free_megabytes() << 20, Worker::BYTES);
        let made = made.max(usize::from(self.workers.is_empty()));
        let first = self.workers.len();
        let (table, shared, history) = (&self.table, &self.shared, self.history);
        let (evaluation, evaluator) = (&self.evaluation, self.evaluator.as_ref());
        let workers = &mut self.workers;
        share(made * Worker::BYTES, || {
            workers.par_extend((first..first + made).into_par_iter().map(|id| {
                let mut worker = Worker::new(id, Arc::clone(table), history, shared);
                worker.set_evaluation(evaluation);
                worker.set_evaluator(evaluator);
                worker
            }));
        });
    }

    /// The size of the table, if it is less than what was asked for.
    pub fn shrunk(&self) -> Option<Shrunk> {
        self.shrunk
    }

    /// Tests whether the histories are small, because that was asked for or because there was no memory for full ones.
    pub fn has_small_history(&self) -> bool {
        self.history == HistorySize::Small
    }

    /// The number of threads that the system has memory for, if it is less than what was asked for. From the first
    /// search or [`ThreadPool::start_threads`] on it is the number that the system gives.
    pub fn fewer_threads(&self) -> Option<usize> {
        let started = self.crew.as_ref().map_or(self.workers.len(), Crew::threads);
        let there = started.min(self.workers.len());
        (there < self.asked_threads).then_some(there)
    }

    /// Starts the threads, as the first search does that wants them. If the system gives fewer than were asked for,
    /// those that there are search; if it gives none, the calling thread of a search does.
    pub fn start_threads(&mut self) {
        if self.crew.is_none() {
            let wanted = self.workers.len().min(system::fitting_stacks(STACK_BYTES));
            self.crew = Crew::assemble("search", wanted, STACK_BYTES);
        }
        if self.crew.is_none() && HAS_THREADS {
            self.workers.truncate(1);
        }
    }

    /// Evaluates positions like this from now on. If it is another evaluation, the scores of before are forgotten.
    pub fn set_evaluation(&mut self, evaluation: Evaluation) {
        if self.evaluation.is_same(&evaluation) {
            return;
        }
        self.evaluation = evaluation;
        self.workers.iter_mut().for_each(|worker| worker.set_evaluation(&self.evaluation));
        self.clear();
    }

    /// Evaluates positions with this from now on, in place of the net; with `None` by the net again. The scores of
    /// before are forgotten.
    pub fn set_evaluator(&mut self, evaluator: Option<Arc<dyn Evaluate>>) {
        self.evaluator = evaluator;
        self.workers.iter_mut().for_each(|worker| worker.set_evaluator(self.evaluator.as_ref()));
        self.clear();
    }

    /// The number of threads that was asked for.
    pub fn threads(&self) -> usize {
        self.asked_threads
    }

    /// Begins a new game: forgets everything.
    pub fn clear(&mut self) {
        if std::mem::replace(&mut self.is_clear, true) {
            return;
        }
        // The workers give the tables back for the time, so that one owner clears them, once.
        self.workers.iter_mut().for_each(|worker| worker.share(&SharedTables::default()));
        let (table, workers, shared) = (&self.table, &mut self.workers, &mut self.shared);
        let bytes = table.bytes() + SharedTables::bytes(self.history) + workers.len() * Worker::BYTES;
        share(bytes, || {
            table.clear();
            shared.clear();
            workers.par_iter_mut().for_each(Worker::clear);
        });
        self.workers.iter_mut().for_each(|worker| worker.share(&self.shared));
    }

    /// Searches a position and blocks until an answer is wanted and found. Where the system gives no thread, the search
    /// runs on the calling one, which needs a stack of [`STACK_BYTES`] then. `on_block` is called from the thread of
    /// the first worker after each iteration, with one report for each line that is wanted, best first. If it panics,
    /// the search ends and the panic goes on in the calling thread.
    ///
    /// ```
    /// use komainu::position::{GameRules, Position};
    /// use komainu::search::{Decision, Limits, ThreadPool};
    /// use komainu::types::StopToken;
    /// use std::thread;
    ///
    /// // Mate in one for black.
    /// let position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b G 1")?;
    /// let mut pool = ThreadPool::new(1, 1);
    /// let stop = StopToken::new();
    /// let result = pool.search(&position, GameRules::default(), &Limits::to_depth(3), &stop, &mut |_| ())?;
    /// let Decision::Play(best, _) = result.decision else { panic!("there is a move") };
    /// assert_eq!(best.to_string(), "G*5b");
    ///
    /// // Another thread ends a search that would go on for ever.
    /// let limits = Limits { infinite: true, ..Limits::default() };
    /// let result = thread::scope(|scope| {
    ///     scope.spawn(|| stop.stop());
    ///     pool.search(&position, GameRules::default(), &limits, &stop, &mut |_| ())
    /// })?;
    /// assert!(result.report.is_some() && stop.is_stopped());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn search(
        &mut self,
        pos: &Position,
        rules: GameRules,
        limits: &Limits,
        stop: &StopToken,
        on_block: &mut (dyn FnMut(&[Report]) + Send),
    ) -> Result<SearchResult, SearchError> {
        let signals = Arc::new(if limits.ponder { Signals::pondering(stop) } else { Signals::new(stop) });
        let callbacks = Callbacks { chooser: None, on_block, on_answer: &mut |_| () };
        self.search_and_answer(pos, rules, limits, &signals, callbacks)
    }

    /// Searches as [`ThreadPool::search`] does, with an answer that goes out from the thread that found it: on a busy
    /// machine every thread that must be woken first may be some hundredths of a second late.
    pub fn search_and_answer(
        &mut self,
        pos: &Position,
        rules: GameRules,
        limits: &Limits,
        signals: &Arc<Signals>,
        callbacks: Callbacks,
    ) -> Result<SearchResult, SearchError> {
        let callbacks = Callbacks { chooser: callbacks.chooser.filter(|_| limits.may_be_chosen()), ..callbacks };
        if let Some(result) = self.begin(pos, rules, limits, signals, callbacks.chooser)? {
            signals.wait(limits);
            signals.end();
            (callbacks.on_answer)(&result);
            return Ok(result);
        }
        if !HAS_THREADS {
            return Ok(self.run_here(limits, signals, callbacks));
        }
        let breakdown = Breakdown::default();
        let result = self.run(limits, signals, callbacks, &breakdown);
        Ok(SearchResult { fault: breakdown.settle(), ..result })
    }

    /// Searches by the first worker alone and on the calling thread, which needs a stack of [`STACK_BYTES`]. Short
    /// searches are much faster that way; but nobody sees to it that the answer comes in time, and a search that breaks
    /// down panics.
    pub fn search_here(
        &mut self,
        pos: &Position,
        rules: GameRules,
        limits: &Limits,
        stop: &StopToken,
        callbacks: Callbacks,
    ) -> Result<SearchResult, SearchError> {
        let callbacks = Callbacks { chooser: callbacks.chooser.filter(|_| limits.may_be_chosen()), ..callbacks };
        let signals = Arc::new(if limits.ponder { Signals::pondering(stop) } else { Signals::new(stop) });
        let Some(result) = self.begin(pos, rules, limits, &signals, callbacks.chooser)? else {
            return Ok(self.run_here(limits, &signals, callbacks));
        };
        signals.wait(limits);
        (callbacks.on_answer)(&result);
        Ok(result)
    }

    /// Runs the first worker on the calling thread.
    fn run_here(&mut self, limits: &Limits, signals: &Signals, callbacks: Callbacks) -> SearchResult {
        let worker = &mut self.workers[0];
        let report = worker.iterate(callbacks.chooser, callbacks.on_block);
        let result = worker.result(report);
        signals.wait(limits);
        signals.end();
        (callbacks.on_answer)(&result);
        result
    }

    /// Makes the workers ready, unless the answer is known without a search.
    fn begin(
        &mut self,
        pos: &Position,
        rules: GameRules,
        limits: &Limits,
        signals: &Arc<Signals>,
        chooser: Option<&dyn MoveChooser>,
    ) -> Result<Option<SearchResult>, SearchError> {
        let root_moves = root_moves(pos, limits);
        if root_moves.is_empty() && has_legal_move(pos) {
            return Err(SearchError::NoSearchMove);
        }
        if !has_clock() && (limits.clock.is_some() || limits.movetime.is_some()) {
            return Err(SearchError::NoClock);
        }
        self.is_clear = false;
        self.table.age();
        let rules = rules.for_search(pos);
        let declaration = pos.declaration(rules.entering_king);
        if root_moves.is_empty() {
            return Ok(Some(SearchResult::without_search(Decision::Resign, None)));
        }
        let declares = chooser.is_none_or(MoveChooser::declares);
        if declaration == Some(Declaration::Win) && !limits.infinite && declares {
            return Ok(Some(SearchResult::without_search(Decision::DeclareWin, None)));
        }
        if let Some(goal) = winning_try(declaration, &root_moves).filter(|_| !limits.infinite) {
            let report = Report::of_winning_move(goal);
            return Ok(Some(SearchResult::without_search(Decision::Play(goal, None), Some(report))));
        }
        for worker in &mut self.workers {
            worker.prepare(pos, rules, limits, signals);
            worker.root.moves.clone_from(&root_moves);
        }
        Ok(None)
    }

    /// Runs all workers; the first one ends the others and answers.
    fn run(&mut self, limits: &Limits, signals: &Signals, callbacks: Callbacks, breakdown: &Breakdown) -> SearchResult {
        let Callbacks { chooser, on_block, on_answer } = callbacks;
        self.start_threads();
        let crew = self.crew.as_ref();
        let (first, others) = self.workers.split_first_mut().expect("a pool has a worker");
        let helpers = if chooser.is_none() { crew.map_or(0, |crew| others.len().min(crew.threads() - 1)) } else { 0 };
        let others = &mut others[..helpers];
        signals.team.assemble(1 + helpers);
        let mut answer = |result: &SearchResult| breakdown.call_back(signals, || on_answer(result));
        let watchdog = Watchdog::new(limits, signals, first.root.moves[0].mv, &mut answer);
        let watchdog = &watchdog;
        let helper_results: Vec<HelperResult> = others.iter().map(|_| HelperResult::default()).collect();
        let helper_results = &helper_results;
        let mut lead = || {
            // A first worker that broke down leaves the answer to the watchdog.
            breakdown.guard(0, || {
                let report = first.iterate(chooser, &mut |block| {
                    watchdog.note(block);
                    breakdown.call_back(signals, || on_block(block));
                });
                signals.halt();
                let result = first.result(best_of_threads(report, helper_results, limits));
                signals.wait(limits);
                watchdog.answer(result);
            });
            signals.halt();
        };
        match crew {
            None => lead(),
            Some(crew) => {
                let is_over = &AtomicBool::new(false);
                crew.pool().in_place_scope(|scope| {
                    scope.spawn(move |_| {
                        lead();
                        is_over.store(true, Ordering::Release);
                    });
                    for (worker, helper_result) in others.iter_mut().zip(helper_results) {
                        // A helper that broke down must not take the answer with it.
                        scope.spawn(move |_| {
                            let id = worker.id;
                            breakdown.guard(id, || _ = worker.iterate(None, &mut |block| helper_result.note(block)));
                            // Whoever searches no longer holds nobody up.
                            worker.path.limiter.vote(true);
                        });
                    }
                    watchdog.keep(|| is_over.load(Ordering::Acquire));
                });
            }
        }
        watchdog.result()
    }
}

/// Number of the missing workers that are made: as many as fit into the free memory.
fn fitting_workers(missing: usize, free: usize, each: usize) -> usize {
    missing.min(free / each)
}

/// Result of a helping thread so far, for the first one to read at any time.
#[derive(Default)]
struct HelperResult(Mutex<Option<Report>>);

impl HelperResult {
    fn note(&self, block: &[Report]) {
        if let Some(report) = block.first().filter(|report| report.bound == Bound::EXACT) {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(report.clone());
        }
    }

    fn read(&self) -> Option<Report> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The report of the thread whose move is played. Those of the helpers are read as they are: nobody is waited for.
fn best_of_threads(first: Option<Report>, helper_results: &[HelperResult], limits: &Limits) -> Option<Report> {
    let first = first?;
    if limits.multi_pv > 1 || helper_results.is_empty() {
        return Some(first);
    }
    let now = Report { pv: Vec::new(), ..first.clone() };
    let reports: Vec<Report> =
        [first].into_iter().chain(helper_results.iter().filter_map(HelperResult::read)).collect();
    // Nodes, time and hash are those of all threads now.
    select_best_thread(&reports).map(|best| Report {
        nodes: now.nodes,
        time: now.time,
        hashfull: now.hashfull,
        ..best.clone()
    })
}

/// Who is called while a search runs.
pub struct Callbacks<'a> {
    /// Chooses the move in place of the search of full strength, if there is one: a playing level.
    pub chooser: Option<&'a dyn MoveChooser>,
    /// After each iteration, with one report for each line that is wanted, best first; from the thread of the first
    /// worker.
    pub on_block: &'a mut (dyn FnMut(&[Report]) + Send),
    /// When an answer is wanted and found, once. A report may still follow if the search is late.
    pub on_answer: &'a mut (dyn FnMut(&SearchResult) + Send),
}

opaque_debug!(Callbacks<'_>, "Callbacks");

/// The king's move that wins under the try rule, if it may be searched.
fn winning_try(declaration: Option<Declaration>, root_moves: &[RootMove]) -> Option<Move> {
    match declaration {
        Some(Declaration::Try(goal)) => root_moves.iter().map(|root| root.mv).find(|&mv| mv == goal),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn as_many_workers_as_fit_into_the_free_memory_are_made() {
        const GIGABYTE: usize = 1 << 30;
        let each = GIGABYTE / 10;
        assert_eq!(fitting_workers(30, 3 * GIGABYTE, each), 30);
        assert_eq!(fitting_workers(250, 20 * GIGABYTE, each), 200);
        assert_eq!(fitting_workers(1, each / 2, each), 0);
    }

    #[test]
    fn a_thread_takes_the_memory_that_is_told() {
        for size in [HistorySize::Full, HistorySize::Small] {
            assert_eq!(SharedTables::bytes(size).div_ceil(1_000_000), size.megabytes(), "{size:?}");
            assert_eq!(HistorySize::within(size.megabytes()), size);
        }
        assert_eq!(HistorySize::within(HistorySize::Full.megabytes() - 1), HistorySize::Small);
        let bytes = |threads| ThreadPool::builder().threads(threads).table_megabytes(4).bytes();
        assert_eq!(bytes(3) - bytes(1), 2 * Worker::BYTES);
        assert_eq!(bytes(1), (4 << 20) + SharedTables::bytes(HistorySize::Full) + Worker::BYTES);
        assert!(bytes(11) - bytes(1) < 10 * 2_000_000);
    }

    fn small(threads: usize) -> ThreadPool {
        ThreadPool::builder().threads(threads).table_megabytes(1).history(HistorySize::Small).build()
    }

    fn search(pool: &mut ThreadPool, on_block: &mut (dyn FnMut(&[Report]) + Send)) -> SearchResult {
        let (pos, limits) = (Position::startpos(), Limits::to_depth(4));
        pool.search(&pos, GameRules::default(), &limits, &StopToken::new(), on_block).unwrap()
    }

    #[test]
    fn workers_learn_the_same_tables_also_those_that_come_later() {
        let mut pool = small(2);
        let untaught = pool.shared.value_sums();
        search(&mut pool, &mut |_| ());
        let taught = pool.shared.value_sums();
        assert!(taught[0] != untaught[0] && taught[1] != untaught[1], "{taught:?} {untaught:?}");
        pool.set_threads(5);
        assert!(pool.workers.len() == 5 && pool.workers.iter().all(|worker| worker.learns(&pool.shared)));
        assert_eq!(pool.shared.value_sums(), taught);
        pool.set_threads(1);
        assert_eq!(pool.shared.value_sums(), taught);
    }

    #[test]
    fn a_new_game_forgets_what_all_have_learnt_and_they_go_on_together() {
        let mut pool = small(3);
        let untaught = pool.shared.value_sums();
        search(&mut pool, &mut |_| ());
        assert_ne!(pool.shared.value_sums(), untaught);
        pool.clear();
        assert_eq!(pool.shared.value_sums(), untaught);
        assert!(pool.workers.iter().all(|worker| worker.learns(&pool.shared)));
    }

    #[test]
    fn one_thread_searches_the_same_nodes_after_many_threads_and_a_new_game() {
        let mut pool = small(1);
        let fresh = search(&mut pool, &mut |_| ());
        pool.set_threads(3);
        search(&mut pool, &mut |_| ());
        pool.set_threads(1);
        pool.clear();
        let again = search(&mut pool, &mut |_| ());
        assert_eq!((fresh.nodes, fresh.decision), (again.nodes, again.decision));
    }

    #[test]
    fn a_worker_that_breaks_down_is_told_of_in_the_result() {
        for broken in [0, 1] {
            let mut pool = small(2);
            // The first node looks for its line there.
            pool.workers[broken].path.pv.clear();
            let result = search(&mut pool, &mut |_| ());
            let Decision::Play(mv, _) = result.decision else { panic!("{result:?}") };
            assert!(Position::startpos().legal_moves().contains(&mv));
            let fault = result.fault.expect("a fault");
            assert!(fault.starts_with(&format!("thread {broken} of the search broke down: ")), "{fault}");
        }
        assert_eq!(search(&mut small(2), &mut |_| ()).fault, None);
    }

    #[test]
    fn a_panic_of_a_callback_goes_on_in_the_callers_thread_and_the_pool_lives_on() {
        let mut pool = small(2);
        let caught = catch_unwind(AssertUnwindSafe(|| search(&mut pool, &mut |_| panic!("an assert of the caller"))));
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"an assert of the caller"));
        let signals = Arc::new(Signals::new(&StopToken::new()));
        let limits = Limits { infinite: true, ..Limits::default() };
        let callbacks =
            Callbacks { chooser: None, on_block: &mut |_| panic!("within an analysis"), on_answer: &mut |_| () };
        let analysis =
            || pool.search_and_answer(&Position::startpos(), GameRules::default(), &limits, &signals, callbacks);
        let caught = catch_unwind(AssertUnwindSafe(analysis));
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"within an analysis"));
        assert!(search(&mut pool, &mut |_| ()).report.is_some());
    }

    #[test]
    fn a_panic_of_the_function_for_the_answer_goes_on_in_the_callers_thread() {
        let mut pool = small(1);
        let signals = Arc::new(Signals::new(&StopToken::new()));
        let callbacks = Callbacks { chooser: None, on_block: &mut |_| (), on_answer: &mut |_| panic!("at the answer") };
        let (pos, limits) = (Position::startpos(), Limits::to_depth(2));
        let answered = || pool.search_and_answer(&pos, GameRules::default(), &limits, &signals, callbacks);
        let caught = catch_unwind(AssertUnwindSafe(answered));
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"at the answer"));
    }
}
