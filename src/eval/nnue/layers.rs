//! The layers of a net in memory, in cache lines of numbers as vectors take them.
//!
//! The first layer ([`Transformer`]) has a row of weights for each input; the accumulators that add them up have the
//! same lines. Behind it are the dense layers, stack after stack: a line of 64 bytes holds the weights of a few outputs
//! for four or eight inputs at once ([`Form`]); within a line the bytes of one output stand side by side or, for
//! processors without an instruction that adds such bytes up, those of one input ([`Packing`]).

use super::file::NetFault;
use super::shape::{MAX_HIDDEN, MAX_WIDTH, Shape};
use crate::system::{advise_large_pages, free_megabytes};
use std::borrow::Cow;

/// 32 numbers of an accumulator or of a weight row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Words(pub(crate) [i16; Words::LEN]);

impl Words {
    /// Numbers of a line.
    pub(crate) const LEN: usize = 32;
    pub(crate) const ZERO: Words = Words([0; Words::LEN]);
}

/// 32 numbers of a weight row, each half of what is added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub(crate) struct Halves(pub(crate) [i8; Words::LEN]);

impl Halves {
    /// The halves of these numbers, if all of them are even and their halves fit into bytes.
    fn of(words: &Words) -> Option<Halves> {
        let fits = words.0.iter().all(|&number| number & 1 == 0 && i8::try_from(number / 2).is_ok());
        if fits { Some(Halves(words.0.map(|number| (number / 2) as i8))) } else { None }
    }
}

/// A line of a weight row in one of the ways in which it is kept.
pub(crate) trait RowLine: Copy {
    /// Only halves of the numbers are kept.
    const IS_HALVED: bool;

    /// The numbers as they are kept.
    fn numbers(&self) -> RowNumbers<'_>;
}

/// 32 numbers of a weight row.
pub(crate) enum RowNumbers<'a> {
    /// The numbers that are added up.
    Whole(&'a Words),
    /// Their halves.
    Halved(&'a [i8; Words::LEN]),
}

impl RowLine for Words {
    const IS_HALVED: bool = false;

    #[inline]
    fn numbers(&self) -> RowNumbers<'_> {
        RowNumbers::Whole(self)
    }
}

impl RowLine for Halves {
    const IS_HALVED: bool = true;

    #[inline]
    fn numbers(&self) -> RowNumbers<'_> {
        RowNumbers::Halved(&self.0)
    }
}

/// The weight rows of the inputs of a net, line after line.
#[derive(Clone, Debug)]
pub(crate) enum Rows {
    /// As they are added up.
    Whole(Vec<Words>),
    /// In bytes: half of the memory, so that more of it stays in a processor's nearest caches.
    Halved(Vec<Halves>),
}

impl Rows {
    /// The rows with these numbers, in bytes if all of them allow it.
    pub(crate) fn new(words: Vec<Words>) -> Rows {
        if words.iter().any(|line| Halves::of(line).is_none()) {
            return Rows::Whole(words);
        }
        let Ok(mut halves) = reserve(words.len()) else { return Rows::Whole(words) };
        halves.extend(words.iter().filter_map(Halves::of));
        Rows::Halved(halves)
    }

    /// The numbers of a line as they are added up.
    pub(crate) fn line(&self, number: usize) -> Words {
        match self {
            Rows::Whole(lines) => lines[number],
            Rows::Halved(lines) => Words(lines[number].0.map(|half| 2 * i16::from(half))),
        }
    }

    /// All numbers as they are added up.
    pub(crate) fn words(&self) -> Cow<'_, [Words]> {
        match self {
            Rows::Whole(lines) => Cow::Borrowed(lines),
            Rows::Halved(lines) => (0..lines.len()).map(|number| self.line(number)).collect(),
        }
    }
}

/// The first layer: biases and one row of weights for each input, 16 bits each.
#[derive(Clone, Debug)]
pub(crate) struct Transformer {
    /// Lines of a row.
    pub(crate) lines: usize,
    /// Numbers that the accumulator of a side starts from.
    pub(crate) biases: Vec<Words>,
    /// Row after row.
    pub(crate) rows: Rows,
}

impl Transformer {
    /// The weights of an input as they are added up.
    pub(crate) fn row(&self, input: usize) -> impl Iterator<Item = Words> {
        (input * self.lines..).take(self.lines).map(|line| self.rows.line(line))
    }
}

