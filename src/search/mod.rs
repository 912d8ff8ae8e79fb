//! The search: iterative deepening over a principal-variation alpha-beta search.
//!
//! `negamax` is a list of numbered steps, each a function of its own; `iterate` deepens and reports; `pool` runs
//! one worker a thread over a shared transposition table (`tt`), guarded by a `watchdog`. The search prints nothing:
//! it hands [`Report`]s to its caller.

pub mod bench;
mod bound;
mod correction;
mod extension;
mod history;
mod iterate;
mod learn;
mod levels;
mod limits;
mod memory;
mod negamax;
mod node;
mod params;
mod picker;
mod pool;
mod pruning;
mod quiescence;
mod reduction;
mod report;
mod root_move;
mod signals;
mod skill;
mod stack;
mod time;
mod tt;
mod vote;
mod watchdog;
mod worker;

#[cfg(test)]
mod tests;

pub use bound::Bound;
pub use history::HistorySize;
pub use levels::{Level, LevelSettings, LevelTime, UnknownLevel, draw_value_of_giver};
pub use limits::{FULL_SKILL, Limits};
pub use params::{TUNABLES, Tunable};
pub use pool::{Callbacks, Pool, STACK_BYTES};
pub use report::{Decision, Report, SearchResult};
pub use signals::Signals;
pub use time::{Clock, OverheadEstimator, TimeOptions, Timing};
pub use tt::{Shrunk, free_megabytes};

/// The deepest ply that the search reaches.
pub const MAX_PLY: usize = 246;
