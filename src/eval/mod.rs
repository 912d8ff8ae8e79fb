//! Static evaluation: nets of every shape, and the one that is built in.
//!
//! A net ([`nnue`]) evaluates a position; one that the project has trained is built in. It is updated incrementally as
//! an observer of the position; an [`EvaluatedPosition`] is both. A user can put an [`Evaluate`] of their own in its
//! place.

mod evaluate;
mod evaluated;
mod evaluation;
mod net_file;
pub mod nnue;

pub use evaluate::Evaluate;
pub use evaluated::EvaluatedPosition;
pub use evaluation::{Evaluation, StaticEvaluation};
pub use net_file::{NetFile, ScaleSource};
