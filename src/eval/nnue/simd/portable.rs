//! Any processor, by what its compiler can do with plain loops.

use super::{ClassicLayers, Kernels, PairwiseLayers, Row};
use crate::eval::nnue::net::Dense;
use crate::eval::nnue::scalar::{clipped, clipped_sums, doubled, products};
use crate::eval::nnue::shape::{CLASSIC_WIDTH, PAIRWISE_HIDDEN, PAIRWISE_WIDTH};

/// No special instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

impl Kernels for Portable {
    #[inline(always)]
    fn update<const W: usize, const N: usize>(
        self,
        from: &Row<W>,
        to: &mut Row<W>,
        off: [&Row<W>; N],
        on: [&Row<W>; N],
    ) {
        super::update(from, to, off, on);
    }

    #[inline(always)]
    fn apply<const W: usize>(self, sums: &mut Row<W>, off: &[&Row<W>], on: &[&Row<W>]) {
        super::apply(sums, off, on);
    }

    fn classic(self, layers: &ClassicLayers, own: &Row<CLASSIC_WIDTH>, other: &Row<CLASSIC_WIDTH>) -> i32 {
        let first = dense(&layers.first, &clipped_sums(own, other)).map(clipped);
        let second = dense(&layers.second, &first).map(clipped);
        dense(&layers.output, &second)[0]
    }

    fn pairwise(self, layers: &PairwiseLayers, own: &Row<PAIRWISE_WIDTH>, other: &Row<PAIRWISE_WIDTH>) -> i32 {
        let first = dense(&layers.first, &products(own, other));
        let second = dense(&layers.second, &doubled(&first)).map(clipped);
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
