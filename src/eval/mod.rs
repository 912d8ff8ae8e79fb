//! Static evaluation.
//!
//! A net ([`nnue`]) says what a position is worth; one that the project has trained is built in. [`HandCrafted`], which
//! adds up what the pieces are worth and where they stand beside the two kings, played the games that the first net
//! learnt from, and stands in where there is no net. Both follow the position as its observers, so that asking for the
//! score costs little.

mod evaluator;
pub mod features;
mod hand_crafted;
pub mod nnue;
mod weights;

pub use evaluator::{Evaluation, Evaluator};
pub use hand_crafted::HandCrafted;

/// The weights of the hand-crafted evaluation, `[feature][middlegame, endgame]`, in centipawns.
pub fn weights() -> Vec<[i16; 2]> {
    weights::WEIGHTS.to_vec()
}
