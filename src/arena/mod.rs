//! Matches between engines: processes, clocks, the referee, pairings, statistics, the report.

pub mod openings;
pub mod pairing;
pub mod plan;
pub mod report;
pub mod stats;
