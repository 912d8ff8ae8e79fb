//! The clock of one side in a match, and what `go` says of both.
//!
//! Inside, a clock always holds the time without the increment of the coming move. The two conventions of protocols
//! differ only in what is written as `btime` ([`Convention`]).

use super::live::ClockFace;
use super::plan::{Convention, Limit};
use komainu::protocol::Go;
use komainu::types::Color;
use std::time::Duration;

/// Margin of a `movetime` if none is given: it is an aim, not a clock.
const MOVETIME_MARGIN: Duration = Duration::from_millis(100);

/// The clock of one side.
#[derive(Clone, Debug)]
pub struct GameClock {
    limit: Limit,
    convention: Convention,
    margin: Duration,
    /// Time for the game that is left, without the increment of the coming move.
    left: Duration,
}

impl GameClock {
    /// A clock at the start of a game. `margin` is how much later than allowed an answer may come.
    pub fn new(limit: Limit, convention: Convention, margin: Duration) -> GameClock {
        let is_aim = limit.movetime_ms > 0 && margin.is_zero();
        let margin = if is_aim { MOVETIME_MARGIN } else { margin };
        GameClock { limit, convention, margin, left: Duration::from_millis(limit.time_ms) }
    }

    /// Time of the coming move, the margin left out; `None` if only its depth or nodes are bounded.
    pub fn available(&self) -> Option<Duration> {
        let Limit { time_ms, increment_ms, byoyomi_ms, movetime_ms, .. } = self.limit;
        match (movetime_ms, time_ms + increment_ms + byoyomi_ms) {
            (0, 0) => None,
            (0, _) => Some(self.left + Duration::from_millis(increment_ms + byoyomi_ms)),
            (movetime, _) => Some(Duration::from_millis(movetime)),
        }
    }

    /// Time of the coming move with the margin.
    pub fn deadline(&self) -> Option<Duration> {
        self.available().map(|available| available + self.margin)
    }

    /// Stops the clock after a move that has taken so long. `false` if that was too long.
    #[must_use]
    pub fn charge(&mut self, used: Duration) -> bool {
        if self.deadline().is_some_and(|deadline| used > deadline) {
            return false;
        }
        // What byoyomi or the margin have paid for does not go below zero.
        self.left = (self.left + Duration::from_millis(self.limit.increment_ms)).saturating_sub(used);
        true
    }

    /// The clock for those who look at it; none if only depth or nodes of a move are bounded.
    pub fn face(&self) -> Option<ClockFace> {
        let Limit { increment_ms, byoyomi_ms, movetime_ms, .. } = self.limit;
        let [increment, byoyomi, movetime] = [increment_ms, byoyomi_ms, movetime_ms].map(Duration::from_millis);
        self.available()?;
        if !movetime.is_zero() {
            return Some(ClockFace { byoyomi: movetime, ..ClockFace::default() });
        }
        Some(ClockFace { left: self.left, increment, byoyomi })
    }

    /// The time as the commands of USI give it.
    fn shown(&self) -> Duration {
        match self.convention {
            Convention::Before => self.left,
            Convention::After => self.left + Duration::from_millis(self.limit.increment_ms),
        }
    }
}

/// The arguments of `go` for a side, those of `ponderhit` as well.
pub fn go(clocks: &[GameClock; 2], side: Color) -> Go {
    let own = &clocks[side].limit;
    let has_clock = own.movetime_ms == 0 && own.time_ms + own.increment_ms + own.byoyomi_ms > 0;
    let faces = clocks.each_ref().map(|clock| {
        let [increment, byoyomi] = [clock.limit.increment_ms, clock.limit.byoyomi_ms].map(Duration::from_millis);
        ClockFace { left: clock.shown(), increment, byoyomi }
    });
    let clocks = if has_clock { clock_arguments(&faces, side) } else { Go::default() };
    let some = |value: u64| (value > 0).then_some(value);
    Go {
        movetime: some(own.movetime_ms).map(Duration::from_millis),
        depth: some(own.depth),
        nodes: some(own.nodes),
        ..clocks
    }
}

