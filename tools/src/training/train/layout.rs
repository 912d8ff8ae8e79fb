//! The parameters of a net in training: one list, so that the optimiser and a checkpoint need not know their meaning.
//!
//! | part | parameters |
//! |---|---|
//! | rows | `[strip][input][column of the strip]` |
//! | biases of the accumulator | `[column]` |
//! | of each stack: layer 1, 2, 3 | weights `[output][input]`, then biases |
//!
//! The columns of the first layer are dealt out to strips of [`STRIP`], each with its own rows: threads can share
//! the work on them without a common row, and the accumulators of a strip stay in registers.

use super::sample::active;
use crate::random::Random;
use komainu::eval::nnue::{Net, NetFault, Shape, Weights};
use rayon::prelude::*;
use std::ops::Range;

pub(super) const STRIP: usize = 64;

/// Number in a file for an activation of 1.
pub(super) const ONE: f32 = 127.0;
/// Number in a file for a hidden weight of 1; after the layer comes a shift by as much.
const HIDDEN: f32 = 64.0;
/// Number in a file for an output of 1.
pub(super) const OUTPUT: f32 = 9_600.0;
/// The factor of the shortcut of a pairwise net, whose value goes to the output in another unit than the others.
pub(super) const SHORTCUT: f32 = ONE * HIDDEN / OUTPUT;
/// Share that is left of a product of two clipped values: `254 * 254 / 512` is 126, not 127. Squares lose as much.
pub(super) const PRODUCT: f32 = 127.0 / 128.0;

/// Numbers that are of one kind.
#[derive(Clone, Debug)]
pub(super) struct LayoutPart {
    /// Where they are in the list.
    pub range: Range<usize>,
    /// Number in a file for 1.
    scale: f32,
    /// The largest number in amount that training may reach, so that it fits in a file.
    pub most: f32,
    /// Draws them to zero: biases are not.
    pub decays: bool,
}

impl LayoutPart {
    /// The parameters of this part, in the numbers of a file.
    fn scaled(&self, parameters: &[f32]) -> impl Iterator<Item = f32> {
        parameters[self.range.clone()].iter().map(|parameter| nearest(parameter * self.scale))
    }

    /// Sets the parameters of this part from the numbers of a file.
    fn fill(&self, parameters: &mut [f32], numbers: impl Iterator<Item = f32>) {
        for (parameter, number) in parameters[self.range.clone()].iter_mut().zip(numbers) {
            *parameter = number / self.scale;
        }
    }
}

/// Parts in front of those of the first stack, and parts of a stack.
const PARTS_BEFORE: usize = 2;
const PARTS_OF_STACK: usize = 6;

/// The part with the weights of a layer of a stack; its biases are the next part.
fn part_of(stack: usize, layer: usize) -> usize {
    PARTS_BEFORE + PARTS_OF_STACK * stack + 2 * layer
}

/// Where the parameters of a shape are.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub shape: Shape,
    /// Rows, biases of the accumulator, then of each stack weights and biases of each layer.
    pub parts: Vec<LayoutPart>,
}

/// The parameters of a net as a file holds them.
#[derive(Clone, Debug)]
pub(super) struct Rounded {
    /// `[strip][input][column of the strip]`, in the integers of a file.
    pub rows: Vec<i16>,
    /// Biases of the accumulator, likewise.
    pub biases: Vec<i16>,
    /// All parameters but the rows, in the numbers of the trainer.
    pub tail: Vec<f32>,
}

impl Rounded {
    /// A net of nothing.
    pub(super) fn new(layout: &Layout) -> Rounded {
        Rounded {
            rows: vec![0; layout.rows()],
            biases: vec![0; layout.shape.width()],
            tail: vec![0.0; layout.len() - layout.rows()],
        }
    }
}

/// Numbers that a thread rounds at a time.
const PIECE: usize = 1 << 14;

/// The nearest integer, the even one of two.
#[inline]
fn nearest(number: f32) -> f32 {
    number.round_ties_even()
}

/// A dense layer, or the gradient of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct DenseParameters<S> {
    /// `[output][input]`.
    pub weights: S,
    /// `[output]`.
    pub biases: S,
}

