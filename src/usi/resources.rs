//! Tables and evaluation of the searches: what the options ask for, and what there is.

use super::evaluation::{EvalSource, Loaded};
use super::event::Prepared;
use super::options::Options;
use super::output::Output;
use crate::eval::{Evaluation, NetFile};
use crate::mate::Solver;
use crate::search::{Shrunk, ThreadPool};

/// Owner of the memory that `USI_Hash` grants, for there is one at a time.
#[derive(Default)]
pub(super) enum Tables {
    /// None has been made, or a thread is at work with it.
    #[default]
    Away,
    /// The search for moves.
    Moves(Box<ThreadPool>),
    /// The search for a mate.
    Mates(Box<Solver>),
}

impl Tables {
    fn pool(self) -> Option<ThreadPool> {
        match self {
            Tables::Moves(pool) => Some(*pool),
            Tables::Away | Tables::Mates(_) => None,
        }
    }
}

/// Tables that a search for a mate begins with.
pub(super) struct MateTables {
    /// Tables that there are: a pool is given back.
    pub(super) tables: Tables,
    /// The tables have the size that is wanted.
    pub(super) fits: bool,
    /// Megabytes that are wanted.
    pub(super) hash: usize,
}

/// Tables and evaluation of a session.
#[derive(Default)]
pub(super) struct Resources {
    tables: Tables,
    /// Megabytes that the tables were asked to have.
    hash: usize,
    /// Evaluation that the options asked for when the pool was made.
    eval_source: EvalSource,
    /// Evaluation that came of that; nothing before the first pool.
    evaluation: Option<Evaluation>,
    /// The net file that it was read from.
    net_file: Option<NetFile>,
    /// The file could not be used.
    eval_file_failed: bool,
    /// There was a search since the table was made or cleared.
    is_used: bool,
    /// The game is over: the table is to be cleared.
    new_game: bool,
}

impl Resources {
    /// Evaluation of the last pool.
    pub(super) fn evaluation(&self) -> Option<&Evaluation> {
        self.evaluation.as_ref()
    }

    /// Tests whether there is a pool.
    pub(super) fn has_pool(&self) -> bool {
        matches!(self.tables, Tables::Moves(_))
    }

    /// Tests whether there is a pool as the options want it, and clear if it has to be.
    pub(super) fn is_current(&self, options: &Options) -> bool {
        let Tables::Moves(pool) = &self.tables else { return false };
        let is_current = self.hash == options.hash && pool.threads() == options.threads;
        is_current && !self.new_game && self.eval_source == EvalSource::of(options)
    }

    /// The game is over. Returns whether the table is to be cleared.
    pub(super) fn end_game(&mut self) -> bool {
        self.new_game |= self.is_used;
        self.new_game
    }

    /// A net file that could not be used is read again.
    pub(super) fn look_again(&mut self) {
        if std::mem::take(&mut self.eval_file_failed) {
            self.eval_source = EvalSource::default();
        }
    }

    /// Hands over what the next pool is made of. An evaluation that is no longer wanted is given back before the next
    /// one takes memory.
    pub(super) fn order(&mut self, options: &Options) -> Order {
        let Options { threads, hash, .. } = *options;
        let (fits, clear) = (self.hash == hash, std::mem::take(&mut self.new_game));
        let eval_source = EvalSource::of(options);
        let known = self.evaluation.take().filter(|_| eval_source == self.eval_source);
        self.evaluation.clone_from(&known);
        let earlier = if known.is_none() { self.net_file.take() } else { None };
        self.eval_source = eval_source.clone();
        self.is_used &= self.has_pool() && fits && !clear;
        self.hash = hash;
        Order { tables: std::mem::take(&mut self.tables), fits, clear, threads, hash, eval_source, known, earlier }
    }

