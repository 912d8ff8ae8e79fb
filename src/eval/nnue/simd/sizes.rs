//! Sizes of layers that kernels are compiled for.

use crate::eval::nnue::layers::Sizes;
use crate::eval::nnue::shape::Shape;

/// The sizes that a kernel works with: those of a net, or constants that they are known to equal, so that the compiler
/// unrolls loops over them.
pub(super) trait KnownSizes {
    /// The sizes.
    fn of(net: &Sizes) -> Sizes;
}

/// The sizes of the net.
pub(super) enum AnySizes {}

impl KnownSizes for AnySizes {
    #[inline(always)]
    fn of(net: &Sizes) -> Sizes {
        *net
    }
}

/// 256x2-32-32.
pub(super) enum Classic256 {}

impl KnownSizes for Classic256 {
    #[inline(always)]
    fn of(_: &Sizes) -> Sizes {
        const { Sizes::of(Shape::KP) }
    }
}

/// SFNN 512-15-32 with a shortcut.
pub(super) enum Pairwise512 {}

impl KnownSizes for Pairwise512 {
    #[inline(always)]
    fn of(_: &Sizes) -> Sizes {
        const { Sizes::of(Shape::KA2) }
    }
}

/// The function of an instruction set that is compiled for a net's sizes, else the one for any.
macro_rules! for_sizes {
    ($sizes:expr, $function:ident) => {{
        use $crate::eval::nnue::simd::sizes::{AnySizes, Classic256, KnownSizes, Pairwise512};
        if *$sizes == Classic256::of($sizes) {
            $function::<Classic256>
        } else if *$sizes == Pairwise512::of($sizes) {
            $function::<Pairwise512>
        } else {
            $function::<AnySizes>
        }
    }};
}
pub(super) use for_sizes;
