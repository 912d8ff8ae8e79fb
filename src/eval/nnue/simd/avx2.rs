//! x86-64 with AVX2.

use super::shared::kernels;
use super::token;
use crate::eval::nnue::layers::{Bytes, Words};
use crate::eval::nnue::scalar;
use std::arch::x86_64::*;

token!(
    Avx2,
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("popcnt")
);

kernels!(
    #[target_feature(enable = "avx2,bmi1,popcnt")]
);

/// A line of an accumulator.
type Line = [__m256i; 2];
/// Sixteen sums of 32 bits.
type Sixteen = [__m256i; 2];
/// Lines in vectors at a time.
const TILE: usize = 4;

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

/// The products of the halves of the accumulators: in vectors where they are a whole number of lines.
#[target_feature(enable = "avx2")]
#[inline]
fn pairwise_products(own: &[Words], other: &[Words], bytes: &mut [u8]) {
    if !own.len().is_multiple_of(2) {
        return scalar::pairwise_products(own, other, bytes);
    }
    let most = _mm256_set1_epi16(254);
    let bytes = bytes.as_chunks_mut::<32>().0;
    for (bytes, words) in bytes.chunks_exact_mut(own.len() / 2).zip([own, other]) {
        let (left, right) = words.split_at(words.len() / 2);
        for (bytes, (left, right)) in bytes.iter_mut().zip(left.iter().zip(right)) {
            let left = load_words(left);
            let right = load_words(right);
            let product = [0, 1].map(|i| {
                // The upper 16 bits of 128 * a * b are a * b / 512. A negative b makes a negative product, which is
                // packed to zero like one of b = 0.
                let a = _mm256_min_epi16(_mm256_max_epi16(left[i], _mm256_setzero_si256()), most);
                let b = _mm256_min_epi16(right[i], most);
                _mm256_mulhi_epi16(_mm256_slli_epi16::<7>(a), b)
            });
            store(bytes, in_order(_mm256_packus_epi16(product[0], product[1])));
        }
    }
}

/// The sums of two numbers beside each other, and eight zeros.
#[target_feature(enable = "avx2")]
#[inline]
fn sums_of_pairs([low, high]: Sixteen) -> Sixteen {
    // Eight of them, in the order of the halves.
    [_mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_hadd_epi32(low, high)), _mm256_setzero_si256()]
}

/// Of 64 chunks the number that must be zero for it to pay to pass over them.
const FEW_ZEROS: u32 = 12;

/// The sums of a block of `LINES` lines, which take `CHUNK` inputs at once. Chunks that are zero are passed over where
/// there are some of them.
#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn dense<const LINES: usize, const CHUNK: usize>(
    biases: &[Bytes],
    weights: &[Bytes],
    input: &[u8],
) -> [Sixteen; LINES] {
    let mut sums: [Sixteen; LINES] = std::array::from_fn(|line| load_bytes(&biases[line]));
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
        if nonzero.count_ones() + FEW_ZEROS > chunks.len() as u32 {
            for (chunk, lines) in chunks.iter().zip(weights) {
                add_products(&mut sums, chunk, lines);
            }
            continue;
        }
        while nonzero != 0 {
            let chunk = nonzero.trailing_zeros() as usize;
            nonzero &= nonzero - 1;
            add_products(&mut sums, &chunks[chunk], &weights[chunk]);
        }
    }
    sums
}

