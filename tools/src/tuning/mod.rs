//! Tuning of any USI engine's options by games, with simultaneous perturbation (SPSA).
//!
//! In every iteration all values are moved at once by their distances, up or down at random; the engine moved one way
//! plays the one moved the other way, each opening with both colours, and every value goes towards the side that won
//! (Spall 1992). Distances, steps and the form of the parameters are those of OpenBench, so that a file of parameters
//! means the same here and there. `parameter` reads that file and holds it against what an engine lists, `course` has
//! the gains and the values, `tuner` hands them to a match, `report` makes the page and the JSON, `live` shows that
//! page while the games are played.

mod course;
mod live;
mod parameter;
pub mod report;
mod tuner;

pub use course::{Course, Effect, Gains, IterationTally, Schedule, Trial};
pub use live::LiveTuning;
pub use parameter::{NumberKind, Parameter, TunedOption, TuningError, digits, read_parameters};
pub use tuner::{Tuner, iterations, planned_parameters, tuned_options};
