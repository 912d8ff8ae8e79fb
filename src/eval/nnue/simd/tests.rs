//! Every instruction set against the specification.

use super::*;
use crate::eval::nnue::net::{Accumulator, Architecture, Net};
use crate::eval::nnue::samples::{Size, weights};
use crate::eval::nnue::{Shape, scalar};
use crate::random::SplitMix64;

/// An accumulator of a kind that the random generator picks.
fn accumulator<const W: usize>(random: &mut SplitMix64) -> Accumulator<W> {
    let kind = random.within(0, 5);
    WeightRow(std::array::from_fn(|_| match kind {
        0 => random.within(-32_768, 32_767) as i16,
        1 => [i16::MIN, -1, 0, 1, 126, 127, 128, 253, 254, 255, 32_767][random.within(0, 10) as usize],
        2 => 32_767,
        // Mostly nothing, so that whole groups of inputs are zero.
        3 => random.within(-2_000, 127) as i16,
        _ => random.around_zero(300) as i16,
    }))
}

#[test]
fn layers_of_every_instruction_set_equal_the_specification() {
    let mut random = SplitMix64(11);
    for (seed, size) in (0..20).flat_map(|seed| Size::ALL.map(|size| (seed, size))) {
        let nets = [Shape::Kp, Shape::Ka2].map(|shape| Net::from_weights(&weights(shape, size, seed)).unwrap());
        let [Architecture::Kp(classic), Architecture::Ka2(pairwise)] = nets.map(|net| net.architecture) else {
            panic!("the shapes are kept")
        };
        let pairwise = &pairwise.layers.0[0];
        for _ in 0..200 {
            let (own, other) = (accumulator(&mut random), accumulator(&mut random));
            let expected = scalar::classic(&classic.layers, &own, &other);
            for set in InstructionSet::available() {
                let found = with_kernels!(set, |kernels| kernels.classic(&classic.layers, &own, &other));
                assert_eq!(found, expected, "{set}, {size:?}, seed {seed}");
            }
            let (own, other) = (accumulator(&mut random), accumulator(&mut random));
            let expected = scalar::pairwise(pairwise, &own, &other);
            for set in InstructionSet::available() {
                let found = with_kernels!(set, |kernels| kernels.pairwise(pairwise, &own, &other));
                assert_eq!(found, expected, "{set}, {size:?}, seed {seed}");
            }
        }
    }
}

#[test]
fn the_largest_products_do_not_saturate() {
    for weight in [i8::MIN, i8::MAX] {
        let mut weights = crate::eval::nnue::Weights::zeroed(Shape::Kp);
        weights.stacks[0][0].weights.fill(weight);
        weights.stacks[0][1].weights.fill(1);
        weights.stacks[0][2].weights.fill(1);
        weights.stacks[0][0].biases.fill(512 * 127 * 128 + 64 * 5);
        let Architecture::Kp(model) = Net::from_weights(&weights).unwrap().architecture else {
            panic!("the shape is kept")
        };
        let full = WeightRow([127; CLASSIC_WIDTH]);
        // 512 products of 127 * -128 take away all but 5 of the bias; those of 127 * 127 only add.
        let first = if weight == i8::MIN { 5 } else { 127 };
        let expected = 32 * ((32 * first) >> 6);
        for set in InstructionSet::available() {
            let found = with_kernels!(set, |kernels| kernels.classic(&model.layers, &full, &full));
            assert_eq!(found, expected, "{set}");
        }
    }
}

#[test]
fn every_instruction_set_adds_and_subtracts_the_same_rows() {
    let mut random = SplitMix64(12);
    for _ in 0..200 {
        let from = accumulator::<256>(&mut random);
        let rows: [WeightRow<256>; 6] = std::array::from_fn(|_| accumulator(&mut random));
        let [a, b, c, x, y, z] = rows.each_ref();
        let expected = WeightRow(std::array::from_fn(|i| {
            let [sub, add] =
                [&rows[..3], &rows[3..]].map(|rows| rows.iter().map(|row| i64::from(row.0[i])).sum::<i64>());
            (i64::from(from.0[i]) - sub + add) as i16
        }));
        for set in InstructionSet::available() {
            let (mut one, mut two, mut three) = (from, from, from);
            with_kernels!(set, |kernels| {
                kernels.update(&from, &mut one, [a], [x]);
                kernels.update(&one, &mut two, [b, c], [y, z]);
                kernels.update(&from, &mut three, [a, b, c], [x, y, z]);
            });
            assert_eq!((two, three), (expected, expected), "{set}");
            let mut applied = from;
            with_kernels!(set, |kernels| kernels.apply(&mut applied, &[a, b, c], &[x, y, z]));
            assert_eq!(applied, expected, "{set}");
        }
    }
}
