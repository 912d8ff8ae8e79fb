//! Static evaluation: nets of every shape, and the one that is built in.
//!
//! A net ([`nnue`]) evaluates a position; one that the project has trained is built in. It is updated incrementally as
//! an observer of the position; an [`EvaluatedPosition`] is both. A user can put an [`Evaluate`] of their own in its
//! place.

mod evaluation;
mod net_file;
pub mod nnue;

pub use evaluation::{Evaluate, EvaluatedPosition, Evaluation, StaticEvaluation};
pub use net_file::{NetFile, ScaleSource};
