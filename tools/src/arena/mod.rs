//! Matches between engines: processes, clocks, rulings, pairings, statistics, the report.

pub mod clock;
pub mod engine;
pub mod folder;
pub mod game;
pub mod live;
pub mod merge;
pub mod pairing;
pub mod plan;
pub mod report;
pub mod runner;
mod slot;
pub mod standings;
pub mod stats;
