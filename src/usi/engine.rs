//! The engine thread: it owns the table and the workers of the search, or the tables of the mate solver, and does one
//! job after the other.
//!
//! It is there from the start, so that a search can begin however few threads the system gives later. It is always the
//! same thread: allocators keep freed memory with the thread that had allocated it, so tables allocated by a new thread
//! each time would leave as many of them behind as there have been threads.

use super::evaluation::{Loaded, NetSource};
use super::event_queue::{Event, EventQueue};
use super::info::Reporter;
use super::mate_search::{MateWork, make_solver};
use super::opening_book::{BookJob, LoadedBook};
use super::options::Options;
use super::output::Output;
use crate::eval::{Evaluation, NetFile};
use crate::host::{HAS_THREADS, lock, spawn};
use crate::levels::LevelSettings;
use crate::mate::Solver;
use crate::movegen::{All, generate};
use crate::notation::score::{InfoScore, ReportedScore};
use crate::position::{GameRules, Position};
use crate::protocol::{BestMove, Info, Number};
use crate::search::bench::{self, DEFAULT_DEPTH, DEPTHS};
use crate::search::{Callbacks, MoveChooser, STACK_BYTES, SearchControl, SearchResult, Shrunk, ThreadPool};
use crate::types::{Move, Quoted, Score, StopToken};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Work for the engine thread. Each job ends with an [`Event`] for the session.
pub(crate) enum Job {
    /// Makes table, workers, evaluation and opening book as the options want them.
    Prepare(Box<Preparation>),
    /// Searches a position; the pool has been prepared.
    Search(Box<SearchJob>),
    /// Searches a position for a mate. The table of the search for moves is given back: what it held is lost.
    SearchMate(Arc<MateWork>),
    /// Measures the speed.
    Bench(Box<BenchJob>),
}

/// The handle of the engine thread, which takes jobs until this is dropped.
pub(crate) enum EngineThread {
    Thread(Sender<Job>),
    /// Where there are no threads, jobs are tasks of the host.
    Tasks(Arc<Mutex<Engine>>),
}

impl EngineThread {
    pub(crate) fn start(out: Arc<Output>, queue: Arc<EventQueue>) -> io::Result<EngineThread> {
        let mut engine = Engine { tables: Tables::None, hash: 0, net_file: None, out, queue };
        if !HAS_THREADS {
            return Ok(EngineThread::Tasks(Arc::new(Mutex::new(engine))));
        }
        let (sender, jobs) = channel();
        thread::Builder::new().name("engine".into()).stack_size(STACK_BYTES).spawn(move || {
            for job in jobs {
                // A job that panics must not take those after it with it.
                _ = catch_unwind(AssertUnwindSafe(|| engine.run(job)));
            }
        })?;
        Ok(EngineThread::Thread(sender))
    }

    /// Has this job done after all that were submitted before.
    pub(crate) fn submit(&self, job: Job) {
        match self {
            EngineThread::Thread(sender) => sender.send(job).expect("the thread lives as long as its handle"),
            EngineThread::Tasks(engine) => {
                let engine = Arc::clone(engine);
                let task = move || lock(&engine).run(job);
                spawn("engine", task).expect("a task can always be had");
            }
        }
    }
}

/// The memory that `USI_Hash` grants: one kind of search has it at a time.
enum Tables {
    None,
    /// The search for moves.
    Moves(Box<ThreadPool>),
    /// The search for a mate.
    Mates(Box<Solver>),
}

/// What the engine thread owns.
pub(crate) struct Engine {
    tables: Tables,
    /// Megabytes that the tables were asked to have.
    hash: usize,
    /// The net file that the evaluation was read from.
    net_file: Option<NetFile>,
    out: Arc<Output>,
    queue: Arc<EventQueue>,
}

