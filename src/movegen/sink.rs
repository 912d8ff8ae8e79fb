//! What becomes of the generator's moves: they are counted, looked for, or cut to those that give check; a list writes
//! them down, and groups collect them.

use super::generator::{DropTargets, Side};
use crate::bitboard::Bitboard;
use crate::position::{CheckInfo, Position};
use crate::types::PieceType::{Pawn, ProPawn};
use crate::types::{Piece, PieceType, Square};

/// Takes sets of legal destinations. `promoting` and `plain` are the destinations with and without promotion.
pub(crate) trait Sink {
    /// Tests whether nothing more is wanted.
    fn is_full(&self) -> bool {
        false
    }
    /// Pawns, all of them together: each destination has the one origin behind it.
    fn pawns<S: Side>(&mut self, side: S, promoting: Bitboard, plain: Bitboard);
    /// A piece that may promote.
    fn moves(&mut self, piece: Piece, from: Square, promoting: Bitboard, plain: Bitboard);
    /// A piece that cannot promote.
    fn plain_moves(&mut self, from: Square, to: Bitboard);
    /// Drops of a whole hand.
    fn drops<S: Side>(&mut self, targets: &DropTargets<S>);
    /// Drops of one type.
    fn drops_of(&mut self, piece_type: PieceType, to: Bitboard);
}

/// Counts moves without building them.
#[derive(Default)]
pub(crate) struct Counter {
    total: u32,
}

impl Counter {
    pub(crate) fn total(&self) -> u32 {
        self.total
    }
}

impl Sink for Counter {
    fn pawns<S: Side>(&mut self, _: S, promoting: Bitboard, plain: Bitboard) {
        self.total += promoting.count() + plain.count();
    }

    fn moves(&mut self, _: Piece, _: Square, promoting: Bitboard, plain: Bitboard) {
        self.total += promoting.count() + plain.count();
    }

    fn plain_moves(&mut self, _: Square, to: Bitboard) {
        self.total += to.count();
    }

    fn drops<S: Side>(&mut self, targets: &DropTargets<S>) {
        self.total += targets.count();
    }

    fn drops_of(&mut self, _: PieceType, to: Bitboard) {
        self.total += to.count();
    }
}

/// Stops at the first move.
#[derive(Default)]
pub(crate) struct Any {
    found: bool,
}

impl Any {
    pub(crate) fn found(&self) -> bool {
        self.found
    }
}

impl Sink for Any {
    fn is_full(&self) -> bool {
        self.found
    }

    fn pawns<S: Side>(&mut self, _: S, promoting: Bitboard, plain: Bitboard) {
        self.found |= !(promoting | plain).is_empty();
    }

    fn moves(&mut self, _: Piece, _: Square, promoting: Bitboard, plain: Bitboard) {
        self.found |= !(promoting | plain).is_empty();
    }

    fn plain_moves(&mut self, _: Square, to: Bitboard) {
        self.found |= !to.is_empty();
    }

    fn drops<S: Side>(&mut self, targets: &DropTargets<S>) {
        self.found |= targets.count() > 0;
    }

    fn drops_of(&mut self, _: PieceType, to: Bitboard) {
        self.found |= !to.is_empty();
    }
}

/// Passes on only the moves that give check, directly or by uncovering a slider.
pub(crate) struct OnlyChecks<'a, T> {
    pos: &'a Position,
    info: CheckInfo,
    inner: &'a mut T,
}

impl<'a, T> OnlyChecks<'a, T> {
    pub(crate) fn new(pos: &'a Position, inner: &'a mut T) -> OnlyChecks<'a, T> {
        OnlyChecks { pos, info: CheckInfo::new(pos), inner }
    }
}

impl<T: Sink> Sink for OnlyChecks<'_, T> {
    fn pawns<S: Side>(&mut self, side: S, promoting: Bitboard, plain: Bitboard) {
        let mut uncovering = Bitboard::EMPTY;
        for from in self.info.blockers() & self.pos.movers(Pawn) {
            uncovering |= Bitboard::from_square(from).forward_onto(side.color(), self.info.uncovering(from));
        }
        self.inner.pawns(
            side,
            promoting & (self.info.squares(ProPawn) | uncovering),
            plain & (self.info.squares(Pawn) | uncovering),
        );
    }

    fn moves(&mut self, piece: Piece, from: Square, promoting: Bitboard, plain: Bitboard) {
        let piece_type = piece.piece_type();
        let uncovering = self.info.uncovering(from);
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
        for (piece_type, _) in targets.hand.iter() {
            self.drops_of(piece_type, targets.of(piece_type));
        }
    }

    fn drops_of(&mut self, piece_type: PieceType, to: Bitboard) {
        self.inner.drops_of(piece_type, to & self.info.squares(piece_type));
    }
}
