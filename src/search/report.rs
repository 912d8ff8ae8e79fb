//! Reports of a search while it runs, and its result.

use crate::types::{Move, Score};
use bitflags::bitflags;
use std::time::Duration;
use thiserror::Error;

bitflags! {
    /// Relation of a score to the true one; both bits together mean equality, none that there is no score.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Bound: u8 {
        /// The true score is at most this.
        const UPPER = 1;
        /// The true score is at least this.
        const LOWER = 2;
        /// The true score is this.
        const EXACT = 3;
    }
}

/// The state of a search after an iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Which of the best moves this line is about, counted from 1; `None` if only one is searched for.
    pub multi_pv: Option<usize>,
    /// Completed depth, in plies.
    pub depth: usize,
    /// The deepest ply reached.
    pub seldepth: usize,
    /// The score of the best move, from the side to move's view.
    pub score: Score,
    /// Relation of the score to the true one.
    pub bound: Bound,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Time since the search began.
    pub time: Duration,
    /// Filled part of the table, per mille.
    pub hashfull: u32,
    /// The best line, legal to its last move; never empty.
    pub pv: Vec<Move>,
}

impl Report {
    /// The report on a move that wins at once, found without a search.
    pub(crate) fn of_winning_move(mv: Move) -> Report {
        Report {
            multi_pv: None,
            depth: 1,
            seldepth: 1,
            score: Score::mate_in(1),
            bound: Bound::EXACT,
            nodes: 0,
            time: Duration::ZERO,
            hashfull: 0,
            pv: vec![mv],
        }
    }
}

/// Decision for the root position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Play the move; the second is the expected answer.
    Play(Move, Option<Move>),
    /// Declare a win.
    DeclareWin,
    /// There is no legal move: resign.
    Resign,
}

/// Why there was no search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SearchError {
    /// [`Limits::search_moves`](super::Limits::search_moves) names no move, or none that is legal in the position.
    #[error("none of the moves that are to be searched is legal")]
    NoSearchMove,
    /// Time bounds the search, and nobody has given a clock to WebAssembly.
    #[error("a search by time needs a clock: call komainu::host::install first")]
    NoClock,
}

/// The end of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchResult {
    /// Decision for the root position.
    pub decision: Decision,
    /// The last report; its line begins with the move to play.
    pub report: Option<Report>,
    /// Nodes of all threads.
    pub nodes: u64,
    /// The longest time for which the first thread did not come to look at the clock, or an idle thread overslept: how
    /// late a busy machine may be.
    pub longest_pause: Duration,
    /// A thread of the search broke down, in words that name it and what happened: the answer is then that of the other
    /// threads, or the best that was known. It is a fault of this library, or of an evaluation of the user.
    pub fault: Option<String>,
}

impl SearchResult {
    /// Result that is known without a search.
    pub(crate) fn without_search(decision: Decision, report: Option<Report>) -> SearchResult {
        SearchResult { decision, report, nodes: 0, longest_pause: Duration::ZERO, fault: None }
    }
}
