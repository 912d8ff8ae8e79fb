//! A net in memory.

use super::features::{FeatureSet, HalfKp, Ka2, Ka2Zones, Kp, View, ZONES, stack_of_kings};
use super::shape::{
    CLASSIC_HIDDEN, CLASSIC_INPUTS, CLASSIC_WIDTH, Family, PAIRWISE_FIRST, PAIRWISE_INPUTS, PAIRWISE_LAST,
    PAIRWISE_SECOND, PAIRWISE_WIDTH, Shape,
};
use crate::position::Position;
use std::marker::PhantomData;
use std::sync::Arc;

/// The weights of one input: `W` 16-bit numbers on their own cache lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct WeightRow<const W: usize>(pub(super) [i16; W]);

/// The accumulator of one side: the biases and the weight rows of its active inputs, added up with wrap-around.
pub(super) type Accumulator<const W: usize> = WeightRow<W>;

/// A dense layer of `I` inputs, 8 bits without sign, and `O` outputs: biases plus weights times inputs, in 32 bits that
/// wrap around. `G` is a quarter of `I`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct Dense<const I: usize, const O: usize, const G: usize> {
    /// `[group of four inputs][output][input of the group]`: how one instruction takes four inputs at once.
    pub(super) groups: [[[i8; 4]; O]; G],
    /// `[output][input]`, the order of the files.
    pub(super) rows: [[i8; I]; O],
    pub(super) biases: [i32; O],
}

impl<const I: usize, const O: usize, const G: usize> Dense<I, O, G> {
    pub(super) fn new(biases: [i32; O], rows: [[i8; I]; O]) -> Dense<I, O, G> {
        const { assert!(I == 4 * G, "inputs come in groups of four") };
        let group = |g: usize| rows.each_ref().map(|row| std::array::from_fn(|i| row[4 * g + i]));
        Dense { groups: std::array::from_fn(group), rows, biases }
    }
}

/// The layers behind the accumulator of a classic net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ClassicLayers {
    pub(super) first: Dense<CLASSIC_INPUTS, CLASSIC_HIDDEN, { CLASSIC_INPUTS / 4 }>,
    pub(super) second: Dense<CLASSIC_HIDDEN, CLASSIC_HIDDEN, { CLASSIC_HIDDEN / 4 }>,
    pub(super) output: Dense<CLASSIC_HIDDEN, 1, { CLASSIC_HIDDEN / 4 }>,
}

/// The layers behind the accumulator of a pairwise net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PairwiseLayers {
    pub(super) first: Dense<PAIRWISE_INPUTS, PAIRWISE_FIRST, { PAIRWISE_INPUTS / 4 }>,
    pub(super) second: Dense<PAIRWISE_SECOND, PAIRWISE_LAST, { PAIRWISE_SECOND / 4 }>,
    pub(super) output: Dense<PAIRWISE_LAST, 1, { PAIRWISE_LAST / 4 }>,
}

/// The layers behind the accumulator, once or as often as the ranks of both kings tell apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LayerStacks(pub(super) Vec<PairwiseLayers>);

impl LayerStacks {
    /// The stack for a position.
    #[inline(always)]
    pub(super) fn select(&self, pos: &Position) -> &PairwiseLayers {
        match self.0.as_slice() {
            [only] => only,
            stacks => &stacks[stack_of_kings(View::of(pos, pos.side()), View::of(pos, !pos.side()))],
        }
    }
}

/// The parameters of a net: the feature transformer, which makes an accumulator of width `W`, and the layers behind it.
#[derive(Debug)]
pub(super) struct Model<F, L, const W: usize> {
    pub(super) biases: WeightRow<W>,
    /// One weight row for each input.
    pub(super) rows: Vec<WeightRow<W>>,
    pub(super) layers: L,
    pub(super) features: PhantomData<F>,
}

impl<F: FeatureSet, L, const W: usize> Model<F, L, W> {
    /// A model; there must be a row for each input.
    pub(super) fn new(biases: WeightRow<W>, rows: Vec<WeightRow<W>>, layers: L) -> Model<F, L, W> {
        assert_eq!(rows.len(), F::INPUTS);
        Model { biases, rows, layers, features: PhantomData }
    }
}

pub(super) type HalfKpModel = Model<HalfKp, ClassicLayers, CLASSIC_WIDTH>;
pub(super) type KpModel = Model<Kp, ClassicLayers, CLASSIC_WIDTH>;
pub(super) type Ka2Model = Model<Ka2, LayerStacks, PAIRWISE_WIDTH>;
pub(super) type Ka2ZonesModel = Model<Ka2Zones, LayerStacks, PAIRWISE_WIDTH>;

/// The parameters of a net, by architecture.
#[derive(Clone, Debug)]
pub(super) enum Architecture {
    HalfKp(Arc<HalfKpModel>),
    Kp(Arc<KpModel>),
    Ka2(Arc<Ka2Model>),
    Ka2Zones(Arc<Ka2ZonesModel>),
}

/// A net that was read: what any number of [`super::Nnue`] share. Cloning it copies no parameters.
#[derive(Clone, Debug)]
pub struct Net {
    pub(super) text: String,
    pub(super) hash: u32,
    pub(super) architecture: Architecture,
}

