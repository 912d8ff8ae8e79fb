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
//! 2008). A position that has not been looked at gets a first guess of both numbers (df-pn+).

use super::hands;
use super::limits::LimitChecker;
use super::node::{Child, ENDLESS, INFINITE, Length, MateNode, NodeResult, NodeStatus, TreePosition};
use super::path::{Path, PathTable, at_end_of, step};
use super::short::{QuickMateTest, mate_in_one, quick_mate_test};
use super::table::{LookupResult, MateTable, OpenEntry};
use crate::bitboard::{Bitboard, pawn_attacks};
use crate::position::Position;
use crate::types::{Hand, Key, Move, MoveKind, PieceType};

/// Weight of one unknown position. Two, so that a guess can lie between one position and the next.
pub(crate) const UNIT: u32 = 2;

/// The most that the numbers of another hand count for a position that was never met.
const MAX_BOUND: u32 = 16 * UNIT;

/// The proof and the disproof number that a search of the root begins with.
const FIRST_THRESHOLD: u32 = 16;

/// The search below a root.
pub(crate) struct DfPnSearch<'a, 'l> {
    context: &'a mut Context,
    limit_checker: &'a mut LimitChecker<'l>,
    nodes: Vec<MateNode>,
    /// Expansions that are still owed to the search of a cycle.
    credit: u32,
}

impl<'a, 'l> DfPnSearch<'a, 'l> {
    pub(crate) fn new(context: &'a mut Context, limit_checker: &'a mut LimitChecker<'l>) -> DfPnSearch<'a, 'l> {
        DfPnSearch { context, limit_checker, nodes: Vec::new(), credit: 0 }
    }

    /// Searches the position for a mate within `len` plies until it is decided or a limit is reached. The attacker
    /// is to move.
    pub(crate) fn run(&mut self, len: Length) -> NodeResult {
        let pos = &self.context.pos;
        let key = pos.board_key();
        let hand = pos.hand(pos.side());
        // The key of a path covers its root, too, and all of it: the verifier has other positions searched than the
        // first, and the next question may be about another set of pieces.
        let path = at_end_of(at_end_of(0, key, hand), Key::default(), pos.hand(!pos.side()));
        let tree_pos = TreePosition { attacks: true, key, hand, path, ply: 0, len };
        match self.context.table.look_up(tree_pos.key, tree_pos.hand, len, 0) {
            LookupResult::Proven { len, hand, mv } => return NodeResult::proven(len, hand, mv),
            LookupResult::Disproven { len, hand } => return NodeResult::disproven(len, hand),
            LookupResult::Open { .. } | LookupResult::Unknown { .. } => {}
        }
        if let Some(mv) = mate_in_one(pos) {
            return self.context.mate_in_one_result(mv);
        }
        if len == 1 {
            return NodeResult::disproven(1, tree_pos.hand);
        }
        let mut pn_threshold = FIRST_THRESHOLD;
        let mut dn_threshold = FIRST_THRESHOLD;
        loop {
            self.credit = 0;
            let result = self.visit(tree_pos, pn_threshold, dn_threshold, false);
            if !result.is_open() || self.limit_checker.is_over() {
                return result;
            }
            pn_threshold = raised(pn_threshold, result.pn);
            dn_threshold = raised(dn_threshold, result.dn);
        }
    }

    /// Searches a node until it is decided or one of its numbers reaches its threshold.
    fn visit(&mut self, tree_pos: TreePosition, pn_threshold: u32, dn_threshold: u32, is_new: bool) -> NodeResult {
        let ply = tree_pos.ply;
        self.limit_checker.check_depth(ply);
        let nodes_before = self.limit_checker.count_node();
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
            if limit_checker.is_shallow() {
                limit_checker.ask_for_depth();
            } else {
                self.context.table.make_room(|| limit_checker.check_now());
            }
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
            let mut pn_limit = pn_threshold;
            let mut dn_limit = dn_threshold;
            if self.credit > 0 {
                pn_limit = pn_limit.max(pn + 1);
                dn_limit = dn_limit.max(dn + 1);
            }
            if status != NodeStatus::Open || pn >= pn_limit || dn >= dn_limit || self.limit_checker.is_over() {
                break;
            }
            self.descend(tree_pos, pn_limit, dn_limit);
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
        self.nodes[tree_pos.ply].update_best(self.context, tree_pos, result);
    }

