//! A node of the tree while it is on the path: its moves and what is known about each.

use super::hands;
use super::search::{Context, move_order};
use crate::host::HAS_THREADS;
use crate::movegen::{Checks, Evasions, generate};
use crate::types::{Hand, Key, Move, MoveKind, PieceType};

/// A number of plies.
pub(crate) type Length = u16;

/// The length of a failure that no further ply could mend.
pub(crate) const ENDLESS: Length = Length::MAX;

/// The most plies that are searched; odd, as every mate is. Where there is no thread with a stack of its own they are
/// fewer: browsers give a stack of about a megabyte.
pub const MAX_PLIES: Length = if HAS_THREADS { 3_999 } else { 999 };

/// One ply more.
pub(crate) fn longer(len: Length) -> Length {
    len.saturating_add(1)
}

/// The proof number of a disproven node and the disproof number of a proven one.
pub(crate) const INFINITE: u32 = 1 << 30;

/// Whether a node is decided, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NodeStatus {
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

/// What is known about a node: its numbers, or its decision.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NodeResult {
    pub(crate) status: NodeStatus,
    pub(crate) pn: u32,
    pub(crate) dn: u32,
    /// Proven: a mate in at most that many plies. Disproven, or failed by repetition: none in at most that many.
    pub(crate) len: Length,
    /// Proven: this hand suffices. Disproven: even this hand fails.
    pub(crate) hand: Hand,
    /// Proven with the attacker to move: how.
    pub(crate) mv: Option<Move>,
    /// Repetition: the smallest ply of a position that is repeated.
    pub(crate) start: u16,
}

impl NodeResult {
    #[inline]
    pub(crate) fn open(pn: u32, dn: u32) -> NodeResult {
        NodeResult { pn, dn, ..NodeResult::default() }
    }

    pub(crate) fn proven(len: Length, hand: Hand, mv: Option<Move>) -> NodeResult {
        NodeResult { status: NodeStatus::Proven, pn: 0, dn: INFINITE, len, hand, mv, start: 0 }
    }

    pub(crate) fn disproven(len: Length, hand: Hand) -> NodeResult {
        NodeResult { status: NodeStatus::Disproven, pn: INFINITE, dn: 0, len, hand, mv: None, start: 0 }
    }

    pub(crate) fn repetition(start: u16, len: Length) -> NodeResult {
        NodeResult { status: NodeStatus::Repetition, pn: INFINITE, dn: 0, len, hand: Hand::EMPTY, mv: None, start }
    }

    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.status == NodeStatus::Open
    }

    /// The number that the side to move minimises: pn for the attacker, dn for the defender.
    fn phi(&self, attacks: bool) -> u32 {
        if attacks { self.pn } else { self.dn }
    }

    /// The number that the other side minimises.
    fn delta(&self, attacks: bool) -> u32 {
        if attacks { self.dn } else { self.pn }
    }
}

/// A position of the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreePosition {
    /// Whether the attacker is to move.
    pub(crate) attacks: bool,
    pub(crate) key: Key,
    /// The attacker's hand.
    pub(crate) hand: Hand,
    /// The key of the path that leads here.
    pub(crate) path: u64,
    pub(crate) ply: usize,
    /// A mate must not take more plies.
    pub(crate) len: Length,
}

/// No move is delayed until this one is decided.
const NO_SIBLING: u16 = u16::MAX;

/// A move and the position behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child {
    pub(crate) mv: Move,
    pub(crate) key: Key,
    pub(crate) hand: Hand,
    pub(crate) result: NodeResult,
    /// The delayed move that is expanded only when this one is decided.
    next: u16,
    /// The smaller, the earlier it is searched among equals.
    order: i16,
    /// It has never been expanded.
    pub(crate) is_new: bool,
    /// It was met at a smaller ply before: the tree may be a cycle here.
    pub(crate) is_old: bool,
}

/// A child may exceed the second best by this part of the second's number before the search leaves it (1 + epsilon
/// trick).
const EPSILON_DIVISOR: u32 = 8;

/// A node on the path.
#[derive(Default)]
pub(crate) struct MateNode {
    pub(crate) children: Vec<Child>,
    /// Children that are not decided.
    open: Vec<u16>,
    /// Children whose expansion is delayed until another one is decided.
    delayed: u32,
    /// Result that follows from the children.
    pub(crate) result: NodeResult,
    /// The child to search next, and the number at which another one becomes better.
    best: u16,
    second: u32,
    /// Sum that the other children add to the greatest number.
    others: u32,
    decided: Option<u16>,
}

/// Tests whether a child is a better reason for the decision of its node than the one so far: the shortest mate; for
/// the defender a failure that holds on all paths rather than one that does not.
fn decides_better(attacks: bool, result: &NodeResult, old: &NodeResult) -> bool {
    if attacks {
        return result.len < old.len;
    }
    (result.status == NodeStatus::Disproven && old.status == NodeStatus::Repetition)
        || (result.status == old.status && result.start > old.start)
}

