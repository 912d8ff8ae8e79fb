//! WebAssembly with its vectors of 128 bits.

use super::sizes::{KnownSizes, for_sizes};
use super::{Changes, Kernels, for_width, token};
use crate::eval::nnue::layers::{DenseSizes, Form, LayerStacks, Scratch, Sizes, block};
use crate::eval::nnue::lines::{Bytes, Words};
use crate::eval::nnue::net::Transformer;
use crate::eval::nnue::scalar::{clipped, squares_and_values};
use std::arch::wasm32::*;

// Compiled only where the whole module has vectors, which is refused as a whole where there are none.
token!(Simd128, true);

pub(super) fn kernels(sizes: &Sizes) -> Kernels {
    Kernels { update: for_width!(sizes, update), apply: for_width!(sizes, apply), forward: for_sizes!(sizes, forward) }
}

/// Makes the second accumulator from the first by the changes of a move, in one pass. In vectors by name: the module is compiled
/// for size, where the compiler makes none out of loops.
#[target_feature(enable = "simd128")]
fn update<const LINES: usize>(transformer: &Transformer, from: &[Words], to: &mut [Words], changes: &Changes) {
    let lines = if LINES == 0 { transformer.lines } else { LINES };
    let row = |input: u32| &transformer.rows[input as usize * lines..][..lines];
    let (from, to) = (&from[..lines], &mut to[..lines]);
    let ([a, b, c], [x, y, z]) = (changes.sub, changes.add);
    match changes.count {
        0 => to.copy_from_slice(from),
        1 => add_rows(from, to, [row(a)], [row(x)]),
        2 => add_rows(from, to, [row(a), row(b)], [row(x), row(y)]),
        _ => add_rows(from, to, [row(a), row(b), row(c)], [row(x), row(y), row(z)]),
    }
}

/// `to` becomes `from` less some rows, plus as many others.
#[target_feature(enable = "simd128")]
#[inline]
fn add_rows<const N: usize>(from: &[Words], to: &mut [Words], sub: [&[Words]; N], add: [&[Words]; N]) {
    for (i, (from, to)) in from.iter().zip(to).enumerate() {
        let mut sums = load_line(from);
        for (sub, add) in sub.iter().zip(add) {
            let (sub, add) = (load_line(&sub[i]), load_line(&add[i]));
            sums = std::array::from_fn(|part| i16x8_add(i16x8_sub(sums[part], sub[part]), add[part]));
        }
        store_line(sums, to);
    }
}

/// Subtracts the rows of some inputs from an accumulator and adds those of others.
#[target_feature(enable = "simd128")]
fn apply<const LINES: usize>(transformer: &Transformer, accumulator: &mut [Words], sub: &[u32], add: &[u32]) {
    let lines = if LINES == 0 { transformer.lines } else { LINES };
    let accumulator = &mut accumulator[..lines];
    let row = |input: u32| &transformer.rows[input as usize * lines..][..lines];
    // A pair at a time, so that the accumulator is read and written half as often.
    let pairs = sub.len().min(add.len());
    for (&sub, &add) in sub[..pairs].iter().zip(&add[..pairs]) {
        for (line, (sub, add)) in accumulator.iter_mut().zip(row(sub).iter().zip(row(add))) {
            let (sums, sub, add) = (load_line(line), load_line(sub), load_line(add));
            store_line(std::array::from_fn(|part| i16x8_add(i16x8_sub(sums[part], sub[part]), add[part])), line);
        }
    }
    for &sub in &sub[pairs..] {
        for (line, sub) in accumulator.iter_mut().zip(row(sub)) {
            let (sums, sub) = (load_line(line), load_line(sub));
            store_line(std::array::from_fn(|part| i16x8_sub(sums[part], sub[part])), line);
        }
    }
    for &add in &add[pairs..] {
        for (line, add) in accumulator.iter_mut().zip(row(add)) {
            let (sums, add) = (load_line(line), load_line(add));
            store_line(std::array::from_fn(|part| i16x8_add(sums[part], add[part])), line);
        }
    }
}

