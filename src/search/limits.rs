//! Limits of a search.

use super::time::{Budget, Clock, Timing};
use crate::types::{Move, Score};
use std::time::Duration;

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
    /// Search these moves only; at least one of them must be legal. `None` for all moves.
    pub search_moves: Option<Vec<Move>>,
    /// Number of the best moves that are searched to an exact score and reported; 1 or more.
    pub multi_pv: usize,
    /// Value of a draw to the side to move at the root.
    pub draw_value: Score,
    /// Search also the moves that leave a pawn, bishop or rook unpromoted where it could promote.
    pub all_moves: bool,
    /// Settings of the user about time, with what the game has taught about it.
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
            search_moves: None,
            multi_pv: 1,
            draw_value: Score::DRAW,
            all_moves: false,
            timing: Timing::default(),
        }
    }
}

impl Limits {
    /// The time for a move that is worth a multiple of the usual time (0 or more), where time that is saved now can be
    /// spent later; `None` if time does not bound the search.
    pub(crate) fn budget(&self, worth: f64) -> Option<Budget> {
        if let Some(movetime) = self.movetime {
            return Some(Budget::of_movetime(movetime));
        }
        self.clock.map(|clock| Budget::of_clock(&clock, &self.timing, worth))
    }

    /// Tests whether the search is for a move of a game, in which a playing level may choose the move.
    pub(crate) fn is_for_game(&self) -> bool {
        !self.infinite && self.multi_pv <= 1
    }

    /// Tests whether the search may not end by itself.
    pub fn must_wait(&self) -> bool {
        self.infinite || self.ponder
    }

    /// Tests whether anything but an order ends the search.
    pub fn is_bounded(&self) -> bool {
        self.clock.is_some() || self.movetime.is_some() || self.depth.is_some() || self.nodes.is_some()
    }

    /// The expected move was played: from now on the clock counts, the one that came with the news if there is one. If
    /// no clock was ever given, there is no time to think about.
    pub(crate) fn begin_clock(&mut self, hit: Option<(Clock, Timing)>) {
        self.ponder = false;
        if let Some((clock, timing)) = hit {
            self.clock = Some(clock);
            self.timing = timing;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{OverheadEstimator, TimeOptions};

    #[test]
    fn a_fixed_time_is_kept_whatever_the_delays() {
        let ms = Duration::from_millis;
        let options = TimeOptions { network_delay: ms(120), network_delay2: ms(1_120), ..TimeOptions::default() };
        // The second clock has lost 300 ms more than the move took.
        let mut overhead = OverheadEstimator::default();
        overhead.clock_arrived(&Clock { time: ms(10_000), ..Clock::default() }, 0);
        overhead.answered(ms(500), ms(400));
        overhead.clock_arrived(&Clock { time: ms(9_200), ..Clock::default() }, 2);
        let timing = Timing { options, overhead };
        let byoyomi = Clock { byoyomi: ms(500), ..Clock::default() };
        let limits = Limits { clock: Some(byoyomi), timing, ..Limits::default() };
        assert!(limits.budget(1.0).unwrap().maximum < ms(300));
        let Budget { soft, maximum } = Limits { movetime: Some(ms(500)), ..limits }.budget(1.0).unwrap();
        assert!(soft == maximum && (ms(495)..=ms(500)).contains(&maximum));
        assert_eq!(Limits::to_depth(3).budget(1.0), None);
    }
}
