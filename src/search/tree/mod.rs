//! The recursion: the numbered steps of a node, and what they share.
//!
//! `negamax` lists the steps; each is a function of its own in `pruning` (7 to 14), `extension` (15), `reduction` (17
//! and 18) and `learn` (20 to 22). `quiescence` ends every line. `node` and `stack` hold what the steps share, and
//! `invariants` what holds at each of them. `worker` is what a thread owns: the `path` with the `limiter` of the
//! search, the root, and what was learnt.

mod extension;
mod invariants;
mod learn;
pub(super) mod limiter;
mod negamax;
pub(super) mod node;
pub(super) mod path;
mod pruning;
mod quiescence;
mod reduction;
mod stack;
pub(super) mod worker;

#[cfg(test)]
mod tests;
