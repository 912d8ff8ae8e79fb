//! The threads of a search.
//!
//! Every worker searches the same root over the shared table (lazy SMP) and learns the same large histories; what one
//! finds speeds up the others. The first worker keeps the limits and reports. The threads live on from search to
//! search: to start and end one costs as much as some hundreds of nodes, and many times that on a virtual machine.

use super::control::SearchControl;
use super::history::HistorySize;
use super::limits::Limits;
use super::report::{Bound, Decision, Report, SearchError, SearchResult};
use super::root::{MoveChooser, OnBlock, root_moves};
use super::tt::{Shrunk, Table};
use super::watchdog::Watchdog;
use super::worker::{SharedTables, Worker};
use crate::eval::{Evaluate, Evaluation};
use crate::host::{HAS_THREADS, RayonPool, has_clock, lock, with_thread_pool};
use crate::movegen::has_legal_move;
use crate::position::{Declaration, GameRules, Position};
use crate::system;
use crate::types::{Score, StopToken, opaque_debug};
use rayon::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
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
    threads: Option<RayonPool>,
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
        let _alone = lock(&BUILDING);
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
            threads: None,
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
        self.threads = None;
        self.workers.truncate(threads);
        let missing = threads - self.workers.len();
        let made = fitting_workers(missing, system::free_megabytes() << 20, Worker::BYTES);
        let made = made.max(usize::from(self.workers.is_empty()));
        let first = self.workers.len();
        let new: Vec<Worker> = with_thread_pool(made * Worker::BYTES, || {
            (first..first + made).into_par_iter().map(|id| self.new_worker(id)).collect()
        });
        self.workers.extend(new);
    }

    fn new_worker(&self, id: usize) -> Worker {
        let mut worker = Worker::new(id, Arc::clone(&self.table), self.history, &self.shared);
        worker.set_evaluation(&self.evaluation);
        worker.set_evaluator(self.evaluator.as_ref());
        worker
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
        let started = self.threads.as_ref().map_or(self.workers.len(), RayonPool::threads);
        let there = started.min(self.workers.len());
        if there < self.asked_threads { Some(there) } else { None }
    }

    /// Starts the threads, as the first search does that wants them. If the system gives fewer than were asked for,
    /// those that there are search; if it gives none, the calling thread of a search does.
    pub fn start_threads(&mut self) {
        if self.threads.is_none() {
            let wanted = self.workers.len().min(system::fitting_stacks(STACK_BYTES));
            self.threads = RayonPool::new("search", wanted, STACK_BYTES);
        }
        if self.threads.is_none() && HAS_THREADS {
            self.workers.truncate(1);
        }
    }

    /// Evaluates positions like this from now on. If it is another evaluation, the scores of before are forgotten.
    pub fn set_evaluation(&mut self, evaluation: Evaluation) {
        if self.evaluation.is_same(&evaluation) {
            return;
        }
        self.evaluation = evaluation;
        for worker in &mut self.workers {
            worker.set_evaluation(&self.evaluation);
        }
        self.clear();
    }

    /// Evaluates positions with this from now on, in place of the net; with `None` by the net again. The scores of
    /// before are forgotten.
    pub fn set_evaluator(&mut self, evaluator: Option<Arc<dyn Evaluate>>) {
        self.evaluator = evaluator;
        for worker in &mut self.workers {
            worker.set_evaluator(self.evaluator.as_ref());
        }
        self.clear();
    }

    /// The number of threads that was asked for.
    pub fn threads(&self) -> usize {
        self.asked_threads
    }

    /// Begins a new game: forgets everything.
    pub fn clear(&mut self) {
        if self.is_clear {
            return;
        }
        self.is_clear = true;
        // The workers give the tables back for the time, so that one owner clears them, once.
        for worker in &mut self.workers {
            worker.share(&SharedTables::default());
        }
        let bytes = self.table.bytes() + SharedTables::bytes(self.history) + self.workers.len() * Worker::BYTES;
        with_thread_pool(bytes, || {
            self.table.clear();
            self.shared.clear();
            self.workers.par_iter_mut().for_each(Worker::clear);
        });
        for worker in &mut self.workers {
            worker.share(&self.shared);
        }
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
        let control = Arc::new(SearchControl::new(limits.clone(), stop));
        let callbacks = Callbacks { chooser: None, on_block, on_answer: &mut |_| () };
        self.search_and_answer(pos, rules, &control, callbacks)
    }

    /// Searches as [`ThreadPool::search`] does, with an answer that goes out from the thread that found it: on a busy
    /// machine every thread that must be woken first may be some hundredths of a second late.
    pub fn search_and_answer(
        &mut self,
        pos: &Position,
        rules: GameRules,
        control: &Arc<SearchControl>,
        callbacks: Callbacks,
    ) -> Result<SearchResult, SearchError> {
        let callbacks = callbacks.for_limits(control.limits());
        if let Some(result) = self.begin(pos, rules, control, callbacks.chooser)? {
            return Ok(answer(result, control, callbacks));
        }
        if HAS_THREADS { Ok(self.run(control, callbacks)) } else { Ok(self.run_here(control, callbacks)) }
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
        let control = Arc::new(SearchControl::new(limits.clone(), stop));
        let callbacks = callbacks.for_limits(limits);
        if let Some(result) = self.begin(pos, rules, &control, callbacks.chooser)? {
            return Ok(answer(result, &control, callbacks));
        }
        Ok(self.run_here(&control, callbacks))
    }

    /// Runs the first worker on the calling thread.
    fn run_here(&mut self, control: &SearchControl, callbacks: Callbacks) -> SearchResult {
        let worker = &mut self.workers[0];
        let report = worker.iterate(callbacks.chooser, callbacks.on_block);
        let result = worker.result(report);
        answer(result, control, callbacks)
    }

    /// Makes the workers ready, unless the answer is known without a search.
    fn begin(
        &mut self,
        pos: &Position,
        rules: GameRules,
        control: &Arc<SearchControl>,
        chooser: Option<&dyn MoveChooser>,
    ) -> Result<Option<SearchResult>, SearchError> {
        let limits = control.limits();
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
        if root_moves.is_empty() {
            return Ok(Some(SearchResult::without_search(Decision::Resign, None)));
        }
        if !limits.infinite {
            match pos.declaration(rules.entering_king) {
                Some(Declaration::Win) if chooser.is_none_or(MoveChooser::declares) => {
                    return Ok(Some(SearchResult::without_search(Decision::DeclareWin, None)));
                }
                // The king's move that wins under the try rule, if it may be searched.
                Some(Declaration::Try(goal)) if root_moves.iter().any(|root| root.mv == goal) => {
                    let report = Report::of_winning_move(goal);
                    return Ok(Some(SearchResult::without_search(Decision::Play(goal, None), Some(report))));
                }
                _ => {}
            }
        }
        for worker in &mut self.workers {
            worker.prepare(pos, rules, control);
            worker.root.moves.clone_from(&root_moves);
        }
        Ok(None)
    }

    /// Runs all workers; the first one ends the others and answers.
    fn run(&mut self, control: &SearchControl, callbacks: Callbacks) -> SearchResult {
        let Callbacks { chooser, on_block, on_answer } = callbacks;
        self.start_threads();
        let (first, others) = self.workers.split_first_mut().expect("a pool has a worker");
        let helpers = match &self.threads {
            Some(threads) if chooser.is_none() => others.len().min(threads.threads() - 1),
            _ => 0,
        };
        control.set_threads(1 + helpers);
        let panics = SearchPanics::default();
        let mut on_answer = |result: &SearchResult| panics.catch_callback(control, || on_answer(result));
        let watchdog = Watchdog::new(control, first.root.moves[0].mv, &mut on_answer);
        let helper_reports = (0..helpers).map(|_| Mutex::new(None)).collect();
        let search = SharedSearch { control, watchdog: &watchdog, panics: &panics, helper_reports };
        match &self.threads {
            None => search.lead(first, chooser, on_block),
            Some(threads) => {
                let search = &search;
                threads.rayon().in_place_scope(|scope| {
                    scope.spawn(move |_| {
                        search.lead(first, chooser, on_block);
                        search.watchdog.end();
                    });
                    for (worker, report) in others.iter_mut().zip(&search.helper_reports) {
                        scope.spawn(move |_| search.help(worker, report));
                    }
                    watchdog.keep();
                });
            }
        }
        let result = watchdog.result();
        SearchResult { fault: panics.into_fault(), ..result }
    }
}

