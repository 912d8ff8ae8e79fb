//! Static evaluation.
//!
//! A net ([`nnue`]) evaluates a position; one that the project has trained is built in. [`HandCrafted`], which adds up
//! the values of the pieces and of their squares relative to the two kings, played the games that the first net was
//! trained on, and is used where there is no net. Both are updated incrementally as observers of the position.

mod evaluator;
#[doc(hidden)]
pub mod features;
mod hand_crafted;
mod net_file;
pub mod nnue;
mod weights;

pub use evaluator::{Evaluation, Evaluator, StaticEvaluation};
pub use hand_crafted::HandCrafted;
pub use net_file::{NetFile, ScaleSource};

/// The weights of the hand-crafted evaluation, `[feature][middlegame, endgame]`, in centipawns.
pub fn weights() -> Vec<[i16; 2]> {
    weights::WEIGHTS.to_vec()
}
