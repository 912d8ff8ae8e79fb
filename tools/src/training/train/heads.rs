//! The layers behind the accumulators, forwards and backwards: what [`komainu::eval::nnue::scalar`] says in integers, in
//! the parameters of a trainer, where 1 is the largest value that a layer can see.

use super::dense::{clip, unclip, unclip_all};
use super::layout::{DenseParameters, PRODUCT, SHORTCUT};

pub(super) type Layers<'a> = [DenseParameters<&'a [f32]>; 3];

/// The accumulators of a position, that of the side to move first.
pub(super) type AccumulatorPair<const W: usize> = [[f32; W]; 2];

/// Inputs of the first dense layer.
pub(super) const INPUTS: usize = 512;
/// Values behind the first layer, as the second one sees them, and behind the second: in all heads as many.
pub(super) const VALUES: usize = 32;

/// A kind of layers behind accumulators of width `W`, with `O` outputs of the first layer.
pub(super) trait Head<const W: usize, const O: usize> {
    /// The inputs of the first layer.
    fn inputs(accumulators: &AccumulatorPair<W>) -> [f32; INPUTS];

    /// From how much the loss grows with each input of the first layer: how much it grows with each sum.
    fn input_gradients(accumulators: &AccumulatorPair<W>, gradients: &[f32; INPUTS]) -> AccumulatorPair<W>;

    /// The values that the second layer sees.
    fn values(first: &[f32; O]) -> [f32; VALUES];

    /// From how much the loss grows with each of these values: how much it grows with each output of the first layer.
    fn value_gradients(first: &[f32; O], values: &[f32; VALUES], gradients: &[f32; VALUES]) -> [f32; O];

    /// What the first layer adds to the output by itself.
    fn shortcut(first: &[f32; O]) -> f32;

    /// Adds how much the output grows with the first layer by that way.
    fn add_shortcut_gradient(gradient: f32, gradients: &mut [f32; O]);
}

/// What the way back needs of a position's way through the layers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trace<const O: usize> {
    /// The outputs of the first layer.
    first: [f32; O],
    /// What the second layer sees of them.
    pub values: [f32; VALUES],
    /// The outputs of the second layer.
    second: [f32; VALUES],
    /// The output of the net.
    pub output: f32,
}

/// How much the loss grows with the outputs of the first and of the second layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputGradients<const O: usize> {
    pub first: [f32; O],
    pub second: [f32; VALUES],
}

impl<const O: usize> Trace<O> {
    /// The way of a position from the inputs of its first layer to the output.
    #[inline]
    pub(super) fn forward<H: Head<W, O>, const W: usize>(layers: &Layers, inputs: &[f32; INPUTS]) -> Trace<O> {
        let first = layers[0].forward(inputs);
        let values = H::values(&first);
        let second: [f32; VALUES] = layers[1].forward(&values);
        let [output] = layers[2].forward(&clip(&second));
        Trace { first, values, second, output: output + H::shortcut(&first) }
    }

    /// What the third layer sees.
    #[inline]
    pub(super) fn clipped(&self) -> [f32; VALUES] {
        clip(&self.second)
    }

    /// From how much the loss grows with the output: how much it grows with the outputs of the layers.
    #[inline]
    pub(super) fn backward<H: Head<W, O>, const W: usize>(&self, layers: &Layers, gradient: f32) -> OutputGradients<O> {
        let second = unclip_all(&self.second, &layers[2].backward(&[gradient]));
        let mut first = H::value_gradients(&self.first, &self.values, &layers[1].backward(&second));
        H::add_shortcut_gradient(gradient, &mut first);
        OutputGradients { first, second }
    }
}

/// Clipped accumulators and three layers: 512 to 32 to 32 to 1.
#[derive(Debug)]
pub(super) struct Classic;

impl Head<256, 32> for Classic {
    #[inline]
    fn inputs(accumulators: &AccumulatorPair<256>) -> [f32; INPUTS] {
        let mut inputs = [0.0; INPUTS];
        for (input, sum) in inputs.iter_mut().zip(accumulators.as_flattened()) {
            *input = sum.clamp(0.0, 1.0);
        }
        inputs
    }

