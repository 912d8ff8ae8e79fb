//! A shuffle by one seed, as the order of openings of a match is made.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;

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
    fn a_shuffle_moves_everything_and_loses_nothing() {
        let mut items = shuffled(500, 7);
        assert!(items.iter().enumerate().filter(|(place, item)| place == *item).count() < 10);
        items.sort_unstable();
        assert_eq!(items, (0..500).collect::<Vec<_>>());
        shuffle::<u8>(&mut [], 1);
    }

    #[test]
    fn every_order_of_three_is_as_likely() {
        let mut counts = std::collections::HashMap::new();
        (0..6_000).for_each(|seed| *counts.entry(shuffled(3, seed)).or_insert(0) += 1);
        assert_eq!(counts.len(), 6);
        // 1000 each, with a deviation of 29.
        assert!(counts.values().all(|count| (880..=1120).contains(count)), "{counts:?}");
    }
}