/// A proof hand, which never asks for more than what is held.
fn at_most(hand: Hand, held: Hand) -> Hand {
    if held.dominates(hand) { hand } else { held }
}

/// A disproof hand, which never is less than what is held.
fn at_least(hand: Hand, held: Hand) -> Hand {
    if hand.dominates(held) { hand } else { held }
}

impl MateNode {
    /// Lists the moves and looks up what is known about each.
    pub(crate) fn expand(&mut self, context: &mut Context, tree_pos: &TreePosition) {
        self.children.clear();
        self.open.clear();
        self.decided = None;
        let pos = &context.pos;
        let moves = if tree_pos.attacks { generate::<Checks>(pos) } else { generate::<Evasions>(pos) };
        for mv in moves.iter().copied() {
            let (key, mover_hand) = pos.board_key_after(mv);
            self.children.push(Child {
                mv,
                key,
                hand: if tree_pos.attacks { mover_hand } else { tree_pos.hand },
                result: NodeResult::open(1, 1),
                next: NO_SIBLING,
                order: move_order(pos, mv, tree_pos.attacks),
                is_new: true,
                is_old: false,
            });
        }
        let touched = self.children.iter().fold(0, |all, child| all ^ context.table.prefetch(child.key));
        std::hint::black_box(touched);
        let mut is_delayed = [0u64; 11];
        if !tree_pos.attacks {
            self.delay_siblings(&mut is_delayed);
        }
        // Counted before the first child is looked up: one that is decided at once goes on with the child behind it.
        self.delayed = is_delayed.iter().map(|word| word.count_ones()).sum();
        for i in 0..self.children.len() {
            if is_delayed[i / 64] >> (i % 64) & 1 != 0 {
                continue;
            }
            self.evaluate_child(context, tree_pos, i as u16);
            if self.decided.is_some() {
                break;
            }
        }
        self.refresh(context, tree_pos);
    }

    /// Delayed expansion of answers that are usually decided by another one: drops on one square (an interposition is
    /// taken whatever it is), and a move without promotion behind the same move with promotion.
    fn delay_siblings(&mut self, is_delayed: &mut [u64; 11]) {
        let mut last = [NO_SIBLING; 81];
        for piece_type in PieceType::HAND_ARRAY {
            for i in 0..self.children.len() {
                let MoveKind::Drop { piece_type: dropped, to } = self.children[i].mv.kind() else { continue };
                if dropped != piece_type {
                    continue;
                }
                if last[to] != NO_SIBLING {
                    self.children[last[to] as usize].next = i as u16;
                    is_delayed[i / 64] |= 1 << (i % 64);
                }
                last[to] = i as u16;
            }
        }
        for i in 0..self.children.len() {
            let MoveKind::Board { from, to, promote: true } = self.children[i].mv.kind() else { continue };
            let plain = Move::board(from, to);
            if let Some(j) = self.children.iter().position(|child| child.mv == plain) {
                self.children[i].next = j as u16;
                is_delayed[j / 64] |= 1 << (j % 64);
            }
        }
    }

    /// Looks up a child, and the delayed ones behind it as long as they are decided at once.
    fn evaluate_child(&mut self, context: &mut Context, tree_pos: &TreePosition, first: u16) {
        let mut at = first;
        while at != NO_SIBLING {
            context.init_child(tree_pos, &mut self.children[at as usize]);
            if !self.resolve(tree_pos.attacks, at) {
                self.open.push(at);
                return;
            }
            at = self.children[at as usize].next;
            if at != NO_SIBLING {
                self.delayed -= 1;
            }
        }
    }

    /// Tests whether a child is decided. If it decides the node, it is stored as the deciding child.
    fn resolve(&mut self, attacks: bool, at: u16) -> bool {
        let result = &self.children[at as usize].result;
        let decides = match result.status {
            NodeStatus::Open => return false,
            NodeStatus::Proven => attacks,
            NodeStatus::Disproven | NodeStatus::Repetition => !attacks,
        };
        if decides
            && self.decided.is_none_or(|old| decides_better(attacks, result, &self.children[old as usize].result))
        {
            self.decided = Some(at);
        }
        true
    }

    /// The child to search next.
    pub(crate) fn best(&self) -> &Child {
        &self.children[self.best as usize]
    }

    /// Takes over the result of the search of the best child.
    pub(crate) fn update_best(&mut self, context: &mut Context, tree_pos: &TreePosition, result: NodeResult) {
        let at = self.best;
        let child = &mut self.children[at as usize];
        child.result = result;
        child.is_new = false;
        child.is_old = false;
        if self.resolve(tree_pos.attacks, at) {
            self.open.retain(|&i| i != at);
            let next = self.children[at as usize].next;
            if next != NO_SIBLING && self.decided.is_none() {
                self.delayed -= 1;
                self.evaluate_child(context, tree_pos, next);
            }
        }
        self.refresh(context, tree_pos);
    }

