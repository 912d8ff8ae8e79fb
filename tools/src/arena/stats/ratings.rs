//! A rating list of several engines.
//!
//! # The model
//!
//! Black's expected score against white is `L(r_black - r_white + b)`, where `L` is the logistic curve and `b` the
//! advantage of the first move: Bradley and Terry (1952) with Davidson and Beaver's (1977) order effect. A draw counts
//! as half a win and half a loss, as Ordo counts it. Davidson's and Rao and Kupper's models give draws a parameter of
//! their own; but then the difference of two engines is no longer the logistic Elo of their score, and the list would
//! contradict the line above it. Here it is, for two engines, up to the advantage of black and the prior.
//!
//! # The errors
//!
//! Half points make this a quasi-likelihood (Wedderburn 1974), and the games of a pair are correlated, so that the
//! plain Fisher information would overstate the variance. The covariance is the *sandwich* `H⁻¹ G H⁻¹` of the
//! information `H` and the sum `G` of squared gradients with each pair as one observation (Liang and Zeger 1986): for
//! two engines that is the interval that the pentanomial gives. So that a few results that happen to
//! be alike are not believed to be exact, `G` of each encounter is mixed with what the model expects, which weighs as
//! much as [`EXPECTED_PAIRS`] pairs.
//!
//! # The prior
//!
//! Every rating, and the advantage, has a normal prior around 0 with a deviation of [`PRIOR_ELO`]: next to nothing
//! beside ten games, yet an engine that won or lost all of its games has a finite rating with a wide interval, and so
//! have engines that no chain of games connects ([`RatingList::connected`] tells).
//!
//! [`Performance`] is simpler: it rates one player by games against opponents whose ratings are known.

use super::estimate::Interval;
use super::{Encounter, Ledger, PlayerResult, ResultTally, Z95, normal_cdf, score_of_elo};
use std::ops::Index;

/// Elo of one unit of the logistic curve `1 / (1 + e^-x)`.
const ELO_OF_UNIT: f64 = 400.0 / std::f64::consts::LN_10;

/// Deviation of the prior of a rating.
const PRIOR_ELO: f64 = 1_000.0;

/// The weight of the prior, in the units of the curve.
const PRIOR: f64 = (ELO_OF_UNIT / PRIOR_ELO) * (ELO_OF_UNIT / PRIOR_ELO);

/// Number of pairs that the expected variance of an encounter weighs.
const EXPECTED_PAIRS: f64 = 2.0;

/// The place of an engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    pub engine: usize,
    pub elo: f64,
    /// Half of the 95 % interval.
    pub error: f64,
    pub tally: ResultTally,
}

/// All engines, the strongest first.
///
/// ```
/// use komainu_tools::arena::stats::{Ledger, PlayedGame, RatingList};
/// use komainu::types::Color;
///
/// let mut ledger = Ledger::new(2);
/// for (pair, winner) in [Some(Color::Black), Some(Color::Black), None, Some(Color::White)].into_iter().enumerate() {
///     ledger.add(PlayedGame { pair: pair as u64, black: 0, white: 1, winner, fingerprint: None });
/// }
/// let list = RatingList::of(&ledger);
/// // The best engine first: it has made two and a half points of four.
/// assert_eq!((list.ratings[0].engine, list.ratings[0].tally.points()), (0, 2.5));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RatingList {
    pub ratings: Vec<Rating>,
    /// Worth of the first move, in Elo.
    pub advantage: Interval,
    /// Set if a chain of games leads from each engine to each other; if not, only the prior compares them.
    pub connected: bool,
    /// Ratings by engine and their covariance, in Elo.
    elo: Vec<f64>,
    covariance: Symmetric,
}

impl RatingList {
    /// Rates the engines of a ledger. The mean of all ratings is 0.
    pub fn of(ledger: &Ledger) -> RatingList {
        let engines = ledger.engines();
        let model = Model::of(ledger);
        let estimate = model.most_likely();
        let covariance = model.covariance(&estimate).scaled(ELO_OF_UNIT * ELO_OF_UNIT);
        let mut elo: Vec<f64> = estimate.iter().map(|units| units * ELO_OF_UNIT).collect();
        let error = Z95 * covariance[(engines, engines)].sqrt();
        let value = elo.pop().expect("the advantage is the last parameter");
        let weights = vec![1.0 / engines as f64; engines];
        let origin = dot(&weights, &elo);
        for elo in &mut elo {
            *elo -= origin;
        }
        let covariance = covariance.shifted(&weights);
        let mut ratings: Vec<Rating> = (0..engines)
            .map(|engine| Rating {
                engine,
                elo: elo[engine],
                error: Z95 * covariance[(engine, engine)].max(0.0).sqrt(),
                tally: ledger.total(engine).tally(),
            })
            .collect();
        ratings.sort_by(|a, b| b.elo.total_cmp(&a.elo).then(a.engine.cmp(&b.engine)));
        let advantage = Interval { value, low: value - error, high: value + error };
        RatingList { ratings, advantage, connected: is_connected(ledger), elo, covariance }
    }

