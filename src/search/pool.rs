//! The threads of a search.
//!
//! Every worker searches the same root over the shared table (lazy SMP); what one finds speeds up the others. The
//! first worker keeps the limits and reports.

use super::limits::Limits;
use super::report::{Outcome, Report, Verdict};
use super::signals::Signals;
use super::tt::{Shrunk, Table};
use super::vote::elect;
use super::watch::Watch;
use super::worker::{RootMove, Shared, Worker};
use crate::eval::Evaluation;
use crate::movegen::{All, generate};
use crate::position::{Declaration, GameRules, Position};
use crate::types::Move;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// The table and the workers, kept from move to move.
pub struct Pool {
    shared: Arc<Shared>,
    workers: Vec<Worker>,
    evaluation: Evaluation,
}

/// Stack of a search thread: a node keeps its list of moves there.
const STACK_BYTES: usize = 32 << 20;

impl Pool {
    /// A pool with this many threads (1 or more) and a table of this many megabytes, or less if there is no more.
    pub fn new(threads: usize, megabytes: usize) -> (Pool, Option<Shrunk>) {
        let (table, shrunk) = Table::new(megabytes);
        let shared = Arc::new(Shared { table, halt: AtomicBool::new(false) });
        let mut pool = Pool { shared, workers: Vec::new(), evaluation: Evaluation::default() };
        pool.set_threads(threads);
        (pool, shrunk)
    }

    /// Changes the number of threads (1 or more); the table keeps what it knows.
    pub fn set_threads(&mut self, threads: usize) {
        let (shared, evaluation) = (&self.shared, &self.evaluation);
        let mut id = self.workers.len();
        self.workers.resize_with(threads.max(1), || {
            id += 1;
            let mut worker = Worker::new(id - 1, Arc::clone(shared));
            worker.set_evaluation(evaluation);
            worker
        });
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
        } else if let Some(goal) = winning_try(declaration, &root_moves).filter(|_| !limits.infinite) {
            Outcome::without_search(Verdict::Play(goal, None), Some(Report::of_winning_move(goal)))
        } else {
            for worker in &mut self.workers {
                worker.prepare(pos, rules, limits, signals);
                worker.root_moves = root_moves.clone();
            }
            return self.run(limits, signals, callbacks);
        };
        signals.wait(limits);
        signals.stop();
        (callbacks.on_answer)(&outcome);
        outcome
    }

    /// Runs all workers; the first one ends the others and answers.
    fn run(&mut self, limits: &Limits, signals: &Signals, callbacks: Callbacks) -> Outcome {
        let Callbacks { on_block, on_answer } = callbacks;
        let (first, others) = self.workers.split_first_mut().expect("a pool has a worker");
        let shared = &self.shared;
        shared.halt.store(false, Ordering::Relaxed);
        let watch = Watch::new(limits, signals, first.root_moves[0].mv, on_answer);
        let watch = &watch;
        let findings: Vec<Finding> = others.iter().map(|_| Finding::default()).collect();
        let findings = &findings;
        thread::scope(|scope| {
            let thread = |id: usize| thread::Builder::new().name(format!("search {id}")).stack_size(STACK_BYTES);
            // A system that gives no more threads gives a weaker search, not a failure.
            let helpers: Vec<_> = others
                .iter_mut()
                .zip(findings)
                .filter_map(|(worker, finding)| {
                    let builder = thread(worker.id);
                    builder.spawn_scoped(scope, move || worker.iterate(&mut |block| finding.note(block))).ok()
                })
                .collect();
            let main = thread(0).spawn_scoped(scope, move || {
                let report = first.iterate(&mut |block| {
                    watch.note(block);
                    on_block(block);
                });
                shared.halt.store(true, Ordering::Relaxed);
                let outcome = first.outcome(elected(report, findings, limits));
                signals.wait(limits);
                watch.answer(outcome);
            });
            if let Ok(main) = main {
                watch.keep(|| main.is_finished());
                // A first worker that broke down leaves the answer to the watch.
                _ = main.join();
            }
            shared.halt.store(true, Ordering::Relaxed);
            // Joined one by one: a helper that broke down must not take the answer with it.
            helpers.into_iter().for_each(|helper| _ = helper.join());
        });
        watch.outcome()
    }
}

/// What a helping thread has come to, for the first one to read at any time.
#[derive(Default)]
struct Finding(Mutex<Option<Report>>);

impl Finding {
    fn note(&self, block: &[Report]) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = block.first().cloned();
    }

    fn read(&self) -> Option<Report> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The report of the thread whose move is played. Those of the helpers are read as they are: nobody is waited for.
fn elected(first: Option<Report>, findings: &[Finding], limits: &Limits) -> Option<Report> {
    let first = first?;
    if limits.multi_pv > 1 || limits.weakened().is_some() || findings.is_empty() {
        return Some(first);
    }
    let now = Report { pv: Vec::new(), ..first.clone() };
    let reports: Vec<Report> = [first].into_iter().chain(findings.iter().filter_map(Finding::read)).collect();
    // Nodes, time and hash are those of all threads now.
    elect(&reports).map(|best| Report { nodes: now.nodes, time: now.time, hashfull: now.hashfull, ..best.clone() })
}

/// What is called while a search runs.
pub struct Callbacks<'a> {
    /// After each iteration, with one report for each line that is wanted, best first; from the thread of the first
    /// worker.
    pub on_block: &'a mut (dyn FnMut(&[Report]) + Send),
    /// When an answer is wanted and found, once. A report may still follow if the search is late.
    pub on_answer: &'a mut (dyn FnMut(&Outcome) + Send),
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
