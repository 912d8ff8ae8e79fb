//! Pace of figures that are worked out for those who look.

use std::time::{Duration, Instant};

/// The figures are not worked out anew for so long,
const INTERVAL: Duration = Duration::from_secs(1);
/// nor for so many times as long as it took.
const SHARE: u32 = 10;

/// Pace of figures: they are worked out now and then, and never more often than is worth it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace(Option<(Instant, Duration)>);

impl Pace {
    /// Tests whether it is time to work the figures out, as it is before the first time.
    pub fn is_due(self) -> bool {
        self.0.is_none_or(|(at, took)| at.elapsed() >= INTERVAL.max(took * SHARE))
    }

    /// Works the figures out.
    pub fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let figures = work();
        self.0 = Some((Instant::now(), began.elapsed()));
        figures
    }
}
