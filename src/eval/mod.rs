//! Static evaluation: nets of every shape, and the one that is built in.
//!
//! A net ([`nnue`]) evaluates a position; one that the project has trained is built in. It is updated incrementally as
//! an observer of the position.

mod evaluation;
mod net_file;
pub mod nnue;

pub use evaluation::{Evaluation, StaticEvaluation};
pub use net_file::{NetFile, ScaleSource};
