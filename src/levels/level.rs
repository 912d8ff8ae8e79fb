//! The names of the levels and what a search has to know to play one.

use crate::position::{GameRules, Position};
use crate::search::{Callbacks, Limits, SearchControl, SearchError, SearchResult, ThreadPool};
use crate::types::{Quoted, StopToken, named};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use thiserror::Error;

/// A playing level: 20 kyu is the weakest, then 15 to 1 kyu, 1 to 9 dan.
///
/// ```
/// use komainu::levels::Level;
///
/// let level: Level = "10KYU".parse()?;
/// assert_eq!((level.to_string(), level.rating()), ("10kyu".to_string(), 600));
/// assert!(level < Level::from_grade(1).expect("1 dan"));
/// assert!("0dan".parse::<Level>().is_err());
/// # Ok::<(), komainu::levels::UnknownLevel>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(i8);

/// This text names no level.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} is no level: 20kyu, 15kyu to 1kyu or 1dan to 9dan", Quoted(.0))]
pub struct UnknownLevel(String);

impl Level {
    /// 20 kyu: for people who have just learnt the moves.
    pub const WEAKEST: Level = Level(-20);
    /// 9 dan.
    pub const STRONGEST: Level = Level(9);

    /// The names of the levels that menus offer, the weakest first.
    pub const OFFERED: [&'static str; 22] = [
        "20kyu", "15kyu", "12kyu", "10kyu", "9kyu", "8kyu", "7kyu", "6kyu", "5kyu", "4kyu", "3kyu", "2kyu", "1kyu",
        "1dan", "2dan", "3dan", "4dan", "5dan", "6dan", "7dan", "8dan", "9dan",
    ];

    /// The level of a grade: -15 to -1 for 15 kyu to 1 kyu, 1 to 9 for dan, -20 for 20 kyu.
    pub const fn from_grade(grade: i8) -> Option<Level> {
        match grade {
            -20 | -15..=-1 | 1..=9 => Some(Level(grade)),
            _ => None,
        }
    }

    /// The grade: kyu below zero, dan above.
    pub const fn grade(self) -> i8 {
        self.0
    }

    /// The rating at Shogi Club 24 that the level is meant to have: 1,600 for 1 dan, 200 a dan, 100 a kyu. 20 kyu lies
    /// below the scale.
    pub const fn rating(self) -> i32 {
        let grade = self.0 as i32;
        if grade > 0 { 1_400 + 200 * grade } else { 1_600 + 100 * grade }
    }

    /// All levels, the weakest first.
    pub fn all() -> impl DoubleEndedIterator<Item = Level> {
        (-20..=9).filter_map(Level::from_grade)
    }

    /// Centipawns behind which a game is hopeless to it, if it resigns: the stronger the sooner. Up to 10 kyu it does
    /// not, for a beginner wants to give the mate himself.
    ///
    /// ```
    /// use komainu::levels::Level;
    ///
    /// let hopeless = |name: &str| name.parse().ok().and_then(Level::hopeless);
    /// assert_eq!((hopeless("10kyu"), hopeless("9kyu"), hopeless("1dan")), (None, Some(2_200), Some(1_500)));
    /// ```
    pub const fn hopeless(self) -> Option<i32> {
        match self.0 {
            ..=-10 => None,
            -9..=-5 => Some(2_200),
            -4..=-1 => Some(1_800),
            _ => Some(1_500),
        }
    }
}

/// `20kyu`, `1dan`
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.0.unsigned_abs(), if self.0 < 0 { "kyu" } else { "dan" })
    }
}

/// Reads the name without regard to case.
impl FromStr for Level {
    type Err = UnknownLevel;
    fn from_str(text: &str) -> Result<Level, UnknownLevel> {
        let level = Level::all().find(|level| level.to_string().eq_ignore_ascii_case(text));
        level.ok_or_else(|| UnknownLevel(text.to_string()))
    }
}

named! {
    /// Time that a level takes for a move where a clock runs.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum LevelTime {
        /// 0.3 to 0.9 seconds.
        #[default]
        Normal = "normal",
        /// As long as the search takes.
        Fast = "fast",
        /// Like a person: a share of the clock, less where the answer is plain.
        Human = "human",
    }

    /// Name, as the USI option has it.
    name
}

named! {
    /// Openings that a level plays.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum LevelStyle {
        /// Each as often as people of the rank play it.
        #[default]
        Any = "any",
        /// With the rook on its side. 居飛車
        StaticRook = "static-rook",
        /// With the rook on the left. 振り飛車
        RangingRook = "ranging-rook",
        /// With a surprise. 奇襲
        Surprise = "surprise",
    }

    /// Name, as the USI option has it: without a space, at which some GUIs cut a value.
    name
}

/// Settings that make a search one of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelSettings {
    /// The level.
    pub level: Level,
    /// The seed of the game: which errors are made. The same seed, level and position give the same move.
    pub seed: u64,
    /// Time that a move takes.
    pub time: LevelTime,
    /// The openings that it plays.
    pub style: LevelStyle,
    /// Centipawns that the side to move was behind at the start of the game because of the handicap that it gave; 0 in
    /// an even game and for the receiver. A giver keeps pieces on the board and likes complications.
    pub given: i32,
}

impl LevelSettings {
    /// A level in an even game, with moves that take the usual time.
    pub fn new(level: Level, seed: u64) -> LevelSettings {
        LevelSettings { level, seed, time: LevelTime::Normal, style: LevelStyle::Any, given: 0 }
    }

    /// Plays a move in a game: a search of the pool in which the level chooses. Blocks until the answer is wanted and
    /// found.
    ///
    /// ```
    /// use komainu::levels::{LevelSettings, LevelTime};
    /// use komainu::position::{GameRules, Position};
    /// use komainu::search::{Decision, Limits, ThreadPool};
    /// use komainu::types::StopToken;
    ///
    /// let settings = LevelSettings { time: LevelTime::Fast, ..LevelSettings::new("10kyu".parse()?, 1) };
    /// let mut pool = ThreadPool::new(1, 1);
    /// let stop = StopToken::new();
    /// let start = Position::startpos();
    /// let result = settings.play(&mut pool, &start, GameRules::default(), &Limits::default(), &stop)?;
    /// assert!(matches!(result.decision, Decision::Play(..)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn play(
        &self,
        pool: &mut ThreadPool,
        pos: &Position,
        rules: GameRules,
        limits: &Limits,
        stop: &StopToken,
    ) -> Result<SearchResult, SearchError> {
        let control = Arc::new(SearchControl::new(limits.clone(), stop));
        let callbacks = Callbacks { chooser: Some(self), on_block: &mut |_| (), on_answer: &mut |_| () };
        pool.search_and_answer(pos, rules, &control, callbacks)
    }
}
