//! Mate: found at once, or proved by search (tsume).
//!
//! [`mate_in_one`] and [`mate_in_three`] look; [`Solver`] proves. The attacker must give check with every move; it
//! fails where it has no check left, where the position repeats (a perpetual check loses), and where its only mate
//! would be the drop of a pawn (uchifuzume). Every interposition counts.
//!
//! `search` is a depth-first proof-number search; `node` holds a node while it is on the path, `table` what is known of
//! the others, `path` what holds on one path only, `hands` for which other hands a result holds. `proof` then walks
//! through every claimed mate with the rules alone.

mod context;
mod cooks;
mod estimate;
mod futile;
mod hands;
mod keys;
mod length;
mod node;
mod one;
mod outcome;
mod path;
mod proof;
mod proof_file;
mod search;
mod solver;
mod table;
mod three;
mod watch;

pub use cooks::FirstMove;
pub use one::mate_in_one;
pub use proof::Proof;
pub use proof_file::{CheckedProof, ProofFault, check_proof};
pub use solver::{Answer, Mate, OnMate, OutOfMemory, Query, Report, Solver};
pub use three::mate_in_three;
pub use watch::{Limits, Progress, Reason};
