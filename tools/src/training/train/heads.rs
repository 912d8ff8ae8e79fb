//! The layers behind the accumulators, forwards and backwards: what [`komainu::eval::nnue::scalar`] says in integers, in
//! the parameters of a trainer, where 1 is the largest value that a layer can see.

use super::dense::{clip, unclip, unclip_all};
use super::layout::{DenseParameters, PRODUCT, SHORTCUT};

type Layers<'a> = [DenseParameters<&'a [f32]>; 3];
type Gradients<'a> = [DenseParameters<&'a mut [f32]>; 3];

/// The accumulators of a position, that of the side to move first.
pub(super) type AccumulatorPair<const W: usize> = [[f32; W]; 2];

/// A kind of layers behind accumulators of width `W`.
pub(super) trait Head<const W: usize> {
    /// Values of the forward pass that the backward pass needs.
    type Trace;

    /// The output, and what the way back needs.
    fn forward(layers: &Layers, accumulators: &AccumulatorPair<W>) -> (f32, Self::Trace);

    /// From how much the loss grows with the output: how much it grows with each sum. Adds how much it grows with each
    /// number of the layers to `gradients`.
    fn backward(
        layers: &Layers,
        accumulators: &AccumulatorPair<W>,
        trace: &Self::Trace,
        gradient: f32,
        gradients: &mut Gradients,
    ) -> AccumulatorPair<W>;
}

/// Clipped accumulators and three layers: 512 to 32 to 32 to 1.
pub(super) struct Classic;

/// Inputs and outputs of the layers of a classic net, before they are clipped.
pub(super) struct ClassicTrace {
    inputs: [f32; 512],
    first: [f32; 32],
    second: [f32; 32],
}

impl Head<256> for Classic {
    type Trace = ClassicTrace;

    #[inline]
    fn forward(layers: &Layers, accumulators: &AccumulatorPair<256>) -> (f32, ClassicTrace) {
        let mut inputs = [0.0; 512];
        for (input, sum) in inputs.iter_mut().zip(accumulators.as_flattened()) {
            *input = sum.clamp(0.0, 1.0);
        }
        let first = layers[0].forward(&inputs);
        let second = layers[1].forward(&clip::<32>(&first));
        let [output] = layers[2].forward(&clip::<32>(&second));
        (output, ClassicTrace { inputs, first, second })
    }

    #[inline]
    fn backward(
        layers: &Layers,
        accumulators: &AccumulatorPair<256>,
        trace: &ClassicTrace,
        gradient: f32,
        gradients: &mut Gradients,
    ) -> AccumulatorPair<256> {
        let [first, second, output] = gradients;
        let gradients = layers[2].backward(&clip(&trace.second), &[gradient], output);
        let gradients = layers[1].backward(&clip(&trace.first), &unclip_all(&trace.second, &gradients), second);
        let gradients = layers[0].backward(&trace.inputs, &unclip_all(&trace.first, &gradients), first);
        let mut accumulator_gradients = [[0.0; 256]; 2];
        let places = accumulator_gradients.as_flattened_mut().iter_mut().zip(accumulators.as_flattened());
        for ((place, &sum), gradient) in places.zip(gradients) {
            *place = unclip(sum, gradient);
        }
        accumulator_gradients
    }
}

/// Products of the halves of the accumulators, then 512 to 15 and a shortcut, their squares and themselves to 32 to 1.
pub(super) struct Pairwise;

const HALF: usize = 256;
/// Values of the first layer that go on to the second; one more is the shortcut.
const VALUES: usize = 15;

/// Inputs and outputs of the layers of a pairwise net, before they are clipped.
pub(super) struct PairwiseTrace {
    inputs: [f32; 2 * HALF],
    first: [f32; VALUES + 1],
    doubled: [f32; 32],
    second: [f32; 32],
}

impl Head<512> for Pairwise {
    type Trace = PairwiseTrace;

    #[inline]
    fn forward(layers: &Layers, accumulators: &AccumulatorPair<512>) -> (f32, PairwiseTrace) {
        let mut inputs = [0.0; 2 * HALF];
        for (inputs, accumulator) in inputs.as_chunks_mut::<HALF>().0.iter_mut().zip(accumulators) {
            let (left, right) = accumulator.split_at(HALF);
            for (input, (a, b)) in inputs.iter_mut().zip(left.iter().zip(right)) {
                *input = a.clamp(0.0, 1.0) * b.clamp(0.0, 1.0) * PRODUCT;
            }
        }
        let first: [f32; VALUES + 1] = layers[0].forward(&inputs);
        let mut doubled = [0.0; 32];
        for (i, &value) in first[..VALUES].iter().enumerate() {
            doubled[i] = (value * value * PRODUCT).min(1.0);
            doubled[VALUES + i] = value.clamp(0.0, 1.0);
        }
        let second = layers[1].forward(&doubled);
        let [output] = layers[2].forward(&clip::<32>(&second));
        (output + first[VALUES] * SHORTCUT, PairwiseTrace { inputs, first, doubled, second })
    }

    #[inline]
    fn backward(
        layers: &Layers,
        accumulators: &AccumulatorPair<512>,
        trace: &PairwiseTrace,
        gradient: f32,
        gradients: &mut Gradients,
    ) -> AccumulatorPair<512> {
        let [first, second, output] = gradients;
        let gradients = layers[2].backward(&clip(&trace.second), &[gradient], output);
        let gradients = layers[1].backward(&trace.doubled, &unclip_all(&trace.second, &gradients), second);
        let mut first_gradients = [gradient * SHORTCUT; VALUES + 1];
        for (i, &value) in trace.first[..VALUES].iter().enumerate() {
            let squared = if trace.doubled[i] < 1.0 { 2.0 * value * PRODUCT * gradients[i] } else { 0.0 };
            first_gradients[i] = squared + unclip(value, gradients[VALUES + i]);
        }
        let gradients = layers[0].backward(&trace.inputs, &first_gradients, first);
        let mut accumulator_gradients = [[0.0; 512]; 2];
        for ((places, accumulator), gradients) in
            accumulator_gradients.iter_mut().zip(accumulators).zip(gradients.as_chunks::<HALF>().0)
        {
            for i in 0..HALF {
                let (a, b, gradient) = (accumulator[i], accumulator[HALF + i], gradients[i] * PRODUCT);
                places[i] = unclip(a, gradient * b.clamp(0.0, 1.0));
                places[HALF + i] = unclip(b, gradient * a.clamp(0.0, 1.0));
            }
        }
        accumulator_gradients
    }
}
