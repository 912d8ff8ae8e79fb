//! Dense layers forwards and backwards, and what stands between them.
//!
//! Loops of a length that the compiler knows, over several sums at a time: it makes vector instructions of them.
//! Products and sums are rounded one by one, on every machine alike.

use super::layout::DenseParameters;
use arrayvec::ArrayVec;

/// Sums of one output that run side by side.
const LANES: usize = 16;
/// Outputs that are computed at a time, so that an input that was loaded serves several.
const GROUP: usize = 4;

/// The sum of sums that ran side by side.
#[inline]
fn total(sums: [f32; LANES]) -> f32 {
    let mut halves = [0.0; LANES / 2];
    for lane in 0..LANES / 2 {
        halves[lane] = sums[lane] + sums[lane + LANES / 2];
    }
    let [a, b, c, d, e, f, g, h] = halves;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// The product of a row with the inputs.
#[inline]
fn dot<const N: usize>(row: &[f32; N], inputs: &[f32; N]) -> f32 {
    let mut sums = [0.0; LANES];
    for (row, inputs) in row.as_chunks::<LANES>().0.iter().zip(inputs.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            sums[lane] += row[lane] * inputs[lane];
        }
    }
    total(sums)
}

/// The products of four rows with the inputs. Four sums with a name each stay in registers, which is worth a factor of
/// three over an array of sums.
#[inline]
fn dots<const N: usize>([a, b, c, d]: &[[f32; N]; GROUP], inputs: &[f32; N]) -> [f32; GROUP] {
    const { assert!(N.is_multiple_of(LANES)) };
    let (mut sum_a, mut sum_b, mut sum_c, mut sum_d) = ([0.0; LANES], [0.0; LANES], [0.0; LANES], [0.0; LANES]);
    let rows = a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0);
    let rows = rows.zip(c.as_chunks::<LANES>().0.iter().zip(d.as_chunks::<LANES>().0));
    for (((a, b), (c, d)), inputs) in rows.zip(inputs.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            sum_a[lane] += a[lane] * inputs[lane];
            sum_b[lane] += b[lane] * inputs[lane];
            sum_c[lane] += c[lane] * inputs[lane];
            sum_d[lane] += d[lane] * inputs[lane];
        }
    }
    [sum_a, sum_b, sum_c, sum_d].map(total)
}

/// Adds a multiple of a row to a list.
#[inline]
fn add_multiple<const N: usize>(to: &mut [f32; N], factor: f32, row: &[f32; N]) {
    for i in 0..N {
        to[i] += factor * row[i];
    }
}

/// Adds multiples of four rows to a list.
#[inline]
fn add_multiples<const N: usize>(to: &mut [f32; N], factors: [f32; GROUP], [a, b, c, d]: [&[f32; N]; GROUP]) {
    let [of_a, of_b, of_c, of_d] = factors;
    for i in 0..N {
        to[i] += (of_a * a[i] + of_b * b[i]) + (of_c * c[i] + of_d * d[i]);
    }
}

impl DenseParameters<&[f32]> {
    /// The outputs of the layer.
    #[inline]
    pub(super) fn forward<const I: usize, const O: usize>(&self, inputs: &[f32; I]) -> [f32; O] {
        let rows = self.weights.as_chunks::<I>().0;
        let mut outputs = [0.0; O];
        let (groups, rest) = outputs.as_chunks_mut::<GROUP>();
        let (row_groups, row_rest) = rows.as_chunks::<GROUP>();
        for (outputs, rows) in groups.iter_mut().zip(row_groups) {
            *outputs = dots(rows, inputs);
        }
        for (output, row) in rest.iter_mut().zip(row_rest) {
            *output = dot(row, inputs);
        }
        outputs.iter_mut().zip(self.biases).for_each(|(output, bias)| *output += bias);
        outputs
    }

    /// From how much the loss grows with each output: how much it grows with each input. Adds how much it grows with
    /// each weight and bias to `gradient`.
    #[inline]
    pub(super) fn backward<const I: usize, const O: usize>(
        &self,
        inputs: &[f32; I],
        gradients: &[f32; O],
        gradient: &mut DenseParameters<&mut [f32]>,
    ) -> [f32; I] {
        let rows = self.weights.as_chunks::<I>().0;
        let row_gradients = gradient.weights.as_chunks_mut::<I>().0;
        // An output that was clipped has no gradient: for many of them there is nothing to do.
        let alive: ArrayVec<usize, O> = (0..O).filter(|&output| gradients[output] != 0.0).collect();
        for &output in &alive {
            gradient.biases[output] += gradients[output];
            add_multiple(&mut row_gradients[output], gradients[output], inputs);
        }
        let mut input_gradients = [0.0; I];
        let (groups, rest) = alive.as_chunks::<GROUP>();
        for group in groups {
            add_multiples(
                &mut input_gradients,
                group.map(|output| gradients[output]),
                group.map(|output| &rows[output]),
            );
        }
        for &output in rest {
            add_multiple(&mut input_gradients, gradients[output], &rows[output]);
        }
        input_gradients
    }
}

/// Values clipped to what the next layer can see.
#[inline]
pub(super) fn clip<const N: usize>(values: &[f32; N]) -> [f32; N] {
    values.map(|value| value.clamp(0.0, 1.0))
}

/// The gradient of a value, from that of the clipped one.
#[inline]
pub(super) fn unclip(value: f32, gradient: f32) -> f32 {
    if value > 0.0 && value < 1.0 { gradient } else { 0.0 }
}

/// The gradients of values, from those of the clipped ones.
#[inline]
pub(super) fn unclip_all<const N: usize>(values: &[f32; N], gradients: &[f32; N]) -> [f32; N] {
    std::array::from_fn(|i| unclip(values[i], gradients[i]))
}
