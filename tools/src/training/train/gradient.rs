//! The gradient of the loss of a batch with respect to the parameters of a net, on several threads.
//!
//! The outcome does not depend on the number of threads, to the last bit, because the order of every summation is
//! fixed, and threads share nothing that one of them writes: a batch is cut into rounds of [`ROUND`] positions and a
//! round into chunks of [`CHUNK`]. First each chunk goes forwards and backwards by itself and keeps the gradients of the
//! small layers and of its accumulators. Then the strips of the first layer (see [`super::layout`]) are dealt out, in
//! blocks of rows if there are more threads than strips: a block adds the gradients of all positions, in their order, to
//! the rows of the inputs that were active.
//!
//! Forwards the rows are integers of 16 bits, as in the engine, which halves what has to come from the cache.

use super::heads::{AccumulatorPair, Classic, Head, INPUTS, Layers, Pairwise, Trace, VALUES};
use super::layout::{Layout, ONE, Rounded, STRIP};
use super::objective::Objective;
use super::sample::{TrainingSample, active};
use rayon::prelude::*;

/// Positions that one thread takes at a time.
const CHUNK: usize = 128;
/// Positions whose gradients are kept at a time: 8 or 16 MB.
const ROUND: usize = 32 * CHUNK;
/// Blocks of rows of a strip, where strips alone are too few.
const BLOCKS: usize = 4;
/// Parameters of the small layers that one thread adds up at a time.
const PIECE: usize = 1 << 10;

/// A position of a batch, perhaps to be seen in a mirror.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<'a> {
    pub sample: &'a TrainingSample,
    pub mirror: bool,
}

/// Positions on their way, and the sums that they hand on.
#[derive(Clone, Debug, Default)]
struct Chunk {
    /// `[position][side][active input]`.
    active: Vec<u32>,
    /// The accumulators: `[strip][position][side][column]`.
    sums: Vec<i16>,
    /// What the three layers see: `[position][input]`.
    inputs: [Vec<f32>; 3],
    /// How much the loss grows with what they put out: `[position][output]`.
    output_gradients: [Vec<f32>; 3],
    /// How much it grows with the accumulators: `[strip][position][side][column]`.
    gradients: Vec<f32>,
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

    /// Adds the gradient of the mean loss of a batch for a net with these parameters. Returns the sum of the losses.
    pub(super) fn add(&mut self, layout: &Layout, net: &Rounded, objective: &Objective, batch: &[Item]) -> f64 {
        let share = 1.0 / batch.len() as f32;
        let forward_backward = if layout.shape.is_pairwise() {
            Chunk::forward_backward::<Pairwise, 512, 16>
        } else {
            Chunk::forward_backward::<Classic, 256, 32>
        };
        let mut loss = 0.0;
        for round in batch.chunks(ROUND) {
            let chunks = &mut self.chunks[..round.len().div_ceil(CHUNK)];
            let work = chunks.par_iter_mut().zip(round.par_chunks(CHUNK)).with_max_len(1);
            work.for_each(|(chunk, items)| forward_backward(chunk, layout, net, objective, items, share));
            loss += chunks.iter().map(|chunk| chunk.loss).sum::<f64>();
            add_up(layout, chunks, &mut self.values);
        }
        loss
    }
}

/// Adds what the chunks hand on to the gradient.
fn add_up(layout: &Layout, chunks: &[Chunk], values: &mut [f32]) {
    let (rows, tail) = values.split_at_mut(layout.rows());
    let strips = layout.rows() / layout.strip();
    let blocks = if rayon::current_num_threads() > strips { BLOCKS } else { 1 };
    let block = layout.shape.inputs().div_ceil(blocks);
    let mut work = Vec::with_capacity(strips * blocks);
    for (strip, rows) in rows.chunks_mut(layout.strip()).enumerate() {
        for (number, rows) in rows.as_chunks_mut::<STRIP>().0.chunks_mut(block).enumerate() {
            work.push((strip, block * number, rows));
        }
    }
    work.into_par_iter().with_max_len(1).for_each(|(strip, first, rows)| {
        for chunk in chunks {
            chunk.add_to_rows(strip, first as u32, rows, active(layout.shape));
        }
    });
    tail.par_chunks_mut(PIECE).enumerate().for_each(|(number, sums)| {
        for chunk in chunks {
            for (sum, gradient) in sums.iter_mut().zip(&chunk.tail[PIECE * number..]) {
                *sum += gradient;
            }
        }
    });
}

