//! The layers behind the sums, forwards and backwards: what [`crate::eval::nnue::scalar`] says in integers, in the
//! numbers of a trainer, where 1 is the largest value that a layer can see.

use super::dense::{clip, unclip, unclip_all};
use super::layout::{Dense, PRODUCT, SHORTCUT};

type Layers<'a> = [Dense<&'a [f32]>; 3];
type Gradients<'a> = [Dense<&'a mut [f32]>; 3];

/// The sums of a position, those of the side to move first.
pub(super) type Sums<const W: usize> = [[f32; W]; 2];

/// A kind of layers behind `W` sums a side.
pub(super) trait Head<const W: usize> {
    /// What is remembered of the way forwards.
    type Trace;

    /// The output, and what the way back needs.
    fn forward(layers: &Layers, sums: &Sums<W>) -> (f32, Self::Trace);

    /// From how much the loss grows with the output: how much it grows with each sum. Adds how much it grows with each
    /// number of the layers to `gradients`.
    fn backward(layers: &Layers, sums: &Sums<W>, trace: &Self::Trace, slope: f32, gradients: &mut Gradients)
    -> Sums<W>;
}

/// Clipped sums and three layers: 512 to 32 to 32 to 1.
pub(super) struct Classic;

/// What the layers of a classic net are given and what they make of it, before it is clipped.
pub(super) struct ClassicTrace {
    inputs: [f32; 512],
    first: [f32; 32],
    second: [f32; 32],
}

impl Head<256> for Classic {
    type Trace = ClassicTrace;

    #[inline]
    fn forward(layers: &Layers, sums: &Sums<256>) -> (f32, ClassicTrace) {
        let mut inputs = [0.0; 512];
        for (input, sum) in inputs.iter_mut().zip(sums.as_flattened()) {
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
        sums: &Sums<256>,
        trace: &ClassicTrace,
        slope: f32,
        gradients: &mut Gradients,
    ) -> Sums<256> {
        let [first, second, output] = gradients;
        let slopes = layers[2].backward(&clip(&trace.second), &[slope], output);
        let slopes = layers[1].backward(&clip(&trace.first), &unclip_all(&trace.second, &slopes), second);
        let slopes = layers[0].backward(&trace.inputs, &unclip_all(&trace.first, &slopes), first);
        let mut sum_slopes = [[0.0; 256]; 2];
        let places = sum_slopes.as_flattened_mut().iter_mut().zip(sums.as_flattened());
        for ((place, &sum), slope) in places.zip(slopes) {
            *place = unclip(sum, slope);
        }
        sum_slopes
    }
}

/// Products of sums, then 512 to 15 and a shortcut, their squares and themselves to 32 to 1.
pub(super) struct Pairwise;

/// Products of a side.
const HALF: usize = 256;
/// Values of the first layer that go on to the second; one more is the shortcut.
const VALUES: usize = 15;

/// What the layers of a pairwise net are given and what they make of it, before it is clipped.
pub(super) struct PairwiseTrace {
    inputs: [f32; 2 * HALF],
    first: [f32; VALUES + 1],
    doubled: [f32; 32],
    second: [f32; 32],
}

impl Head<512> for Pairwise {
    type Trace = PairwiseTrace;

    #[inline]
    fn forward(layers: &Layers, sums: &Sums<512>) -> (f32, PairwiseTrace) {
        let mut inputs = [0.0; 2 * HALF];
        for (inputs, sums) in inputs.as_chunks_mut::<HALF>().0.iter_mut().zip(sums) {
            let (left, right) = sums.split_at(HALF);
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
        sums: &Sums<512>,
        trace: &PairwiseTrace,
        slope: f32,
        gradients: &mut Gradients,
    ) -> Sums<512> {
        let [first, second, output] = gradients;
        let slopes = layers[2].backward(&clip(&trace.second), &[slope], output);
        let slopes = layers[1].backward(&trace.doubled, &unclip_all(&trace.second, &slopes), second);
        let mut first_slopes = [slope * SHORTCUT; VALUES + 1];
        for (i, &value) in trace.first[..VALUES].iter().enumerate() {
            let squared = if trace.doubled[i] < 1.0 { 2.0 * value * PRODUCT * slopes[i] } else { 0.0 };
            first_slopes[i] = squared + unclip(value, slopes[VALUES + i]);
        }
        let slopes = layers[0].backward(&trace.inputs, &first_slopes, first);
        let mut sum_slopes = [[0.0; 512]; 2];
        for ((places, sums), slopes) in sum_slopes.iter_mut().zip(sums).zip(slopes.as_chunks::<HALF>().0) {
            for i in 0..HALF {
                let (a, b, slope) = (sums[i], sums[HALF + i], slopes[i] * PRODUCT);
                places[i] = unclip(a, slope * b.clamp(0.0, 1.0));
                places[HALF + i] = unclip(b, slope * a.clamp(0.0, 1.0));
            }
        }
        sum_slopes
    }
}
