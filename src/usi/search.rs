//! A `go`: its clock and limits, and the running search as the session sees it.

use super::info::{ReportOptions, Reporter};
use super::output::Output;
use crate::host::Instant;
use crate::position::Position;
use crate::protocol::Go;
use crate::search::{Clock, Limits, SearchControl, Timing};
use crate::types::{Color, Move, StopToken};
use std::sync::Arc;
use std::time::Duration;

/// The clock of a side, if any clock was sent.
pub fn clock_of(go: &Go, side: Color) -> Option<Clock> {
    if !go.has_clock() {
        return None;
    }
    Some(Clock {
        time: go.time[side].unwrap_or_default(),
        increment: go.increment[side].unwrap_or_default(),
        byoyomi: go.byoyomi.unwrap_or_default(),
        moves_to_go: go.moves_to_go,
    })
}

/// Limits of a `go`, from the view of the side to move. With nothing asked for the search ends when it is told to.
///
/// ```
/// use komainu::protocol::Command;
/// use komainu::types::Color;
/// use komainu::usi::limits_of;
///
/// let Command::Go(go) = Command::read("go btime 60000 wtime 50000 byoyomi 1000 depth 12") else { panic!("a go") };
/// let limits = limits_of(&go, Color::White);
/// assert_eq!(limits.clock.map(|clock| clock.time.as_secs()), Some(50));
/// assert_eq!((limits.depth, limits.infinite), (Some(12), false));
/// ```
pub fn limits_of(go: &Go, side: Color) -> Limits {
    let mut limits = Limits {
        depth: go.depth.map(|depth| depth.clamp(1, 1_000) as usize),
        nodes: go.nodes.map(|nodes| nodes.max(1)),
        infinite: go.infinite,
        ponder: go.ponder,
        ..Limits::default()
    };
    if !go.infinite {
        limits.clock = clock_of(go, side);
        limits.movetime = go.movetime;
    }
    if !go.search_moves.is_empty() {
        limits.search_moves = Some(go.search_moves.clone());
    }
    limits.infinite |= go.is_endless();
    if !limits.is_bounded() && !limits.infinite && !limits.ponder {
        // Something was said that bounds the search, but it could not be read: there is no time to think about.
        limits.clock = Some(Clock::default());
    }
    limits
}

/// The moment at which the time of a `go` began, after it `arrived` and `readyok` was said last. A clock runs from its
/// arrival on, whatever it has to wait for; a `movetime` without a clock is a time to think and begins after the
/// `readyok` that a script did not wait for.
pub(crate) fn beginning_of(go: &Go, arrived: Instant, ready_at: Option<Instant>) -> Instant {
    match ready_at {
        Some(ready_at) if go.movetime.is_some() && !go.has_clock() => arrived.max(ready_at),
        _ => arrived,
    }
}

/// A `go` with what is to be searched.
pub(crate) struct Request {
    pub(crate) go: Go,
    /// When it was read: its clock runs from here.
    pub(crate) arrived: Instant,
    /// Position that is searched. The session's position may be another one by the time that it is searched.
    pub(crate) position: Position,
    /// The move that led to the position.
    pub(crate) last_move: Option<Move>,
}

/// Clock of a search: its own, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clocked {
    No,
    Yes,
    /// Not before the expected move is played.
    AfterPonderHit,
}

/// A running search, as the session sees it.
pub(crate) struct ActiveSearch {
    pub(crate) request: Request,
    pub(crate) control: Arc<SearchControl>,
    pub(crate) clocked: Clocked,
    /// `None` for a search of which nothing is shown.
    pub(crate) reporter: Option<Arc<Reporter>>,
    /// Search that follows when this one has ended.
    pub(crate) after: Option<Request>,
}

impl ActiveSearch {
    /// A search with reports and an answer.
    pub(crate) fn new(
        request: Request,
        limits: Limits,
        clocked: Clocked,
        out: &Arc<Output>,
        options: ReportOptions,
    ) -> ActiveSearch {
        let reporter = Arc::new(Reporter::new(Arc::clone(out), options));
        ActiveSearch { clocked, reporter: Some(reporter), ..ActiveSearch::silent(request, limits) }
    }

    /// A search that shows nothing and gives no answer.
    pub(crate) fn silent(request: Request, limits: Limits) -> ActiveSearch {
        let control = SearchControl::new(limits, &StopToken::new()).since(request.arrived);
        ActiveSearch { request, control: Arc::new(control), clocked: Clocked::No, reporter: None, after: None }
    }

    /// Ends the search with its answer.
    pub(crate) fn stop(&mut self) {
        self.control.stop();
        if self.is_silent() && self.after.is_none() {
            // The GUI waits for an answer all the same, and it must be a move of its position.
            self.follow(Go { nodes: Some(1), ..Go::default() }, Instant::now());
        }
    }