/// Gives an answer when one is wanted.
fn answer(result: SearchResult, control: &SearchControl, callbacks: Callbacks) -> SearchResult {
    control.wait();
    control.end();
    (callbacks.on_answer)(&result);
    result
}

/// Number of the missing workers that are made: as many as fit into the free memory.
fn fitting_workers(missing: usize, free: usize, each: usize) -> usize {
    missing.min(free / each)
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

impl Callbacks<'_> {
    /// Without a chooser where the limits want full strength.
    fn for_limits(mut self, limits: &Limits) -> Self {
        if !limits.is_for_game() {
            self.chooser = None;
        }
        self
    }
}

/// The last exact report of a helper, for the first worker to read at any time.
type HelperReport = Mutex<Option<Report>>;

/// What the threads of one search share besides its control.
struct SharedSearch<'a> {
    control: &'a SearchControl,
    watchdog: &'a Watchdog<'a>,
    panics: &'a SearchPanics,
    helper_reports: Vec<HelperReport>,
}

impl SharedSearch<'_> {
    /// The first worker searches, ends the others and answers.
    fn lead(&self, worker: &mut Worker, chooser: Option<&dyn MoveChooser>, on_block: OnBlock) {
        // A worker that panics leaves the answer to the watchdog.
        self.panics.catch_worker(0, || {
            let report = worker.iterate(chooser, &mut |block| {
                self.watchdog.note(block);
                self.panics.catch_callback(self.control, || on_block(block));
            });
            self.control.halt();
            let result = worker.result(self.best_report(report));
            self.control.wait();
            self.watchdog.answer(result);
        });
        self.control.halt();
    }

    /// Another worker searches until the first one has ended.
    fn help(&self, worker: &mut Worker, report: &HelperReport) {
        self.panics.catch_worker(worker.id, || {
            worker.iterate(None, &mut |block| {
                if let Some(best) = block.first()
                    && best.bound == Bound::EXACT
                {
                    *lock(report) = Some(best.clone());
                }
            });
        });
        // Whoever searches no longer holds nobody up.
        worker.path.limiter.vote(true);
    }

    /// The report of the thread whose move is played, given that of the first one. Those of the helpers are read as
    /// they are: nobody is waited for.
    fn best_report(&self, first: Option<Report>) -> Option<Report> {
        let first = first?;
        if self.control.limits().multi_pv > 1 || self.helper_reports.is_empty() {
            return Some(first);
        }
        let mut reports = vec![first];
        for report in &self.helper_reports {
            reports.extend(lock(report).clone());
        }
        let best = select_best_thread(&reports)?.clone();
        // Nodes, time and hash are those of all threads now.
        let now = &reports[0];
        Some(Report { nodes: now.nodes, time: now.time, hashfull: now.hashfull, ..best })
    }
}

