//! Random numbers for many games at once: independent sequences of one seed, and the order of openings.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// The stream of the generator; any number would do.
const STREAM: u128 = 0;

/// Shuffles by Fisher and Yates (Durstenfeld 1964), from the last place down to the second, with numbers from PCG
/// XSL RR 128/64 (O'Neill 2014) whose state is the seed.
pub fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut rng = Pcg64::new(u128::from(seed), STREAM);
    for last in (1..items.len()).rev() {
        items.swap(last, below(&mut rng, last as u64 + 1) as usize);
    }
}

/// A number from 0 up to `bound`, each as likely (Lemire 2019): the upper half of a product, and another try in the few
/// cases that would favour some numbers.
fn below(rng: &mut Pcg64, bound: u64) -> u64 {
    let threshold = bound.wrapping_neg() % bound;
    loop {
        let product = u128::from(rng.next_u64()) * u128::from(bound);
        if product as u64 >= threshold {
            return (product >> 64) as u64;
        }
    }
}

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

    fn shuffled(length: usize, seed: u64) -> Vec<usize> {
        let mut items: Vec<usize> = (0..length).collect();
        shuffle(&mut items, seed);
        items
    }

    #[test]
    fn the_same_seed_gives_the_same_order_for_ever() {
        assert_eq!(shuffled(10, 1), [8, 3, 2, 7, 6, 1, 9, 5, 0, 4]);
        assert_eq!(shuffled(10, 2), [7, 5, 3, 4, 0, 8, 2, 9, 6, 1]);
    }

    #[test]
    fn every_order_of_three_is_as_likely() {
        let mut counts = std::collections::HashMap::new();
        for seed in 0..6_000 {
            *counts.entry(shuffled(3, seed)).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        // 1000 each, with a deviation of 29.
        assert!(counts.values().all(|count| (880..=1120).contains(count)), "{counts:?}");
    }

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
        for _ in 0..60_000 {
            counts[random.below(6)] += 1;
        }
        // Five standard deviations.
        assert!(counts.iter().all(|count| (count - 10_000).abs() < 460), "{counts:?}");
        assert_eq!(random.below(1), 0);
    }
}
