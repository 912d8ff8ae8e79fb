//! Which positions an epoch shows: those of each file as often as its weight says.
//!
//! An epoch takes `weight * positions` of each file and goes on in the file where the last epoch has ended, round and
//! round: with a weight of 0.5 two epochs show each position once, with a weight of 2 one epoch shows each twice. Each
//! time round a file, a position is shown from its other side, left or right.

use super::data::TrainingData;

/// The share of a file in an epoch.
#[derive(Clone, Debug)]
struct FileShare {
    /// Where its positions begin in the training set, and how many there are.
    first: usize,
    count: usize,
    /// Number of them that an epoch shows.
    shown: usize,
}

/// The files of a run with their weights.
#[derive(Clone, Debug)]
pub(super) struct Replay {
    shares: Vec<FileShare>,
    mirror: bool,
}

/// A position that an epoch shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shown {
    /// Place in the training set.
    pub place: usize,
    pub mirror: bool,
}

impl Replay {
    /// The files of some data with a weight each, 1 where the list ends.
    pub(super) fn new(data: &TrainingData, weights: &[f32], mirror: bool) -> Replay {
        let mut shares = Vec::with_capacity(data.sources.len());
        for (file, source) in data.sources.iter().enumerate() {
            let count = source.training_set.len();
            let weight = weights.get(file).copied().unwrap_or(1.0);
            let shown = (f64::from(weight) * count as f64).round() as usize;
            shares.push(FileShare { first: source.training_set.start, count, shown });
        }
        Replay { shares, mirror }
    }

    /// Number of positions that an epoch shows.
    pub(super) fn len(&self) -> usize {
        self.shares.iter().map(|share| share.shown).sum()
    }

    /// Position that the epoch shows at this number, which is below [`Replay::len`]; the order of the numbers is for
    /// others to choose.
    pub(super) fn shown(&self, epoch: usize, number: usize) -> Shown {
        let mut number = number;
        for share in &self.shares {
            if number < share.shown {
                let turn = epoch * share.shown + number;
                let round = turn / share.count;
                let place = turn % share.count;
                return Shown { place: share.first + place, mirror: self.mirror && (place + round) % 2 == 1 };
            }
            number -= share.shown;
        }
        unreachable!("an epoch shows fewer positions")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::train::data::SampleFile;
    use crate::training::train::samples::random_samples;

    /// Two files of six and of four positions.
    fn data() -> TrainingData {
        let mut data = TrainingData::new(random_samples(3, 10), random_samples(4, 2), 2);
        data.sources =
            vec![SampleFile { training_set: 0..6, held_out: 0..1 }, SampleFile { training_set: 6..10, held_out: 1..2 }];
        data
    }

    fn places(replay: &Replay, epoch: usize) -> Vec<usize> {
        (0..replay.len()).map(|number| replay.shown(epoch, number).place).collect()
    }

    #[test]
    fn a_file_of_half_weight_is_shown_by_halves_and_one_of_double_weight_twice() {
        let replay = Replay::new(&data(), &[0.5, 2.0], true);
        assert_eq!(replay.len(), 3 + 8);
        assert_eq!(places(&replay, 0), [0, 1, 2, 6, 7, 8, 9, 6, 7, 8, 9]);
        assert_eq!(places(&replay, 1), [3, 4, 5, 6, 7, 8, 9, 6, 7, 8, 9]);
        assert_eq!(places(&replay, 2), places(&replay, 0));
    }

    #[test]
    fn each_time_round_a_position_is_shown_from_its_other_side() {
        let replay = Replay::new(&data(), &[0.5, 2.0], true);
        // The two times that an epoch shows a position, and the times in two epochs that are a round apart.
        let mirrors = |epoch: usize, number: usize| replay.shown(epoch, number).mirror;
        assert!((3..7).all(|number| mirrors(0, number) != mirrors(0, number + 4)));
        assert!((0..3).all(|number| mirrors(0, number) != mirrors(2, number)));
        let plain = Replay::new(&data(), &[], false);
        assert!((0..10).all(|number| !plain.shown(1, number).mirror));
    }

    #[test]
    fn without_weights_every_epoch_shows_all() {
        let replay = Replay::new(&data(), &[], true);
        for epoch in 0..3 {
            assert_eq!(places(&replay, epoch), (0..10).collect::<Vec<_>>());
        }
        // A file of no weight is left out.
        assert_eq!(places(&Replay::new(&data(), &[0.0], true), 0), [6, 7, 8, 9]);
    }
}
