//! x86-64 with AVX2.

use super::sizes::{KnownSizes, for_sizes};
use super::{Kernels, accumulator_kernels, add_rows, for_width, token};
use crate::eval::nnue::layers::{DenseSizes, Form, LayerStacks, Scratch, Sizes, block};
use crate::eval::nnue::lines::{Bytes, Words};
use crate::eval::nnue::scalar;
use std::arch::x86_64::*;

token!(Avx2, is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1"));

pub(super) fn kernels(sizes: &Sizes) -> Kernels {
    Kernels { update: for_width!(sizes, update), apply: for_width!(sizes, apply), forward: for_sizes!(sizes, forward) }
}

accumulator_kernels!(
    #[target_feature(enable = "avx2,bmi1")]
);

#[target_feature(enable = "avx2,bmi1")]
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
    match sizes.is_pairwise {
        false => clip_accumulators(own, other, bytes),
        // Halves that are a whole number of lines.
        true if own.len().is_multiple_of(2) => pairwise_products(own, other, bytes),
        true => scalar::pairwise_products(own, other, bytes),
    }
    let mut shortcut = 0;
    if sizes.is_pairwise {
        hidden(lines, first, bytes, |at, sums| store_sums(sums, &mut scratch.sums, at));
        scalar::squares_and_values(&scratch.sums[..sizes.hidden], &mut scratch.second[..2 * sizes.hidden]);
        if sizes.has_shortcut {
            shortcut = scratch.sums[sizes.hidden];
        }
    } else {
        hidden(lines, first, bytes, |at, sums| store_clipped(sums, &mut scratch.second, at));
    }
    hidden(lines, second, &scratch.second[..second.inputs], |at, sums| store_clipped(sums, &mut scratch.third, at));
    last(lines, output, &scratch.third[..output.inputs]).wrapping_add(shortcut)
}

/// The clipped ReLU of a classic net.
#[target_feature(enable = "avx2")]
#[inline]
fn clip_accumulators(own: &[Words], other: &[Words], bytes: &mut [u8]) {
    let words = own.iter().chain(other);
    for (bytes, words) in bytes.as_chunks_mut::<32>().0.iter_mut().zip(words) {
        let [a, b] = load_words(words);
        store(bytes, in_order(_mm256_max_epi8(_mm256_packs_epi16(a, b), _mm256_setzero_si256())));
    }
}

/// The products of the halves of the accumulators, which are a whole number of lines.
#[target_feature(enable = "avx2")]
#[inline]
fn pairwise_products(own: &[Words], other: &[Words], bytes: &mut [u8]) {
    let most = _mm256_set1_epi16(254);
    let bytes = bytes.as_chunks_mut::<32>().0;
    for (bytes, words) in bytes.chunks_exact_mut(own.len() / 2).zip([own, other]) {
        let (left, right) = words.split_at(words.len() / 2);
        for (bytes, (left, right)) in bytes.iter_mut().zip(left.iter().zip(right)) {
            let (left, right) = (load_words(left), load_words(right));
            let product = [0, 1].map(|i| {
                // The upper 16 bits of 128 * a * b are a * b / 512. A negative b makes a negative product, which is packed
                // to zero like one of b = 0.
                let a = _mm256_min_epi16(_mm256_max_epi16(left[i], _mm256_setzero_si256()), most);
                let b = _mm256_min_epi16(right[i], most);
                _mm256_mulhi_epi16(_mm256_slli_epi16::<7>(a), b)
            });
            store(bytes, in_order(_mm256_packus_epi16(product[0], product[1])));
        }
    }
}

/// A hidden layer: hands out the sums of each block of outputs, sixteen at a time with the number of the first.
#[target_feature(enable = "avx2,bmi1")]
#[inline]
fn hidden(lines: &[Bytes], sizes: &DenseSizes, input: &[u8], mut take: impl FnMut(usize, [__m256i; 2])) {
    for number in 0..sizes.blocks {
        let (biases, weights) = block(lines, sizes, number);
        match sizes.form {
            Form::Narrow => {
                let [[low, high]] = dense::<1, 8>(biases, weights, input);
                // Two sums beside each other make an output: eight of them, in the order of the halves.
                let sums = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_hadd_epi32(low, high));
                take(8 * number, [sums, _mm256_setzero_si256()]);
            }
            Form::Single => {
                let [sums] = dense::<1, 4>(biases, weights, input);
                take(16 * number, sums);
            }
            Form::Double => {
                let [low, high] = dense::<2, 4>(biases, weights, input);
                take(32 * number, low);
                take(32 * number + 16, high);
            }
            Form::Row => unreachable!("hidden layers have several outputs"),
        }
    }
}

/// The sums of a block of `LINES` lines, which take `CHUNK` inputs at once. Chunks that are zero are passed over.
#[target_feature(enable = "avx2,bmi1")]
#[inline]
fn dense<const LINES: usize, const CHUNK: usize>(
    biases: &[Bytes],
    weights: &[Bytes],
    input: &[u8],
) -> [[__m256i; 2]; LINES] {
    let mut sums: [[__m256i; 2]; LINES] = std::array::from_fn(|line| load_bytes(&biases[line]));
    let weights = weights.as_chunks::<LINES>().0;
    let input = input.as_chunks::<32>().0;
    // As many vectors of inputs as a word has bits for their chunks.
    for (number, vectors) in input.chunks(2 * CHUNK).enumerate() {
        let mut nonzero = 0;
        for (i, vector) in vectors.iter().enumerate() {
            nonzero |= nonzero_chunks::<CHUNK>(vector) << (32 / CHUNK * i);
        }
        let chunks = vectors.as_flattened().as_chunks::<CHUNK>().0;
        let weights = &weights[64 * number..][..chunks.len()];
        while nonzero != 0 {
            let chunk = nonzero.trailing_zeros() as usize;
            nonzero &= nonzero - 1;
            let inputs = broadcast(&chunks[chunk]);
            for (sums, line) in sums.iter_mut().zip(&weights[chunk]) {
                let line = load_bytes(line);
                *sums = std::array::from_fn(|i| _mm256_add_epi32(sums[i], multiply(inputs, line[i])));
            }
        }
    }
    sums
}

