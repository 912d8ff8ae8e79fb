//! The mean of the parameters over the end of a run.
//!
//! The last steps of a run go back and forth around a minimum; their mean lies nearer to it than the last of them
//! (Polyak and Juditsky 1992; "stochastic weight averaging", Izmailov and others 2018).

use rayon::prelude::*;

/// Numbers that a thread takes at a time.
const PIECE: usize = 1 << 13;

/// A running mean of parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Average {
    /// The mean; empty before the first.
    pub mean: Vec<f32>,
    /// Number of vectors of which it is the mean.
    pub count: u64,
}

impl Average {
    pub(super) fn add(&mut self, parameters: &[f32]) {
        if self.count == 0 {
            self.mean = vec![0.0; parameters.len()];
        }
        self.count += 1;
        let share = 1.0 / self.count as f32;
        let pieces = self.mean.par_chunks_mut(PIECE).zip(parameters.par_chunks(PIECE));
        pieces.for_each(|(mean, parameters)| {
            for (mean, parameter) in mean.iter_mut().zip(parameters) {
                *mean += share * (parameter - *mean);
            }
        });
    }

    /// The mean, or these parameters if it is that of none.
    pub(super) fn or<'a>(&'a self, parameters: &'a [f32]) -> &'a [f32] {
        if self.count == 0 { parameters } else { &self.mean }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_three_is_their_mean_and_that_of_none_the_parameters() {
        let mut average = Average::default();
        assert_eq!(average.or(&[5.0, 7.0]), [5.0, 7.0]);
        for parameters in [[1.0, 4.0], [2.0, 0.0], [6.0, 8.0]] {
            average.add(&parameters);
        }
        assert!(average.mean.iter().zip([3.0, 4.0]).all(|(mean, expected)| (mean - expected).abs() < 1e-6));
        assert_eq!(average.or(&[0.0, 0.0]), average.mean);
    }
}
