//! x86-64 with AVX-512 and its instruction that adds up four products of bytes (VNNI).

use super::{Accumulator, ClassicLayers, Kernels, PairwiseLayers, WeightRow};
use crate::eval::nnue::net::Dense;
use crate::eval::nnue::shape::{CLASSIC_WIDTH, PAIRWISE_HIDDEN, PAIRWISE_WIDTH};
use std::arch::x86_64::*;

kernels!(
    Avx512,
    "avx512f,avx512bw,avx512vl,avx512vnni",
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vnni")
);

/// Sums of the first layer that are made beside each other.
const CHAINS: usize = 8;

#[repr(C, align(64))]
struct Aligned<const G: usize>([[u8; 4]; G]);

/// By hand, because the compiler on its own chooses vectors of half the length.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn update<const W: usize, const N: usize>(
    from: &Accumulator<W>,
    to: &mut Accumulator<W>,
    sub: [&WeightRow<W>; N],
    add: [&WeightRow<W>; N],
) {
    const { assert!(W.is_multiple_of(64)) };
    for (i, (from, to)) in from.0.as_chunks::<64>().0.iter().zip(to.0.as_chunks_mut::<64>().0).enumerate() {
        let [mut low, mut high] = load_words(from);
        for n in 0..N {
            let [sub_low, sub_high] = load_words(&sub[n].0.as_chunks().0[i]);
            let [add_low, add_high] = load_words(&add[n].0.as_chunks().0[i]);
            low = _mm512_add_epi16(_mm512_sub_epi16(low, sub_low), add_low);
            high = _mm512_add_epi16(_mm512_sub_epi16(high, sub_high), add_high);
        }
        // SAFETY: 64 words are two times 64 bytes.
        unsafe {
            _mm512_storeu_si512(to.as_mut_ptr().cast(), low);
            _mm512_storeu_si512(to.as_mut_ptr().add(32).cast(), high);
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn classic(layers: &ClassicLayers, own: &Accumulator<CLASSIC_WIDTH>, other: &Accumulator<CLASSIC_WIDTH>) -> i32 {
    let mut bytes = [_mm512_setzero_si512(); 8];
    for (half, accumulator) in bytes.as_chunks_mut::<4>().0.iter_mut().zip([own, other]) {
        for (bytes, words) in half.iter_mut().zip(accumulator.0.as_chunks::<64>().0) {
            let [a, b] = load_words(words);
            let packed = _mm512_packs_epi16(a, b);
            *bytes = in_order(_mm512_max_epi8(packed, _mm512_setzero_si512()));
        }
    }
    let sums: [__m512i; 2] = first_layer(&layers.first, bytes);
    tail(&layers.second, &layers.output, sums.map(|sums| clipped(sums)))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn pairwise(layers: &PairwiseLayers, own: &Accumulator<PAIRWISE_WIDTH>, other: &Accumulator<PAIRWISE_WIDTH>) -> i32 {
    let most = _mm512_set1_epi16(254);
    let mut bytes = [_mm512_setzero_si512(); 8];
    for (half, accumulator) in bytes.as_chunks_mut::<4>().0.iter_mut().zip([own, other]) {
        let (left, right) = accumulator.0.as_chunks::<64>().0.split_at(4);
        for ((bytes, left), right) in half.iter_mut().zip(left).zip(right) {
            let (left, right) = (load_words(left), load_words(right));
            let product = [0, 1].map(|i| {
                // The upper 16 bits of 128 * a * b are a * b / 512. A negative b makes a negative product, which is packed
                // to zero like one of b = 0.
                let a = _mm512_min_epi16(_mm512_max_epi16(left[i], _mm512_setzero_si512()), most);
                let b = _mm512_min_epi16(right[i], most);
                _mm512_mulhi_epi16(_mm512_slli_epi16::<7>(a), b)
            });
            *bytes = in_order(_mm512_packus_epi16(product[0], product[1]));
        }
    }
    let [sums] = first_layer(&layers.first, bytes);
    let shortcut = _mm_extract_epi32::<3>(_mm512_extracti32x4_epi32::<3>(sums));
    // A value that does not fit in 16 bits is clipped both as it is and squared.
    let words = _mm256_maskz_mov_epi16((1 << PAIRWISE_HIDDEN) - 1, _mm512_cvtsepi32_epi16(sums));
    let most = _mm256_set1_epi16(127);
    let squares = _mm256_srli_epi16::<3>(_mm256_mulhi_epi16(words, words));
    let squares = _mm256_cvtepi16_epi8(_mm256_min_epi16(squares, most));
    let values = _mm256_srai_epi16::<6>(_mm256_max_epi16(words, _mm256_setzero_si256()));
    let values = _mm256_cvtepi16_epi8(_mm256_min_epi16(values, most));
    // Fifteen squares, fifteen values, two zeros.
    let low = _mm_or_si128(squares, _mm_slli_si128::<{ PAIRWISE_HIDDEN as i32 }>(values));
    let high = _mm_srli_si128::<1>(values);
    tail(&layers.second, &layers.output, [low, high]).wrapping_add(shortcut)
}

/// The outputs of the first layer for 512 bytes of input, sixteen in a vector. Groups of four zeros are not passed over, as
/// they are with AVX2: a branch for each group that is not zero takes longer than to multiply all of them.
#[target_feature(enable = "avx512f,avx512vnni")]
#[inline]
fn first_layer<const I: usize, const O: usize, const N: usize>(
    layer: &Dense<I, O, 128>,
    input: [__m512i; 8],
) -> [__m512i; N] {
    const { assert!(O == 16 * N) };
    let mut bytes = Aligned([[0; 4]; 128]);
    for (part, input) in bytes.0.as_chunks_mut::<16>().0.iter_mut().zip(input) {
        // SAFETY: 16 groups of four bytes are 64 bytes.
        unsafe { _mm512_storeu_si512(part.as_mut_ptr().cast(), input) };
    }
    // Chains of additions, so that one need not wait for the other.
    let mut chains = [[_mm512_setzero_si512(); N]; CHAINS];
    for first in (0..128).step_by(CHAINS) {
        for (i, sums) in chains.iter_mut().enumerate() {
            add_group(layer, &bytes.0, first + i, sums);
        }
    }
    chains.iter().fold(biases(layer), |sums, chain| std::array::from_fn(|n| _mm512_add_epi32(sums[n], chain[n])))
}

/// The last two layers, from 32 bytes on.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
#[inline]
fn tail(second: &Dense<32, 32, 8>, output: &Dense<32, 1, 8>, input: [__m128i; 2]) -> i32 {
    let mut bytes = Aligned([[0; 4]; 8]);
    for (part, bytes) in bytes.0.as_chunks_mut::<4>().0.iter_mut().zip(input) {
        // SAFETY: four groups of four bytes are 16 bytes.
        unsafe { _mm_storeu_si128(part.as_mut_ptr().cast(), bytes) };
    }
    let mut sums: [__m512i; 2] = biases(second);
    let mut more = [_mm512_setzero_si512(); 2];
    for group in 0..4 {
        add_group(second, &bytes.0, group, &mut sums);
        add_group(second, &bytes.0, group + 4, &mut more);
    }
    let [low, high] = [0, 1].map(|n| clipped(_mm512_add_epi32(sums[n], more[n])));
    // SAFETY: the row of weights is 32 bytes long.
    let weights = unsafe { _mm256_loadu_si256(output.rows[0].as_ptr().cast()) };
    let products = _mm256_dpbusd_epi32(_mm256_setzero_si256(), _mm256_set_m128i(high, low), weights);
    horizontal_sum(products).wrapping_add(output.biases[0])
}

/// Adds the products of four inputs with their weights to all outputs.
#[target_feature(enable = "avx512f,avx512vnni")]
#[inline]
fn add_group<const I: usize, const O: usize, const G: usize, const N: usize>(
    layer: &Dense<I, O, G>,
    input: &[[u8; 4]; G],
    group: usize,
    sums: &mut [__m512i; N],
) {
    let inputs = _mm512_set1_epi32(i32::from_ne_bytes(input[group]));
    for (sums, weights) in sums.iter_mut().zip(layer.groups[group].as_chunks::<16>().0) {
        // SAFETY: 16 outputs with four weights each are 64 bytes.
        let weights = unsafe { _mm512_loadu_si512(weights.as_ptr().cast()) };
        *sums = _mm512_dpbusd_epi32(*sums, inputs, weights);
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn biases<const I: usize, const O: usize, const G: usize, const N: usize>(layer: &Dense<I, O, G>) -> [__m512i; N] {
    const { assert!(O == 16 * N) };
    // SAFETY: each of the N parts of 16 biases is 64 bytes long.
    std::array::from_fn(|n| unsafe { _mm512_loadu_si512(layer.biases[16 * n..][..16].as_ptr().cast()) })
}

/// 16 outputs of a layer as the next one sees them.
#[target_feature(enable = "avx512f")]
#[inline]
fn clipped(sums: __m512i) -> __m128i {
    let values = _mm512_max_epi32(_mm512_srai_epi32::<6>(sums), _mm512_setzero_si512());
    _mm512_cvtepi32_epi8(_mm512_min_epi32(values, _mm512_set1_epi32(127)))
}

#[target_feature(enable = "avx2")]
#[inline]
fn horizontal_sum(sums: __m256i) -> i32 {
    let sums = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
    let sums = _mm_add_epi32(sums, _mm_shuffle_epi32::<0b01_00_11_10>(sums));
    _mm_cvtsi128_si32(_mm_add_epi32(sums, _mm_shuffle_epi32::<0b10_11_00_01>(sums)))
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load_words(words: &[i16; 64]) -> [__m512i; 2] {
    // SAFETY: 64 words are two times 64 bytes.
    unsafe { [_mm512_loadu_si512(words.as_ptr().cast()), _mm512_loadu_si512(words.as_ptr().add(32).cast())] }
}

/// Bytes in their order after a pack, which takes turns between its operands every eight bytes.
#[target_feature(enable = "avx512f")]
#[inline]
fn in_order(packed: __m512i) -> __m512i {
    _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), packed)
}
