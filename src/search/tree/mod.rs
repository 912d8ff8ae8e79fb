//! The recursion: the numbered steps of a node, and what they share.
//!
//! `negamax` lists the steps and holds those around the moves (1 to 6, 21 and 22); `pruning` holds those before the
//! moves (7 to 12), `move_loop` those of each move (13 to 20), `learn` what the histories learn at them. `quiescence`
//! ends every line. `node` and `stack` hold what the steps share, and `invariants` what holds at each of them. `worker`
//! is what a thread owns: the `path` with the `limiter` of the search, the moves of the root (`root_move`), and what
//! was learnt.

mod invariants;
mod learn;
pub(super) mod limiter;
mod move_loop;
mod negamax;
pub(super) mod node;
pub(super) mod path;
mod pruning;
mod quiescence;
pub(super) mod root_move;
mod stack;
pub(super) mod worker;

#[cfg(test)]
pub(super) mod tests;
