//! A session with a GUI: obeys commands, keeps the position, runs searches.
//!
//! Nothing here waits for long. Searches and the making of tables run on other threads and report their end as an
//! [`Event`]; a line that cannot be obeyed before such an end stays in the [`Inbox`].

use super::command::{Command, Go, GoMate};
use super::debug_log::DebugLog;
use super::evaluation::{Choice, Loaded};
use super::inbox::{Inbox, Line, Next};
use super::info::{AnswerRules, LOOK, Reporter};
use super::input::read_lines;
use super::library::{self, BookAnswer, Library, LoadedBook};
use super::mating::{MateRequest, Mating, Tables};
use super::options::{Options, TABLE};
use super::output::Output;
use super::paths;
use super::thinking::{Clocked, Thinking};
use super::workshop::Workshop;
use crate::book::probe::Question;
use crate::eval::Evaluation;
use crate::mate::Solver;
use crate::notation::usi::{PositionError, parse_position};
use crate::position::Position;
use crate::search::{FULL_SKILL, Limits, Pool, Shrunk, Timekeeper, Timing};
use crate::types::{Color, Move, Token};
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// How often a GUI that waits for `readyok` is shown that the engine lives.
const KEEP_ALIVE: Duration = Duration::from_secs(2);
/// How long the last lines may take to be read at the end.
const PATIENCE_AT_END: Duration = Duration::from_millis(500);

/// News of a thread of the session.
pub(super) enum Event {
    /// The pool is ready.
    Prepared(Prepared),
    /// A search has ended and given its answer.
    Answered(Answered),
    /// A search for a mate has ended and given its answer; the solver, unless it broke down.
    Mated(Option<Box<Solver>>),
}

/// A pool as it was asked for, or as near as the memory allows.
pub(super) struct Prepared {
    pool: Pool,
    shrunk: Option<Shrunk>,
    /// The number of threads that there was memory for, if the pool was made now and has fewer than were asked for.
    fewer_threads: Option<usize>,
    /// The evaluation, if it was read anew.
    loaded: Option<Loaded>,
    /// The opening book, if it was opened anew.
    book: Option<Box<LoadedBook>>,
}

/// The end of a search.
pub(super) struct Answered {
    /// The pool, unless the search broke down.
    pub(super) pool: Option<Pool>,
    /// The time on the own clock, the answer included.
    pub(super) spent: Duration,
    /// How late the machine was at most.
    pub(super) longest_pause: Duration,
}

/// A `go`.
pub(super) struct Request {
    pub(super) go: Go,
    /// When it was read: its clock runs from here.
    pub(super) arrived: Instant,
    /// What it is about. The session's position may be another one by the time that it is searched.
    pub(super) position: Position,
    /// The move that led to the position.
    pub(super) last_move: Option<Move>,
}

/// What the session is doing.
enum Work {
    Nothing,
    /// The pool is being made; then this is to be done.
    Preparing(AfterPreparing),
    /// A search is under way.
    Thinking(Box<Thinking>),
    /// A search for a mate is under way.
    Mating(Mating),
    /// There is nothing to search, since the last `position` was refused or the book has answered: the answer waits for
    /// `stop`, or for `ponderhit` too.
    Holding {
        answer: Box<BookAnswer>,
        until_ponder_hit: bool,
    },
}

enum AfterPreparing {
    Nothing,
    SayReady,
    Search(Box<Request>),
}

/// What a session knows.
struct Session {
    out: Arc<Output>,
    inbox: Arc<Inbox>,
    log: Arc<DebugLog>,
    workshop: Workshop,
    options: Options,
    position: Position,
    /// The move that led to the position.
    last_move: Option<Move>,
    /// Why the last `position` was refused: until a good one comes nothing is said of any board.
    refused: Option<PositionError>,
    /// Never there together with the solver: `USI_Hash` is for both.
    pool: Option<Pool>,
    solver: Option<Box<Solver>>,
    /// Megabytes that the tables of the pool or the solver were asked to have.
    hash: usize,
    /// What the options asked to be evaluated with when the pool was made.
    choice: Choice,
    /// What came of that; nothing before the first pool.
    evaluation: Option<Evaluation>,
    /// The file could not be used: the next `isready` tries again.
    has_no_file: bool,
    library: Library,
    /// There was a search since the table was made or cleared.
    is_used: bool,
    /// The game is over: the table is to be cleared.
    new_game: bool,
    timekeeper: Timekeeper,
    work: Work,
}

