//! Static evaluation: nets of every shape, and the one that is built in.
//!
//! A net ([`nnue`]) evaluates a position; one that the project has trained is built in. It is updated incrementally as
//! an observer of the position; an [`EvaluatedPosition`] is both.

mod evaluated;
mod evaluation;
mod net_file;
pub mod nnue;

pub use evaluated::EvaluatedPosition;
pub use evaluation::{Evaluation, StaticEvaluation};
pub use net_file::{NetFile, ScaleSource};
