//! Settings of a step over the course of a run.

/// Course of a run, step by step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Schedule {
    /// Positions that an epoch shows.
    pub positions: usize,
    pub epochs: usize,
    /// Positions of a step; a quarter of that in the first epoch, when every step still teaches much.
    pub batch: usize,
    /// Size of the largest steps, after those of the warm-up; falls to a hundredth of that along a cosine.
    pub rate: f32,
    /// Weight of the games' results in the target: at the start, at the end, and in the last tenth of the run instead.
    pub result_weight: [f32; 3],
    /// The share of the run, at its end, whose parameters are averaged.
    pub average: f32,
}

impl Schedule {
    /// Positions of a step of this epoch, counted from 0.
    pub(super) fn batch(&self, epoch: usize) -> usize {
        if epoch == 0 { self.batch.div_ceil(4) } else { self.batch }
    }

    pub(super) fn steps(&self) -> u64 {
        (0..self.epochs).map(|epoch| self.positions.div_ceil(self.batch(epoch)) as u64).sum()
    }

    /// The share of the run that lies before a step, counted from 0.
    fn progress(&self, step: u64) -> f32 {
        (step as f64 / self.steps().max(1) as f64) as f32
    }

    /// Steps at the start in which the rate rises from nothing. The optimiser makes its first steps as large as all
    /// later ones, however small the gradient is, and most numbers move to the same side; at the full rate a few of
    /// them can drive every unit of a layer out of the range in which it counts, and such a net never learns.
    fn warm_up(&self) -> u64 {
        const MOST: u64 = 100;
        MOST.min(self.steps() / 4)
    }

    /// The rate of a step.
    pub(super) fn rate(&self, step: u64) -> f32 {
        const LEAST: f32 = 0.01;
        let cosine = (std::f32::consts::PI * self.progress(step)).cos();
        let rise = ((step + 1) as f32 / (self.warm_up() + 1) as f32).min(1.0);
        self.rate * rise * (LEAST + (1.0 - LEAST) * 0.5 * (1.0 + cosine))
    }

    /// Tests whether the parameters after a step are averaged.
    pub(super) fn averages(&self, step: u64) -> bool {
        let averaged = (self.steps() as f64 * f64::from(self.average)).round().max(1.0) as u64;
        self.average > 0.0 && step + averaged >= self.steps()
    }

    /// The weight of the results at a step.
    pub(super) fn result_weight(&self, step: u64) -> f32 {
        const LAST_PART: f32 = 0.9;
        let [start, end, last] = self.result_weight;
        match self.progress(step) {
            progress if progress >= LAST_PART => last,
            progress => start + (end - start) * progress,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEDULE: Schedule =
        Schedule { positions: 1_000, epochs: 4, batch: 200, rate: 0.1, result_weight: [0.2, 0.5, 0.7], average: 0.1 };

    #[test]
    fn the_first_epoch_has_smaller_steps() {
        assert_eq!((SCHEDULE.batch(0), SCHEDULE.batch(1), SCHEDULE.steps()), (50, 200, 20 + 3 * 5));
        assert_eq!(Schedule { batch: 300, ..SCHEDULE }.steps(), 14 + 3 * 4);
    }

    #[test]
    fn the_rate_falls_along_a_cosine_to_a_hundredth() {
        let close = |a: f32, b: f32| (a - b).abs() < 1e-4;
        assert!(close(SCHEDULE.rate(35), 0.001));
        let long = Schedule { positions: 100, epochs: 1, batch: 4, ..SCHEDULE };
        assert!(close(long.rate(50), 0.0505) && close(long.rate(25), 0.001 + 0.099 * 0.853_55));
    }

    #[test]
    fn the_rate_rises_in_the_first_quarter_and_in_100_steps_at_most() {
        let long = Schedule { positions: 100, epochs: 1, batch: 4, ..SCHEDULE };
        assert!((long.rate(0) - 0.1 / 26.0).abs() < 1e-5 && (long.rate(12) / long.rate(25) - 0.5).abs() < 0.1);
        assert!((0..25).all(|step| long.rate(step) < long.rate(step + 1)) && long.rate(25) > long.rate(26));
        let longer = Schedule { positions: 100_000, ..long };
        assert!(longer.rate(99) < longer.rate(100) && longer.rate(100) > longer.rate(1_000));
        assert!((longer.rate(100) - 0.1).abs() < 1e-4);
    }

    #[test]
    fn the_steps_of_the_last_tenth_are_averaged() {
        let long = Schedule { positions: 100, epochs: 1, batch: 4, ..SCHEDULE };
        let averaged = |schedule: Schedule| (0..100).filter(|&step| schedule.averages(step)).collect::<Vec<_>>();
        assert_eq!(averaged(long), (90..100).collect::<Vec<_>>());
        assert!(averaged(Schedule { average: 0.0, ..long }).is_empty());
        assert_eq!(averaged(Schedule { average: 1.0, ..long }).len(), 100);
        // A share that is smaller than a step takes the last one.
        assert_eq!(averaged(Schedule { average: 1e-3, ..long }), [99]);
    }

    #[test]
    fn the_weight_of_the_results_rises_and_jumps_in_the_last_tenth() {
        let long = Schedule { positions: 100, epochs: 1, batch: 4, ..SCHEDULE };
        let weights = [0, 50, 89, 90, 99].map(|step| long.result_weight(step));
        let expected = [0.2, 0.35, 0.467, 0.7, 0.7];
        assert!(weights.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-4), "{weights:?}");
    }
}
