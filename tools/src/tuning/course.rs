//! Course of the values: where they stood after each iteration, and what the next one tries.
//!
//! The gains of simultaneous perturbation over the iterations ([`Schedule`]) are those of OpenBench.

use super::parameter::{Parameter, TunedOption};
use crate::arena::runner::OptionValues;
use crate::random::Random;

/// Iterations that may begin before the one before them has ended. With one, the games that can be played at once are
/// those of two iterations, and the values follow from the results alone, whatever the order in which they come.
const AHEAD: usize = 1;

/// Games of an iteration, as the first engine counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IterationTally {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    /// Games without a result.
    pub void: u64,
}

impl IterationTally {
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses + self.void
    }

    /// Games won less games lost.
    pub fn score(&self) -> f64 {
        self.wins as f64 - self.losses as f64
    }
}

/// Values that an iteration tries.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Directions in which the first engine has the values moved: 1 or -1 each.
    pub flips: Vec<f64>,
    /// Options of the first and of the second engine.
    pub sides: [OptionValues; 2],
}

/// Worth of the upper value of a parameter over its lower one, by all games that were played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    pub elo: f64,
    /// Half of the 95 % interval.
    pub error: f64,
}

/// The values of all parameters over the iterations.
#[derive(Clone, Debug)]
pub struct Course {
    options: Vec<TunedOption>,
    schedule: Schedule,
    seed: u64,
    /// `[iterations][parameter]`: the values after so many iterations.
    values: Vec<Vec<f64>>,
    tallies: Vec<IterationTally>,
}

impl Course {
    pub fn new(options: Vec<TunedOption>, schedule: Schedule, seed: u64) -> Course {
        let start = options.iter().map(|option| option.parameter.start).collect();
        Course { options, schedule, seed, values: vec![start], tallies: Vec::new() }
    }

    pub fn options(&self) -> &[TunedOption] {
        &self.options
    }

    pub fn schedule(&self) -> Schedule {
        self.schedule
    }

    /// The iterations that have ended, in their order.
    pub fn tallies(&self) -> &[IterationTally] {
        &self.tallies
    }

    /// The values after a number of iterations that have ended.
    pub fn values_after(&self, iterations: usize) -> &[f64] {
        &self.values[iterations]
    }

    /// The values after the last iteration that has ended.
    pub fn values(&self) -> &[f64] {
        &self.values[self.tallies.len()]
    }

    /// Gains of a parameter at an iteration, counted from 1.
    pub fn gains(&self, parameter: usize, iteration: usize) -> Gains {
        let option = &self.options[parameter];
        self.schedule.gains(&option.parameter, option.unit(), iteration as u64)
    }

    /// Values that an iteration tries, counted from 0; `None` if they depend on iterations that have not ended.
    pub fn trial(&self, iteration: usize) -> Option<Trial> {
        let values = self.values.get(iteration.saturating_sub(AHEAD))?;
        let mut flips = Vec::new();
        let mut sides = [OptionValues::new(), OptionValues::new()];
        for (at, draw) in self.draws(iteration).into_iter().enumerate() {
            let option = &self.options[at];
            let distance = draw.flip * self.gains(at, iteration + 1).c;
            for (side, sign) in sides.iter_mut().zip([1.0, -1.0]) {
                let text = option.rounded(values[at] + sign * distance, draw.rounding);
                side.push((option.option.clone(), text));
            }
            flips.push(draw.flip);
        }
        Some(Trial { flips, sides })
    }

    /// Ends the next iteration.
    pub fn add(&mut self, tally: IterationTally) {
        let iteration = self.tallies.len();
        let mut values = self.values().to_vec();
        for (at, draw) in self.draws(iteration).into_iter().enumerate() {
            let parameter = &self.options[at].parameter;
            let step = self.gains(at, iteration + 1).step(tally.score());
            values[at] = (values[at] + step * draw.flip).clamp(parameter.min, parameter.max);
        }
        self.values.push(values);
        self.tallies.push(tally);
    }

