//! The tests of the program and of the tools from outside, in one program: they are linked once.
//!
//! `cargo test --release -p komainu-cli --test integration matches::` runs those of one file.

// What the tests share, some of it with those of the engine.
mod engine;
#[allow(dead_code)]
#[path = "../../../tests/integration/oracle/mod.rs"]
mod oracle;
mod scripted;
mod shell;
#[allow(dead_code)]
#[path = "../../../tests/integration/stopwatch.rs"]
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
mod eval_command;
mod exit_codes;
mod flags;
mod front;
mod games;
mod inputs;
mod journals;
mod levels;
mod library;
#[cfg(target_os = "linux")]
mod limits;
mod live;
mod matches;
mod mate_command;
mod notation;
mod organiser;
mod page;
mod pgn;
mod records;
mod replay;
mod report;
mod sfen;
#[cfg(target_os = "linux")]
mod terminal;
mod train;
mod training;
mod tune;
mod usi;
mod usi_fuzz;
