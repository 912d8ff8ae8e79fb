//! The arithmetic of nets for each instruction set.
//!
//! A token of an instruction set exists only where the processor has it, so to hold one is the proof that its functions
//! may be called. [`InstructionSet::best`] looks once; an evaluation then calls the functions of its [`Kernels`], which
//! are chosen once for a net: those that are compiled for its sizes if there are such, else those for any sizes. All of
//! them give the same integers as [`super::scalar`]:
//!
//! - accumulators are 16 bits that wrap around, in any order of additions;
//! - bytes that go into a layer are at most 127, so two products with 8-bit weights make at most 2 * 127 * 128 = 32512
//!   in amount and the instructions that add such pairs in 16 bits never saturate;
//! - everything after that is 32 bits that wrap around, and packing to fewer bits saturates only where the value is
//!   clipped to 0..=127 anyway.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
// Where a whole module has vectors or is refused nothing else is needed.
#[cfg(not(target_feature = "simd128"))]
mod portable;
mod shared;
#[cfg(target_feature = "simd128")]
mod simd128;
#[cfg(test)]
mod tests;

use super::layers::{LayerStacks, Packing, Scratch, Sizes, Transformer, Words};
use once_cell::sync::Lazy;
use std::fmt;

/// The inputs that a move deactivates, and as many that it activates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Changes {
    pub(crate) count: usize,
    pub(crate) sub: [u32; Changes::MOST],
    pub(crate) add: [u32; Changes::MOST],
}

impl Changes {
    /// The most of either: a king that captures is two inputs of ka2, its victim the third.
    pub(crate) const MOST: usize = 3;
}

/// Makes the second accumulator from the first by the changes of a move, in one pass.
type Update = unsafe fn(&Transformer, &[Words], &mut [Words], &Changes);
/// Subtracts the rows of some inputs from an accumulator and adds those of others.
type Apply = unsafe fn(&Transformer, &mut [Words], &[u32], &[u32]);
/// The output of a stack of layers from the accumulators of the side to move and of the other.
type Forward = unsafe fn(&LayerStacks, usize, &[Words], &[Words], &mut Scratch) -> i32;

/// The arithmetic of an evaluation, for a net and an instruction set that the processor has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernels {
    update: Update,
    apply: Apply,
    forward: Forward,
}

impl Kernels {
    /// Kernels for a net of such sizes.
    pub(crate) fn new(instructions: InstructionSet, sizes: &Sizes) -> Kernels {
        match instructions.0 {
            #[cfg(target_arch = "x86_64")]
            Choice::Avx512(_) => avx512::kernels(sizes),
            #[cfg(target_arch = "x86_64")]
            Choice::Avx2(_) => avx2::kernels(sizes),
            #[cfg(target_arch = "aarch64")]
            Choice::Neon(_) => neon::kernels(sizes),
            #[cfg(target_feature = "simd128")]
            Choice::Simd128(_) => simd128::kernels(sizes),
            #[cfg(not(target_feature = "simd128"))]
            Choice::Portable => portable::kernels(sizes),
        }
    }

    /// Makes the second accumulator from the first by the changes of a move, in one pass.
    #[inline(always)]
    pub(crate) fn update(&self, transformer: &Transformer, from: &[Words], to: &mut [Words], changes: &Changes) {
        // SAFETY: `new` takes the functions of an instruction set whose token says that the processor has it.
        unsafe { (self.update)(transformer, from, to, changes) }
    }

    /// Subtracts the rows of some inputs from an accumulator and adds those of others.
    #[inline(always)]
    pub(crate) fn apply(&self, transformer: &Transformer, accumulator: &mut [Words], sub: &[u32], add: &[u32]) {
        // SAFETY: `new` takes the functions of an instruction set whose token says that the processor has it.
        unsafe { (self.apply)(transformer, accumulator, sub, add) }
    }

    /// The output of a stack of layers from the accumulators of the side to move and of the other.
    #[inline(always)]
    pub(crate) fn forward(
        &self,
        layers: &LayerStacks,
        stack: usize,
        own: &[Words],
        other: &[Words],
        scratch: &mut Scratch,
    ) -> i32 {
        // SAFETY: `new` takes the functions of an instruction set whose token says that the processor has it.
        unsafe { (self.forward)(layers, stack, own, other, scratch) }
    }
}

/// Instructions that this processor has.
#[derive(Clone, Copy, Debug)]
pub struct InstructionSet(Choice);

/// The tokens.
#[derive(Clone, Copy, Debug)]
enum Choice {
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Avx512),
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
    #[cfg(target_arch = "aarch64")]
    Neon(neon::Neon),
    #[cfg(target_feature = "simd128")]
    Simd128(simd128::Simd128),
    #[cfg(not(target_feature = "simd128"))]
    Portable,
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
            #[cfg(target_feature = "simd128")]
            simd128::Simd128::detect().map(Choice::Simd128),
            #[cfg(not(target_feature = "simd128"))]
            Some(Choice::Portable),
        ];
        choices.into_iter().flatten().map(InstructionSet).collect()
    }

    /// The best that this processor has.
    pub fn best() -> InstructionSet {
        static BEST: Lazy<InstructionSet> = Lazy::new(|| InstructionSet::available()[0]);
        *BEST
    }

    /// The order of weights that its kernels read.
    pub(crate) fn packing(self) -> Packing {
        match self.0 {
            #[cfg(not(target_feature = "simd128"))]
            Choice::Portable => Packing::ByInput,
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
            _ => Packing::ByOutput,
        }
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
            #[cfg(target_feature = "simd128")]
            Choice::Simd128(_) => "SIMD128",
            #[cfg(not(target_feature = "simd128"))]
            Choice::Portable => "portable",
        })
    }
}

/// Makes a token `$name`, found by `$detect`.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
macro_rules! token {
    ($name:ident, $detect:expr) => {
        /// The proof that the processor has what the functions of this module are compiled for.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name(());

        impl $name {
            pub(crate) fn detect() -> Option<$name> {
                if $detect { Some($name(())) } else { None }
            }
        }
    };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
use token;