impl Chunk {
    /// Takes some positions forwards and backwards.
    fn forward_backward<H: Head<W, O>, const W: usize, const O: usize>(
        &mut self,
        layout: &Layout,
        net: &Rounded,
        objective: &Objective,
        items: &[Item],
        share: f32,
    ) {
        // The positions of a stack of layers follow each other.
        let stacks = items.iter().map(|item| item.sample.stack(layout.shape));
        let mut order: Vec<(usize, usize)> = stacks.zip(0..).collect();
        order.sort_unstable();
        self.add_rows(layout, net, order.iter().map(|&(_, number)| (items[number].sample, items[number].mirror)));
        self.set_sizes(layout, items.len(), O);
        let mut traces: Vec<Trace<O>> = Vec::with_capacity(items.len());
        let mut slopes = vec![0.0; items.len()];
        self.loss = 0.0;
        let mut layers = layout.layers(&net.tail, order[0].0);
        for (position, &(stack, number)) in order.iter().enumerate() {
            if position > 0 && stack != order[position - 1].0 {
                layers = layout.layers(&net.tail, stack);
            }
            let inputs = H::inputs(&self.accumulators::<W>(position));
            let trace = Trace::forward::<H, W>(&layers, &inputs);
            let (loss, gradient) = objective.loss(trace.output, objective.target(items[number].sample));
            self.loss += f64::from(loss);
            slopes[number] = gradient * share;
            self.inputs[0].as_chunks_mut::<INPUTS>().0[position] = inputs;
            self.inputs[1].as_chunks_mut::<VALUES>().0[position] = trace.values;
            self.inputs[2].as_chunks_mut::<VALUES>().0[position] = trace.clipped();
            traces.push(trace);
        }
        self.tail.clear();
        self.tail.resize(net.tail.len(), 0.0);
        let mut first = 0;
        for positions in order.chunk_by(|a, b| a.0 == b.0) {
            let stack = positions[0].0;
            let layers = layout.layers(&net.tail, stack);
            for (position, &(_, number)) in (first..).zip(positions) {
                let gradients = traces[position].backward::<H, W>(&layers, slopes[number]);
                let input_gradients = layers[0].backward(&gradients.first);
                let accumulators = self.accumulators::<W>(position);
                self.keep_gradients(position, &H::input_gradients(&accumulators, &input_gradients));
                self.output_gradients[0].as_chunks_mut::<O>().0[position] = gradients.first;
                self.output_gradients[1].as_chunks_mut::<VALUES>().0[position] = gradients.second;
                self.output_gradients[2][position] = slopes[number];
            }
            self.add_layer_gradients::<O>(layout, stack, first..first + positions.len());
            first += positions.len();
        }
    }

    /// The outputs of the net for some positions.
    fn forward<H: Head<W, O>, const W: usize, const O: usize>(
        &mut self,
        layout: &Layout,
        net: &Rounded,
        samples: &[TrainingSample],
    ) -> Vec<f32> {
        self.add_rows(layout, net, samples.iter().map(|sample| (sample, false)));
        let mut outputs = Vec::with_capacity(samples.len());
        for (position, sample) in samples.iter().enumerate() {
            let layers: Layers = layout.layers(&net.tail, sample.stack(layout.shape));
            let inputs = H::inputs(&self.accumulators::<W>(position));
            outputs.push(Trace::<O>::forward::<H, W>(&layers, &inputs).output);
        }
        outputs
    }

