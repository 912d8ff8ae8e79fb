//! Random numbers that are the same on every machine and in every version for the same seed.
//!
//! [`mix`] computes numbers from others, such as the keys of positions; [`SplitMix64`] is a generator for examples,
//! tests, and wherever nothing depends on the quality.

/// The golden ratio as a fraction of 2^64, odd: its multiples are spread evenly.
pub const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): a bijection that spreads every bit.
pub const fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

/// The number in (0, 1) that 64 random bits stand for; the lowest 11 do not count.
pub const fn unit(bits: u64) -> f64 {
    // The largest sum rounds to 1.
    (((bits >> 11) as f64 + 0.5) / (1_u64 << 53) as f64).min(1.0 - f64::EPSILON / 2.0)
}

/// A small generator whose every seed is good (SplitMix64).
///
/// ```
/// use komainu::random::SplitMix64;
///
/// let mut random = SplitMix64(1);
/// assert_eq!([random.below(6), random.below(6), random.below(6)], [5, 1, 0]);
/// ```
#[derive(Clone, Debug)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    /// A number from 0 to `bound - 1`; `bound` is at least 1. It is uneven by less than `bound / 2^64`.
    pub fn below(&mut self, bound: usize) -> usize {
        debug_assert!(bound > 0);
        (self.next_u64() % bound as u64) as usize
    }

    /// A number from `low` to `high`, uneven by as little.
    pub fn within(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next_u64() % (high - low + 1) as u64) as i64
    }

    /// A number up to `most` in amount, small ones more often: the mean of two draws.
    pub fn around_zero(&mut self, most: i64) -> i64 {
        (self.within(-most, most) + self.within(-most, most)) / 2
    }

    /// A number in (0, 1).
    pub fn unit(&mut self) -> f64 {
        unit(self.next_u64())
    }

    /// One of these; there is at least one.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_published_generator() {
        let mut random = SplitMix64(1_234_567);
        let numbers = [0; 5].map(|_: i32| random.next_u64());
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(numbers, published);
    }

    #[test]
    fn every_draw_keeps_to_its_range_and_reaches_its_ends() {
        let mut random = SplitMix64(3);
        let mut around_zero = [0_u32; 5];
        let mut units = Vec::new();
        for _ in 0..9_000 {
            around_zero[(random.around_zero(2) + 2) as usize] += 1;
            units.push(random.unit());
            assert!((-2..=7).contains(&random.within(-2, 7)) && random.below(3) < 3);
            assert!([4, 9].contains(random.pick(&[4, 9])));
        }
        // Halves are cut off towards zero: 1, 5, 13, 5 and 1 of 25 pairs.
        let expected = [360, 1_800, 4_680, 1_800, 360];
        assert!(around_zero.iter().zip(expected).all(|(&count, mean)| count.abs_diff(mean) < 240), "{around_zero:?}");
        let mean = units.iter().sum::<f64>() / 9_000.0;
        assert!(units.iter().all(|&unit| 0.0 < unit && unit < 1.0) && (mean - 0.5).abs() < 0.015, "{mean}");
        assert!(unit(0) > 0.0 && unit(u64::MAX) < 1.0);
    }
}