/// Weight of the worst of all scores in the vote, in centipawns.
const LEAST_WEIGHT: i64 = 20;
/// No lead in score counts for more than this.
const MOST_LEAD: i64 = 500;

/// Which thread's move is played: every thread votes for its own, with the depth that it has reached and the score that
/// it has found (lazy SMP with a vote for the best thread; chessprogramming wiki, "Lazy SMP").
///
/// The first report is that of the thread which keeps the limits; it wins where nothing speaks for another.
fn select_best_thread(reports: &[Report]) -> Option<&Report> {
    let worst = reports.iter().map(|report| report.score).min()?;
    // A proven win needs no majority, and the shortest is the best. Of equals `max_by_key` takes the last one: so they
    // are looked at from the end.
    let mates = reports.iter().rev().filter(|report| report.score.is_mate() && report.score.0 > 0);
    if let Some(mate) = mates.max_by_key(|report| report.score) {
        return Some(mate);
    }
    reports.iter().rev().max_by_key(|report| (votes_for(reports, report, worst), weight(report, worst)))
}

/// Sum of the weights of the threads whose move is that of the report.
fn votes_for(reports: &[Report], report: &Report, worst: Score) -> i64 {
    let voters = reports.iter().filter(|other| other.pv.first() == report.pv.first());
    voters.map(|other| weight(other, worst)).sum()
}

/// Weight of a thread's vote, where the worst score of all threads is this.
fn weight(report: &Report, worst: Score) -> i64 {
    let lead = i64::from(report.score.0 - worst.0).min(MOST_LEAD);
    (lead + LEAST_WEIGHT) * report.depth as i64
}

