//! A net in memory.

use super::features::{FeatureSet, HalfKp, Placement, View, missing_pieces};
use super::file::NetFault;
use super::layers::{LayerStacks, Packing};
use super::lines::{Rows, Words};
use super::shape::Shape;
use crate::position::Position;
use crate::types::Color;
use std::fmt;
use std::sync::Arc;

/// The first layer: biases and one row of weights for each input, 16 bits each.
#[derive(Clone, Debug)]
pub(super) struct Transformer {
    /// Lines of a row.
    pub(super) lines: usize,
    /// Numbers that the accumulator of a side starts from.
    pub(super) biases: Vec<Words>,
    /// Row after row.
    pub(super) rows: Rows,
}

impl Transformer {
    /// The weights of an input as they are added up.
    pub(super) fn row(&self, input: usize) -> impl Iterator<Item = Words> {
        (input * self.lines..).take(self.lines).map(|line| self.rows.line(line))
    }
}

/// The weights by which a net measures how far a game has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgressWeights {
    /// Number that the sum starts from.
    pub bias: i32,
    /// `[own king's square][piece]`, [`ProgressWeights::COUNT`] numbers: the inputs of HalfKP.
    pub weights: Vec<i32>,
}

impl ProgressWeights {
    /// Number of weights.
    pub const COUNT: usize = HalfKp::INPUTS;

    /// The progress of a position, 0 to 255: the logistic function of the sum of the weights over 65,536.
    pub(super) fn value(&self, pos: &Position) -> usize {
        let views = Color::ALL.map(|side| View::of(pos, side));
        let mut sum = i64::from(self.bias);
        for view in views {
            sum += missing_pieces(pos) as i64 * i64::from(self.weights[HalfKp::missing(view)]);
        }
        Placement::visit_all(pos, |placement| {
            for view in views {
                HalfKp::visit(view, placement, |input| sum += i64::from(self.weights[input]));
            }
        });
        progress_of(sum)
    }
}

/// Number of the 255 steps that a sum has passed.
fn progress_of(sum: i64) -> usize {
    static STEPS: once_cell::sync::Lazy<[i64; 255]> = once_cell::sync::Lazy::new(|| {
        std::array::from_fn(|i| {
            let share = (i + 1) as f64 / 256.0;
            (65_536.0 * (share / (1.0 - share)).ln()).round() as i64
        })
    });
    STEPS.partition_point(|&step| step <= sum)
}

/// All numbers of a net.
#[derive(Clone)]
pub(super) struct Parameters {
    pub(super) shape: Shape,
    pub(super) transformer: Arc<Transformer>,
    /// There if the progress of the game has a part in the choice of a stack.
    pub(super) progress: Option<Arc<ProgressWeights>>,
    pub(super) layers: LayerStacks,
}

/// The shape: the numbers would fill books.
impl fmt::Debug for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parameters").field("shape", &self.shape).finish_non_exhaustive()
    }
}

impl Parameters {
    /// The stack of layers for a position.
    #[inline(always)]
    pub(super) fn stack(&self, pos: &Position) -> usize {
        let keys = self.shape.keys;
        let step = self.progress.as_ref().map_or(0, |progress| progress.value(pos) * usize::from(keys.progress) / 256);
        keys.select(pos, step)
    }

    /// Factor of the biases and rows of a file in memory.
    pub(super) const fn scale(shape: Shape) -> i16 {
        if shape.is_pairwise() { 2 } else { 1 }
    }
}

/// A net that was read: what any number of [`super::Nnue`] share. Cloning it copies no parameters.
#[derive(Clone, Debug)]
pub struct Net {
    pub(super) text: String,
    pub(super) hash: u32,
    pub(super) parameters: Arc<Parameters>,
}

impl Net {
    /// Tests whether the other is a clone of this one.
    pub fn shares_parameters(&self, other: &Net) -> bool {
        Arc::ptr_eq(&self.parameters, &other.parameters)
    }

    /// The kind of net.
    pub fn shape(&self) -> Shape {
        self.parameters.shape
    }

    /// The description in the header of its file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Divisor of its output according to that description (`fv_scale=N`), 1 to 128.
    pub fn fv_scale(&self) -> Option<i32> {
        let (_, rest) = self.text.split_once("fv_scale=")?;
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse().ok().filter(|scale| (1..=128).contains(scale))
    }

    /// Hash that the header should have, if it is another one. Such nets work; programs only warn of it.
    pub fn expected_hash(&self) -> Option<u32> {
        (self.hash != self.shape().file_hash()).then_some(self.shape().file_hash())
    }

