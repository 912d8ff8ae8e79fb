//! The root: what is done once a search, not once a node.
//!
//! `threads` runs one worker a thread over the shared table; `iteration` deepens, with the windows of `aspiration`, and
//! reports; `vote` chooses among the threads. The `watchdog` sees to it that orders from outside are obeyed in time;
//! `breakdown` keeps what panics. Whatever stands here may use `tree`, which knows nothing of it.

mod aspiration;
mod breakdown;
pub(super) mod iteration;
pub(super) mod threads;
mod vote;
mod watchdog;

#[cfg(test)]
mod tests;
