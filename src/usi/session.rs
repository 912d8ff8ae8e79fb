//! A session with a GUI: reads commands, keeps the position, runs searches.
//!
//! The thread that reads never waits for a search, except where the next command cannot be obeyed before the running
//! search has ended: at the next `go`, and at the end.

use super::command::{Command, Go, parse};
use super::info::{bestmove_line, info_line, score_line};
use super::options::{Options, TABLE};
use super::output::Output;
use crate::notation::usi::parse_position;
use crate::position::Position;
use crate::search::{Clock, Limits, Pool, RootRules, Shrunk, Signals, Timing};
use crate::types::{Color, Token};
use std::io::{BufRead, Read, Write};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// The longest line that is read; a longer one is thrown away. A game of 20,000 plies needs 100 kB.
const MAX_LINE: u64 = 16 << 20;

/// A search under way on its own thread, which gives the pool back.
struct Running {
    /// Whose move is searched.
    side: Color,
    signals: Arc<Signals>,
    thread: JoinHandle<Pool>,
}

/// What a session knows.
pub struct Session {
    out: Arc<Output>,
    options: Options,
    position: Position,
    pool: Option<Pool>,
    /// Megabytes that the pool's table was asked to have.
    hash: usize,
    new_game: bool,
    running: Option<Running>,
}

/// Speaks USI until `quit`, the end of the input, or until nobody reads the output.
pub fn run(mut input: impl BufRead, output: Box<dyn Write + Send>) {
    let mut session = Session::new(output);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match input.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        if bytes.len() as u64 == MAX_LINE && bytes.last() != Some(&b'\n') {
            session.out.remark(format_args!("error: a line of more than {MAX_LINE} bytes is ignored"));
            if input.skip_until(b'\n').is_err() {
                break;
            }
            continue;
        }
        if !session.obey(parse(&String::from_utf8_lossy(&bytes))) || session.out.is_closed() {
            break;
        }
    }
    session.finish_search();
}

impl Session {
    /// A session at the start position with default options. No table is made before it is needed.
    pub fn new(output: Box<dyn Write + Send>) -> Session {
        Session {
            out: Arc::new(Output::new(output)),
            options: Options::default(),
            position: Position::startpos(),
            pool: None,
            hash: 0,
            new_game: false,
            running: None,
        }
    }

    /// Carries out a command. Returns whether the session goes on.
    pub fn obey(&mut self, command: Command) -> bool {
        match command {
            Command::Empty | Command::Ignored => {}
            Command::Usi => self.introduce(),
            Command::IsReady => {
                if !self.is_searching() {
                    self.make_pool();
                }
                self.out.line("readyok");
            }
            Command::NewGame => {
                self.new_game = true;
                // Now, while no clock runs; but nothing is made that was not there yet.
                if !self.is_searching() && self.pool.is_some() {
                    self.make_pool();
                }
            }
            Command::SetOption { name, value } => {
                if let Err(error) = self.options.set(&name, value.as_deref()) {
                    self.out.remark(error);
                }
            }
            Command::Position(text) => self.set_position(&text),
            Command::Go(go) => self.go(*go),
            Command::GoMate => self.out.line("checkmate notimplemented"),
            Command::Stop | Command::GameOver => {
                if let Some(running) = &self.running {
                    running.signals.stop();
                }
            }
            Command::PonderHit(clocks) => {
                if let Some(running) = &self.running {
                    running.signals.ponder_hit(clock(&clocks, running.side));
                }
            }
            Command::Quit => return false,
            Command::Unknown(word) => self.out.remark(format_args!("unknown command {}", Token(&word))),
        }
        true
    }

    fn introduce(&self) {
        self.out.line(concat!("id name Komainu ", env!("CARGO_PKG_VERSION")));
        self.out.line("id author the Komainu developers");
        TABLE.iter().for_each(|spec| self.out.line(spec));
        self.out.line("usiok");
    }

    fn set_position(&mut self, text: &str) {
        match parse_position(text) {
            Ok(parsed) => {
                self.position = parsed.position;
                if let Some(token) = parsed.ignored {
                    self.out.remark(format_args!("ignored {} after startpos", Token(&token)));
                }
            }
            Err(error) => self.out.remark(format_args!("error: position: {error}; the last position is kept")),
        }
    }

