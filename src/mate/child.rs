//! A position of the tree, and a move of it with what is known about the position behind it.

use super::length::Length;
use super::node_result::NodeResult;
use crate::types::{Hand, Key, Move};

/// A position of the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreePosition {
    /// Marks nodes in which the attacker is to move.
    pub(super) attacks: bool,
    pub(super) key: Key,
    /// The attacker's hand.
    pub(super) hand: Hand,
    /// The key of the path that leads here.
    pub(super) path: u64,
    pub(super) ply: usize,
    /// A mate must not take more plies.
    pub(super) len: Length,
}

/// No move is delayed until this one is decided.
pub(super) const NO_SIBLING: u16 = u16::MAX;

/// A move and the position behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child {
    pub(super) mv: Move,
    pub(super) key: Key,
    pub(super) hand: Hand,
    pub(super) result: NodeResult,
    /// The delayed move that is expanded only when this one is decided.
    pub(super) next: u16,
    /// The smaller, the earlier it is searched among equals.
    pub(super) order: i16,
    /// It has never been expanded.
    pub(super) is_new: bool,
    /// It was met at a smaller ply before: the tree may be a cycle here.
    pub(super) is_old: bool,
}

impl Child {
    /// A child of which nothing is known yet.
    pub(super) fn new(mv: Move, key: Key, hand: Hand, order: i16) -> Child {
        let result = NodeResult::open(1, 1);
        Child { mv, key, hand, result, next: NO_SIBLING, order, is_new: true, is_old: false }
    }
}
