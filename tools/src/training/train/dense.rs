//! Dense layers forwards and backwards, and what stands between them.
//!
//! Loops of a length that the compiler knows, over several sums at a time: it makes vector instructions of them.
//! Products and sums are rounded one by one, on every machine alike.

use super::layout::DenseParameters;

/// Sums of one output that run side by side.
const LANES: usize = 16;
/// Outputs that are computed at a time, so that an input that was loaded serves several.
const GROUP: usize = 4;
/// Inputs of a piece of a gradient: together with [`GROUP`] outputs its sums stay in registers.
const PIECE: usize = 16;

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
    let mut sum_a = [0.0; LANES];
    let mut sum_b = [0.0; LANES];
    let mut sum_c = [0.0; LANES];
    let mut sum_d = [0.0; LANES];
    let [a, b, c, d] = [a, b, c, d].map(|row| row.as_chunks::<LANES>().0);
    for (at, inputs) in inputs.as_chunks::<LANES>().0.iter().enumerate() {
        for lane in 0..LANES {
            sum_a[lane] += a[at][lane] * inputs[lane];
            sum_b[lane] += b[at][lane] * inputs[lane];
            sum_c[lane] += c[at][lane] * inputs[lane];
            sum_d[lane] += d[at][lane] * inputs[lane];
        }
    }
    [total(sum_a), total(sum_b), total(sum_c), total(sum_d)]
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
        for (output, bias) in outputs.iter_mut().zip(self.biases) {
            *output += bias;
        }
        outputs
    }

    /// From how much the loss grows with each output: how much it grows with each input.
    #[inline]
    pub(super) fn backward<const I: usize, const O: usize>(&self, gradients: &[f32; O]) -> [f32; I] {
        let rows = self.weights.as_chunks::<I>().0;
        let mut input_gradients = [0.0; I];
        for (piece, sums) in input_gradients.as_chunks_mut::<PIECE>().0.iter_mut().enumerate() {
            let mut total = [0.0; PIECE];
            for (row, gradient) in rows.iter().zip(gradients) {
                let row = &row.as_chunks::<PIECE>().0[piece];
                for i in 0..PIECE {
                    total[i] += gradient * row[i];
                }
            }
            *sums = total;
        }
        input_gradients
    }
}

impl DenseParameters<&mut [f32]> {
    /// Adds how much the loss grows with each weight and bias, for positions whose inputs and gradients of the outputs
    /// are these: piece by piece of the inputs, so that a sum over all positions is written once.
    pub(super) fn add_gradients<const I: usize, const O: usize>(
        &mut self,
        inputs: &[[f32; I]],
        gradients: &[[f32; O]],
    ) {
        for gradients in gradients {
            for (sum, gradient) in self.biases.iter_mut().zip(gradients) {
                *sum += gradient;
            }
        }
        let (groups, rest) = self.weights.as_chunks_mut::<I>().0.as_chunks_mut::<GROUP>();
        for (number, rows) in groups.iter_mut().enumerate() {
            for piece in 0..I / PIECE {
                let sums = piece_of_gradients(inputs, gradients, piece, GROUP * number);
                for (row, sums) in rows.iter_mut().zip(sums) {
                    for (sum, more) in row[PIECE * piece..].iter_mut().zip(sums) {
                        *sum += more;
                    }
                }
            }
        }
        for (row, output) in rest.iter_mut().zip(O - O % GROUP..) {
            for (inputs, gradients) in inputs.iter().zip(gradients) {
                for i in 0..I {
                    row[i] += gradients[output] * inputs[i];
                }
            }
        }
    }
}

/// The sums of the gradients of four weights each of [`PIECE`] inputs, over all positions.
#[inline]
fn piece_of_gradients<const I: usize, const O: usize>(
    inputs: &[[f32; I]],
    gradients: &[[f32; O]],
    piece: usize,
    output: usize,
) -> [[f32; PIECE]; GROUP] {
    const { assert!(I.is_multiple_of(PIECE)) };
    let mut sum_a = [0.0; PIECE];
    let mut sum_b = [0.0; PIECE];
    let mut sum_c = [0.0; PIECE];
    let mut sum_d = [0.0; PIECE];
    for (inputs, gradients) in inputs.iter().zip(gradients) {
        let inputs = &inputs.as_chunks::<PIECE>().0[piece];
        let gradients = &gradients[output..output + GROUP];
        for i in 0..PIECE {
            sum_a[i] += gradients[0] * inputs[i];
            sum_b[i] += gradients[1] * inputs[i];
            sum_c[i] += gradients[2] * inputs[i];
            sum_d[i] += gradients[3] * inputs[i];
        }
    }
    [sum_a, sum_b, sum_c, sum_d]
}

/// Values clipped to what the next layer can see.
#[inline]
pub(super) fn clip<const N: usize>(values: &[f32; N]) -> [f32; N] {
    let mut clipped = [0.0; N];
    for i in 0..N {
        clipped[i] = values[i].clamp(0.0, 1.0);
    }
    clipped
}

/// The gradient of a value, from that of the clipped one.
#[inline]
pub(super) fn unclip(value: f32, gradient: f32) -> f32 {
    if value > 0.0 && value < 1.0 { gradient } else { 0.0 }
}

/// The gradients of values, from those of the clipped ones.
#[inline]
pub(super) fn unclip_all<const N: usize>(values: &[f32; N], gradients: &[f32; N]) -> [f32; N] {
    let mut unclipped = [0.0; N];
    for i in 0..N {
        unclipped[i] = unclip(values[i], gradients[i]);
    }
    unclipped
}
