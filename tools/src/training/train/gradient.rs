//! The gradient of the loss of a batch with respect to the parameters of a net, on several threads.
//!
//! The outcome does not depend on the number of threads, to the last bit, because the order of every summation is
//! fixed. A batch is cut into rounds of [`ROUND`] positions and a round into chunks of [`CHUNK`]. First each chunk goes
//! forwards and backwards by itself and keeps the gradients of the small layers and of its accumulators; the gradients
//! of the chunks are added up in their order. Then each strip of the first layer (see [`super::layout`]) adds the
//! gradients of all positions, in their order, to the rows of the inputs that were active.

use super::heads::{AccumulatorPair, Classic, Head, Pairwise};
use super::layout::{Layout, STRIP};
use super::objective::Objective;
use super::sample::{TrainingSample, active};
use komainu::eval::nnue::Family;
use rayon::prelude::*;

/// Positions that one thread takes at a time.
const CHUNK: usize = 256;
/// Positions whose gradients are kept at a time: 8 or 16 MB.
const ROUND: usize = 16 * CHUNK;

/// A position of a batch, perhaps to be seen in a mirror.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<'a> {
    pub sample: &'a TrainingSample,
    pub mirror: bool,
    /// By what the weight of the game's result is multiplied.
    pub result_factor: f32,
}

/// Sums that a chunk hands on.
#[derive(Clone, Debug, Default)]
struct Chunk {
    /// `[position][side][active input]`.
    inputs: Vec<u32>,
    /// `[strip][position][side][column]`: the accumulators, and in the end their gradients.
    columns: Vec<f32>,
    /// The gradient of all parameters but the rows.
    tail: Vec<f32>,
    /// The sum of the losses.
    loss: f64,
}

/// A gradient in the making, with the memory that it needs.
#[derive(Debug)]
pub(super) struct Gradient {
    /// The derivative of the loss with respect to each parameter of the net.
    pub values: Vec<f32>,
    chunks: Vec<Chunk>,
}

impl Gradient {
    pub(super) fn new(layout: &Layout) -> Gradient {
        Gradient { values: vec![0.0; layout.len()], chunks: vec![Chunk::default(); ROUND / CHUNK] }
    }

    /// Adds the gradient of the mean loss of a batch for a net with these parameters ([`Layout::round`]). Returns the
    /// sum of the losses.
    pub(super) fn add(&mut self, layout: &Layout, parameters: &[f32], objective: &Objective, batch: &[Item]) -> f64 {
        let share = 1.0 / batch.len() as f32;
        let (rows, tail) = self.values.split_at_mut(layout.rows());
        let mut loss = 0.0;
        for round in batch.chunks(ROUND) {
            let chunks = &mut self.chunks[..round.len().div_ceil(CHUNK)];
            let forward_backward = match layout.shape.family {
                Family::Classic => Chunk::forward_backward::<Classic, 256>,
                Family::Pairwise { .. } => Chunk::forward_backward::<Pairwise, 512>,
            };
            chunks
                .par_iter_mut()
                .zip(round.par_chunks(CHUNK))
                .for_each(|(chunk, items)| forward_backward(chunk, layout, parameters, objective, items, share));
            for chunk in &*chunks {
                loss += chunk.loss;
                tail.iter_mut().zip(&chunk.tail).for_each(|(sum, gradient)| *sum += gradient);
            }
            rows.par_chunks_mut(layout.strip()).enumerate().for_each(|(number, strip)| {
                chunks.iter().for_each(|chunk| chunk.add_to_strip(number, strip, active(layout.shape)));
            });
        }
        loss
    }
}

impl Chunk {
    /// Takes some positions forwards and backwards.
    fn forward_backward<H: Head<W>, const W: usize>(
        &mut self,
        layout: &Layout,
        parameters: &[f32],
        objective: &Objective,
        items: &[Item],
        share: f32,
    ) {
        let (rows, tail) = parameters.split_at(layout.rows());
        self.add_rows(layout, rows, &tail[..W], items);
        self.loss = 0.0;
        self.tail.clear();
        self.tail.resize(tail.len(), 0.0);
        for (position, item) in items.iter().enumerate() {
            let place = |strip: usize, side: usize| (strip * items.len() + position) * 2 + side;
            let columns = self.columns.as_chunks_mut::<STRIP>().0;
            let mut accumulators: AccumulatorPair<W> = [[0.0; W]; 2];
            for (side, accumulator) in accumulators.iter_mut().enumerate() {
                for (strip, columns_of_strip) in accumulator.as_chunks_mut().0.iter_mut().enumerate() {
                    *columns_of_strip = columns[place(strip, side)];
                }
            }
            let stack = item.sample.stack(layout.shape);
            let layers = layout.layers(tail, stack);
            let (bias_gradients, mut gradients) = layout.split_mut(&mut self.tail, stack);
            let (output, trace) = H::forward(&layers, &accumulators);
            let (loss, gradient) = objective.loss(output, objective.target(item.sample, item.result_factor));
            self.loss += f64::from(loss);
            let gradients = H::backward(&layers, &accumulators, &trace, gradient * share, &mut gradients);
            for (side, gradients) in gradients.iter().enumerate() {
                bias_gradients.iter_mut().zip(gradients).for_each(|(sum, gradient)| *sum += gradient);
                for (strip, gradients) in gradients.as_chunks().0.iter().enumerate() {
                    columns[place(strip, side)] = *gradients;
                }
            }
        }
    }

