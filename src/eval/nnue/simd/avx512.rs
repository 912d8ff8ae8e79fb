//! x86-64 with AVX-512 and its instruction that adds up four products of bytes (VNNI).

use super::sizes::{KnownSizes, for_sizes};
use super::{Changes, Kernels, for_width, token};
use crate::eval::nnue::layers::{DenseSizes, Form, LayerStacks, Scratch, Sizes, block};
use crate::eval::nnue::lines::{Bytes, Words};
use crate::eval::nnue::net::Transformer;
use crate::eval::nnue::scalar;
use std::arch::x86_64::*;

token!(
    Avx512,
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vnni")
);

pub(super) fn kernels(sizes: &Sizes) -> Kernels {
    Kernels { update: for_width!(sizes, update), apply: for_width!(sizes, apply), forward: for_sizes!(sizes, forward) }
}

/// [`Kernels::update`]; `LINES` of an accumulator, 0 for any number.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
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

/// `to` becomes `from` less some rows, plus as many others. By hand, because the compiler on its own chooses vectors of half
/// the length.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn add_rows<const N: usize>(from: &[Words], to: &mut [Words], sub: [&[Words]; N], add: [&[Words]; N]) {
    for (i, (from, to)) in from.iter().zip(to).enumerate() {
        let mut sums = load_words(from);
        for n in 0..N {
            sums = _mm512_add_epi16(_mm512_sub_epi16(sums, load_words(&sub[n][i])), load_words(&add[n][i]));
        }
        store_words(to, sums);
    }
}

