//! Random numbers that are the same on every machine and in every version for the same seed.
//!
//! | generator | for |
//! | --- | --- |
//! | [`mix`] | numbers that are computed from others: keys of positions |
//! | [`SplitMix64`] | examples, tests, and where nothing depends on the quality |
//! | `Random` | many independent sequences of one seed: games of self-play, training |
//! | `shuffle` | the order of openings, documented for ever |

#[cfg(feature = "cli")]
mod order;
#[cfg(feature = "cli")]
mod streams;

#[cfg(feature = "cli")]
pub use order::shuffle;
#[cfg(feature = "cli")]
pub use streams::Random;

/// The golden ratio as a fraction of 2^64, odd: its multiples are spread evenly.
pub const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): a bijection that spreads every bit.
pub const fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
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
}