    /// Worth of the upper over the lower value of each parameter, averaged over the values of all others (a factorial
    /// experiment, Fisher 1935); `None` before the first iteration has ended.
    pub fn effects(&self) -> Option<Vec<Effect>> {
        let games: u64 = self.tallies.iter().map(IterationTally::games).sum();
        if games == 0 {
            return None;
        }
        // A game that is won is half a point more than a draw; the slope of the Elo curve there.
        let elo = |score: f64| 1_600.0 / std::f64::consts::LN_10 * score / 2.0 / games as f64;
        let mut sums = vec![0.0; self.options.len()];
        for (iteration, tally) in self.tallies.iter().enumerate() {
            let draws = self.draws(iteration);
            for (sum, draw) in sums.iter_mut().zip(draws) {
                *sum += draw.flip * tally.score();
            }
        }
        let squares: f64 = self.tallies.iter().map(|tally| tally.score() * tally.score()).sum();
        let error = 1.96 * elo(squares.sqrt());
        Some(sums.into_iter().map(|sum| Effect { elo: elo(sum), error }).collect())
    }

    /// Random numbers of an iteration, one draw a parameter.
    fn draws(&self, iteration: usize) -> Vec<Draw> {
        const STEPS: usize = 1 << 53;
        let mut random = Random::new(self.seed, iteration as u64);
        let mut draws = Vec::new();
        for _ in &self.options {
            draws.push(Draw {
                flip: if random.below(2) == 0 { 1.0 } else { -1.0 },
                rounding: random.below(STEPS) as f64 / STEPS as f64,
            });
        }
        draws
    }
}

/// Random numbers of a parameter in an iteration. Both sides are rounded by the same one.
struct Draw {
    flip: f64,
    rounding: f64,
}

/// Decay of the gains over all iterations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Number of iterations.
    pub iterations: u64,
    /// Exponent of the decay of the gain.
    pub alpha: f64,
    /// Exponent of the decay of the distance.
    pub gamma: f64,
    /// Iterations by which the decay of the gain is put off, as a part of all.
    pub a_ratio: f64,
}

/// Gains of a parameter at an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// Distance of both sides from the value.
    pub c: f64,
    /// Gain: a score of one, as games won less games lost, moves the value by `a / c`.
    pub a: f64,
}

impl Gains {
    /// Step for a score of one, in parts of the distance.
    pub fn r(&self) -> f64 {
        self.a / (self.c * self.c)
    }

    /// Step for a score.
    pub fn step(&self, score: f64) -> f64 {
        self.a / self.c * score
    }
}

