//! Moves that give check: the generator's findings cut to the squares from which the enemy king is attacked.

use super::drops::DropTargets;
use super::side::Side;
use super::sink::Sink;
use crate::bitboard::Bitboard;
use crate::position::{CheckInfo, Position};
use crate::types::PieceType::{self, Pawn, ProPawn};
use crate::types::{Piece, Square};

/// Passes on only what gives check, directly or by uncovering a slider.
pub(super) struct OnlyChecks<'a, T> {
    pos: &'a Position,
    info: CheckInfo,
    inner: &'a mut T,
}

impl<'a, T> OnlyChecks<'a, T> {
    pub(super) fn new(pos: &'a Position, inner: &'a mut T) -> OnlyChecks<'a, T> {
        OnlyChecks { pos, info: CheckInfo::new(pos), inner }
    }
}

impl<T: Sink> Sink for OnlyChecks<'_, T> {
    fn pawns<S: Side>(&mut self, side: S, promoting: Bitboard, plain: Bitboard) {
        let uncovering = (self.info.blockers() & self.pos.movers(Pawn))
            .into_iter()
            .map(|from| Bitboard::from_square(from).forward_onto(side.color(), self.info.uncovering(from)))
            .fold(Bitboard::EMPTY, Bitboard::or);
        self.inner.pawns(
            side,
            promoting & (self.info.squares(ProPawn) | uncovering),
            plain & (self.info.squares(Pawn) | uncovering),
        );
    }

    fn moves(&mut self, piece: Piece, from: Square, promoting: Bitboard, plain: Bitboard) {
        let (piece_type, uncovering) = (piece.piece_type(), self.info.uncovering(from));
        self.inner.moves(
            piece,
            from,
            promoting & (self.info.squares(piece_type.promoted()) | uncovering),
            plain & (self.info.squares(piece_type) | uncovering),
        );
    }

    fn plain_moves(&mut self, from: Square, to: Bitboard) {
        let piece = self.pos.piece_on(from).expect("the generator starts moves on pieces");
        let checking = self.info.squares(piece.piece_type()) | self.info.uncovering(from);
        self.inner.plain_moves(from, to & checking);
    }

    fn drops<S: Side>(&mut self, targets: &DropTargets<S>) {
        targets.hand.iter().for_each(|(piece_type, _)| self.drops_of(piece_type, targets.of(piece_type)));
    }

    fn drops_of(&mut self, piece_type: PieceType, to: Bitboard) {
        self.inner.drops_of(piece_type, to & self.info.squares(piece_type));
    }
}
