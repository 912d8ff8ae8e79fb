//! Random nets for tests.

use super::net::{LayerWeights, Weights};
use super::shape::{Family, Shape};

/// A generator of random numbers whose every seed is good (SplitMix64).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// A number from `low` to `high`.
    pub(super) fn within(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1) as u64) as i64
    }

    /// A number up to `most` in amount, small ones more often.
    pub(super) fn around_zero(&mut self, most: i64) -> i64 {
        (self.within(-most, most) + self.within(-most, most) + self.within(-most, most)) / 3
    }
}

/// How large the numbers of a sample are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// As in nets that play.
    Realistic,
    /// As large as the format allows, so that everything saturates and wraps around.
    Extreme,
}

impl Size {
    pub(super) const ALL: [Size; 2] = [Size::Realistic, Size::Extreme];

    pub(super) fn accumulator_weight(self, random: &mut Random, shape: Shape) -> i16 {
        let most = if shape.family() == Family::Pairwise { 16_383 } else { 32_767 };
        match self {
            Size::Realistic => random.around_zero(50) as i16,
            Size::Extreme => random.within(-most - 1, most) as i16,
        }
    }

    pub(super) fn bias(self, random: &mut Random) -> i32 {
        match self {
            Size::Realistic => random.around_zero(8_000) as i32,
            Size::Extreme => random.within(i64::from(i32::MIN), i64::from(i32::MAX)) as i32,
        }
    }

    pub(super) fn weight(self, random: &mut Random) -> i8 {
        match self {
            Size::Realistic => random.around_zero(40) as i8,
            Size::Extreme => [-128, 127, -127, 0, 1][random.within(0, 4) as usize],
        }
    }
}

/// A net of random numbers.
pub(super) fn weights(shape: Shape, size: Size, seed: u64) -> Weights {
    let mut random = Random(seed);
    let mut weights = Weights::zeroed(shape);
    weights.biases.iter_mut().for_each(|bias| *bias = size.accumulator_weight(&mut random, shape));
    weights.rows.iter_mut().for_each(|weight| *weight = size.accumulator_weight(&mut random, shape));
    for LayerWeights { biases, weights } in weights.stacks.as_flattened_mut() {
        biases.iter_mut().for_each(|bias| *bias = size.bias(&mut random));
        weights.iter_mut().for_each(|weight| *weight = size.weight(&mut random));
    }
    weights
}
