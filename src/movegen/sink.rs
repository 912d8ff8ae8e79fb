//! Receivers of the generator's moves.

use super::drops::DropTargets;
use super::side::Side;
use crate::bitboard::Bitboard;
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