    /// Probability that an engine is stronger than another one, 0 to 1.
    pub fn los(&self, engine: usize, other: usize) -> f64 {
        let difference = self.difference(engine, other);
        match difference.error() {
            error if error > 0.0 => normal_cdf(difference.value * Z95 / error),
            _ => 0.5,
        }
    }

    /// The Elo of an engine above another one. Its error is less than those of the two ratings suggest, and more than
    /// either if the anchor is one of them.
    pub fn difference(&self, engine: usize, other: usize) -> Interval {
        let value = self.elo[engine] - self.elo[other];
        let at = |a, b| self.covariance[(a, b)];
        let variance = at(engine, engine) + at(other, other) - 2.0 * at(engine, other);
        let error = Z95 * variance.max(0.0).sqrt();
        Interval { value, low: value - error, high: value + error }
    }
}

/// Tests whether a chain of games leads from each engine to each other.
fn is_connected(ledger: &Ledger) -> bool {
    let engines = ledger.engines();
    let mut reached = vec![false; engines];
    let mut queue = vec![0];
    while let Some(engine) = queue.pop() {
        if engine < engines && !std::mem::replace(&mut reached[engine], true) {
            queue.extend((0..engines).filter(|&other| ledger.between(engine, other).tally().games() > 0));
        }
    }
    reached.into_iter().all(|is_reached| is_reached)
}

/// Equal observations of two engines: a pair, or one game of it.
struct Group {
    count: f64,
    /// Score of black when the first engine, and when the second one, was black.
    black_scores: [Option<f64>; 2],
}

/// The observations of two engines.
struct Meeting {
    engines: [usize; 2],
    groups: Vec<Group>,
}

impl Meeting {
    fn of(first: usize, second: usize, encounter: &Encounter) -> Meeting {
        let mut groups = Vec::new();
        let score = |result: PlayerResult| result.half_points() as f64 / 2.0;
        for black in PlayerResult::ALL {
            for white in PlayerResult::ALL {
                let count = encounter.pairs[black.half_points()][white.half_points()];
                groups.push((count, [Some(score(black)), Some(score(!white))]));
            }
        }
        let [black, white] = [encounter.single[0], encounter.single[1].reversed()];
        for (result, black, white) in [
            (PlayerResult::Win, black.wins, white.wins),
            (PlayerResult::Draw, black.draws, white.draws),
            (PlayerResult::Loss, black.losses, white.losses),
        ] {
            groups.push((black, [Some(score(result)), None]));
            groups.push((white, [None, Some(score(result))]));
        }
        let groups = groups.into_iter().filter(|(count, _)| *count > 0);
        let groups = groups.map(|(count, black_scores)| Group { count: count as f64, black_scores });
        Meeting { engines: [first, second], groups: groups.collect() }
    }
}

/// All observations. Its parameters are the ratings and then the advantage of black, in units of the curve.
struct Model {
    engines: usize,
    meetings: Vec<Meeting>,
}

/// Derivatives of the argument of the curve by the two engines of a meeting and the advantage, when each of them is
/// black.
const DIRECTIONS: [[f64; 3]; 2] = [[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]];

/// `1 / (1 + e^-x)`.
fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

impl Model {
    fn of(ledger: &Ledger) -> Model {
        let engines = ledger.engines();
        let couples = (0..engines).flat_map(|first| (first + 1..engines).map(move |second| (first, second)));
        let meetings = couples.map(|(first, second)| Meeting::of(first, second, &ledger.between(first, second)));
        Model { engines, meetings: meetings.filter(|meeting| !meeting.groups.is_empty()).collect() }
    }

    /// The expected score of black when each engine of the meeting is black.
    fn expected(&self, meeting: &Meeting, at: &[f64]) -> [f64; 2] {
        DIRECTIONS.map(|direction| logistic(self.argument(meeting, direction, at)))
    }

    /// The argument of the curve: the parameters that the meeting knows, along a direction.
    fn argument(&self, meeting: &Meeting, direction: [f64; 3], at: &[f64]) -> f64 {
        self.entries(meeting, direction).into_iter().map(|(place, value)| value * at[place]).sum()
    }

