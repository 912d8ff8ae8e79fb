//! The arithmetic of nets for each instruction set.
//!
//! A [`Kernels`] is a token that exists only where the processor has the instructions, so to hold one is the proof
//! that its functions may be called. [`InstructionSet::best`] looks once; an evaluation is then compiled as a whole for
//! each token. All of them give the same integers as [`super::scalar`]:
//!
//! - accumulators are 16 bits that wrap around, in any order of additions;
//! - bytes that go into a layer are at most 127, so two products with 8-bit weights make at most 2 * 127 * 128 = 32512 in
//!   amount and the instructions that add such pairs in 16 bits never saturate;
//! - everything after that is 32 bits that wrap around, and packing to fewer bits saturates only where the value is
//!   clipped to 0..=127 anyway.

/// Makes a token `$name` for `$features`, found by `$detect`, whose kernels are the functions `update`, `classic` and
/// `pairwise` of the module.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! kernels {
    ($name:ident, $features:literal, $detect:expr) => {
        /// The proof that the processor has what the functions of this module are compiled for.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name(());

        impl $name {
            pub(super) fn detect() -> Option<$name> {
                $detect.then_some($name(()))
            }
        }

        impl Kernels for $name {
            #[inline(always)]
            fn update<const W: usize, const N: usize>(
                self,
                from: &Accumulator<W>,
                to: &mut Accumulator<W>,
                sub: [&WeightRow<W>; N],
                add: [&WeightRow<W>; N],
            ) {
                // SAFETY: the token exists only where `detect` has found the instructions.
                unsafe { update(from, to, sub, add) }
            }

            #[inline(always)]
            fn apply<const W: usize>(
                self,
                accumulator: &mut Accumulator<W>,
                sub: &[&WeightRow<W>],
                add: &[&WeightRow<W>],
            ) {
                // SAFETY: the token exists only where `detect` has found the instructions.
                unsafe { apply(accumulator, sub, add) }
            }

            #[inline(always)]
            fn classic(
                self,
                layers: &ClassicLayers,
                own: &Accumulator<CLASSIC_WIDTH>,
                other: &Accumulator<CLASSIC_WIDTH>,
            ) -> i32 {
                // SAFETY: the token exists only where `detect` has found the instructions.
                unsafe { classic(layers, own, other) }
            }

            #[inline(always)]
            fn pairwise(
                self,
                layers: &PairwiseLayers,
                own: &Accumulator<PAIRWISE_WIDTH>,
                other: &Accumulator<PAIRWISE_WIDTH>,
            ) -> i32 {
                // SAFETY: the token exists only where `detect` has found the instructions.
                unsafe { pairwise(layers, own, other) }
            }
        }

        /// [`Kernels::apply`].
        #[target_feature(enable = $features)]
        fn apply<const W: usize>(accumulator: &mut Accumulator<W>, sub: &[&WeightRow<W>], add: &[&WeightRow<W>]) {
            super::apply(accumulator, sub, add);
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(test)]
mod tests;

use super::net::{Accumulator, ClassicLayers, PairwiseLayers, WeightRow};
use super::shape::{CLASSIC_WIDTH, PAIRWISE_WIDTH};
use once_cell::sync::Lazy;
use std::fmt;

/// The arithmetic of an evaluation, for one instruction set.
pub(super) trait Kernels: Copy {
    /// `to` becomes `from` less the rows of `sub`, plus as many rows of `add`, in one pass.
    fn update<const W: usize, const N: usize>(
        self,
        from: &Accumulator<W>,
        to: &mut Accumulator<W>,
        sub: [&WeightRow<W>; N],
        add: [&WeightRow<W>; N],
    );

    /// Subtracts some rows from an accumulator and adds others.
    fn apply<const W: usize>(self, accumulator: &mut Accumulator<W>, sub: &[&WeightRow<W>], add: &[&WeightRow<W>]);

    /// The output of a classic net, [`super::scalar::classic`].
    fn classic(
        self,
        layers: &ClassicLayers,
        own: &Accumulator<CLASSIC_WIDTH>,
        other: &Accumulator<CLASSIC_WIDTH>,
    ) -> i32;

    /// The output of a pairwise net, [`super::scalar::pairwise`].
    fn pairwise(
        self,
        layers: &PairwiseLayers,
        own: &Accumulator<PAIRWISE_WIDTH>,
        other: &Accumulator<PAIRWISE_WIDTH>,
    ) -> i32;
}

/// [`Kernels::update`] as the compiler vectorises it for the function that it is inlined in.
#[inline(always)]
fn update<const W: usize, const N: usize>(
    from: &Accumulator<W>,
    to: &mut Accumulator<W>,
    sub: [&WeightRow<W>; N],
    add: [&WeightRow<W>; N],
) {
    for i in 0..W {
        let mut sum = from.0[i];
        for (sub, add) in sub.iter().zip(add) {
            sum = sum.wrapping_sub(sub.0[i]).wrapping_add(add.0[i]);
        }
        to.0[i] = sum;
    }
}

/// [`Kernels::apply`], likewise.
#[inline(always)]
fn apply<const W: usize>(accumulator: &mut Accumulator<W>, sub: &[&WeightRow<W>], add: &[&WeightRow<W>]) {
    for row in sub {
        accumulator.0.iter_mut().zip(row.0).for_each(|(sum, weight)| *sum = sum.wrapping_sub(weight));
    }
    for row in add {
        accumulator.0.iter_mut().zip(row.0).for_each(|(sum, weight)| *sum = sum.wrapping_add(weight));
    }
}

/// Instructions that this processor has.
#[derive(Clone, Copy, Debug)]
pub struct InstructionSet(pub(super) Choice);

/// The tokens.
#[derive(Clone, Copy, Debug)]
pub(super) enum Choice {
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Avx512),
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
    #[cfg(target_arch = "aarch64")]
    Neon(neon::Neon),
    Portable(portable::Portable),
}

