//! Bounds of a search, its memory, and work that goes on.

use clap::builder::TypedValueParser;
use serde::Serialize;

/// Bounds of each search, of which a tool may want one or allow several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, clap::Args)]
#[group(id = "search_limits")]
pub struct SearchLimits {
    /// Nodes of each search
    #[arg(long = "nodes", id = "limit.nodes", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Depth of each search, in plies
    #[arg(long = "depth", id = "limit.depth", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub depth: Option<u32>,
    /// Milliseconds of each search
    #[arg(long = "movetime", id = "limit.movetime_ms", value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    pub movetime_ms: Option<u64>,
}

impl SearchLimits {
    /// The ids of the flags, for a group of which one may or must be given.
    pub const FLAGS: [&str; 3] = ["limit.nodes", "limit.depth", "limit.movetime_ms"];
}

/// Help of `--hash`; each tool has a default of its own.
pub const HASH_HELP: &str = "Megabytes of each hash table";

/// Help of `--memory`.
pub const MEMORY_HELP: &str = "Megabytes of memory to work with, about; the rest goes into files beside the output";

/// Help of `--threads` where each thread has work of its own.
pub const THREADS_HELP: &str = "Threads, each with work of its own; 0 for one a core. Results do not depend on it";

/// A parser of megabytes.
pub fn megabytes() -> impl TypedValueParser<Value = u32> {
    clap::value_parser!(u32).range(1..=1_048_576)
}

/// A parser of a number of threads.
pub fn threads() -> impl TypedValueParser<Value = u32> {
    clap::value_parser!(u32).range(0..=1024)
}

/// Going on with work that was begun.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Resume {
    /// Go on with what was begun
    #[arg(long)]
    pub resume: bool,
}