    /// Writes what was found about a node into the tables.
    fn store(&mut self, tree_pos: &TreePosition, work: u32) {
        let TreePosition { key, hand, ply, .. } = *tree_pos;
        let result = &self.nodes[ply].result;
        let table = &mut self.context.table;
        match result.status {
            NodeStatus::Open => {
                table.store_open(key, hand, &OpenEntry { pn: result.pn, dn: result.dn, ply: ply as u16, work });
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

/// A threshold of the root for the next round of its search.
fn raised(old: u32, found: u32) -> u32 {
    (u64::from(old.max(found)) * 17 / 10 + 1).min(INFINITE.into()) as u32
}

/// What the nodes of a search share: the position, the tables, the path.
pub(crate) struct Context {
    pub(crate) pos: Position,
    pub(crate) table: MateTable,
    pub(crate) path_table: PathTable,
    pub(crate) path: Path,
}

impl Context {
    /// Takes the memory that a search of any length needs.
    pub(crate) fn reserve(&mut self) {
        self.table.reserve();
        self.path_table.reserve();
    }

    /// From now on what the tables lose is kept, so that [`Context::end_trial`] can take everything back.
    pub(crate) fn begin_trial(&mut self) {
        self.table.begin_trial();
        self.path_table.begin_trial();
    }

    /// Takes back what the tables learnt since [`Context::begin_trial`], or keeps it.
    pub(crate) fn end_trial(&mut self, keep: bool) {
        self.table.end_trial(keep);
        self.path_table.end_trial(keep);
    }

    /// Initialises a child: its result from the path, the tables, the quick mate test or the estimate.
    pub(crate) fn init_child(&mut self, tree_pos: &TreePosition, child: &mut Child) {
        let len = tree_pos.len - 1;
        let ply = tree_pos.ply + 1;
        if let Some(start) = self.path.find(child.key, child.hand) {
            child.result = NodeResult::repetition(start, ENDLESS);
            return;
        }
        let (pn_bound, dn_bound) = match self.table.look_up(child.key, child.hand, len, ply) {
            LookupResult::Proven { len, hand, mv } => {
                child.result = NodeResult::proven(len, hand, mv);
                return;
            }
            LookupResult::Disproven { len, hand } => {
                child.result = NodeResult::disproven(len, hand);
                return;
            }
            LookupResult::Open { pn, dn, ply: least, repetition } => {
                let path = tree_pos.path ^ step(child.mv, tree_pos.ply);
                if repetition
                    && let Some((start, len)) = self.path_table.find(at_end_of(path, child.key, child.hand), len)
                {
                    child.result = NodeResult::repetition(start, len);
                    return;
                }
                child.is_new = false;
                child.is_old = (least as usize) < ply;
                child.result = NodeResult::open(pn.max(1), dn.max(1));
                if tree_pos.attacks || len > 1 {
                    return;
                }
                (pn, dn)
            }
            // Not more than so much: two positions that each bound the other would drive their numbers up for ever.
            LookupResult::Unknown { pn, dn } => (pn.min(MAX_BOUND), dn.min(MAX_BOUND)),
        };
        let (pn, dn) = if tree_pos.attacks {
            estimate_after_check(&self.pos, child.mv)
        } else {
            estimate_after_answer(&self.pos, child.mv)
        };
        child.result = NodeResult::open(pn.max(pn_bound), dn.max(dn_bound));
        if !tree_pos.attacks {
            child.result = self.quick_mate_test_after(child, len);
        }
    }

    /// The quick mate test after an answer of the defender: a mate in one, or no check at all.
    fn quick_mate_test_after(&mut self, child: &Child, len: Length) -> NodeResult {
        self.pos.do_move(child.mv);
        let result = match quick_mate_test(&self.pos) {
            QuickMateTest::Mate(mv) => self.mate_in_one_result(mv),
            QuickMateTest::NoChecks if !self.can_drop_pawn_with_check() => {
                let hand = hands::without_new_checks(&self.pos, hands::all_held(&self.pos));
                NodeResult::disproven(ENDLESS, if hand.dominates(child.hand) { hand } else { child.hand })
            }
            _ if len == 1 => NodeResult::disproven(1, child.hand),
            _ => child.result,
        };
        self.pos.undo();
        result
    }

    /// A proof by this move.
    pub(crate) fn mate_in_one_result(&mut self, mv: Move) -> NodeResult {
        self.pos.do_move(mv);
        let hand = hands::with_monopoly(&self.pos, Hand::EMPTY);
        self.pos.undo();
        NodeResult::proven(1, hands::before(&self.pos, mv, hand), Some(mv))
    }

    /// Tests whether a pawn could be dropped in front of the king; mate by it (uchifuzume) is not looked at.
    fn can_drop_pawn_with_check(&self) -> bool {
        let us = self.pos.side();
        let Some(king) = self.pos.king(!us) else { return false };
        let square = pawn_attacks(!us, king).without(self.pos.occupied());
        self.pos.hand(us).has(PieceType::Pawn)
            && !square.without(self.pos.pieces_moving_as(us, PieceType::Pawn).fill_files()).is_empty()
    }
}

/// Pieces of the mover and of the other side that bear on the destination, the moving piece left out.
fn support(pos: &Position, mv: Move) -> (u32, u32) {
    let us = pos.side();
    let to = mv.to();
    let left = mv.from().map_or(Bitboard::EMPTY, Bitboard::from_square);
    let occupied = pos.occupied().without(left);
    let ours = pos.attackers(us, to, occupied).without(left);
    (ours.count(), pos.attackers(!us, to, occupied).count())
}

/// The type of the piece that a move captures.
fn captured(pos: &Position, mv: Move) -> Option<PieceType> {
    match mv.kind() {
        MoveKind::Board { to, .. } => pos.piece_on(to).map(|piece| piece.piece_type()),
        MoveKind::Drop { .. } => None,
    }
}

/// Proof and disproof number of the position after a check that has not been looked at.
fn estimate_after_check(pos: &Position, mv: Move) -> (u32, u32) {
    let (ours, theirs) = support(pos, mv);
    let mut pn = UNIT;
    let mut dn = UNIT;
    if theirs >= 2 {
        pn += UNIT;
    } else if ours + mv.is_drop() as u32 > theirs {
        dn += UNIT;
    }
    match captured(pos, mv) {
        Some(PieceType::Gold | PieceType::Silver) => dn += UNIT,
        Some(_) => dn += UNIT / 2,
        None => {}
    }
    (pn, dn)
}

/// Proof and disproof number of the position after an answer to a check that has not been looked at.
fn estimate_after_answer(pos: &Position, mv: Move) -> (u32, u32) {
    if captured(pos, mv).is_some() {
        return (2 * UNIT, UNIT);
    }
    let is_king_move = mv.from().is_some() && mv.from() == pos.king(pos.side());
    if is_king_move {
        return (UNIT, UNIT);
    }
    // A piece that steps in between: it holds if it is supported.
    let (ours, theirs) = support(pos, mv);
    if ours >= theirs { (2 * UNIT, UNIT) } else { (UNIT, 2 * UNIT) }
}

/// Steps a king would need from one square to another.
/// The order of moves with equal numbers, smallest first: promotions and captures before others, near before far, cheap
/// drops before dear ones.
pub(crate) fn move_order(pos: &Position, mv: Move, attacks: bool) -> i16 {
    let us = pos.side();
    let king = if attacks { pos.king(!us) } else { pos.king(us) };
    let gain = captured(pos, mv).map_or(0, PieceType::value) / 10;
    let far = king.map_or(0, |king| king.distance(mv.to()) as i32);
    let kind = match mv.kind() {
        MoveKind::Drop { piece_type, .. } => piece_type.value() / 20,
        MoveKind::Board { from, promote, .. } => {
            let could_promote = pos.piece_on(from).is_some_and(|piece| piece.piece_type().can_promote());
            if promote {
                -40
            } else if could_promote && attacks {
                10
            } else {
                0
            }
        }
    };
    let far = if attacks { far * 8 } else { -far * 8 };
    (kind + far - gain) as i16
}