type Panic = Box<dyn Any + Send>;

/// Panics within one search. One of the caller's own function is the caller's: it ends the search and goes on in the
/// caller's thread. One of a worker must not take the answer with it: it becomes a fault of the result.
#[derive(Default)]
struct SearchPanics {
    /// The first panic of a function of the caller's.
    callback: Mutex<Option<Panic>>,
    /// The first panic of a worker, with the name of its thread.
    worker: Mutex<Option<String>>,
}

impl SearchPanics {
    /// Calls a function of the caller's; if it panics the search ends, and no such function is called any more.
    fn catch_callback(&self, control: &SearchControl, function: impl FnOnce()) {
        if lock(&self.callback).is_some() {
            return;
        }
        if let Err(panic) = catch_unwind(AssertUnwindSafe(function)) {
            lock(&self.callback).get_or_insert(panic);
            control.end();
        }
    }

    /// Does a worker's work, whose panic is noted.
    fn catch_worker(&self, worker: usize, work: impl FnOnce()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            let text = message(&*panic);
            lock(&self.worker).get_or_insert_with(|| format!("thread {worker} of the search broke down: {text}"));
        }
    }

    /// Goes on with the caller's panic, if there was one; else tells what a worker panicked about.
    fn into_fault(self) -> Option<String> {
        if let Some(panic) = self.callback.into_inner().unwrap_or_else(PoisonError::into_inner) {
            resume_unwind(panic);
        }
        self.worker.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The message of a panic, if it has one.
fn message(panic: &(dyn Any + Send)) -> &str {
    if let Some(text) = panic.downcast_ref::<&str>() {
        return text;
    }
    match panic.downcast_ref::<String>() {
        Some(text) => text,
        None => "a panic without a message",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let limits = Limits::to_depth(4);
        pool.search(&Position::startpos(), GameRules::default(), &limits, &StopToken::new(), on_block).unwrap()
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
        let limits = Limits { infinite: true, ..Limits::default() };
        let analysis = AssertUnwindSafe(|| {
            let on_block = &mut |_: &[Report]| panic!("within an analysis");
            pool.search(&Position::startpos(), GameRules::default(), &limits, &StopToken::new(), on_block)
        });
        let caught = catch_unwind(analysis);
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"within an analysis"));
        let control = Arc::new(SearchControl::new(Limits::to_depth(2), &StopToken::new()));
        let callbacks = Callbacks { chooser: None, on_block: &mut |_| (), on_answer: &mut |_| panic!("at the answer") };
        let answered = || pool.search_and_answer(&Position::startpos(), GameRules::default(), &control, callbacks);
        let caught = catch_unwind(AssertUnwindSafe(answered));
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"at the answer"));
        assert!(search(&mut pool, &mut |_| ()).report.is_some());
    }

    fn report(mv: &str, depth: usize, score: Score) -> Report {
        Report { depth, score, ..Report::of_winning_move(mv.parse().unwrap()) }
    }

    #[test]
    fn the_majority_wins_and_depth_score_and_mates_count() {
        let usual = report("7g7f", 10, Score(20));
        let deep = report("2g2f", 12, Score(20));
        let good = report("7g7f", 20, Score(900));
        for (what, reports, chosen) in [
            ("one thread", vec![usual.clone()], 0),
            ("two against one", vec![usual.clone(), report("2g2f", 10, Score(20)), report("2g2f", 11, Score(20))], 2),
            ("deeper", vec![usual.clone(), deep.clone()], 1),
            ("better", vec![report("7g7f", 10, Score(80)), deep], 0),
            ("equal", vec![usual, report("2g2f", 10, Score(20))], 0),
            (
                "the shortest mate wins alone",
                vec![good.clone(), report("2g2f", 9, Score::mate_in(7)), report("3g3f", 9, Score::mate_in(5)), good],
                2,
            ),
            ("a lost thread", vec![report("7g7f", 12, Score(0)), report("2g2f", 12, Score::mated_in(6))], 0),
        ] {
            assert!(std::ptr::eq(select_best_thread(&reports).unwrap(), &reports[chosen]), "{what}");
        }
        assert!(select_best_thread(&[]).is_none());
    }
}
