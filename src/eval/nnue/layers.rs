//! The dense layers behind the accumulators in memory, stack after stack.
//!
//! Weights stand in the order in which vectors take them. A line of 64 bytes holds the weights of a few outputs for
//! four or eight inputs at once ([`Form`]); within a line the bytes of one output stand side by side or, for processors
//! without an instruction that adds such bytes up, those of one input ([`Packing`]).

use super::file::NetFault;
use super::lines::{Bytes, reserve};
use super::shape::Shape;

/// Way in which the weights of a dense layer are dealt out to lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
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
pub(super) enum Packing {
    /// `[output][input of the chunk]`.
    ByOutput,
    /// `[input of the chunk][output]`.
    #[cfg_attr(target_feature = "simd128", expect(dead_code, reason = "the order of the portable kernels"))]
    ByInput,
}

/// A dense layer of a stack: its sizes, and where it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DenseSizes {
    /// Inputs, a multiple of 32 as in a file.
    pub(super) inputs: usize,
    /// Outputs as in a file.
    pub(super) outputs: usize,
    pub(super) form: Form,
    /// Blocks of outputs.
    pub(super) blocks: usize,
    /// The first line of the biases within the stack.
    pub(super) biases_at: usize,
    /// The first line of the weights within the stack.
    pub(super) weights_at: usize,
}

impl DenseSizes {
    const fn new((inputs, outputs): (usize, usize), at: usize) -> DenseSizes {
        let form = Form::of(outputs);
        let blocks = outputs.div_ceil(form.block());
        DenseSizes { inputs, outputs, form, blocks, biases_at: at, weights_at: at + blocks * form.lines() }
    }

    /// Lines of weights of a block.
    pub(super) const fn block_lines(&self) -> usize {
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
        let (form, chunk) = (self.form, self.form.chunk());
        if form == Form::Row {
            return (self.weights_at + input / Bytes::LEN, input % Bytes::LEN);
        }
        let (block, within) = (output / form.block(), output % form.block());
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
pub(super) struct Sizes {
    pub(super) is_pairwise: bool,
    /// Width of the accumulator of a side.
    pub(super) width: usize,
    /// Values that the first layer hands to the second.
    pub(super) hidden: usize,
    /// The first layer's output after these goes to the result.
    pub(super) has_shortcut: bool,
    pub(super) layers: [DenseSizes; 3],
    /// Lines of a stack.
    stack_lines: usize,
}

impl Sizes {
    pub(super) const fn of(shape: Shape) -> Sizes {
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

/// All stacks of dense layers of a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LayerStacks {
    shape: Shape,
    pub(super) sizes: Sizes,
    packing: Packing,
    lines: Vec<Bytes>,
}

impl LayerStacks {
    /// Stacks of zeros.
    pub(super) fn zeroed(shape: Shape, packing: Packing) -> Result<LayerStacks, NetFault> {
        let sizes = Sizes::of(shape);
        let count = shape.stacks() * sizes.stack_lines;
        let mut lines = reserve(count)?;
        lines.resize(count, Bytes::ZERO);
        Ok(LayerStacks { shape, sizes, packing, lines })
    }

    pub(super) fn packing(&self) -> Packing {
        self.packing
    }

    /// Weights of a stack.
    pub(super) fn stack(&self, stack: usize, sizes: &Sizes) -> &[Bytes] {
        &self.lines[stack * sizes.stack_lines..][..sizes.stack_lines]
    }

    /// Sets the bias of an output.
    pub(super) fn set_bias(&mut self, stack: usize, layer: usize, output: usize, bias: i32) {
        let (line, byte) = self.sizes.layers[layer].bias_place(self.packing, output);
        let line = &mut self.lines[stack * self.sizes.stack_lines + line];
        line.0[byte..byte + 4].copy_from_slice(&bias.to_le_bytes());
    }

    /// Sets the weights of an output, one for each input. Those that the shape does not use stay zero.
    pub(super) fn set_row(&mut self, stack: usize, layer: usize, output: usize, weights: &[u8]) {
        let (dense, stack) = (self.sizes.layers[layer], stack * self.sizes.stack_lines);
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
            self.lines[stack + line].0[byte..byte + piece].copy_from_slice(weights);
        }
    }

    /// The bias of an output.
    pub(super) fn bias(&self, stack: usize, layer: usize, output: usize) -> i32 {
        let (line, byte) = self.sizes.layers[layer].bias_place(self.packing, output);
        let bytes = &self.lines[stack * self.sizes.stack_lines + line].0[byte..byte + 4];
        i32::from_le_bytes(bytes.try_into().expect("four bytes were taken"))
    }

    /// The weight of an input for an output.
    pub(super) fn weight(&self, stack: usize, layer: usize, output: usize, input: usize) -> i8 {
        let (line, byte) = self.sizes.layers[layer].place(self.packing, output, input);
        self.lines[stack * self.sizes.stack_lines + line].0[byte] as i8
    }

    /// The layers in another packing.
    pub(super) fn packed(&self, packing: Packing) -> Result<LayerStacks, NetFault> {
        if packing == self.packing {
            return Ok(self.clone());
        }
        let mut layers = LayerStacks::zeroed(self.shape, packing)?;
        for stack in 0..self.shape.stacks() {
            for (layer, DenseSizes { inputs, outputs, .. }) in self.sizes.layers.into_iter().enumerate() {
                for output in 0..outputs {
                    layers.set_bias(stack, layer, output, self.bias(stack, layer, output));
                    let row: Vec<u8> =
                        (0..inputs).map(|input| self.weight(stack, layer, output, input) as u8).collect();
                    layers.set_row(stack, layer, output, &row);
                }
            }
        }
        Ok(layers)
    }
}

/// The lines of a dense layer of one stack: those of the biases and the weights of a block of outputs.
#[inline(always)]
pub(super) fn block<'a>(stack: &'a [Bytes], sizes: &DenseSizes, block: usize) -> (&'a [Bytes], &'a [Bytes]) {
    let (lines, length) = (sizes.form.lines(), sizes.block_lines());
    (&stack[sizes.biases_at + block * lines..][..lines], &stack[sizes.weights_at + block * length..][..length])
}

/// Space for the numbers between the layers of one evaluation.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Scratch {
    /// The inputs of the first layer, each at most 127.
    pub(super) first: [u8; 2 * super::shape::MAX_WIDTH as usize],
    /// The inputs of the second layer; those behind the last are zero.
    pub(super) second: [u8; 2 * super::shape::MAX_HIDDEN as usize],
    /// The inputs of the third layer; those behind the last are zero.
    pub(super) third: [u8; super::shape::MAX_HIDDEN as usize],
    /// The outputs of the first layer, blocks of outputs filled up.
    pub(super) sums: [i32; super::shape::MAX_HIDDEN as usize + 32],
}

impl Scratch {
    pub(super) const EMPTY: Scratch = Scratch {
        first: [0; 2 * super::shape::MAX_WIDTH as usize],
        second: [0; 2 * super::shape::MAX_HIDDEN as usize],
        third: [0; super::shape::MAX_HIDDEN as usize],
        sums: [0; super::shape::MAX_HIDDEN as usize + 32],
    };
}
