//! A net in memory, as the evaluation uses it and as a trainer makes it, and the net that is built in.

use super::evaluator::DEFAULT_FV_SCALE;
use super::features::{FeatureSet, HalfKp, Placement, View, missing_pieces};
use super::file::{NetError, NetFault};
use super::layers::{LayerStacks, LayerWeights, Packing, Transformer};
use super::shape::Shape;
use crate::position::Position;
use crate::types::Color;
use once_cell::sync::Lazy;
use std::fmt;
use std::io;
use std::sync::Arc;

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
    pub(crate) fn value(&self, pos: &Position) -> usize {
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
    static STEPS: Lazy<[i64; 255]> = Lazy::new(|| {
        std::array::from_fn(|i| {
            let share = (i + 1) as f64 / 256.0;
            (65_536.0 * (share / (1.0 - share)).ln()).round() as i64
        })
    });
    STEPS.partition_point(|&step| step <= sum)
}

/// All numbers of a net.
#[derive(Clone)]
pub(crate) struct Parameters {
    pub(crate) shape: Shape,
    pub(crate) transformer: Arc<Transformer>,
    /// There if the progress of the game has a part in the choice of a stack.
    pub(crate) progress: Option<Arc<ProgressWeights>>,
    pub(crate) layers: LayerStacks,
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
    pub(crate) fn stack(&self, pos: &Position) -> usize {
        let keys = self.shape.keys;
        let step = match &self.progress {
            Some(progress) => progress.value(pos) * usize::from(keys.progress) / 256,
            None => 0,
        };
        keys.select(pos, step)
    }

    /// Factor of the biases and rows of a file in memory.
    pub(crate) const fn scale(shape: Shape) -> i16 {
        if shape.is_pairwise() { 2 } else { 1 }
    }
}