/// Speaks USI until `quit`, the end of the input, or until nobody reads the output. An error means that the system has
/// no threads to give.
pub fn run(input: impl Read + Send + 'static, output: impl Write + Send + 'static) -> io::Result<()> {
    let inbox = Arc::new(Inbox::default());
    let log = Arc::new(DebugLog::new());
    let for_closing = Arc::clone(&inbox);
    let out = Output::start(output, Arc::clone(&log), move || for_closing.abort())?;
    let mut session = Session::new(Arc::clone(&out), Arc::clone(&inbox), Arc::clone(&log), Workshop::open()?);
    // Not joined: it may wait for input that never comes.
    thread::Builder::new().name("input".into()).spawn({
        let out = Arc::clone(&out);
        move || read_lines(input, &inbox, &log, &out)
    })?;
    session.run();
    out.finish(PATIENCE_AT_END);
    Ok(())
}

impl Session {
    /// A session at the start position with default options. No table is made before it is needed.
    fn new(out: Arc<Output>, inbox: Arc<Inbox>, log: Arc<DebugLog>, workshop: Workshop) -> Session {
        Session {
            out,
            inbox,
            log,
            workshop,
            options: Options::default(),
            position: Position::startpos(),
            last_move: None,
            refused: None,
            pool: None,
            solver: None,
            hash: 0,
            choice: Choice::default(),
            evaluation: None,
            has_no_file: false,
            library: Library::new(),
            is_used: false,
            new_game: false,
            timekeeper: Timekeeper::default(),
            work: Work::Nothing,
        }
    }

    fn run(&mut self) {
        loop {
            let (wants_line, patience) = match &self.work {
                Work::Nothing | Work::Holding { .. } => (true, None),
                Work::Preparing(_) => (false, Some(KEEP_ALIVE)),
                // A search that was told to end answers before anything else is said.
                Work::Thinking(thinking) => (!thinking.is_ending(), Some(LOOK)),
                Work::Mating(mating) => (!mating.is_ending(), Some(mating.patience())),
            };
            match self.inbox.next(wants_line, patience) {
                Next::Line(line) => {
                    if !self.obey(line) {
                        break;
                    }
                }
                Next::Event(Event::Prepared(prepared)) => self.prepared(prepared),
                Next::Event(Event::Answered(answered)) => self.answered(answered),
                Next::Event(Event::Mated(solver)) => self.mated(solver),
                Next::Pause => self.show_life(),
                Next::End => break,
            }
        }
        self.stop();
    }

    /// Carries out a command. Returns whether the session goes on.
    fn obey(&mut self, line: Line) -> bool {
        let Line { command, arrived } = line;
        // A line may have been waiting for when the search ended by itself.
        let is_ending = match &self.work {
            Work::Thinking(thinking) => Some(thinking.is_ending()),
            Work::Mating(mating) => Some(mating.is_ending()),
            Work::Holding { .. } => Some(false),
            Work::Nothing | Work::Preparing(_) => None,
        };
        let ends_search = matches!(command, Command::Go(_) | Command::GoMate(_) | Command::Quit);
        if is_ending.is_some_and(|is_ending| is_ending || ends_search) {
            self.stop();
            self.inbox.put_back(Line { command, arrived });
            return true;
        }
        match command {
            Command::Empty | Command::Ignored => {}
            Command::Usi => self.introduce(),
            Command::IsReady => self.get_ready(),
            Command::NewGame => self.begin_game(),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::NamelessOption(word) => self.refuse_option(&word),
            Command::Position(text) => self.set_position(&text),
            Command::Go(go) if self.refused.is_some() => self.refuse(&go),
            Command::Go(go) => {
                let (position, last_move) = (self.position.clone(), self.last_move);
                self.prepare(AfterPreparing::Search(Box::new(Request { go: *go, arrived, position, last_move })));
            }
            Command::GoMate(go) => self.go_mate(*go, arrived),
            Command::Stop => self.stop(),
            Command::GameOver => {
                self.stop();
                self.end_game();
            }
            Command::PonderHit(clocks) => self.ponder_hit(&clocks, arrived),
            Command::Quit => return false,
            Command::Unknown(word) => self.out.remark(format_args!("unknown command {}", Token(&word))),
        }
        true
    }