    /// Finds the inputs of the positions and adds up their rows, one strip after the other: the rows of one stay in the
    /// cache.
    fn add_rows(&mut self, layout: &Layout, rows: &[f32], biases: &[f32], items: &[Item]) {
        self.inputs.clear();
        for item in items {
            let Item { sample, mirror, .. } = item;
            let sides = if *mirror { sample.mirrored_inputs(layout.shape) } else { sample.inputs(layout.shape) };
            sides.iter().for_each(|inputs| self.inputs.extend_from_slice(inputs));
        }
        self.columns.resize(2 * items.len() * biases.len(), 0.0);
        let views = self.inputs.chunks_exact(active(layout.shape));
        let strips = self.columns.chunks_exact_mut(2 * items.len() * STRIP);
        let rows = rows.chunks_exact(layout.strip()).zip(biases.as_chunks().0);
        for (columns, (rows, biases)) in strips.zip(rows) {
            for (accumulator, inputs) in columns.as_chunks_mut().0.iter_mut().zip(views.clone()) {
                *accumulator = add_strip(rows.as_chunks().0, *biases, inputs);
            }
        }
    }

    /// Adds the gradients of the accumulators of a strip to the rows whose inputs were active.
    fn add_to_strip(&self, number: usize, strip: &mut [f32], active: usize) {
        let rows = strip.as_chunks_mut::<STRIP>().0;
        let views = self.inputs.len() / active;
        let gradients = &self.columns.as_chunks::<STRIP>().0[number * views..][..views];
        for (inputs, gradients) in self.inputs.chunks_exact(active).zip(gradients) {
            let gradients = *gradients;
            for &input in inputs {
                let row = &mut rows[input as usize];
                for column in 0..STRIP {
                    row[column] += gradients[column];
                }
            }
        }
    }
}

/// The accumulator of a side in a strip: biases and the rows of the active inputs.
#[inline]
fn add_strip(rows: &[[f32; STRIP]], biases: [f32; STRIP], inputs: &[u32]) -> [f32; STRIP] {
    let mut accumulator = biases;
    for &input in inputs {
        let row = &rows[input as usize];
        for column in 0..STRIP {
            accumulator[column] += row[column];
        }
    }
    accumulator
}

