//! The patience with an engine.

use std::time::Duration;

/// The longest silence of an engine that is waited for. Whoever talks is alive: each of its lines, also an empty one,
/// begins the time anew, however long it reads its book before `readyok`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience(pub Duration);

impl Patience {
    /// Seconds of the patience that nobody has set: reading a large book or net in silence takes tens of seconds.
    pub const DEFAULT_SECONDS: u64 = 60;

    /// A patience of so many seconds.
    pub const fn seconds(seconds: u64) -> Patience {
        Patience(Duration::from_secs(seconds))
    }
}

impl Default for Patience {
    fn default() -> Patience {
        Patience::seconds(Patience::DEFAULT_SECONDS)
    }
}