    fn stop(&mut self) {
        match &mut self.work {
            Work::Thinking(thinking) => thinking.stop(),
            Work::Mating(mating) => mating.stop(),
            Work::Holding { .. } => self.give_answer(),
            Work::Nothing | Work::Preparing(_) => {}
        }
    }

    fn introduce(&self) {
        self.out.line(concat!("id name Komainu ", env!("CARGO_PKG_VERSION")));
        self.out.line("id author the Komainu developers");
        TABLE.iter().for_each(|spec| self.out.line(spec));
        self.out.line("usiok");
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        if let Err(error) = self.options.set(name, value) {
            self.out.remark(error);
        }
        match Options::find(name).map(|spec| spec.name) {
            Some("DebugLogFile") => self.open_log(),
            // An analysis under way shows more or fewer lines from its next iteration on.
            Some("MultiPV") => {
                if let Work::Thinking(thinking) = &self.work {
                    thinking.set_multi_pv(self.options.multi_pv);
                }
            }
            _ => {}
        }
    }

    fn refuse_option(&self, word: &str) {
        let found =
            if word.is_empty() { "nothing follows".to_string() } else { format!("{} is not name", Token(word)) };
        self.out.remark(format_args!("error: setoption: {found}; it takes name NAME value VALUE"));
    }

    fn open_log(&self) {
        if self.options.debug_log_file.is_empty() {
            return self.log.close();
        }
        let path = paths::resolve(&self.options.debug_log_file);
        if let Err(error) = self.log.open(&path) {
            self.out.remark(format_args!("error: DebugLogFile: {}: {error}", paths::show(&path)));
        }
    }

    fn set_position(&mut self, text: &str) {
        match parse_position(text) {
            Ok(parsed) => {
                self.refused = None;
                self.last_move = parsed.last_move;
                self.position = parsed.position;
                if let Some(token) = parsed.ignored {
                    self.out.remark(format_args!("ignored {} after startpos", Token(&token)));
                }
            }
            Err(error) => {
                self.out.remark(format_args!("error: position: {error}; nothing is searched until a good one comes"));
                self.refused = Some(error);
            }
        }
    }

    /// Says that there is no board to think about. Returns whether that is so.
    fn says_why_refused(&self, command: &str) -> bool {
        if let Some(error) = &self.refused {
            self.out.remark(format_args!("error: {command}: the last position was refused: {error}"));
        }
        self.refused.is_some()
    }

    /// A `go` without a board: it is answered when a search would be that ends at once.
    fn refuse(&mut self, go: &Go) {
        self.says_why_refused("go");
        // It claims nothing about any board.
        let answer = BookAnswer { line: None, bestmove: "bestmove resign".into() };
        self.hold(answer, go);
    }

    /// Answers a `go` without a search, at once or when a search would answer that is over already.
    fn hold(&mut self, answer: BookAnswer, go: &Go) {
        let until_ponder_hit = go.ponder && !go.infinite;
        self.work = Work::Holding { answer: Box::new(answer), until_ponder_hit };
        if !until_ponder_hit && !go.is_endless() {
            self.give_answer();
        }
    }

    fn give_answer(&mut self) {
        let Work::Holding { answer, .. } = std::mem::replace(&mut self.work, Work::Nothing) else { return };
        match &answer.line {
            Some(line) => self.out.answer(line, &answer.bestmove),
            None => self.out.line(&answer.bestmove),
        }
    }

