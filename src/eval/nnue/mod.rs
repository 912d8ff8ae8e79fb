//! Evaluation by an efficiently updatable neural network (NNUE; Nasu 2018, written for shogi).
//!
//! The first layer adds up one row of weights for each active input: the accumulator. A move changes few inputs, so the
//! accumulator is updated by a few additions; only the small layers behind it are computed for every position.
//!
//! | module | holds |
//! |---|---|
//! | [`features`] | which inputs are active in a position |
//! | `shape`, `stacks` | the kinds of nets as data ([`Shape`]), and how one of several stacks of layers is chosen |
//! | `net` | a net as the evaluation uses it ([`Net`]), as a trainer makes it ([`Weights`]), and the one that is built in |
//! | `layers` | the parameters in memory, in the order in which vectors take them |
//! | `file` | reading and writing net files |
//! | [`scalar`] | the meaning of a net in plain integer arithmetic: the specification |
//! | `accumulator` | what each move changed, and the accumulators updated by it |
//! | `evaluator` | the evaluation as an observer of a position ([`Nnue`]) |
//! | `simd` | the same arithmetic for each instruction set, bit for bit |

mod accumulator;
mod evaluator;
pub mod features;
mod file;
mod layers;
mod net;
#[cfg(test)]
mod samples;
pub mod scalar;
mod shape;
mod simd;
mod stacks;

pub use evaluator::{DEFAULT_FV_SCALE, Nnue};
pub use file::{Leb128Fault, NetError, NetFault};
pub use layers::LayerWeights;
pub use net::{EMBEDDED_FV_SCALE, EMBEDDED_SCALE, Net, ProgressWeights, Weights, embedded};
pub use shape::{Family, Features, Shape, ShapeNameError, Shard};
pub use simd::InstructionSet;
pub use stacks::{HandKey, KingKey, StackKeys};
