//! Any processor: the specification itself, which compilers vectorise well enough.

use super::{ClassicLayers, Kernels, PairwiseLayers, Row};
use crate::eval::nnue::scalar;
use crate::eval::nnue::shape::{CLASSIC_WIDTH, PAIRWISE_WIDTH};

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

    #[inline(always)]
    fn classic(self, layers: &ClassicLayers, own: &Row<CLASSIC_WIDTH>, other: &Row<CLASSIC_WIDTH>) -> i32 {
        scalar::classic(layers, own, other)
    }

    #[inline(always)]
    fn pairwise(self, layers: &PairwiseLayers, own: &Row<PAIRWISE_WIDTH>, other: &Row<PAIRWISE_WIDTH>) -> i32 {
        scalar::pairwise(layers, own, other)
    }
}
