//! The tests from outside the crate, in one program: the engine is linked once.
//!
//! `cargo test --release --test integration mate::` runs those of one file.

// What the tests share.
mod engine;
mod oracle;
mod scripted;
mod shell;
mod stopwatch;

mod analyse;
mod arena;
mod bad_input;
mod book;
mod check;
mod cli;
mod clock;
mod conformance;
mod convert;
mod csa;
mod distributed;
mod docs;
#[cfg(unix)]
mod engines;
#[cfg(unix)]
mod escapes;
mod exit_codes;
mod flags;
mod front;
mod fuzz;
mod games;
mod generator_hand_made;
mod generator_oracle;
mod journals;
mod layers;
mod levels;
mod library;
#[cfg(target_os = "linux")]
mod limits;
mod live;
mod matches;
mod mate;
mod nnue;
mod notation;
mod openings;
mod organiser;
mod packed;
mod perft_tables;
mod pgn;
mod position;
mod records;
mod replay;
mod report;
mod rules;
mod search;
mod see;
mod sfen;
#[cfg(target_os = "linux")]
mod terminal;
mod train;
mod training;
mod tune;
mod usi;
mod usi_fuzz;
