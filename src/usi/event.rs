//! Events that the threads of the session report, and the request of a `go`.

use super::evaluation::Loaded;
use super::opening_book::LoadedBook;
use crate::host::Instant;
use crate::mate::Solver;
use crate::position::Position;
use crate::protocol::Go;
use crate::search::{Shrunk, ThreadPool};
use crate::types::{Move, Score};
use std::time::Duration;

/// A message of a thread of the session.
pub(super) enum Event {
    /// The pool is ready.
    Prepared(Box<Prepared>),
    /// A search has ended and given its answer.
    SearchEnded(Box<EndedSearch>),
    /// A search for a mate has ended and given its answer; the solver, unless it broke down.
    MateSearchEnded(Option<Box<Solver>>),
    /// A bench has ended and given its answer.
    BenchEnded,
}

/// A pool as it was asked for, or as near as the memory allows.
pub(super) struct Prepared {
    pub(super) pool: ThreadPool,
    pub(super) shrunk: Option<Shrunk>,
    /// The histories are small for want of memory, if the pool was made now.
    pub(super) has_less_history: bool,
    /// The number of threads that the system gives, if the pool was made now and has fewer than were asked for.
    pub(super) fewer_threads: Option<usize>,
    /// The evaluation, if it was read anew.
    pub(super) loaded: Option<Loaded>,
    /// The opening book, if it was opened anew.
    pub(super) book: Option<Box<LoadedBook>>,
}

/// The end of a search.
pub(super) struct EndedSearch {
    /// The pool, unless the search broke down.
    pub(super) pool: Option<ThreadPool>,
    /// The time on the own clock, the answer included.
    pub(super) spent: Duration,
    /// Longest time that the machine was late.
    pub(super) longest_pause: Duration,
    /// The score of the answer, if it has one.
    pub(super) score: Option<Score>,
}

/// A `go`.
pub(super) struct Request {
    pub(super) go: Go,
    /// When it was read: its clock runs from here.
    pub(super) arrived: Instant,
    /// Position that is searched. The session's position may be another one by the time that it is searched.
    pub(super) position: Position,
    /// The move that led to the position.
    pub(super) last_move: Option<Move>,
}
