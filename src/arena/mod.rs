//! Matches between engines: processes, clocks, the referee, pairings, statistics, the report.

pub mod adjudicator;
pub mod answer;
pub mod clock;
pub mod engine;
pub mod game;
pub mod journal;
pub mod merge;
pub mod openings;
pub mod pairing;
pub mod plan;
pub mod records;
pub mod referee;
pub mod report;
pub mod runner;
mod slot;
pub mod stats;