    /// Values for the two engines and the advantage, with the places of these parameters.
    fn entries(&self, meeting: &Meeting, values: [f64; 3]) -> [(usize, f64); 3] {
        let [first, second] = meeting.engines;
        [(first, values[0]), (second, values[1]), (self.engines, values[2])]
    }

    /// The logarithm of the posterior.
    fn log_posterior(&self, at: &[f64]) -> f64 {
        let mut sum = -PRIOR / 2.0 * at.iter().map(|x| x * x).sum::<f64>();
        for meeting in &self.meetings {
            for (black, direction) in DIRECTIONS.into_iter().enumerate() {
                let x = self.argument(meeting, direction, at);
                // ln L(x) without overflow.
                let log = |x: f64| if x > 0.0 { -(-x).exp().ln_1p() } else { x - x.exp().ln_1p() };
                for group in &meeting.groups {
                    let term = |score: f64| score * log(x) + (1.0 - score) * log(-x);
                    sum += group.count * group.black_scores[black].map_or(0.0, term);
                }
            }
        }
        sum
    }

    /// Adds the information of a meeting, `weight` times.
    fn add_information(&self, meeting: &Meeting, at: &[f64], weight: f64, to: &mut Symmetric) {
        for (black, (direction, expected)) in DIRECTIONS.into_iter().zip(self.expected(meeting, at)).enumerate() {
            let games = meeting.groups.iter().filter(|group| group.black_scores[black].is_some());
            let count: f64 = games.map(|group| group.count).sum();
            to.add_square(&self.entries(meeting, direction), weight * count * expected * (1.0 - expected));
        }
    }

    /// Gradients of the groups of a meeting, each for one observation, with the number of these.
    fn slopes(&self, meeting: &Meeting, at: &[f64]) -> Vec<([(usize, f64); 3], f64)> {
        let expected = self.expected(meeting, at);
        let slope = |group: &Group| {
            let mut slope = [0.0; 3];
            for black in [0, 1] {
                let rest = group.black_scores[black].map_or(0.0, |score| score - expected[black]);
                for (sum, step) in slope.iter_mut().zip(DIRECTIONS[black]) {
                    *sum += rest * step;
                }
            }
            (self.entries(meeting, slope), group.count)
        };
        meeting.groups.iter().map(slope).collect()
    }

    /// The parameters of the largest posterior, by Newton's method with halved steps; the logarithm is concave.
    fn most_likely(&self) -> Vec<f64> {
        let mut at = vec![0.0; self.engines + 1];
        for _ in 0..100 {
            let mut gradient: Vec<f64> = at.iter().map(|x| -PRIOR * x).collect();
            let mut hessian = Symmetric::diagonal(at.len(), PRIOR);
            for meeting in &self.meetings {
                for (slope, count) in self.slopes(meeting, &at) {
                    for (place, value) in slope {
                        gradient[place] += count * value;
                    }
                }
                self.add_information(meeting, &at, 1.0, &mut hessian);
            }
            let step = hessian.inverse().expect("the prior makes it positive definite").times(&gradient);
            let now = self.log_posterior(&at);
            let moved = |share: f64| -> Vec<f64> { at.iter().zip(&step).map(|(x, step)| x + share * step).collect() };
            let halves = (0..50).map(|halvings| 0.5f64.powi(halvings));
            let share = halves.into_iter().find(|&share| self.log_posterior(&moved(share)) >= now).unwrap_or(0.0);
            at = moved(share);
            if step.iter().all(|step| (share * step).abs() < 1e-10) {
                break;
            }
        }
        at
    }

    /// The covariance of the parameters; see the head of the module.
    fn covariance(&self, at: &[f64]) -> Symmetric {
        let mut bread = Symmetric::diagonal(at.len(), PRIOR);
        let mut filling = Symmetric::diagonal(at.len(), PRIOR);
        for meeting in &self.meetings {
            let count: f64 = meeting.groups.iter().map(|group| group.count).sum();
            let share = 1.0 / (count + EXPECTED_PAIRS);
            for (slope, number) in self.slopes(meeting, at) {
                filling.add_square(&slope, number * count * share);
            }
            self.add_information(meeting, at, EXPECTED_PAIRS * share, &mut filling);
            self.add_information(meeting, at, 1.0, &mut bread);
        }
        bread.inverse().expect("the prior makes it positive definite").around(&filling)
    }
}

/// A symmetric matrix, row after row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Symmetric {
    size: usize,
    cells: Vec<f64>,
}

/// The sum of products, as long as both go.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Index<(usize, usize)> for Symmetric {
    type Output = f64;

    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.cells[row * self.size + column]
    }
}

