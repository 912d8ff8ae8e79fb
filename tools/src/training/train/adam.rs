//! The optimiser: AdamW (Loshchilov and Hutter 2019).
//!
//! Every step moves every number, also those of rows whose inputs were on in no position of the batch: their gradient
//! is zero, but their moments go on. So nothing has to be remembered of when a row was last touched, and the correction
//! of the moments' beginnings is the same for all. With the small shapes that costs about a hundredth of a batch.

use super::layout::Layout;
use rayon::prelude::*;

/// Share of the moments that stays at each step.
const BETAS: [f32; 2] = [0.9, 0.999];
/// Keeps the step small where the gradient is next to nothing.
const EPSILON: f32 = 1e-8;
/// Numbers that a thread takes at a time.
const PIECE: usize = 1 << 13;

/// Moving means of the gradients and of their squares.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Adam {
    pub first: Vec<f32>,
    /// Means of their squares.
    pub second: Vec<f32>,
    pub steps: u64,
}

impl Adam {
    pub(super) fn new(layout: &Layout) -> Adam {
        Adam { first: vec![0.0; layout.len()], second: vec![0.0; layout.len()], steps: 0 }
    }

    /// Moves the parameters against their gradient, which is zero afterwards. `decay` is the share that is taken off
    /// the weights at a rate of 1. No number leaves the range that a file can hold.
    pub(super) fn step(
        &mut self,
        layout: &Layout,
        parameters: &mut [f32],
        gradient: &mut [f32],
        rate: f32,
        decay: f32,
    ) {
        self.steps += 1;
        // The moments begin at zero, which makes them too small at first.
        let correction = BETAS.map(|beta| 1.0 - f64::from(beta).powf(self.steps as f64));
        let rate_of_moments = (f64::from(rate) * correction[1].sqrt() / correction[0]) as f32;
        let epsilon = (f64::from(EPSILON) * correction[1].sqrt()) as f32;
        for part in &layout.parts {
            let keep = if part.decays { 1.0 - rate * decay } else { 1.0 };
            let most = part.most;
            let pieces = parameters[part.range.clone()]
                .par_chunks_mut(PIECE)
                .zip(gradient[part.range.clone()].par_chunks_mut(PIECE))
                .zip(self.first[part.range.clone()].par_chunks_mut(PIECE))
                .zip(self.second[part.range.clone()].par_chunks_mut(PIECE));
            pieces.for_each(|(((parameters, gradient), first), second)| {
                // Slices of one length make vectors of this loop.
                let count = parameters.len();
                let gradient = &mut gradient[..count];
                let first = &mut first[..count];
                let second = &mut second[..count];
                for i in 0..count {
                    first[i] += (1.0 - BETAS[0]) * (gradient[i] - first[i]);
                    second[i] += (1.0 - BETAS[1]) * (gradient[i] * gradient[i] - second[i]);
                    let moved = parameters[i] * keep - rate_of_moments * first[i] / (second[i].sqrt() + epsilon);
                    parameters[i] = moved.max(-most).min(most);
                    gradient[i] = 0.0;
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use komainu::eval::nnue::Shape;

    #[test]
    fn steps_are_those_that_were_worked_out_by_hand() {
        let layout = Layout::new(Shape::KP);
        let mut parameters = vec![0.5; layout.len()];
        let mut gradient = vec![0.0; layout.len()];
        let mut adam = Adam::new(&layout);
        let bias = layout.parts[3].range.start;
        (gradient[7], gradient[bias]) = (0.02, -3.0);
        adam.step(&layout, &mut parameters, &mut gradient, 0.01, 0.1);
        // The first step is the rate, whatever the size of the gradient; weights lose a thousandth of themselves.
        assert!((parameters[7] - (0.5 * 0.999 - 0.01)).abs() < 1e-6 && (parameters[bias] - 0.51).abs() < 1e-6);
        assert!((parameters[8] - 0.4995).abs() < 1e-7 && gradient.iter().all(|&gradient| gradient == 0.0));
        // Without a gradient the moments move it on: 0.09 and 0.000999 of the gradient and its square are left, over
        // corrections of 0.19 and 0.001999.
        let before = parameters[bias];
        adam.step(&layout, &mut parameters, &mut gradient, 0.01, 0.1);
        let expected = 0.01 * (0.09 / 0.19) / (0.000999f32 / 0.001999).sqrt();
        assert!((parameters[bias] - before - expected).abs() < 1e-6, "{}", parameters[bias] - before);
    }

    #[test]
    fn no_number_leaves_the_range_of_a_file() {
        let layout = Layout::new(Shape::KA2);
        let mut parameters = vec![0.0; layout.len()];
        let mut gradient = vec![-1.0; layout.len()];
        Adam::new(&layout).step(&layout, &mut parameters, &mut gradient, 1e6, 0.0);
        for part in &layout.parts {
            let least = part.most.min(9e5);
            assert!(parameters[part.range.clone()].iter().all(|&number| number >= least && number <= part.most));
        }
    }
}