impl InstructionSet {
    /// All that this processor has, the best first.
    pub fn available() -> Vec<InstructionSet> {
        let choices = [
            #[cfg(target_arch = "x86_64")]
            avx512::Avx512::detect().map(Choice::Avx512),
            #[cfg(target_arch = "x86_64")]
            avx2::Avx2::detect().map(Choice::Avx2),
            #[cfg(target_arch = "aarch64")]
            neon::Neon::detect().map(Choice::Neon),
            Some(Choice::Portable(portable::Portable)),
        ];
        choices.into_iter().flatten().map(InstructionSet).collect()
    }

    /// The best that this processor has.
    pub fn best() -> InstructionSet {
        static BEST: Lazy<InstructionSet> = Lazy::new(|| InstructionSet::available()[0]);
        *BEST
    }
}

impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            #[cfg(target_arch = "x86_64")]
            Choice::Avx512(_) => "AVX-512 VNNI",
            #[cfg(target_arch = "x86_64")]
            Choice::Avx2(_) => "AVX2",
            #[cfg(target_arch = "aarch64")]
            Choice::Neon(_) => "NEON",
            Choice::Portable(_) => "portable",
        })
    }
}

/// Evaluates an expression that uses the kernels of an instruction set, once for each type of kernels.
macro_rules! with_kernels {
    ($instructions:expr, |$kernels:ident| $expression:expr) => {
        match $instructions.0 {
            #[cfg(target_arch = "x86_64")]
            $crate::eval::nnue::simd::Choice::Avx512($kernels) => $expression,
            #[cfg(target_arch = "x86_64")]
            $crate::eval::nnue::simd::Choice::Avx2($kernels) => $expression,
            #[cfg(target_arch = "aarch64")]
            $crate::eval::nnue::simd::Choice::Neon($kernels) => $expression,
            $crate::eval::nnue::simd::Choice::Portable($kernels) => $expression,
        }
    };
}
pub(super) use with_kernels;
