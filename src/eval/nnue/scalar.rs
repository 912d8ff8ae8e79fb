//! What a net computes, in plain integer arithmetic: the specification that every faster path must equal bit for bit.
//!
//! 1. For each side, the sums: biases plus the row of every input that is on, 16 bits that wrap around.
//! 2. From the sums of the side to move, then of the other, bytes from 0 to 127: classic nets clip each sum, pairwise
//!    nets clip to 0..=254 and multiply the first half by the second, over 512.
//! 3. Dense layers: 32-bit sums that wrap around; between them a value becomes `value >> 6` clipped to 0..=127. The
//!    first layer of a pairwise net has 15 values, which go on twice, as `value * value >> 19` and as `value >> 6`, and
//!    a sixteenth that is added to the result as it is.

use super::features::FeatureSet;
use super::net::{Body, ClassicLayers, Dense, Model, Net, PairwiseLayers, Row};
use super::shape::{
    CLASSIC_INPUTS, CLASSIC_WIDTH, PAIRWISE_FIRST, PAIRWISE_HIDDEN, PAIRWISE_INPUTS, PAIRWISE_SECOND, PAIRWISE_WIDTH,
};
use crate::position::Position;
use crate::types::Color;

/// The output of a net for a position, from the side to move's view: [`super::Nnue`]'s score before it is scaled.
pub fn output(net: &Net, pos: &Position) -> i32 {
    let (us, them) = (pos.side(), !pos.side());
    match &net.body {
        Body::HalfKp(model) => classic(&model.layers, &sums(model, pos, us), &sums(model, pos, them)),
        Body::Kp(model) => classic(&model.layers, &sums(model, pos, us), &sums(model, pos, them)),
        Body::Ka2(model) => pairwise(&model.layers, &sums(model, pos, us), &sums(model, pos, them)),
    }
}

/// The sums of a side.
pub(super) fn sums<F: FeatureSet, L, const W: usize>(model: &Model<F, L, W>, pos: &Position, side: Color) -> Row<W> {
    let mut sums = model.biases;
    F::visit_active(pos, side, |input| {
        for (sum, weight) in sums.0.iter_mut().zip(model.rows[input].0) {
            *sum = sum.wrapping_add(weight);
        }
    });
    sums
}

/// The result of a classic net from the sums of the side to move and of the other.
pub(super) fn classic(layers: &ClassicLayers, own: &Row<CLASSIC_WIDTH>, other: &Row<CLASSIC_WIDTH>) -> i32 {
    let first = dense(&layers.first, &clipped_sums(own, other)).map(clipped);
    let second = dense(&layers.second, &first).map(clipped);
    dense(&layers.output, &second)[0]
}

/// The result of a pairwise net from the sums of the side to move and of the other.
pub(super) fn pairwise(layers: &PairwiseLayers, own: &Row<PAIRWISE_WIDTH>, other: &Row<PAIRWISE_WIDTH>) -> i32 {
    let first = dense(&layers.first, &products(own, other));
    let second = dense(&layers.second, &doubled(&first)).map(clipped);
    dense(&layers.output, &second)[0].wrapping_add(first[PAIRWISE_HIDDEN])
}

/// What a classic net makes of the sums.
pub(super) fn clipped_sums(own: &Row<CLASSIC_WIDTH>, other: &Row<CLASSIC_WIDTH>) -> [u8; CLASSIC_INPUTS] {
    let mut bytes = [0; CLASSIC_INPUTS];
    for (half, sums) in bytes.chunks_exact_mut(CLASSIC_WIDTH).zip([own, other]) {
        for (byte, &sum) in half.iter_mut().zip(&sums.0) {
            *byte = sum.clamp(0, 127) as u8;
        }
    }
    bytes
}

/// What a pairwise net makes of the sums.
pub(super) fn products(own: &Row<PAIRWISE_WIDTH>, other: &Row<PAIRWISE_WIDTH>) -> [u8; PAIRWISE_INPUTS] {
    const HALF: usize = PAIRWISE_WIDTH / 2;
    let mut bytes = [0; PAIRWISE_INPUTS];
    for (half, sums) in bytes.chunks_exact_mut(HALF).zip([own, other]) {
        let (left, right) = sums.0.split_at(HALF);
        for (byte, (&a, &b)) in half.iter_mut().zip(left.iter().zip(right)) {
            *byte = (i32::from(a.clamp(0, 254)) * i32::from(b.clamp(0, 254)) / 512) as u8;
        }
    }
    bytes
}

/// What the second layer of a pairwise net sees of the first one's values: squares, then the values themselves.
pub(super) fn doubled(first: &[i32; PAIRWISE_FIRST]) -> [u8; PAIRWISE_SECOND] {
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
