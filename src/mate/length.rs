//! Lengths of mates.

/// A number of plies.
pub(super) type Length = u16;

/// The length of a failure that no further ply could mend.
pub(super) const ENDLESS: Length = Length::MAX;

/// The most plies that are searched; odd, as every mate is.
pub(super) const MAX_PLIES: Length = 3_999;

/// One ply more.
#[inline(always)]
pub(super) fn longer(len: Length) -> Length {
    len.saturating_add(1)
}
