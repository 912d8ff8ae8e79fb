//! A node of the tree while it is on the path: its moves and what is known about each.

use super::child::{Child, NO_SIBLING, TreePosition};
use super::context::Context;
use super::estimate;
use super::hands;
use super::length::{ENDLESS, longer};
use super::node_result::{INFINITE, NodeResult, NodeStatus};
use crate::movegen::{Checks, Evasions, generate};
use crate::types::{Hand, Move, MoveKind, PieceType};

/// A child may exceed the second best by this part of the second's number before the search leaves it (1 + epsilon
/// trick).
const EPSILON_DIVISOR: u32 = 8;

/// A node on the path.
#[derive(Default)]
pub(super) struct MateNode {
    pub(super) children: Vec<Child>,
    /// Children that are not decided.
    open: Vec<u16>,
    /// Children whose expansion is delayed until another one is decided.
    delayed: u32,
    /// Result that follows from the children.
    pub(super) result: NodeResult,
    /// The child to search next, and the number at which another one becomes better.
    best: u16,
    second: u32,
    /// Sum that the other children add to the greatest number.
    others: u32,
    decided: Option<u16>,
}

/// The number that the side to move minimises: pn for the attacker, dn for the defender.
fn phi(attacks: bool, result: &NodeResult) -> u32 {
    if attacks { result.pn } else { result.dn }
}

/// The number that the other side minimises.
fn delta(attacks: bool, result: &NodeResult) -> u32 {
    if attacks { result.dn } else { result.pn }
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
    pub(super) fn expand(&mut self, context: &mut Context, tree_pos: &TreePosition) {
        self.children.clear();
        self.open.clear();
        self.decided = None;
        let pos = &context.pos;
        let moves = if tree_pos.attacks { generate::<Checks>(pos) } else { generate::<Evasions>(pos) };
        for mv in moves.iter().copied() {
            let (key, mover_hand) = pos.board_key_after(mv);
            let hand = if tree_pos.attacks { mover_hand } else { tree_pos.hand };
            let order = estimate::order(pos, mv, tree_pos.attacks);
            self.children.push(Child::new(mv, key, hand, order));
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
        use PieceType::*;
        let mut wait = |i: usize| is_delayed[i / 64] |= 1 << (i % 64);
        let mut last = [NO_SIBLING; 81];
        for piece_type in [Pawn, Lance, Knight, Silver, Gold, Bishop, Rook] {
            for i in 0..self.children.len() {
                let MoveKind::Drop { piece_type: dropped, to } = self.children[i].mv.kind() else { continue };
                if dropped != piece_type {
                    continue;
                }
                if last[to] != NO_SIBLING {
                    self.children[last[to] as usize].next = i as u16;
                    wait(i);
                }
                last[to] = i as u16;
            }
        }
        for i in 0..self.children.len() {
            let MoveKind::Board { from, to, promote: true } = self.children[i].mv.kind() else { continue };
            let plain = Move::board(from, to);
            if let Some(j) = self.children.iter().position(|child| child.mv == plain) {
                self.children[i].next = j as u16;
                wait(j);
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
        if decides {
            // The shortest mate; for the defender a failure that holds on all paths rather than one that does not.
            let better = |old: u16| {
                let old = &self.children[old as usize].result;
                if attacks {
                    result.len < old.len
                } else {
                    (result.status == NodeStatus::Disproven && old.status == NodeStatus::Repetition)
                        || result.status == old.status && result.start > old.start
                }
            };
            if self.decided.is_none_or(better) {
                self.decided = Some(at);
            }
        }
        true
    }

    /// The child to search next.
    pub(super) fn best(&self) -> &Child {
        &self.children[self.best as usize]
    }

    /// Stores the result of the search of the best child.
    pub(super) fn take(&mut self, context: &mut Context, tree_pos: &TreePosition, result: NodeResult) {
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
    pub(super) fn has_old_child(&self) -> bool {
        self.open.iter().any(|&i| self.children[i as usize].is_old)
    }

    /// The thresholds of the best child. Its number may grow a little beyond the second best: switching between equal
    /// children costs more than it saves (1 + epsilon trick, Pawlewicz and Lew 2007).
    pub(super) fn child_thresholds(&self, attacks: bool, pn: u32, dn: u32) -> (u32, u32) {
        let (mine, theirs) = if attacks { (pn, dn) } else { (dn, pn) };
        let mine = mine.min(self.second.saturating_add(1 + self.second / EPSILON_DIVISOR)).min(INFINITE);
        let theirs = theirs.saturating_sub(self.others).max(1);
        if attacks { (mine, theirs) } else { (theirs, mine) }
    }

    /// Computes the node's result from its children's.
    pub(super) fn refresh(&mut self, context: &Context, tree_pos: &TreePosition) {
        if let Some(at) = self.decided {
            self.result = self.decided_result(context, tree_pos, at);
            return;
        }
        if self.open.is_empty() {
            self.result = self.exhausted_result(context, tree_pos);
            return;
        }
        let attacks = tree_pos.attacks;
        let (mut best, mut rank, mut second, mut most) = (self.open[0], (u32::MAX, u32::MAX, i16::MAX), INFINITE, 0);
        for &at in &self.open {
            let child = &self.children[at as usize];
            let (mine, theirs) = (phi(attacks, &child.result), delta(attacks, &child.result));
            most = most.max(theirs);
            let new_rank = (mine, theirs, child.order);
            if new_rank < rank {
                second = second.min(rank.0);
                (best, rank) = (at, new_rank);
            } else {
                second = second.min(mine);
            }
        }
        self.best = best;
        self.second = second;
        self.others = self.open.len() as u32 - 1 + (self.delayed > 0) as u32;
        let theirs = most.saturating_add(self.others).min(INFINITE - 1);
        self.result = if attacks { NodeResult::open(rank.0, theirs) } else { NodeResult::open(theirs, rank.0) };
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
