//! First guesses of proof and disproof numbers, and the order of equal moves (df-pn+, Nagai 2002).

use crate::bitboard::Bitboard;
use crate::position::Position;
use crate::types::{Move, MoveKind, PieceType, Square};

/// Weight of one unknown position. Two, so that a guess can lie between one position and the next.
pub(super) const UNIT: u32 = 2;

/// Pieces of the mover and of the other side that bear on the destination, the moving piece left out.
fn support(pos: &Position, mv: Move) -> (u32, u32) {
    let (us, to) = (pos.side(), mv.to());
    let left = mv.from().map_or(Bitboard::EMPTY, Bitboard::from_square);
    let occupied = pos.occupied().without(left);
    let ours = pos.attackers(us, to, occupied).without(left);
    (ours.count(), pos.attackers(!us, to, occupied).count())
}

fn captured(pos: &Position, mv: Move) -> Option<PieceType> {
    match mv.kind() {
        MoveKind::Board { to, .. } => pos.piece_on(to).map(|piece| piece.piece_type()),
        MoveKind::Drop { .. } => None,
    }
}

/// Proof and disproof number of the position after a check that has not been looked at.
pub(super) fn after_check(pos: &Position, mv: Move) -> (u32, u32) {
    let (ours, theirs) = support(pos, mv);
    let (mut pn, mut dn) = (UNIT, UNIT);
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
pub(super) fn after_answer(pos: &Position, mv: Move) -> (u32, u32) {
    let is_king = mv.from().is_some_and(|from| pos.king(pos.side()) == Some(from));
    if captured(pos, mv).is_some() {
        return (2 * UNIT, UNIT);
    }
    if is_king {
        return (UNIT, UNIT);
    }
    // A piece that steps in between: it holds if it is supported.
    let (ours, theirs) = support(pos, mv);
    if ours >= theirs { (2 * UNIT, UNIT) } else { (UNIT, 2 * UNIT) }
}

/// Steps a king would need from one square to another.
fn distance(a: Square, b: Square) -> i32 {
    let files = (a.file().index() as i32 - b.file().index() as i32).abs();
    let ranks = (a.rank().index() as i32 - b.rank().index() as i32).abs();
    files.max(ranks)
}

/// The order of moves with equal numbers, smallest first: promotions and captures before others, near before far, cheap
/// drops before dear ones.
pub(super) fn order(pos: &Position, mv: Move, attacks: bool) -> i16 {
    let us = pos.side();
    let king = if attacks { pos.king(!us) } else { pos.king(us) };
    let gain = captured(pos, mv).map_or(0, PieceType::value) / 10;
    let far = king.map_or(0, |king| distance(king, mv.to()));
    let kind = match mv.kind() {
        MoveKind::Drop { piece_type, .. } => piece_type.value() / 20,
        MoveKind::Board { from, promote, .. } => {
            let can = pos.piece_on(from).is_some_and(|piece| piece.piece_type().can_promote());
            if promote {
                -40
            } else if can && attacks {
                10
            } else {
                0
            }
        }
    };
    let far = if attacks { far * 8 } else { -far * 8 };
    (kind + far - gain) as i16
}
