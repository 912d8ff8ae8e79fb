//! A search under way, on a thread of its own.

use super::command::Go;
use super::inbox::Inbox;
use super::info::{AnswerRules, Reporter};
use super::output::Output;
use super::session::{Answered, Event, Request};
use crate::movegen::{All, generate};
use crate::position::{GameRules, Position};
use crate::search::{Callbacks, Clock, Limits, Pool, Signals, Timing};
use crate::types::Color;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Whether a search is on the own clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clocked {
    No,
    Yes,
    /// Not before the expected move is played.
    AfterPonderHit,
}

/// A search under way, and how to reach it.
pub(super) struct Thinking {
    request: Request,
    signals: Arc<Signals>,
    clocked: Clocked,
    /// `None` for a search of which nothing is shown.
    reporter: Option<(Arc<Reporter>, AnswerRules)>,
    /// What is to be searched when this search has ended.
    after: Option<Request>,
}

impl Thinking {
    /// A search that shows nothing and gives no answer.
    pub(super) fn new(request: Request, clocked: Clocked) -> Thinking {
        let signals = Arc::new(Signals::since(request.arrived, request.go.ponder));
        Thinking { request, signals, clocked, reporter: None, after: None }
    }

    /// The search with reports and an answer.
    pub(super) fn with_reporter(self, reporter: Reporter, rules: AnswerRules) -> Thinking {
        Thinking { reporter: Some((Arc::new(reporter), rules)), ..self }
    }

    /// Starts the thread. Its end is an event of the inbox; if the system gives no thread, so is that.
    pub(super) fn start(
        &self,
        mut pool: Pool,
        position: Position,
        rules: GameRules,
        limits: Limits,
        out: Arc<Output>,
        inbox: Arc<Inbox>,
    ) {
        let (signals, reporter) = (Arc::clone(&self.signals), self.reporter.clone());
        let fallback = (position.clone(), Arc::clone(&out), Arc::clone(&inbox));
        let body = move || {
            let mut spent = Duration::ZERO;
            let search = AssertUnwindSafe(|| {
                let callbacks = Callbacks {
                    on_block: &mut |block| reporter.iter().for_each(|(reporter, _)| reporter.block(block)),
                    on_answer: &mut |outcome| {
                        reporter.iter().for_each(|(reporter, rules)| reporter.finish(outcome, *rules));
                        spent = signals.thinking_time();
                    },
                };
                pool.search_and_answer(&position, rules, &limits, &signals, callbacks)
            });
            let Ok(outcome) = catch_unwind(search) else {
                out.remark("error: the search broke down");
                return answer_without_search(&position, reporter.is_some(), &signals, &out, &inbox);
            };
            let longest_pause = outcome.longest_pause;
            inbox.push_event(Event::Answered(Answered { pool: Some(pool), spent, longest_pause }));
        };
        if let Err(error) = thread::Builder::new().name("go".into()).spawn(body) {
            let (position, out, inbox) = fallback;
            out.remark(format_args!("error: no thread for the search: {error}"));
            answer_without_search(&position, self.reporter.is_some(), &self.signals, &out, &inbox);
        }
    }

    /// Ends the search with its answer.
    pub(super) fn stop(&mut self) {
        self.signals.stop();
        if self.is_silent() && self.after.is_none() {
            // The GUI waits for an answer all the same, and it must be a move of its position.
            self.follow(Go { nodes: Some(1), ..Go::default() }, Instant::now());
        }
    }

    /// The GUI's position is searched next, for this `go`.
    fn follow(&mut self, go: Go, arrived: Instant) {
        let Request { position, last_move, .. } = &self.request;
        self.after = Some(Request { go, arrived, position: position.clone(), last_move: *last_move });
    }

    /// Whether the search has ended or was told to.
    pub(super) fn is_ending(&self) -> bool {
        self.signals.is_stopped()
    }

    /// Whether nothing is shown of this search.
    pub(super) fn is_silent(&self) -> bool {
        self.reporter.is_none()
    }

    /// Whether the opponent's clock is running.
    pub(super) fn is_pondering(&self) -> bool {
        self.signals.is_pondering()
    }

    /// Whose move is searched.
    pub(super) fn side(&self) -> Color {
        self.request.position.side()
    }

    /// The number of the move that is searched for.
    pub(super) fn ply(&self) -> u32 {
        self.request.position.ply()
    }

    /// The clock that came with `go`.
    pub(super) fn clock(&self) -> Option<Clock> {
        self.request.go.clock(self.side())
    }

    /// Shows this many lines from the next iteration on.
    pub(super) fn set_multi_pv(&self, lines: usize) {
        self.signals.set_multi_pv(lines);
    }

    /// The expected move was played: the own clock runs from then on.
    pub(super) fn ponder_hit(&mut self, at: Instant, clock: Option<Clock>, timing: Timing) {
        if clock.is_some() {
            self.clocked = Clocked::Yes;
        }
        self.signals.ponder_hit(at, clock.map(|clock| (clock, timing)));
    }

    /// The expected move was played: the search of all answers gives way to one of the position after it.
    pub(super) fn hit_silent(&mut self, clocks: &Go, at: Instant) {
        let mut go = self.request.go.clone();
        if clocks.clock(self.side()).is_some() {
            (go.time, go.increment, go.byoyomi) = (clocks.time, clocks.increment, clocks.byoyomi);
            go.moves_to_go = clocks.moves_to_go;
        }
        if go.clock(self.side()).is_none() && go.movetime.is_none() && go.depth.is_none() && go.nodes.is_none() {
            // No clock was ever given: there is no time to think about.
            go.byoyomi = Some(Duration::ZERO);
        }
        self.follow(go, at);
        self.signals.stop();
    }

    /// Whether the answer was given on the own clock.
    pub(super) fn was_on_clock(&self) -> bool {
        self.clocked == Clocked::Yes
    }

    /// What is to be searched next.
    pub(super) fn after(self) -> Option<Request> {
        self.after
    }

    /// Shows what was held back, and that the search goes on.
    pub(super) fn look_after(&self) {
        if let Some((reporter, _)) = &self.reporter {
            reporter.look_after(self.signals.elapsed(), self.signals.nodes());
        }
    }
}

/// Some legal move, where there can be no search: better than none.
fn answer_without_search(position: &Position, answers: bool, signals: &Signals, out: &Output, inbox: &Inbox) {
    signals.stop();
    if answers {
        match generate::<All>(position).first() {
            Some(mv) => {
                out.line(format_args!("info depth 1 score cp 0 pv {mv}"));
                out.line(format_args!("bestmove {mv}"));
            }
            None => out.line("bestmove resign"),
        }
    }
    let spent = signals.thinking_time();
    inbox.push_event(Event::Answered(Answered { pool: None, spent, longest_pause: Duration::ZERO }));
}
