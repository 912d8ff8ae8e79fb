//! Dense layers forwards and backwards, and what stands between them.
//!
//! Loops of a length that the compiler knows, over several sums at a time: it makes vector instructions of them. Products
//! and sums are rounded one by one, on every machine alike.

use super::layout::Dense;

/// Sums that run side by side.
const LANES: usize = 16;

fn dot<const N: usize>(a: &[f32; N], b: &[f32; N]) -> f32 {
    const { assert!(N.is_multiple_of(LANES)) };
    let mut sums = [0.0; LANES];
    for (a, b) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
        width /= 2;
    }
    sums[0]
}

/// Adds a multiple of a list to another.
fn add_multiple<const N: usize>(to: &mut [f32; N], factor: f32, from: &[f32; N]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += factor * from;
    }
}

impl Dense<&[f32]> {
    /// The outputs of the layer.
    pub(super) fn forward<const I: usize, const O: usize>(&self, inputs: &[f32; I]) -> [f32; O] {
        let rows = self.weights.as_chunks::<I>().0;
        std::array::from_fn(|output| self.biases[output] + dot(&rows[output], inputs))
    }

    /// From how much the loss grows with each output: how much it grows with each input. Adds how much it grows with
    /// each weight and bias to `gradient`.
    pub(super) fn backward<const I: usize, const O: usize>(
        &self,
        inputs: &[f32; I],
        slopes: &[f32; O],
        gradient: &mut Dense<&mut [f32]>,
    ) -> [f32; I] {
        let rows = self.weights.as_chunks::<I>().0;
        let row_slopes = gradient.weights.as_chunks_mut::<I>().0;
        let mut input_slopes = [0.0; I];
        for (output, &slope) in slopes.iter().enumerate() {
            // An output that was clipped has no slope: for many of them there is nothing to do.
            if slope != 0.0 {
                gradient.biases[output] += slope;
                add_multiple(&mut row_slopes[output], slope, inputs);
                add_multiple(&mut input_slopes, slope, &rows[output]);
            }
        }
        input_slopes
    }
}

/// Values clipped to what the next layer can see.
pub(super) fn clip<const N: usize>(values: &[f32; N]) -> [f32; N] {
    values.map(|value| value.clamp(0.0, 1.0))
}

/// The slope of a value, from that of the clipped one.
pub(super) fn unclip(value: f32, slope: f32) -> f32 {
    if value > 0.0 && value < 1.0 { slope } else { 0.0 }
}

/// The slopes of values, from those of the clipped ones.
pub(super) fn unclip_all<const N: usize>(values: &[f32; N], slopes: &[f32; N]) -> [f32; N] {
    std::array::from_fn(|i| unclip(values[i], slopes[i]))
}