impl Schedule {
    /// Gains at an iteration, counted from 1. `unit` is the least difference of two values that the engine tells apart,
    /// 0 if there is none: both sides are at least that far apart.
    pub fn gains(&self, parameter: &Parameter, unit: f64, iteration: u64) -> Gains {
        let all = self.iterations.max(1) as f64;
        let now = iteration.max(1) as f64;
        let delay = self.a_ratio * all;
        let c = parameter.c_end * (all / now).powf(self.gamma);
        let a_end = parameter.r_end * parameter.c_end * parameter.c_end;
        Gains { c: c.max(unit / 2.0), a: a_end * ((delay + all) / (delay + now)).powf(self.alpha) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use komainu::protocol::EngineOption;
    use komainu::random::SplitMix64;

    fn option(line: &str, listed: &str) -> TunedOption {
        let listed = EngineOption::read(&format!("option name {listed}")).expect("an option");
        TunedOption::new(line.parse().expect("a parameter"), &[listed], None, None).expect("it fits")
    }

    fn schedule(iterations: u64) -> Schedule {
        Schedule { iterations, alpha: 0.602, gamma: 0.101, a_ratio: 0.1 }
    }

    fn tally(wins: u64, draws: u64, losses: u64) -> IterationTally {
        IterationTally { wins, draws, losses, void: 0 }
    }

    #[test]
    fn values_go_towards_the_side_that_won_by_the_step_of_the_schedule() {
        let options = vec![
            option("A, float, 0, -9, 9, 0.5, 0.1", "A type string"),
            option("B, int, 40, 0, 90, 4, 0.2", "B type spin"),
        ];
        let mut course = Course::new(options, schedule(10), 7);
        let first = course.trial(0).unwrap();
        let second = course.trial(1).unwrap();
        let after_first = |course: &Course, score: f64| {
            [0, 1].map(|at| course.values_after(0)[at] + course.gains(at, 1).step(score) * first.flips[at])
        };
        course.add(tally(3, 1, 1));
        // By hand, for A: c = 0.5 * 10^0.101 = 0.63092, a = 0.1 * 0.25 * (11 / 2)^0.602 = 0.069767.
        assert!((course.gains(0, 1).c - 0.630_92).abs() < 1e-4, "{:?}", course.gains(0, 1));
        assert!((course.gains(0, 1).a - 0.069_77).abs() < 1e-4, "{:?}", course.gains(0, 1));
        assert!((course.values()[0] - first.flips[0] * 2.0 * 0.069_77 / 0.630_92).abs() < 1e-3);
        assert_eq!(course.values(), after_first(&course, 2.0));
        course.add(tally(0, 0, 2));
        let before = course.values_after(1).to_vec();
        for at in [0, 1] {
            let expected = before[at] - 2.0 * course.gains(at, 2).step(1.0) * second.flips[at];
            assert!((course.values()[at] - expected).abs() < 1e-12);
        }
        course.add(tally(1, 1, 1));
        assert_eq!(course.values(), course.values_after(2), "an even score moves nothing");
    }

    #[test]
    fn a_trial_moves_both_sides_apart_by_the_distance_within_the_range() {
        let course = Course::new(
            vec![option("A, float, 1, 0, 2, 0.25, 1", "A type string"), option("B, int, 9, 0, 9, 3, 1", "B type spin")],
            Schedule { gamma: 0.0, ..schedule(1_000) },
            3,
        );
        let mut seen = [0; 2];
        for iteration in 0..2 {
            let Trial { flips, sides } = course.trial(iteration).unwrap();
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let [(a, value_a), (b, value_b)] = &sides[side][..] else { panic!("two options") };
                assert_eq!((a.as_str(), b.as_str()), ("A", "B"));
                assert_eq!(*value_a, (1.0 + sign * flips[0] * 0.25).to_string());
                assert_eq!(*value_b, if sign * flips[1] > 0.0 { "9" } else { "6" });
            }
            seen[usize::from(flips[0] > 0.0)] += 1;
        }
        assert!(course.trial(2).is_none(), "it depends on the first iteration, which has not ended");
    }

    #[test]
    fn directions_are_even_and_those_of_two_parameters_independent() {
        let options =
            vec![option("A, int, 5, 0, 9, 1, 1", "A type spin"), option("B, int, 5, 0, 9, 1, 1", "B type spin")];
        let course = Course::new(options, schedule(4_000), 1);
        let mut sums = [0.0; 3];
        for iteration in 0..4_000 {
            let flips: Vec<f64> = course.draws(iteration).iter().map(|draw| draw.flip).collect();
            for (flip, sum) in [flips[0], flips[1], flips[0] * flips[1]].iter().zip(&mut sums) {
                *sum += flip;
            }
        }
        // Five standard deviations.
        assert!(sums.iter().all(|sum| sum.abs() < 317.0), "{sums:?}");
    }

    /// The values at the end of a tuning in which the score of a pair follows a quadratic with noise.
    fn tuned_on_a_quadratic(seed: u64) -> (Vec<f64>, Vec<Effect>) {
        let best = [60.0, 0.3];
        let options = vec![
            option("A, int, 20, 0, 100, 6, 0.02", "A type spin"),
            option("B, float, 0.9, 0, 1, 0.08, 0.02", "B type string"),
        ];
        let mut course = Course::new(options, schedule(2_000), seed);
        let mut random = SplitMix64(seed);
        for iteration in 0..2_000 {
            let sides = course.trial(iteration).unwrap().sides;
            let elo = |side: &OptionValues| {
                let distance = |at: usize, scale: f64| (side[at].1.parse::<f64>().unwrap() - best[at]) / scale;
                -400.0 * (distance(0, 60.0).powi(2) + distance(1, 0.6).powi(2))
            };
            let chance = 1.0 / (1.0 + 10_f64.powf((elo(&sides[1]) - elo(&sides[0])) / 400.0));
            let wins = (0..2).filter(|_| random.unit() < chance).count() as u64;
            course.add(tally(wins, 0, 2 - wins));
        }
        (course.values().to_vec(), course.effects().expect("there are games"))
    }

    #[test]
    fn a_quadratic_with_noise_is_climbed_from_the_wrong_end() {
        for seed in 1..=5 {
            let (values, effects) = tuned_on_a_quadratic(seed);
            assert!((values[0] - 60.0).abs() < 12.0 && (values[1] - 0.3).abs() < 0.15, "seed {seed}: {values:?}");
            // On the way up more of the first was better, and less of the second.
            assert!(effects[0].elo > 0.0 && effects[1].elo < 0.0 && effects[0].error > 0.0, "{effects:?}");
        }
    }

    #[test]
    fn the_effect_of_a_parameter_is_the_elo_of_its_upper_value() {
        let mut course = Course::new(vec![option("A, int, 5, 0, 9, 1, 0", "A type spin")], schedule(200), 9);
        assert_eq!(course.effects(), None);
        for iteration in 0..200 {
            let up = course.trial(iteration).unwrap().flips[0] > 0.0;
            // The upper value wins 11 of 20 games.
            course.add(if up { tally(11, 0, 9) } else { tally(9, 0, 11) });
        }
        let [Effect { elo, error }] = course.effects().unwrap()[..] else { panic!("one parameter") };
        assert!((elo - 34.74).abs() < 0.1, "400 log10(11 / 9) is 34.9: {elo}");
        assert!((error - 1.96 * 34.74 / 200_f64.sqrt()).abs() < 0.1, "{error}");
        assert_eq!(course.values(), [5.0], "R_END 0 moves nothing");
    }

    fn parameter(line: &str) -> Parameter {
        line.parse().expect("a parameter")
    }

    fn is_near(value: f64, expected: f64) -> bool {
        (value / expected - 1.0).abs() < 1e-9
    }

    #[test]
    fn gains_are_those_of_openbench() {
        // Its own steps by its own constants: c = c_end N^gamma, a = r_end c_end^2 (A + N)^alpha, then at iteration k
        // c_k = c / k^gamma, r_k = a / (A + k)^alpha / c_k^2.
        let schedule = Schedule { iterations: 1_000, alpha: 0.602, gamma: 0.101, a_ratio: 0.1 };
        let parameter = parameter("Knight, int, 300, 200, 400, 10, 0.002");
        for k in [1_u64, 250, 1_000] {
            let gains = schedule.gains(&parameter, 1.0, k);
            let n = 1_000_f64;
            let k = k as f64;
            let delay = 100.0;
            let c = 10.0 * n.powf(0.101) / k.powf(0.101);
            let r = 0.002 * 100.0 * (delay + n).powf(0.602) / (delay + k).powf(0.602) / (c * c);
            assert!(is_near(gains.c, c) && is_near(gains.r(), r), "{k}: {gains:?}");
            assert!(is_near(gains.step(-3.0), -3.0 * r * c), "{k}");
        }
        let last = schedule.gains(&parameter, 1.0, 1_000);
        assert!(is_near(last.c, 10.0) && is_near(last.r(), 0.002), "C_END and R_END are those of the last iteration");
        // By hand: 1000^0.101 = 2.009, (1100 / 101)^0.602 = 4.211.
        let first = schedule.gains(&parameter, 1.0, 1);
        assert!((first.c - 20.09).abs() < 0.01 && (first.a - 0.2 * 4.211).abs() < 0.001, "{first:?}");
    }

    #[test]
    fn both_sides_of_whole_numbers_differ_by_one_at_least() {
        let schedule = Schedule { iterations: 10, alpha: 0.602, gamma: 0.101, a_ratio: 0.1 };
        let small = parameter("a, int, 3, 0, 5, 0.1, 0.002");
        assert_eq!(schedule.gains(&small, 1.0, 10).c, 0.5);
        assert_eq!(schedule.gains(&small, 0.01, 10).c, 0.1);
        assert_eq!(schedule.gains(&small, 0.0, 10).c, 0.1);
    }
}
