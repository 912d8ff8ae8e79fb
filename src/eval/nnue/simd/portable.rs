//! Any processor, by what its compiler can do with plain loops.

use super::shared::kernels;
use crate::eval::nnue::layers::{Bytes, Words};
use crate::eval::nnue::scalar::{self, clip_accumulators, clipped, pairwise_products};

kernels!();

/// A line of an accumulator.
type Line = [i16; Words::LEN];
/// Sixteen sums.
type Sixteen = [i32; 16];
/// Lines at a time.
const TILE: usize = 1;

/// The sums of a block of `LINES` lines, which take `CHUNK` inputs at once: sixteen outputs, or eight and eight zeros.
/// Two products of at most 127 * 128 fit in 16 bits, so that vectors of them are widened once for both.
#[inline(always)]
fn dense<const LINES: usize, const CHUNK: usize>(
    biases: &[Bytes],
    weights: &[Bytes],
    input: &[u8],
) -> [Sixteen; LINES] {
    let lanes = Bytes::LEN / CHUNK;
    let mut sums = [[0; 16]; LINES];
    for (sums, biases) in sums.iter_mut().zip(biases) {
        let biases = &biases.0.as_chunks().0[..lanes];
        for (sum, &bias) in sums.iter_mut().zip(biases) {
            *sum = i32::from_le_bytes(bias);
        }
    }
    for (weights, chunk) in weights.as_chunks::<LINES>().0.iter().zip(input.as_chunks::<CHUNK>().0) {
        if chunk.iter().all(|&x| x == 0) {
            continue;
        }
        for (sums, line) in sums.iter_mut().zip(weights) {
            for (pair, rows) in chunk.as_chunks::<2>().0.iter().zip(line.0.chunks_exact(2 * lanes)) {
                for (i, sum) in sums[..lanes].iter_mut().enumerate() {
                    let product = |j: usize| i16::from(rows[j * lanes + i] as i8).wrapping_mul(i16::from(pair[j]));
                    *sum = sum.wrapping_add(i32::from(product(0).wrapping_add(product(1))));
                }
            }
        }
    }
    sums
}

/// Nothing is left to add up: `dense` adds all inputs of a chunk to one sum.
#[inline(always)]
fn sums_of_pairs(sums: Sixteen) -> Sixteen {
    sums
}

#[inline(always)]
fn store_sums(sums: Sixteen, place: &mut [i32], at: usize) {
    place[at..at + 16].copy_from_slice(&sums);
}

#[inline(always)]
fn store_clipped(sums: Sixteen, bytes: &mut [u8], at: usize) {
    for (byte, sum) in bytes[at..at + 16].iter_mut().zip(sums) {
        *byte = clipped(sum);
    }
}

#[inline(always)]
fn squares_and_values(sums: &[i32], count: usize, bytes: &mut [u8]) {
    scalar::squares_and_values(&sums[..count], &mut bytes[..2 * count]);
}

/// The sum of the products of inputs and weights.
#[inline(always)]
fn dot(input: &[u8], weights: &[Bytes]) -> i32 {
    let mut sum = 0;
    for (bytes, line) in input.chunks(Bytes::LEN).zip(weights) {
        for (&x, &weight) in bytes.iter().zip(&line.0) {
            sum += i32::from(x) * i32::from(weight as i8);
        }
    }
    sum
}

#[inline(always)]
fn load_words(words: &Words) -> Line {
    words.0
}

#[inline(always)]
fn store_words(place: &mut Words, words: Line) {
    place.0 = words;
}

#[inline]
fn widen(bytes: &[i8; 32]) -> Line {
    bytes.map(i16::from)
}

#[inline(always)]
fn add_words(mut a: Line, b: Line) -> Line {
    for (a, b) in a.iter_mut().zip(b) {
        *a = a.wrapping_add(b);
    }
    a
}

#[inline(always)]
fn sub_words(mut a: Line, b: Line) -> Line {
    for (a, b) in a.iter_mut().zip(b) {
        *a = a.wrapping_sub(b);
    }
    a
}
