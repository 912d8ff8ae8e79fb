//! The clock of a `go`, and the moment from which it runs.

use crate::host::Instant;
use crate::protocol::Go;
use crate::search::Clock;
use crate::types::Color;

/// The clock of a side, if any clock was sent.
pub(super) fn clock_of(go: &Go, side: Color) -> Option<Clock> {
    go.has_clock().then(|| Clock {
        time: go.time[side].unwrap_or_default(),
        increment: go.increment[side].unwrap_or_default(),
        byoyomi: go.byoyomi.unwrap_or_default(),
        moves_to_go: go.moves_to_go,
    })
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
