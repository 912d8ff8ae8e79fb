//! 64-bit ARM with NEON, which all of them have.

use super::{Accumulator, ClassicLayers, Kernels, PairwiseLayers, WeightRow};
use crate::eval::nnue::net::Dense;
use crate::eval::nnue::scalar::{clip_accumulators, clipped, pairwise_products, squares_and_values};
use crate::eval::nnue::shape::{CLASSIC_WIDTH, PAIRWISE_HIDDEN, PAIRWISE_WIDTH};
use std::arch::aarch64::*;

kernels!(Neon, "neon", std::arch::is_aarch64_feature_detected!("neon"));

#[target_feature(enable = "neon")]
fn update<const W: usize, const N: usize>(
    from: &Accumulator<W>,
    to: &mut Accumulator<W>,
    sub: [&WeightRow<W>; N],
    add: [&WeightRow<W>; N],
) {
    super::update(from, to, sub, add);
}

#[target_feature(enable = "neon")]
fn classic(layers: &ClassicLayers, own: &Accumulator<CLASSIC_WIDTH>, other: &Accumulator<CLASSIC_WIDTH>) -> i32 {
    let first = dense(&layers.first, &clip_accumulators(own, other)).map(clipped);
    let second = dense(&layers.second, &first).map(clipped);
    dense(&layers.output, &second)[0]
}

#[target_feature(enable = "neon")]
fn pairwise(layers: &PairwiseLayers, own: &Accumulator<PAIRWISE_WIDTH>, other: &Accumulator<PAIRWISE_WIDTH>) -> i32 {
    let first = dense(&layers.first, &pairwise_products(own, other));
    let second = dense(&layers.second, &squares_and_values(&first)).map(clipped);
    dense(&layers.output, &second)[0].wrapping_add(first[PAIRWISE_HIDDEN])
}

/// The outputs of a dense layer.
#[target_feature(enable = "neon")]
#[inline]
fn dense<const I: usize, const O: usize, const G: usize>(layer: &Dense<I, O, G>, input: &[u8; I]) -> [i32; O] {
    const { assert!(I.is_multiple_of(16)) };
    let mut outputs = layer.biases;
    for (output, row) in outputs.iter_mut().zip(&layer.rows) {
        let mut sums = vdupq_n_s32(0);
        for (inputs, weights) in input.as_chunks::<16>().0.iter().zip(row.as_chunks::<16>().0) {
            // SAFETY: both arrays are 16 bytes long. No input is above 127, so they may be read with a sign.
            let (inputs, weights) = unsafe { (vld1q_s8(inputs.as_ptr().cast()), vld1q_s8(weights.as_ptr())) };
            let products = vmull_s8(vget_low_s8(inputs), vget_low_s8(weights));
            let products = vmlal_s8(products, vget_high_s8(inputs), vget_high_s8(weights));
            sums = vpadalq_s16(sums, products);
        }
        *output = output.wrapping_add(vaddvq_s32(sums));
    }
    outputs
}
