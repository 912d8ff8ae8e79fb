//! What the search shares between its nodes: the position, the tables, the path.

use super::estimate;
use super::hands;
use super::keys;
use super::length::{ENDLESS, Length};
use super::node::{Child, Place};
use super::one::{Glance, glance};
use super::outcome::Outcome;
use super::path::{Loops, Path};
use super::table::{Found, Table};
use crate::bitboard::pawn_attacks;
use crate::position::Position;
use crate::types::{Move, PieceType};

/// The most that the numbers of another hand count for a position that was never met.
const MAX_BOUND: u32 = 16 * estimate::UNIT;

/// Position, tables and path.
pub(super) struct Context {
    pub(super) pos: Position,
    pub(super) table: Table,
    pub(super) loops: Loops,
    pub(super) path: Path,
}

impl Context {
    /// Finds out what is known about the position behind a move.
    pub(super) fn assess(&mut self, place: &Place, child: &mut Child) {
        let (len, ply) = (place.len - 1, place.ply + 1);
        if let Some(start) = self.path.find(child.key, child.hand) {
            child.outcome = Outcome::looped(start, ENDLESS);
            return;
        }
        let bounds = match self.table.look_up(child.key, child.hand, len, ply) {
            Found::Proven { len, hand, mv } => {
                child.outcome = Outcome::proven(len, hand, mv);
                return;
            }
            Found::Disproven { len, hand } => {
                child.outcome = Outcome::disproven(len, hand);
                return;
            }
            Found::Open { pn, dn, ply: least, looped } => {
                let path = place.path ^ keys::step(child.mv, place.ply);
                if looped && let Some((start, len)) = self.loops.find(keys::at_end_of(path, child.key, child.hand), len)
                {
                    child.outcome = Outcome::looped(start, len);
                    return;
                }
                (child.is_new, child.is_old) = (false, (least as usize) < ply);
                child.outcome = Outcome::open(pn.max(1), dn.max(1));
                if place.attacks || len > 1 {
                    return;
                }
                (pn, dn)
            }
            // Not more than so much: two positions that each bound the other would drive their numbers up for ever.
            Found::Unknown { pn, dn } => (pn.min(MAX_BOUND), dn.min(MAX_BOUND)),
        };
        let guess = if place.attacks {
            estimate::after_check(&self.pos, child.mv)
        } else {
            estimate::after_answer(&self.pos, child.mv)
        };
        let guess = (guess.0.max(bounds.0), guess.1.max(bounds.1));
        child.outcome =
            if place.attacks { Outcome::open(guess.0, guess.1) } else { self.glance_behind(child, len, guess) };
    }

    /// Looks for a mate in one, and for any check, after an answer of the defender.
    fn glance_behind(&mut self, child: &Child, len: Length, guess: (u32, u32)) -> Outcome {
        self.pos.do_move(child.mv);
        let outcome = match glance(&self.pos) {
            Glance::Mate(mv) => self.mate_in_one_outcome(mv),
            Glance::Nothing if !self.can_drop_pawn_with_check() => {
                let hand = hands::without_new_checks(&self.pos, hands::all_held(&self.pos));
                Outcome::disproven(ENDLESS, if hand.dominates(child.hand) { hand } else { child.hand })
            }
            _ if len == 1 => Outcome::disproven(1, child.hand),
            _ => Outcome::open(guess.0, guess.1),
        };
        self.pos.undo();
        outcome
    }

    /// A proof by this move.
    pub(super) fn mate_in_one_outcome(&mut self, mv: Move) -> Outcome {
        self.pos.do_move(mv);
        let hand = hands::with_monopoly(&self.pos, crate::types::Hand::EMPTY);
        self.pos.undo();
        Outcome::proven(1, hands::before(&self.pos, mv, hand), Some(mv))
    }

    /// Whether a pawn could be dropped in front of the king; whether that would mate is not asked.
    fn can_drop_pawn_with_check(&self) -> bool {
        let us = self.pos.side();
        let Some(king) = self.pos.king(!us) else { return false };
        let square = pawn_attacks(!us, king).without(self.pos.occupied());
        self.pos.hand(us).has(PieceType::Pawn)
            && !square.without(self.pos.pieces_moving_as(us, PieceType::Pawn).fill_files()).is_empty()
    }
}