    /// `isready`: a search under way goes on.
    fn get_ready(&mut self) {
        self.log.settle();
        let name = self.options.rule_set.map_or("custom", |set| set.name());
        self.out.remark(format_args!("Rules {name}: {}", self.options.rules()));
        match self.work {
            Work::Thinking(_) | Work::Mating(_) | Work::Holding { .. } => self.out.line("readyok"),
            _ => {
                if std::mem::take(&mut self.has_no_file) {
                    self.choice = Choice::default();
                }
                self.library.look_again();
                self.prepare(AfterPreparing::SayReady);
            }
        }
    }

    /// `usinewgame`
    fn begin_game(&mut self) {
        self.timekeeper.new_game();
        self.end_game();
    }

    /// The table is cleared as soon as no clock runs: between the games, or else before the first move.
    fn end_game(&mut self) {
        self.new_game |= self.is_used;
        if matches!(self.work, Work::Nothing) && self.new_game {
            self.prepare(AfterPreparing::Nothing);
        }
    }

    /// Makes the pool as the options want it, clears it for a new game, and then does what is to be done.
    fn prepare(&mut self, after: AfterPreparing) {
        if self.pool.as_ref().is_some_and(|pool| self.is_fit(pool)) {
            return self.after_preparing(after);
        }
        let Options { threads, hash, .. } = self.options;
        // A table of another size or kind is given back before the new one is asked for.
        let (old, solver) = (self.pool.take(), self.solver.take());
        let (fits, clear) = (self.hash == hash, std::mem::take(&mut self.new_game));
        let choice = Choice::of(&self.options);
        let known = self.evaluation.clone().filter(|_| choice == self.choice);
        self.choice = choice.clone();
        self.is_used &= old.is_some() && fits && !clear;
        self.hash = hash;
        self.work = Work::Preparing(after);
        let book = self.library.wanted(&self.options);
        let inbox = Arc::clone(&self.inbox);
        self.workshop.hand_in(move || {
            drop(solver);
            let old = old.filter(|_| fits);
            let known_threads = old.as_ref().map(Pool::threads);
            let (pool, shrunk) = make_pool(old, threads, hash, clear);
            let fewer_threads = pool.fewer_threads().filter(|_| known_threads != Some(threads));
            let prepared = equip(pool, shrunk, &choice, known);
            let book = book.map(|job| Box::new(job.load()));
            inbox.push_event(Event::Prepared(Prepared { fewer_threads, book, ..prepared }));
        });
    }

    /// Whether the pool is as the options want it, and clear if it has to be.
    fn is_fit(&self, pool: &Pool) -> bool {
        let is_fit = self.hash == self.options.hash && pool.threads() == self.options.threads;
        is_fit
            && !self.new_game
            && self.choice == Choice::of(&self.options)
            && self.library.wanted(&self.options).is_none()
    }

    fn prepared(&mut self, prepared: Prepared) {
        if let Some(Shrunk { megabytes }) = prepared.shrunk {
            self.out.remark(format_args!("no memory for USI_Hash {}, using {megabytes} MB", self.hash));
        }
        if let Some(threads) = prepared.fewer_threads {
            self.out.remark(format_args!("no memory for Threads {}, using {threads}", prepared.pool.threads()));
        }
        if let Some(Loaded { evaluation, remark, has_failed }) = prepared.loaded {
            (self.evaluation, self.has_no_file) = (Some(evaluation), has_failed);
            remark.into_iter().for_each(|remark| self.out.remark(remark));
        }
        if let Some(book) = prepared.book {
            self.library.take(*book, &self.out);
        }
        self.pool = Some(prepared.pool);
        if let Work::Preparing(after) = std::mem::replace(&mut self.work, Work::Nothing) {
            self.after_preparing(after);
        }
    }

    fn after_preparing(&mut self, after: AfterPreparing) {
        match after {
            AfterPreparing::Nothing => {}
            AfterPreparing::SayReady => self.out.line("readyok"),
            AfterPreparing::Search(request) => self.go(*request),
        }
    }