/// A net that was read: what any number of [`super::Nnue`] share. Cloning it copies no parameters.
#[derive(Clone, Debug)]
pub struct Net {
    pub(crate) text: String,
    pub(crate) hash: u32,
    pub(crate) parameters: Arc<Parameters>,
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
        let scale = digits.parse().ok()?;
        if (1..=128).contains(&scale) { Some(scale) } else { None }
    }

    /// Hash that the header should have, if it is another one. Such nets work; programs only warn of it.
    pub fn expected_hash(&self) -> Option<u32> {
        let expected = self.shape().file_hash();
        if self.hash == expected { None } else { Some(expected) }
    }

    /// CRC-32 of its parameters as a file holds them, whatever the header says.
    pub fn checksum(&self) -> u32 {
        struct Hasher(crc32fast::Hasher);
        impl io::Write for Hasher {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.update(bytes);
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut hasher = Hasher(crc32fast::Hasher::new());
        self.write(&mut hasher).expect("a checksum takes all that is written");
        hasher.0.finalize()
    }

    /// A copy of all its parameters.
    pub fn weights(&self) -> Weights {
        let shape = self.shape();
        let Parameters { transformer, progress, layers, .. } = &*self.parameters;
        let scale = Parameters::scale(shape);
        Weights {
            shape,
            biases: transformer.biases.iter().flat_map(|line| line.0).map(|number| number / scale).collect(),
            rows: transformer.rows.words().iter().flat_map(|line| line.0).map(|number| number / scale).collect(),
            progress: progress.as_deref().cloned(),
            stacks: (0..shape.stacks()).map(|stack| [0, 1, 2].map(|layer| layers.layer(stack, layer))).collect(),
        }
    }

    /// The net with its layers packed for another instruction set; the parameters are shared if that is the packing
    /// they have.
    pub(crate) fn packed(parameters: &Arc<Parameters>, packing: Packing) -> Result<Arc<Parameters>, NetFault> {
        if parameters.layers.packing() == packing {
            return Ok(Arc::clone(parameters));
        }
        let layers = parameters.layers.packed(packing)?;
        Ok(Arc::new(Parameters { layers, ..Parameters::clone(parameters) }))
    }
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
        let mut progress = None;
        if shape.keys.progress > 1 {
            progress = Some(ProgressWeights { bias: 0, weights: vec![0; ProgressWeights::COUNT] });
        }
        let stack = shape.layers().map(|(inputs, outputs)| LayerWeights::zeroed(inputs, outputs));
        Weights {
            shape,
            biases: vec![0; shape.width()],
            rows: vec![0; shape.inputs() * shape.width()],
            progress,
            stacks: vec![stack; shape.stacks()],
        }
    }

    /// This net in another shape that tells more apart: one with a single stack of layers in one with several, each a
    /// copy of the only one. `None` for other shapes than these.
    pub fn in_shape(&self, shape: Shape) -> Option<Weights> {
        if self.shape == shape {
            return Some(self.clone());
        }
        let differs_by_stacks_alone = self.shape == Shape { keys: self.shape.keys, ..shape };
        if !differs_by_stacks_alone || self.shape.stacks() != 1 || shape.keys.progress != 1 {
            return None;
        }
        Some(Weights { shape, stacks: vec![self.stacks[0].clone(); shape.stacks()], ..self.clone() })
    }

    /// Tests whether every list has the length, and every number the range, that the shape asks for.
    pub(crate) fn check(&self) -> Result<(), NetFault> {
        let shape = self.shape;
        if !shape.is_sound() {
            return Err(NetFault::Unsound(shape));
        }
        check_length("biases of sums", self.biases.len(), shape.width())?;
        check_length("weights of rows", self.rows.len(), shape.inputs() * shape.width())?;
        let progress = if shape.keys.progress > 1 { ProgressWeights::COUNT } else { 0 };
        let found = self.progress.as_ref().map_or(0, |progress| progress.weights.len());
        check_length("weights of the progress", found, progress)?;
        check_length("stacks of layers", self.stacks.len(), shape.stacks())?;
        for stack in &self.stacks {
            for (layer, (inputs, outputs)) in stack.iter().zip(shape.layers()) {
                check_length("biases of a layer", layer.biases.len(), outputs)?;
                check_length("weights of a layer", layer.weights.len(), inputs * outputs)?;
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

fn check_length(part: &'static str, found: usize, expected: usize) -> Result<(), NetFault> {
    if found == expected { Ok(()) } else { Err(NetFault::Length { part, found, expected }) }
}

/// File of the net: the project's own, or what `KOMAINU_EVALFILE` named when the program was built. Deflated with the
/// feature `packed`.
static FILE: &[u8] = include_bytes!(env!("KOMAINU_NET"));

static NET: Lazy<Result<Net, NetError>> = Lazy::new(|| {
    #[cfg(feature = "packed")]
    let file = &miniz_oxide::inflate::decompress_to_vec_zlib(FILE).expect("the build has deflated it");
    #[cfg(not(feature = "packed"))]
    let file = FILE;
    Net::from_bytes("the built-in net", file)
});

/// Divisor of the output of the built-in net. With the project's own net a pawn in hand is then worth about 70
/// points in quiet, even positions; what a score wins is as it was with the nets before.
pub const EMBEDDED_FV_SCALE: i32 = if cfg!(own_net) { 28 } else { DEFAULT_FV_SCALE };

/// Centipawns at which a side wins 73 of 100 games, `1 / (1 + 1/e)` of them, by net 14 in its own games at 4,000 nodes
/// a move, played to their end; nets 15 to 18 have the same unit. A score of `cp` wins `1 / (1 + exp(-cp / EMBEDDED_SCALE))`.
pub const EMBEDDED_SCALE: i32 = 407;

/// The net that is built in, read at the first call. Only a file that the builder of the program chose can be faulty.
///
/// ```
/// use komainu::eval::nnue::{EMBEDDED_FV_SCALE, Nnue, embedded};
/// use komainu::position::Position;
///
/// let net = embedded().expect("the net that is built in");
/// let position = Position::startpos();
/// let score = Nnue::new(&net, &position).with_fv_scale(EMBEDDED_FV_SCALE).evaluate(&position);
/// assert!(score.0.abs() < 200);
/// ```
pub fn embedded() -> Result<Net, &'static NetError> {
    NET.as_ref().cloned()
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

    #[test]
    fn the_built_in_net_is_one() {
        let net = embedded().expect("a net");
        assert_eq!(net.expected_hash(), None);
    }
}
