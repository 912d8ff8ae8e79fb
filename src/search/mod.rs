//! The search: deepening and threads (`root/`), nodes in numbered steps (`tree/`), the order of moves (`ordering/`),
//! time (`time/`).
//!
//! `tree` is the recursion, a list of numbered steps; `ordering` decides which move comes first and learns from what
//! happened; `root` deepens, runs one worker a thread over the shared transposition table (`tt`) and reports; `time`
//! turns a clock into a budget. The search prints nothing: it hands [`Report`]s to its caller.

#[doc(hidden)]
pub mod bench;
mod bound;
mod chooser;
mod limits;
mod line;
mod ordering;
mod params;
mod report;
mod root;
mod signals;
mod team;
mod time;
mod tree;
mod tt;

pub use bound::Bound;
#[doc(hidden)]
pub use chooser::MoveChooser;
pub use limits::Limits;
pub use line::MAX_PLY;
pub use ordering::history::HistorySize;
#[doc(hidden)]
pub use params::{TUNABLES, Tunable};
pub use report::{Decision, Report, SearchError, SearchResult};
pub use root::threads::{Callbacks, STACK_BYTES, ThreadPool, ThreadPoolBuilder};
pub use signals::Signals;
pub use time::{Clock, OverheadEstimator, TimeOptions, Timing};
pub use tree::path::Path;
pub use tt::Shrunk;

// What another search than that of full strength is made of.
pub(crate) use root::iteration::OnBlock;
pub(crate) use tree::node::Window;