    /// Takes a pool that was made, and says where it is less than was asked for.
    pub(super) fn take(&mut self, prepared: Prepared, out: &Output) {
        if let Some(Shrunk { megabytes }) = prepared.shrunk {
            out.info_string(format_args!("no memory for USI_Hash {}, using {megabytes} MB", self.hash));
        }
        if prepared.has_less_history {
            out.info_string("no memory for the full histories, using small ones");
        }
        if let Some(threads) = prepared.fewer_threads {
            let asked = prepared.pool.threads();
            out.info_string(format_args!("no memory or threads for Threads {asked}, using {threads}"));
        }
        if let Some(Loaded { evaluation, info_strings, has_failed, file }) = prepared.loaded {
            (self.evaluation, self.eval_file_failed, self.net_file) = (Some(evaluation), has_failed, file);
            info_strings.into_iter().for_each(|info_string| out.info_string(info_string));
        }
        self.tables = Tables::Moves(Box::new(prepared.pool));
    }

    /// Lends the pool to a search.
    pub(super) fn lend_pool(&mut self) -> ThreadPool {
        self.is_used = true;
        std::mem::take(&mut self.tables).pool().expect("every search is prepared")
    }

    /// Takes the pool back, unless its search broke down.
    pub(super) fn return_pool(&mut self, pool: Option<ThreadPool>) {
        self.tables = pool.map_or(Tables::Away, |pool| Tables::Moves(Box::new(pool)));
    }

    /// Lends the tables to a search for a mate: what a pool held is lost.
    pub(super) fn lend_to_mate(&mut self, hash: usize) -> MateTables {
        let made_for = std::mem::replace(&mut self.hash, hash);
        (self.is_used, self.new_game) = (false, false);
        MateTables { tables: std::mem::take(&mut self.tables), fits: made_for == hash, hash }
    }

    /// Takes the solver back, unless it broke down.
    pub(super) fn return_solver(&mut self, solver: Option<Box<Solver>>) {
        self.tables = solver.map_or(Tables::Away, Tables::Mates);
    }
}

/// A pool that is to be made.
pub(super) struct Order {
    tables: Tables,
    /// The tables have the right size.
    fits: bool,
    /// The table is to be cleared.
    clear: bool,
    threads: usize,
    hash: usize,
    eval_source: EvalSource,
    /// The evaluation, if it stays.
    known: Option<Evaluation>,
    /// The net file that was read before.
    earlier: Option<NetFile>,
}

impl Order {
    /// Makes the pool, which takes a while. A table of another size or kind is given back before the new one is asked
    /// for.
    pub(super) fn fill(self) -> Prepared {
        let Order { tables, fits, clear, threads, hash, eval_source, known, earlier } = self;
        let old = tables.pool().filter(|_| fits);
        let known_threads = old.as_ref().map(ThreadPool::threads);
        let is_new = old.is_none();
        let mut pool = make_pool(old, threads, hash, clear);
        if earlier.is_some() {
            // The net of a file is given back: two large ones may be too much for the memory.
            pool.set_evaluation(Evaluation::default());
        }
        let shrunk = pool.shrunk().filter(|_| is_new);
        pool.start_threads();
        let fewer_threads = pool.fewer_threads().filter(|_| known_threads != Some(threads));
        let loaded = if known.is_none() { Some(eval_source.load(earlier)) } else { None };
        if let Some(evaluation) = known.or_else(|| loaded.as_ref().map(|loaded| loaded.evaluation.clone())) {
            pool.set_evaluation(evaluation);
        }
        let has_less_history = is_new && pool.has_small_history();
        Prepared { pool, shrunk, has_less_history, fewer_threads, loaded, book: None }
    }
}

/// The pool with this many threads and megabytes; an old one whose table has the right size is kept.
fn make_pool(old: Option<ThreadPool>, threads: usize, megabytes: usize, clear: bool) -> ThreadPool {
    match old {
        Some(mut pool) => {
            pool.set_threads(threads);
            if clear {
                pool.clear();
            }
            pool
        }
        None => ThreadPool::new(threads, megabytes),
    }
}
