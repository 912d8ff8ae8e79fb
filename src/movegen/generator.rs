//! The walk over the pieces of the side to move.

use super::drops::{DropTargets, pawn_drops};
use super::kind::Kind;
use super::king::attacked_around;
use super::side::Side;
use super::sink::Sink;
use crate::bitboard::{
    Bitboard, between, bishop_attacks, gold_attacks, king_attacks, knight_attacks, lance_attacks, line_through,
    promotion_targets, rook_attacks, silver_attacks,
};
use crate::position::Position;
use crate::types::PieceType::{Bishop, Gold, Knight, Lance, Pawn, Rook, Silver};
use crate::types::Square;

/// A kind of moves as a value: a constant to [`visit`] wherever the kind is a type.
#[derive(Clone, Copy)]
pub(super) struct KindFlags {
    captures: bool,
    quiets: bool,
    in_check: bool,
}

impl KindFlags {
    pub(super) const fn of<K: Kind>() -> KindFlags {
        KindFlags { captures: K::CAPTURES, quiets: K::QUIETS, in_check: K::IN_CHECK }
    }
}

/// Hands every legal move of the kind to the sink.
#[inline(always)]
pub(super) fn visit<S: Side, T: Sink>(pos: &Position, kind: KindFlags, sink: &mut T) {
    debug_assert!(pos.side() == S::US && (!kind.in_check || pos.in_check()));
    let occupied = pos.occupied();
    let wanted = if kind.captures && kind.quiets {
        !pos.pieces(S::US)
    } else if kind.captures {
        pos.pieces(S::THEM)
    } else {
        !occupied
    };
    let mut target = wanted;
    if let Some(king) = pos.king(S::US) {
        king_moves::<S, T>(pos, king, wanted, sink);
        if kind.in_check || pos.in_check() {
            if pos.checkers().is_many() {
                return;
            }
            if let Some(checker) = pos.checkers().first() {
                target &= between(king, checker) | Bitboard::from_square(checker);
            }
        }
    }
    if sink.is_full() {
        return;
    }
    pieces::<S, T>(pos, occupied, target, sink);
    if sink.is_full() {
        return;
    }
    if kind.quiets && !pos.hand(S::US).is_empty() {
        let anywhere = target.without(occupied);
        let hand = pos.hand(S::US);
        let pawn = if hand.has(Pawn) { pawn_drops::<S>(pos, anywhere) } else { Bitboard::EMPTY };
        sink.drops::<S>(&DropTargets { hand, anywhere, pawn });
    }
}

fn king_moves<S: Side, T: Sink>(pos: &Position, king: Square, wanted: Bitboard, sink: &mut T) {
    let to = king_attacks(king) & wanted;
    if to.is_empty() {
        return;
    }
    let occupied = pos.occupied() ^ Bitboard::from_square(king);
    sink.plain_moves(king, to.without(attacked_around::<S::Opponent>(pos, king, occupied)));
}

/// Moves of all pieces but the king onto the targets.
fn pieces<S: Side, T: Sink>(pos: &Position, occupied: Bitboard, target: Bitboard, sink: &mut T) {
    let pinned = pos.pinned();
    let free = pos.pieces(S::US).without(pinned);

    let to = (pos.movers(Pawn) & free).forward_onto(S::US, target);
    sink.pawns::<S>(to & S::ZONE, to.without(S::LAST));

    for from in pos.movers(Lance) & free {
        let to = lance_attacks(S::US, from, occupied) & target;
        sink.moves(from, to & S::ZONE, to.without(S::LAST));
    }
    for from in pos.movers(Knight) & free {
        let to = knight_attacks(S::US, from) & target;
        sink.moves(from, to & S::ZONE, to.without(S::LAST_TWO));
    }
    for from in pos.movers(Silver) & free {
        let to = silver_attacks(S::US, from) & target;
        sink.moves(from, to & promotion_targets(S::US, from), to);
    }
    for from in pos.movers(Gold) & free {
        sink.plain_moves(from, gold_attacks(S::US, from) & target);
    }
    for from in pos.movers(Bishop) & free {
        let to = bishop_attacks(from, occupied);
        if pos.promoted().contains(from) {
            sink.plain_moves(from, (to | king_attacks(from)) & target);
        } else {
            sink.moves(from, to & target & promotion_targets(S::US, from), to & target);
        }
    }
    for from in pos.movers(Rook) & free {
        let to = rook_attacks(from, occupied);
        if pos.promoted().contains(from) {
            sink.plain_moves(from, (to | king_attacks(from)) & target);
        } else {
            sink.moves(from, to & target & promotion_targets(S::US, from), to & target);
        }
    }
    // A pinned piece cannot help against a check from another line.
    if !pinned.is_empty() && !pos.in_check() {
        pinned_pieces::<S, T>(pos, occupied, target, sink);
    }
}

/// Moves of pinned pieces along their lines.
fn pinned_pieces<S: Side, T: Sink>(pos: &Position, occupied: Bitboard, target: Bitboard, sink: &mut T) {
    let Some(king) = pos.king(S::US) else { return };
    for from in pos.pinned() {
        let Some(piece) = pos.piece_on(from) else { continue };
        let piece_type = piece.piece_type();
        let to = crate::bitboard::attacks(S::US, piece_type, from, occupied) & target & line_through(king, from);
        if piece_type.can_promote() {
            let plain = to.without(match piece_type {
                Pawn | Lance => S::LAST,
                Knight => S::LAST_TWO,
                _ => Bitboard::EMPTY,
            });
            sink.moves(from, to & promotion_targets(S::US, from), plain);
        } else {
            sink.plain_moves(from, to);
        }
    }
}