    /// CRC-32 of its parameters as a file holds them, whatever the header says.
    pub fn checksum(&self) -> u32 {
        struct Hasher(crc32fast::Hasher);
        impl std::io::Write for Hasher {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.0.update(bytes);
                Ok(bytes.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let mut hasher = Hasher(crc32fast::Hasher::new());
        self.write(&mut hasher).expect("a checksum takes all that is written");
        hasher.0.finalize()
    }

    /// A copy of all its parameters.
    pub fn weights(&self) -> Weights {
        let Parameters { shape, transformer, progress, layers } = &*self.parameters;
        let scale = Parameters::scale(*shape);
        let numbers = |lines: &[Words]| lines.iter().flat_map(|line| line.0).map(|number| number / scale).collect();
        let layer = |stack, layer: usize, (inputs, outputs): (usize, usize)| LayerWeights {
            biases: (0..outputs).map(|output| layers.bias(stack, layer, output)).collect(),
            weights: (0..outputs)
                .flat_map(|output| (0..inputs).map(move |input| (output, input)))
                .map(|(output, input)| layers.weight(stack, layer, output, input))
                .collect(),
        };
        let stack = |stack| [0, 1, 2].map(|number| layer(stack, number, shape.layers()[number]));
        Weights {
            shape: *shape,
            biases: numbers(&transformer.biases),
            rows: numbers(&transformer.rows.words()),
            progress: progress.as_deref().cloned(),
            stacks: (0..shape.stacks()).map(stack).collect(),
        }
    }

    /// The net with its layers packed for another instruction set; the parameters are shared if that is the packing
    /// they have.
    pub(super) fn packed(parameters: &Arc<Parameters>, packing: Packing) -> Result<Arc<Parameters>, NetFault> {
        if parameters.layers.packing() == packing {
            return Ok(Arc::clone(parameters));
        }
        let layers = parameters.layers.packed(packing)?;
        Ok(Arc::new(Parameters { layers, ..Parameters::clone(parameters) }))
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

/// The parameters of a net as a file holds them: what a trainer makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// The kind of net.
    pub shape: Shape,
    /// Numbers that the accumulator starts from, [`Shape::width`] numbers. A pairwise net adds up twice these numbers,
    /// and twice those of the rows: all of them lie in -16384..=16383 then.
    pub biases: Vec<i16>,
    /// `[input][column of the accumulator]`.
    pub rows: Vec<i16>,
    /// For shapes whose stacks are chosen by the progress of the game.
    pub progress: Option<ProgressWeights>,
    /// The three dense layers of each stack, [`Shape::stacks`] of them.
    pub stacks: Vec<[LayerWeights; 3]>,
}

impl Weights {
    /// A net of this shape that knows nothing: all numbers are zero.
    pub fn zeroed(shape: Shape) -> Weights {
        let layer = |(inputs, outputs)| LayerWeights { biases: vec![0; outputs], weights: vec![0; inputs * outputs] };
        let progress = || ProgressWeights { bias: 0, weights: vec![0; ProgressWeights::COUNT] };
        Weights {
            shape,
            biases: vec![0; shape.width()],
            rows: vec![0; shape.inputs() * shape.width()],
            progress: (shape.keys.progress > 1).then(progress),
            stacks: vec![shape.layers().map(layer); shape.stacks()],
        }
    }

    /// This net in another shape that tells more apart: one with a single stack of layers in one with several, each a
    /// copy of the only one. `None` for other shapes than these.
    pub fn in_shape(&self, shape: Shape) -> Option<Weights> {
        let with_one_stack = Shape { keys: self.shape.keys, ..shape };
        if self.shape == shape {
            return Some(self.clone());
        }
        let may = self.shape == with_one_stack && self.shape.stacks() == 1 && shape.keys.progress == 1;
        may.then(|| Weights { shape, stacks: vec![self.stacks[0].clone(); shape.stacks()], ..self.clone() })
    }

    /// Tests whether every list has the length, and every number the range, that the shape asks for.
    pub(super) fn check(&self) -> Result<(), NetFault> {
        let length = |part, found, expected| {
            if found == expected { Ok(()) } else { Err(NetFault::Length { part, found, expected }) }
        };
        let shape = self.shape;
        if !shape.is_sound() {
            return Err(NetFault::Unsound(shape));
        }
        length("biases of sums", self.biases.len(), shape.width())?;
        length("weights of rows", self.rows.len(), shape.inputs() * shape.width())?;
        let progress = if shape.keys.progress > 1 { ProgressWeights::COUNT } else { 0 };
        let found = self.progress.as_ref().map_or(0, |progress| progress.weights.len());
        length("weights of the progress", found, progress)?;
        length("stacks of layers", self.stacks.len(), shape.stacks())?;
        for stack in &self.stacks {
            for (layer, (inputs, outputs)) in stack.iter().zip(shape.layers()) {
                length("biases of a layer", layer.biases.len(), outputs)?;
                length("weights of a layer", layer.weights.len(), inputs * outputs)?;
            }
        }
        let scale = Parameters::scale(shape);
        let range = i16::MIN / scale..=i16::MAX / scale;
        for (part, values) in [("biases", &self.biases), ("rows", &self.rows)] {
            if let Some(at) = values.iter().position(|value| !range.contains(value)) {
                return Err(NetFault::Range(part, at, values[at].into()));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_counts_steps_of_the_logistic_function() {
        assert_eq!((progress_of(i64::MIN), progress_of(-1), progress_of(0), progress_of(i64::MAX)), (0, 127, 128, 255));
        // ln 3 and ln 255 times 65,536, from three quarters and from the last step on.
        assert_eq!((progress_of(71_998), progress_of(71_999)), (191, 192));
        assert_eq!((progress_of(-363_153), progress_of(-363_152)), (0, 1));
    }
}
