//! A session with a GUI: executes commands, keeps the position, runs searches.
//!
//! Nothing here waits for long. Searches and the making of tables run on the engine thread, which reports their end as
//! an [`Event`]; a command that cannot be executed before such an end stays in the [`EventQueue`].

use super::debug_log::DebugLog;
use super::engine::{BenchJob, EngineState, EngineThread, Job, Prepared, SearchEnd, SearchJob, bench_depth};
use super::evaluation::NetSource;
use super::event_queue::{Event, EventQueue, Next, QueuedCommand};
use super::info::{POLL_INTERVAL, ReportOptions};
use super::level_game::LevelGame;
use super::mate_search::{MateRequest, MateSearch};
use super::opening_book::{self, HeldAnswer, OpeningBook};
use super::options::{Options, resolve, show_path};
use super::output::Output;
use super::search::{ActiveSearch, Clocked, Request, beginning_of, clock_of, limits_of};
use super::terminal::{Audience, diagram};
use crate::book::probe::Question;
use crate::eval::StaticEvaluation;
use crate::host::Instant;
use crate::levels::LevelSettings;
use crate::movegen::is_legal;
use crate::notation::usi::{PositionError, parse_position};
use crate::position::Position;
use crate::protocol::{BestMove, Checkmate, Command, Go, GoMate, Id, READYOK, USIOK};
use crate::search::{Limits, OverheadEstimator, Timing};
use crate::system::CoreWaits;
use crate::types::{Color, Move, Quoted, StopToken};
use std::fmt::Display;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

/// Interval at which a GUI that waits for `readyok` is shown that the engine lives.
const KEEP_ALIVE: Duration = Duration::from_secs(2);

/// Activity of the session.
enum Activity {
    Idle,
    /// The pool is being made; then this is to be done.
    Preparing(AfterPreparing),
    /// A search is under way.
    Searching(Box<ActiveSearch>),
    /// A search for a mate is under way.
    MateSearching(MateSearch),
    /// A bench is under way. Commands wait from the first one on that is not `stop`.
    Benching {
        stop: StopToken,
        has_command_waiting: bool,
    },
    /// There is nothing to search, since the last `position` was refused or the opening book has answered: the answer
    /// waits for `stop`, or for `ponderhit` too.
    Holding {
        answer: Box<HeldAnswer>,
        until_ponder_hit: bool,
    },
}

enum AfterPreparing {
    Nothing,
    SayReady,
    SayEvaluation,
    Search(Box<Request>),
}

/// Board of a session, as the last `position` left it.
struct Board {
    position: Position,
    /// The move that led to the position.
    last_move: Option<Move>,
    /// Why the last `position` was refused: until a good one comes nothing is said of any board.
    refused: Option<PositionError>,
}

/// State of a session.
pub(crate) struct Session {
    audience: Audience,
    out: Arc<Output>,
    queue: Arc<EventQueue>,
    log: Arc<DebugLog>,
    engine: EngineThread,
    engine_state: EngineState,
    options: Options,
    board: Board,
    book: OpeningBook,
    overhead: OverheadEstimator,
    /// Waits of the threads for a core up to the last `readyok`.
    waits: CoreWaits,
    /// State of a game at a level.
    level_game: LevelGame,
    /// When `readyok` was said last.
    ready_at: Option<Instant>,
    activity: Activity,
}

impl Session {
    /// A session at the start position with default options. No table is made before it is needed.
    pub(crate) fn new(
        audience: Audience,
        out: Arc<Output>,
        queue: Arc<EventQueue>,
        log: Arc<DebugLog>,
        engine: EngineThread,
    ) -> Session {
        Session {
            audience,
            out,
            queue,
            log,
            engine,
            engine_state: EngineState::default(),
            options: Options::default(),
            board: Board { position: Position::startpos(), last_move: None, refused: None },
            book: OpeningBook::new(),
            overhead: OverheadEstimator::default(),
            waits: CoreWaits::default(),
            level_game: LevelGame::new(),
            ready_at: None,
            activity: Activity::Idle,
        }
    }

    /// Does what comes until the session is over.
    pub(crate) fn run(&mut self) {
        while self.handle(self.next(None)).is_continue() {}
        self.stop();
    }