/// 64 bytes of dense layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Bytes(pub(crate) [u8; Bytes::LEN]);

impl Bytes {
    /// Bytes of a line.
    pub(crate) const LEN: usize = 64;
    pub(crate) const ZERO: Bytes = Bytes([0; Bytes::LEN]);
}

/// How the weights of a dense layer are dealt out to lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// One output: its weights in their order.
    Row,
    /// Up to 8 outputs: a line for every eight inputs.
    Narrow,
    /// Up to 16 outputs: a line for every four inputs.
    Single,
    /// Blocks of 32 outputs: two lines for every four inputs.
    Double,
}

impl Form {
    const fn of(outputs: usize) -> Form {
        match outputs {
            1 => Form::Row,
            2..=8 => Form::Narrow,
            9..=16 => Form::Single,
            _ => Form::Double,
        }
    }

    /// Inputs that a line takes at once.
    const fn chunk(self) -> usize {
        match self {
            Form::Row => 1,
            Form::Narrow => 8,
            Form::Single | Form::Double => 4,
        }
    }

    /// Outputs of a block.
    const fn block(self) -> usize {
        match self {
            Form::Row => 1,
            Form::Narrow => 8,
            Form::Single => 16,
            Form::Double => 32,
        }
    }

    /// Lines of a block for one chunk of inputs.
    const fn lines(self) -> usize {
        if matches!(self, Form::Double) { 2 } else { 1 }
    }
}

/// The order of the bytes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    /// `[output][input of the chunk]`.
    ByOutput,
    /// `[input of the chunk][output]`.
    #[cfg_attr(target_feature = "simd128", expect(dead_code, reason = "the order of the portable kernels"))]
    ByInput,
}

/// A dense layer of a stack: its sizes, and where it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DenseSizes {
    /// Inputs, a multiple of 32 as in a file.
    pub(crate) inputs: usize,
    /// Outputs as in a file.
    pub(crate) outputs: usize,
    pub(crate) form: Form,
    /// Blocks of outputs.
    pub(crate) blocks: usize,
    /// The first line of the biases within the stack.
    pub(crate) biases_at: usize,
    /// The first line of the weights within the stack.
    pub(crate) weights_at: usize,
}

impl DenseSizes {
    const fn new((inputs, outputs): (usize, usize), at: usize) -> DenseSizes {
        let form = Form::of(outputs);
        let blocks = outputs.div_ceil(form.block());
        DenseSizes { inputs, outputs, form, blocks, biases_at: at, weights_at: at + blocks * form.lines() }
    }

    /// Lines of weights of a block.
    pub(crate) const fn block_lines(&self) -> usize {
        match self.form {
            Form::Row => self.inputs.div_ceil(Bytes::LEN),
            form => self.inputs / form.chunk() * form.lines(),
        }
    }

    /// The first line behind the layer.
    const fn end(&self) -> usize {
        self.weights_at + self.blocks * self.block_lines()
    }

    /// The line and the byte of a weight.
    #[inline]
    fn place(&self, packing: Packing, output: usize, input: usize) -> (usize, usize) {
        let form = self.form;
        if form == Form::Row {
            return (self.weights_at + input / Bytes::LEN, input % Bytes::LEN);
        }
        let chunk = form.chunk();
        let block = output / form.block();
        let within = output % form.block();
        let lane = within % 16;
        let line = self.weights_at + block * self.block_lines() + input / chunk * form.lines() + within / 16;
        let byte = match packing {
            Packing::ByOutput => lane * chunk + input % chunk,
            Packing::ByInput => input % chunk * (Bytes::LEN / chunk) + lane,
        };
        (line, byte)
    }

    /// The line and the first byte of a bias.
    fn bias_place(&self, packing: Packing, output: usize) -> (usize, usize) {
        let within = output % self.form.block();
        let line = self.biases_at + output / self.form.block() * self.form.lines() + within / 16;
        // Where an output takes eight bytes of a line, two sums of 32 bits make one output.
        let step = if self.form == Form::Narrow && packing == Packing::ByOutput { 8 } else { 4 };
        (line, step * (within % 16))
    }
}

