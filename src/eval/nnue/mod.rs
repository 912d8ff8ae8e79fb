//! Evaluation by a small neural network that is kept along with the moves (NNUE; Nasu 2018, written for shogi).
//!
//! The first layer adds up one row of weights for each input that is on. A move changes few inputs, so the sums follow
//! it with a few additions; only the small layers behind them are computed for every position.
//!
//! | module | holds |
//! |---|---|
//! | [`features`] | which inputs are on in a position |
//! | [`Shape`] | the kinds of nets, described once |
//! | [`Net`], [`Weights`] | a net as the evaluation uses it, and as a trainer makes it |
//! | `file` | reading and writing net files |
//! | [`embedded`] | the net that is built in |
//! | [`scalar`] | the meaning of a net in plain integer arithmetic: the specification |
//! | `changes`, `follower` | what each move changed, and the sums that follow |
//! | [`Nnue`] | the evaluation as an observer of a position |
//! | `simd` | the same arithmetic for each instruction set, bit for bit |

mod changes;
mod embedded;
mod evaluator;
pub mod features;
mod file;
mod follower;
mod net;
#[cfg(test)]
mod samples;
pub mod scalar;
mod shape;
mod simd;

pub use embedded::{EMBEDDED_FV_SCALE, embedded};
pub use evaluator::{DEFAULT_FV_SCALE, Nnue};
pub use file::{Leb128Fault, NetError, NetFault};
pub use net::{LayerWeights, Net, Weights};
pub use shape::{Family, Shape};
pub use simd::InstructionSet;