impl Net {
    /// Whether the other is a clone of this one.
    pub fn shares_parameters(&self, other: &Net) -> bool {
        match (&self.architecture, &other.architecture) {
            (Architecture::HalfKp(model), Architecture::HalfKp(other)) => Arc::ptr_eq(model, other),
            (Architecture::Kp(model), Architecture::Kp(other)) => Arc::ptr_eq(model, other),
            (Architecture::Ka2(model), Architecture::Ka2(other)) => Arc::ptr_eq(model, other),
            (Architecture::Ka2Zones(model), Architecture::Ka2Zones(other)) => Arc::ptr_eq(model, other),
            _ => false,
        }
    }

    /// The kind of net.
    pub fn shape(&self) -> Shape {
        match self.architecture {
            Architecture::HalfKp(_) => Shape::HalfKp,
            Architecture::Kp(_) => Shape::Kp,
            Architecture::Ka2(ref model) if model.layers.0.len() == 1 => Shape::Ka2,
            Architecture::Ka2(_) => Shape::Ka2K3k3,
            Architecture::Ka2Zones(_) => Shape::Ka2Zones,
        }
    }

    /// The description in the header of its file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the header's hash should have been, if it is another one. Such nets work; programs only warn of it.
    pub fn expected_hash(&self) -> Option<u32> {
        (self.hash != self.shape().file_hash()).then_some(self.shape().file_hash())
    }

    /// CRC-32 of its parameters as a file holds them, whatever the header says.
    pub fn checksum(&self) -> u32 {
        let mut bytes = Vec::new();
        self.write(&mut bytes).expect("memory takes all that is written");
        crc32fast::hash(&bytes)
    }

    /// A copy of all its parameters.
    pub fn weights(&self) -> Weights {
        match &self.architecture {
            Architecture::HalfKp(model) => Weights::of(Shape::HalfKp, model, vec![classic_layers(&model.layers)]),
            Architecture::Kp(model) => Weights::of(Shape::Kp, model, vec![classic_layers(&model.layers)]),
            Architecture::Ka2(model) => Weights::of(self.shape(), model, stacks_of(&model.layers)),
            Architecture::Ka2Zones(model) => Weights::of(Shape::Ka2Zones, model, stacks_of(&model.layers)),
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

/// The parameters of a net as a file holds them: what a trainer makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// The kind of net.
    pub shape: Shape,
    /// What the accumulator starts from, [`Shape::width`] numbers. A pairwise net adds up twice these numbers, and twice
    /// those of the rows: all of them lie in -16384..=16383 then.
    pub biases: Vec<i16>,
    /// `[input][column of the accumulator]`.
    pub rows: Vec<i16>,
    /// The three dense layers of each stack, [`Shape::stacks`] of them.
    pub stacks: Vec<[LayerWeights; 3]>,
}

impl Weights {
    /// A net of this shape that knows nothing: all numbers are zero.
    pub fn zeroed(shape: Shape) -> Weights {
        let layer = |(inputs, outputs)| LayerWeights { biases: vec![0; outputs], weights: vec![0; inputs * outputs] };
        Weights {
            shape,
            biases: vec![0; shape.width()],
            rows: vec![0; shape.inputs() * shape.width()],
            stacks: vec![shape.layers().map(layer); shape.stacks()],
        }
    }

    /// The same net in another shape that tells more apart: a net of ka2 in one with several stacks of layers or with king
    /// zones, each a copy of the only one. `None` for other shapes than these.
    pub fn in_shape(&self, shape: Shape) -> Option<Weights> {
        match (self.shape, shape) {
            (own, wanted) if own == wanted => Some(self.clone()),
            (Shape::Ka2, Shape::Ka2K3k3) => {
                Some(Weights { shape, stacks: vec![self.stacks[0].clone(); shape.stacks()], ..self.clone() })
            }
            (Shape::Ka2, Shape::Ka2Zones) => Some(Weights { shape, rows: self.rows.repeat(ZONES), ..self.clone() }),
            _ => None,
        }
    }

    fn of<F, L, const W: usize>(shape: Shape, model: &Model<F, L, W>, stacks: Vec<[LayerWeights; 3]>) -> Weights {
        let scale = transformer_scale(shape);
        let rows = model.rows.iter().flat_map(|row| row.0).map(|weight| weight / scale).collect();
        let biases = model.biases.0.iter().map(|bias| bias / scale).collect();
        Weights { shape, biases, rows, stacks }
    }
}

/// What biases and rows of a file are multiplied by in memory.
pub(super) const fn transformer_scale(shape: Shape) -> i16 {
    match shape.family() {
        Family::Classic => 1,
        Family::Pairwise => 2,
    }
}

fn layer<const I: usize, const O: usize, const G: usize>(dense: &Dense<I, O, G>) -> LayerWeights {
    LayerWeights { biases: dense.biases.to_vec(), weights: dense.rows.as_flattened().to_vec() }
}

fn classic_layers(layers: &ClassicLayers) -> [LayerWeights; 3] {
    [layer(&layers.first), layer(&layers.second), layer(&layers.output)]
}

fn stacks_of(stacks: &LayerStacks) -> Vec<[LayerWeights; 3]> {
    stacks.0.iter().map(pairwise_layers).collect()
}

fn pairwise_layers(layers: &PairwiseLayers) -> [LayerWeights; 3] {
    [layer(&layers.first), layer(&layers.second), layer(&layers.output)]
}
