//! State that the nodes of a search share: the position, the tables, the path.

use super::child::{Child, TreePosition};
use super::estimate;
use super::hands;
use super::length::{ENDLESS, Length};
use super::node_result::NodeResult;
use super::one::{QuickMateTest, quick_mate_test};
use super::path::{Path, PathTable, at_end_of, step};
use super::table::{LookupResult, MateTable};
use crate::bitboard::pawn_attacks;
use crate::position::Position;
use crate::types::{Move, PieceType};

/// The most that the numbers of another hand count for a position that was never met.
const MAX_BOUND: u32 = 16 * estimate::UNIT;

/// Position, tables and path.
pub(super) struct Context {
    pub(super) pos: Position,
    pub(super) table: MateTable,
    pub(super) path_table: PathTable,
    pub(super) path: Path,
}

impl Context {
    /// Initialises a child: its result from the path, the tables, the quick mate test or the estimate.
    pub(super) fn init_child(&mut self, tree_pos: &TreePosition, child: &mut Child) {
        let (len, ply) = (tree_pos.len - 1, tree_pos.ply + 1);
        if let Some(start) = self.path.find(child.key, child.hand) {
            child.result = NodeResult::repetition(start, ENDLESS);
            return;
        }
        let bounds = match self.table.look_up(child.key, child.hand, len, ply) {
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
                (child.is_new, child.is_old) = (false, (least as usize) < ply);
                child.result = NodeResult::open(pn.max(1), dn.max(1));
                if tree_pos.attacks || len > 1 {
                    return;
                }
                (pn, dn)
            }
            // Not more than so much: two positions that each bound the other would drive their numbers up for ever.
            LookupResult::Unknown { pn, dn } => (pn.min(MAX_BOUND), dn.min(MAX_BOUND)),
        };
        let guess = if tree_pos.attacks {
            estimate::after_check(&self.pos, child.mv)
        } else {
            estimate::after_answer(&self.pos, child.mv)
        };
        let guess = (guess.0.max(bounds.0), guess.1.max(bounds.1));
        child.result = if tree_pos.attacks {
            NodeResult::open(guess.0, guess.1)
        } else {
            self.quick_mate_test_after(child, len, guess)
        };
    }

    /// The quick mate test after an answer of the defender: a mate in one, or no check at all.
    fn quick_mate_test_after(&mut self, child: &Child, len: Length, guess: (u32, u32)) -> NodeResult {
        self.pos.do_move(child.mv);
        let result = match quick_mate_test(&self.pos) {
            QuickMateTest::Mate(mv) => self.mate_in_one_result(mv),
            QuickMateTest::NoChecks if !self.can_drop_pawn_with_check() => {
                let hand = hands::without_new_checks(&self.pos, hands::all_held(&self.pos));
                NodeResult::disproven(ENDLESS, if hand.dominates(child.hand) { hand } else { child.hand })
            }
            _ if len == 1 => NodeResult::disproven(1, child.hand),
            _ => NodeResult::open(guess.0, guess.1),
        };
        self.pos.undo();
        result
    }

    /// A proof by this move.
    pub(super) fn mate_in_one_result(&mut self, mv: Move) -> NodeResult {
        self.pos.do_move(mv);
        let hand = hands::with_monopoly(&self.pos, crate::types::Hand::EMPTY);
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
