//! The dirty pieces of each move, kept as a stack: the part of the evaluation that observes the position.
//!
//! Updates are lazy: a move is only recorded, because many positions of a search are never evaluated.

use super::features::Placement;
use crate::position::{Observer, Position};
use crate::types::{Color, Piece, PieceType, Square};
use arrayvec::ArrayVec;

/// Placements that one move removes or adds: a capture removes two, the piece that moves and its victim, and adds two,
/// on the board and in hand.
pub(super) type PlacementList = ArrayVec<Placement, 2>;

/// Changes of one move; the first entry stands for the position where the stack starts and changes nothing.
#[derive(Clone, Debug)]
pub(super) struct DirtyPieces {
    pub(super) removed: PlacementList,
    pub(super) added: PlacementList,
    /// Each side's king has moved.
    pub(super) king_moved: [bool; 2],
    /// Each side's accumulator at this ply has been computed.
    pub(super) computed: [bool; 2],
    /// `[color][type]`: pieces in hand afterwards.
    held: [[u8; 8]; 2],
}

/// The moves from a position on.
#[derive(Clone, Debug)]
pub(super) struct DirtyPiecesStack {
    /// Never empty.
    plies: Vec<DirtyPieces>,
}

impl DirtyPiecesStack {
    pub(super) fn new(pos: &Position) -> DirtyPiecesStack {
        let mut dirty = DirtyPiecesStack { plies: Vec::with_capacity(256) };
        dirty.reset(pos);
        dirty
    }

    /// Starts again from a position.
    pub(super) fn reset(&mut self, pos: &Position) {
        let held = Color::ALL.map(|color| {
            let mut counts = [0; 8];
            pos.hand(color).iter().for_each(|(piece_type, count)| counts[piece_type.index() & 7] = count);
            counts
        });
        self.plies.clear();
        self.plies.push(DirtyPieces { held, ..DirtyPieces::after([[0; 8]; 2]) });
    }

    /// The number of the last ply, 0 where the stack starts.
    pub(super) fn last(&self) -> usize {
        self.plies.len() - 1
    }

    pub(super) fn ply(&self, number: usize) -> &DirtyPieces {
        &self.plies[number]
    }

    pub(super) fn set_computed(&mut self, number: usize, side: Color) {
        self.plies[number].computed[side] = true;
    }

    /// A move will be made.
    pub(super) fn push(&mut self) {
        let held = self.top().held;
        self.plies.push(DirtyPieces::after(held));
    }

    /// The last move was taken back.
    pub(super) fn pop(&mut self) {
        if self.plies.len() > 1 {
            self.plies.pop();
        }
    }

    fn top(&mut self) -> &mut DirtyPieces {
        self.plies.last_mut().expect("the first entry is never taken off")
    }
}

impl DirtyPieces {
    fn after(held: [[u8; 8]; 2]) -> DirtyPieces {
        DirtyPieces {
            removed: PlacementList::new(),
            added: PlacementList::new(),
            king_moved: [false; 2],
            computed: [false; 2],
            held,
        }
    }
}

impl Observer for DirtyPiecesStack {
    fn piece_added(&mut self, piece: Piece, square: Square) {
        let ply = self.top();
        ply.king_moved[piece.color()] |= piece.piece_type() == PieceType::King;
        ply.added.push(Placement::Board(piece, square));
    }

    fn piece_removed(&mut self, piece: Piece, square: Square) {
        self.top().removed.push(Placement::Board(piece, square));
    }

    fn hand_changed(&mut self, color: Color, piece_type: PieceType, count: u8) {
        let ply = self.top();
        let before = std::mem::replace(&mut ply.held[color][piece_type.index() & 7], count);
        let list = if count > before { &mut ply.added } else { &mut ply.removed };
        list.push(Placement::Hand(color, piece_type, count.max(before)));
    }
}
