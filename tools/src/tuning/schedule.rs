//! Gains of simultaneous perturbation over the iterations, as OpenBench has them.

use super::parameter::Parameter;

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
        let (all, now) = (self.iterations.max(1) as f64, iteration.max(1) as f64);
        let delay = self.a_ratio * all;
        let c = parameter.c_end * (all / now).powf(self.gamma);
        let a_end = parameter.r_end * parameter.c_end * parameter.c_end;
        Gains { c: c.max(unit / 2.0), a: a_end * ((delay + all) / (delay + now)).powf(self.alpha) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let (n, k, delay) = (1_000_f64, k as f64, 100.0);
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