    /// Finds the inputs of the positions and adds up their rows, one strip after the other: the rows of one stay in the
    /// cache.
    fn add_rows<'a>(
        &mut self,
        layout: &Layout,
        net: &Rounded,
        positions: impl ExactSizeIterator<Item = (&'a TrainingSample, bool)>,
    ) {
        let views = 2 * positions.len();
        self.active.clear();
        for (sample, mirror) in positions {
            sample.add_inputs(layout.shape, mirror, &mut self.active);
        }
        self.sums.resize(views * layout.shape.width(), 0);
        let strips = self.sums.as_chunks_mut::<STRIP>().0.chunks_exact_mut(views);
        let rows = net.rows.chunks_exact(layout.strip()).zip(net.biases.as_chunks().0);
        for (sums, (rows, biases)) in strips.zip(rows) {
            let rows = rows.as_chunks().0;
            for (sums, inputs) in sums.iter_mut().zip(self.active.chunks_exact(active(layout.shape))) {
                *sums = add_strip(rows, *biases, inputs);
            }
        }
    }

    /// The accumulators of a position.
    #[inline]
    fn accumulators<const W: usize>(&self, position: usize) -> AccumulatorPair<W> {
        let sums = self.sums.as_chunks::<STRIP>().0;
        let views = sums.len() / (W / STRIP);
        let mut accumulators = [[0.0; W]; 2];
        for (side, accumulator) in accumulators.iter_mut().enumerate() {
            for (strip, columns) in accumulator.as_chunks_mut::<STRIP>().0.iter_mut().enumerate() {
                let sums = &sums[strip * views + 2 * position + side];
                for column in 0..STRIP {
                    columns[column] = f32::from(sums[column]) * (1.0 / ONE);
                }
            }
        }
        accumulators
    }

    /// Makes room for what the positions hand on.
    fn set_sizes(&mut self, layout: &Layout, positions: usize, first_outputs: usize) {
        self.gradients.resize(2 * positions * layout.shape.width(), 0.0);
        for (list, inputs) in self.inputs.iter_mut().zip([INPUTS, VALUES, VALUES]) {
            list.resize(positions * inputs, 0.0);
        }
        for (list, outputs) in self.output_gradients.iter_mut().zip([first_outputs, VALUES, 1]) {
            list.resize(positions * outputs, 0.0);
        }
    }

    /// Keeps how much the loss grows with the accumulators of a position, and adds it to the gradient of their biases.
    #[inline]
    fn keep_gradients<const W: usize>(&mut self, position: usize, [own, other]: &AccumulatorPair<W>) {
        let places = self.gradients.as_chunks_mut::<STRIP>().0;
        let views = places.len() / (W / STRIP);
        for strip in 0..W / STRIP {
            places[strip * views + 2 * position] = own.as_chunks::<STRIP>().0[strip];
            places[strip * views + 2 * position + 1] = other.as_chunks::<STRIP>().0[strip];
        }
        let biases = &mut self.tail.as_chunks_mut::<W>().0[0];
        for column in 0..W {
            biases[column] += own[column] + other[column];
        }
    }

    /// Adds the gradients of the layers of a stack, for a range of positions.
    fn add_layer_gradients<const O: usize>(
        &mut self,
        layout: &Layout,
        stack: usize,
        positions: std::ops::Range<usize>,
    ) {
        let [mut first, mut second, mut third] = layout.layers_mut(&mut self.tail, stack);
        let inputs = &self.inputs[0].as_chunks::<INPUTS>().0[positions.clone()];
        first.add_gradients(inputs, &self.output_gradients[0].as_chunks::<O>().0[positions.clone()]);
        let inputs = &self.inputs[1].as_chunks::<VALUES>().0[positions.clone()];
        second.add_gradients(inputs, &self.output_gradients[1].as_chunks::<VALUES>().0[positions.clone()]);
        let inputs = &self.inputs[2].as_chunks::<VALUES>().0[positions.clone()];
        third.add_gradients(inputs, &self.output_gradients[2].as_chunks::<1>().0[positions]);
    }

