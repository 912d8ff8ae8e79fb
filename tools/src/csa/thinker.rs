//! The state of the engine in a game, and which of its answers counts.
//!
//! A value that sends nothing: it says which commands are to be sent. Each `go` is answered by one `bestmove`, also if
//! it was stopped; an answer that nobody waits for any more is owed and thrown away when it comes. While one is owed no
//! `go` is sent: engines may mistake the order.

use komainu::types::Move;
use std::time::Instant;

/// A search that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Think,
    /// For the move after this one of the opponent.
    Ponder(Move),
}

/// The search that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Thinking {
        /// When it is told to stop, and when its answer is not waited for any more.
        limits: Option<[Instant; 2]>,
        is_stopped: bool,
    },
    Pondering(Move),
}

/// The kinds of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answered {
    /// The one that is waited for.
    Move,
    /// One that was owed; then this is wanted.
    Owed(Option<Wanted>),
    /// One to a search that was not over: the engine gave up to ponder.
    Early,
}

/// The things to do when time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    Nothing,
    /// `stop` is to be sent.
    Stop,
    /// The engine has not even answered `stop`: another move must be found.
    GiveUp,
}

/// The state of the engine in a game.
#[derive(Clone, Debug)]
pub(super) struct Thinker {
    state: State,
    owed: u32,
    /// A search that waits for what is owed, with the same limits as if it had begun.
    wanted: Option<(Wanted, Option<[Instant; 2]>)>,
}

impl Thinker {
    /// An engine that is doing nothing.
    pub(super) fn new() -> Thinker {
        Thinker { state: State::Idle, owed: 0, wanted: None }
    }

    /// Tests whether a search can be begun now; if not, it is begun when [`Thinker::answered`] says so.
    pub(super) fn want(&mut self, wanted: Wanted, limits: Option<[Instant; 2]>) -> bool {
        self.wanted = if self.owed > 0 { Some((wanted, limits)) } else { None };
        self.owed == 0
    }

    pub(super) fn begun(&mut self, wanted: Wanted, limits: Option<[Instant; 2]>) {
        self.state = match wanted {
            Wanted::Think => State::Thinking { limits, is_stopped: false },
            Wanted::Ponder(expected) => State::Pondering(expected),
        };
    }

    /// The opponent has played. Returns whether the engine ponders on just that: then `ponderhit` is to be sent.
    pub(super) fn hits(&mut self, mv: Move, limits: Option<[Instant; 2]>) -> bool {
        let is_hit = self.state == State::Pondering(mv);
        if is_hit {
            self.state = State::Thinking { limits, is_stopped: false };
        }
        is_hit
    }

    /// Ends what is under way and wanted. Returns whether `stop` is to be sent.
    pub(super) fn halt(&mut self) -> bool {
        self.wanted = None;
        let was_stopped = matches!(self.state, State::Thinking { is_stopped: true, .. });
        let is_busy = self.state != State::Idle;
        self.owed += u32::from(is_busy);
        self.state = State::Idle;
        is_busy && !was_stopped
    }

