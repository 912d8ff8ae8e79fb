//! Moves that give check: the generator's findings cut to the squares from which the enemy king is attacked.

use super::drops::DropTargets;
use super::side::Side;
use super::sink::Sink;
use crate::bitboard::Bitboard;
use crate::position::{CheckInfo, Position};
use crate::types::PieceType::{self, Pawn, ProPawn};
use crate::types::Square;

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

    fn piece_type_on(&self, square: Square) -> PieceType {
        self.pos.piece_on(square).expect("the generator starts moves on pieces").piece_type()
    }
}

impl<T: Sink> Sink for OnlyChecks<'_, T> {
    fn pawns<S: Side>(&mut self, promoting: Bitboard, plain: Bitboard) {
        let uncovering = (self.info.blockers() & self.pos.movers(Pawn))
            .into_iter()
            .map(|from| Bitboard::from_square(from).forward_onto(S::US, self.info.uncovering(from)))
            .fold(Bitboard::EMPTY, Bitboard::or);
        self.inner.pawns::<S>(
            promoting & (self.info.squares(ProPawn) | uncovering),
            plain & (self.info.squares(Pawn) | uncovering),
        );
    }

    fn moves(&mut self, from: Square, promoting: Bitboard, plain: Bitboard) {
        let (piece_type, uncovering) = (self.piece_type_on(from), self.info.uncovering(from));
        self.inner.moves(
            from,
            promoting & (self.info.squares(piece_type.promoted()) | uncovering),
            plain & (self.info.squares(piece_type) | uncovering),
        );
    }

    fn plain_moves(&mut self, from: Square, to: Bitboard) {
        let checking = self.info.squares(self.piece_type_on(from)) | self.info.uncovering(from);
        self.inner.plain_moves(from, to & checking);
    }

    fn drops<S: Side>(&mut self, targets: &DropTargets) {
        targets.hand.iter().for_each(|(piece_type, _)| self.drops_of(piece_type, targets.of::<S>(piece_type)));
    }

    fn drops_of(&mut self, piece_type: PieceType, to: Bitboard) {
        self.inner.drops_of(piece_type, to & self.info.squares(piece_type));
    }
}
