//! The threads of a search.
//!
//! Every worker searches the same root over the shared table (lazy SMP); what one finds speeds up the others. The
//! first worker keeps the limits and reports.

use super::limits::{Clock, Limits};
use super::report::{Outcome, Report, Verdict};
use super::time::Timing;
use super::tt::{Shrunk, Table};
use super::worker::{RootMove, Shared, Worker};
use crate::movegen::{All, generate};
use crate::position::{Declaration, GameRules, Position};
use crate::types::Move;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Orders from outside to a running search.
#[derive(Debug)]
pub struct Signals {
    stop: AtomicBool,
    pondering: AtomicBool,
    began: Instant,
    /// Milliseconds after `began` at which the clock started to run.
    clock_start: AtomicU64,
    /// The clock that counts from the ponder hit on, in place of the one at the start.
    hit_clock: Mutex<Option<(Clock, Timing)>>,
    changed: Condvar,
    /// How many of the best moves are wanted from the next iteration on; 0 for as many as the limits say.
    multi_pv: AtomicUsize,
    /// Nodes of all threads, added in steps.
    nodes: AtomicU64,
}

impl Default for Signals {
    fn default() -> Signals {
        Signals::new(false)
    }
}

impl Signals {
    /// Signals of a search that begins now.
    pub fn new(ponder: bool) -> Signals {
        Signals::since(Instant::now(), ponder)
    }

    /// Signals of a search whose clock has been running since then.
    pub fn since(began: Instant, ponder: bool) -> Signals {
        Signals {
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(ponder),
            began,
            clock_start: AtomicU64::new(0),
            hit_clock: Mutex::new(None),
            changed: Condvar::new(),
            multi_pv: AtomicUsize::new(0),
            nodes: AtomicU64::new(0),
        }
    }

    /// Ends the search.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.wake();
    }

    /// The expected move was played: from now on the clock runs, the one given here if there is one.
    ///
    /// `at` is when the news arrived. Means nothing to a search that is not pondering.
    pub fn ponder_hit(&self, at: Instant, clock: Option<(Clock, Timing)>) {
        if !self.is_pondering() {
            return;
        }
        if let Ok(mut hit_clock) = self.hit_clock.lock() {
            *hit_clock = clock;
        }
        self.clock_start.store(at.saturating_duration_since(self.began).as_millis() as u64, Ordering::Relaxed);
        self.pondering.store(false, Ordering::Release);
        self.wake();
    }

    fn wake(&self) {
        let _guard = self.hit_clock.lock();
        self.changed.notify_all();
    }

    /// Whether the search was told to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether the opponent's clock is running.
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Acquire)
    }

    /// The clock that counts from the ponder hit on.
    pub(super) fn hit_clock(&self) -> Option<(Clock, Timing)> {
        self.hit_clock.lock().ok().and_then(|clock| *clock)
    }

    /// Changes, from the next iteration on, how many of the best moves are searched to an exact score and reported.
    pub fn set_multi_pv(&self, lines: usize) {
        self.multi_pv.store(lines, Ordering::Relaxed);
    }

    /// How many of the best moves are wanted, where the limits wanted so many.
    pub(super) fn multi_pv(&self, limit: usize) -> usize {
        match self.multi_pv.load(Ordering::Relaxed) {
            0 => limit,
            changed => changed,
        }
    }

    /// Nodes of all threads so far; the threads add theirs about every 1,000 nodes.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Adds a thread's nodes.
    pub(super) fn add_nodes(&self, nodes: u64) {
        self.nodes.fetch_add(nodes, Ordering::Relaxed);
    }

    /// How long the search has been running, on whosever clock.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// How long the own clock has been running.
    pub fn thinking_time(&self) -> Duration {
        let started = Duration::from_millis(self.clock_start.load(Ordering::Relaxed));
        self.began.elapsed().saturating_sub(started)
    }

    /// Waits until an answer is wanted: at once, after a ponder hit, or after a stop.
    fn wait(&self, limits: &Limits) {
        let Ok(mut guard) = self.hit_clock.lock() else { return };
        while !self.is_stopped() && (limits.infinite || self.is_pondering()) {
            match self.changed.wait(guard) {
                Ok(next) => guard = next,
                Err(_) => return,
            }
        }
    }
}

/// The table and the workers, kept from move to move.
pub struct Pool {
    shared: Arc<Shared>,
    workers: Vec<Worker>,
}

/// Stack of a search thread: a node keeps its list of moves there.
const STACK_BYTES: usize = 32 << 20;

impl Pool {
    /// A pool with this many threads (1 or more) and a table of this many megabytes, or less if there is no more.
    pub fn new(threads: usize, megabytes: usize) -> (Pool, Option<Shrunk>) {
        let (table, shrunk) = Table::new(megabytes);
        let shared = Arc::new(Shared { table, halt: AtomicBool::new(false) });
        let mut pool = Pool { shared, workers: Vec::new() };
        pool.set_threads(threads);
        (pool, shrunk)
    }

    /// Changes the number of threads (1 or more); the table keeps what it knows.
    pub fn set_threads(&mut self, threads: usize) {
        let shared = &self.shared;
        let mut id = self.workers.len();
        self.workers.resize_with(threads.max(1), || {
            id += 1;
            Worker::new(id - 1, Arc::clone(shared))
        });
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.workers.len()
    }

    /// Begins a new game: forgets everything.
    pub fn clear(&mut self) {
        self.shared.table.clear();
        self.workers.iter_mut().for_each(Worker::clear);
    }

