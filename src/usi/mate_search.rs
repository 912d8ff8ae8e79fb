//! A running search for a mate (`go mate`), on the table thread.
//!
//! `USI_Hash` is the memory of both kinds of search, so only one of them has tables at a time: those of the search for
//! moves are given back first, which may take a while, and then the solver's are made, which costs nothing until they
//! are filled. The session does not rely on the thread to answer: whoever comes first after `stop`, or after the
//! time, answers with the best that was found.

use super::event::Event;
use super::event_queue::EventQueue;
use super::info::{HEARTBEAT, nodes_per_second};
use super::output::Output;
use super::resources::{MateTables, Tables};
use super::table_thread::TableThread;
use crate::host::Instant;
use crate::mate::{MAX_PLIES, Mate, MateAnswer, MateLimits, MateProgress, MateReport, OpenReason, Query, Solver};
use crate::notation::score::ReportedScore;
use crate::position::Position;
use crate::protocol::{Checkmate, GoMate, Info, ScoreBound};
use crate::search::Shrunk;
use crate::system::free_megabytes;
use crate::types::StopToken;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Time after its end in which a search may answer by itself.
const GRACE: Duration = Duration::from_millis(20);

/// A `go mate`.
pub(super) struct MateRequest {
    pub(super) go: GoMate,
    /// When it was read: its time runs from here.
    pub(super) arrived: Instant,
    pub(super) position: Position,
    /// Asks for the shortest mate.
    pub(super) shortest: bool,
    /// Leaves futile interpositions out of the answer.
    pub(super) without_futile: bool,
}

/// A running search for a mate, as the session sees it.
pub(super) struct MateSearch {
    shared: Arc<SharedMateSearch>,
    /// When it has to be over.
    due: Option<Instant>,
    is_stopped: bool,
}

/// State that the thread and the session share.
struct SharedMateSearch {
    out: Arc<Output>,
    stop: StopToken,
    arrived: Instant,
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
    /// Starts the search. Its end is an event of the queue.
    pub(super) fn start(
        request: MateRequest,
        tables: MateTables,
        table_thread: &TableThread,
        out: Arc<Output>,
        queue: Arc<EventQueue>,
    ) -> MateSearch {
        let due = request.go.time.and_then(|time| request.arrived.checked_add(time));
        let (stop, arrived) = (StopToken::new(), request.arrived);
        let shared = Arc::new(SharedMateSearch { out, stop, arrived, state: Mutex::default() });
        let mate_search = MateSearch { shared: Arc::clone(&shared), due, is_stopped: false };
        table_thread.submit(move || queue.push_event(Event::MateSearchEnded(shared.run(&request, tables))));
        mate_search
    }

    /// Ends the search with its answer.
    pub(super) fn stop(&mut self) {
        self.shared.stop.stop();
        if !self.is_stopped {
            self.is_stopped = true;
            self.due = Some(Instant::now());
        }
    }

    /// Tests whether the search has answered or was told to.
    pub(super) fn is_ending(&self) -> bool {
        self.is_stopped || self.shared.lock().is_answered
    }

    /// Time for which the session may leave the search alone.
    pub(super) fn timeout(&self) -> Duration {
        match self.due {
            Some(due) if !self.shared.lock().is_answered => {
                (due + GRACE).saturating_duration_since(Instant::now()).min(HEARTBEAT)
            }
            _ => HEARTBEAT,
        }
    }

    /// Answers for a search that is overdue; shows that another one goes on.
    pub(super) fn poll(&self) {
        if self.due.is_some_and(|due| Instant::now() >= due + GRACE) {
            self.shared.stop.stop();
            if let Some((line, answer)) = self.shared.take_answer(Checkmate::Timeout) {
                // Not written by this thread: the session must not wait for a GUI that is slow to read.
                self.shared.out.line(format_args!("{line}\n{answer}"));
            }
        } else {
            self.shared.heartbeat();
        }
    }
}

