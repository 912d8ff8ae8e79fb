//! The arithmetic of a net in plain integers: the specification that every faster path must equal bit for bit.
//!
//! 1. For each side, the accumulator: biases plus the weight row of every active input, 16 bits that wrap around.
//! 2. From the accumulator of the side to move, then of the other, bytes from 0 to 127: classic nets clip each number,
//!    pairwise nets clip to 0..=254 and multiply the first half by the second, over 512.
//! 3. Dense layers, in a net with several stacks of them those that [`super::StackKeys`] chooses: 32-bit sums that wrap
//!    around; between them a value becomes `value >> 6` clipped to 0..=127. The first layer of a pairwise net hands its
//!    values on twice, as `value * value >> 19` and as `value >> 6`; if it has a shortcut, one more value is added to
//!    the result as it is.

use super::layers::{LayerStacks, Words};
use super::net::{Net, Parameters};
use crate::position::Position;
use crate::types::Color;

/// The output of a net for a position, from the side to move's view: [`super::Nnue`]'s score before it is scaled.
pub fn output(net: &Net, pos: &Position) -> i32 {
    let parameters = &*net.parameters;
    let own = accumulator(parameters, pos, pos.side());
    let other = accumulator(parameters, pos, !pos.side());
    of_accumulators(parameters, parameters.stack(pos), &own, &other)
}

/// The output of a stack of layers from the accumulators of the side to move and of the other.
pub(crate) fn of_accumulators(parameters: &Parameters, stack: usize, own: &[Words], other: &[Words]) -> i32 {
    let mut bytes = vec![0; parameters.shape.layers()[0].0];
    if parameters.shape.is_pairwise() {
        pairwise_products(own, other, &mut bytes);
    } else {
        clip_accumulators(own, other, &mut bytes);
    }
    forward(&parameters.layers, stack, &bytes)
}

/// The accumulator of a side, from the board.
fn accumulator(parameters: &Parameters, pos: &Position, side: Color) -> Vec<Words> {
    let mut accumulator = parameters.transformer.biases.clone();
    parameters.shape.visit_active(pos, side, |input| {
        for (sums, weights) in accumulator.iter_mut().zip(parameters.transformer.row(input)) {
            for (sum, weight) in sums.0.iter_mut().zip(weights.0) {
                *sum = sum.wrapping_add(weight);
            }
        }
    });
    accumulator
}

/// The clipped ReLU of a classic net: the inputs of its first dense layer.
pub(crate) fn clip_accumulators(own: &[Words], other: &[Words], bytes: &mut [u8]) {
    let words = own.iter().chain(other);
    for (bytes, words) in bytes.as_chunks_mut::<{ Words::LEN }>().0.iter_mut().zip(words) {
        *bytes = words.0.map(|sum| sum.clamp(0, 127) as u8);
    }
}

/// The products of the halves of the accumulators: the inputs of the first dense layer of a pairwise net.
pub(crate) fn pairwise_products(own: &[Words], other: &[Words], bytes: &mut [u8]) {
    // Halves of lines: the width is a multiple of 32, half of it one of 16 only.
    const HALF: usize = Words::LEN / 2;
    let bytes = bytes.as_chunks_mut::<HALF>().0;
    for (bytes, words) in bytes.chunks_exact_mut(own.len()).zip([own, other]) {
        for (number, bytes) in bytes.iter_mut().enumerate() {
            let left: [i16; HALF] = half_of(words, number);
            let right: [i16; HALF] = half_of(words, number + words.len());
            for (byte, (a, b)) in bytes.iter_mut().zip(left.into_iter().zip(right)) {
                *byte = (i32::from(a.clamp(0, 254)) * i32::from(b.clamp(0, 254)) / 512) as u8;
            }
        }
    }
}

/// The half of a line with this number.
fn half_of<const HALF: usize>(words: &[Words], number: usize) -> [i16; HALF] {
    words[number / 2].0.as_chunks().0[number % 2]
}

/// The inputs of the second layer of a pairwise net: the first layer's values squared, then the values themselves.
pub(crate) fn squares_and_values(values: &[i32], bytes: &mut [u8]) {
    let (squares, plain) = bytes.split_at_mut(values.len());
    for (&value, (square, plain)) in values.iter().zip(squares.iter_mut().zip(plain)) {
        *square = squared(value);
        *plain = clipped(value);
    }
}

/// The output of a stack of layers from the inputs of the first.
fn forward(layers: &LayerStacks, stack: usize, bytes: &[u8]) -> i32 {
    let sizes = &layers.sizes;
    let first = dense(layers, stack, 0, bytes);
    let values = &first[..sizes.hidden];
    let mut second = vec![0; sizes.layers[1].inputs];
    if sizes.is_pairwise {
        squares_and_values(values, &mut second[..2 * values.len()]);
    } else {
        for (byte, &value) in second.iter_mut().zip(values) {
            *byte = clipped(value);
        }
    }
    let mut third = vec![0; sizes.layers[2].inputs];
    for (byte, value) in third.iter_mut().zip(dense(layers, stack, 1, &second)) {
        *byte = clipped(value);
    }
    let shortcut = if sizes.has_shortcut { first[sizes.hidden] } else { 0 };
    dense(layers, stack, 2, &third)[0].wrapping_add(shortcut)
}

/// The outputs of a dense layer.
fn dense(layers: &LayerStacks, stack: usize, layer: usize, input: &[u8]) -> Vec<i32> {
    let mut sums = Vec::new();
    for output in 0..layers.sizes.layers[layer].outputs {
        let mut sum = layers.bias(stack, layer, output);
        for (i, &x) in input.iter().enumerate() {
            sum = sum.wrapping_add(i32::from(layers.weight(stack, layer, output, i)) * i32::from(x));
        }
        sums.push(sum);
    }
    sums
}

pub(crate) fn clipped(value: i32) -> u8 {
    (value >> 6).clamp(0, 127) as u8
}

fn squared(value: i32) -> u8 {
    ((i64::from(value) * i64::from(value)) >> 19).min(127) as u8
}