/// [`Kernels::apply`]. Four rows at a time, so that the accumulator is read and written a quarter as often.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn apply<const LINES: usize>(transformer: &Transformer, accumulator: &mut [Words], sub: &[u32], add: &[u32]) {
    let lines = if LINES == 0 { transformer.lines } else { LINES };
    let accumulator = &mut accumulator[..lines];
    let row = |input: u32| &transformer.rows[input as usize * lines..][..lines];
    let pairs = sub.len().min(add.len());
    let (twos_sub, ones_sub) = sub[..pairs].as_chunks::<2>();
    let (twos_add, ones_add) = add[..pairs].as_chunks::<2>();
    for (&[a, b], &[x, y]) in twos_sub.iter().zip(twos_add) {
        let (a, b, x, y) = (row(a), row(b), row(x), row(y));
        for (i, line) in accumulator.iter_mut().enumerate() {
            let less = _mm512_sub_epi16(_mm512_sub_epi16(load_words(line), load_words(&a[i])), load_words(&b[i]));
            let sums = _mm512_add_epi16(_mm512_add_epi16(less, load_words(&x[i])), load_words(&y[i]));
            store_words(line, sums);
        }
    }
    for &input in ones_sub.iter().chain(&sub[pairs..]) {
        for (line, row) in accumulator.iter_mut().zip(row(input)) {
            store_words(line, _mm512_sub_epi16(load_words(line), load_words(row)));
        }
    }
    let rest = &add[pairs..];
    let (fours, few) = rest.as_chunks::<4>();
    for inputs in fours {
        let [a, b, c, d] = inputs.map(row);
        for (i, line) in accumulator.iter_mut().enumerate() {
            let left = _mm512_add_epi16(_mm512_add_epi16(load_words(line), load_words(&a[i])), load_words(&b[i]));
            store_words(line, _mm512_add_epi16(_mm512_add_epi16(left, load_words(&c[i])), load_words(&d[i])));
        }
    }
    for &input in ones_add.iter().chain(few) {
        for (line, row) in accumulator.iter_mut().zip(row(input)) {
            store_words(line, _mm512_add_epi16(load_words(line), load_words(row)));
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
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
    if !sizes.is_pairwise {
        hidden::<8>(lines, first, bytes, |at, sums| store_clipped(sums, &mut scratch.second, at));
    } else if first.form == Form::Single && sizes.hidden == 15 && sizes.has_shortcut {
        let (biases, weights) = block(lines, first, 0);
        let [sums] = dense::<1, 4, 8>(biases, weights, bytes);
        shortcut = _mm_extract_epi32::<3>(_mm512_extracti32x4_epi32::<3>(sums));
        store_fifteen(sums, &mut scratch.second);
    } else {
        hidden::<8>(lines, first, bytes, |at, sums| store_sums(sums, &mut scratch.sums, at));
        scalar::squares_and_values(&scratch.sums[..sizes.hidden], &mut scratch.second[..2 * sizes.hidden]);
        if sizes.has_shortcut {
            shortcut = scratch.sums[sizes.hidden];
        }
    }
    hidden::<2>(lines, second, &scratch.second[..second.inputs], |at, sums| {
        store_clipped(sums, &mut scratch.third, at);
    });
    last(lines, output, &scratch.third[..output.inputs]).wrapping_add(shortcut)
}

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

/// The products of the halves of the accumulators, which are a whole number of lines.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
fn pairwise_products(own: &[Words], other: &[Words], bytes: &mut [u8]) {
    for (bytes, words) in bytes.chunks_exact_mut(Words::LEN * own.len() / 2).zip([own, other]) {
        let (left, right) = words.split_at(words.len() / 2);
        let ((left, left_one), (right, right_one)) = (left.as_chunks::<2>(), right.as_chunks::<2>());
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
    // The upper 16 bits of 128 * a * b are a * b / 512. A negative b makes a negative product, which is packed to zero like
    // one of b = 0.
    let most = _mm512_set1_epi16(254);
    let a = _mm512_min_epi16(_mm512_max_epi16(load_words(left), _mm512_setzero_si512()), most);
    let b = _mm512_min_epi16(load_words(right), most);
    _mm512_mulhi_epi16(_mm512_slli_epi16::<7>(a), b)
}

/// A hidden layer: hands out the sums of each block of outputs, sixteen at a time with the number of the first.
#[target_feature(enable = "avx512f,avx512vl,avx512vnni")]
#[inline]
fn hidden<const CHAINS: usize>(
    lines: &[Bytes],
    sizes: &DenseSizes,
    input: &[u8],
    mut take: impl FnMut(usize, __m512i),
) {
    for number in 0..sizes.blocks {
        let (biases, weights) = block(lines, sizes, number);
        match sizes.form {
            Form::Narrow => {
                let [sums] = dense::<1, 8, 4>(biases, weights, input);
                // Two sums beside each other make an output.
                let sums = _mm512_add_epi32(sums, _mm512_srli_epi64::<32>(sums));
                take(8 * number, _mm512_zextsi256_si512(_mm512_cvtepi64_epi32(sums)));
            }
            Form::Single => {
                let [sums] = dense::<1, 4, CHAINS>(biases, weights, input);
                take(16 * number, sums);
            }
            Form::Double => {
                let [low, high] = dense::<2, 4, CHAINS>(biases, weights, input);
                take(32 * number, low);
                take(32 * number + 16, high);
            }
            Form::Row => unreachable!("hidden layers have several outputs"),
        }
    }
}

/// The sums of a block of `LINES` lines, which take `CHUNK` inputs at once, in `CHAINS` of additions, so that one need not
/// wait for the other. Chunks of zeros are not passed over, as they are with AVX2: a branch for each takes longer than to
/// multiply all of them.
#[target_feature(enable = "avx512f,avx512vnni")]
#[inline]
fn dense<const LINES: usize, const CHUNK: usize, const CHAINS: usize>(
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

/// The output of the last layer.
#[target_feature(enable = "avx512f,avx512vl,avx512vnni")]
#[inline]
fn last(lines: &[Bytes], sizes: &DenseSizes, input: &[u8]) -> i32 {
    let (biases, weights) = block(lines, sizes, 0);
    let mut sums = _mm256_setzero_si256();
    for (number, bytes) in input.as_chunks::<32>().0.iter().enumerate() {
        let weights = &weights[number / 2].0.as_chunks::<32>().0[number % 2];
        // SAFETY: both arrays are 32 bytes long.
        let (bytes, weights) =
            unsafe { (_mm256_loadu_si256(bytes.as_ptr().cast()), _mm256_loadu_si256(weights.as_ptr().cast())) };
        sums = _mm256_dpbusd_epi32(sums, bytes, weights);
    }
    let sums = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
    let sums = _mm_add_epi32(sums, _mm_shuffle_epi32::<0b01_00_11_10>(sums));
    let sum = _mm_cvtsi128_si32(_mm_add_epi32(sums, _mm_shuffle_epi32::<0b10_11_00_01>(sums)));
    sum.wrapping_add(i32::from_le_bytes(biases[0].0.as_chunks().0[0]))
}

/// Stores fifteen squares, fifteen values and two zeros: what the first layer of a pairwise net with a shortcut hands on.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
fn store_fifteen(sums: __m512i, bytes: &mut [u8]) {
    // A value that does not fit in 16 bits is clipped both as it is and squared.
    let words = _mm256_maskz_mov_epi16((1 << 15) - 1, _mm512_cvtsepi32_epi16(sums));
    let most = _mm256_set1_epi16(127);
    let squares = _mm256_srli_epi16::<3>(_mm256_mulhi_epi16(words, words));
    let squares = _mm256_cvtepi16_epi8(_mm256_min_epi16(squares, most));
    let values = _mm256_srai_epi16::<6>(_mm256_max_epi16(words, _mm256_setzero_si256()));
    let values = _mm256_cvtepi16_epi8(_mm256_min_epi16(values, most));
    let (low, high) = (_mm_or_si128(squares, _mm_slli_si128::<15>(values)), _mm_srli_si128::<1>(values));
    for (place, bytes) in bytes.as_chunks_mut::<16>().0.iter_mut().zip([low, high]) {
        // SAFETY: the array is 16 bytes long.
        unsafe { _mm_storeu_si128(place.as_mut_ptr().cast(), bytes) };
    }
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