impl Engine {
    fn run(&mut self, job: Job) {
        let event = match job {
            Job::Prepare(preparation) => Event::Prepared(Box::new(self.prepare(*preparation))),
            Job::Search(job) => Event::SearchEnded(self.search(&job)),
            Job::SearchMate(work) => {
                self.search_mate(&work);
                Event::MateSearchEnded
            }
            Job::Bench(job) => {
                self.bench(&job);
                Event::BenchEnded
            }
        };
        self.queue.push_event(event);
    }

    /// Makes what is wanted, which takes a while. What is not wanted any more is given back before the new one is asked
    /// for: two large ones may be too much for the memory.
    fn prepare(&mut self, wanted: Preparation) -> Prepared {
        let Preparation { threads, hash, clear, net, book } = wanted;
        let old = match std::mem::replace(&mut self.tables, Tables::None) {
            Tables::Moves(pool) if self.hash == hash => Some(pool),
            _ => None,
        };
        self.hash = hash;
        let mut prepared = Prepared::default();
        let known_threads = old.as_ref().map(|pool| pool.threads());
        let mut pool = match old {
            Some(mut pool) => {
                pool.set_threads(threads);
                if clear {
                    pool.clear();
                }
                pool
            }
            None => {
                let pool = Box::new(ThreadPool::new(threads, hash));
                prepared.shrunk = pool.shrunk();
                prepared.has_less_history = pool.has_small_history();
                pool
            }
        };
        pool.start_threads();
        if known_threads != Some(threads) {
            prepared.fewer_threads = pool.fewer_threads();
        }
        match net {
            Net::Known(evaluation) => pool.set_evaluation(evaluation),
            Net::Load(source) => {
                let earlier = self.net_file.take();
                if earlier.is_some() {
                    pool.set_evaluation(Evaluation::default());
                }
                let mut loaded = Loaded::read(source.as_ref(), earlier);
                self.net_file = loaded.file.take();
                pool.set_evaluation(loaded.evaluation.clone());
                prepared.loaded = Some(loaded);
            }
        }
        self.tables = Tables::Moves(pool);
        prepared.book = book.map(|job| Box::new(job.load()));
        prepared
    }

    /// Searches, reports and answers.
    fn search(&mut self, job: &SearchJob) -> SearchEnd {
        let Tables::Moves(pool) = &mut self.tables else { panic!("every search is prepared") };
        let reporter = job.reporter.as_deref();
        let control = &job.control;
        let mut spent = Duration::ZERO;
        let search = || {
            let callbacks = Callbacks {
                chooser: job.level.as_ref().map(|level| level as &dyn MoveChooser),
                on_block: &mut |block| {
                    if let Some(reporter) = reporter {
                        reporter.block(block);
                    }
                },
                on_answer: &mut |result: &SearchResult| {
                    if let Some(reporter) = reporter {
                        reporter.finish(result);
                    }
                    spent = control.thinking_time();
                },
            };
            pool.search_and_answer(&job.position, job.rules, control, callbacks)
        };
        let Ok(Ok(result)) = catch_unwind(AssertUnwindSafe(search)) else {
            self.tables = Tables::None;
            self.out.info_string("error: the search broke down");
            control.end();
            if reporter.is_some() {
                self.answer_without_search(&job.position);
            }
            return SearchEnd { is_broken: true, spent: control.thinking_time(), ..SearchEnd::default() };
        };
        if let Some(fault) = &result.fault {
            self.out.info_string(format_args!("error: {fault}"));
        }
        let score = result.report.map(|report| report.score);
        SearchEnd { is_broken: false, spent, longest_pause: result.longest_pause, score }
    }

    /// Some legal move after a search that broke down: better than none.
    fn answer_without_search(&self, position: &Position) {
        match generate::<All>(position).first() {
            Some(mv) => {
                let score = Some(InfoScore::Exact(ReportedScore::Centipawns(0)));
                self.out.line(Info { depth: Some(1), score, pv: vec![*mv], ..Info::default() });
                self.out.line(BestMove::Move(mv, None));
            }
            None => self.out.line(BestMove::<Move>::Resign),
        }
    }

