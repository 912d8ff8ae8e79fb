//! A node of the tree while it is on the path: its moves and what is known about each.

use super::context::Context;
use super::estimate;
use super::hands;
use super::keys;
use super::length::{ENDLESS, Length, longer};
use super::outcome::{INFINITE, Outcome, Verdict};
use crate::movegen::{Checks, Evasions, generate};
use crate::types::{Hand, Move, MoveKind, PieceType};

/// A position of the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Whether the attacker is to move.
    pub(super) attacks: bool,
    pub(super) key: u64,
    /// The attacker's hand.
    pub(super) hand: Hand,
    /// The key of the path that leads here.
    pub(super) path: u64,
    pub(super) ply: usize,
    /// A mate must not take more plies.
    pub(super) len: Length,
}

/// How much a child may exceed the second best before the search leaves it: this part of the second's number.
const SLACK: u32 = 8;

/// No further move in a chain.
const NO_NEXT: u16 = u16::MAX;

/// A move and the position behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child {
    pub(super) mv: Move,
    pub(super) key: u64,
    pub(super) hand: Hand,
    pub(super) outcome: Outcome,
    /// The move that is looked at only when this one is decided.
    next: u16,
    order: i16,
    /// It has never been expanded.
    pub(super) is_new: bool,
    /// It was met at a smaller ply before: the tree may be a cycle here.
    pub(super) is_old: bool,
}

/// A node on the path.
#[derive(Default)]
pub(super) struct Node {
    pub(super) children: Vec<Child>,
    /// Children that are not decided.
    open: Vec<u16>,
    /// Children that wait for another one to be decided.
    hidden: u32,
    /// What follows from the children.
    pub(super) outcome: Outcome,
    /// The child to search next, and the number at which another one becomes better.
    best: u16,
    second: u32,
    /// What the other children add to the greatest number.
    others: u32,
    decided: Option<u16>,
}

/// The number that the side to move wants small: pn for the attacker, dn for the defender.
fn wanted(attacks: bool, outcome: &Outcome) -> u32 {
    if attacks { outcome.pn } else { outcome.dn }
}

/// The other number.
fn other(attacks: bool, outcome: &Outcome) -> u32 {
    if attacks { outcome.dn } else { outcome.pn }
}

/// A proof hand, which never asks for more than what is held.
fn at_most(hand: Hand, held: Hand) -> Hand {
    if held.dominates(hand) { hand } else { held }
}

/// A disproof hand, which never is less than what is held.
fn at_least(hand: Hand, held: Hand) -> Hand {
    if hand.dominates(held) { hand } else { held }
}

impl Node {
    /// Lists the moves and looks up what is known about each.
    pub(super) fn expand(&mut self, context: &mut Context, place: &Place) {
        self.children.clear();
        self.open.clear();
        self.hidden = 0;
        self.decided = None;
        let pos = &context.pos;
        let moves = if place.attacks { generate::<Checks>(pos) } else { generate::<Evasions>(pos) };
        for mv in moves.iter().copied() {
            let (key, mover_hand) = keys::after(pos, place.key, mv);
            let hand = if place.attacks { mover_hand } else { place.hand };
            let order = estimate::order(pos, mv, place.attacks);
            let outcome = Outcome::open(1, 1);
            self.children.push(Child { mv, key, hand, outcome, next: NO_NEXT, order, is_new: true, is_old: false });
        }
        let touched = self.children.iter().fold(0, |all, child| all ^ context.table.touch(child.key));
        std::hint::black_box(touched);
        let mut waits = [0u64; 11];
        if !place.attacks {
            self.chain(&mut waits);
        }
        for i in 0..self.children.len() {
            if waits[i / 64] >> (i % 64) & 1 != 0 {
                self.hidden += 1;
                continue;
            }
            self.reveal(context, place, i as u16);
            if self.decided.is_some() {
                break;
            }
        }
        self.refresh(context, place);
    }

