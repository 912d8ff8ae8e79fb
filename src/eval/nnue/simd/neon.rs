//! 64-bit ARM with NEON, which all of them have.

use super::sizes::{KnownSizes, for_sizes};
use super::{Kernels, accumulator_kernels, add_rows, for_width, token};
use crate::eval::nnue::layers::{DenseSizes, Form, LayerStacks, Scratch, Sizes, block};
use crate::eval::nnue::lines::{Bytes, Words};
use crate::eval::nnue::scalar::{clip_accumulators, clipped, pairwise_products, squares_and_values};
use std::arch::aarch64::*;

token!(Neon, std::arch::is_aarch64_feature_detected!("neon"));

pub(super) fn kernels(sizes: &Sizes) -> Kernels {
    Kernels { update: for_width!(sizes, update), apply: for_width!(sizes, apply), forward: for_sizes!(sizes, forward) }
}

accumulator_kernels!(
    #[target_feature(enable = "neon")]
);

#[target_feature(enable = "neon")]
fn forward<S: KnownSizes>(
    layers: &LayerStacks,
    stack: usize,
    own: &[Words],
    other: &[Words],
    scratch: &mut Scratch,
) -> i32 {
    let sizes = S::of(&layers.sizes);
    let lines = layers.stack(stack, &sizes);
    let [first, second, output] = &sizes.layers;
    let (own, other) = (&own[..sizes.width / Words::LEN], &other[..sizes.width / Words::LEN]);
    let bytes = &mut scratch.first[..first.inputs];
    if sizes.is_pairwise {
        pairwise_products(own, other, bytes)
    } else {
        clip_accumulators(own, other, bytes)
    }
    hidden(lines, first, bytes, &mut scratch.sums);
    let values = &scratch.sums[..sizes.hidden];
    if sizes.is_pairwise {
        squares_and_values(values, &mut scratch.second[..2 * sizes.hidden]);
    } else {
        scratch.second.iter_mut().zip(values).for_each(|(byte, &value)| *byte = clipped(value));
    }
    let shortcut = if sizes.has_shortcut { scratch.sums[sizes.hidden] } else { 0 };
    hidden(lines, second, &scratch.second[..second.inputs], &mut scratch.sums);
    scratch.third.iter_mut().zip(&scratch.sums[..second.outputs]).for_each(|(byte, &value)| *byte = clipped(value));
    let (biases, weights) = block(lines, output, 0);
    let mut sums = vdupq_n_s32(0);
    for (number, bytes) in scratch.third[..output.inputs].as_chunks::<16>().0.iter().enumerate() {
        sums = multiply(sums, load(bytes), load(&weights[number / 4].0.as_chunks().0[number % 4]));
    }
    let bias = i32::from_le_bytes(biases[0].0.as_chunks().0[0]);
    vaddvq_s32(sums).wrapping_add(bias).wrapping_add(shortcut)
}

/// The outputs of a hidden layer.
#[target_feature(enable = "neon")]
#[inline]
fn hidden(lines: &[Bytes], sizes: &DenseSizes, input: &[u8], sums: &mut [i32]) {
    for number in 0..sizes.blocks {
        let (biases, weights) = block(lines, sizes, number);
        match sizes.form {
            Form::Narrow => {
                let [[a, b, c, d]] = dense::<1, 8>(biases, weights, input);
                // Two sums beside each other make an output.
                store(vpaddq_s32(a, b), &mut sums[8 * number..]);
                store(vpaddq_s32(c, d), &mut sums[8 * number + 4..]);
            }
            Form::Single => {
                let [four] = dense::<1, 4>(biases, weights, input);
                (0..4).for_each(|i| store(four[i], &mut sums[16 * number + 4 * i..]));
            }
            Form::Double => {
                let eight = dense::<2, 4>(biases, weights, input);
                (0..8).for_each(|i| store(eight[i / 4][i % 4], &mut sums[32 * number + 4 * i..]));
            }
            Form::Row => unreachable!("hidden layers have several outputs"),
        }
    }
}

/// The sums of a block of `LINES` lines, which take `CHUNK` inputs at once.
#[target_feature(enable = "neon")]
#[inline]
fn dense<const LINES: usize, const CHUNK: usize>(
    biases: &[Bytes],
    weights: &[Bytes],
    input: &[u8],
) -> [[int32x4_t; 4]; LINES] {
    let parts = |line: &Bytes| std::array::from_fn(|i| load(&line.0.as_chunks().0[i]));
    let mut sums: [[int32x4_t; 4]; LINES] =
        std::array::from_fn(|line| parts(&biases[line]).map(|part| vreinterpretq_s32_s8(part)));
    for (lines, chunk) in weights.as_chunks::<LINES>().0.iter().zip(input.as_chunks::<CHUNK>().0) {
        let repeated: [u8; 16] = std::array::from_fn(|i| chunk[i % CHUNK]);
        let inputs = load(&repeated);
        for (sums, line) in sums.iter_mut().zip(lines) {
            let line: [int8x16_t; 4] = parts(line);
            *sums = std::array::from_fn(|i| multiply(sums[i], inputs, line[i]));
        }
    }
    sums
}

/// Adds four products of bytes to each 32 bits. Inputs up to 127 leave room for two products in 16 bits.
#[target_feature(enable = "neon")]
#[inline]
fn multiply(sums: int32x4_t, inputs: int8x16_t, weights: int8x16_t) -> int32x4_t {
    let low = vmull_s8(vget_low_s8(inputs), vget_low_s8(weights));
    let high = vmull_s8(vget_high_s8(inputs), vget_high_s8(weights));
    vpadalq_s16(sums, vpaddq_s16(low, high))
}

#[target_feature(enable = "neon")]
#[inline]
fn load(bytes: &[u8; 16]) -> int8x16_t {
    // SAFETY: the array is 16 bytes long. No input is above 127, so inputs may be read with a sign.
    unsafe { vld1q_s8(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "neon")]
#[inline]
fn store(sums: int32x4_t, place: &mut [i32]) {
    let place = &mut place[..4];
    // SAFETY: the place has four numbers of 32 bits.
    unsafe { vst1q_s32(place.as_mut_ptr(), sums) };
}