impl Symmetric {
    fn of(size: usize, cell: impl Fn(usize, usize) -> f64) -> Symmetric {
        Symmetric { size, cells: (0..size * size).map(|at| cell(at / size, at % size)).collect() }
    }

    /// The value on the diagonal, zeros elsewhere.
    pub(crate) fn diagonal(size: usize, value: f64) -> Symmetric {
        Symmetric::of(size, |row, column| if row == column { value } else { 0.0 })
    }

    /// Adds `weight` times `v vᵀ` for a vector `v` of which these are the entries that are not 0, with their places.
    pub(crate) fn add_square(&mut self, vector: &[(usize, f64)], weight: f64) {
        for &(row, a) in vector {
            for &(column, b) in vector {
                self.cells[row * self.size + column] += weight * a * b;
            }
        }
    }

    pub(crate) fn scaled(&self, factor: f64) -> Symmetric {
        Symmetric { size: self.size, cells: self.cells.iter().map(|cell| cell * factor).collect() }
    }

    pub(crate) fn times(&self, vector: &[f64]) -> Vec<f64> {
        self.cells.chunks(self.size).map(|row| dot(row, vector)).collect()
    }

    /// The covariance of values less their sum with these weights; of what has no weight it tells nothing.
    pub(crate) fn shifted(&self, weights: &[f64]) -> Symmetric {
        let with_origin: Vec<f64> = self.cells.chunks(self.size).map(|row| dot(row, weights)).collect();
        let of_origin = dot(&with_origin, weights);
        Symmetric::of(weights.len(), |a, b| self[(a, b)] - with_origin[a] - with_origin[b] + of_origin)
    }

    /// `self inner self`.
    pub(crate) fn around(&self, inner: &Symmetric) -> Symmetric {
        // The rows of `inner self`: as both are symmetric, its columns are `inner` times the rows of `self`.
        let columns: Vec<Vec<f64>> = self.cells.chunks(self.size).map(|row| inner.times(row)).collect();
        let product: Vec<Vec<f64>> = columns.iter().map(|column| self.times(column)).collect();
        Symmetric::of(self.size, |row, column| product[column][row])
    }

    /// The inverse by Cholesky's decomposition `L Lᵀ`. Nothing unless the matrix is positive definite.
    pub(crate) fn inverse(&self) -> Option<Symmetric> {
        let size = self.size;
        let mut lower = vec![vec![0.0; size]; size];
        for row in 0..size {
            for column in 0..=row {
                let known: f64 = (0..column).map(|k| lower[row][k] * lower[column][k]).sum();
                let rest = self[(row, column)] - known;
                if row != column {
                    lower[row][column] = rest / lower[column][column];
                    continue;
                }
                // Not a number is refused as well.
                if rest.is_nan() || rest <= 0.0 {
                    return None;
                }
                lower[row][column] = rest.sqrt();
            }
        }
        // Each column of the inverse of `L`, then their products: `(L Lᵀ)⁻¹ = L⁻ᵀ L⁻¹`.
        let mut inverse: Vec<Vec<f64>> = vec![vec![0.0; size]; size];
        for (column, entries) in inverse.iter_mut().enumerate() {
            for row in column..size {
                let known: f64 = (column..row).map(|k| lower[row][k] * entries[k]).sum();
                entries[row] = (f64::from(row == column) - known) / lower[row][row];
            }
        }
        let product = |a: usize, b: usize| (a.max(b)..size).map(|k| inverse[a][k] * inverse[b][k]).sum();
        Some(Symmetric::of(size, product))
    }
}

/// A game against an opponent of known rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatedGame {
    pub opponent: f64,
    /// The points made: 0, 1/2 or 1.
    pub points: f64,
}

/// A rating by games, with its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Performance {
    pub rating: f64,
    /// Half of the 95 % interval.
    pub error: f64,
}