    /// Searches for a mate and answers.
    fn search_mate(&mut self, work: &MateWork) {
        let hash = work.request.hash;
        let solver = match std::mem::replace(&mut self.tables, Tables::None) {
            Tables::Mates(solver) if self.hash == hash => Some(solver),
            _ => None,
        };
        self.hash = hash;
        let made = match solver {
            Some(solver) => Some((solver, None)),
            None => make_solver(hash),
        };
        let Some((mut solver, shrunk)) = made else { return work.refuse() };
        if let Some(Shrunk { megabytes }) = shrunk {
            self.out.info_string(format_args!("no memory for USI_Hash {hash}, using {megabytes} MB"));
        }
        if work.run(&mut solver) {
            self.tables = Tables::Mates(solver);
        }
    }

    /// Says what `komainu bench` prints. Without the net that was asked for there is no number: it would be another
    /// net's.
    fn bench(&self, job: &BenchJob) {
        let bench = || {
            let loaded = Loaded::read(job.net_source.as_ref(), None);
            if loaded.has_failed {
                for info_string in &loaded.info_strings {
                    self.out.info_string(info_string);
                }
                return self.out.info_string("error: bench: no number without the net that was chosen");
            }
            match bench::run(job.depth, loaded.evaluation, &job.stop, |searched| self.out.line(searched)) {
                Ok(total) => self.out.line(total),
                Err(error) => self.out.info_string(format_args!("error: bench: {error}")),
            }
        };
        if catch_unwind(AssertUnwindSafe(bench)).is_err() {
            self.out.info_string("error: bench: the search broke down");
        }
    }
}

/// A search that is to be run.
pub(crate) struct SearchJob {
    pub(crate) position: Position,
    pub(crate) rules: GameRules,
    pub(crate) control: Arc<SearchControl>,
    /// The level that chooses the move, in place of the search of full strength.
    pub(crate) level: Option<LevelSettings>,
    /// `None` for a search of which nothing is shown, not even an answer.
    pub(crate) reporter: Option<Arc<Reporter>>,
}

/// The end of a search.
#[derive(Default)]
pub(crate) struct SearchEnd {
    /// The search broke down, and its tables are lost.
    pub(crate) is_broken: bool,
    /// The time on the own clock, the answer included.
    pub(crate) spent: Duration,
    /// Longest time that the machine was late.
    pub(crate) longest_pause: Duration,
    /// The score of the answer, if it has one.
    pub(crate) score: Option<Score>,
}

/// A bench that is to be run.
pub(crate) struct BenchJob {
    pub(crate) depth: usize,
    pub(crate) net_source: Option<NetSource>,
    pub(crate) stop: StopToken,
}

/// The depth of a bench, which is all that may follow the word; an error names what is no depth.
pub(crate) fn bench_depth(text: &str) -> Result<usize, String> {
    let mut words = text.split_ascii_whitespace();
    let Some(word) = words.next() else { return Ok(DEFAULT_DEPTH) };
    let depth = Number::read(word).map_or(0, |number| number.value.max(0) as usize);
    let wrong = if DEPTHS.contains(&depth) { words.next() } else { Some(word) };
    match wrong {
        Some(word) => Err(format!("{} is no depth from {} to {}", Quoted(word), DEPTHS.start(), DEPTHS.end())),
        None => Ok(depth),
    }
}

/// What the engine thread is to have ready.
pub(crate) struct Preparation {
    threads: usize,
    hash: usize,
    /// The table is to be cleared.
    clear: bool,
    net: Net,
    pub(crate) book: Option<BookJob>,
}

/// The evaluation that is wanted.
enum Net {
    /// It stays.
    Known(Evaluation),
    /// It is read.
    Load(Option<NetSource>),
}

/// What the engine thread has made ready, and where it is less than was asked for.
#[derive(Default)]
pub(crate) struct Prepared {
    shrunk: Option<Shrunk>,
    /// The histories are small for want of memory, if the pool was made now.
    has_less_history: bool,
    /// The number of threads that the system gives, if the pool was made now and has fewer than were asked for.
    fewer_threads: Option<usize>,
    /// The evaluation, if it was read anew.
    loaded: Option<Loaded>,
    /// The opening book, if it was opened anew.
    pub(crate) book: Option<Box<LoadedBook>>,
}