    /// Whether a search is under way; takes the pool back from one that has ended or was told to, so that its answer
    /// stands before whatever is said next.
    fn is_searching(&mut self) -> bool {
        match &self.running {
            Some(running) if !running.signals.is_stopped() && !running.thread.is_finished() => true,
            _ => {
                self.join();
                false
            }
        }
    }

    /// Ends the search if there is one, with its answer.
    fn finish_search(&mut self) {
        if let Some(running) = &self.running {
            running.signals.stop();
        }
        self.join();
    }

    /// Waits for the search to end. A search that broke down leaves no pool, and the next one gets a new one.
    fn join(&mut self) {
        if let Some(running) = self.running.take() {
            self.pool = running.thread.join().ok();
        }
    }

    /// Makes the pool, or makes it anew if its size was changed, and begins a new game if one was announced.
    fn make_pool(&mut self) {
        let Options { threads, hash, .. } = self.options;
        match &mut self.pool {
            Some(pool) if self.hash == hash => {
                pool.set_threads(threads);
                if self.new_game {
                    pool.clear();
                }
            }
            _ => {
                // The old table is given back before the new one is asked for.
                self.pool = None;
                let (pool, shrunk) = Pool::new(threads, hash);
                if let Some(Shrunk { megabytes }) = shrunk {
                    self.out.remark(format_args!("no memory for USI_Hash {hash}, using {megabytes} MB"));
                }
                self.pool = Some(pool);
                self.hash = hash;
            }
        }
        self.new_game = false;
    }

    fn go(&mut self, go: Go) {
        // The clock runs from here: what has to be made ready first is on the engine's own time.
        let signals = Arc::new(Signals::new(go.ponder));
        self.finish_search();
        self.make_pool();
        let Some(mut pool) = self.pool.take() else { return };
        for token in &go.ignored {
            self.out.remark(format_args!("ignored {} after go", Token(token)));
        }
        let limits = limits(&go, &self.position, self.options.multi_pv);
        let rules = RootRules { entering_king: self.options.entering_king, max_moves: self.options.max_moves };
        let (out, position, ponder) = (Arc::clone(&self.out), self.position.clone(), self.options.ponder);
        let for_thread = Arc::clone(&signals);
        let body = move || {
            let outcome = pool.search(&position, rules, &limits, &for_thread, &mut |report| {
                out.line(info_line(report));
            });
            if let Some(line) = score_line(&outcome) {
                out.line(line);
            }
            out.line(bestmove_line(&outcome, ponder));
            pool
        };
        let thread = std::thread::Builder::new().name("go".into()).spawn(body);
        match thread {
            Ok(thread) => self.running = Some(Running { side: self.position.side(), signals, thread }),
            // Without a thread there is no search, but there is an answer.
            Err(error) => {
                self.out.remark(format_args!("error: no thread for the search: {error}"));
                self.out.line("bestmove resign");
            }
        }
    }
}

/// The clock of a side, if any clock was sent.
fn clock(go: &Go, us: Color) -> Option<Clock> {
    let any = |times: [Option<Duration>; 2]| times.iter().any(Option::is_some);
    (any(go.time) || any(go.increment) || go.byoyomi.is_some()).then(|| Clock {
        time: go.time[us].unwrap_or_default(),
        increment: go.increment[us].unwrap_or_default(),
        byoyomi: go.byoyomi.unwrap_or_default(),
        moves_to_go: None,
    })
}

/// What `go` asks for, from the side to move's view. With nothing asked for the search ends at `stop`.
fn limits(go: &Go, position: &Position, multi_pv: usize) -> Limits {
    let mut limits = Limits {
        clock: clock(go, position.side()).filter(|_| !go.infinite),
        timing: Timing::default(),
        movetime: go.movetime.filter(|_| !go.infinite),
        depth: go.depth.map(|depth| depth.clamp(1, 1_000) as usize),
        nodes: go.nodes.map(|nodes| nodes.max(1)),
        infinite: go.infinite,
        ponder: go.ponder,
        search_moves: go.search_moves.clone(),
        multi_pv,
    };
    limits.infinite |= !limits.is_bounded() && !limits.ponder;
    limits
}
