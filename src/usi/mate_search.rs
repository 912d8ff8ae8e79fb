//! A running search for a mate (`go mate`), on the engine thread.
//!
//! `USI_Hash` is the memory of both kinds of search, so only one of them has tables at a time: those of the search for
//! moves are given back first, which may take a while, and then the solver's are made, which costs nothing until they
//! are filled. The session does not rely on the thread to answer: whoever comes first after `stop`, or after the
//! time, answers with the best that was found.

use super::info::{HEARTBEAT, nodes_per_second};
use super::output::Output;
use crate::host::{Instant, lock};
use crate::mate::{MAX_PLIES, Mate, MateAnswer, MateLimits, MateProgress, MateReport, OpenReason, Query, Solver};
use crate::notation::score::{InfoScore, ReportedScore};
use crate::position::Position;
use crate::protocol::{Checkmate, GoMate, Info};
use crate::search::Shrunk;
use crate::system::free_megabytes;
use crate::types::StopToken;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Time after its end in which a search may answer by itself.
const GRACE: Duration = Duration::from_millis(20);

/// A `go mate`.
pub(crate) struct MateRequest {
    pub(crate) go: GoMate,
    /// When it was read: its time runs from here.
    pub(crate) arrived: Instant,
    pub(crate) position: Position,
    /// Megabytes of the tables.
    pub(crate) hash: usize,
    /// Asks for the shortest mate.
    pub(crate) shortest: bool,
    /// Leaves futile interpositions out of the answer.
    pub(crate) without_futile: bool,
}

/// A running search for a mate, as the session sees it.
pub(crate) struct MateSearch {
    pub(crate) work: Arc<MateWork>,
    /// When it has to be over.
    due: Option<Instant>,
    is_stopped: bool,
}

/// A search for a mate, which the engine thread and the session share.
pub(crate) struct MateWork {
    pub(crate) request: MateRequest,
    out: Arc<Output>,
    stop: StopToken,
    state: Mutex<MateSearchState>,
}

#[derive(Default)]
struct MateSearchState {
    is_answered: bool,
    /// The best mate so far: what its `info` line says of it, and its answer.
    best: Option<(Info, Checkmate)>,
    /// The most nodes that are known of.
    nodes: u64,
    shown_at: Option<Instant>,
}

impl MateSearch {
    /// A search that begins now; its work is for the engine thread.
    pub(crate) fn new(request: MateRequest, out: Arc<Output>) -> MateSearch {
        let due = request.go.time.and_then(|time| request.arrived.checked_add(time));
        let work = MateWork { request, out, stop: StopToken::new(), state: Mutex::default() };
        MateSearch { work: Arc::new(work), due, is_stopped: false }
    }

    /// Ends the search with its answer.
    pub(crate) fn stop(&mut self) {
        self.work.stop.stop();
        if !self.is_stopped {
            self.is_stopped = true;
            self.due = Some(Instant::now());
        }
    }

    /// Tests whether the search has answered or was told to.
    pub(crate) fn is_ending(&self) -> bool {
        self.is_stopped || lock(&self.work.state).is_answered
    }

    /// Time for which the session may leave the search alone.
    pub(crate) fn timeout(&self) -> Duration {
        match self.due {
            Some(due) if !lock(&self.work.state).is_answered => {
                (due + GRACE).saturating_duration_since(Instant::now()).min(HEARTBEAT)
            }
            _ => HEARTBEAT,
        }
    }

    /// Answers for a search that is overdue; shows that another one goes on.
    pub(crate) fn poll(&self) {
        if self.due.is_some_and(|due| Instant::now() >= due + GRACE) {
            self.work.stop.stop();
            if let Some((line, answer)) = self.work.take_answer(Checkmate::Timeout) {
                // Not written by this thread: the session must not wait for a GUI that is slow to read.
                self.work.out.line(format_args!("{line}\n{answer}"));
            }
        } else {
            self.work.heartbeat();
        }
    }
}

impl MateWork {
    /// Searches and answers. Returns false if the search broke down: the solver is of no more use then.
    pub(crate) fn run(&self, solver: &mut Solver) -> bool {
        let request = &self.request;
        let time = request.go.time.map(|time| time.saturating_sub(request.arrived.elapsed()));
        let query = Query {
            limits: MateLimits { time, nodes: request.go.nodes, stop: Some(&self.stop) },
            shortest: request.shortest,
            without_futile: request.without_futile,
            progress: Some(&|progress: &MateProgress| self.show(progress)),
            on_mate: Some(&|mate: &Mate, progress: &MateProgress| self.keep(mate, progress)),
        };
        match catch_unwind(AssertUnwindSafe(|| solver.solve(&request.position, &query))) {
            Ok(report) => {
                self.finish(&report);
                true
            }
            Err(_) => {
                self.out.info_string("error: the search broke down");
                self.answer(Checkmate::Timeout);
                false
            }
        }
    }

