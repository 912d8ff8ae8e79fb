//! Legal moves in groups, for whoever weighs them one by one: what all moves of a group have in common is looked up
//! once.

use super::Kind;
use super::generator::{DropTargets, KindFlags, Side, visit};
use super::sink::Sink;
use crate::bitboard::Bitboard;
use crate::position::{CheckInfo, Position};
use crate::types::PieceType::{Bishop, Lance, Pawn, ProPawn, Rook};
use crate::types::{Color, Move, MoveKind, Piece, PieceType, Square};
use arrayvec::ArrayVec;

/// More groups than the moves of a position are made of: each of 38 pieces has two at most, and there are 7 types to
/// drop.
const MOST_GROUPS: usize = 96;

/// Legal moves that differ in their destinations only: those of one piece, all with promotion or all without, or the
/// drops of one type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    /// The move onto the first of the destinations.
    pub(crate) first: Move,
    /// Piece on the destination after the move.
    pub(crate) placed: Piece,
    /// The destinations.
    pub(crate) to: Bitboard,
}

impl Group {
    /// The type of the piece before the move.
    pub(crate) fn moved(&self) -> PieceType {
        let placed = self.placed.piece_type();
        if self.first.is_promotion() { placed.unpromoted() } else { placed }
    }

    /// The squares on which a move of the group gives check; others than its destinations may be among them.
    pub(crate) fn checks(&self, info: &CheckInfo) -> Bitboard {
        let direct = info.squares(self.placed.piece_type());
        self.first.from().map_or(direct, |from| direct | info.uncovering(from))
    }

    /// The move onto one of the destinations.
    pub(crate) fn mv(&self, to: Square) -> Move {
        self.first.onto(to)
    }
}

/// The groups of a position.
pub(crate) type Groups = ArrayVec<Group, MOST_GROUPS>;

/// Adds all legal moves of a kind, group by group; without `all`, those that leave a pawn, bishop, rook or lance
/// unpromoted for nothing are left out. Kinds that want checks alone are not known here.
pub(crate) fn add_groups<K: Kind>(pos: &Position, all: bool, groups: &mut Groups) {
    const { assert!(!K::CHECKS) };
    collect(pos, KindFlags::of::<K>(), &mut Collector { pos, all, groups });
}

// Not inlined, so that the code is there once for both sides and all kinds of moves: everything that a node runs has to
// share the instruction cache.
#[inline(never)]
fn collect(pos: &Position, kind: KindFlags, found: &mut Collector) {
    visit(pos.side(), pos, kind, found);
}

/// Collects groups.
struct Collector<'a> {
    pos: &'a Position,
    /// Moves that leave a piece unpromoted for nothing are collected as well.
    all: bool,
    groups: &'a mut Groups,
}

impl Collector<'_> {
    fn pass(&mut self, placed: Piece, to: Bitboard, mv: impl FnOnce(Square) -> Move) {
        if let Some(first) = to.first() {
            self.groups.push(Group { first: mv(first), placed, to });
        }
    }

    #[inline(never)]
    fn pass_both(&mut self, piece: Piece, from: Square, promoting: Bitboard, plain: Bitboard) {
        self.pass(piece.promoted(), promoting, |to| Move::promotion(from, to));
        self.pass(piece, plain, |to| Move::board(from, to));
    }

    /// The moves without promotion that do not [leave a piece unpromoted for nothing](leaves_unpromoted).
    fn worth_a_look(&self, piece_type: PieceType, side: Color, promoting: Bitboard, plain: Bitboard) -> Bitboard {
        match piece_type {
            _ if self.all => plain,
            Pawn | Bishop | Rook => plain.without(promoting),
            Lance => plain.without(Bitboard::last_ranks(side, 2)),
            _ => plain,
        }
    }
}

/// The origin of a pawn's step: the square behind its destination, one index away.
fn square_behind(color: Color, to: Square) -> Option<Square> {
    match color {
        Color::Black => Square::new(to.index() + 1),
        Color::White => Square::new(to.index() - 1),
    }
}

