//! Evaluation by an efficiently updatable neural network (NNUE; Nasu 2018, written for shogi).
//!
//! The first layer adds up one row of weights for each active input: the accumulator. A move changes few inputs, so the
//! accumulator is updated by a few additions; only the small layers behind it are computed for every position.
//!
//! | module | holds |
//! |---|---|
//! | [`features`] | which inputs are active in a position |
//! | [`Shape`] | the kinds of nets as data |
//! | [`Net`], [`Weights`] | a net as the evaluation uses it, and as a trainer makes it |
//! | `file` | reading and writing net files |
//! | [`embedded`] | the net that is built in |
//! | [`scalar`] | the meaning of a net in plain integer arithmetic: the specification |
//! | `lines`, `layers` | the parameters in memory, in the order in which vectors take them |
//! | `dirty_pieces`, `accumulator` | what each move changed, and the accumulators updated by it |
//! | [`Nnue`] | the evaluation as an observer of a position |
//! | `simd` | the same arithmetic for each instruction set, bit for bit |

mod accumulator;
mod dirty_pieces;
mod embedded;
mod evaluator;
pub mod features;
mod file;
mod layers;
mod lines;
mod net;
#[cfg(test)]
mod samples;
pub mod scalar;
mod shape;
mod simd;

pub use embedded::{EMBEDDED_FV_SCALE, EMBEDDED_SCALE, embedded};
pub use evaluator::{DEFAULT_FV_SCALE, Nnue};
pub use file::{Leb128Fault, NetError, NetFault};
pub use net::{LayerWeights, Net, ProgressWeights, Weights};
pub use shape::{Family, Features, HandKey, KingKey, Shape, ShapeNameError, Shard, StackKeys};
pub use simd::InstructionSet;
