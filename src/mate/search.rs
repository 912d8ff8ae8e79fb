//! The search: depth-first proof-number search (df-pn, Nagai 2002).
//!
//! A node's proof number says how many positions must at least be proved to prove it, its disproof number the same for
//! a disproof. The search goes down to the position that moves both, and stays below a node until one of the two
//! reaches the threshold at which another branch has become better.
//!
//! Where a position is reached that was met at a smaller ply, the tree may be a cycle in which thresholds are passed
//! round without a new position being expanded; there thresholds are raised until one is (threshold control, Kishimoto
//! 2010). Branches often meet again, and sums would count what they share many times over; so the numbers of children
//! that must all be decided count by the greatest plus one for each other child (weak proof numbers, Ueda et al.
//! 2008).

use super::child::TreePosition;
use super::context::Context;
use super::length::Length;
use super::limit_checker::LimitChecker;
use super::node::MateNode;
use super::node_result::{INFINITE, NodeResult, NodeStatus};
use super::path::{at_end_of, step};
use super::table::{LookupResult, OpenEntry};
use crate::types::Key;

/// The search below a root.
pub(super) struct DfPnSearch<'a, 'l> {
    context: &'a mut Context,
    limit_checker: &'a mut LimitChecker<'l>,
    nodes: Vec<MateNode>,
    /// Expansions that are still owed to the search of a cycle.
    credit: u32,
}

impl<'a, 'l> DfPnSearch<'a, 'l> {
    pub(super) fn new(context: &'a mut Context, limit_checker: &'a mut LimitChecker<'l>) -> DfPnSearch<'a, 'l> {
        DfPnSearch { context, limit_checker, nodes: Vec::new(), credit: 0 }
    }

    /// Searches the position for a mate within `len` plies until it is decided or a limit is reached. The attacker
    /// is to move.
    pub(super) fn run(&mut self, len: Length) -> NodeResult {
        let pos = &self.context.pos;
        let (key, hand) = (pos.board_key(), pos.hand(pos.side()));
        // The key of a path covers its root, too, and all of it: the verifier has other positions searched than the
        // first, and the next question may be about another set of pieces.
        let path = at_end_of(at_end_of(0, key, hand), Key::default(), pos.hand(!pos.side()));
        let tree_pos = TreePosition { attacks: true, key, hand, path, ply: 0, len };
        match self.context.table.look_up(tree_pos.key, tree_pos.hand, len, 0) {
            LookupResult::Proven { len, hand, mv } => return NodeResult::proven(len, hand, mv),
            LookupResult::Disproven { len, hand } => return NodeResult::disproven(len, hand),
            LookupResult::Open { .. } | LookupResult::Unknown { .. } => {}
        }
        if let Some(mv) = super::one::mate_in_one(pos) {
            return self.context.mate_in_one_result(mv);
        }
        if len == 1 {
            return NodeResult::disproven(1, tree_pos.hand);
        }
        let (mut pn, mut dn) = (16, 16);
        loop {
            self.credit = 0;
            let result = self.visit(tree_pos, pn, dn, false);
            if !result.is_open() || self.limit_checker.is_over() {
                return result;
            }
            let raised = |old: u32, found: u32| (old.max(found) as u64 * 17 / 10 + 1).min(INFINITE as u64) as u32;
            (pn, dn) = (raised(pn, result.pn), raised(dn, result.dn));
        }
    }

    /// Searches a node until it is decided or one of its numbers reaches its threshold.
    fn visit(&mut self, tree_pos: TreePosition, pn_threshold: u32, dn_threshold: u32, is_new: bool) -> NodeResult {
        let nodes_before = self.limit_checker.count_node();
        let ply = tree_pos.ply;
        if self.nodes.len() <= ply {
            self.nodes.push(MateNode::default());
        }
        if self.limit_checker.is_report_due() {
            self.report(ply);
        }
        self.context.path.push(tree_pos.key, tree_pos.hand);
        self.nodes[ply].expand(self.context, &tree_pos);
        if is_new {
            self.credit = self.credit.saturating_sub(1);
        }
        let result = self.nodes[ply].result;
        if !(is_new && (result.pn >= pn_threshold || result.dn >= dn_threshold)) {
            self.search_children(&tree_pos, pn_threshold, dn_threshold);
        }
        self.context.path.pop();
        self.store(&tree_pos, (self.limit_checker.nodes() - nodes_before).min(u32::MAX as u64) as u32);
        if self.context.table.is_crowded() {
            let limit_checker = &mut *self.limit_checker;
            self.context.table.make_room(|| limit_checker.check_now());
        }
        self.nodes[ply].result
    }

    /// Reports the progress of the search.
    #[cold]
    fn report(&mut self, ply: usize) {
        let line = self.nodes[..ply].iter().map(|node| node.best().mv).collect();
        self.limit_checker.report(self.context.table.hashfull(), line);
    }

    /// Searches the best child of an expanded node until the node is decided or reaches a threshold.
    fn search_children(&mut self, tree_pos: &TreePosition, pn_threshold: u32, dn_threshold: u32) {
        let ply = tree_pos.ply;
        let owed = self.credit;
        if self.nodes[ply].has_old_child() {
            self.credit += 1;
        }
        loop {
            let NodeResult { status, pn, dn, .. } = self.nodes[ply].result;
            let (mut pn_threshold, mut dn_threshold) = (pn_threshold, dn_threshold);
            if self.credit > 0 {
                (pn_threshold, dn_threshold) = (pn_threshold.max(pn + 1), dn_threshold.max(dn + 1));
            }
            if status != NodeStatus::Open || pn >= pn_threshold || dn >= dn_threshold || self.limit_checker.is_over() {
                break;
            }
            self.descend(tree_pos, pn_threshold, dn_threshold);
        }
        self.credit = self.credit.min(owed);
    }

    /// Searches the best child and takes over what it finds.
    fn descend(&mut self, tree_pos: &TreePosition, pn_threshold: u32, dn_threshold: u32) {
        let node = &self.nodes[tree_pos.ply];
        let child = *node.best();
        let (pn, dn) = node.child_thresholds(tree_pos.attacks, pn_threshold, dn_threshold);
        let below = TreePosition {
            attacks: !tree_pos.attacks,
            key: child.key,
            hand: child.hand,
            path: tree_pos.path ^ step(child.mv, tree_pos.ply),
            ply: tree_pos.ply + 1,
            len: tree_pos.len - 1,
        };
        self.context.pos.do_move(child.mv);
        let result = self.visit(below, pn, dn, child.is_new);
        self.context.pos.undo();
        self.nodes[tree_pos.ply].take(self.context, tree_pos, result);
    }

    /// Writes what was found about a node into the tables.
    fn store(&mut self, tree_pos: &TreePosition, work: u32) {
        let node = &self.nodes[tree_pos.ply];
        let TreePosition { key, hand, ply, .. } = *tree_pos;
        let result = &node.result;
        let table = &mut self.context.table;
        match result.status {
            NodeStatus::Open => {
                let (pn, dn) = (result.pn, result.dn);
                table.store_open(key, hand, &OpenEntry { pn, dn, ply: ply as u16, work });
            }
            NodeStatus::Proven => table.store_proof(key, result.hand, result.len, result.mv, work),
            NodeStatus::Disproven => table.store_disproof(key, result.hand, result.len, work),
            NodeStatus::Repetition => {
                table.mark_repetition(key, hand, ply as u16);
                self.context.path_table.store(at_end_of(tree_pos.path, key, hand), result.start, result.len);
            }
        }
    }
}