/// What the session knows of the tables and the evaluation of the engine thread.
#[derive(Default)]
pub(crate) struct EngineState {
    /// There is a table with workers for the search.
    pub(crate) has_pool: bool,
    threads: usize,
    hash: usize,
    /// Evaluation that the options asked for when the pool was made.
    net_source: Option<NetSource>,
    /// Evaluation that came of that; nothing before the first pool.
    pub(crate) evaluation: Option<Evaluation>,
    /// The file could not be used.
    eval_file_failed: bool,
    /// There was a search since the table was made or cleared.
    pub(crate) is_used: bool,
    /// The game is over: the table is to be cleared.
    new_game: bool,
}

impl EngineState {
    /// Tests whether there is a pool as the options want it, and clear if it has to be.
    pub(crate) fn is_current(&self, options: &Options) -> bool {
        self.has_pool
            && self.hash == options.hash
            && self.threads == options.threads
            && !self.new_game
            && self.net_source == NetSource::of(options)
    }

    /// The game is over. Returns whether the table is to be cleared.
    pub(crate) fn end_game(&mut self) -> bool {
        self.new_game |= self.is_used;
        self.new_game
    }

    /// A net file that could not be used is read again.
    pub(crate) fn look_again(&mut self) {
        if self.eval_file_failed {
            self.eval_file_failed = false;
            self.net_source = None;
        }
    }

    /// What the engine thread is to have ready by the options. An evaluation that is no longer wanted is given back.
    pub(crate) fn prepare(&mut self, options: &Options) -> Preparation {
        let net_source = NetSource::of(options);
        if net_source != self.net_source {
            self.evaluation = None;
        }
        let net = match &self.evaluation {
            Some(evaluation) => Net::Known(evaluation.clone()),
            None => Net::Load(net_source.clone()),
        };
        let clear = self.new_game;
        self.new_game = false;
        self.is_used &= self.has_pool && self.hash == options.hash && !clear;
        self.has_pool = false;
        self.net_source = net_source;
        self.hash = options.hash;
        self.threads = options.threads;
        Preparation { threads: options.threads, hash: options.hash, clear, net, book: None }
    }

    /// The engine thread is ready: says where that is less than was asked for.
    pub(crate) fn on_prepared(&mut self, prepared: Prepared, out: &Output) {
        if let Some(Shrunk { megabytes }) = prepared.shrunk {
            out.info_string(format_args!("no memory for USI_Hash {}, using {megabytes} MB", self.hash));
        }
        if prepared.has_less_history {
            out.info_string("no memory for the full histories, using small ones");
        }
        if let Some(threads) = prepared.fewer_threads {
            out.info_string(format_args!("no memory or threads for Threads {}, using {threads}", self.threads));
        }
        if let Some(loaded) = prepared.loaded {
            self.evaluation = Some(loaded.evaluation);
            self.eval_file_failed = loaded.has_failed;
            for info_string in loaded.info_strings {
                out.info_string(info_string);
            }
        }
        self.has_pool = true;
    }

    /// The pool was lost: a search broke down, or the solver of mates has taken its memory.
    pub(crate) fn lose_pool(&mut self) {
        self.has_pool = false;
        self.is_used = false;
        self.new_game = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bench_has_a_depth_or_the_usual_one() {
        assert_eq!(bench_depth(""), Ok(DEFAULT_DEPTH));
        assert_eq!([bench_depth("5"), bench_depth("5.9")], [Ok(5), Ok(5)]);
        for (text, word) in [("0", "0"), ("101", "101"), ("x 5", "x"), ("5 x", "x")] {
            assert_eq!(bench_depth(text), Err(format!("\"{word}\" is no depth from 1 to 100")), "{text}");
        }
    }
}