    fn go(&mut self, request: Request) {
        let go = &request.go;
        for token in &go.ignored {
            self.out.remark(format_args!("ignored {} after go", Token(token)));
        }
        if request.last_move.is_some() && go.ponder && self.options.stochastic_ponder {
            return self.ponder_on_all_answers(request);
        }
        if self.answers_from_book(&request) {
            return;
        }
        let mut limits = self.limits(go, request.position.side());
        let clocked = match limits.clock {
            _ if go.ponder => Clocked::AfterPonderHit,
            Some(clock) => {
                self.timekeeper.clock_arrived(&clock, request.position.ply());
                limits.timing.learnt = self.timekeeper;
                Clocked::Yes
            }
            None => Clocked::No,
        };
        let answer = AnswerRules {
            ponder: self.options.ponder,
            resign_value: (!limits.infinite && !self.options.consideration_mode).then_some(self.options.resign_value),
        };
        let interval = if self.options.consideration_mode { Duration::ZERO } else { self.options.pv_interval };
        let reporter = Reporter::new(Arc::clone(&self.out), interval);
        let position = request.position.clone();
        self.think(Thinking::new(request, clocked).with_reporter(reporter, answer), position, limits);
    }

    /// Asks the opening book. Returns whether it has answered; an analysis is told what the book says and goes on.
    fn answers_from_book(&mut self, request: &Request) -> bool {
        let Request { go, arrived, position, .. } = request;
        let rules = self.options.rules_for(position);
        if position.declaration(rules.entering_king).is_some() {
            return false;
        }
        let draw_value = self.options.draw_value(position.side()).0;
        let question = Question { position, rules, draw_value, search_moves: &go.search_moves, dice: [0; 2] };
        let Some(proposal) = self.library.probe(&self.options, question, &self.out) else { return false };
        library::remark_moves(&proposal, &self.out);
        if go.is_endless() || self.options.consideration_mode {
            return false;
        }
        let Some(answer) = library::answer(&proposal, go.depth, self.options.ponder, &self.out) else { return false };
        let clock = go.clock(position.side()).filter(|_| !go.ponder);
        if let Some(clock) = clock {
            self.timekeeper.clock_arrived(&clock, position.ply());
        }
        self.hold(answer, go);
        if clock.is_some() {
            self.timekeeper.answered(arrived.elapsed(), Duration::ZERO);
        }
        true
    }

    /// Searches the position before the opponent's expected move, so that whatever comes is in the table. Nothing is
    /// shown of this search, whose lines would not fit the GUI's position, and it has no answer of its own.
    fn ponder_on_all_answers(&mut self, request: Request) {
        let mut position = request.position.clone();
        let draw_value = -self.options.draw_value(position.side());
        position.undo();
        let limits = Limits { infinite: true, draw_value, all_moves: self.options.all_moves, ..Limits::default() };
        let go = Go { ponder: false, ignored: Vec::new(), ..request.go };
        self.think(Thinking::new(Request { go, ..request }, Clocked::No), position, limits);
    }

    /// Starts a search. If the system gives no thread there is none, but there is an answer.
    fn think(&mut self, thinking: Thinking, position: Position, limits: Limits) {
        let rules = self.options.rules_for(&position);
        let pool = self.pool.take().expect("every search is prepared");
        self.is_used = true;
        thinking.start(pool, position, rules, limits, Arc::clone(&self.out), Arc::clone(&self.inbox));
        self.work = Work::Thinking(Box::new(thinking));
    }

    /// Searches the position for a mate. The table of the search for moves is given back: what it held is lost.
    fn go_mate(&mut self, go: GoMate, arrived: Instant) {
        for token in &go.ignored {
            self.out.remark(format_args!("ignored {} after go", Token(token)));
        }
        if let Some(word) = &go.fault {
            self.out
                .remark(format_args!("error: go mate: {} is no time in milliseconds and not infinite", Token(word)));
            return self.out.line("checkmate timeout");
        }
        if self.says_why_refused("go mate") {
            return self.out.line("checkmate timeout");
        }
        let hash = self.options.hash;
        let tables = Tables { pool: self.pool.take(), solver: self.solver.take(), made_for: self.hash, hash };
        (self.hash, self.is_used, self.new_game) = (hash, false, false);
        let Options { shortest_mate: shortest, omit_futile: without_futile, .. } = self.options;
        let request = MateRequest { go, arrived, position: self.position.clone(), shortest, without_futile };
        let (out, inbox) = (Arc::clone(&self.out), Arc::clone(&self.inbox));
        self.work = Work::Mating(Mating::start(request, tables, &self.workshop, out, inbox));
    }