    #[inline]
    fn input_gradients(accumulators: &AccumulatorPair<256>, gradients: &[f32; INPUTS]) -> AccumulatorPair<256> {
        let mut accumulator_gradients = [[0.0; 256]; 2];
        let places = accumulator_gradients.as_flattened_mut().iter_mut().zip(accumulators.as_flattened());
        for ((place, &sum), &gradient) in places.zip(gradients) {
            *place = unclip(sum, gradient);
        }
        accumulator_gradients
    }

    #[inline]
    fn values(first: &[f32; 32]) -> [f32; VALUES] {
        clip(first)
    }

    #[inline]
    fn value_gradients(first: &[f32; 32], _: &[f32; VALUES], gradients: &[f32; VALUES]) -> [f32; 32] {
        unclip_all(first, gradients)
    }

    #[inline]
    fn shortcut(_: &[f32; 32]) -> f32 {
        0.0
    }

    #[inline]
    fn add_shortcut_gradient(_: f32, _: &mut [f32; 32]) {}
}

/// Products of the halves of the accumulators, then 512 to 15 and a shortcut, their squares and themselves to 32 to 1.
#[derive(Debug)]
pub(super) struct Pairwise;

const HALF: usize = 256;
/// Values of the first layer that go on to the second; one more is the shortcut.
const HIDDEN: usize = 15;

impl Head<512, 16> for Pairwise {
    #[inline]
    fn inputs(accumulators: &AccumulatorPair<512>) -> [f32; INPUTS] {
        let mut inputs = [0.0; INPUTS];
        for (inputs, accumulator) in inputs.as_chunks_mut::<HALF>().0.iter_mut().zip(accumulators) {
            let (left, right) = accumulator.split_at(HALF);
            for (input, (a, b)) in inputs.iter_mut().zip(left.iter().zip(right)) {
                *input = a.clamp(0.0, 1.0) * b.clamp(0.0, 1.0) * PRODUCT;
            }
        }
        inputs
    }

    #[inline]
    fn input_gradients(accumulators: &AccumulatorPair<512>, gradients: &[f32; INPUTS]) -> AccumulatorPair<512> {
        let mut accumulator_gradients = [[0.0; 512]; 2];
        let gradients = gradients.as_chunks::<HALF>().0;
        for ((places, accumulator), gradients) in accumulator_gradients.iter_mut().zip(accumulators).zip(gradients) {
            for i in 0..HALF {
                let a = accumulator[i];
                let b = accumulator[HALF + i];
                let gradient = gradients[i] * PRODUCT;
                places[i] = unclip(a, gradient * b.clamp(0.0, 1.0));
                places[HALF + i] = unclip(b, gradient * a.clamp(0.0, 1.0));
            }
        }
        accumulator_gradients
    }

    #[inline]
    fn values(first: &[f32; 16]) -> [f32; VALUES] {
        let mut values = [0.0; VALUES];
        for (i, &value) in first[..HIDDEN].iter().enumerate() {
            values[i] = (value * value * PRODUCT).min(1.0);
            values[HIDDEN + i] = value.clamp(0.0, 1.0);
        }
        values
    }

    #[inline]
    fn value_gradients(first: &[f32; 16], values: &[f32; VALUES], gradients: &[f32; VALUES]) -> [f32; 16] {
        let mut first_gradients = [0.0; 16];
        for (i, &value) in first[..HIDDEN].iter().enumerate() {
            let squared = if values[i] < 1.0 { 2.0 * value * PRODUCT * gradients[i] } else { 0.0 };
            first_gradients[i] = squared + unclip(value, gradients[HIDDEN + i]);
        }
        first_gradients
    }

    #[inline]
    fn shortcut(first: &[f32; 16]) -> f32 {
        first[HIDDEN] * SHORTCUT
    }

    #[inline]
    fn add_shortcut_gradient(gradient: f32, gradients: &mut [f32; 16]) {
        gradients[HIDDEN] += gradient * SHORTCUT;
    }
}
