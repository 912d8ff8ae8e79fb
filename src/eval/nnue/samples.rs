//! Random nets for tests.

use super::net::Weights;
use super::shape::Shape;
use crate::random::SplitMix64;

/// Size of the numbers of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// As in nets that play.
    Realistic,
    /// As large as the format allows, so that everything saturates and wraps around.
    Extreme,
}

impl Size {
    pub(crate) const ALL: [Size; 2] = [Size::Realistic, Size::Extreme];

    pub(crate) fn accumulator_weight(self, random: &mut SplitMix64, shape: Shape) -> i16 {
        let most = if shape.is_pairwise() { 16_383 } else { 32_767 };
        match self {
            Size::Realistic => random.around_zero(50) as i16,
            Size::Extreme => random.within(-most - 1, most) as i16,
        }
    }

    pub(crate) fn bias(self, random: &mut SplitMix64) -> i32 {
        match self {
            Size::Realistic => random.around_zero(8_000) as i32,
            Size::Extreme => random.within(i64::from(i32::MIN), i64::from(i32::MAX)) as i32,
        }
    }

    pub(crate) fn weight(self, random: &mut SplitMix64) -> i8 {
        match self {
            Size::Realistic => random.around_zero(40) as i8,
            Size::Extreme => [-128, 127, -127, 0, 1][random.within(0, 4) as usize],
        }
    }
}

/// A net of random numbers.
pub(crate) fn weights(shape: Shape, size: Size, seed: u64) -> Weights {
    let mut random = SplitMix64(seed);
    let mut weights = Weights::zeroed(shape);
    for number in weights.biases.iter_mut().chain(&mut weights.rows) {
        *number = size.accumulator_weight(&mut random, shape);
    }
    if let Some(progress) = &mut weights.progress {
        progress.bias = random.around_zero(20_000) as i32;
        for weight in &mut progress.weights {
            *weight = random.around_zero(9_000) as i32;
        }
    }
    for layer in weights.stacks.as_flattened_mut() {
        for bias in &mut layer.biases {
            *bias = size.bias(&mut random);
        }
        for weight in &mut layer.weights {
            *weight = size.weight(&mut random);
        }
    }
    weights
}
