//! What each move changed, kept as a stack: the part of the evaluation that watches the position.
//!
//! A move is only written down. Whether anybody asks for the score is known later, and many positions of a search are
//! left without it.

use super::features::Placement;
use crate::position::{Observer, Position};
use crate::types::{Color, Piece, PieceType, Square};
use arrayvec::ArrayVec;

/// Placements that one move takes away or makes: a capture takes two, the piece that moves and its victim, and makes
/// two, on the board and in hand.
pub(super) type Changed = ArrayVec<Placement, 2>;

/// One move, or for the first entry the position where the stack starts.
#[derive(Clone, Debug)]
pub(super) struct Ply {
    pub(super) gone: Changed,
    pub(super) come: Changed,
    /// Each side's king has moved.
    pub(super) king_moved: [bool; 2],
    /// Each side's sums have been computed.
    pub(super) ready: [bool; 2],
    /// `[color][type]`: pieces in hand afterwards.
    held: [[u8; 8]; 2],
}

/// The moves from a position on.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    /// Never empty.
    plies: Vec<Ply>,
}

impl Changes {
    pub(super) fn new(pos: &Position) -> Changes {
        let mut changes = Changes { plies: Vec::with_capacity(256) };
        changes.reset(pos);
        changes
    }

    /// Starts again from a position.
    pub(super) fn reset(&mut self, pos: &Position) {
        let held = Color::ALL.map(|color| {
            let mut counts = [0; 8];
            pos.hand(color).iter().for_each(|(piece_type, count)| counts[piece_type.index() & 7] = count);
            counts
        });
        self.plies.clear();
        self.plies.push(Ply { held, ..Ply::after([[0; 8]; 2]) });
    }

    /// The number of the last ply, 0 where the stack starts.
    #[inline(always)]
    pub(super) fn last(&self) -> usize {
        self.plies.len() - 1
    }

    #[inline(always)]
    pub(super) fn ply(&self, number: usize) -> &Ply {
        &self.plies[number]
    }

    #[inline(always)]
    pub(super) fn set_ready(&mut self, number: usize, side: Color) {
        self.plies[number].ready[side] = true;
    }

    /// A move will be made.
    #[inline(always)]
    pub(super) fn push(&mut self) {
        let held = self.top().held;
        self.plies.push(Ply::after(held));
    }

    /// The last move was taken back.
    #[inline(always)]
    pub(super) fn pop(&mut self) {
        if self.plies.len() > 1 {
            self.plies.pop();
        }
    }

    #[inline(always)]
    fn top(&mut self) -> &mut Ply {
        self.plies.last_mut().expect("the first entry is never taken off")
    }
}

impl Ply {
    #[inline(always)]
    fn after(held: [[u8; 8]; 2]) -> Ply {
        Ply { gone: Changed::new(), come: Changed::new(), king_moved: [false; 2], ready: [false; 2], held }
    }
}

impl Observer for Changes {
    #[inline(always)]
    fn piece_added(&mut self, piece: Piece, square: Square) {
        let ply = self.top();
        ply.king_moved[piece.color()] |= piece.piece_type() == PieceType::King;
        ply.come.push(Placement::Board(piece, square));
    }

    #[inline(always)]
    fn piece_removed(&mut self, piece: Piece, square: Square) {
        self.top().gone.push(Placement::Board(piece, square));
    }

    #[inline(always)]
    fn hand_changed(&mut self, color: Color, piece_type: PieceType, count: u8) {
        let ply = self.top();
        let before = std::mem::replace(&mut ply.held[color][piece_type.index() & 7], count);
        let list = if count > before { &mut ply.come } else { &mut ply.gone };
        list.push(Placement::Hand(color, piece_type, count.max(before)));
    }
}