impl Layout {
    /// The layout of a shape.
    pub(super) fn new(shape: Shape) -> Layout {
        let [first, second, third] = shape.layers();
        // However many rows are added up, the sum must not leave its 16 bits, which wrap around. Pairwise nets double
        // the parameters of the file.
        let doubled = if shape.is_pairwise() { 2.0 } else { 1.0 };
        let most_sum = f32::from(i16::MAX) / doubled / ONE / (active(shape) + 1) as f32;
        let most_hidden = ONE / HIDDEN;
        let most_output = ONE * ONE / OUTPUT;
        let before = [(shape.inputs() * shape.width(), ONE, most_sum, true), (shape.width(), ONE, most_sum, false)];
        let stack = [
            (first.0 * first.1, HIDDEN, most_hidden, true),
            (first.1, ONE * HIDDEN, f32::MAX, false),
            (second.0 * second.1, HIDDEN, most_hidden, true),
            (second.1, ONE * HIDDEN, f32::MAX, false),
            (third.0 * third.1, OUTPUT / ONE, most_output, true),
            (third.1, OUTPUT, f32::MAX, false),
        ];
        let mut parts = Vec::new();
        let mut end = 0;
        let stacks = std::iter::repeat_n(stack, shape.stacks()).flatten();
        for (length, scale, most, decays) in before.into_iter().chain(stacks) {
            parts.push(LayoutPart { range: end..end + length, scale, most, decays });
            end += length;
        }
        Layout { shape, parts }
    }

    pub(super) fn len(&self) -> usize {
        self.parts.last().map_or(0, |part| part.range.end)
    }

    /// Number of parameters in rows of the net; the rest of the net is small.
    pub(super) fn rows(&self) -> usize {
        self.parts[0].range.end
    }

    /// Number of parameters of a strip of rows.
    pub(super) fn strip(&self) -> usize {
        self.shape.inputs() * STRIP
    }

    /// Where a part is among all parameters without the rows.
    #[inline]
    fn range_in_tail(&self, part: usize) -> Range<usize> {
        let Range { start, end } = self.parts[part].range;
        start - self.rows()..end - self.rows()
    }

