//! Static evaluation.
//!
//! [`HandCrafted`] adds up what the pieces are worth and where they stand beside the two kings. It follows the
//! position as its observer, so that asking for the score costs next to nothing.

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
