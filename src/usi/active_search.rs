//! A running search, begun on the table thread.

use super::clock::clock_of;
use super::event::{EndedSearch, Event, Request};
use super::event_queue::EventQueue;
use super::info::{BestmoveOptions, Reporter};
use super::output::Output;
use crate::host::Instant;
use crate::levels::LevelSettings;
use crate::movegen::{All, generate, is_legal};
use crate::notation::score::ReportedScore;
use crate::position::{GameRules, Position};
use crate::protocol::{BestMove, Go, Info};
use crate::search::{Callbacks, Clock, Limits, MoveChooser, Signals, ThreadPool, Timing};
use crate::types::{Color, Move, StopToken};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// Clock of a search: its own, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clocked {
    No,
    Yes,
    /// Not before the expected move is played.
    AfterPonderHit,
}

/// A running search, as the session sees it.
pub(super) struct ActiveSearch {
    request: Request,
    stop: StopToken,
    signals: Arc<Signals>,
    clocked: Clocked,
    /// The level that chooses the move, in place of the search of full strength.
    level: Option<LevelSettings>,
    /// `None` for a search of which nothing is shown.
    reporter: Option<(Arc<Reporter>, BestmoveOptions)>,
    /// Search that follows when this one has ended.
    after: Option<Request>,
}

impl ActiveSearch {
    /// A search that shows nothing and gives no answer.
    pub(super) fn new(request: Request, clocked: Clocked) -> ActiveSearch {
        let stop = StopToken::new();
        let signals = if request.go.ponder { Signals::pondering(&stop) } else { Signals::new(&stop) };
        let signals = Arc::new(signals.since(request.arrived));
        ActiveSearch { request, stop, signals, clocked, level: None, reporter: None, after: None }
    }

    /// The search with a move chosen by this level, if there is one.
    pub(super) fn at_level(self, level: Option<LevelSettings>) -> ActiveSearch {
        ActiveSearch { level, ..self }
    }

    /// The search with reports and an answer.
    pub(super) fn with_reporter(self, reporter: Reporter, rules: BestmoveOptions) -> ActiveSearch {
        ActiveSearch { reporter: Some((Arc::new(reporter), rules)), ..self }
    }

    /// The work of the search, for the table thread. Its end is an event of the queue.
    pub(super) fn job(
        &self,
        mut pool: ThreadPool,
        position: Position,
        rules: GameRules,
        mut limits: Limits,
        out: Arc<Output>,
        queue: Arc<EventQueue>,
    ) -> impl FnOnce() + Send + 'static {
        // An answer is owed whatever was asked for: where none of the moves is legal, all are searched.
        limits.search_moves.take_if(|moves| !moves.iter().any(|&mv| is_legal(&position, mv)));
        let (signals, reporter, level) = (Arc::clone(&self.signals), self.reporter.clone(), self.level);
        move || {
            let mut spent = Duration::ZERO;
            let search = AssertUnwindSafe(|| {
                let callbacks = Callbacks {
                    chooser: level.as_ref().map(|level| level as &dyn MoveChooser),
                    on_block: &mut |block| reporter.iter().for_each(|(reporter, _)| reporter.block(block)),
                    on_answer: &mut |result| {
                        reporter.iter().for_each(|(reporter, rules)| reporter.finish(result, *rules));
                        spent = signals.thinking_time();
                    },
                };
                pool.search_and_answer(&position, rules, &limits, &signals, callbacks)
            });
            let Ok(Ok(result)) = catch_unwind(search) else {
                out.info_string("error: the search broke down");
                return answer_without_search(&position, reporter.is_some(), &signals, &out, &queue);
            };
            if let Some(fault) = &result.fault {
                out.info_string(format_args!("error: {fault}"));
            }
            let (longest_pause, score) = (result.longest_pause, result.report.map(|report| report.score));
            queue.push_event(Event::SearchEnded(Box::new(EndedSearch {
                pool: Some(pool),
                spent,
                longest_pause,
                score,
            })));
        }
    }

    /// Ends the search with its answer.
    pub(super) fn stop(&mut self) {
        self.stop.stop();
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

    /// Tests whether the search has ended or was told to.
    pub(super) fn is_ending(&self) -> bool {
        self.signals.is_stopped()
    }

    /// Tests whether nothing is shown of this search.
    pub(super) fn is_silent(&self) -> bool {
        self.reporter.is_none()
    }

    /// Tests whether the opponent's clock is running.
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
        clock_of(&self.request.go, self.side())
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
        if clocks.has_clock() {
            (go.time, go.increment, go.byoyomi) = (clocks.time, clocks.increment, clocks.byoyomi);
            go.moves_to_go = clocks.moves_to_go;
        }
        if !go.has_clock() && go.movetime.is_none() && go.depth.is_none() && go.nodes.is_none() {
            // No clock was ever given: there is no time to think about.
            go.byoyomi = Some(Duration::ZERO);
        }
        self.follow(go, at);
        self.stop.stop();
    }

    /// Tests whether the answer was given on the own clock.
    pub(super) fn was_on_clock(&self) -> bool {
        self.clocked == Clocked::Yes
    }

    /// Search that follows.
    pub(super) fn after(self) -> Option<Request> {
        self.after
    }

    /// Shows what was held back, and that the search goes on.
    pub(super) fn poll(&self) {
        if let Some((reporter, _)) = &self.reporter {
            reporter.poll(self.signals.elapsed(), self.signals.nodes());
        }
    }
}

/// Some legal move after a search that broke down: better than none.
fn answer_without_search(position: &Position, answers: bool, signals: &Signals, out: &Output, queue: &EventQueue) {
    signals.end();
    if answers {
        match generate::<All>(position).first() {
            Some(mv) => {
                let score = Some(ReportedScore::Centipawns(0));
                out.line(Info { depth: Some(1), score, pv: vec![*mv], ..Info::default() });
                out.line(BestMove::Move(mv, None));
            }
            None => out.line(BestMove::<Move>::Resign),
        }
    }
    let spent = signals.thinking_time();
    queue.push_event(Event::SearchEnded(Box::new(EndedSearch {
        pool: None,
        spent,
        longest_pause: Duration::ZERO,
        score: None,
    })));
}
