//! The walk over the pieces of the side to move.

use super::Kind;
use super::sink::Sink;
use crate::bitboard::{
    Bitboard, attacks, between, bishop_attacks, gold_attacks, king_attacks, king_vicinity, knight_attacks,
    lance_attacks, line_through, pawn_attacks, piece_steps, promotion_targets, rook_attacks, silver_attacks,
};
use crate::position::Position;
use crate::types::PieceType::{Bishop, Gold, Knight, Lance, Pawn, Rook, Silver};
use crate::types::{Color, Hand, Piece, PieceType, Square};

/// The side to move as a type parameter: [`Black`] or [`White`], whose directions, zones and tables are constants in the
/// generated code, or a [`Color`], with which that code is in the program once for both.
pub(crate) trait Side: Copy {
    /// The type of the other side.
    type Opponent: Side;

    /// The side as a value.
    fn color(self) -> Color;

    /// The other side.
    fn opponent(self) -> Self::Opponent;

    /// The promotion zone.
    #[inline]
    fn zone(self) -> Bitboard {
        Bitboard::zone(self.color())
    }

    /// The last rank.
    #[inline]
    fn last(self) -> Bitboard {
        Bitboard::last_ranks(self.color(), 1)
    }

    /// The last two ranks.
    #[inline]
    fn last_two(self) -> Bitboard {
        Bitboard::last_ranks(self.color(), 2)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Black;
#[derive(Clone, Copy)]
pub(crate) struct White;

impl Side for Black {
    type Opponent = White;

    fn color(self) -> Color {
        Color::Black
    }

    fn opponent(self) -> White {
        White
    }
}

impl Side for White {
    type Opponent = Black;

    fn color(self) -> Color {
        Color::White
    }

    fn opponent(self) -> Black {
        Black
    }
}

impl Side for Color {
    type Opponent = Color;

    fn color(self) -> Color {
        self
    }

    fn opponent(self) -> Color {
        !self
    }
}

/// A kind of moves as a value: a constant to [`visit`] wherever the kind is a type.
#[derive(Clone, Copy)]
pub(crate) struct KindFlags {
    captures: bool,
    quiets: bool,
    in_check: bool,
}

impl KindFlags {
    pub(crate) const fn of<K: Kind>() -> KindFlags {
        KindFlags { captures: K::CAPTURES, quiets: K::QUIETS, in_check: K::IN_CHECK }
    }
}

/// Hands every legal move of the kind to the sink.
#[inline(always)]
pub(crate) fn visit<S: Side, T: Sink>(side: S, pos: &Position, kind: KindFlags, sink: &mut T) {
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

/// The squares that pieces of `S` attack, complete for the squares around the enemy king.
///
/// `occupied` should leave that king out, so that it shields nothing behind it. Near pieces come first; a slider is
/// looked up only if its empty-board ray meets a square around the king.
#[inline(always)]
pub(crate) fn attacked_around<S: Side>(side: S, pos: &Position, king: Square, occupied: Bitboard) -> Bitboard {
    let us = pos.pieces(side.color());
    let near = king_vicinity(king);
    let mut attacked = pos.pieces_moving_as(side.color(), Pawn).forward_onto(side.color(), king_attacks(king));
    let steppers = (pos.movers(Silver) | pos.movers(Gold) | pos.king_steppers()) & near.steppers
        | pos.movers(Knight) & near.knights[side.color()];
    for square in steppers & us {
        if let Some(piece) = pos.piece_on(square) {
            attacked |= piece_steps(piece, square);
        }
    }
    let bishops = pos.movers(Bishop) & near.bishops;
    let rooks = pos.movers(Rook) & near.rooks;
    let lances = pos.movers(Lance) & near.lances[side.color()];
    if ((bishops | rooks | lances) & us).is_empty() {
        return attacked;
    }
    for square in bishops & us {
        attacked |= bishop_attacks(square, occupied);
    }
    for square in rooks & us {
        attacked |= rook_attacks(square, occupied);
    }
    for square in lances & us {
        attacked |= lance_attacks(side.color(), square, occupied);
    }
    attacked
}

/// The legal destinations of the drops of a hand.
pub(crate) struct DropTargets<S> {
    pub(crate) side: S,
    pub(crate) hand: Hand,
    /// Where a piece that may stand anywhere can be dropped.
    pub(crate) anywhere: Bitboard,
    /// Where a pawn can be dropped: dead squares, nifu and uchifuzume taken out.
    pub(crate) pawn: Bitboard,
}

impl<S: Side> DropTargets<S> {
    /// Where a piece of a held type can be dropped.
    pub(crate) fn of(&self, piece_type: PieceType) -> Bitboard {
        match piece_type {
            Pawn => self.pawn,
            Lance => self.anywhere.without(self.side.last()),
            Knight => self.anywhere.without(self.side.last_two()),
            _ => self.anywhere,
        }
    }

    /// Number of these drops.
    pub(crate) fn count(&self) -> u32 {
        let hand = self.hand;
        let kinds = hand.has(Silver) as u32 + hand.has(Gold) as u32 + hand.has(Bishop) as u32 + hand.has(Rook) as u32;
        let mut total = kinds * self.anywhere.count() + self.pawn.count();
        if hand.has(Lance) {
            total += self.anywhere.without(self.side.last()).count();
        }
        if hand.has(Knight) {
            total += self.anywhere.without(self.side.last_two()).count();
        }
        total
    }
}

/// The destinations of the pawn drops of the side to move among these empty squares.
#[inline(always)]
pub(crate) fn pawn_drops<S: Side>(side: S, pos: &Position, empty: Bitboard) -> Bitboard {
    let own_pawns = pos.pieces_moving_as(side.color(), Pawn);
    let mut targets = empty.without(own_pawns.fill_files() | side.last());
    if let Some(king) = pos.king(side.opponent().color()) {
        // The one square from which a dropped pawn gives check.
        let checking = pawn_attacks(side.opponent().color(), king);
        if targets.intersects(checking) && pawn_drop_mates(side.color(), pos, king, checking) {
            targets = targets.without(checking);
        }
    }
    targets
}

/// Tests whether a pawn dropped in front of the enemy king gives mate (uchifuzume).
#[inline(never)]
fn pawn_drop_mates(us: Color, pos: &Position, king: Square, checking: Bitboard) -> bool {
    let Some(square) = checking.first() else { return false };
    let occupied = (pos.occupied() | checking) ^ Bitboard::from_square(king);
    let flights = king_attacks(king).without(pos.pieces(!us));
    if !flights.without(attacked_around(us, pos, king, occupied)).is_empty() {
        return false;
    }
    let defenders = pos.attackers(!us, square, pos.occupied()).without(Bitboard::from_square(king));
    if defenders.is_empty() {
        return true;
    }
    // A pinned defender may still capture along the line of its pin.
    let pinned = pos.blockers(us, king, !us).without(line_through(king, square));
    defenders.without(pinned).is_empty()
}
