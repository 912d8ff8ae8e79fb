//! The search: iterative deepening over a principal-variation alpha-beta search.
//!
//! `negamax` is a list of numbered steps, each a function of its own; `iterate` deepens and reports; `pool` runs
//! one worker a thread over a shared transposition table (`tt`), under the eye of a `watch`. The search prints nothing:
//! it hands [`Report`]s to its caller.

pub mod bench;
mod correction;
mod history;
mod iterate;
mod limits;
mod memory;
mod negamax;
mod params;
mod picker;
mod pool;
mod pruning;
mod quiescence;
mod report;
mod signals;
mod skill;
mod time;
mod tt;
mod vote;
mod watch;
mod worker;

pub use limits::{Clock, Limits};
pub use params::{TUNABLES, Tunable};
pub use pool::{Callbacks, Pool, STACK_BYTES};
pub use report::{Outcome, Report, Verdict};
pub use signals::Signals;
pub use skill::FULL_SKILL;
pub use time::{TimeOptions, Timekeeper, Timing};
pub use tt::{Shrunk, free_megabytes};

/// The deepest ply that the search reaches.
pub const MAX_PLY: usize = 128;
