//! Counted results: single games in three classes, pairs of games in five.

pub use komainu::notation::record::PlayerResult;
use std::fmt;
use std::ops::{Add, AddAssign};

/// Games of one engine by their result.
///
/// ```
/// use komainu_tools::arena::stats::ResultTally;
///
/// let tally = ResultTally { wins: 6, draws: 2, losses: 2 };
/// assert_eq!((tally.games(), tally.score()), (10, Some(0.7)));
/// assert_eq!(tally.reversed().to_string(), "+2 =2 -6");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ResultTally {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
}

impl ResultTally {
    pub fn count(&mut self, result: PlayerResult) {
        match result {
            PlayerResult::Win => self.wins += 1,
            PlayerResult::Draw => self.draws += 1,
            PlayerResult::Loss => self.losses += 1,
        }
    }

    pub fn games(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// A point for a win, half a point for a draw.
    pub fn points(self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Points per game; `None` without games.
    pub fn score(self) -> Option<f64> {
        if self.games() > 0 { Some(self.points() / self.games() as f64) } else { None }
    }

    /// Games as the opponent counts them.
    pub fn reversed(self) -> ResultTally {
        ResultTally { wins: self.losses, draws: self.draws, losses: self.wins }
    }
}

impl Add for ResultTally {
    type Output = ResultTally;

    fn add(self, other: ResultTally) -> ResultTally {
        ResultTally {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
        }
    }
}

impl AddAssign for ResultTally {
    fn add_assign(&mut self, other: ResultTally) {
        *self = *self + other;
    }
}

/// As in `+40 =12 -30`.
impl fmt::Display for ResultTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "+{} ={} -{}", self.wins, self.draws, self.losses)
    }
}

/// Pairs of games (same opening, colours swapped) in which an engine made 0, ½, 1, 1½ and 2 points.
///
/// ```
/// use komainu_tools::arena::stats::Pentanomial;
/// use komainu_tools::arena::stats::PlayerResult::{Draw, Loss, Win};
///
/// let mut pairs = Pentanomial::default();
/// pairs.count([Win, Loss]);
/// pairs.count([Win, Draw]);
/// assert_eq!((pairs, pairs.pairs()), (Pentanomial([0, 0, 1, 1, 0]), 2));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Counts a pair by the results of its two games.
    pub fn count(&mut self, results: [PlayerResult; 2]) {
        self.0[results[0].half_points() + results[1].half_points()] += 1;
    }

    pub fn pairs(self) -> u64 {
        self.0.iter().sum()
    }
}

impl Add for Pentanomial {
    type Output = Pentanomial;

    fn add(self, other: Pentanomial) -> Pentanomial {
        Pentanomial(std::array::from_fn(|class| self.0[class] + other.0[class]))
    }
}

impl AddAssign for Pentanomial {
    fn add_assign(&mut self, other: Pentanomial) {
        *self = *self + other;
    }
}

/// As in `[1, 20, 50, 24, 5]`.
impl fmt::Display for Pentanomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

/// Sample from which an engine's strength is estimated: every game that counts, in pairs as far as both games of a pair
/// do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameSample {
    pub pairs: Pentanomial,
    pub singles: ResultTally,
}

/// Two games of a pair, or a single game, with their points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Observation {
    /// Number of observations like it.
    pub count: f64,
    /// 1 or 2.
    pub games: f64,
    pub points: f64,
}

impl GameSample {
    /// Number of observations: pairs and single games.
    pub fn count(self) -> u64 {
        self.pairs.pairs() + self.singles.games()
    }

    /// The observations that were made, by their classes.
    pub(crate) fn observations(&self) -> Vec<Observation> {
        let ResultTally { wins, draws, losses } = self.singles;
        let mut observations = Vec::new();
        for (games, counts) in [(2.0, &self.pairs.0[..]), (1.0, &[losses, draws, wins])] {
            for (half_points, &count) in counts.iter().enumerate() {
                if count > 0 {
                    observations.push(Observation { count: count as f64, games, points: half_points as f64 / 2.0 });
                }
            }
        }
        observations
    }

    /// Counts for a sequential test: the pairs, the fewest points first, or the single games of a sample without pairs.
    /// The score of class `i` of `n` is `i / (n - 1)`.
    pub(crate) fn classes(&self) -> Vec<f64> {
        match self.pairs.pairs() {
            0 => [self.singles.losses, self.singles.draws, self.singles.wins].map(|count| count as f64).to_vec(),
            _ => self.pairs.0.map(|count| count as f64).to_vec(),
        }
    }

    /// Games of each observation of [`GameSample::classes`], 1 or 2.
    pub(crate) fn games_each(&self) -> f64 {
        if self.pairs.pairs() == 0 { 1.0 } else { 2.0 }
    }
}

impl From<ResultTally> for GameSample {
    fn from(singles: ResultTally) -> GameSample {
        GameSample { singles, ..GameSample::default() }
    }
}

impl From<Pentanomial> for GameSample {
    fn from(pairs: Pentanomial) -> GameSample {
        GameSample { pairs, ..GameSample::default() }
    }
}

/// The counts, as in `penta [1, 20, 50, 24, 5]`, `+40 =12 -30` or `penta [1, 20, 50, 24, 5], single +1 =0 -0`.
impl fmt::Display for GameSample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.pairs.pairs(), self.singles.games()) {
            (0, _) => self.singles.fmt(f),
            (_, 0) => write!(f, "penta {}", self.pairs),
            _ => write!(f, "penta {}, single {}", self.pairs, self.singles),
        }
    }
}