    /// Answers without a search, for want of memory.
    pub(crate) fn refuse(&self) {
        self.out.info_string("error: no memory for a search for a mate");
        self.answer(Checkmate::Timeout);
    }

    /// Shows how far the search is.
    fn show(&self, progress: &MateProgress) {
        let hashfull = Some(progress.hashfull);
        self.report(progress.nodes, Info { hashfull, pv: progress.line.clone(), ..Info::default() });
    }

    /// Keeps a mate and shows it.
    fn keep(&self, mate: &Mate, progress: &MateProgress) {
        let (info, answer) = in_usi(mate);
        self.report(progress.nodes, info.clone());
        lock(&self.state).best = Some((info, answer));
    }

    fn report(&self, nodes: u64, info: Info) {
        let mut state = lock(&self.state);
        if !state.is_answered {
            let line = self.line(&mut state, nodes, info);
            self.out.report(&format!("{line}\n"));
        }
    }

    /// Shows that the search goes on, if nothing was shown for a while.
    fn heartbeat(&self) {
        let last = lock(&self.state).shown_at.unwrap_or(self.request.arrived);
        if last.elapsed() >= HEARTBEAT {
            self.report(0, Info::default());
        }
    }

    /// The answer of a search that has come to its end.
    fn finish(&self, report: &MateReport) {
        lock(&self.state).nodes = report.nodes;
        match &report.answer {
            MateAnswer::Mate(mate) => lock(&self.state).best = Some(in_usi(mate)),
            MateAnswer::NoMate => return self.answer(Checkmate::NoMate),
            MateAnswer::Unknown(OpenReason::Length) => {
                self.out.info_string(format_args!("no mate within {MAX_PLIES} plies"))
            }
            MateAnswer::Unknown(OpenReason::Memory) => {
                self.out.info_string("a mate was found, but USI_Hash is too small to prove it")
            }
            MateAnswer::Unknown(OpenReason::Thread) => self.out.info_string("error: the system gives no thread"),
            MateAnswer::Unknown(OpenReason::Time | OpenReason::Nodes | OpenReason::Stopped) => {}
        }
        self.answer(Checkmate::Timeout);
    }

    /// Answers with the best mate, or with this if there is none, unless that has been done.
    fn answer(&self, otherwise: Checkmate) {
        if let Some((line, answer)) = self.take_answer(otherwise) {
            self.out.answer(line, answer);
        }
    }

    /// The right to answer, and the last line with the answer.
    fn take_answer(&self, otherwise: Checkmate) -> Option<(Info, Checkmate)> {
        let mut state = lock(&self.state);
        if state.is_answered {
            return None;
        }
        state.is_answered = true;
        let (info, answer) = state.best.take().unwrap_or_else(|| (Info::default(), otherwise));
        Some((self.line(&mut state, 0, info), answer))
    }

    /// The line with its time and nodes, which never fall.
    fn line(&self, state: &mut MateSearchState, nodes: u64, info: Info) -> Info {
        state.nodes = state.nodes.max(nodes);
        state.shown_at = Some(Instant::now());
        let time = self.request.arrived.elapsed();
        Info { time: Some(time), nodes: Some(state.nodes), nps: Some(nodes_per_second(state.nodes, time)), ..info }
    }
}

/// Report on a mate, and the answer. Until no shorter mate can exist the length is a bound of the score.
fn in_usi(mate: &Mate) -> (Info, Checkmate) {
    let length = ReportedScore::Mate(mate.length as i32);
    let score = if mate.is_exact { InfoScore::Exact(length) } else { InfoScore::AtLeast(length) };
    let info = Info { score: Some(score), pv: mate.line.clone(), ..Info::default() };
    (info, Checkmate::Moves(mate.without_futile.as_ref().unwrap_or(&mate.line).clone()))
}

/// A solver of this size, or smaller if there is no more memory.
pub(crate) fn make_solver(asked: usize) -> Option<(Box<Solver>, Option<Shrunk>)> {
    let free = free_megabytes();
    let mut megabytes = if asked > free { (free / 4).max(1) } else { asked };
    loop {
        if let Ok(solver) = Solver::new(megabytes) {
            let shrunk = if megabytes < asked { Some(Shrunk { megabytes }) } else { None };
            return Some((Box::new(solver), shrunk));
        }
        if megabytes == 1 {
            return None;
        }
        megabytes /= 2;
    }
}
