//! Mate: short mates by direct tests, longer ones by proof-number search (tsume).
//!
//! [`mate_in_one`] and [`mate_in_three`] test; [`Solver`] proves. The attacker must give check with every move; it
//! fails where it has no check left, where the position repeats (a perpetual check loses), and where its only mate
//! would be the drop of a pawn (uchifuzume). Every interposition counts.
//!
//! `search` is a depth-first proof-number search; `node` holds a node while it is on the path, `table` is the
//! transposition table, `path` the path-dependent one, `hands` has proof and disproof hands. `proof` then verifies
//! every mate with the rules alone.

mod child;
mod context;
mod cooks;
mod estimate;
mod futile;
mod hands;
mod length;
mod limit_checker;
mod node;
mod node_result;
mod one;
mod path;
mod proof;
mod proof_file;
mod search;
mod solver;
mod table;
mod three;

pub use cooks::FirstMove;
pub use length::MAX_PLIES;
pub use limit_checker::{MateLimits, MateProgress, OpenReason};
pub use one::mate_in_one;
pub use proof::Proof;
pub use proof_file::{CheckedProof, ProofFault, check_proof};
pub use solver::{Mate, MateAnswer, MateReport, OnMate, OutOfMemory, Query, Solver};
pub use three::mate_in_three;
