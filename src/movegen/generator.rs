//! The walk over the pieces of the side to move.

use super::drops::{DropTargets, pawn_drops};
use super::kind::Kind;
use super::king::attacked_around;
use super::side::Side;
use super::sink::Sink;
use crate::bitboard::{
    Bitboard, attacks, between, bishop_attacks, gold_attacks, king_attacks, knight_attacks, lance_attacks,
    line_through, promotion_targets, rook_attacks, silver_attacks,
};
use crate::position::Position;
use crate::types::PieceType::{Bishop, Gold, Knight, Lance, Pawn, Rook, Silver};
use crate::types::{Piece, Square};

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
pub(super) fn visit<S: Side, T: Sink>(side: S, pos: &Position, kind: KindFlags, sink: &mut T) {
    debug_assert!(pos.side() == side.color() && (!kind.in_check || pos.in_check()));
    let occupied = pos.occupied();
    let wanted = if kind.captures && kind.quiets {
        !pos.pieces(side.color())
    } else if kind.captures {
        pos.pieces(side.opponent().color())
    } else {
        !occupied
    };
    let mut target = wanted;
    if let Some(king) = pos.king(side.color()) {
        king_moves(side, pos, king, wanted, sink);
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
    pieces(side, pos, occupied, target, sink);
    if sink.is_full() {
        return;
    }
    if kind.quiets && !pos.hand(side.color()).is_empty() {
        let anywhere = target.without(occupied);
        let hand = pos.hand(side.color());
        let pawn = if hand.has(Pawn) { pawn_drops(side, pos, anywhere) } else { Bitboard::EMPTY };
        sink.drops(&DropTargets { side, hand, anywhere, pawn });
    }
}

fn king_moves<S: Side, T: Sink>(side: S, pos: &Position, king: Square, wanted: Bitboard, sink: &mut T) {
    let to = king_attacks(king) & wanted;
    if to.is_empty() {
        return;
    }
    let occupied = pos.occupied() ^ Bitboard::from_square(king);
    sink.plain_moves(king, to.without(attacked_around(side.opponent(), pos, king, occupied)));
}

/// Moves of all pieces but the king onto the targets.
fn pieces<S: Side, T: Sink>(side: S, pos: &Position, occupied: Bitboard, target: Bitboard, sink: &mut T) {
    let us = side.color();
    let pinned = pos.pinned();
    let free = pos.pieces(us).without(pinned);

    let to = (pos.movers(Pawn) & free).forward_onto(us, target);
    sink.pawns(side, to & side.zone(), to.without(side.last()));

    for from in pos.movers(Lance) & free {
        let to = lance_attacks(us, from, occupied) & target;
        sink.moves(Piece::new(us, Lance), from, to & side.zone(), to.without(side.last()));
    }
    for from in pos.movers(Knight) & free {
        let to = knight_attacks(us, from) & target;
        sink.moves(Piece::new(us, Knight), from, to & side.zone(), to.without(side.last_two()));
    }
    for from in pos.movers(Silver) & free {
        let to = silver_attacks(us, from) & target;
        sink.moves(Piece::new(us, Silver), from, to & promotion_targets(us, from), to);
    }
    for from in pos.movers(Gold) & free {
        sink.plain_moves(from, gold_attacks(us, from) & target);
    }
    for from in pos.movers(Bishop) & free {
        let to = bishop_attacks(from, occupied);
        if pos.promoted().contains(from) {
            sink.plain_moves(from, (to | king_attacks(from)) & target);
        } else {
            sink.moves(Piece::new(us, Bishop), from, to & target & promotion_targets(us, from), to & target);
        }
    }
    for from in pos.movers(Rook) & free {
        let to = rook_attacks(from, occupied);
        if pos.promoted().contains(from) {
            sink.plain_moves(from, (to | king_attacks(from)) & target);
        } else {
            sink.moves(Piece::new(us, Rook), from, to & target & promotion_targets(us, from), to & target);
        }
    }
    // A pinned piece cannot help against a check from another line.
    if !pinned.is_empty() && !pos.in_check() {
        pinned_pieces(side, pos, occupied, target, sink);
    }
}

/// Moves of pinned pieces along their lines.
fn pinned_pieces<S: Side, T: Sink>(side: S, pos: &Position, occupied: Bitboard, target: Bitboard, sink: &mut T) {
    let us = side.color();
    let Some(king) = pos.king(us) else { return };
    for from in pos.pinned() {
        let Some(piece) = pos.piece_on(from) else { continue };
        let piece_type = piece.piece_type();
        let to = attacks(us, piece_type, from, occupied) & target & line_through(king, from);
        if piece_type.can_promote() {
            let plain = to.without(match piece_type {
                Pawn | Lance => side.last(),
                Knight => side.last_two(),
                _ => Bitboard::EMPTY,
            });
            sink.moves(piece, from, to & promotion_targets(us, from), plain);
        } else {
            sink.plain_moves(from, to);
        }
    }
}
