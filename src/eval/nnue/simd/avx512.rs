//! x86-64 with AVX-512 and its instruction that adds up four products of bytes (VNNI).

use super::avx2::{horizontal_sum, squares_and_values};
use super::shared::kernels;
use super::token;
use crate::eval::nnue::layers::{Bytes, Words};
use crate::eval::nnue::scalar;
use std::arch::x86_64::*;

token!(
    Avx512,
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vnni")
);

kernels!(
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
);

/// A line of an accumulator.
type Line = __m512i;
/// Sixteen sums of 32 bits.
type Sixteen = __m512i;
/// Lines in vectors at a time.
const TILE: usize = 8;

/// The clipped ReLU of a classic net.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
fn clip_accumulators(own: &[Words], other: &[Words], bytes: &mut [u8]) {
    let zero = _mm512_setzero_si512();
    for (bytes, words) in bytes.chunks_exact_mut(Words::LEN * own.len()).zip([own, other]) {
        let (pairs, one) = words.as_chunks::<2>();
        let (places, rest) = bytes.as_chunks_mut::<64>();
        for (bytes, [a, b]) in places.iter_mut().zip(pairs) {
            let packed = _mm512_packs_epi16(load_words(a), load_words(b));
            store_bytes(bytes, in_order(_mm512_max_epi8(packed, zero)));
        }
        for (bytes, words) in rest.as_chunks_mut::<32>().0.iter_mut().zip(one) {
            store_half(bytes, _mm512_cvtsepi16_epi8(_mm512_max_epi16(load_words(words), zero)));
        }
    }
}

/// The products of the halves of the accumulators: in vectors where they are a whole number of lines.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
fn pairwise_products(own: &[Words], other: &[Words], bytes: &mut [u8]) {
    if !own.len().is_multiple_of(2) {
        return scalar::pairwise_products(own, other, bytes);
    }
    for (bytes, words) in bytes.chunks_exact_mut(Words::LEN * own.len() / 2).zip([own, other]) {
        let (left, right) = words.split_at(words.len() / 2);
        let (left, left_one) = left.as_chunks::<2>();
        let (right, right_one) = right.as_chunks::<2>();
        let (places, rest) = bytes.as_chunks_mut::<64>();
        for (bytes, ([a, b], [x, y])) in places.iter_mut().zip(left.iter().zip(right)) {
            store_bytes(bytes, in_order(_mm512_packus_epi16(products(a, x), products(b, y))));
        }
        for (bytes, (a, x)) in rest.as_chunks_mut::<32>().0.iter_mut().zip(left_one.iter().zip(right_one)) {
            store_half(bytes, _mm512_cvtepi16_epi8(_mm512_max_epi16(products(a, x), _mm512_setzero_si512())));
        }
    }
}

/// Products of clipped numbers over 512. A product that is to be zero may be negative.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn products(left: &Words, right: &Words) -> __m512i {
    // The upper 16 bits of 128 * a * b are a * b / 512. A negative b makes a negative product, which is packed to zero
    // like one of b = 0.
    let most = _mm512_set1_epi16(254);
    let a = _mm512_min_epi16(_mm512_max_epi16(load_words(left), _mm512_setzero_si512()), most);
    let b = _mm512_min_epi16(load_words(right), most);
    _mm512_mulhi_epi16(_mm512_slli_epi16::<7>(a), b)
}

/// The sums of two numbers beside each other, and eight zeros.
#[target_feature(enable = "avx512f,avx512vl")]
#[inline]
fn sums_of_pairs(pairs: __m512i) -> __m512i {
    let sums = _mm512_add_epi32(pairs, _mm512_srli_epi64::<32>(pairs));
    _mm512_zextsi256_si512(_mm512_cvtepi64_epi32(sums))
}

/// The sums of a block of `LINES` lines, which take `CHUNK` inputs at once. Chunks of zeros are not passed over, as
/// they are with AVX2: a branch for each takes longer than to multiply all of them.
#[target_feature(enable = "avx512f,avx512vnni")]
#[inline]
fn dense<const LINES: usize, const CHUNK: usize>(
    biases: &[Bytes],
    weights: &[Bytes],
    input: &[u8],
) -> [__m512i; LINES] {
    if input.len() > 64 {
        chains::<LINES, CHUNK, 8>(biases, weights, input)
    } else {
        chains::<LINES, CHUNK, 2>(biases, weights, input)
    }
}

