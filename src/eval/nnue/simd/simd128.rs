//! WebAssembly with its vectors of 128 bits.

use super::shared::kernels;
use super::token;
use crate::eval::nnue::layers::{Bytes, Words};
use crate::eval::nnue::scalar;
use std::arch::wasm32::*;

// Compiled only where the whole module has vectors, which is refused as a whole where there are none.
token!(Simd128, true);

// In vectors by name: the module is compiled for size, where the compiler makes none out of loops.
kernels!(
    #[target_feature(enable = "simd128")]
);

/// A line of an accumulator.
type Line = [v128; 4];
/// Sixteen sums of 32 bits.
type Sixteen = [v128; 4];
/// Lines in vectors at a time.
const TILE: usize = 2;

/// The clipped ReLU of a classic net.
#[target_feature(enable = "simd128")]
#[inline]
fn clip_accumulators(own: &[Words], other: &[Words], bytes: &mut [u8]) {
    let words = own.iter().chain(other).flat_map(|words| words.0.as_chunks::<16>().0);
    for (bytes, words) in bytes.as_chunks_mut::<16>().0.iter_mut().zip(words) {
        let [a, b] = load_half(words);
        // The pack saturates at 127, so that only what is below zero is left to clip.
        store_bytes(i8x16_max(i8x16_narrow_i16x8(a, b), i8x16_splat(0)), bytes);
    }
}

/// The products of the halves of the accumulators.
#[target_feature(enable = "simd128")]
#[inline]
fn pairwise_products(own: &[Words], other: &[Words], bytes: &mut [u8]) {
    let clip = |sums: v128| i16x8_max(i16x8_min(sums, i16x8_splat(254)), i16x8_splat(0));
    let bytes = bytes.as_chunks_mut::<16>().0;
    for (bytes, words) in bytes.chunks_exact_mut(own.len()).zip([own, other]) {
        for (number, bytes) in bytes.iter_mut().enumerate() {
            // Halves of lines: the width is a multiple of 32, half of it one of 16 only.
            let half_of = |number: usize| load_half(&words[number / 2].0.as_chunks().0[number % 2]);
            let left = half_of(number);
            let right = half_of(number + words.len());
            // At most 254 * 254, which fits in 16 bits without a sign.
            let [a, b] = [0, 1].map(|i| u16x8_shr(i16x8_mul(clip(left[i]), clip(right[i])), 9));
            store_bytes(u8x16_narrow_i16x8(a, b), bytes);
        }
    }
}

/// The sums of two numbers beside each other, and eight zeros.
#[target_feature(enable = "simd128")]
#[inline]
fn sums_of_pairs([a, b, c, d]: Sixteen) -> Sixteen {
    [pairs(a, b), pairs(c, d), i32x4_splat(0), i32x4_splat(0)]
}

/// The sums of a block of `LINES` lines, which take `CHUNK` inputs at once. Chunks that are zero are passed over.
#[target_feature(enable = "simd128")]
#[inline]
fn dense<const LINES: usize, const CHUNK: usize>(
    biases: &[Bytes],
    weights: &[Bytes],
    input: &[u8],
) -> [Sixteen; LINES] {
    // Sums of two products each: the halves of an output lie beside each other, and are added up at the end.
    let mut halves = [[[i32x4_splat(0); 2]; 4]; LINES];
    for (lines, chunk) in weights.as_chunks::<LINES>().0.iter().zip(input.as_chunks::<CHUNK>().0) {
        if *chunk == [0; CHUNK] {
            continue;
        }
        let inputs = i16x8_extend_low_u8x16(repeated(chunk));
        for (halves, line) in halves.iter_mut().zip(lines) {
            for (halves, weights) in halves.iter_mut().zip(line.0.as_chunks().0) {
                let weights = load(weights);
                let high = i32x4_dot_i16x8(inputs, i16x8_extend_high_i8x16(weights));
                *halves = [multiply(halves[0], inputs, weights), i32x4_add(halves[1], high)];
            }
        }
    }
    std::array::from_fn(|line| {
        std::array::from_fn(|i| {
            let bias = load(&biases[line].0.as_chunks().0[i]);
            i32x4_add(bias, pairs(halves[line][i][0], halves[line][i][1]))
        })
    })
}

/// The sum of the products of inputs and weights.
#[target_feature(enable = "simd128")]
#[inline]
fn dot(input: &[u8], weights: &[Bytes]) -> i32 {
    let mut sums = [i32x4_splat(0); 2];
    for (number, bytes) in input.as_chunks::<16>().0.iter().enumerate() {
        let bytes = load(bytes);
        let weights = load(&weights[number / 4].0.as_chunks().0[number % 4]);
        let high = i32x4_dot_i16x8(i16x8_extend_high_u8x16(bytes), i16x8_extend_high_i8x16(weights));
        sums = [multiply(sums[0], i16x8_extend_low_u8x16(bytes), weights), i32x4_add(sums[1], high)];
    }
    let sums = i32x4_add(sums[0], sums[1]);
    let sums = i32x4_add(sums, i32x4_shuffle::<2, 3, 0, 1>(sums, sums));
    i32x4_extract_lane::<0>(sums).wrapping_add(i32x4_extract_lane::<1>(sums))
}