/// A bit for each chunk of a vector of inputs that is not zero.
#[target_feature(enable = "avx2")]
#[inline]
fn nonzero_chunks<const CHUNK: usize>(bytes: &[u8; 32]) -> u64 {
    // SAFETY: the array is 32 bytes long.
    let bytes = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
    // No byte is above 127: a group that is not zero is a positive number.
    if CHUNK == 8 {
        let nonzero = _mm256_cmpgt_epi64(bytes, _mm256_setzero_si256());
        (_mm256_movemask_pd(_mm256_castsi256_pd(nonzero)) as u64) & 0xF
    } else {
        let nonzero = _mm256_cmpgt_epi32(bytes, _mm256_setzero_si256());
        u64::from(_mm256_movemask_ps(_mm256_castsi256_ps(nonzero)) as u8)
    }
}

/// A chunk of inputs as often as a vector has room for it.
#[target_feature(enable = "avx2")]
#[inline]
fn broadcast<const CHUNK: usize>(chunk: &[u8; CHUNK]) -> __m256i {
    match *chunk.as_slice() {
        [a, b, c, d] => _mm256_set1_epi32(i32::from_ne_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => _mm256_set1_epi64x(i64::from_ne_bytes([a, b, c, d, e, f, g, h])),
        _ => unreachable!("chunks have four or eight bytes"),
    }
}

/// The output of the last layer.
#[target_feature(enable = "avx2")]
#[inline]
fn last(lines: &[Bytes], sizes: &DenseSizes, input: &[u8]) -> i32 {
    let (biases, weights) = block(lines, sizes, 0);
    let mut sums = _mm256_setzero_si256();
    for (number, bytes) in input.as_chunks::<32>().0.iter().enumerate() {
        // SAFETY: the array is 32 bytes long.
        let bytes = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
        sums = _mm256_add_epi32(sums, multiply(bytes, load_bytes(&weights[number / 2])[number % 2]));
    }
    horizontal_sum(sums).wrapping_add(i32::from_le_bytes(biases[0].0.as_chunks().0[0]))
}

/// Four products of bytes added up in each 32 bits. Inputs up to 127 leave no room for saturation on the way.
#[target_feature(enable = "avx2")]
#[inline]
fn multiply(inputs: __m256i, weights: __m256i) -> __m256i {
    _mm256_madd_epi16(_mm256_maddubs_epi16(inputs, weights), _mm256_set1_epi16(1))
}

/// Sixteen outputs of a layer as the next one sees them.
#[target_feature(enable = "avx2")]
#[inline]
fn store_clipped([low, high]: [__m256i; 2], bytes: &mut [u8], at: usize) {
    // Both packs saturate only what is clipped anyway.
    let words = _mm256_packs_epi32(_mm256_srai_epi32::<6>(low), _mm256_srai_epi32::<6>(high));
    let words = _mm256_permute4x64_epi64::<0b11_01_10_00>(words);
    let packed = _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
    let packed = _mm_max_epi8(packed, _mm_setzero_si128());
    let place = &mut bytes[at..at + 16];
    // SAFETY: the place is 16 bytes long.
    unsafe { _mm_storeu_si128(place.as_mut_ptr().cast(), packed) };
}

#[target_feature(enable = "avx2")]
#[inline]
fn store_sums(sums: [__m256i; 2], place: &mut [i32], at: usize) {
    for (part, sums) in place[at..at + 16].as_chunks_mut::<8>().0.iter_mut().zip(sums) {
        // SAFETY: eight numbers of 32 bits are 32 bytes.
        unsafe { _mm256_storeu_si256(part.as_mut_ptr().cast(), sums) };
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn horizontal_sum(sums: __m256i) -> i32 {
    let sums = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
    let sums = _mm_add_epi32(sums, _mm_shuffle_epi32::<0b01_00_11_10>(sums));
    _mm_cvtsi128_si32(_mm_add_epi32(sums, _mm_shuffle_epi32::<0b10_11_00_01>(sums)))
}

#[target_feature(enable = "avx2")]
#[inline]
fn load_words(words: &Words) -> [__m256i; 2] {
    let words: *const i16 = words.0.as_ptr();
    // SAFETY: 32 words are two times 32 bytes.
    unsafe { [_mm256_loadu_si256(words.cast()), _mm256_loadu_si256(words.add(16).cast())] }
}

#[target_feature(enable = "avx2")]
#[inline]
fn load_bytes(line: &Bytes) -> [__m256i; 2] {
    let bytes: *const u8 = line.0.as_ptr();
    // SAFETY: a line is two times 32 bytes.
    unsafe { [_mm256_loadu_si256(bytes.cast()), _mm256_loadu_si256(bytes.add(32).cast())] }
}

#[target_feature(enable = "avx2")]
#[inline]
fn store(place: &mut [u8; 32], bytes: __m256i) {
    // SAFETY: the array is 32 bytes long.
    unsafe { _mm256_storeu_si256(place.as_mut_ptr().cast(), bytes) };
}

/// Bytes in their order after a pack, which takes turns between its operands every eight bytes.
#[target_feature(enable = "avx2")]
#[inline]
fn in_order(packed: __m256i) -> __m256i {
    _mm256_permute4x64_epi64::<0b11_01_10_00>(packed)
}
