//! What is known about a node.

use super::length::Length;
use crate::types::{Hand, Move};

/// The number of what cannot be proved or disproved any more.
pub(super) const INFINITE: u32 = 1 << 30;

/// Whether and how a node is decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is not.
    #[default]
    Open,
    /// A mate.
    Proven,
    /// No mate within the length.
    Disproven,
    /// No mate within the length on this path, because it leads back to a position of the path.
    Looped,
}

/// What is known about a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outcome {
    pub(super) verdict: Verdict,
    pub(super) pn: u32,
    pub(super) dn: u32,
    /// Proven: a mate in at most that many plies. Disproven and looped: none in at most that many.
    pub(super) len: Length,
    /// Proven: this hand suffices. Disproven: even this hand fails.
    pub(super) hand: Hand,
    /// Proven with the attacker to move: how.
    pub(super) mv: Option<Move>,
    /// Looped: the smallest ply of a position that is repeated.
    pub(super) start: u16,
}

impl Outcome {
    #[inline]
    pub(super) fn open(pn: u32, dn: u32) -> Outcome {
        Outcome { pn, dn, ..Outcome::default() }
    }

    pub(super) fn proven(len: Length, hand: Hand, mv: Option<Move>) -> Outcome {
        Outcome { verdict: Verdict::Proven, pn: 0, dn: INFINITE, len, hand, mv, start: 0 }
    }

    pub(super) fn disproven(len: Length, hand: Hand) -> Outcome {
        Outcome { verdict: Verdict::Disproven, pn: INFINITE, dn: 0, len, hand, mv: None, start: 0 }
    }

    pub(super) fn looped(start: u16, len: Length) -> Outcome {
        Outcome { verdict: Verdict::Looped, pn: INFINITE, dn: 0, len, hand: Hand::EMPTY, mv: None, start }
    }

    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.verdict == Verdict::Open
    }
}
