//! Every instruction set against plain loops, where whole evaluations seldom come: extremes and odd sizes.

use super::*;
use crate::eval::nnue::net::Net;
use crate::eval::nnue::samples::{Size, weights};
use crate::eval::nnue::{Shape, Weights, scalar};
use crate::random::SplitMix64;

/// An accumulator of a kind that the random generator picks.
fn accumulator(lines: usize, random: &mut SplitMix64) -> Vec<Words> {
    let kind = random.within(0, 5);
    let mut number = || match kind {
        0 => random.within(-32_768, 32_767) as i16,
        1 => [i16::MIN, -1, 0, 1, 126, 127, 128, 253, 254, 255, 32_767][random.within(0, 10) as usize],
        2 => 32_767,
        // Mostly nothing, so that whole groups of inputs are zero.
        3 => random.within(-2_000, 127) as i16,
        _ => random.around_zero(300) as i16,
    };
    (0..lines).map(|_| Words(std::array::from_fn(|_| number()))).collect()
}

/// The output by the kernels of an instruction set.
fn output(net: &Net, set: InstructionSet, stack: usize, own: &[Words], other: &[Words]) -> i32 {
    let parameters = Net::packed(&net.parameters, set.packing()).expect("memory");
    let layers = &parameters.layers;
    let mut scratch = Scratch::EMPTY;
    // What an evaluation before this one has left behind, where this one writes.
    scratch.first.fill(127);
    scratch.sums.fill(-1);
    Kernels::new(set, &layers.sizes).forward(layers, stack, own, other, &mut scratch)
}

/// Shapes whose sizes meet every form of a layer, halves of a whole number of lines or not, and one line more than
/// pairs.
const SHAPES: [&str; 16] = [
    "kp_256x2_32_32",
    "kp_64x2_8_32",
    "kp_96x2_16_64",
    "kp_32x2_7_9",
    "kp_128x2_64_96",
    "kp_1024x2_8_32",
    "kp_768x2_16_64",
    "kp_64x2_250_2",
    "SFNN_ka2_512_15_32",
    "SFNN_ka2_512_16_32",
    "SFNN_ka2_1536_15_32",
    "SFNN_ka2_1024_7_64_k3k3",
    "SFNN_ka2_64_8_96",
    "SFNN_ka2_96_31_32",
    "SFNN_ka2_192_8_32_shortcut",
    "SFNN_ka2_1024_7_64_c512_s64x8",
];

#[test]
fn layers_of_every_instruction_set_equal_the_specification() {
    let mut random = SplitMix64(11);
    for (name, size) in SHAPES.into_iter().flat_map(|name| Size::ALL.map(|size| (name, size))) {
        let shape: Shape = name.parse().expect(name);
        let net = Net::from_weights(&weights(shape, size, 11)).expect(name);
        for _ in 0..40 {
            let [own, other] = [0, 1].map(|_| accumulator(shape.width() / Words::LEN, &mut random));
            let stack = random.below(shape.stacks());
            let expected = scalar::of_accumulators(&net.parameters, stack, &own, &other);
            for set in InstructionSet::available() {
                assert_eq!(output(&net, set, stack, &own, &other), expected, "{set}, {size:?}, {shape}");
            }
        }
    }
}

#[test]
fn the_largest_products_do_not_saturate() {
    for weight in [i8::MIN, i8::MAX] {
        let mut weights = Weights::zeroed(Shape::KP);
        weights.stacks[0][0].weights.fill(weight);
        weights.stacks[0][1].weights.fill(1);
        weights.stacks[0][2].weights.fill(1);
        weights.stacks[0][0].biases.fill(512 * 127 * 128 + 64 * 5);
        let net = Net::from_weights(&weights).expect("a net");
        let full = vec![Words([127; Words::LEN]); 8];
        // 512 products of 127 * -128 take away all but 5 of the bias; those of 127 * 127 only add.
        let first = if weight == i8::MIN { 5 } else { 127 };
        let expected = 32 * ((32 * first) >> 6);
        for set in InstructionSet::available() {
            assert_eq!(output(&net, set, 0, &full, &full), expected, "{set}");
        }
    }
}
