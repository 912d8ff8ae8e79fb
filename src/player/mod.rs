//! A player of games: a position, a clock and a stop token in, a move out.
//!
//! It keeps what a game needs from move to move: the threads with their table, the rules, and what the clock has taught
//! about the machine. Who has won is the affair of [`crate::referee`].

use crate::host::Instant;
use crate::levels::LevelSettings;
use crate::position::{GameRules, Position};
use crate::search::{
    Callbacks, Clock, Limits, MoveChooser, OverheadEstimator, Report, SearchControl, SearchResult, ThreadPool,
    TimeOptions, Timing,
};
use crate::types::{Score, StopToken};
use std::sync::Arc;

/// A player of games by the clock.
///
/// ```
/// use komainu::player::Player;
/// use komainu::position::{Position, RuleSet};
/// use komainu::referee;
/// use komainu::search::{Clock, Decision, HistorySize, ThreadPool};
/// use komainu::types::StopToken;
/// use std::time::{Duration, Instant};
///
/// let rules = RuleSet::Floodgate.rules();
/// let pool = ThreadPool::builder().table_megabytes(1).history(HistorySize::Small).build();
/// let mut player = Player::new(pool, rules);
/// // It plays against itself: 1 s for the game and 20 ms a move.
/// let clock = Clock { time: Duration::from_secs(1), increment: Duration::from_millis(20), ..Clock::default() };
/// let mut clocks = [clock; 2];
/// let mut position = Position::startpos();
/// while position.ply() <= 4 && referee::judge(&position, &rules).is_none() {
///     let (side, started) = (position.side(), Instant::now());
///     let result = player.choose(&position, &clocks[side], &StopToken::new());
///     clocks[side] = clocks[side].after(started.elapsed()).expect("it keeps its time");
///     match result.decision {
///         Decision::Play(mv, _) => position.play(mv)?,
///         decision => panic!("{decision:?} on move {}", position.ply()),
///     }
/// }
/// assert_eq!(position.moves_made(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Player {
    pool: ThreadPool,
    rules: GameRules,
    level: Option<LevelSettings>,
    draw_value: Score,
    time_options: TimeOptions,
    overhead: OverheadEstimator,
}

impl Player {
    /// A player of full strength that thinks with these threads under these rules.
    pub fn new(pool: ThreadPool, rules: GameRules) -> Player {
        Player {
            pool,
            rules,
            level: None,
            draw_value: Score::DRAW,
            time_options: TimeOptions::default(),
            overhead: OverheadEstimator::default(),
        }
    }

    /// Plays as people of this level do from now on; `None` for full strength.
    pub fn set_level(&mut self, level: Option<LevelSettings>) {
        self.level = level;
    }

    /// A draw is worth this to the player from now on, in centipawns. Default 0.
    pub fn set_draw_value(&mut self, value: Score) {
        self.draw_value = value;
    }

    /// Sets the time that is held back from now on. Without a setting it is what was measured.
    pub fn set_time_options(&mut self, options: TimeOptions) {
        self.time_options = options;
    }

    /// The rules that it plays by.
    pub fn rules(&self) -> &GameRules {
        &self.rules
    }

    /// Begins a new game: forgets the last one, but not how fast the machine is.
    pub fn new_game(&mut self) {
        self.pool.clear();
        self.overhead.new_game();
    }

    /// Chooses what to do on this clock, which runs from now on: a move, to declare a win, or to resign where there is
    /// no legal move. A stop makes it answer at once with the best that it knows.
    ///
    /// The position brings the moves of the game as its history: repetition depends on them.
    pub fn choose(&mut self, pos: &Position, clock: &Clock, stop: &StopToken) -> SearchResult {
        self.choose_and_report(pos, clock, stop, &mut |_| ())
    }

    /// Chooses as [`Player::choose`] does, and tells what it thinks after each iteration: see [`ThreadPool::search`].
    pub fn choose_and_report(
        &mut self,
        pos: &Position,
        clock: &Clock,
        stop: &StopToken,
        on_block: &mut (dyn FnMut(&[Report]) + Send),
    ) -> SearchResult {
        let started = Instant::now();
        self.overhead.clock_arrived(clock, pos.ply());
        let timing = Timing { options: self.time_options, overhead: self.overhead };
        let limits = Limits { clock: Some(*clock), draw_value: self.draw_value, timing, ..Limits::default() };
        let control = Arc::new(SearchControl::new(limits, stop).since(started));
        let chooser = self.level.as_ref().map(|level| level as &dyn MoveChooser);
        let callbacks = Callbacks { chooser, on_block, on_answer: &mut |_| () };
        let result = self.pool.search_and_answer(pos, self.rules, &control, callbacks);
        let result = result.expect("all moves may be searched");
        self.overhead.answered(started.elapsed(), result.longest_pause);
        result
    }
}

#[cfg(test)]
mod tests;
