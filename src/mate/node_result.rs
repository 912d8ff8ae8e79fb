//! The result of a node: its proof and disproof numbers, or how it is decided.

use super::length::Length;
use crate::types::{Hand, Move};

/// The proof number of a disproven node and the disproof number of a proven one.
pub(super) const INFINITE: u32 = 1 << 30;

/// Decision about a node: none yet, a mate, or no mate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum NodeStatus {
    /// It is not.
    #[default]
    Open,
    /// A mate.
    Proven,
    /// No mate within the length.
    Disproven,
    /// No mate within the length on this path, because it leads back to a position of the path.
    Repetition,
}

/// Knowledge about a node: its numbers, or its decision.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NodeResult {
    pub(super) status: NodeStatus,
    pub(super) pn: u32,
    pub(super) dn: u32,
    /// Proven: a mate in at most that many plies. Disproven, or failed by repetition: none in at most that many.
    pub(super) len: Length,
    /// Proven: this hand suffices. Disproven: even this hand fails.
    pub(super) hand: Hand,
    /// Proven with the attacker to move: how.
    pub(super) mv: Option<Move>,
    /// Repetition: the smallest ply of a position that is repeated.
    pub(super) start: u16,
}

impl NodeResult {
    #[inline]
    pub(super) fn open(pn: u32, dn: u32) -> NodeResult {
        NodeResult { pn, dn, ..NodeResult::default() }
    }

    pub(super) fn proven(len: Length, hand: Hand, mv: Option<Move>) -> NodeResult {
        NodeResult { status: NodeStatus::Proven, pn: 0, dn: INFINITE, len, hand, mv, start: 0 }
    }

    pub(super) fn disproven(len: Length, hand: Hand) -> NodeResult {
        NodeResult { status: NodeStatus::Disproven, pn: INFINITE, dn: 0, len, hand, mv: None, start: 0 }
    }

    pub(super) fn repetition(start: u16, len: Length) -> NodeResult {
        NodeResult { status: NodeStatus::Repetition, pn: INFINITE, dn: 0, len, hand: Hand::EMPTY, mv: None, start }
    }

    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.status == NodeStatus::Open
    }
}
