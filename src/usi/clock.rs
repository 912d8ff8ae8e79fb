//! The clock of a `go`, and the moment from which it runs.

use crate::host::Instant;
use crate::protocol::Go;
use crate::search::{Clock, Limits};
use crate::types::Color;

/// The clock of a side, if any clock was sent.
pub fn clock_of(go: &Go, side: Color) -> Option<Clock> {
    go.has_clock().then(|| Clock {
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
        clock: clock_of(go, side).filter(|_| !go.infinite),
        movetime: go.movetime.filter(|_| !go.infinite),
        depth: go.depth.map(|depth| depth.clamp(1, 1_000) as usize),
        nodes: go.nodes.map(|nodes| nodes.max(1)),
        infinite: go.infinite,
        ponder: go.ponder,
        search_moves: (!go.search_moves.is_empty()).then(|| go.search_moves.clone()),
        ..Limits::default()
    };
    limits.infinite |= !limits.is_bounded() && !limits.ponder;
    limits
}

/// The moment at which the time of a `go` began, after it `arrived` and `readyok` was said last. A clock runs from its
/// arrival on, whatever it has to wait for; a `movetime` without a clock is a time to think and begins after the
/// `readyok` that a script did not wait for.
pub(super) fn beginning_of(go: &Go, arrived: Instant, ready_at: Option<Instant>) -> Instant {
    let waits = go.movetime.is_some() && !go.has_clock();
    ready_at.filter(|_| waits).map_or(arrived, |ready_at| arrived.max(ready_at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Command;
    use std::time::Duration;

    #[test]
    fn a_time_to_think_waits_for_readyok_and_a_clock_does_not() {
        let arrived = Instant::now();
        let (earlier, later) =
            (arrived.checked_sub(Duration::from_millis(9)), Some(arrived + Duration::from_millis(500)));
        for (line, begins) in [
            ("go movetime 100", later.unwrap()),
            ("go movetime 100 byoyomi 1000", arrived),
            ("go btime 1000 wtime 1000 movetime 100", arrived),
            ("go byoyomi 1000", arrived),
            ("go infinite", arrived),
        ] {
            let Command::Go(go) = Command::read(line) else { panic!("{line}") };
            assert_eq!(beginning_of(&go, arrived, later), begins, "{line}");
            assert_eq!([earlier, None].map(|ready_at| beginning_of(&go, arrived, ready_at)), [arrived; 2], "{line}");
        }
    }
}