/// The output of a net for a position, or for its mirror.
pub(super) fn output(layout: &Layout, parameters: &[f32], sample: &TrainingSample, mirror: bool) -> f32 {
    fn of<H: Head<W>, const W: usize>(
        layout: &Layout,
        parameters: &[f32],
        sample: &TrainingSample,
        mirror: bool,
    ) -> f32 {
        let (rows, tail) = parameters.split_at(layout.rows());
        let mut accumulators = [[0.0; W]; 2];
        let inputs = if mirror { sample.mirrored_inputs(layout.shape) } else { sample.inputs(layout.shape) };
        for (accumulator, inputs) in accumulators.iter_mut().zip(inputs) {
            let strips = rows.chunks_exact(layout.strip()).zip(tail[..W].as_chunks().0);
            for (columns, (rows, biases)) in accumulator.as_chunks_mut().0.iter_mut().zip(strips) {
                *columns = add_strip(rows.as_chunks().0, *biases, &inputs);
            }
        }
        H::forward(&layout.layers(tail, sample.stack(layout.shape)), &accumulators).0
    }
    match layout.shape.family {
        Family::Classic => of::<Classic, 256>(layout, parameters, sample, mirror),
        Family::Pairwise { .. } => of::<Pairwise, 512>(layout, parameters, sample, mirror),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::train::samples::random_samples;
    use komainu::eval::nnue::Shape;

    const OBJECTIVE: Objective = Objective { scale: 400.0, unit: 700.0, power: 2.0, result_weight: 0.3 };

    fn items(samples: &[TrainingSample]) -> Vec<Item<'_>> {
        samples.iter().map(|sample| Item { sample, mirror: false, result_factor: 1.0 }).collect()
    }

    /// The mean loss over some positions.
    fn mean_loss(layout: &Layout, parameters: &[f32], objective: &Objective, samples: &[TrainingSample]) -> f64 {
        let one = |sample: &TrainingSample| {
            f64::from(objective.loss(output(layout, parameters, sample, false), objective.target(sample, 1.0)).0)
        };
        samples.iter().map(one).sum::<f64>() / samples.len() as f64
    }

    /// Positions for a shape: where it has several stacks of layers, twenty of each stack that random games often
    /// reach.
    fn samples_for(shape: Shape) -> Vec<TrainingSample> {
        if shape.stacks() == 1 {
            return random_samples(11, 40);
        }
        let pool = random_samples(11, 3_000);
        let of_stack = |stack: usize| pool.iter().filter(move |sample| sample.stack(shape) == stack);
        let often = (0..shape.stacks()).filter(|&stack| of_stack(stack).count() >= 20);
        often.flat_map(|stack| of_stack(stack).take(20)).copied().collect()
    }

    /// Of each part some parameters with the largest gradients: finite differences give the same, but for what
    /// bends within a step, which weighs more where a stack has few positions.
    #[test]
    fn the_gradient_is_that_of_finite_differences_in_every_part_of_every_shape() {
        const STEP: f32 = 2e-3;
        for shape in Shape::TRAINED {
            let samples = samples_for(shape);
            let tolerance = if shape.stacks() == 1 { 0.02 } else { 0.05 };
            let mut checked = 0;
            let layout = Layout::new(shape);
            let mut parameters = layout.initial(5, 1.0);
            // Values on both sides of the range, so that clipping is seen, too.
            for hidden in layout.parts.iter().skip(2).step_by(6).map(|part| part.range.clone()) {
                parameters[hidden].iter_mut().for_each(|weight| *weight *= 2.0);
            }
            let mut gradient = Gradient::new(&layout);
            gradient.add(&layout, &parameters, &OBJECTIVE, &items(&samples));
            for (number, part) in layout.parts.iter().enumerate() {
                let gradients = &gradient.values[part.range.clone()];
                let stack = number.checked_sub(2).map_or(0, |number| number / 6);
                if number > 1 && samples.iter().all(|sample| sample.stack(shape) != stack) {
                    assert!(gradients.iter().all(|&gradient| gradient == 0.0), "{shape}, part {number}");
                    continue;
                }
                checked += 1;
                let mut order: Vec<usize> = (0..gradients.len()).collect();
                order.sort_by(|&a, &b| gradients[b].abs().total_cmp(&gradients[a].abs()));
                let (mut difference, mut size) = (0.0, 0.0);
                for at in order.into_iter().take(12).map(|at| part.range.start + at) {
                    let before = parameters[at];
                    let mut loss = |by: f32| {
                        parameters[at] = before + by;
                        mean_loss(&layout, &parameters, &OBJECTIVE, &samples)
                    };
                    let expected = (loss(STEP) - loss(-STEP)) / f64::from(2.0 * STEP);
                    parameters[at] = before;
                    difference += (expected - f64::from(gradient.values[at])).powi(2);
                    size += expected * expected;
                }
                let error = (difference / size).sqrt();
                assert!(size > 0.0 && error < tolerance, "{shape}, part {number}: off by {error}");
            }
            // All parts of one stack, and of two of nine at least.
            assert!(checked >= if shape.stacks() == 1 { 8 } else { 14 }, "{shape}: {checked} parts");
        }
    }

    #[test]
    fn the_gradient_is_the_same_on_any_number_of_threads() {
        // More than a round, and no whole number of chunks.
        let samples = random_samples(12, ROUND + 3 * CHUNK / 2);
        for shape in [Shape::KP, Shape::KA2] {
            let layout = Layout::new(shape);
            let parameters = layout.initial(6, 1.0);
            let results = [1, 2, 3].map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
                pool.install(|| {
                    let mut gradient = Gradient::new(&layout);
                    let loss = gradient.add(&layout, &parameters, &OBJECTIVE, &items(&samples));
                    (loss, gradient.values)
                })
            });
            assert!(results[0] == results[1] && results[0] == results[2], "{shape}");
            let mean = mean_loss(&layout, &parameters, &OBJECTIVE, &samples);
            assert!((results[0].0 / samples.len() as f64 - mean).abs() < 1e-9);
        }
    }

    #[test]
    fn the_gradient_of_a_batch_is_the_mean_of_its_parts() {
        let samples = random_samples(13, 600);
        let layout = Layout::new(Shape::KP);
        let parameters = layout.initial(7, 1.0);
        let gradient = |samples: &[TrainingSample]| {
            let mut gradient = Gradient::new(&layout);
            gradient.add(&layout, &parameters, &OBJECTIVE, &items(samples));
            gradient.values
        };
        let (whole, first, second) = (gradient(&samples), gradient(&samples[..300]), gradient(&samples[300..]));
        let largest = whole.iter().fold(0.0, |most: f32, gradient| most.max(gradient.abs()));
        for ((whole, first), second) in whole.iter().zip(&first).zip(&second) {
            assert!((whole - (first + second) / 2.0).abs() < 1e-5 * largest);
        }
    }

    #[test]
    fn the_mean_loss_of_a_mirrored_batch_is_that_of_mirrored_inputs() {
        let samples = random_samples(14, 100);
        let layout = Layout::new(Shape::KP);
        let parameters = layout.initial(8, 1.0);
        let losses = [false, true].map(|mirror| {
            let items: Vec<Item> = samples.iter().map(|sample| Item { sample, mirror, result_factor: 1.0 }).collect();
            Gradient::new(&layout).add(&layout, &parameters, &OBJECTIVE, &items)
        });
        assert_ne!(losses[0], losses[1], "a random net tells left from right");
    }
}
