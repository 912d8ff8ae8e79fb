//! The tests of the library from outside, in one program: the engine is linked once.
//!
//! `cargo test --release -p komainu --test integration mate::` runs those of one file.

// What the tests share.
mod oracle;
#[allow(dead_code)]
mod stopwatch;

mod fuzz;
mod generator_hand_made;
mod generator_oracle;
mod layers;
mod mate;
mod nnue;
mod openings;
mod packed;
mod perft_tables;
mod position;
mod rules;
mod search;
mod see;
