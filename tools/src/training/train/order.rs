//! The order of the neurons of the first layer. The net is the same in any; but kernels pass over the inputs of the
//! layer behind them four at a time where all four are zero, so neurons that are active in the same positions are to
//! stand together.

use super::sample::{TrainingSample, active};
use crate::random::Random;
use komainu::eval::nnue::{Shape, Weights};

/// Inputs that a kernel passes over together.
const CHUNK: usize = 4;
/// Positions that are looked at.
const POSITIONS: usize = 2_048;
/// Pairs of neurons for which it is tried to change places.
const TRIES: usize = 60_000;

/// A bit for each side of each position: whether a neuron is active there.
type Activity = [u64; 2 * POSITIONS / 64];

/// Puts the neurons of a net into an order in which those that are active in the same positions stand together. It does
/// not depend on the order that they have.
pub(super) fn order_neurons(weights: &mut Weights, samples: &[TrainingSample]) {
    let order = grouped(weights, &activities(weights, samples));
    reorder(weights, &order);
}

/// Neurons of a side: a pairwise net makes one out of two columns.
fn neurons(shape: Shape) -> usize {
    shape.layers()[0].0 / 2
}

/// The activity of each neuron in some of the positions.
fn activities(weights: &Weights, samples: &[TrainingSample]) -> Vec<Activity> {
    let shape = weights.shape;
    let mut activities = vec![[0; 2 * POSITIONS / 64]; neurons(shape)];
    let mut inputs = Vec::new();
    for (number, sample) in samples.iter().step_by(samples.len().div_ceil(POSITIONS).max(1)).enumerate() {
        inputs.clear();
        sample.add_inputs(shape, false, &mut inputs);
        for (side, inputs) in inputs.chunks(active(shape)).enumerate() {
            let sums = accumulator(weights, inputs);
            let bit = 2 * number + side;
            for (neuron, activity) in activities.iter_mut().enumerate() {
                let is_active = if shape.is_pairwise() {
                    let pair = [neuron, neuron + neurons(shape)].map(|column| (2 * sums[column]).clamp(0, 254));
                    pair[0] * pair[1] >= 512
                } else {
                    sums[neuron] > 0
                };
                activity[bit / 64] |= u64::from(is_active) << (bit % 64);
            }
        }
    }
    activities
}

/// The sums of the rows of some inputs.
fn accumulator(weights: &Weights, inputs: &[u32]) -> Vec<i32> {
    let width = weights.shape.width();
    let mut sums: Vec<i32> = weights.biases.iter().map(|&bias| bias.into()).collect();
    for &input in inputs {
        for (sum, &weight) in sums.iter_mut().zip(&weights.rows[input as usize * width..]) {
            *sum += i32::from(weight);
        }
    }
    sums
}

/// The neurons in groups that are seldom active: from their order by activity on, two change places where that lets
/// their groups be active less often.
fn grouped(weights: &Weights, activities: &[Activity]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..activities.len()).collect();
    let layer = &weights.stacks[0][0];
    order.sort_by_cached_key(|&neuron| {
        let outgoing: Vec<i8> = layer.weights.iter().skip(neuron).step_by(2 * activities.len()).copied().collect();
        (active_bits(activities, &[neuron]), activities[neuron], outgoing)
    });
    let mut random = Random::new(0, 0);
    for _ in 0..TRIES {
        let a = random.below(order.len());
        let b = random.below(order.len());
        if a / CHUNK == b / CHUNK {
            continue;
        }
        let before = active_groups(activities, &order, [a, b]);
        order.swap(a, b);
        if active_groups(activities, &order, [a, b]) > before {
            order.swap(a, b);
        }
    }
    order
}

/// How often the groups of some places are active.
fn active_groups(activities: &[Activity], order: &[usize], places: [usize; 2]) -> u32 {
    places.into_iter().map(|place| active_bits(activities, &order[place / CHUNK * CHUNK..][..CHUNK])).sum()
}

/// How often one of some neurons is active.
fn active_bits(activities: &[Activity], neurons: &[usize]) -> u32 {
    let words = 0..2 * POSITIONS / 64;
    words.map(|word| neurons.iter().fold(0, |bits, &neuron| bits | activities[neuron][word]).count_ones()).sum()
}

/// Gives the neurons of a net another order.
fn reorder(weights: &mut Weights, order: &[usize]) {
    // A pairwise net has as many columns again, one for each neuron.
    let columns: Vec<usize> = (0..weights.shape.width())
        .map(|column| order[column % order.len()] + column / order.len() * order.len())
        .collect();
    let inputs: Vec<usize> = order.iter().copied().chain(order.iter().map(|neuron| neuron + order.len())).collect();
    for row in weights.rows.chunks_mut(columns.len()) {
        permute(row, &columns);
    }
    permute(&mut weights.biases, &columns);
    for [first, ..] in &mut weights.stacks {
        for row in first.weights.chunks_mut(inputs.len()) {
            permute(row, &inputs);
        }
    }
}

/// Puts at each place the item from the place that stands there in the order.
fn permute<T: Copy>(items: &mut [T], order: &[usize]) {
    let before = items.to_vec();
    for (item, &from) in items.iter_mut().zip(order) {
        *item = before[from];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::train::layout::Layout;
    use crate::training::train::samples::random_samples;
    use komainu::eval::nnue::{Net, scalar};

    /// The groups that are active, summed over the positions.
    fn all_active_groups(weights: &Weights, samples: &[TrainingSample]) -> u32 {
        let activities = activities(weights, samples);
        let order: Vec<usize> = (0..activities.len()).collect();
        order.chunks(CHUNK).map(|group| active_bits(&activities, group)).sum()
    }

    #[test]
    fn an_order_changes_no_output_and_leaves_fewer_groups_active() {
        let samples = random_samples(5, 300);
        for shape in [Shape::KP, Shape::KA2, Shape::KA2_K3K3] {
            let layout = Layout::new(shape);
            let weights = layout.quantise(&layout.initial(7, 1.0));
            let mut ordered = weights.clone();
            order_neurons(&mut ordered, &samples);
            let [before, after] = [&weights, &ordered].map(|weights| Net::from_weights(weights).expect("a net"));
            for sample in &samples {
                let pos = sample.position();
                assert_eq!(scalar::output(&before, &pos), scalar::output(&after, &pos), "{shape}");
            }
            let mut again = ordered.clone();
            order_neurons(&mut again, &samples);
            assert!(again == ordered, "{shape}");
            assert!(all_active_groups(&ordered, &samples) < all_active_groups(&weights, &samples), "{shape}");
        }
    }
}
