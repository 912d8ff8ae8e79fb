//! Independent streams of random choices.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// One stream of random numbers of a seed: ChaCha with 8 rounds, whose streams are independent of each other.
#[derive(Debug)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// The stream of this number.
    pub fn new(seed: u64, stream: u64) -> Random {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        Random(rng)
    }

    /// A number from 0 to `bound - 1`; `bound` is at least 1.
    ///
    /// The product with 64 random bits is uneven by less than `bound / 2^64`, which nothing here can notice.
    pub fn below(&mut self, bound: usize) -> usize {
        debug_assert!(bound > 0);
        ((u128::from(self.0.next_u64()) * bound as u128) >> 64) as usize
    }

    /// One of these; there is at least one.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Puts the items into a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_the_same_on_every_machine_and_differ_from_each_other() {
        let numbers = |seed, stream| {
            let mut random = Random::new(seed, stream);
            [0; 6].map(|_: i32| random.below(1_000))
        };
        assert_eq!(numbers(1, 0), [402, 80, 596, 219, 283, 710]);
        assert_eq!(numbers(1, 1), [851, 50, 558, 100, 964, 344]);
        assert_ne!(numbers(2, 0), numbers(1, 0));
    }

    #[test]
    fn every_number_below_the_bound_is_as_frequent() {
        let mut random = Random::new(7, 0);
        let mut counts = [0_i32; 6];
        (0..60_000).for_each(|_| counts[random.below(6)] += 1);
        // Five standard deviations.
        assert!(counts.iter().all(|count| (count - 10_000).abs() < 460), "{counts:?}");
        assert_eq!(random.below(1), 0);
    }

    #[test]
    fn a_shuffle_keeps_every_item() {
        let mut items: Vec<usize> = (0..100).collect();
        Random::new(3, 0).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