/// The sizes of the layers of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) is_pairwise: bool,
    /// Width of the accumulator of a side.
    pub(crate) width: usize,
    /// Values that the first layer hands to the second.
    pub(crate) hidden: usize,
    /// The first layer's output after these goes to the result.
    pub(crate) has_shortcut: bool,
    pub(crate) layers: [DenseSizes; 3],
    /// Lines of a stack.
    stack_lines: usize,
}

impl Sizes {
    pub(crate) const fn of(shape: Shape) -> Sizes {
        let [first, second, output] = shape.layers();
        let first = DenseSizes::new(first, 0);
        let second = DenseSizes::new(second, first.end());
        let output = DenseSizes::new(output, second.end());
        Sizes {
            is_pairwise: shape.is_pairwise(),
            width: shape.width(),
            hidden: shape.hidden[0] as usize,
            has_shortcut: shape.has_shortcut(),
            layers: [first, second, output],
            stack_lines: output.end(),
        }
    }
}

/// The parameters of a dense layer as a file holds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerWeights {
    /// One for each output.
    pub biases: Vec<i32>,
    /// `[output][input]`, inputs padded to a multiple of 32.
    pub weights: Vec<i8>,
}

impl LayerWeights {
    /// A layer of zeros.
    pub(crate) fn zeroed(inputs: usize, outputs: usize) -> LayerWeights {
        LayerWeights { biases: vec![0; outputs], weights: vec![0; inputs * outputs] }
    }
}

/// All stacks of dense layers of a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LayerStacks {
    shape: Shape,
    pub(crate) sizes: Sizes,
    packing: Packing,
    lines: Vec<Bytes>,
}

impl LayerStacks {
    /// Stacks of zeros.
    pub(crate) fn zeroed(shape: Shape, packing: Packing) -> Result<LayerStacks, NetFault> {
        let sizes = Sizes::of(shape);
        let count = shape.stacks() * sizes.stack_lines;
        let mut lines = reserve(count)?;
        lines.resize(count, Bytes::ZERO);
        Ok(LayerStacks { shape, sizes, packing, lines })
    }

    pub(crate) fn packing(&self) -> Packing {
        self.packing
    }

    /// Weights of a stack.
    pub(crate) fn stack(&self, stack: usize, sizes: &Sizes) -> &[Bytes] {
        &self.lines[stack * sizes.stack_lines..][..sizes.stack_lines]
    }

    /// Sets the parameters of a layer. Weights that the shape does not use stay zero.
    pub(crate) fn set_layer(&mut self, stack: usize, layer: usize, parameters: &LayerWeights) {
        let inputs = self.sizes.layers[layer].inputs;
        for (output, row) in parameters.weights.chunks_exact(inputs).enumerate() {
            let (line, byte) = self.sizes.layers[layer].bias_place(self.packing, output);
            let line = &mut self.lines[stack * self.sizes.stack_lines + line];
            line.0[byte..byte + 4].copy_from_slice(&parameters.biases[output].to_le_bytes());
            self.set_row(stack, layer, output, row);
        }
    }

    /// Sets the weights of an output, one for each input.
    fn set_row(&mut self, stack: usize, layer: usize, output: usize, weights: &[i8]) {
        let dense = self.sizes.layers[layer];
        let stack = stack * self.sizes.stack_lines;
        let is_partial = layer == 0 && self.shape.is_sharded();
        // As many inputs as stand side by side in memory.
        let piece = match (dense.form, self.packing) {
            (Form::Row, _) => 32,
            (form, Packing::ByOutput) => form.chunk(),
            (_, Packing::ByInput) => 1,
        };
        for (number, weights) in weights.chunks_exact(piece).enumerate() {
            if is_partial && !self.shape.sees(output, number * piece) {
                continue;
            }
            let (line, byte) = dense.place(self.packing, output, number * piece);
            for (place, &weight) in self.lines[stack + line].0[byte..byte + piece].iter_mut().zip(weights) {
                *place = weight as u8;
            }
        }
    }

    /// The parameters of a layer.
    pub(crate) fn layer(&self, stack: usize, layer: usize) -> LayerWeights {
        let DenseSizes { inputs, outputs, .. } = self.sizes.layers[layer];
        let mut parameters = LayerWeights::zeroed(inputs, outputs);
        for (output, row) in parameters.weights.chunks_exact_mut(inputs).enumerate() {
            parameters.biases[output] = self.bias(stack, layer, output);
            for (input, weight) in row.iter_mut().enumerate() {
                *weight = self.weight(stack, layer, output, input);
            }
        }
        parameters
    }