/// Adds the products of a chunk of inputs and its lines of weights.
#[target_feature(enable = "avx2")]
#[inline]
fn add_products<const LINES: usize, const CHUNK: usize>(
    sums: &mut [Sixteen; LINES],
    chunk: &[u8; CHUNK],
    lines: &[Bytes; LINES],
) {
    let inputs = broadcast(chunk);
    for (sums, line) in sums.iter_mut().zip(lines) {
        let line = load_bytes(line);
        *sums = std::array::from_fn(|i| _mm256_add_epi32(sums[i], multiply(inputs, line[i])));
    }
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

/// The sum of the products of inputs and weights.
#[target_feature(enable = "avx2")]
#[inline]
fn dot(input: &[u8], weights: &[Bytes]) -> i32 {
    let mut sums = _mm256_setzero_si256();
    for (number, bytes) in input.as_chunks::<32>().0.iter().enumerate() {
        // SAFETY: the array is 32 bytes long.
        let bytes = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
        sums = _mm256_add_epi32(sums, multiply(bytes, load_bytes(&weights[number / 2])[number % 2]));
    }
    horizontal_sum(sums)
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

/// The first values of these, squared, then as they are: what the first layer of a pairwise net hands on.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn squares_and_values(sums: &[i32], count: usize, bytes: &mut [u8]) {
    if count == 15 {
        store_fifteen(sums, bytes);
    } else {
        scalar::squares_and_values(&sums[..count], &mut bytes[..2 * count]);
    }
}

/// Stores fifteen squares, fifteen values and two zeros.
#[target_feature(enable = "avx2")]
#[inline]
fn store_fifteen(sums: &[i32], bytes: &mut [u8]) {
    let sums = &sums[..16];
    // SAFETY: sixteen numbers of 32 bits are two times 32 bytes.
    let [low, high] =
        unsafe { [_mm256_loadu_si256(sums.as_ptr().cast()), _mm256_loadu_si256(sums.as_ptr().add(8).cast())] };
    // A value that does not fit in 16 bits is clipped both as it is and squared.
    let words = in_order(_mm256_packs_epi32(low, high));
    let squares = _mm256_srli_epi16::<3>(_mm256_mulhi_epi16(words, words));
    let packed = in_order(_mm256_packs_epi16(squares, _mm256_srai_epi16::<6>(words)));
    let packed = _mm256_max_epi8(packed, _mm256_setzero_si256());
    // The sixteenth sum is no value.
    let fifteen = _mm_srli_si128::<1>(_mm_set1_epi8(-1));
    let squares = _mm_and_si128(_mm256_castsi256_si128(packed), fifteen);
    let values = _mm256_extracti128_si256::<1>(packed);
    let first = _mm_or_si128(squares, _mm_slli_si128::<15>(values));
    let second = _mm_srli_si128::<1>(_mm_and_si128(values, fifteen));
    for (place, bytes) in bytes.as_chunks_mut::<16>().0.iter_mut().zip([first, second]) {
        // SAFETY: the array is 16 bytes long.
        unsafe { _mm_storeu_si128(place.as_mut_ptr().cast(), bytes) };
    }
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
pub(crate) fn horizontal_sum(sums: __m256i) -> i32 {
    let sums = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
    let sums = _mm_add_epi32(sums, _mm_shuffle_epi32::<0b01_00_11_10>(sums));
    _mm_cvtsi128_si32(_mm_add_epi32(sums, _mm_shuffle_epi32::<0b10_11_00_01>(sums)))
}

#[target_feature(enable = "avx2")]
#[inline]
fn load_words(words: &Words) -> [__m256i; 2] {
    let words: *const i16 = words.0.as_ptr();
    // SAFETY: 32 words are two times 32 bytes, and begin at a multiple of 64.
    unsafe { [_mm256_load_si256(words.cast()), _mm256_load_si256(words.add(16).cast())] }
}

#[target_feature(enable = "avx2")]
#[inline]
fn store_words(place: &mut Words, [low, high]: Line) {
    let words: *mut i16 = place.0.as_mut_ptr();
    // SAFETY: 32 words are two times 32 bytes, and begin at a multiple of 64.
    unsafe {
        _mm256_store_si256(words.cast(), low);
        _mm256_store_si256(words.add(16).cast(), high);
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn widen(bytes: &[i8; 32]) -> Line {
    let bytes: *const i8 = bytes.as_ptr();
    // SAFETY: the array is two times 16 bytes long.
    let halves = unsafe { [_mm_loadu_si128(bytes.cast()), _mm_loadu_si128(bytes.add(16).cast())] };
    [_mm256_cvtepi8_epi16(halves[0]), _mm256_cvtepi8_epi16(halves[1])]
}

#[target_feature(enable = "avx2")]
#[inline]
fn add_words(a: Line, b: Line) -> Line {
    [_mm256_add_epi16(a[0], b[0]), _mm256_add_epi16(a[1], b[1])]
}

#[target_feature(enable = "avx2")]
#[inline]
fn sub_words(a: Line, b: Line) -> Line {
    [_mm256_sub_epi16(a[0], b[0]), _mm256_sub_epi16(a[1], b[1])]
}

#[target_feature(enable = "avx2")]
#[inline]
fn load_bytes(line: &Bytes) -> [__m256i; 2] {
    let bytes: *const u8 = line.0.as_ptr();
    // SAFETY: a line is two times 32 bytes, and begins at a multiple of 64.
    unsafe { [_mm256_load_si256(bytes.cast()), _mm256_load_si256(bytes.add(32).cast())] }
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