#[target_feature(enable = "simd128")]
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
    hidden(lines, first, bytes, &mut scratch.sums);
    let values = &scratch.sums[..sizes.hidden];
    if sizes.is_pairwise {
        squares_and_values(values, &mut scratch.second[..2 * sizes.hidden]);
    } else {
        scratch.second.iter_mut().zip(values).for_each(|(byte, &value)| *byte = clipped(value));
    }
    let shortcut = if sizes.has_shortcut { scratch.sums[sizes.hidden] } else { 0 };
    hidden(lines, second, &scratch.second[..second.inputs], &mut scratch.sums);
    scratch.third.iter_mut().zip(&scratch.sums[..second.outputs]).for_each(|(byte, &value)| *byte = clipped(value));
    let (biases, weights) = block(lines, output, 0);
    let mut sums = [i32x4_splat(0); 2];
    for (number, bytes) in scratch.third[..output.inputs].as_chunks::<16>().0.iter().enumerate() {
        let (bytes, weights) = (load(bytes), load(&weights[number / 4].0.as_chunks().0[number % 4]));
        let high = i32x4_dot_i16x8(i16x8_extend_high_u8x16(bytes), i16x8_extend_high_i8x16(weights));
        sums = [multiply(sums[0], i16x8_extend_low_u8x16(bytes), weights), i32x4_add(sums[1], high)];
    }
    let sums = i32x4_add(sums[0], sums[1]);
    let sums = i32x4_add(sums, i32x4_shuffle::<2, 3, 0, 1>(sums, sums));
    let sum = i32x4_extract_lane::<0>(sums).wrapping_add(i32x4_extract_lane::<1>(sums));
    sum.wrapping_add(i32::from_le_bytes(biases[0].0.as_chunks().0[0])).wrapping_add(shortcut)
}

/// The clipped ReLU of a classic net.
#[target_feature(enable = "simd128")]
#[inline]
fn clip_accumulators(own: &[Words], other: &[Words], bytes: &mut [u8]) {
    let words = own.iter().chain(other).flat_map(|words| words.0.as_chunks::<16>().0);
    for (bytes, words) in bytes.as_chunks_mut::<16>().0.iter_mut().zip(words) {
        let [a, b] = load_words(words);
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
            let half_of = |number: usize| load_words(&words[number / 2].0.as_chunks().0[number % 2]);
            let (left, right) = (half_of(number), half_of(number + words.len()));
            // At most 254 * 254, which fits in 16 bits without a sign.
            let [a, b] = [0, 1].map(|i| u16x8_shr(i16x8_mul(clip(left[i]), clip(right[i])), 9));
            store_bytes(u8x16_narrow_i16x8(a, b), bytes);
        }
    }
}

/// The outputs of a hidden layer.
#[target_feature(enable = "simd128")]
#[inline]
fn hidden(lines: &[Bytes], sizes: &DenseSizes, input: &[u8], sums: &mut [i32]) {
    for number in 0..sizes.blocks {
        let (biases, weights) = block(lines, sizes, number);
        match sizes.form {
            Form::Narrow => {
                let [[a, b, c, d]] = dense::<1, 8>(biases, weights, input);
                // Two sums beside each other make an output.
                store(pairs(a, b), &mut sums[8 * number..]);
                store(pairs(c, d), &mut sums[8 * number + 4..]);
            }
            Form::Single => {
                let [four] = dense::<1, 4>(biases, weights, input);
                (0..4).for_each(|i| store(four[i], &mut sums[16 * number + 4 * i..]));
            }
            Form::Double => {
                let eight = dense::<2, 4>(biases, weights, input);
                (0..8).for_each(|i| store(eight[i / 4][i % 4], &mut sums[32 * number + 4 * i..]));
            }
            Form::Row => unreachable!("hidden layers have several outputs"),
        }
    }
}

/// The sums of a block of `LINES` lines, which take `CHUNK` inputs at once. Chunks that are zero are passed over.
#[target_feature(enable = "simd128")]
#[inline]
fn dense<const LINES: usize, const CHUNK: usize>(
    biases: &[Bytes],
    weights: &[Bytes],
    input: &[u8],
) -> [[v128; 4]; LINES] {
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
fn load_words(words: &[i16; 16]) -> [v128; 2] {
    let words: *const i16 = words.as_ptr();
    // SAFETY: 16 words are two times 16 bytes.
    unsafe { [v128_load(words.cast()), v128_load(words.add(8).cast())] }
}

#[target_feature(enable = "simd128")]
#[inline]
fn load_line(line: &Words) -> [v128; 4] {
    let words: *const i16 = line.0.as_ptr();
    // SAFETY: a line has 32 words, four times 16 bytes.
    unsafe { [0, 8, 16, 24].map(|at| v128_load(words.add(at).cast())) }
}

#[target_feature(enable = "simd128")]
#[inline]
fn store_line(sums: [v128; 4], line: &mut Words) {
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
fn store(sums: v128, place: &mut [i32]) {
    let place = &mut place[..4];
    // SAFETY: the place has four numbers of 32 bits.
    unsafe { v128_store(place.as_mut_ptr().cast(), sums) };
}
