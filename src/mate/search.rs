//! The search: depth-first proof-number search (df-pn, Nagai 2002).
//!
//! A node's proof number says how many positions must at least be proved to prove it, its disproof number the same for
//! a disproof. The search goes down to the position that moves both, and stays below a node until one of the two
//! reaches the limit at which another branch has become better.
//!
//! Where a position is reached that was met at a smaller ply, the tree may be a cycle in which limits are passed round
//! without anything new being looked at; there limits are raised until a new position is expanded (threshold control,
//! Kishimoto 2010). Branches often meet again, and sums would count what they share many times over; so the numbers of
//! children that must all be decided count by the greatest plus one for each other child (weak proof numbers, Ueda et
//! al. 2008).

use super::context::Context;
use super::keys;
use super::length::Length;
use super::node::{Node, Place};
use super::outcome::{INFINITE, Outcome, Verdict};
use super::table::{Estimate, Found};
use super::watch::Watch;

/// The search below a root.
pub(super) struct Search<'a, 'l> {
    context: &'a mut Context,
    watch: &'a mut Watch<'l>,
    nodes: Vec<Node>,
    /// Expansions that are still owed to the search of a cycle.
    credit: u32,
}

impl<'a, 'l> Search<'a, 'l> {
    pub(super) fn new(context: &'a mut Context, watch: &'a mut Watch<'l>) -> Search<'a, 'l> {
        Search { context, watch, nodes: Vec::new(), credit: 0 }
    }

    /// Searches the position for a mate within `len` plies until it is decided or the watch says to stop. The attacker
    /// is to move.
    pub(super) fn run(&mut self, len: Length) -> Outcome {
        let pos = &self.context.pos;
        let (key, hand) = (keys::key_of(pos), pos.hand(pos.side()));
        // A path is told by its root, too, and all of it: the verifier has other positions searched than the first, and
        // the next question may be about another set of pieces.
        let path = keys::at_end_of(keys::at_end_of(0, key, hand), 0, pos.hand(!pos.side()));
        let place = Place { attacks: true, key, hand, path, ply: 0, len };
        match self.context.table.look_up(place.key, place.hand, len, 0) {
            Found::Proven { len, hand, mv } => return Outcome::proven(len, hand, mv),
            Found::Disproven { len, hand } => return Outcome::disproven(len, hand),
            Found::Open { .. } | Found::Unknown { .. } => {}
        }
        if let Some(mv) = super::one::mate_in_one(pos) {
            return self.context.mate_in_one_outcome(mv);
        }
        if len == 1 {
            return Outcome::disproven(1, place.hand);
        }
        let (mut pn, mut dn) = (16, 16);
        loop {
            self.credit = 0;
            let outcome = self.visit(place, pn, dn, false);
            if !outcome.is_open() || self.watch.is_over() {
                return outcome;
            }
            let raised = |old: u32, found: u32| (old.max(found) as u64 * 17 / 10 + 1).min(INFINITE as u64) as u32;
            (pn, dn) = (raised(pn, outcome.pn), raised(dn, outcome.dn));
        }
    }

    /// Searches a node until it is decided or one of its numbers reaches its limit.
    fn visit(&mut self, place: Place, pn_limit: u32, dn_limit: u32, is_new: bool) -> Outcome {
        let nodes_before = self.watch.count_node();
        let ply = place.ply;
        if self.nodes.len() <= ply {
            self.nodes.push(Node::default());
        }
        if self.watch.wants_report() {
            self.report(ply);
        }
        self.context.path.push(place.key, place.hand);
        self.nodes[ply].expand(self.context, &place);
        if is_new {
            self.credit = self.credit.saturating_sub(1);
        }
        let outcome = self.nodes[ply].outcome;
        if !(is_new && (outcome.pn >= pn_limit || outcome.dn >= dn_limit)) {
            self.work(&place, pn_limit, dn_limit);
        }
        self.context.path.pop();
        self.store(&place, (self.watch.nodes() - nodes_before).min(u32::MAX as u64) as u32);
        if self.context.table.is_crowded() {
            let watch = &mut *self.watch;
            self.context.table.make_room(|| watch.looks_over());
        }
        self.nodes[ply].outcome
    }

    /// Tells how far the search is.
    #[cold]
    fn report(&mut self, ply: usize) {
        let line = self.nodes[..ply].iter().map(|node| node.best().mv).collect();
        self.watch.report(self.context.table.per_mille(), line);
    }

    /// Goes down again and again to the best child of an expanded node.
    fn work(&mut self, place: &Place, pn_limit: u32, dn_limit: u32) {
        let ply = place.ply;
        let owed = self.credit;
        if self.nodes[ply].has_old_child() {
            self.credit += 1;
        }
        loop {
            let Outcome { verdict, pn, dn, .. } = self.nodes[ply].outcome;
            let (mut pn_limit, mut dn_limit) = (pn_limit, dn_limit);
            if self.credit > 0 {
                (pn_limit, dn_limit) = (pn_limit.max(pn + 1), dn_limit.max(dn + 1));
            }
            if verdict != Verdict::Open || pn >= pn_limit || dn >= dn_limit || self.watch.is_over() {
                break;
            }
            self.descend(place, pn_limit, dn_limit);
        }
        self.credit = self.credit.min(owed);
    }

    /// Searches the best child and takes over what it finds.
    fn descend(&mut self, place: &Place, pn_limit: u32, dn_limit: u32) {
        let node = &self.nodes[place.ply];
        let child = *node.best();
        let (pn, dn) = node.limits(place.attacks, pn_limit, dn_limit);
        let below = Place {
            attacks: !place.attacks,
            key: child.key,
            hand: child.hand,
            path: place.path ^ keys::step(child.mv, place.ply),
            ply: place.ply + 1,
            len: place.len - 1,
        };
        self.context.pos.do_move(child.mv);
        let outcome = self.visit(below, pn, dn, child.is_new);
        self.context.pos.undo();
        self.nodes[place.ply].take(self.context, place, outcome);
    }

    /// Writes what was found about a node into the tables.
    fn store(&mut self, place: &Place, work: u32) {
        let node = &self.nodes[place.ply];
        let Place { key, hand, ply, .. } = *place;
        let outcome = &node.outcome;
        let table = &mut self.context.table;
        match outcome.verdict {
            Verdict::Open => {
                let (pn, dn) = (outcome.pn, outcome.dn);
                table.store_open(key, hand, &Estimate { pn, dn, ply: ply as u16, work });
            }
            Verdict::Proven => table.store_proof(key, outcome.hand, outcome.len, outcome.mv, work),
            Verdict::Disproven => table.store_disproof(key, outcome.hand, outcome.len, work),
            Verdict::Looped => {
                table.mark_looped(key, hand, ply as u16);
                self.context.loops.store(keys::at_end_of(place.path, key, hand), outcome.start, outcome.len);
            }
        }
    }
}
