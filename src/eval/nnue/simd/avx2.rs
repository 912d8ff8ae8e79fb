//! x86-64 with AVX2.

use super::{Accumulator, ClassicLayers, Kernels, PairwiseLayers, WeightRow};
use crate::eval::nnue::net::Dense;
use crate::eval::nnue::scalar;
use crate::eval::nnue::shape::{CLASSIC_WIDTH, PAIRWISE_HIDDEN, PAIRWISE_WIDTH};
use std::arch::x86_64::*;

kernels!(Avx2, "avx2,bmi1", is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1"));

/// The 512 bytes that go into the first layer, and a bit for each group of four that is not zero.
struct Input {
    bytes: Aligned<128>,
    nonzero: [u64; 2],
}

#[repr(C, align(32))]
struct Aligned<const G: usize>([[u8; 4]; G]);

impl Input {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn new(parts: [__m256i; 16]) -> Input {
        let mut input = Input { bytes: Aligned([[0; 4]; 128]), nonzero: [0; 2] };
        for (i, (part, bytes)) in input.bytes.0.as_chunks_mut::<8>().0.iter_mut().zip(parts).enumerate() {
            // SAFETY: eight groups of four bytes are 32 bytes.
            unsafe { _mm256_storeu_si256(part.as_mut_ptr().cast(), bytes) };
            // No byte is above 127: a group that is not zero is a positive number.
            let nonzero = _mm256_cmpgt_epi32(bytes, _mm256_setzero_si256());
            let nonzero = _mm256_movemask_ps(_mm256_castsi256_ps(nonzero)) as u8;
            input.nonzero[i / 8] |= u64::from(nonzero) << (8 * (i % 8));
        }
        input
    }
}

#[target_feature(enable = "avx2,bmi1")]
fn update<const W: usize, const N: usize>(
    from: &Accumulator<W>,
    to: &mut Accumulator<W>,
    sub: [&WeightRow<W>; N],
    add: [&WeightRow<W>; N],
) {
    super::update(from, to, sub, add);
}

#[target_feature(enable = "avx2,bmi1")]
fn classic(layers: &ClassicLayers, own: &Accumulator<CLASSIC_WIDTH>, other: &Accumulator<CLASSIC_WIDTH>) -> i32 {
    let mut bytes = [_mm256_setzero_si256(); 16];
    for (half, accumulator) in bytes.as_chunks_mut::<8>().0.iter_mut().zip([own, other]) {
        for (bytes, words) in half.iter_mut().zip(accumulator.0.as_chunks::<32>().0) {
            let [a, b] = load_words(words);
            let packed = _mm256_packs_epi16(a, b);
            *bytes = in_order(_mm256_max_epi8(packed, _mm256_setzero_si256()));
        }
    }
    let sums = first_layer(&layers.first, &Input::new(bytes));
    tail(&layers.second, &layers.output, clipped(sums))
}

#[target_feature(enable = "avx2,bmi1")]
fn pairwise(layers: &PairwiseLayers, own: &Accumulator<PAIRWISE_WIDTH>, other: &Accumulator<PAIRWISE_WIDTH>) -> i32 {
    let most = _mm256_set1_epi16(254);
    let mut bytes = [_mm256_setzero_si256(); 16];
    for (half, accumulator) in bytes.as_chunks_mut::<8>().0.iter_mut().zip([own, other]) {
        let (left, right) = accumulator.0.as_chunks::<32>().0.split_at(8);
        for ((bytes, left), right) in half.iter_mut().zip(left).zip(right) {
            let (left, right) = (load_words(left), load_words(right));
            let product = [0, 1].map(|i| {
                // The upper 16 bits of 128 * a * b are a * b / 512. A negative b makes a negative product, which is packed
                // to zero like one of b = 0.
                let a = _mm256_min_epi16(_mm256_max_epi16(left[i], _mm256_setzero_si256()), most);
                let b = _mm256_min_epi16(right[i], most);
                _mm256_mulhi_epi16(_mm256_slli_epi16::<7>(a), b)
            });
            *bytes = in_order(_mm256_packus_epi16(product[0], product[1]));
        }
    }
    let sums: [__m256i; 2] = first_layer(&layers.first, &Input::new(bytes));
    let mut first = [0; PAIRWISE_HIDDEN + 1];
    for (part, sums) in first.as_chunks_mut::<8>().0.iter_mut().zip(sums) {
        // SAFETY: eight numbers of 32 bits are 32 bytes.
        unsafe { _mm256_storeu_si256(part.as_mut_ptr().cast(), sums) };
    }
    let second = scalar::squares_and_values(&first);
    // SAFETY: the array has 32 bytes.
    let second = unsafe { _mm256_loadu_si256(second.as_ptr().cast()) };
    tail(&layers.second, &layers.output, second).wrapping_add(first[PAIRWISE_HIDDEN])
}

/// The outputs of the first layer, eight in a vector. Groups of inputs that are zero are passed over.
#[target_feature(enable = "avx2,bmi1")]
#[inline]
fn first_layer<const I: usize, const O: usize, const N: usize>(
    layer: &Dense<I, O, 128>,
    input: &Input,
) -> [__m256i; N] {
    let mut sums = biases(layer);
    for (word, mut groups) in input.nonzero.into_iter().enumerate() {
        while groups != 0 {
            let group = 64 * word + (groups.trailing_zeros() as usize & 63);
            groups &= groups - 1;
            add_group(layer, &input.bytes.0, group, &mut sums);
        }
    }
    sums
}

/// The last two layers, from 32 bytes on.
#[target_feature(enable = "avx2")]
#[inline]
fn tail(second: &Dense<32, 32, 8>, output: &Dense<32, 1, 8>, input: __m256i) -> i32 {
    let mut bytes = Aligned([[0; 4]; 8]);
    // SAFETY: eight groups of four bytes are 32 bytes.
    unsafe { _mm256_storeu_si256(bytes.0.as_mut_ptr().cast(), input) };
    let mut sums = biases(second);
    for group in 0..8 {
        add_group(second, &bytes.0, group, &mut sums);
    }
    // SAFETY: the row of weights is 32 bytes long.
    let weights = unsafe { _mm256_loadu_si256(output.rows[0].as_ptr().cast()) };
    let products = multiply(clipped(sums), weights);
    horizontal_sum(products).wrapping_add(output.biases[0])
}

/// Adds the products of four inputs with their weights to all outputs.
#[target_feature(enable = "avx2")]
#[inline]
fn add_group<const I: usize, const O: usize, const G: usize, const N: usize>(
    layer: &Dense<I, O, G>,
    input: &[[u8; 4]; G],
    group: usize,
    sums: &mut [__m256i; N],
) {
    let inputs = _mm256_set1_epi32(i32::from_ne_bytes(input[group]));
    for (sums, weights) in sums.iter_mut().zip(layer.groups[group].as_chunks::<8>().0) {
        // SAFETY: eight outputs with four weights each are 32 bytes.
        let weights = unsafe { _mm256_loadu_si256(weights.as_ptr().cast()) };
        *sums = _mm256_add_epi32(*sums, multiply(inputs, weights));
    }
}

/// Four products of bytes added up in each 32 bits. Inputs up to 127 leave no room for saturation on the way.
#[target_feature(enable = "avx2")]
#[inline]
fn multiply(inputs: __m256i, weights: __m256i) -> __m256i {
    _mm256_madd_epi16(_mm256_maddubs_epi16(inputs, weights), _mm256_set1_epi16(1))
}

#[target_feature(enable = "avx2")]
#[inline]
fn biases<const I: usize, const O: usize, const G: usize, const N: usize>(layer: &Dense<I, O, G>) -> [__m256i; N] {
    const { assert!(O == 8 * N) };
    // SAFETY: each of the N parts of eight biases is 32 bytes long.
    std::array::from_fn(|n| unsafe { _mm256_loadu_si256(layer.biases[8 * n..][..8].as_ptr().cast()) })
}

/// 32 outputs of a layer as the next one sees them.
#[target_feature(enable = "avx2")]
#[inline]
fn clipped(sums: [__m256i; 4]) -> __m256i {
    // Both packs saturate only what is clipped anyway.
    let [a, b, c, d] = sums.map(|sums| _mm256_srai_epi32::<6>(sums));
    let packed = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
    let bytes = _mm256_max_epi8(packed, _mm256_setzero_si256());
    _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7))
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
fn load_words(words: &[i16; 32]) -> [__m256i; 2] {
    // SAFETY: 32 words are two times 32 bytes.
    unsafe { [_mm256_loadu_si256(words.as_ptr().cast()), _mm256_loadu_si256(words.as_ptr().add(16).cast())] }
}

/// Bytes in their order after a pack, which takes turns between its operands every eight bytes.
#[target_feature(enable = "avx2")]
#[inline]
fn in_order(packed: __m256i) -> __m256i {
    _mm256_permute4x64_epi64::<0b11_01_10_00>(packed)
}
