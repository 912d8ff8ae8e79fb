//! Clock of a side at its turn.

use std::time::Duration;

/// The clock of the side to move, as `go` gives it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Time left.
    pub time: Duration,
    /// Time added for each move.
    pub increment: Duration,
    /// Time for each move after the rest is used up.
    pub byoyomi: Duration,
    /// Moves until the clock is set anew (`movestogo`), which shogi clocks never are.
    pub moves_to_go: Option<u32>,
}

impl Clock {
    /// The clock before the next move, after one that took so long; `None` if that was too long and the time is up.
    ///
    /// The time is counted without the increment of the coming move, which is there from its beginning; byoyomi pays
    /// for what exceeds both.
    ///
    /// ```
    /// use komainu::search::Clock;
    /// use std::time::Duration;
    ///
    /// let seconds = Duration::from_secs;
    /// let clock = Clock { time: seconds(10), byoyomi: seconds(5), ..Clock::default() };
    /// assert_eq!(clock.after(seconds(4)).map(|clock| clock.time), Some(seconds(6)));
    /// assert_eq!(clock.after(seconds(12)).map(|clock| clock.time), Some(seconds(0)));
    /// assert_eq!(clock.after(seconds(16)), None);
    /// ```
    pub fn after(self, used: Duration) -> Option<Clock> {
        let main = self.time.saturating_add(self.increment);
        (used <= main.saturating_add(self.byoyomi)).then(|| Clock { time: main.saturating_sub(used), ..self })
    }
}