    /// Adds the gradients of the accumulators to the rows of a strip from an input on, as far as these are here.
    fn add_to_rows(&self, strip: usize, first: u32, rows: &mut [[f32; STRIP]], active: usize) {
        let views = self.active.len() / active;
        let gradients = &self.gradients.as_chunks::<STRIP>().0[strip * views..][..views];
        for (inputs, gradients) in self.active.chunks_exact(active).zip(gradients) {
            // A copy of its own stays in registers.
            let gradients = *gradients;
            for &input in inputs {
                if let Some(row) = rows.get_mut(input.wrapping_sub(first) as usize) {
                    for column in 0..STRIP {
                        row[column] += gradients[column];
                    }
                }
            }
        }
    }
}

/// The accumulator of a side in a strip: biases and the rows of the active inputs.
#[inline]
fn add_strip(rows: &[[i16; STRIP]], biases: [i16; STRIP], inputs: &[u32]) -> [i16; STRIP] {
    let mut accumulator = biases;
    for &input in inputs {
        let row = &rows[input as usize];
        for column in 0..STRIP {
            accumulator[column] = accumulator[column].wrapping_add(row[column]);
        }
    }
    accumulator
}

/// The outputs of a net for some positions.
pub(super) fn outputs(layout: &Layout, net: &Rounded, samples: &[TrainingSample]) -> Vec<f32> {
    let forward = if layout.shape.is_pairwise() {
        Chunk::forward::<Pairwise, 512, 16>
    } else {
        Chunk::forward::<Classic, 256, 32>
    };
    let chunks =
        samples.par_chunks(CHUNK).map_init(Chunk::default, |chunk, samples| forward(chunk, layout, net, samples));
    chunks.collect::<Vec<Vec<f32>>>().concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::train::layout::{PRODUCT, SHORTCUT};
    use crate::training::train::samples::random_samples;
    use komainu::eval::nnue::Shape;

    const OBJECTIVE: Objective = Objective { scale: 400.0, unit: 700.0, power: 2.0, result_weight: 0.3 };

    fn items(samples: &[TrainingSample]) -> Vec<Item<'_>> {
        samples.iter().map(|sample| Item { sample, mirror: false }).collect()
    }

    /// The output of a net of any parameters, whether a file can hold them or not, written out as a textbook has it.
    fn output(layout: &Layout, parameters: &[f32], sample: &TrainingSample) -> f32 {
        let shape = layout.shape;
        let (rows, tail) = parameters.split_at(layout.rows());
        let mut accumulators = Vec::new();
        let mut both = Vec::new();
        sample.add_inputs(shape, false, &mut both);
        for inputs in both.chunks(active(shape)) {
            for column in 0..shape.width() {
                let row =
                    |input: &u32| rows[column / STRIP * layout.strip() + *input as usize * STRIP + column % STRIP];
                accumulators.push((tail[column] + inputs.iter().map(row).sum::<f32>()).clamp(0.0, 1.0));
            }
        }
        let mut values = accumulators.clone();
        if shape.is_pairwise() {
            values.clear();
            for side in accumulators.chunks(512) {
                values.extend((0..256).map(|i| side[i] * side[256 + i] * PRODUCT));
            }
        }
        let mut shortcut = 0.0;
        for (number, layer) in layout.layers(tail, sample.stack(shape)).iter().enumerate() {
            let width = layer.weights.len() / layer.biases.len();
            let mut outputs = Vec::new();
            for (row, bias) in layer.weights.chunks(width).zip(layer.biases) {
                outputs.push(bias + row.iter().zip(&values).map(|(weight, value)| weight * value).sum::<f32>());
            }
            if number == 2 {
                return outputs[0] + shortcut;
            }
            values = outputs.iter().map(|output| output.clamp(0.0, 1.0)).collect();
            if number == 0 && shape.is_pairwise() {
                shortcut = outputs[15] * SHORTCUT;
                let squares = outputs[..15].iter().map(|output| (output * output * PRODUCT).min(1.0));
                values = squares.chain(values[..15].iter().copied()).chain([0.0; 2]).collect();
            }
        }
        unreachable!("there are three layers")
    }

    /// The mean loss over some positions.
    fn mean_loss(layout: &Layout, parameters: &[f32], objective: &Objective, samples: &[TrainingSample]) -> f64 {
        let one = |sample: &TrainingSample| {
            f64::from(objective.loss(output(layout, parameters, sample), objective.target(sample)).0)
        };
        samples.iter().map(one).sum::<f64>() / samples.len() as f64
    }

    /// Parameters as a file would hold them, and the same as numbers of the trainer.
    fn rounded(layout: &Layout, parameters: &[f32]) -> (Rounded, Vec<f32>) {
        let mut net = Rounded::new(layout);
        layout.round(parameters, &mut net);
        let rows = net.rows.iter().map(|&number| f32::from(number) / ONE);
        let parameters = rows.chain(net.tail.iter().copied()).collect();
        (net, parameters)
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
        const STEP: f32 = 1e-3;
        for shape in Shape::TRAINED {
            let samples = samples_for(shape);
            let tolerance = if shape.stacks() == 1 { 0.05 } else { 0.1 };
            let mut checked = 0;
            let layout = Layout::new(shape);
            let mut parameters = layout.initial(5, 1.0);
            // Values on both sides of the range, so that clipping is seen, too.
            for hidden in layout.parts.iter().skip(2).step_by(6).map(|part| part.range.clone()) {
                for weight in &mut parameters[hidden] {
                    *weight *= 2.0;
                }
            }
            // Sums of the accumulators are 1 above a multiple of 4: none is where a value begins or ceases to count.
            for number in &mut parameters[..layout.rows()] {
                *number = 4.0 * (*number * ONE / 4.0).round() / ONE;
            }
            for number in &mut parameters[layout.parts[1].range.clone()] {
                *number = (4.0 * (*number * ONE / 4.0).round() + 1.0) / ONE;
            }
            let (net, mut parameters) = rounded(&layout, &parameters);
            let mut gradient = Gradient::new(&layout);
            gradient.add(&layout, &net, &OBJECTIVE, &items(&samples));
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
                let mut difference = 0.0;
                let mut size = 0.0;
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
            let (net, parameters) = rounded(&layout, &layout.initial(6, 1.0));
            let results = [1, 2, 3].map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
                pool.install(|| {
                    let mut gradient = Gradient::new(&layout);
                    let loss = gradient.add(&layout, &net, &OBJECTIVE, &items(&samples));
                    (loss, gradient.values)
                })
            });
            assert!(results[0] == results[1] && results[0] == results[2], "{shape}");
            let mean = mean_loss(&layout, &parameters, &OBJECTIVE, &samples);
            assert!((results[0].0 / samples.len() as f64 - mean).abs() < 1e-6);
        }
    }

    #[test]
    fn the_gradient_of_a_batch_is_the_mean_of_its_parts() {
        let samples = random_samples(13, 600);
        let layout = Layout::new(Shape::KP);
        let (net, _) = rounded(&layout, &layout.initial(7, 1.0));
        let gradient = |samples: &[TrainingSample]| {
            let mut gradient = Gradient::new(&layout);
            gradient.add(&layout, &net, &OBJECTIVE, &items(samples));
            gradient.values
        };
        let [whole, first, second] = [&samples[..], &samples[..300], &samples[300..]].map(gradient);
        let largest = whole.iter().fold(0.0, |most: f32, gradient| most.max(gradient.abs()));
        for ((whole, first), second) in whole.iter().zip(&first).zip(&second) {
            assert!((whole - (first + second) / 2.0).abs() < 1e-5 * largest);
        }
    }

    #[test]
    fn the_mean_loss_of_a_mirrored_batch_is_that_of_mirrored_inputs() {
        let samples = random_samples(14, 100);
        let layout = Layout::new(Shape::KP);
        let (net, _) = rounded(&layout, &layout.initial(8, 1.0));
        let losses = [false, true].map(|mirror| {
            let items: Vec<Item> = samples.iter().map(|sample| Item { sample, mirror }).collect();
            Gradient::new(&layout).add(&layout, &net, &OBJECTIVE, &items)
        });
        assert_ne!(losses[0], losses[1], "a random net tells left from right");
    }
}