impl Sink for Collector<'_> {
    fn pawns<S: Side>(&mut self, side: S, promoting: Bitboard, plain: Bitboard) {
        let us = side.color();
        for to in promoting {
            let Some(from) = square_behind(us, to) else { continue };
            self.pass(Piece::new(us, ProPawn), Bitboard::from_square(to), |to| Move::promotion(from, to));
        }
        for to in self.worth_a_look(Pawn, us, promoting, plain) {
            let Some(from) = square_behind(us, to) else { continue };
            self.pass(Piece::new(us, Pawn), Bitboard::from_square(to), |to| Move::board(from, to));
        }
    }

    fn moves(&mut self, piece: Piece, from: Square, promoting: Bitboard, plain: Bitboard) {
        let plain = self.worth_a_look(piece.piece_type(), piece.color(), promoting, plain);
        self.pass_both(piece, from, promoting, plain);
    }

    fn plain_moves(&mut self, from: Square, to: Bitboard) {
        let Some(piece) = self.pos.piece_on(from) else { return };
        self.pass(piece, to, |to| Move::board(from, to));
    }

    fn drops<S: Side>(&mut self, targets: &DropTargets<S>) {
        for (piece_type, _) in targets.hand.iter() {
            self.drops_of(piece_type, targets.of(piece_type));
        }
    }

    fn drops_of(&mut self, piece_type: PieceType, to: Bitboard) {
        self.pass(Piece::new(self.pos.side(), piece_type), to, |to| Move::drop(piece_type, to));
    }
}

/// Tests whether a legal move leaves a piece unpromoted for nothing: a pawn, bishop or rook that may promote, or a
/// lance on the last rank but one. The promoted piece could do the same and more, so that is right only where a pawn
/// drop must not mate, once in thousands of games.
pub fn leaves_unpromoted(pos: &Position, mv: Move) -> bool {
    let MoveKind::Board { from, to, promote: false } = mv.kind() else { return false };
    let zone = Bitboard::zone(pos.side());
    match pos.piece_on(from).map(Piece::piece_type) {
        Some(Pawn | Bishop | Rook) => zone.contains(to) || zone.contains(from),
        Some(Lance) => Bitboard::last_ranks(pos.side(), 2).contains(to),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::{All, Captures, Evasions, Quiets, generate};
    use crate::random::SplitMix64;

    fn grouped<K: Kind>(pos: &Position, all: bool) -> Vec<Move> {
        let mut moves = Vec::new();
        let info = CheckInfo::new(pos);
        let mut groups = Groups::new();
        add_groups::<K>(pos, all, &mut groups);
        for group in groups {
            for to in group.to {
                let mv = group.mv(to);
                let moved = match mv.kind() {
                    MoveKind::Board { from, .. } => pos.piece_on(from).unwrap().piece_type(),
                    MoveKind::Drop { piece_type, .. } => piece_type,
                };
                assert_eq!(group.moved(), moved);
                let after = pos.after(mv);
                assert_eq!(after.piece_on(to), Some(group.placed));
                assert_eq!(group.checks(&info).contains(to), after.in_check());
                moves.push(mv);
            }
        }
        moves.sort();
        moves
    }

    fn listed<K: Kind>(pos: &Position, wanted: impl Fn(Move) -> bool) -> Vec<Move> {
        let mut moves: Vec<Move> = generate::<K>(pos).into_iter().filter(|&mv| wanted(mv)).collect();
        moves.sort();
        moves
    }

    #[test]
    fn groups_hold_the_moves_of_the_list_but_for_those_left_unpromoted() {
        let mut random = SplitMix64(11);
        for sfen in [
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "4k4/2LPB4/3R5/9/9/9/5r3/4b1p2/4K4 b 2G2S2N2L8P2g2s2n8p 1",
        ] {
            let mut pos = Position::from_sfen(sfen).unwrap();
            for _ in 0..150 {
                let legal = generate::<All>(&pos);
                if legal.is_empty() {
                    break;
                }
                let useful = |mv| !leaves_unpromoted(&pos, mv);
                assert_eq!(grouped::<Captures>(&pos, true), listed::<Captures>(&pos, |_| true));
                assert_eq!(grouped::<Captures>(&pos, false), listed::<Captures>(&pos, useful));
                assert_eq!(grouped::<Quiets>(&pos, true), listed::<Quiets>(&pos, |_| true));
                assert_eq!(grouped::<Quiets>(&pos, false), listed::<Quiets>(&pos, useful));
                if pos.in_check() {
                    assert_eq!(grouped::<Evasions>(&pos, false), listed::<Evasions>(&pos, useful));
                }
                pos.do_move(legal[random.below(legal.len())]);
            }
        }
    }
}