    fn mated(&mut self, solver: Option<Box<Solver>>) {
        self.solver = solver;
        self.work = Work::Nothing;
    }

    fn ponder_hit(&mut self, clocks: &Go, arrived: Instant) {
        if let Work::Holding { until_ponder_hit: true, .. } = self.work {
            return self.give_answer();
        }
        let Work::Thinking(thinking) = &mut self.work else { return };
        if thinking.is_silent() {
            return thinking.hit_silent(clocks, arrived);
        }
        if !thinking.is_pondering() {
            return;
        }
        let clock = clocks.clock(thinking.side()).or(thinking.clock());
        if let Some(clock) = clock {
            self.timekeeper.clock_arrived(&clock, thinking.ply());
        }
        let timing = Timing { options: self.options.time, learnt: self.timekeeper };
        thinking.ponder_hit(arrived, clock, timing);
    }

    fn answered(&mut self, answered: Answered) {
        let Work::Thinking(thinking) = std::mem::replace(&mut self.work, Work::Nothing) else { return };
        self.pool = answered.pool;
        if thinking.was_on_clock() {
            self.timekeeper.answered(answered.spent, answered.longest_pause);
        }
        match thinking.after() {
            // The answer to the `go ponder` that was a search of all answers.
            Some(request) => self.prepare(AfterPreparing::Search(Box::new(request))),
            // What was announced during the search: no clock runs now.
            None if self.pool.is_some() => self.prepare(AfterPreparing::Nothing),
            None => {}
        }
    }

    fn show_life(&self) {
        match &self.work {
            Work::Preparing(AfterPreparing::SayReady) => self.out.line(""),
            Work::Thinking(thinking) => thinking.look_after(),
            Work::Mating(mating) => mating.look_after(),
            _ => {}
        }
    }

    /// What `go` asks for, from the side to move's view. With nothing asked for the search ends at `stop`.
    fn limits(&self, go: &Go, side: Color) -> Limits {
        let mut limits = Limits {
            clock: go.clock(side).filter(|_| !go.infinite),
            movetime: go.movetime.filter(|_| !go.infinite),
            depth: go.depth.map(|depth| depth.clamp(1, 1_000) as usize),
            nodes: go.nodes.map(|nodes| nodes.max(1)),
            infinite: go.infinite,
            ponder: go.ponder,
            search_moves: go.search_moves.clone(),
            multi_pv: self.options.multi_pv,
            draw_value: self.options.draw_value(side),
            all_moves: self.options.all_moves,
            skill: if self.options.consideration_mode { FULL_SKILL } else { self.options.skill },
            timing: Timing { options: self.options.time, learnt: self.timekeeper },
        };
        limits.infinite |= !limits.is_bounded() && !limits.ponder;
        limits
    }
}

/// The pool with this many threads and megabytes; an old one whose table has the right size is kept.
fn make_pool(old: Option<Pool>, threads: usize, megabytes: usize, clear: bool) -> (Pool, Option<Shrunk>) {
    match old {
        Some(mut pool) => {
            pool.set_threads(threads);
            if clear {
                pool.clear();
            }
            (pool, None)
        }
        None => Pool::new(threads, megabytes),
    }
}

/// Gives the pool the evaluation that is known, or reads the one that was chosen.
fn equip(mut pool: Pool, shrunk: Option<Shrunk>, choice: &Choice, known: Option<Evaluation>) -> Prepared {
    let loaded = if known.is_none() { Some(choice.load()) } else { None };
    if let Some(evaluation) = known.or_else(|| loaded.as_ref().map(|loaded| loaded.evaluation.clone())) {
        pool.set_evaluation(evaluation);
    }
    Prepared { pool, shrunk, fewer_threads: None, loaded, book: None }
}