impl Performance {
    /// The most likely rating on a logistic scale of which `tenfold` points make odds of ten to one (400 for Elo);
    /// `None` without a game. A draw with an opponent of the mean rating is added to the games: without it wins alone
    /// would have no end.
    ///
    /// ```
    /// use komainu_tools::arena::stats::{Performance, RatedGame};
    ///
    /// let games = [1.0, 1.0, 1.0, 0.0].map(|points| RatedGame { opponent: 1_500.0, points });
    /// let performance = Performance::of(&games, 400.0).unwrap();
    /// // 3.5 points of 5 games, the added draw included.
    /// assert_eq!(performance.rating.round(), 1_647.0);
    /// assert!(Performance::of(&[], 400.0).is_none());
    /// ```
    pub fn of(games: &[RatedGame], tenfold: f64) -> Option<Performance> {
        if games.is_empty() {
            return None;
        }
        let mean = games.iter().map(|game| game.opponent).sum::<f64>() / games.len() as f64;
        let games: Vec<RatedGame> = games.iter().copied().chain([RatedGame { opponent: mean, points: 0.5 }]).collect();
        let expected = |rating: f64, game: &RatedGame| score_of_elo((rating - game.opponent) * 400.0 / tenfold);
        let surplus = |rating| games.iter().map(|game| game.points - expected(rating, game)).sum::<f64>();
        // The surplus falls with the rating: halve the interval around its zero.
        let mut low = mean - 100.0 * tenfold;
        let mut high = mean + 100.0 * tenfold;
        for _ in 0..100 {
            let middle = (low + high) / 2.0;
            if surplus(middle) > 0.0 { low = middle } else { high = middle }
        }
        let variance = |game: &RatedGame| expected(low, game) * (1.0 - expected(low, game));
        let slope = std::f64::consts::LN_10 / tenfold;
        let error = Z95 / (slope * games.iter().map(variance).sum::<f64>().sqrt());
        Some(Performance { rating: low, error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use komainu::random::SplitMix64;

    /// A sum of squares of random vectors, and a little on the diagonal: positive definite.
    fn random(size: usize, seed: u64) -> Symmetric {
        let mut random = SplitMix64(seed);
        let mut matrix = Symmetric::diagonal(size, 0.01);
        for _ in 0..2 * size {
            let vector: Vec<(usize, f64)> = (0..size).map(|at| (at, random.below(2_001) as f64 / 1e3 - 1.0)).collect();
            matrix.add_square(&vector, 0.5);
        }
        matrix
    }

    #[test]
    fn a_matrix_times_its_inverse_is_the_identity() {
        for (seed, size) in (1..).zip([1, 2, 3, 7, 40]) {
            let matrix = random(size, seed);
            let inverse = matrix.inverse().unwrap();
            for column in 0..size {
                let unit: Vec<f64> = (0..size).map(|row| f64::from(row == column)).collect();
                let back = matrix.times(&inverse.times(&unit));
                assert!(back.iter().zip(&unit).all(|(a, b)| (a - b).abs() < 1e-8), "{size}: {back:?}");
            }
        }
    }

    #[test]
    fn a_matrix_around_another_is_the_product_of_three() {
        let outer = random(6, 1);
        let inner = random(6, 2);
        let product = outer.around(&inner);
        for row in 0..6 {
            for column in 0..6 {
                let terms = (0..36).map(|at| (at / 6, at % 6));
                let sum: f64 = terms.map(|(a, b)| outer[(row, a)] * inner[(a, b)] * outer[(b, column)]).sum();
                assert!((product[(row, column)] - sum).abs() < 1e-9, "{row}, {column}");
            }
        }
        let twice = outer.scaled(2.0);
        assert!(outer.cells.iter().zip(&twice.cells).all(|(one, two)| 2.0 * one == *two));
    }

    #[test]
    fn what_is_not_positive_definite_has_no_inverse() {
        let mut flat = Symmetric::diagonal(2, 0.0);
        flat.add_square(&[(0, 1.0), (1, 1.0)], 1.0);
        assert_eq!(flat.inverse(), None);
        assert_eq!(Symmetric::diagonal(3, -1.0).inverse(), None);
        assert_eq!(Symmetric::diagonal(3, f64::NAN).inverse(), None);
        assert_eq!(Symmetric::diagonal(1, 4.0).inverse(), Some(Symmetric::diagonal(1, 0.25)));
    }

    #[test]
    fn the_rating_is_where_the_points_are_those_expected() {
        let of = |games: &[(f64, f64)]| {
            let games: Vec<_> = games.iter().map(|&(opponent, points)| RatedGame { opponent, points }).collect();
            Performance::of(&games, 430.0).unwrap()
        };
        assert_eq!(of(&[(700.0, 0.5), (500.0, 0.5)]).rating.round(), 600.0);
        // Ten to one and the added draw: 20.5 of 23.
        let many: Vec<_> = (0..22).map(|i| (600.0, f64::from(i % 11 > 0))).collect();
        assert!((of(&many).rating - (600.0 + 430.0 * (20.5_f64 / 2.5).log10())).abs() < 0.01);
        // Four times the games, half of the error, as far as the added draw allows.
        let four: Vec<_> = many.iter().cycle().take(88).copied().collect();
        let ratio = of(&many).error / of(&four).error;
        assert!((1.7..2.1).contains(&ratio), "{ratio}");
        // Wins alone have an end.
        assert!(of(&[(600.0, 1.0); 30]).rating < 2_000.0);
    }
}
