//! The threads of a search.
//!
//! Every worker searches the same root over the shared table (lazy SMP); what one finds speeds up the others. The
//! first worker keeps the limits and reports.

use super::limits::{Clock, Limits, RootRules};
use super::report::{Outcome, Report, Verdict};
use super::tt::{Shrunk, Table};
use super::worker::{RootMove, Shared, Worker};
use crate::movegen::{All, generate};
use crate::position::{Declaration, Position};
use crate::types::Move;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
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
    /// The clock that came with the ponder hit, in place of the one at the start.
    hit_clock: Mutex<Option<Clock>>,
    changed: Condvar,
}

impl Default for Signals {
    fn default() -> Signals {
        Signals::new(false)
    }
}

impl Signals {
    /// Signals of a search that begins now.
    pub fn new(ponder: bool) -> Signals {
        Signals {
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(ponder),
            began: Instant::now(),
            clock_start: AtomicU64::new(0),
            hit_clock: Mutex::new(None),
            changed: Condvar::new(),
        }
    }

    /// Ends the search.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.wake();
    }

    /// The expected move was played: from now on the clock runs, the one given here if there is one.
    ///
    /// Means nothing to a search that is not pondering.
    pub fn ponder_hit(&self, clock: Option<Clock>) {
        if !self.is_pondering() {
            return;
        }
        if let Ok(mut hit_clock) = self.hit_clock.lock() {
            *hit_clock = clock;
        }
        self.clock_start.store(self.began.elapsed().as_millis() as u64, Ordering::Relaxed);
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

    /// The clock that came with the ponder hit.
    pub(super) fn hit_clock(&self) -> Option<Clock> {
        self.hit_clock.lock().ok().and_then(|clock| *clock)
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
        let shared = Arc::new(Shared { table, nodes: AtomicU64::new(0), halt: AtomicBool::new(false) });
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

    /// Begins a new game: forgets everything.
    pub fn clear(&mut self) {
        self.shared.table.clear();
        self.workers.iter_mut().for_each(Worker::clear);
    }

    /// Searches a position and blocks until an answer is wanted and found. `on_report` is called from this thread's
    /// first worker after each iteration.
    pub fn search(
        &mut self,
        pos: &Position,
        rules: RootRules,
        limits: &Limits,
        signals: &Arc<Signals>,
        on_report: &mut (dyn FnMut(&Report) + Send),
    ) -> Outcome {
        self.shared.nodes.store(0, Ordering::Relaxed);
        self.shared.table.age();
        let root_moves = root_moves(pos, limits);
        let declaration = pos.declaration(rules.entering_king);
        let outcome = if root_moves.is_empty() {
            Outcome { verdict: Verdict::Resign, report: None, nodes: 0 }
        } else if declaration == Some(Declaration::Win) && !limits.infinite {
            Outcome { verdict: Verdict::DeclareWin, report: None, nodes: 0 }
        } else if let Some(goal) = winning_try(declaration, &root_moves) {
            let report = Report::of_winning_move(goal);
            on_report(&report);
            Outcome { verdict: Verdict::Play(goal, None), report: Some(report), nodes: 0 }
        } else {
            for worker in &mut self.workers {
                worker.prepare(pos, rules, limits, signals);
                worker.root_moves = root_moves.clone();
            }
            self.run(on_report)
        };
        signals.wait(limits);
        // The search is over: whoever looks now need not tell it to stop.
        signals.stop();
        outcome
    }

    /// Runs all workers; the first one ends the others.
    fn run(&mut self, on_report: &mut (dyn FnMut(&Report) + Send)) -> Outcome {
        let (first, others) = self.workers.split_first_mut().expect("a pool has a worker");
        let shared = &self.shared;
        shared.halt.store(false, Ordering::Relaxed);
        let report = thread::scope(|scope| {
            let thread = |id: usize| thread::Builder::new().name(format!("search {id}")).stack_size(STACK_BYTES);
            // A system that gives no more threads gives a weaker search, not a failure.
            let helpers: Vec<_> = others
                .iter_mut()
                .filter_map(|worker| thread(worker.id).spawn_scoped(scope, move || worker.iterate(&mut |_| ())).ok())
                .collect();
            let main = thread(0).spawn_scoped(scope, move || first.iterate(on_report));
            let report = main.ok().and_then(|handle| handle.join().ok()).flatten();
            shared.halt.store(true, Ordering::Relaxed);
            // Joined one by one: a helper that broke down must not take the answer with it.
            helpers.into_iter().for_each(|helper| _ = helper.join());
            report
        });
        let nodes = shared.nodes.load(Ordering::Relaxed);
        let best = &self.workers[0].root_moves[0];
        Outcome { verdict: Verdict::Play(best.mv, best.pv.get(1).copied()), report, nodes }
    }
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
