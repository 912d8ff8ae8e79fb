//! Analysts, which search positions: the engine itself, or another program that speaks USI.
//!
//! Both answer the same [`Request`]: a limit, a number of lines, one move alone. Analyses of games and books of
//! searched positions are made with either.

#[cfg(feature = "programs")]
mod external;
mod line;
mod own;

#[cfg(feature = "programs")]
pub use external::{External, Program, set_to_search};
pub use line::SearchedLine;
pub(crate) use line::move_texts;
pub use own::Own;

use komainu::position::Position;
use komainu::types::Move;
use thiserror::Error;

/// Limit of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchLimit {
    /// Nodes.
    Nodes(u64),
    /// Milliseconds.
    Millis(u64),
    /// Depth in plies.
    Depth(u32),
}

impl SearchLimit {
    /// Its name with its amount, as in JSON.
    pub fn named(self) -> (&'static str, u64) {
        match self {
            SearchLimit::Nodes(nodes) => ("nodes", nodes),
            SearchLimit::Millis(millis) => ("movetime", millis),
            SearchLimit::Depth(depth) => ("depth", depth.into()),
        }
    }

    /// The limit of a second look: four times the nodes or the time, or two plies more.
    pub fn deeper(self) -> SearchLimit {
        match self {
            SearchLimit::Nodes(nodes) => SearchLimit::Nodes(nodes.saturating_mul(4)),
            SearchLimit::Millis(millis) => SearchLimit::Millis(millis.saturating_mul(4)),
            SearchLimit::Depth(depth) => SearchLimit::Depth(depth.saturating_add(2)),
        }
    }
}

/// Question about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Limit of the search.
    pub limit: SearchLimit,
    /// Number of the best moves that are wanted.
    pub lines: usize,
    /// Search this move only.
    pub only: Option<Move>,
    /// Depth in plies at which the search may end before its limit.
    pub depth: Option<u32>,
}

/// Result of a search.
#[derive(Clone, Debug, Default)]
pub struct Searched {
    /// The lines, best first.
    pub lines: Vec<SearchedLine>,
    /// The best moves of the iterations of depth 1 to 4.
    pub early: Vec<Move>,
}

/// Why a position could not be searched.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct AnalystError(pub String);

/// Searches positions one after the other.
pub trait Analyst: Send {
    /// Forgets what it has learnt from the positions before, so that the next ones do not depend on them.
    fn forget(&mut self) -> Result<(), AnalystError>;

    /// Searches a position, which knows the game that led to it. Lines are legal to their last move.
    fn search(&mut self, pos: &Position, request: &Request) -> Result<Searched, AnalystError>;
}

/// Iterations up to this depth show what is obvious.
const EARLY_DEPTH: usize = 4;
