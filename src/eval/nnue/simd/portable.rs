//! Any processor, by what its compiler can do with plain loops.

use super::sizes::{KnownSizes, for_sizes};
use super::{Kernels, accumulator_kernels, add_rows, for_width};
use crate::eval::nnue::layers::{DenseSizes, Form, LayerStacks, Scratch, Sizes, block};
use crate::eval::nnue::lines::{Bytes, Words};
use crate::eval::nnue::scalar::{clip_accumulators, clipped, pairwise_products, squares_and_values};

pub(super) fn kernels(sizes: &Sizes) -> Kernels {
    Kernels { update: for_width!(sizes, update), apply: for_width!(sizes, apply), forward: for_sizes!(sizes, forward) }
}

accumulator_kernels!();

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
    dense(lines, first, bytes, &mut scratch.sums);
    let values = &scratch.sums[..sizes.hidden];
    if sizes.is_pairwise {
        squares_and_values(values, &mut scratch.second[..2 * sizes.hidden]);
    } else {
        scratch.second.iter_mut().zip(values).for_each(|(byte, &value)| *byte = clipped(value));
    }
    let shortcut = if sizes.has_shortcut { scratch.sums[sizes.hidden] } else { 0 };
    dense(lines, second, &scratch.second[..second.inputs], &mut scratch.sums);
    scratch.third.iter_mut().zip(&scratch.sums[..second.outputs]).for_each(|(byte, &value)| *byte = clipped(value));
    let (biases, weights) = block(lines, output, 0);
    let bias = i32::from_le_bytes(biases[0].0.as_chunks().0[0]);
    let bytes = scratch.third[..output.inputs].chunks(Bytes::LEN).zip(weights);
    let product = |(&x, &weight): (&u8, &u8)| i32::from(x) * i32::from(weight as i8);
    let sum: i32 = bytes.map(|(bytes, line)| bytes.iter().zip(&line.0).map(product).sum::<i32>()).sum();
    sum.wrapping_add(bias).wrapping_add(shortcut)
}

/// The outputs of a dense layer.
#[inline(always)]
fn dense(lines: &[Bytes], sizes: &DenseSizes, input: &[u8], sums: &mut [i32]) {
    for number in 0..sizes.blocks {
        let (biases, weights) = block(lines, sizes, number);
        match sizes.form {
            Form::Narrow => add_block::<1, 8, 8>(biases, weights, input, &mut sums[8 * number..]),
            Form::Single => add_block::<1, 4, 16>(biases, weights, input, &mut sums[16 * number..]),
            Form::Double => add_block::<2, 4, 16>(biases, weights, input, &mut sums[32 * number..]),
            Form::Row => unreachable!("hidden layers have several outputs"),
        }
    }
}

/// The outputs of a block of `LINES` lines with `LANES` outputs each, which take `CHUNK` inputs at once. Two products of at
/// most 127 * 128 fit in 16 bits, so that vectors of them are widened once for both.
#[inline(always)]
fn add_block<const LINES: usize, const CHUNK: usize, const LANES: usize>(
    biases: &[Bytes],
    weights: &[Bytes],
    input: &[u8],
    sums: &mut [i32],
) {
    let mut lanes = [[0; LANES]; LINES];
    for (lanes, biases) in lanes.iter_mut().zip(biases) {
        lanes.iter_mut().zip(biases.0.as_chunks().0).for_each(|(lane, &bias)| *lane = i32::from_le_bytes(bias));
    }
    for (weights, chunk) in weights.as_chunks::<LINES>().0.iter().zip(input.as_chunks::<CHUNK>().0) {
        if chunk.iter().all(|&x| x == 0) {
            continue;
        }
        for (lanes, line) in lanes.iter_mut().zip(weights) {
            for (pair, rows) in chunk.as_chunks::<2>().0.iter().zip(line.0.chunks_exact(2 * LANES)) {
                for (i, lane) in lanes.iter_mut().enumerate() {
                    let product = |j: usize| i16::from(rows[j * LANES + i] as i8).wrapping_mul(i16::from(pair[j]));
                    *lane = lane.wrapping_add(i32::from(product(0).wrapping_add(product(1))));
                }
            }
        }
    }
    sums[..LINES * LANES].copy_from_slice(lanes.as_flattened());
}