impl SharedMateSearch {
    /// Gives back what is not needed, makes what is, searches and answers. Returns the solver, unless it broke down.
    fn run(&self, request: &MateRequest, tables: MateTables) -> Option<Box<Solver>> {
        let MateTables { tables, fits, hash } = tables;
        let made = match tables {
            Tables::Mates(solver) if fits => Some((solver, None)),
            other => {
                drop(other);
                make_solver(hash)
            }
        };
        let Some((mut solver, shrunk)) = made else {
            self.out.info_string("error: no memory for a search for a mate");
            self.answer(Checkmate::Timeout);
            return None;
        };
        if let Some(Shrunk { megabytes }) = shrunk {
            self.out.info_string(format_args!("no memory for USI_Hash {hash}, using {megabytes} MB"));
        }
        let time = request.go.time.map(|time| time.saturating_sub(self.arrived.elapsed()));
        let limits = MateLimits { time, nodes: request.go.nodes, stop: Some(&self.stop) };
        let progress = |progress: &MateProgress| self.show(progress);
        let on_mate = |mate: &Mate, progress: &MateProgress| self.keep(mate, progress);
        let query = Query {
            limits,
            shortest: request.shortest,
            without_futile: request.without_futile,
            progress: Some(&progress),
            on_mate: Some(&on_mate),
        };
        let search = catch_unwind(AssertUnwindSafe(|| solver.solve(&request.position, &query)));
        let Ok(report) = search else {
            self.out.info_string("error: the search broke down");
            self.answer(Checkmate::Timeout);
            return None;
        };
        self.finish(&report);
        Some(solver)
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
        self.lock().best = Some((info, answer));
    }

    fn report(&self, nodes: u64, info: Info) {
        let mut state = self.lock();
        if !state.is_answered {
            let line = self.line(&mut state, nodes, info);
            self.out.report(&format!("{line}\n"));
        }
    }

    /// Shows that the search goes on, if nothing was shown for a while.
    fn heartbeat(&self) {
        let last = self.lock().shown_at.unwrap_or(self.arrived);
        if last.elapsed() >= HEARTBEAT {
            self.report(0, Info::default());
        }
    }

    /// The answer of a search that has come to its end.
    fn finish(&self, report: &MateReport) {
        self.lock().nodes = report.nodes;
        match &report.answer {
            MateAnswer::Mate(mate) => self.lock().best = Some(in_usi(mate)),
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
        let mut state = self.lock();
        if std::mem::replace(&mut state.is_answered, true) {
            return None;
        }
        let (info, answer) = state.best.take().unwrap_or_else(|| (Info::default(), otherwise));
        Some((self.line(&mut state, 0, info), answer))
    }

    /// The line with its time and nodes, which never fall.
    fn line(&self, state: &mut MateSearchState, nodes: u64, info: Info) -> Info {
        state.nodes = state.nodes.max(nodes);
        state.shown_at = Some(Instant::now());
        let (time, nodes) = (self.arrived.elapsed(), state.nodes);
        Info { time: Some(time), nodes: Some(nodes), nps: Some(nodes_per_second(nodes, time)), ..info }
    }

    fn lock(&self) -> MutexGuard<'_, MateSearchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Report on a mate, and the answer. Until no shorter mate can exist the length is a bound of the score.
fn in_usi(mate: &Mate) -> (Info, Checkmate) {
    let info = Info {
        score: Some(ReportedScore::Mate(mate.length as i32)),
        bound: (!mate.is_exact).then_some(ScoreBound::Lower),
        pv: mate.line.clone(),
        ..Info::default()
    };
    (info, Checkmate::Moves(mate.without_futile.as_ref().unwrap_or(&mate.line).clone()))
}

/// A solver of this size, or smaller if there is no more memory.
fn make_solver(asked: usize) -> Option<(Box<Solver>, Option<Shrunk>)> {
    let free = free_megabytes();
    let mut megabytes = if asked > free { (free / 4).max(1) } else { asked };
    loop {
        if let Ok(solver) = Solver::new(megabytes) {
            return Some((Box::new(solver), (megabytes < asked).then_some(Shrunk { megabytes })));
        }
        if megabytes == 1 {
            return None;
        }
        megabytes /= 2;
    }
}
