//! What a net computes, in plain integer arithmetic: the specification that every faster path must equal bit for bit.
//!
//! 1. For each side, the accumulator: biases plus the weight row of every active input, 16 bits that wrap around.
//! 2. From the accumulator of the side to move, then of the other, bytes from 0 to 127: classic nets clip each number,
//!    pairwise nets clip to 0..=254 and multiply the first half by the second, over 512.
//! 3. Dense layers, in a net with nine stacks of them those of [`super::stack_of_kings`]: 32-bit sums that wrap around; between them a value becomes `value >> 6` clipped to 0..=127. The
//!    first layer of a pairwise net has 15 values, which go on twice, as `value * value >> 19` and as `value >> 6`, and
//!    a sixteenth that is added to the result as it is.

use super::features::FeatureSet;
use super::net::{Accumulator, Architecture, ClassicLayers, Dense, LayerStacks, Model, Net, PairwiseLayers};
use super::shape::{
    CLASSIC_INPUTS, CLASSIC_WIDTH, PAIRWISE_FIRST, PAIRWISE_HIDDEN, PAIRWISE_INPUTS, PAIRWISE_SECOND, PAIRWISE_WIDTH,
};
use crate::position::Position;
use crate::types::Color;

/// The output of a net for a position, from the side to move's view: [`super::Nnue`]'s score before it is scaled.
pub fn output(net: &Net, pos: &Position) -> i32 {
    let (us, them) = (pos.side(), !pos.side());
    match &net.architecture {
        Architecture::HalfKp(model) => {
            classic(&model.layers, &accumulator(model, pos, us), &accumulator(model, pos, them))
        }
        Architecture::Kp(model) => classic(&model.layers, &accumulator(model, pos, us), &accumulator(model, pos, them)),
        Architecture::Ka2(model) => of_pairwise(model, pos),
        Architecture::Ka2Zones(model) => of_pairwise(model, pos),
    }
}

fn of_pairwise<F: FeatureSet>(model: &Model<F, LayerStacks, PAIRWISE_WIDTH>, pos: &Position) -> i32 {
    let (own, other) = (accumulator(model, pos, pos.side()), accumulator(model, pos, !pos.side()));
    pairwise(model.layers.select(pos), &own, &other)
}

/// The accumulator of a side, from the board.
pub(super) fn accumulator<F: FeatureSet, L, const W: usize>(
    model: &Model<F, L, W>,
    pos: &Position,
    side: Color,
) -> Accumulator<W> {
    let mut accumulator = model.biases;
    F::visit_active(pos, side, |input| {
        for (sum, weight) in accumulator.0.iter_mut().zip(model.rows[input].0) {
            *sum = sum.wrapping_add(weight);
        }
    });
    accumulator
}

/// The output of a classic net from the accumulators of the side to move and of the other.
pub(super) fn classic(
    layers: &ClassicLayers,
    own: &Accumulator<CLASSIC_WIDTH>,
    other: &Accumulator<CLASSIC_WIDTH>,
) -> i32 {
    let first = dense(&layers.first, &clip_accumulators(own, other)).map(clipped);
    let second = dense(&layers.second, &first).map(clipped);
    dense(&layers.output, &second)[0]
}

/// The output of a pairwise net from the accumulators of the side to move and of the other.
pub(super) fn pairwise(
    layers: &PairwiseLayers,
    own: &Accumulator<PAIRWISE_WIDTH>,
    other: &Accumulator<PAIRWISE_WIDTH>,
) -> i32 {
    let first = dense(&layers.first, &pairwise_products(own, other));
    let second = dense(&layers.second, &squares_and_values(&first)).map(clipped);
    dense(&layers.output, &second)[0].wrapping_add(first[PAIRWISE_HIDDEN])
}

/// The clipped ReLU of a classic net: the inputs of its first dense layer.
pub(super) fn clip_accumulators(
    own: &Accumulator<CLASSIC_WIDTH>,
    other: &Accumulator<CLASSIC_WIDTH>,
) -> [u8; CLASSIC_INPUTS] {
    let mut bytes = [0; CLASSIC_INPUTS];
    for (half, accumulator) in bytes.chunks_exact_mut(CLASSIC_WIDTH).zip([own, other]) {
        for (byte, &sum) in half.iter_mut().zip(&accumulator.0) {
            *byte = sum.clamp(0, 127) as u8;
        }
    }
    bytes
}

/// The products of the halves of the accumulators: the inputs of the first dense layer of a pairwise net.
pub(super) fn pairwise_products(
    own: &Accumulator<PAIRWISE_WIDTH>,
    other: &Accumulator<PAIRWISE_WIDTH>,
) -> [u8; PAIRWISE_INPUTS] {
    const HALF: usize = PAIRWISE_WIDTH / 2;
    let mut bytes = [0; PAIRWISE_INPUTS];
    for (half, accumulator) in bytes.chunks_exact_mut(HALF).zip([own, other]) {
        let (left, right) = accumulator.0.split_at(HALF);
        for (byte, (&a, &b)) in half.iter_mut().zip(left.iter().zip(right)) {
            *byte = (i32::from(a.clamp(0, 254)) * i32::from(b.clamp(0, 254)) / 512) as u8;
        }
    }
    bytes
}

/// The inputs of the second layer of a pairwise net: the first layer's values squared, then the values themselves.
pub(super) fn squares_and_values(first: &[i32; PAIRWISE_FIRST]) -> [u8; PAIRWISE_SECOND] {
    let mut bytes = [0; PAIRWISE_SECOND];
    for (i, &value) in first[..PAIRWISE_HIDDEN].iter().enumerate() {
        bytes[i] = squared(value);
        bytes[PAIRWISE_HIDDEN + i] = clipped(value);
    }
    bytes
}

/// The outputs of a dense layer.
fn dense<const I: usize, const O: usize, const G: usize>(layer: &Dense<I, O, G>, input: &[u8; I]) -> [i32; O] {
    std::array::from_fn(|output| {
        let products = layer.rows[output].iter().zip(input).map(|(&w, &x)| i32::from(w) * i32::from(x));
        products.fold(layer.biases[output], i32::wrapping_add)
    })
}

pub(super) fn clipped(value: i32) -> u8 {
    (value >> 6).clamp(0, 127) as u8
}

fn squared(value: i32) -> u8 {
    ((i64::from(value) * i64::from(value)) >> 19).min(127) as u8
}
