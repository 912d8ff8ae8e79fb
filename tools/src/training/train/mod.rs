//! Training of nets on the processor, without a library of machine learning.
//!
//! A run reads records ([`TrainingData`]), holds some games out, and then lowers the difference between the chance to
//! win that the net sees and a mixture of the game's result and the search's score, batch by batch (stochastic gradient
//! descent with AdamW). [`Trainer`] is such a run. Its inputs come from the evaluation's own features, its layers are
//! those of [`komainu::eval::nnue::scalar`] in floating point, and what it writes is compared with what the engine
//! computes. Every step looks at the parameters as a file would hold them, so that the net learns to live with their
//! rounding (quantisation-aware training with the straight-through estimator of Bengio, Leonard and Courville 2013).
//!
//! | module | holds |
//! |---|---|
//! | `sample`, `data` | positions in memory, and how they get there |
//! | `replay` | which positions of which files an epoch shows |
//! | `teacher` | labels by other nets, and how near the net comes to them |
//! | `objective`, `held_out` | what the net should say, and how wrong it is |
//! | `layout` | the parameters of a net in a list, and as integers in a file |
//! | `order` | which neurons stand together in a file |
//! | `dense`, `heads` | layers forwards and backwards |
//! | `gradient` | the gradient of a batch on several threads, the same on any number of them |
//! | `adam`, `schedule`, `average` | how the parameters move, and the mean of their last ones |
//! | `checkpoint` | a run as a file |
//! | `trainer` | the run |
//! | `plot` | the run as a picture |
//!
//! The method goes back to Nasu's "Efficiently Updatable Neural-Network-based Evaluation Functions" (2018), whose nets
//! were trained like this, and to the gradient descent of every textbook.

mod adam;
mod average;
mod checkpoint;
mod data;
mod dense;
mod gradient;
mod heads;
mod held_out;
mod layout;
mod objective;
mod order;
mod plot;
mod replay;
mod sample;
#[cfg(test)]
mod samples;
mod schedule;
mod teacher;
#[cfg(test)]
mod tests;
mod trainer;

pub use checkpoint::{EpochReport, is_checkpoint, net_of_checkpoint};
pub use data::{SampleFile, TrainingData};
pub use held_out::{ClassLoss, MATERIALS, PHASES};
pub use plot::svg;
pub use sample::TrainingSample;
pub use teacher::{ChildrenReport, Teacher};
pub use trainer::{Comparison, MAX_EPOCHS, OtherShape, Trainer, TrainingEvent, TrainingSettings};