    /// The three dense layers of a stack among all parameters without the rows.
    #[inline]
    pub(super) fn layers<'a>(&self, tail: &'a [f32], stack: usize) -> [DenseParameters<&'a [f32]>; 3] {
        [0, 1, 2].map(|layer| {
            let part = part_of(stack, layer);
            DenseParameters { weights: &tail[self.range_in_tail(part)], biases: &tail[self.range_in_tail(part + 1)] }
        })
    }

    /// The three dense layers of a stack among all parameters without the rows, to be changed.
    pub(super) fn layers_mut<'a>(&self, tail: &'a mut [f32], stack: usize) -> [DenseParameters<&'a mut [f32]>; 3] {
        let begin = self.parts[part_of(stack, 0)].range.start - self.rows();
        let mut rest = &mut tail[begin..];
        [0, 1, 2].map(|layer| {
            let part = part_of(stack, layer);
            let (weights, after) = std::mem::take(&mut rest).split_at_mut(self.parts[part].range.len());
            let (biases, after) = after.split_at_mut(self.parts[part + 1].range.len());
            rest = after;
            DenseParameters { weights, biases }
        })
    }

    /// The initial parameters: random weights, such that accumulators and activations lie about the middle of the range
    /// in which they count, but for the rows, which are smaller by a factor: those of inputs that are seldom on keep
    /// much of what they begin with. All stacks begin alike.
    pub(super) fn initial(&self, seed: u64, start_scale: f32) -> Vec<f32> {
        let mut random = Random::new(seed, u64::MAX);
        let mut parameters = vec![0.0; self.len()];
        let fan_in = self.shape.layers().map(|(inputs, _)| 1.0 / (inputs as f32).sqrt());
        let rows = start_scale * 0.75 / (active(self.shape) as f32).sqrt();
        let spreads = [rows, 0.0, fan_in[0], 0.0, fan_in[1], 0.0, fan_in[2], 0.0];
        let middles = [0.0, 0.5, 0.0, 0.5, 0.0, 0.5, 0.0, 0.0];
        for (part, (spread, middle)) in self.parts.iter().zip(spreads.into_iter().zip(middles)) {
            for parameter in &mut parameters[part.range.clone()] {
                const STEPS: usize = 1 << 24;
                *parameter = middle;
                if spread > 0.0 {
                    *parameter += spread * (2.0 * random.below(STEPS) as f32 / STEPS as f32 - 1.0);
                }
            }
        }
        // The output begins at zero where all units stand in the middle, or the first steps would move all of them to
        // one side.
        let [weights, bias] = [PARTS_BEFORE + PARTS_OF_STACK - 2, PARTS_BEFORE + PARTS_OF_STACK - 1];
        let sum: f32 = parameters[self.parts[weights].range.clone()].iter().sum();
        parameters[self.parts[bias].range.start] = -0.5 * sum;
        if self.shape.is_pairwise() {
            // The shortcut leads straight to the output, which begins at zero.
            let biases = self.parts[3].range.clone();
            parameters[biases.end - 1] = 0.0;
        }
        let first = self.parts[PARTS_BEFORE].range.start..self.parts[PARTS_BEFORE + PARTS_OF_STACK - 1].range.end;
        for stack in 1..self.shape.stacks() {
            parameters.copy_within(first.clone(), self.parts[part_of(stack, 0)].range.start);
        }
        parameters
    }

    /// The parameters as a file holds them.
    pub(super) fn quantise(&self, parameters: &[f32]) -> Weights {
        let mut weights = Weights::zeroed(self.shape);
        for (at, place) in self.row_places().enumerate() {
            weights.rows[place] = nearest(parameters[at] * self.parts[0].scale) as i16;
        }
        weights.biases = self.parts[1].scaled(parameters).map(|number| number as i16).collect();
        for (stack, layers) in weights.stacks.iter_mut().enumerate() {
            for (number, layer) in layers.iter_mut().enumerate() {
                let part = part_of(stack, number);
                layer.weights = self.parts[part].scaled(parameters).map(|number| number as i8).collect();
                layer.biases = self.parts[part + 1].scaled(parameters).map(|number| number as i32).collect();
                for (output, bias) in layer.biases.iter_mut().enumerate() {
                    *bias = bias.saturating_add(self.rounding(number, output));
                }
            }
        }
        weights
    }

    /// The parameters that a file stands for: what [`Layout::quantise`] makes the same file of.
    pub(super) fn restore(&self, weights: &Weights) -> Vec<f32> {
        let mut parameters = vec![0.0; self.len()];
        for (place, parameter) in self.row_places().zip(&mut parameters) {
            *parameter = f32::from(weights.rows[place]) / self.parts[0].scale;
        }
        self.parts[1].fill(&mut parameters, weights.biases.iter().map(|&bias| f32::from(bias)));
        for (stack, layers) in weights.stacks.iter().enumerate() {
            for (number, layer) in layers.iter().enumerate() {
                let part = part_of(stack, number);
                self.parts[part].fill(&mut parameters, layer.weights.iter().map(|&weight| f32::from(weight)));
                let biases = layer.biases.iter().enumerate();
                let biases = biases.map(|(output, &bias)| bias as f32 - self.rounding(number, output) as f32);
                self.parts[part + 1].fill(&mut parameters, biases);
            }
        }
        parameters
    }

    /// Term that a layer's bias in a file has on top, so that the shift behind the layer, which rounds down, rounds to
    /// the nearest. The output and the shortcut to it are not shifted.
    fn rounding(&self, layer: usize, output: usize) -> i32 {
        let is_shortcut = self.shape.is_pairwise() && layer == 0 && output + 1 == self.shape.layers()[0].1;
        if layer == 2 || is_shortcut { 0 } else { HIDDEN as i32 / 2 }
    }

    /// Where the numbers of the rows of the list stand in the rows of a file, one after the other.
    fn row_places(&self) -> impl Iterator<Item = usize> {
        let strip_len = self.strip();
        let width = self.shape.width();
        (0..self.rows()).map(move |at| {
            let strip = at / strip_len;
            let input = at % strip_len / STRIP;
            input * width + strip * STRIP + at % STRIP
        })
    }

    /// The parameters of the net that a file can hold: the nearest to these.
    pub(super) fn round(&self, parameters: &[f32], net: &mut Rounded) {
        let (rows, tail) = parameters.split_at(self.rows());
        let pieces = net.rows.par_chunks_mut(PIECE).zip(rows.par_chunks(PIECE));
        pieces.for_each(|(rounded, parameters)| {
            for (place, parameter) in rounded.iter_mut().zip(parameters) {
                *place = nearest(parameter * ONE) as i32 as i16;
            }
        });
        for LayoutPart { range, scale, .. } in &self.parts[1..] {
            let range = range.start - self.rows()..range.end - self.rows();
            for (place, parameter) in net.tail[range.clone()].iter_mut().zip(&tail[range]) {
                *place = nearest(parameter * scale) / scale;
            }
        }
        for (place, bias) in net.biases.iter_mut().zip(&net.tail) {
            *place = nearest(bias * ONE) as i16;
        }
    }

    /// The net that a file with the parameters gives.
    pub(super) fn net(&self, parameters: &[f32]) -> Result<Net, NetFault> {
        Net::from_weights(&self.quantise(parameters))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_those_of_the_shape_and_follow_each_other() {
        for shape in Shape::TRAINED {
            let layout = Layout::new(shape);
            let lengths: Vec<usize> = layout.parts.iter().map(|part| part.range.len()).collect();
            let [first, second, third] = shape.layers();
            assert_eq!(lengths[..2], [shape.inputs() * shape.width(), shape.width()]);
            let stack = [first.0 * first.1, first.1, second.0 * second.1, second.1, third.0 * third.1, third.1];
            assert_eq!(lengths[2..], stack.repeat(shape.stacks()));
            assert!(layout.parts.windows(2).all(|pair| pair[0].range.end == pair[1].range.start));
            assert_eq!(layout.strip() * shape.width() / STRIP, layout.rows());
        }
    }

    #[test]
    fn numbers_at_their_limits_fit_in_a_file_and_sums_of_them_cannot_wrap_around() {
        for shape in [Shape::KP, Shape::KA2, Shape::KA2_K3K3] {
            let layout = Layout::new(shape);
            for sign in [1.0, -1.0] {
                let mut parameters = vec![0.0; layout.len()];
                for part in &layout.parts {
                    parameters[part.range.clone()].fill(sign * part.most.min(100.0));
                }
                let weights = layout.quantise(&parameters);
                let doubled = if shape.is_pairwise() { 2 } else { 1 };
                let terms = 1 + active(shape) as i32;
                let sum = i32::from(weights.rows[0]) * doubled * terms;
                assert!((i32::from(i16::MAX) - sum.abs()) < 64 * terms && sum.abs() <= i32::from(i16::MAX) + terms);
                assert_eq!(weights.stacks[0][0].weights[0], sign as i8 * 127);
                assert_eq!(weights.stacks[0][2].weights[0], sign as i8 * 127);
                assert!(Net::from_weights(&weights).is_ok());
            }
        }
    }

    /// Parameters as a file holds them, in the numbers of the trainer.
    fn rounded(layout: &Layout, parameters: &[f32]) -> Vec<f32> {
        let mut net = Rounded::new(layout);
        layout.round(parameters, &mut net);
        assert!(
            net.biases.iter().zip(&net.tail).all(|(&integer, bias)| (f32::from(integer) / ONE - bias).abs() < 1e-6)
        );
        net.rows.iter().map(|&number| f32::from(number) / ONE).chain(net.tail).collect()
    }

    #[test]
    fn rounded_numbers_are_those_of_a_file() {
        for shape in [Shape::KP, Shape::KA2, Shape::KA2_K3K3] {
            let layout = Layout::new(shape);
            let parameters = layout.initial(3, 1.0);
            let rounded = rounded(&layout, &parameters);
            assert!(layout.quantise(&rounded) == layout.quantise(&parameters));
            for part in &layout.parts {
                let pairs = parameters[part.range.clone()].iter().zip(&rounded[part.range.clone()]);
                assert!(pairs.clone().all(|(a, b)| (a - b).abs() * part.scale < 0.501));
                assert!(pairs.clone().any(|(a, b)| a != b) || !part.decays);
            }
        }
    }

    #[test]
    fn numbers_restored_from_a_file_give_the_same_file() {
        for shape in [Shape::KP, Shape::KA2, Shape::KA2_K3K3] {
            let layout = Layout::new(shape);
            let weights = layout.quantise(&layout.initial(4, 1.0));
            let parameters = layout.restore(&weights);
            assert!(layout.quantise(&parameters) == weights, "{shape}");
            let rounded = rounded(&layout, &layout.initial(4, 1.0));
            assert!(parameters.iter().zip(&rounded).all(|(a, b)| (a - b).abs() < 1e-6), "{shape}");
        }
    }

    #[test]
    fn each_stack_has_parameters_of_its_own() {
        let layout = Layout::new(Shape::KA2_K3K3);
        let mut parameters = layout.initial(5, 1.0);
        for stack in 0..9 {
            parameters[layout.rows()] += 1.0;
            for (number, layer) in layout.layers_mut(&mut parameters[layout.rows()..], stack).into_iter().enumerate() {
                layer.biases[0] = (10 * stack + number) as f32;
            }
        }
        let weights = layout.quantise(&parameters);
        assert_eq!(weights.biases[0], nearest(9.5 * ONE) as i16);
        for (stack, layers) in weights.stacks.iter().enumerate() {
            let read = layout.layers(&parameters[layout.rows()..], stack).map(|layer| layer.biases[0] as usize);
            assert_eq!(read, [0, 1, 2].map(|number| 10 * stack + number));
            assert_eq!(layers[2].biases[0], 9_600 * (10 * stack as i32 + 2));
            assert!(layers[0].weights == weights.stacks[0][0].weights, "all stacks begin alike");
        }
    }

    #[test]
    fn rows_of_strips_become_rows_of_inputs() {
        let layout = Layout::new(Shape::KP);
        let mut parameters = vec![0.0; layout.len()];
        // Column 70, the sixth of the second strip, of input 1000.
        parameters[layout.strip() + 1_000 * STRIP + 6] = 3.0;
        let weights = layout.quantise(&parameters);
        assert_eq!(weights.rows[1_000 * 256 + 70], 3 * 127);
        assert_eq!(weights.rows.iter().filter(|&&weight| weight != 0).count(), 1);
    }
}