    /// A `bestmove` has come.
    pub(super) fn answered(&mut self) -> Answered {
        if self.owed > 0 {
            self.owed -= 1;
            return Answered::Owed(self.wanted.take_if(|_| self.owed == 0).map(|(wanted, _)| wanted));
        }
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Thinking { .. } => Answered::Move,
            State::Pondering(_) => Answered::Early,
            State::Idle => Answered::Owed(None),
        }
    }

    /// The thing to do at this moment.
    pub(super) fn due(&mut self, now: Instant) -> Due {
        if self.wanted.is_some_and(|(_, limits)| limits.is_some_and(|[_, give_up]| now >= give_up)) {
            self.wanted = None;
            return Due::GiveUp;
        }
        let State::Thinking { limits: Some([stop, give_up]), is_stopped } = &mut self.state else {
            return Due::Nothing;
        };
        if now >= *give_up {
            self.state = State::Idle;
            self.owed += 1;
            return Due::GiveUp;
        }
        if now >= *stop && !*is_stopped {
            *is_stopped = true;
            return Due::Stop;
        }
        Due::Nothing
    }

    /// When [`Thinker::due`] is to be asked at the latest.
    pub(super) fn deadline(&self) -> Option<Instant> {
        match self.state {
            State::Thinking { limits: Some([stop, _]), is_stopped: false } => Some(stop),
            State::Thinking { limits: Some([_, give_up]), is_stopped: true } => Some(give_up),
            _ => self.wanted.and_then(|(_, limits)| limits).map(|[_, give_up]| give_up),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn mv(text: &str) -> Move {
        text.parse().unwrap()
    }

    #[test]
    fn a_ponder_that_hits_becomes_the_search_for_the_move() {
        let mut thinker = Thinker::new();
        assert!(thinker.want(Wanted::Ponder(mv("3c3d")), None));
        thinker.begun(Wanted::Ponder(mv("3c3d")), None);
        assert!(thinker.hits(mv("3c3d"), None));
        assert_eq!(thinker.answered(), Answered::Move);
    }

    #[test]
    fn after_a_miss_no_go_is_sent_before_the_old_answer_has_come() {
        let mut thinker = Thinker::new();
        thinker.begun(Wanted::Ponder(mv("3c3d")), None);
        assert!(!thinker.hits(mv("8c8d"), None));
        assert!(thinker.halt());
        assert!(!thinker.want(Wanted::Think, None));
        assert_eq!(thinker.answered(), Answered::Owed(Some(Wanted::Think)));
        assert!(thinker.want(Wanted::Think, None));
        thinker.begun(Wanted::Think, None);
        assert_eq!(thinker.answered(), Answered::Move);
    }

    #[test]
    fn the_end_of_the_game_stops_whatever_goes_on() {
        let mut thinker = Thinker::new();
        assert!(!thinker.halt());
        thinker.begun(Wanted::Think, None);
        assert!(thinker.halt());
        assert_eq!(thinker.answered(), Answered::Owed(None));
        // An answer out of the blue.
        assert_eq!(thinker.answered(), Answered::Owed(None));
        thinker.begun(Wanted::Ponder(mv("3c3d")), None);
        assert_eq!(thinker.answered(), Answered::Early);
        assert!(!thinker.hits(mv("3c3d"), None));
    }

    #[test]
    fn an_engine_that_does_not_answer_is_stopped_and_then_given_up() {
        let now = Instant::now();
        let second = Duration::from_secs(1);
        let mut thinker = Thinker::new();
        thinker.begun(Wanted::Think, Some([now + second, now + 2 * second]));
        assert_eq!((thinker.due(now), thinker.deadline()), (Due::Nothing, Some(now + second)));
        assert_eq!(thinker.due(now + second), Due::Stop);
        assert_eq!((thinker.due(now + second), thinker.deadline()), (Due::Nothing, Some(now + 2 * second)));
        assert_eq!(thinker.due(now + 2 * second), Due::GiveUp);
        assert_eq!(thinker.deadline(), None);
        // Its answer may still come, too late; if it does not, the next move is not waited for either.
        assert!(!thinker.want(Wanted::Think, Some([now, now + 3 * second])));
        assert_eq!((thinker.due(now + second), thinker.deadline()), (Due::Nothing, Some(now + 3 * second)));
        assert_eq!(thinker.due(now + 3 * second), Due::GiveUp);
        assert!(!thinker.want(Wanted::Think, None));
        assert_eq!(thinker.answered(), Answered::Owed(Some(Wanted::Think)));
    }

    #[test]
    fn an_answer_to_the_stop_in_time_is_the_move() {
        let now = Instant::now();
        let mut thinker = Thinker::new();
        thinker.begun(Wanted::Think, Some([now, now + Duration::from_secs(9)]));
        assert_eq!(thinker.due(now), Due::Stop);
        assert_eq!(thinker.answered(), Answered::Move);
        assert_eq!(thinker.due(now + Duration::from_secs(10)), Due::Nothing);
    }
}
