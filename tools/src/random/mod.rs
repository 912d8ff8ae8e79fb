//! Random numbers for many games at once: independent sequences of one seed, and the order of openings.

mod order;
mod streams;

pub use order::shuffle;
pub use streams::Random;