    /// Chains answers of which the first usually decides the others: drops on one square (an interposition is taken
    /// whatever it is), and a promotion with the same move without.
    fn chain(&mut self, waits: &mut [u64; 11]) {
        use PieceType::*;
        let mut wait = |i: usize| waits[i / 64] |= 1 << (i % 64);
        let mut last = [NO_NEXT; 81];
        for piece_type in [Pawn, Lance, Knight, Silver, Gold, Bishop, Rook] {
            for i in 0..self.children.len() {
                let MoveKind::Drop { piece_type: dropped, to } = self.children[i].mv.kind() else { continue };
                if dropped != piece_type {
                    continue;
                }
                if last[to] != NO_NEXT {
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

    /// Looks at a child, and at those that wait for it as long as they are decided at once.
    fn reveal(&mut self, context: &mut Context, place: &Place, first: u16) {
        let mut at = first;
        while at != NO_NEXT {
            context.assess(place, &mut self.children[at as usize]);
            if !self.settle(place.attacks, at) {
                self.open.push(at);
                return;
            }
            at = self.children[at as usize].next;
            if at != NO_NEXT {
                self.hidden -= 1;
            }
        }
    }

    /// Whether a child is decided. If it decides the node, that is noted.
    fn settle(&mut self, attacks: bool, at: u16) -> bool {
        let outcome = &self.children[at as usize].outcome;
        let decides = match outcome.verdict {
            Verdict::Open => return false,
            Verdict::Proven => attacks,
            Verdict::Disproven | Verdict::Looped => !attacks,
        };
        if decides {
            // The shortest mate; for the defender a failure that holds on all paths rather than one that does not.
            let better = |old: u16| {
                let old = &self.children[old as usize].outcome;
                if attacks {
                    outcome.len < old.len
                } else {
                    (outcome.verdict == Verdict::Disproven && old.verdict == Verdict::Looped)
                        || outcome.verdict == old.verdict && outcome.start > old.start
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

    /// Takes over what the search of the best child has found.
    pub(super) fn take(&mut self, context: &mut Context, place: &Place, outcome: Outcome) {
        let at = self.best;
        let child = &mut self.children[at as usize];
        child.outcome = outcome;
        child.is_new = false;
        child.is_old = false;
        if self.settle(place.attacks, at) {
            self.open.retain(|&i| i != at);
            let next = self.children[at as usize].next;
            if next != NO_NEXT && self.decided.is_none() {
                self.hidden -= 1;
                self.reveal(context, place, next);
            }
        }
        self.refresh(context, place);
    }

    /// Whether an open child was met at a smaller ply.
    pub(super) fn has_old_child(&self) -> bool {
        self.open.iter().any(|&i| self.children[i as usize].is_old)
    }

    /// How far the best child may be searched before the node must be looked at again. It may grow a little beyond the
    /// second: to go back and forth between equals costs more than it saves (Pawlewicz and Lew 2007).
    pub(super) fn limits(&self, attacks: bool, pn: u32, dn: u32) -> (u32, u32) {
        let (mine, theirs) = if attacks { (pn, dn) } else { (dn, pn) };
        let mine = mine.min(self.second.saturating_add(1 + self.second / SLACK)).min(INFINITE);
        let theirs = theirs.saturating_sub(self.others).max(1);
        if attacks { (mine, theirs) } else { (theirs, mine) }
    }

    /// Draws up the node's result from its children's.
    pub(super) fn refresh(&mut self, context: &Context, place: &Place) {
        if let Some(at) = self.decided {
            self.outcome = self.decided_outcome(context, place, at);
            return;
        }
        if self.open.is_empty() {
            self.outcome = self.exhausted_outcome(context, place);
            return;
        }
        let attacks = place.attacks;
        let (mut best, mut rank, mut second, mut most) = (self.open[0], (u32::MAX, u32::MAX, i16::MAX), INFINITE, 0);
        for &at in &self.open {
            let child = &self.children[at as usize];
            let (mine, theirs) = (wanted(attacks, &child.outcome), other(attacks, &child.outcome));
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
        self.others = self.open.len() as u32 - 1 + (self.hidden > 0) as u32;
        let theirs = most.saturating_add(self.others).min(INFINITE - 1);
        self.outcome = if attacks { Outcome::open(rank.0, theirs) } else { Outcome::open(theirs, rank.0) };
    }

    /// The node's result when one child decides it.
    fn decided_outcome(&self, context: &Context, place: &Place, at: u16) -> Outcome {
        let child = &self.children[at as usize];
        let found = &child.outcome;
        match found.verdict {
            Verdict::Proven => {
                let hand = hands::before(&context.pos, child.mv, found.hand);
                Outcome::proven(longer(found.len), at_most(hand, place.hand), Some(child.mv))
            }
            Verdict::Looped if (found.start as usize) < place.ply => Outcome::looped(found.start, longer(found.len)),
            // The repeated position is this one or lies below it: the failure holds on every path.
            Verdict::Looped => Outcome::disproven(longer(found.len), place.hand),
            _ => {
                let all = hands::all_held(&context.pos);
                Outcome::disproven(longer(found.len), at_least(hands::intersection(found.hand, all), place.hand))
            }
        }
    }

    /// The node's result when all children are decided against the side to move.
    fn exhausted_outcome(&self, context: &Context, place: &Place) -> Outcome {
        let pos = &context.pos;
        if !place.attacks {
            let mut hand = Hand::EMPTY;
            let mut len = 0;
            for child in &self.children {
                hand = hands::union(hand, child.outcome.hand);
                len = len.max(longer(child.outcome.len));
            }
            return Outcome::proven(len, at_most(hands::with_monopoly(pos, hand), place.hand), None);
        }
        let mut len = ENDLESS;
        let mut start = u16::MAX;
        let mut hand = hands::all_held(pos);
        for child in &self.children {
            len = len.min(longer(child.outcome.len));
            if child.outcome.verdict == Verdict::Looped {
                start = start.min(child.outcome.start);
                hand = place.hand;
            } else {
                hand = hands::intersection(hand, hands::before(pos, child.mv, child.outcome.hand));
            }
        }
        if (start as usize) < place.ply {
            return Outcome::looped(start, len);
        }
        Outcome::disproven(len, at_least(hands::without_new_checks(pos, hand), place.hand))
    }
}