    /// The GUI's position is searched next, for this `go`.
    fn follow(&mut self, go: Go, arrived: Instant) {
        let position = self.request.position.clone();
        self.after = Some(Request { go, arrived, position, last_move: self.request.last_move });
    }

    /// Tests whether the search has ended or was told to.
    pub(crate) fn is_ending(&self) -> bool {
        self.control.is_stopped()
    }

    /// Tests whether nothing is shown of this search.
    pub(crate) fn is_silent(&self) -> bool {
        self.reporter.is_none()
    }

    /// The clock that came with `go`.
    pub(crate) fn clock(&self) -> Option<Clock> {
        clock_of(&self.request.go, self.request.position.side())
    }

    /// The expected move was played: the own clock runs from then on.
    pub(crate) fn ponder_hit(&mut self, at: Instant, clock: Option<Clock>, timing: Timing) {
        if clock.is_some() {
            self.clocked = Clocked::Yes;
        }
        self.control.ponder_hit(at, clock.map(|clock| (clock, timing)));
    }

    /// The expected move was played: the search of all answers gives way to one of the position after it.
    pub(crate) fn hit_silent(&mut self, clocks: &Go, at: Instant) {
        let mut go = self.request.go.clone();
        if clocks.has_clock() {
            go.time = clocks.time;
            go.increment = clocks.increment;
            go.byoyomi = clocks.byoyomi;
            go.moves_to_go = clocks.moves_to_go;
        }
        if !go.has_clock() && go.movetime.is_none() && go.depth.is_none() && go.nodes.is_none() {
            // No clock was ever given: there is no time to think about.
            go.byoyomi = Some(Duration::ZERO);
        }
        self.follow(go, at);
        self.control.stop();
    }

    /// Shows what was held back, and that the search goes on.
    pub(crate) fn poll(&self) {
        if let Some(reporter) = &self.reporter {
            reporter.poll(self.control.elapsed(), self.control.nodes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Command;
    use proptest::prelude::*;
    use proptest::sample::select;

    #[test]
    fn a_time_to_think_waits_for_readyok_and_a_clock_does_not() {
        let arrived = Instant::now();
        let earlier = arrived.checked_sub(Duration::from_millis(9));
        let later = arrived + Duration::from_millis(500);
        for (line, begins) in [
            ("go movetime 100", later),
            ("go movetime 100 byoyomi 1000", arrived),
            ("go btime 1000 wtime 1000 movetime 100", arrived),
            ("go byoyomi 1000", arrived),
            ("go infinite", arrived),
        ] {
            let Command::Go(go) = Command::read(line) else { panic!("{line}") };
            assert_eq!(beginning_of(&go, arrived, Some(later)), begins, "{line}");
            assert_eq!([earlier, None].map(|ready_at| beginning_of(&go, arrived, ready_at)), [arrived; 2], "{line}");
        }
    }

    /// Arguments of `go` and words that are none.
    const NAMES: [&str; 16] = [
        "btime",
        "wtime",
        "binc",
        "winc",
        "byoyomi",
        "movetime",
        "rtime",
        "depth",
        "nodes",
        "movestogo",
        "searchmoves",
        "infinite",
        "ponder",
        "fancy",
        "BTIME",
        "-",
    ];
    /// What may stand behind them.
    const VALUES: [&str; 18] = [
        "5",
        "5.5",
        "+5",
        "-5",
        "0",
        "1e1",
        "1e-3",
        ".5",
        "5.",
        "abc",
        "",
        "0x10",
        "NaN",
        "inf",
        "5ms",
        "1,0",
        "99999999999999999999",
        "7g7f",
    ];

    proptest! {
        #[test]
        fn a_go_that_says_anything_is_answered_unless_it_is_infinite(
            words in proptest::collection::vec((select(&NAMES[..]), select(&VALUES[..])), 0..6),
        ) {
            let text: Vec<String> = words.iter().map(|(name, value)| format!("{name} {value}")).collect();
            let line = format!("go {}", text.join(" "));
            let Command::Go(go) = Command::read(&line) else { panic!("{line}") };
            let limits = limits_of(&go, Color::Black);
            let is_infinite = words.iter().any(|(name, _)| *name == "infinite");
            // Moves alone bound nothing, and are no fault.
            let says_nothing = words.iter().all(|word| *word == ("searchmoves", "7g7f"));
            if is_infinite || says_nothing {
                prop_assert!(limits.infinite, "{}", line);
            } else {
                prop_assert!(!limits.infinite && (limits.is_bounded() || go.ponder), "{}", line);
            }
        }
    }
}
