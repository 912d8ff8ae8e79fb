//! Position keys.

use std::ops::{BitXor, BitXorAssign};

/// A 64-bit Zobrist key. Equal positions have equal keys; different ones differ but for a chance of 2^-64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(pub u64);

impl BitXor for Key {
    type Output = Key;
    #[inline]
    fn bitxor(self, other: Key) -> Key {
        Key(self.0 ^ other.0)
    }
}

impl BitXorAssign for Key {
    #[inline]
    fn bitxor_assign(&mut self, other: Key) {
        self.0 ^= other.0;
    }
}
