//! The root: what is done once a search, not once a node.
//!
//! `threads` runs one worker a thread over the shared table; `iteration` deepens over the `root_move`s and reports;
//! `vote` chooses among the threads. `signals` are the orders from outside, and the `watchdog` sees to it that they are
//! obeyed in time; `breakdown` keeps what panics.

mod breakdown;
pub(super) mod iteration;
pub(super) mod root_move;
pub(super) mod signals;
pub(super) mod threads;
mod vote;
mod watchdog;
