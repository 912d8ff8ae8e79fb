//! Chance that depends on nothing but a number: position, move and seed decide.

use crate::random;

/// Spreads the bits of a number: a step of SplitMix64 (Steele, Lea and Flood 2014).
pub(super) fn mix(number: u64) -> u64 {
    random::mix(number.wrapping_add(random::GOLDEN))
}

/// The number in (0, 1) that belongs to these bits.
pub(super) fn unit(bits: u64) -> f64 {
    random::unit(mix(bits))
}