/// The sums of a block in `CHAINS` of additions, so that one need not wait for the other.
#[target_feature(enable = "avx512f,avx512vnni")]
#[inline]
fn chains<const LINES: usize, const CHUNK: usize, const CHAINS: usize>(
    biases: &[Bytes],
    weights: &[Bytes],
    input: &[u8],
) -> [__m512i; LINES] {
    let mut chains = [[_mm512_setzero_si512(); LINES]; CHAINS];
    let weights = weights.as_chunks::<LINES>().0.chunks_exact(32 / CHUNK);
    for (vector, weights) in input.as_chunks::<32>().0.iter().zip(weights) {
        for (i, (chunk, lines)) in vector.as_chunks::<CHUNK>().0.iter().zip(weights).enumerate() {
            let inputs = broadcast(chunk);
            for (sums, line) in chains[i % CHAINS].iter_mut().zip(lines) {
                *sums = _mm512_dpbusd_epi32(*sums, inputs, load_bytes(line));
            }
        }
    }
    let mut sums: [__m512i; LINES] = std::array::from_fn(|line| load_bytes(&biases[line]));
    for chain in chains {
        sums = std::array::from_fn(|line| _mm512_add_epi32(sums[line], chain[line]));
    }
    sums
}

/// A chunk of inputs as often as a vector has room for it.
#[target_feature(enable = "avx512f")]
#[inline]
fn broadcast<const CHUNK: usize>(chunk: &[u8; CHUNK]) -> __m512i {
    match *chunk.as_slice() {
        [a, b, c, d] => _mm512_set1_epi32(i32::from_ne_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => _mm512_set1_epi64(i64::from_ne_bytes([a, b, c, d, e, f, g, h])),
        _ => unreachable!("chunks have four or eight bytes"),
    }
}

/// The sum of the products of inputs and weights.
#[target_feature(enable = "avx512f,avx512vl,avx512vnni")]
#[inline]
fn dot(input: &[u8], weights: &[Bytes]) -> i32 {
    let mut sums = _mm256_setzero_si256();
    for (number, bytes) in input.as_chunks::<32>().0.iter().enumerate() {
        let weights = &weights[number / 2].0.as_chunks::<32>().0[number % 2];
        // SAFETY: both arrays are 32 bytes long.
        let [bytes, weights] =
            unsafe { [_mm256_loadu_si256(bytes.as_ptr().cast()), _mm256_loadu_si256(weights.as_ptr().cast())] };
        sums = _mm256_dpbusd_epi32(sums, bytes, weights);
    }
    horizontal_sum(sums)
}

/// Stores sixteen outputs of a layer as the next one sees them.
#[target_feature(enable = "avx512f")]
#[inline]
fn store_clipped(sums: __m512i, bytes: &mut [u8], at: usize) {
    let values = _mm512_max_epi32(_mm512_srai_epi32::<6>(sums), _mm512_setzero_si512());
    let values = _mm512_cvtepi32_epi8(_mm512_min_epi32(values, _mm512_set1_epi32(127)));
    let place = &mut bytes[at..at + 16];
    // SAFETY: the place is 16 bytes long.
    unsafe { _mm_storeu_si128(place.as_mut_ptr().cast(), values) };
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store_sums(sums: __m512i, place: &mut [i32], at: usize) {
    let place = &mut place[at..at + 16];
    // SAFETY: sixteen numbers of 32 bits are 64 bytes.
    unsafe { _mm512_storeu_si512(place.as_mut_ptr().cast(), sums) };
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load_words(words: &Words) -> __m512i {
    // SAFETY: 32 words are 64 bytes, and begin at a multiple of 64.
    unsafe { _mm512_load_si512(words.0.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store_words(place: &mut Words, words: __m512i) {
    // SAFETY: 32 words are 64 bytes, and begin at a multiple of 64.
    unsafe { _mm512_store_si512(place.0.as_mut_ptr().cast(), words) };
}

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn widen(bytes: &[i8; 32]) -> Line {
    // SAFETY: the array is 32 bytes long.
    _mm512_cvtepi8_epi16(unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) })
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn add_words(a: __m512i, b: __m512i) -> __m512i {
    _mm512_add_epi16(a, b)
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn sub_words(a: __m512i, b: __m512i) -> __m512i {
    _mm512_sub_epi16(a, b)
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load_bytes(line: &Bytes) -> __m512i {
    // SAFETY: a line is 64 bytes long, and begins at a multiple of 64.
    unsafe { _mm512_load_si512(line.0.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store_bytes(place: &mut [u8; 64], bytes: __m512i) {
    // SAFETY: the array is 64 bytes long.
    unsafe { _mm512_storeu_si512(place.as_mut_ptr().cast(), bytes) };
}

#[target_feature(enable = "avx2")]
#[inline]
fn store_half(place: &mut [u8; 32], bytes: __m256i) {
    // SAFETY: the array is 32 bytes long.
    unsafe { _mm256_storeu_si256(place.as_mut_ptr().cast(), bytes) };
}

/// Bytes in their order after a pack, which takes turns between its operands every eight bytes.
#[target_feature(enable = "avx512f")]
#[inline]
fn in_order(packed: __m512i) -> __m512i {
    _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), packed)
}
