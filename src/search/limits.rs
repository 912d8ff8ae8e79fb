//! What bounds a search.

use super::levels::LevelSettings;
use super::time::Timing;
use crate::types::{Move, Score};
use std::time::Duration;

/// The clock of the side to move, as `go` gives it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Time left.
    pub time: Duration,
    /// Time added for each move.
    pub increment: Duration,
    /// Time for each move after the rest is used up.
    pub byoyomi: Duration,
    /// Moves until the clock is set anew (`movestogo`), which shogi clocks never are.
    pub moves_to_go: Option<u32>,
}

/// When a search ends. With nothing set it ends when it is told to.
///
/// ```
/// use komainu::search::{Clock, Limits};
/// use std::time::Duration;
///
/// let byoyomi = Clock { byoyomi: Duration::from_secs(10), ..Clock::default() };
/// let limits = Limits { clock: Some(byoyomi), multi_pv: 2, ..Limits::default() };
/// assert!(limits.is_bounded() && !limits.must_wait());
/// assert!(!Limits::default().is_bounded());
/// ```
#[derive(Clone, Debug)]
pub struct Limits {
    /// Think as the clock allows.
    pub clock: Option<Clock>,
    /// Think for exactly this long.
    pub movetime: Option<Duration>,
    /// Deepen to this depth.
    pub depth: Option<usize>,
    /// Visit this many nodes, all threads together.
    pub nodes: Option<u64>,
    /// Answer only when told to, however finished the search is.
    pub infinite: bool,
    /// Think in the opponent's time: no answer and no clock before the move is played.
    pub ponder: bool,
    /// Search these moves only, if any of them is legal.
    pub search_moves: Vec<Move>,
    /// How many of the best moves are searched to an exact score and reported; 1 or more.
    pub multi_pv: usize,
    /// What a draw is worth to the side to move at the root.
    pub draw_value: Score,
    /// Search also the moves that leave a pawn, bishop or rook unpromoted where it could promote.
    pub all_moves: bool,
    /// How strong the engine plays, 0 to [`FULL_SKILL`](super::FULL_SKILL). An analysis is always at full strength.
    pub skill: u8,
    /// Play as people of this level do, in place of `skill`. An analysis, and a search for several lines, is always at full
    /// strength.
    pub level: Option<LevelSettings>,
    /// What the user set about time, and what the game has taught about it.
    pub timing: Timing,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            clock: None,
            movetime: None,
            depth: None,
            nodes: None,
            infinite: false,
            ponder: false,
            search_moves: Vec::new(),
            multi_pv: 1,
            draw_value: Score::DRAW,
            all_moves: false,
            skill: super::FULL_SKILL,
            level: None,
            timing: Timing::default(),
        }
    }
}

impl Limits {
    /// The level if it is below full strength.
    pub(super) fn weakened(&self) -> Option<u8> {
        (self.skill < super::FULL_SKILL && !self.infinite).then_some(self.skill)
    }

    /// The level that is played, if the search is one for a move of a game.
    pub(super) fn played_level(&self) -> Option<LevelSettings> {
        self.level.filter(|_| !self.infinite && self.multi_pv <= 1)
    }

    /// Whether the search may not end by itself.
    pub fn must_wait(&self) -> bool {
        self.infinite || self.ponder
    }

    /// Whether anything but an order ends the search.
    pub fn is_bounded(&self) -> bool {
        self.clock.is_some() || self.movetime.is_some() || self.depth.is_some() || self.nodes.is_some()
    }

    /// The expected move was played: from now on the clock counts, the one that came with the news if there is one. If
    /// no clock was ever given, there is no time to think about.
    pub(super) fn begin_clock(&mut self, hit: Option<(Clock, Timing)>) {
        self.ponder = false;
        if let Some((clock, timing)) = hit {
            (self.clock, self.timing) = (Some(clock), timing);
        }
        if !self.is_bounded() {
            self.clock = Some(Clock::default());
        }
    }

    /// A search to a fixed depth.
    pub fn to_depth(depth: usize) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// A search of a fixed number of nodes.
    pub fn to_nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }
}
