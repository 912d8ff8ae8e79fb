//! Any processor, by what its compiler can do with plain loops.

use super::{Accumulator, ClassicLayers, Kernels, PairwiseLayers, WeightRow};
use crate::eval::nnue::net::Dense;
use crate::eval::nnue::scalar::{clip_accumulators, clipped, pairwise_products, squares_and_values};
use crate::eval::nnue::shape::{CLASSIC_WIDTH, PAIRWISE_HIDDEN, PAIRWISE_WIDTH};

/// No special instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

impl Kernels for Portable {
    #[inline(always)]
    fn update<const W: usize, const N: usize>(
        self,
        from: &Accumulator<W>,
        to: &mut Accumulator<W>,
        sub: [&WeightRow<W>; N],
        add: [&WeightRow<W>; N],
    ) {
        super::update(from, to, sub, add);
    }

    #[inline(always)]
    fn apply<const W: usize>(self, accumulator: &mut Accumulator<W>, sub: &[&WeightRow<W>], add: &[&WeightRow<W>]) {
        super::apply(accumulator, sub, add);
    }

    fn classic(
        self,
        layers: &ClassicLayers,
        own: &Accumulator<CLASSIC_WIDTH>,
        other: &Accumulator<CLASSIC_WIDTH>,
    ) -> i32 {
        let first = dense(&layers.first, &clip_accumulators(own, other)).map(clipped);
        let second = dense(&layers.second, &first).map(clipped);
        dense(&layers.output, &second)[0]
    }

    fn pairwise(
        self,
        layers: &PairwiseLayers,
        own: &Accumulator<PAIRWISE_WIDTH>,
        other: &Accumulator<PAIRWISE_WIDTH>,
    ) -> i32 {
        let first = dense(&layers.first, &pairwise_products(own, other));
        let second = dense(&layers.second, &squares_and_values(&first)).map(clipped);
        dense(&layers.output, &second)[0].wrapping_add(first[PAIRWISE_HIDDEN])
    }
}

/// The outputs of a dense layer. Two products of at most 127 * 128 fit in 16 bits, so that vectors of them are widened
/// once for both.
fn dense<const I: usize, const O: usize, const G: usize>(layer: &Dense<I, O, G>, input: &[u8; I]) -> [i32; O] {
    const { assert!(I.is_multiple_of(16)) };
    let input = input.map(i16::from);
    let mut outputs = layer.biases;
    for (output, row) in outputs.iter_mut().zip(&layer.rows) {
        let mut sums = [0i32; 8];
        for (inputs, weights) in input.as_chunks::<16>().0.iter().zip(row.as_chunks::<16>().0) {
            let product = |i: usize| inputs[i].wrapping_mul(i16::from(weights[i]));
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = sum.wrapping_add(i32::from(product(i).wrapping_add(product(i + 8))));
            }
        }
        *output = sums.into_iter().fold(*output, i32::wrapping_add);
    }
    outputs
}