    /// The bias of an output.
    pub(crate) fn bias(&self, stack: usize, layer: usize, output: usize) -> i32 {
        let (line, byte) = self.sizes.layers[layer].bias_place(self.packing, output);
        let bytes = &self.lines[stack * self.sizes.stack_lines + line].0[byte..byte + 4];
        i32::from_le_bytes(bytes.try_into().expect("four bytes were taken"))
    }

    /// The weight of an input for an output.
    pub(crate) fn weight(&self, stack: usize, layer: usize, output: usize, input: usize) -> i8 {
        let (line, byte) = self.sizes.layers[layer].place(self.packing, output, input);
        self.lines[stack * self.sizes.stack_lines + line].0[byte] as i8
    }

    /// The layers in another packing.
    pub(crate) fn packed(&self, packing: Packing) -> Result<LayerStacks, NetFault> {
        if packing == self.packing {
            return Ok(self.clone());
        }
        let mut layers = LayerStacks::zeroed(self.shape, packing)?;
        for stack in 0..self.shape.stacks() {
            for layer in 0..self.sizes.layers.len() {
                layers.set_layer(stack, layer, &self.layer(stack, layer));
            }
        }
        Ok(layers)
    }
}

/// The lines of a dense layer of one stack: those of the biases and the weights of a block of outputs.
#[inline(always)]
pub(crate) fn block<'a>(stack: &'a [Bytes], sizes: &DenseSizes, block: usize) -> (&'a [Bytes], &'a [Bytes]) {
    let biases = &stack[sizes.biases_at + block * sizes.form.lines()..][..sizes.form.lines()];
    let weights = &stack[sizes.weights_at + block * sizes.block_lines()..][..sizes.block_lines()];
    (biases, weights)
}

/// Space for the numbers between the layers of one evaluation.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Scratch {
    /// The inputs of the first layer, each at most 127.
    pub(crate) first: [u8; 2 * MAX_WIDTH as usize],
    /// The inputs of the second layer; those behind the last are zero.
    pub(crate) second: [u8; 2 * MAX_HIDDEN as usize],
    /// The inputs of the third layer; those behind the last are zero.
    pub(crate) third: [u8; MAX_HIDDEN as usize],
    /// The outputs of the first layer, blocks of outputs filled up.
    pub(crate) sums: [i32; MAX_HIDDEN as usize + 32],
}

impl Scratch {
    pub(crate) const EMPTY: Scratch = Scratch {
        first: [0; 2 * MAX_WIDTH as usize],
        second: [0; 2 * MAX_HIDDEN as usize],
        third: [0; MAX_HIDDEN as usize],
        sums: [0; MAX_HIDDEN as usize + 32],
    };
}

/// From this size on, a list is put into large pages and the machine is asked first whether it has the memory.
const LARGE: u64 = 16 << 20;

/// An empty list with room for `count` elements, which need not be copied again as they come.
pub(crate) fn reserve<T>(count: usize) -> Result<Vec<T>, NetFault> {
    let mut list = Vec::new();
    let bytes = (count as u64).saturating_mul(size_of::<T>() as u64);
    if bytes >= LARGE && bytes >> 20 > free_megabytes() as u64 {
        return Err(NetFault::Memory(bytes));
    }
    list.try_reserve_exact(count).map_err(|_| NetFault::Memory(bytes))?;
    if bytes >= LARGE {
        advise_large_pages(list.spare_capacity_mut());
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_halved_where_every_number_is_twice_a_byte() {
        let line = |number| Words(std::array::from_fn(|i| if i == 7 { number } else { 2 * i as i16 }));
        for number in [-256, -2, 0, 254] {
            let rows = Rows::new(vec![line(4), line(number)]);
            assert!(matches!(rows, Rows::Halved(_)), "{number}");
            assert_eq!(*rows.words(), [line(4), line(number)]);
        }
        for number in [-258, -255, 1, 256, i16::MIN, i16::MAX] {
            let rows = Rows::new(vec![line(4), line(number)]);
            assert!(matches!(rows, Rows::Whole(_)), "{number}");
            assert_eq!((rows.line(1), rows.words().len()), (line(number), 2));
        }
    }
}
