//! The search: negamax in numbered steps, iterative deepening on several threads, time.
//!
//! * `negamax` is the recursion, a list of numbered steps: it holds those around the moves (1 to 6, 21 and 22), `pruning`
//!   those before the moves (7 to 12), `move_loop` those of each move (13 to 20). `quiescence` ends every line. `node`
//!   and `stack` hold what the steps of a node, and the plies of a path, share.
//! * `picker` hands out the moves of a node, best first. `history` keeps which moves were good before, `correction` by
//!   how much the static evaluation was off, and `learn` says what they learn at which step; `cells` are the tables that
//!   all threads learn together.
//! * `worker` is what a thread owns, over the `path` that it searches and the transposition table (`tt`) that all share.
//! * `root` deepens and reports; `threads` runs one worker a thread, and the `watchdog` sees to it that the answer comes
//!   in time. `control` carries limits and orders to a running search, `time` turns a clock into a budget.
//!
//! The search prints nothing: it hands [`Report`]s to its caller.

#[doc(hidden)]
pub mod bench;
mod cells;
mod control;
mod correction;
mod history;
mod learn;
mod limits;
mod move_loop;
mod negamax;
mod node;
mod params;
mod path;
mod picker;
mod pruning;
mod quiescence;
mod report;
mod root;
mod stack;
#[cfg(test)]
mod tests;
mod threads;
mod time;
mod tt;
mod watchdog;
mod worker;

pub use control::SearchControl;
pub use history::HistorySize;
pub use limits::Limits;
#[doc(hidden)]
pub use params::{TUNABLES, Tunable};
pub use path::Path;
pub use report::{Bound, Decision, Report, SearchError, SearchResult};
#[doc(hidden)]
pub use root::MoveChooser;
pub use stack::MAX_PLY;
pub use threads::{Callbacks, STACK_BYTES, ThreadPool, ThreadPoolBuilder};
pub use time::{Clock, OverheadEstimator, TimeOptions, Timing};
pub use tt::Shrunk;

// What another search than that of full strength is made of.
pub(crate) use node::Window;
pub(crate) use root::OnBlock;