    /// Tests whether an open child was met at a smaller ply.
    pub(crate) fn has_old_child(&self) -> bool {
        self.open.iter().any(|&i| self.children[i as usize].is_old)
    }

    /// The thresholds of the best child. Its number may grow a little beyond the second best: switching between equal
    /// children costs more than it saves (1 + epsilon trick, Pawlewicz and Lew 2007).
    pub(crate) fn child_thresholds(&self, attacks: bool, pn: u32, dn: u32) -> (u32, u32) {
        let phi_limit = self.second.saturating_add(1 + self.second / EPSILON_DIVISOR).min(INFINITE);
        if attacks {
            (pn.min(phi_limit), dn.saturating_sub(self.others).max(1))
        } else {
            (pn.saturating_sub(self.others).max(1), dn.min(phi_limit))
        }
    }

    /// Computes the node's result from its children's.
    pub(crate) fn refresh(&mut self, context: &Context, tree_pos: &TreePosition) {
        if let Some(at) = self.decided {
            self.result = self.decided_result(context, tree_pos, at);
            return;
        }
        if self.open.is_empty() {
            self.result = self.exhausted_result(context, tree_pos);
            return;
        }
        let attacks = tree_pos.attacks;
        let mut best = self.open[0];
        let mut best_rank = (u32::MAX, u32::MAX, i16::MAX);
        let mut second = INFINITE;
        let mut greatest_delta = 0;
        for &at in &self.open {
            let child = &self.children[at as usize];
            let phi = child.result.phi(attacks);
            let delta = child.result.delta(attacks);
            greatest_delta = greatest_delta.max(delta);
            let rank = (phi, delta, child.order);
            if rank < best_rank {
                second = second.min(best_rank.0);
                best = at;
                best_rank = rank;
            } else {
                second = second.min(phi);
            }
        }
        self.best = best;
        self.second = second;
        self.others = self.open.len() as u32 - 1 + (self.delayed > 0) as u32;
        let phi = best_rank.0;
        let delta = greatest_delta.saturating_add(self.others).min(INFINITE - 1);
        self.result = if attacks { NodeResult::open(phi, delta) } else { NodeResult::open(delta, phi) };
    }

    /// The node's result when one child decides it.
    fn decided_result(&self, context: &Context, tree_pos: &TreePosition, at: u16) -> NodeResult {
        let child = &self.children[at as usize];
        let found = &child.result;
        match found.status {
            NodeStatus::Proven => {
                let hand = hands::before(&context.pos, child.mv, found.hand);
                NodeResult::proven(longer(found.len), at_most(hand, tree_pos.hand), Some(child.mv))
            }
            NodeStatus::Repetition if (found.start as usize) < tree_pos.ply => {
                NodeResult::repetition(found.start, longer(found.len))
            }
            // The repeated position is this one or lies below it: the failure holds on every path.
            NodeStatus::Repetition => NodeResult::disproven(longer(found.len), tree_pos.hand),
            _ => {
                let all = hands::all_held(&context.pos);
                NodeResult::disproven(longer(found.len), at_least(hands::intersection(found.hand, all), tree_pos.hand))
            }
        }
    }

    /// The node's result when all children are decided against the side to move.
    fn exhausted_result(&self, context: &Context, tree_pos: &TreePosition) -> NodeResult {
        let pos = &context.pos;
        if !tree_pos.attacks {
            let mut hand = Hand::EMPTY;
            let mut len = 0;
            for child in &self.children {
                hand = hands::union(hand, child.result.hand);
                len = len.max(longer(child.result.len));
            }
            return NodeResult::proven(len, at_most(hands::with_monopoly(pos, hand), tree_pos.hand), None);
        }
        let mut len = ENDLESS;
        let mut start = u16::MAX;
        let mut hand = hands::all_held(pos);
        for child in &self.children {
            len = len.min(longer(child.result.len));
            if child.result.status == NodeStatus::Repetition {
                start = start.min(child.result.start);
                hand = tree_pos.hand;
            } else {
                hand = hands::intersection(hand, hands::before(pos, child.mv, child.result.hand));
            }
        }
        if (start as usize) < tree_pos.ply {
            return NodeResult::repetition(start, len);
        }
        NodeResult::disproven(len, at_least(hands::without_new_checks(pos, hand), tree_pos.hand))
    }
}

#[cfg(test)]
mod tests {
    use crate::mate::{MateLimits, Query, Solver};
    use crate::position::Position;

    /// The first delayed child is behind one that is decided at once, before the rest of the children are looked up:
    /// with overflow checks, a count of those passed so far went below zero.
    #[test]
    fn a_child_behind_one_decided_at_once_is_counted() {
        let pos = Position::from_sfen("K+R+R6/+B+BGGGG3/SSSS5/9/9/9/9/9/8k b 4P4n4l14p 1").unwrap();
        let limits = MateLimits { nodes: Some(1_000), ..MateLimits::default() };
        let report = Solver::new(1).unwrap().solve(&pos, &Query { limits, ..Query::default() });
        assert!(report.nodes > 0);
    }
}