/// Stores sixteen outputs of a layer as the next one sees them.
#[target_feature(enable = "simd128")]
#[inline]
fn store_clipped([a, b, c, d]: Sixteen, bytes: &mut [u8], at: usize) {
    // The narrowing saturates only what is clipped anyway.
    let words = |low, high| i16x8_narrow_i32x4(i32x4_shr(low, 6), i32x4_shr(high, 6));
    let values = i8x16_max(i8x16_narrow_i16x8(words(a, b), words(c, d)), i8x16_splat(0));
    store_bytes(values, (&mut bytes[at..at + 16]).try_into().expect("sixteen bytes were taken"));
}

#[target_feature(enable = "simd128")]
#[inline]
fn store_sums(sums: Sixteen, place: &mut [i32], at: usize) {
    for (place, sums) in place[at..at + 16].as_chunks_mut::<4>().0.iter_mut().zip(sums) {
        // SAFETY: the array has four numbers of 32 bits.
        unsafe { v128_store(place.as_mut_ptr().cast(), sums) };
    }
}

#[target_feature(enable = "simd128")]
#[inline]
fn squares_and_values(sums: &[i32], count: usize, bytes: &mut [u8]) {
    scalar::squares_and_values(&sums[..count], &mut bytes[..2 * count]);
}

/// Adds two products each of the first eight weights with eight inputs.
#[target_feature(enable = "simd128")]
#[inline]
fn multiply(sums: v128, inputs: v128, weights: v128) -> v128 {
    i32x4_add(sums, i32x4_dot_i16x8(inputs, i16x8_extend_low_i8x16(weights)))
}

/// The sums of neighbours, those of the first vector first.
#[target_feature(enable = "simd128")]
#[inline]
fn pairs(a: v128, b: v128) -> v128 {
    i32x4_add(i32x4_shuffle::<0, 2, 4, 6>(a, b), i32x4_shuffle::<1, 3, 5, 7>(a, b))
}

/// A chunk of inputs as often as a vector has room for it.
#[target_feature(enable = "simd128")]
#[inline]
fn repeated<const CHUNK: usize>(chunk: &[u8; CHUNK]) -> v128 {
    match *chunk.as_slice() {
        [a, b, c, d] => u32x4_splat(u32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u64x2_splat(u64::from_le_bytes([a, b, c, d, e, f, g, h])),
        _ => unreachable!("chunks have four or eight bytes"),
    }
}

#[target_feature(enable = "simd128")]
#[inline]
fn load(bytes: &[u8; 16]) -> v128 {
    // SAFETY: the array is 16 bytes long.
    unsafe { v128_load(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "simd128")]
#[inline]
fn load_half(words: &[i16; 16]) -> [v128; 2] {
    let words: *const i16 = words.as_ptr();
    // SAFETY: 16 words are two times 16 bytes.
    unsafe { [v128_load(words.cast()), v128_load(words.add(8).cast())] }
}

#[target_feature(enable = "simd128")]
#[inline]
fn load_words(line: &Words) -> Line {
    let words: *const i16 = line.0.as_ptr();
    // SAFETY: a line has 32 words, four times 16 bytes.
    unsafe { [0, 8, 16, 24].map(|at| v128_load(words.add(at).cast())) }
}

#[target_feature(enable = "simd128")]
#[inline]
fn store_words(line: &mut Words, sums: Line) {
    let words: *mut i16 = line.0.as_mut_ptr();
    for (part, sums) in sums.into_iter().enumerate() {
        // SAFETY: a line has 32 words, four times 16 bytes.
        unsafe { v128_store(words.add(8 * part).cast(), sums) };
    }
}

#[target_feature(enable = "simd128")]
#[inline]
fn store_bytes(bytes: v128, place: &mut [u8; 16]) {
    // SAFETY: the array is 16 bytes long.
    unsafe { v128_store(place.as_mut_ptr().cast(), bytes) };
}

#[target_feature(enable = "simd128")]
#[inline]
fn widen(bytes: &[i8; 32]) -> Line {
    let bytes: *const i8 = bytes.as_ptr();
    // SAFETY: the array is four times eight bytes long.
    unsafe { [0, 8, 16, 24].map(|at| i16x8_load_extend_i8x8(bytes.add(at))) }
}

#[target_feature(enable = "simd128")]
#[inline]
fn add_words(a: Line, b: Line) -> Line {
    [i16x8_add(a[0], b[0]), i16x8_add(a[1], b[1]), i16x8_add(a[2], b[2]), i16x8_add(a[3], b[3])]
}

#[target_feature(enable = "simd128")]
#[inline]
fn sub_words(a: Line, b: Line) -> Line {
    [i16x8_sub(a[0], b[0]), i16x8_sub(a[1], b[1]), i16x8_sub(a[2], b[2]), i16x8_sub(a[3], b[3])]
}
