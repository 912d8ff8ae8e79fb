//! Mate: short mates by direct tests, longer ones by proof-number search (tsume).
//!
//! [`mate_in_one`] and [`mate_in_three`] test; [`Solver`] proves. The attacker must give check with every move; it
//! fails where it has no check left, where the position repeats (a perpetual check loses), and where its only mate
//! would be the drop of a pawn (uchifuzume). Every interposition counts.
//!
//! `search` is a depth-first proof-number search; `node` holds a node while it is on the path, `table` is the
//! transposition table, `path` the path-dependent one, `hands` has proof and disproof hands. `proof` then verifies
//! every mate with the rules alone.

mod futile;
mod hands;
mod limits;
mod node;
mod path;
mod proof;
mod search;
mod short;
mod solver;
mod table;

pub use limits::{MateLimits, MateProgress, OpenReason};
pub use node::MAX_PLIES;
pub use proof::{CheckedProof, Proof, ProofFault, check_proof};
#[cfg(feature = "search")]
pub(crate) use short::shortest_mate;
pub use short::{mate_in_one, mate_in_three};
pub use solver::{FirstMove, Mate, MateAnswer, MateReport, OnMate, OutOfMemory, Query, Solver, spawn_deep};
