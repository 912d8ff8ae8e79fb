//! 64-bit ARM with NEON, which all of them have.

use super::shared::kernels;
use super::token;
use crate::eval::nnue::layers::{Bytes, Words};
use crate::eval::nnue::scalar::{self, clip_accumulators, pairwise_products};
use std::arch::aarch64::*;

token!(Neon, std::arch::is_aarch64_feature_detected!("neon"));

kernels!(
    #[target_feature(enable = "neon")]
);

/// A line of an accumulator.
type Line = [int16x8_t; 4];
/// Sixteen sums of 32 bits.
type Sixteen = [int32x4_t; 4];
/// Lines in vectors at a time.
const TILE: usize = 4;

/// The sums of a block of `LINES` lines, which take `CHUNK` inputs at once.
#[target_feature(enable = "neon")]
#[inline]
fn dense<const LINES: usize, const CHUNK: usize>(
    biases: &[Bytes],
    weights: &[Bytes],
    input: &[u8],
) -> [Sixteen; LINES] {
    let parts = |line: &Bytes| std::array::from_fn(|i| load(&line.0.as_chunks().0[i]));
    let mut sums: [Sixteen; LINES] =
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

/// The sums of two numbers beside each other, and eight zeros.
#[target_feature(enable = "neon")]
#[inline]
fn sums_of_pairs([a, b, c, d]: Sixteen) -> Sixteen {
    [vpaddq_s32(a, b), vpaddq_s32(c, d), vdupq_n_s32(0), vdupq_n_s32(0)]
}

/// Stores sixteen outputs of a layer as the next one sees them.
#[target_feature(enable = "neon")]
#[inline]
fn store_clipped([a, b, c, d]: Sixteen, bytes: &mut [u8], at: usize) {
    // The narrowing saturates only what is clipped anyway.
    let words = |low, high| vcombine_s16(vqshrn_n_s32::<6>(low), vqshrn_n_s32::<6>(high));
    let values = vcombine_s8(vqmovn_s16(words(a, b)), vqmovn_s16(words(c, d)));
    let values = vreinterpretq_u8_s8(vmaxq_s8(values, vdupq_n_s8(0)));
    let place = &mut bytes[at..at + 16];
    // SAFETY: the place is 16 bytes long.
    unsafe { vst1q_u8(place.as_mut_ptr(), values) };
}

#[target_feature(enable = "neon")]
#[inline]
fn store_sums(sums: Sixteen, place: &mut [i32], at: usize) {
    for (place, sums) in place[at..at + 16].as_chunks_mut::<4>().0.iter_mut().zip(sums) {
        // SAFETY: the array has four numbers of 32 bits.
        unsafe { vst1q_s32(place.as_mut_ptr(), sums) };
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn squares_and_values(sums: &[i32], count: usize, bytes: &mut [u8]) {
    scalar::squares_and_values(&sums[..count], &mut bytes[..2 * count]);
}

/// The sum of the products of inputs and weights.
#[target_feature(enable = "neon")]
#[inline]
fn dot(input: &[u8], weights: &[Bytes]) -> i32 {
    let mut sums = vdupq_n_s32(0);
    for (number, bytes) in input.as_chunks::<16>().0.iter().enumerate() {
        sums = multiply(sums, load(bytes), load(&weights[number / 4].0.as_chunks().0[number % 4]));
    }
    vaddvq_s32(sums)
}

#[target_feature(enable = "neon")]
#[inline]
fn load_words(words: &Words) -> Line {
    let words: *const i16 = words.0.as_ptr();
    // SAFETY: a line has 32 words, four times eight.
    unsafe { [vld1q_s16(words), vld1q_s16(words.add(8)), vld1q_s16(words.add(16)), vld1q_s16(words.add(24))] }
}

#[target_feature(enable = "neon")]
#[inline]
fn store_words(place: &mut Words, words: Line) {
    for (place, words) in place.0.as_chunks_mut::<8>().0.iter_mut().zip(words) {
        // SAFETY: the array has eight words.
        unsafe { vst1q_s16(place.as_mut_ptr(), words) };
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn widen(bytes: &[i8; 32]) -> Line {
    let bytes: *const i8 = bytes.as_ptr();
    // SAFETY: the array is four times eight bytes long.
    let parts = unsafe { [vld1_s8(bytes), vld1_s8(bytes.add(8)), vld1_s8(bytes.add(16)), vld1_s8(bytes.add(24))] };
    [vmovl_s8(parts[0]), vmovl_s8(parts[1]), vmovl_s8(parts[2]), vmovl_s8(parts[3])]
}

#[target_feature(enable = "neon")]
#[inline]
fn add_words(a: Line, b: Line) -> Line {
    [vaddq_s16(a[0], b[0]), vaddq_s16(a[1], b[1]), vaddq_s16(a[2], b[2]), vaddq_s16(a[3], b[3])]
}

#[target_feature(enable = "neon")]
#[inline]
fn sub_words(a: Line, b: Line) -> Line {
    [vsubq_s16(a[0], b[0]), vsubq_s16(a[1], b[1]), vsubq_s16(a[2], b[2]), vsubq_s16(a[3], b[3])]
}
