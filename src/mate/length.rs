//! Lengths of mates.

use crate::host::HAS_THREADS;

/// A number of plies.
pub(super) type Length = u16;

/// The length of a failure that no further ply could mend.
pub(super) const ENDLESS: Length = Length::MAX;

/// The most plies that are searched; odd, as every mate is. Where there is no thread with a stack of its own they are
/// fewer: browsers give a stack of about a megabyte.
pub const MAX_PLIES: Length = if HAS_THREADS { 3_999 } else { 999 };

/// One ply more.
pub(super) fn longer(len: Length) -> Length {
    len.saturating_add(1)
}