    /// Searches a position and blocks until an answer is wanted and found. `on_block` is called from the thread of the
    /// first worker after each iteration, with one report for each line that is wanted, best first.
    pub fn search(
        &mut self,
        pos: &Position,
        rules: GameRules,
        limits: &Limits,
        signals: &Arc<Signals>,
        on_block: &mut (dyn FnMut(&[Report]) + Send),
    ) -> Outcome {
        self.search_and_answer(pos, rules, limits, signals, Callbacks { on_block, on_answer: &mut |_| () })
    }

    /// The same with an answer that goes out from the thread that found it: on a busy machine every thread that must be
    /// woken first may be some hundredths of a second late.
    pub fn search_and_answer(
        &mut self,
        pos: &Position,
        rules: GameRules,
        limits: &Limits,
        signals: &Arc<Signals>,
        callbacks: Callbacks,
    ) -> Outcome {
        self.shared.table.age();
        let root_moves = root_moves(pos, limits);
        let declaration = pos.declaration(rules.entering_king);
        let outcome = if root_moves.is_empty() {
            Outcome::without_search(Verdict::Resign, None)
        } else if declaration == Some(Declaration::Win) && !limits.infinite {
            Outcome::without_search(Verdict::DeclareWin, None)
        } else if let Some(goal) = winning_try(declaration, &root_moves) {
            Outcome::without_search(Verdict::Play(goal, None), Some(Report::of_winning_move(goal)))
        } else {
            for worker in &mut self.workers {
                worker.prepare(pos, rules, limits, signals);
                worker.root_moves = root_moves.clone();
            }
            return self.run(limits, signals, callbacks);
        };
        answer(&outcome, limits, signals, callbacks.on_answer);
        outcome
    }

    /// Runs all workers; the first one ends the others and answers.
    fn run(&mut self, limits: &Limits, signals: &Signals, callbacks: Callbacks) -> Outcome {
        let Callbacks { on_block, on_answer } = callbacks;
        let (first, others) = self.workers.split_first_mut().expect("a pool has a worker");
        let shared = &self.shared;
        shared.halt.store(false, Ordering::Relaxed);
        let outcome = thread::scope(|scope| {
            let thread = |id: usize| thread::Builder::new().name(format!("search {id}")).stack_size(STACK_BYTES);
            // A system that gives no more threads gives a weaker search, not a failure.
            let helpers: Vec<_> = others
                .iter_mut()
                .filter_map(|worker| thread(worker.id).spawn_scoped(scope, move || worker.iterate(&mut |_| ())).ok())
                .collect();
            let (waiting, first, on_answer) = (thread::current(), &mut *first, &mut *on_answer);
            let main = thread(0).spawn_scoped(scope, move || {
                let report = first.iterate(on_block);
                shared.halt.store(true, Ordering::Relaxed);
                let outcome = first.outcome(report);
                answer(&outcome, limits, signals, on_answer);
                waiting.unpark();
                outcome
            });
            let late = main.as_ref().map_or(Duration::ZERO, |main| latest_waking(|| main.is_finished()));
            let outcome = main.ok().and_then(|handle| handle.join().ok());
            shared.halt.store(true, Ordering::Relaxed);
            // Joined one by one: a helper that broke down must not take the answer with it.
            helpers.into_iter().for_each(|helper| _ = helper.join());
            outcome.map(|outcome| Outcome { longest_pause: outcome.longest_pause.max(late), ..outcome })
        });
        outcome.unwrap_or_else(|| {
            let outcome = first.outcome(None);
            answer(&outcome, limits, signals, on_answer);
            outcome
        })
    }
}

/// What is called while a search runs, from the thread of its first worker.
pub struct Callbacks<'a> {
    /// After each iteration, with one report for each line that is wanted, best first.
    pub on_block: &'a mut (dyn FnMut(&[Report]) + Send),
    /// When an answer is wanted and found.
    pub on_answer: &'a mut (dyn FnMut(&Outcome) + Send),
}

/// Gives the answer as soon as it is wanted.
fn answer(outcome: &Outcome, limits: &Limits, signals: &Signals, on_answer: &mut (dyn FnMut(&Outcome) + Send)) {
    signals.wait(limits);
    // The search is over: whoever looks now need not tell it to stop.
    signals.stop();
    on_answer(outcome);
}

/// How often the waking of an idle thread is timed.
const NAP: Duration = Duration::from_millis(20);

/// Waits until something is true, and tells by how much the latest of many naps was too long: a thread that answers, or
/// that waits for an answer, may be woken as late.
fn latest_waking(is_over: impl Fn() -> bool) -> Duration {
    let mut latest = Duration::ZERO;
    while !is_over() {
        let began = Instant::now();
        thread::park_timeout(NAP);
        latest = latest.max(began.elapsed().saturating_sub(NAP));
    }
    latest
}

/// The moves to search: those asked for that are legal, or all legal ones.
fn root_moves(pos: &Position, limits: &Limits) -> Vec<RootMove> {
    let legal = generate::<All>(pos);
    let asked = |mv| limits.search_moves.contains(&mv);
    let restricted = legal.iter().any(|&mv| asked(mv));
    legal.iter().filter(|&&mv| !restricted || asked(mv)).map(|&mv| RootMove::new(mv)).collect()
}

/// The king's move that wins under the try rule, if it may be searched.
fn winning_try(declaration: Option<Declaration>, root_moves: &[RootMove]) -> Option<Move> {
    match declaration {
        Some(Declaration::Try(goal)) => root_moves.iter().map(|root| root.mv).find(|&mv| mv == goal),
        _ => None,
    }
}