    /// Waits for what comes next, but no longer than this if a time is given.
    pub(crate) fn next(&self, patience: Option<Duration>) -> Next {
        let (accepts_commands, timeout) = match &self.activity {
            Activity::Idle | Activity::Holding { .. } => (true, None),
            Activity::Preparing(_) => (false, Some(KEEP_ALIVE)),
            // A search that was told to end answers before anything else is said.
            Activity::Searching(search) => (!search.is_ending(), Some(POLL_INTERVAL)),
            Activity::MateSearching(mate_search) => (!mate_search.is_ending(), Some(mate_search.timeout())),
            Activity::Benching { has_command_waiting, .. } => (!has_command_waiting, None),
        };
        self.queue.next(accepts_commands, patience.or(timeout))
    }

    /// Does what has come. Breaks if the session is over.
    pub(crate) fn handle(&mut self, next: Next) -> ControlFlow<()> {
        match next {
            Next::Command(command) => return self.execute(command),
            Next::Event(Event::Prepared(prepared)) => self.on_prepared(*prepared),
            Next::Event(Event::SearchEnded(end)) => self.on_search_ended(end),
            Next::Event(Event::MateSearchEnded) => self.activity = Activity::Idle,
            Next::Event(Event::BenchEnded) => self.on_bench_ended(),
            Next::Timeout => self.heartbeat(),
            Next::Shutdown => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }

    /// Tests whether something is under way that will be answered.
    pub(crate) fn owes_answer(&self) -> bool {
        !matches!(self.activity, Activity::Idle)
    }

    /// Carries out a command. Breaks if the session is over.
    fn execute(&mut self, command: QueuedCommand) -> ControlFlow<()> {
        let QueuedCommand { command, arrived } = command;
        if let Activity::Benching { stop, has_command_waiting } = &mut self.activity {
            if command == Command::Stop {
                stop.stop();
            } else {
                *has_command_waiting = true;
                self.queue.put_back(QueuedCommand { command, arrived });
            }
            return ControlFlow::Continue(());
        }
        let ends_search = matches!(command, Command::Go(_) | Command::GoMate(_) | Command::Quit);
        // A line may have been waiting for when the search ended by itself.
        let must_wait = match &self.activity {
            Activity::Searching(search) => ends_search || search.is_ending(),
            Activity::MateSearching(mate_search) => ends_search || mate_search.is_ending(),
            Activity::Holding { .. } => ends_search,
            Activity::Idle | Activity::Preparing(_) | Activity::Benching { .. } => false,
        };
        if must_wait {
            self.stop();
            self.queue.put_back(QueuedCommand { command, arrived });
            return ControlFlow::Continue(());
        }
        match command {
            Command::Empty | Command::Ignored => {}
            Command::Usi => self.handle_usi(),
            Command::IsReady => self.handle_isready(),
            Command::NewGame => self.handle_usinewgame(),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::NamelessOption(word) => self.reject_option(&word),
            Command::Position(text) => self.set_position(&text),
            Command::Go(go) if self.board.refused.is_some() => self.refuse(&go),
            Command::Go(go) => {
                let arrived = beginning_of(&go, arrived, self.ready_at);
                let position = self.board.position.clone();
                let request = Request { go: *go, arrived, position, last_move: self.board.last_move };
                self.prepare(AfterPreparing::Search(Box::new(request)));
            }
            Command::GoMate(go) => self.go_mate(*go, arrived),
            Command::Stop => self.stop(),
            Command::GameOver(_) => {
                self.stop();
                self.end_game();
            }
            Command::PonderHit(clocks) => self.ponder_hit(&clocks, arrived),
            Command::Help => self.tell(self.audience.help()),
            Command::Board => {
                if !self.says_why_refused("d") {
                    self.tell(&diagram(&self.board.position));
                }
            }
            Command::Eval => self.handle_eval(),
            Command::Bench(text) => self.start_bench(&text),
            Command::Quit => return ControlFlow::Break(()),
            Command::Unknown(word) => self.out.info_string(format_args!("unknown command {}; try help", Quoted(&word))),
        }
        ControlFlow::Continue(())
    }

    pub(crate) fn stop(&mut self) {
        match &mut self.activity {
            Activity::Searching(search) => search.stop(),
            Activity::MateSearching(mate_search) => mate_search.stop(),
            Activity::Holding { .. } => self.give_answer(),
            Activity::Benching { stop, .. } => stop.stop(),
            Activity::Idle | Activity::Preparing(_) => {}
        }
    }

    fn handle_usi(&self) {
        self.out.line(Id::Name(concat!("Komainu ", env!("CARGO_PKG_VERSION")).to_string()));
        self.out.line(Id::Author("the Komainu developers".to_string()));
        for option in Options::announcements() {
            self.out.line(option);
        }
        self.out.line(USIOK);
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        if let Err(error) = self.options.set(name, value) {
            self.out.info_string(error);
        }
        match Options::find(name).map(|spec| spec.name) {
            Some("DebugLogFile") => self.open_log(),
            Some("USI_Strength") if self.options.strength == 0 => {
                self.out.info_string("USI_Strength 0 is no rank, taken as 1 (1 dan)");
            }
            // An analysis under way shows more or fewer lines from its next iteration on.
            Some("MultiPV") => {
                if let Activity::Searching(search) = &self.activity {
                    search.control.set_multi_pv(self.options.multi_pv);
                }
            }
            _ => {}
        }
    }

    fn reject_option(&self, word: &str) {
        let found =
            if word.is_empty() { "nothing follows".to_string() } else { format!("{} is not name", Quoted(word)) };
        self.out.info_string(format_args!("error: setoption: {found}; it takes name NAME value VALUE"));
    }

    fn open_log(&self) {
        if self.options.debug_log_file.is_empty() {
            return self.log.close();
        }
        let path = resolve(&self.options.debug_log_file);
        let shown = show_path(&path);
        let out = Arc::clone(&self.out);
        DebugLog::open(&self.log, &path, move |error| {
            out.info_string(format_args!("error: DebugLogFile: {shown}: {error}"));
        });
    }

    /// Says what a person has asked for: as it is to a person, else in lines of the protocol.
    fn tell(&self, lines: &[impl Display]) {
        for line in lines {
            match self.audience {
                Audience::Program => self.out.info_string(line),
                Audience::English | Audience::Japanese => self.out.line(line),
            }
        }
    }

    /// `eval`: reads the net first if that has not been done.
    fn handle_eval(&mut self) {
        if self.says_why_refused("eval") {
            return;
        }
        match self.activity {
            Activity::Idle => self.prepare(AfterPreparing::SayEvaluation),
            _ => self.say_evaluation(),
        }
    }

    fn say_evaluation(&self) {
        match &self.engine_state.evaluation {
            Some(evaluation) => self.tell(&[StaticEvaluation::of(evaluation, &self.board.position)]),
            None => self.out.info_string("error: eval: not before the search has ended"),
        }
    }

    fn set_position(&mut self, text: &str) {
        match parse_position(text) {
            Ok(parsed) => {
                self.board.refused = None;
                self.board.last_move = parsed.last_move;
                self.board.position = parsed.position;
                if let Some(token) = parsed.ignored {
                    self.out.info_string(format_args!("ignored {} after startpos", Quoted(&token)));
                }
            }
            Err(error) => {
                self.out
                    .info_string(format_args!("error: position: {error}; nothing is searched until a good one comes"));
                self.board.refused = Some(error);
            }
        }
    }

    /// Says that there is no board to think about. Returns whether that is so.
    fn says_why_refused(&self, command: &str) -> bool {
        if let Some(error) = &self.board.refused {
            self.out.info_string(format_args!("error: {command}: the last position was refused: {error}"));
        }
        self.board.refused.is_some()
    }

    /// A `go` without a board: it is answered when a search would be that ends at once.
    fn refuse(&mut self, go: &Go) {
        self.says_why_refused("go");
        // It claims nothing about any board.
        let answer = HeldAnswer { line: None, bestmove: BestMove::Resign };
        self.hold(answer, go);
    }

    /// Answers a `go` without a search, at once or when a search would answer that is over already.
    fn hold(&mut self, answer: HeldAnswer, go: &Go) {
        let until_ponder_hit = go.ponder && !go.infinite;
        self.activity = Activity::Holding { answer: Box::new(answer), until_ponder_hit };
        if !until_ponder_hit && !go.is_endless() {
            self.give_answer();
        }
    }

    fn give_answer(&mut self) {
        let activity = std::mem::replace(&mut self.activity, Activity::Idle);
        let Activity::Holding { answer, .. } = activity else { return };
        match &answer.line {
            Some(line) => self.out.answer(line, &answer.bestmove),
            None => self.out.line(&answer.bestmove),
        }
    }

    /// `isready`: a search under way goes on.
    fn handle_isready(&mut self) {
        self.log.stop_buffering();
        let name = self.options.rule_set.map_or("custom", |set| set.name());
        self.out.info_string(format_args!("Rules {name}: {}", self.options.rules()));
        match self.activity {
            Activity::Searching(_) | Activity::MateSearching(_) | Activity::Holding { .. } => self.out.line(READYOK),
            _ => {
                self.engine_state.look_again();
                self.book.look_again();
                self.prepare(AfterPreparing::SayReady);
            }
        }
    }

    /// `usinewgame`
    fn handle_usinewgame(&mut self) {
        self.overhead.new_game();
        self.level_game = LevelGame::new();
        self.end_game();
    }

    /// The table is cleared as soon as no clock runs: between the games, or else before the first move.
    fn end_game(&mut self) {
        let is_to_be_cleared = self.engine_state.end_game();
        if is_to_be_cleared && matches!(self.activity, Activity::Idle) {
            self.prepare(AfterPreparing::Nothing);
        }
    }

    /// Has the engine thread make what the options want, clear the table for a new game, and then does what is to be
    /// done.
    fn prepare(&mut self, after: AfterPreparing) {
        let book = self.book.wanted(&self.options);
        if book.is_none() && self.engine_state.is_current(&self.options) {
            return self.after_preparing(after);
        }
        let mut preparation = self.engine_state.prepare(&self.options);
        preparation.book = book;
        self.activity = Activity::Preparing(after);
        self.engine.submit(Job::Prepare(Box::new(preparation)));
    }

    fn on_prepared(&mut self, mut prepared: Prepared) {
        let book = prepared.book.take();
        self.engine_state.on_prepared(prepared, &self.out);
        if let Some(book) = book {
            self.book.take(*book, &self.out);
        }
        if let Activity::Preparing(after) = std::mem::replace(&mut self.activity, Activity::Idle) {
            self.after_preparing(after);
        }
    }

    fn after_preparing(&mut self, after: AfterPreparing) {
        match after {
            AfterPreparing::Nothing => {}
            AfterPreparing::SayReady => {
                // No clock runs yet, and what was made ready has shown how busy the machine is.
                let waits = CoreWaits::own();
                self.overhead.waited(waits.longest_turn_since(&self.waits));
                self.waits = waits;
                self.ready_at = Some(Instant::now());
                self.out.line(READYOK);
            }
            AfterPreparing::SayEvaluation => self.say_evaluation(),
            AfterPreparing::Search(request) => self.go(*request),
        }
    }

    fn go(&mut self, mut request: Request) {
        self.keep_legal_moves(&mut request);
        let go = &request.go;
        for note in &go.notes {
            self.out.info_string(note);
        }
        if !go.is_bounded() && !go.is_endless() && !go.ponder {
            self.out.info_string("go: no limit could be read; it is answered at once");
        }
        if request.last_move.is_some() && go.ponder && self.options.stochastic_ponder {
            return self.ponder_on_all_answers(request);
        }
        if self.answers_from_book(&request) {
            return;
        }
        let mut limits = self.limits(go, request.position.side());
        let is_game = !limits.infinite && !self.options.consideration_mode;
        if is_game && let Some(evaluation) = &self.engine_state.evaluation {
            self.level_game.set_position(&request.position, evaluation);
            limits.draw_value = self.level_game.draw_value(limits.draw_value);
        }
        let level = self.level_game.settings(&self.options, &request.position, &limits, &self.out);
        if level.is_some() {
            // A level plays one move; several lines are for analyses, which are at full strength.
            limits.multi_pv = 1;
        }
        let mut report = ReportOptions { ponder: self.options.ponder, ..ReportOptions::default() };
        if is_game {
            report.zero = self.level_game.zero(&self.options, &self.out);
            report.resign_value = Some(self.level_game.resign_value(&self.options, level, &request.position));
        }
        if !self.options.consideration_mode {
            report.interval = self.options.pv_interval;
        }
        let clocked = match limits.clock {
            _ if go.ponder => Clocked::AfterPonderHit,
            Some(clock) => {
                self.overhead.clock_arrived(&clock, request.position.ply());
                limits.timing.overhead = self.overhead;
                Clocked::Yes
            }
            None => Clocked::No,
        };
        let position = request.position.clone();
        let search = ActiveSearch::new(request, limits, clocked, &self.out, report);
        self.start_search(search, position, level);
    }

    /// Leaves those of `searchmoves` out that are not legal, and says so. Where none is legal all moves are searched: an
    /// answer is owed whatever was asked for.
    fn keep_legal_moves(&self, request: &mut Request) {
        let asked = std::mem::take(&mut request.go.search_moves);
        for &mv in &asked {
            if is_legal(&request.position, mv) {
                request.go.search_moves.push(mv);
            } else {
                self.out.info_string(format_args!("searchmoves: {mv} is not legal here"));
            }
        }
        if request.go.search_moves.is_empty() && !asked.is_empty() {
            self.out.info_string("searchmoves without a legal move: all moves are searched");
        }
    }

    /// Asks the opening book. Returns whether it has answered; an analysis is told what the book says and goes on.
    fn answers_from_book(&mut self, request: &Request) -> bool {
        let Request { go, arrived, position, .. } = request;
        if self.book.is_internal() && !self.is_game_with_main_time(request) {
            return false;
        }
        let rules = self.options.rules_for(position);
        if position.declaration(rules.entering_king).is_some() {
            return false;
        }
        let draw_value = self.options.draw_value(position.side()).0;
        let question = Question { position, rules, draw_value, search_moves: &go.search_moves, random: [0; 2] };
        let Some(proposal) = self.book.probe(&self.options, question, &self.out) else { return false };
        opening_book::print_moves(&proposal, &self.out);
        if go.is_endless() || self.options.consideration_mode {
            return false;
        }
        let answer = opening_book::answer(&proposal, go.depth, &self.options, &self.out);
        let Some(answer) = answer else { return false };
        let clock = if go.ponder { None } else { clock_of(go, position.side()) };
        if let Some(clock) = clock {
            self.overhead.clock_arrived(&clock, position.ply());
        }
        self.hold(answer, go);
        if clock.is_some() {
            self.overhead.answered(arrived.elapsed(), Duration::ZERO);
        }
        true
    }

    /// Tests whether a move of full strength is wanted while main time is on the clock. Else the built-in book is
    /// silent: who names a depth, nodes, moves or a time for this move, or wants several lines, wants a search; time of
    /// byoyomi is lost if it is not used, and some GUIs analyse games by it; levels vary their openings themselves.
    fn is_game_with_main_time(&self, request: &Request) -> bool {
        let go = &request.go;
        let clock = clock_of(go, request.position.side());
        let has_main_time = clock.is_some_and(|clock| !clock.time.is_zero());
        let is_limited = go.infinite
            || go.depth.is_some()
            || go.nodes.is_some()
            || go.movetime.is_some()
            || !go.search_moves.is_empty();
        let options = &self.options;
        let is_full_strength = options.playing_level().is_none();
        has_main_time && !is_limited && is_full_strength && !options.consideration_mode && options.multi_pv == 1
    }

    /// Searches the position before the opponent's expected move, so that whatever comes is in the table. Nothing is
    /// shown of this search, whose lines would not fit the GUI's position, and it has no answer of its own.
    fn ponder_on_all_answers(&mut self, request: Request) {
        let mut position = request.position.clone();
        let draw_value = -self.options.draw_value(position.side());
        position.undo();
        let limits = Limits { infinite: true, draw_value, all_moves: self.options.all_moves, ..Limits::default() };
        let go = Go { ponder: false, notes: Vec::new(), ..request.go };
        self.start_search(ActiveSearch::silent(Request { go, ..request }, limits), position, None);
    }

    /// Hands a search to the engine thread.
    fn start_search(&mut self, search: ActiveSearch, position: Position, level: Option<LevelSettings>) {
        let rules = self.options.rules_for(&position);
        let control = Arc::clone(&search.control);
        let job = SearchJob { position, rules, control, level, reporter: search.reporter.clone() };
        self.engine_state.is_used = true;
        self.engine.submit(Job::Search(Box::new(job)));
        self.activity = Activity::Searching(Box::new(search));
    }

    /// Searches the position for a mate. The table of the search for moves is given back: what it held is lost.
    fn go_mate(&mut self, go: GoMate, arrived: Instant) {
        for note in &go.notes {
            self.out.info_string(note);
        }
        if let Some(word) = &go.fault {
            self.out.info_string(format_args!(
                "error: go mate: {} is no time in milliseconds and not infinite",
                Quoted(word)
            ));
            return self.out.line(Checkmate::Timeout);
        }
        if self.says_why_refused("go mate") {
            return self.out.line(Checkmate::Timeout);
        }
        self.level_game.say_full_strength(&self.options, "go mate", &self.out);
        let request = MateRequest {
            go,
            arrived,
            position: self.board.position.clone(),
            hash: self.options.hash,
            shortest: self.options.shortest_mate,
            without_futile: self.options.omit_futile,
        };
        let search = MateSearch::new(request, Arc::clone(&self.out));
        self.engine_state.lose_pool();
        self.engine.submit(Job::SearchMate(Arc::clone(&search.work)));
        self.activity = Activity::MateSearching(search);
    }

    /// Starts a bench, with the evaluation that the options select and nothing else of the session.
    fn start_bench(&mut self, text: &str) {
        let depth = match bench_depth(text) {
            Ok(_) if !matches!(self.activity, Activity::Idle) => Err("a search is running".to_string()),
            depth => depth,
        };
        match depth {
            Ok(depth) => {
                let stop = StopToken::new();
                let job = BenchJob { depth, net_source: NetSource::of(&self.options), stop: stop.clone() };
                self.engine.submit(Job::Bench(Box::new(job)));
                self.activity = Activity::Benching { stop, has_command_waiting: false };
            }
            Err(why) => {
                self.out.info_string(format_args!("error: bench: {why}"));
                self.queue.end_bench();
            }
        }
    }

    fn on_bench_ended(&mut self) {
        self.queue.end_bench();
        self.activity = Activity::Idle;
    }

    fn ponder_hit(&mut self, clocks: &Go, arrived: Instant) {
        if let Activity::Holding { until_ponder_hit: true, .. } = self.activity {
            return self.give_answer();
        }
        let Activity::Searching(search) = &mut self.activity else { return };
        if search.is_silent() {
            return search.hit_silent(clocks, arrived);
        }
        if !search.control.is_pondering() {
            return;
        }
        for note in &clocks.notes {
            self.out.info_string(note);
        }
        let position = &search.request.position;
        let clock = clock_of(clocks, position.side()).or(search.clock());
        if let Some(clock) = clock {
            self.overhead.clock_arrived(&clock, position.ply());
        }
        let timing = Timing { options: self.options.time, overhead: self.overhead };
        search.ponder_hit(arrived, clock, timing);
    }

    fn on_search_ended(&mut self, end: SearchEnd) {
        let Activity::Searching(search) = std::mem::replace(&mut self.activity, Activity::Idle) else { return };
        if end.is_broken {
            self.engine_state.lose_pool();
        }
        self.level_game.note_score(end.score);
        if search.clocked == Clocked::Yes {
            self.overhead.answered(end.spent, end.longest_pause);
        }
        match search.after {
            // The answer to the `go ponder` that was a search of all answers.
            Some(request) => self.prepare(AfterPreparing::Search(Box::new(request))),
            // What was announced during the search: no clock runs now.
            None if self.engine_state.has_pool => self.prepare(AfterPreparing::Nothing),
            None => {}
        }
    }

    fn heartbeat(&self) {
        match &self.activity {
            Activity::Preparing(AfterPreparing::SayReady) => self.out.line(""),
            Activity::Searching(search) => search.poll(),
            Activity::MateSearching(mate_search) => mate_search.poll(),
            _ => {}
        }
    }

    /// Limits of a `go` with what the options add.
    fn limits(&self, go: &Go, side: Color) -> Limits {
        Limits {
            multi_pv: self.options.multi_pv,
            draw_value: self.options.draw_value(side),
            all_moves: self.options.all_moves,
            timing: Timing { options: self.options.time, overhead: self.overhead },
            ..limits_of(go, side)
        }
    }
}