/// The arguments of `go` for the clocks of black and white. GUIs send either byoyomi or increments; sudden death is a
/// byoyomi of nothing. Both sides have one byoyomi: that of the side which thinks.
pub(crate) fn clock_arguments(clocks: &[ClockFace; 2], side: Color) -> Go {
    let has_increment = clocks.iter().any(|clock| !clock.increment.is_zero());
    let byoyomi = Some(clocks[side].byoyomi).filter(|byoyomi| !byoyomi.is_zero() || !has_increment);
    let increment = clocks.map(|clock| has_increment.then_some(clock.increment));
    Go { time: clocks.map(|clock| Some(clock.left)), increment, byoyomi, ..Go::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use komainu::protocol::Command;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn clock(limit: Limit, convention: Convention) -> GameClock {
        GameClock::new(limit, convention, Duration::ZERO)
    }

    fn line(clocks: &[GameClock; 2], side: Color) -> String {
        Command::Go(Box::new(go(clocks, side))).to_string()
    }

    fn both(limit: Limit, convention: Convention) -> [GameClock; 2] {
        [clock(limit, convention), clock(limit, convention)]
    }

    #[test]
    fn an_increment_may_be_used_for_the_move_that_brings_it_under_both_conventions() {
        let limit = Limit { time_ms: 1_000, increment_ms: 50, ..Limit::default() };
        for (convention, shown) in [(Convention::Before, 1_000), (Convention::After, 1_050)] {
            let mut clock = clock(limit, convention);
            assert_eq!(clock.shown(), MS(shown));
            assert_eq!(clock.available(), Some(MS(1_050)));
            assert!(clock.charge(MS(1_050)));
            assert_eq!(clock.available(), Some(MS(50)));
            assert!(clock.clone().charge(MS(50)));
            assert!(!clock.clone().charge(MS(51)));
            assert!(clock.charge(MS(0)));
            assert_eq!(clock.available(), Some(MS(100)));
        }
    }

    #[test]
    fn byoyomi_begins_when_the_clock_has_run_out_and_never_adds_up() {
        let mut clock = clock(Limit { time_ms: 100, byoyomi_ms: 500, ..Limit::default() }, Convention::Before);
        assert!(clock.charge(MS(60)));
        assert_eq!((clock.shown(), clock.available()), (MS(40), Some(MS(540))));
        assert!(clock.charge(MS(300)));
        assert_eq!((clock.shown(), clock.available()), (MS(0), Some(MS(500))));
        assert!(clock.charge(MS(10)));
        assert_eq!((clock.shown(), clock.available()), (MS(0), Some(MS(500))));
        assert!(!clock.charge(MS(501)));
    }

    #[test]
    fn a_flag_falls_by_one_millisecond_and_a_margin_forgives_it() {
        let limit = Limit { time_ms: 1_000, ..Limit::default() };
        assert!(clock(limit, Convention::Before).charge(MS(1_000)));
        assert!(!clock(limit, Convention::Before).charge(MS(1_001)));
        let mut lenient = GameClock::new(limit, Convention::Before, MS(10));
        assert!(!lenient.clone().charge(MS(1_011)));
        assert!(lenient.charge(MS(1_010)));
        // The margin is no time to spend again.
        assert_eq!(lenient.available(), Some(MS(0)));
    }

    #[test]
    fn nodes_and_depth_have_no_deadline_and_a_move_time_has_a_margin() {
        assert_eq!(clock(Limit { nodes: 500, ..Limit::default() }, Convention::Before).deadline(), None);
        assert_eq!(clock(Limit { movetime_ms: 500, ..Limit::default() }, Convention::Before).deadline(), Some(MS(600)));
    }

    #[test]
    fn go_names_what_guis_send() {
        let go = |limit| line(&both(limit, Convention::Before), Color::Black);
        let limit = Limit { time_ms: 5_000, increment_ms: 100, ..Limit::default() };
        assert_eq!(go(limit), "go btime 5000 wtime 5000 binc 100 winc 100");
        assert_eq!(line(&both(limit, Convention::After), Color::Black), "go btime 5100 wtime 5100 binc 100 winc 100");
        assert_eq!(go(Limit { byoyomi_ms: 500, ..Limit::default() }), "go btime 0 wtime 0 byoyomi 500");
        assert_eq!(go(Limit { time_ms: 9, ..Limit::default() }), "go btime 9 wtime 9 byoyomi 0");
        let all = Limit { time_ms: 9, increment_ms: 2, byoyomi_ms: 3, ..Limit::default() };
        assert_eq!(go(all), "go btime 9 wtime 9 byoyomi 3 binc 2 winc 2");
        assert_eq!(go(Limit { nodes: 500, ..Limit::default() }), "go nodes 500");
        assert_eq!(go(Limit { movetime_ms: 10, depth: 3, ..Limit::default() }), "go movetime 10 depth 3");
    }

    #[test]
    fn time_odds_are_told_to_both() {
        let black = clock(Limit { time_ms: 5_000, increment_ms: 100, ..Limit::default() }, Convention::Before);
        let white = clock(Limit { time_ms: 1_000, ..Limit::default() }, Convention::Before);
        let clocks = [black, white];
        assert_eq!(line(&clocks, Color::Black), "go btime 5000 wtime 1000 binc 100 winc 0");
        assert_eq!(line(&clocks, Color::White), "go btime 5000 wtime 1000 binc 100 winc 0");
    }
}
