//! The accumulators of a net along the plies of a search: the output of its first layer, updated by the pieces that each
//! move adds and removes.

use super::dirty_pieces::{DirtyPieces, DirtyPiecesStack, PlacementList};
use super::features::{FeatureSet, Placement, View, bona_piece, missing_pieces};
use super::net::{Accumulator, ClassicLayers, LayerStacks, Model, WeightRow};
use super::scalar;
use super::shape::{CLASSIC_WIDTH, PAIRWISE_WIDTH};
use super::simd::Kernels;
use crate::bitboard::Bitboard;
use crate::position::Position;
use crate::types::{Color, Hand, Piece, PieceType, Square};
use arrayvec::ArrayVec;
use std::sync::Arc;

/// The layers behind the accumulator.
pub(super) trait Layers<const W: usize>: Send + Sync {
    /// The output for a position from the accumulators of the side to move and of the other.
    fn forward<K: Kernels>(&self, kernels: K, pos: &Position, own: &Accumulator<W>, other: &Accumulator<W>) -> i32;
}

impl Layers<CLASSIC_WIDTH> for ClassicLayers {
    #[inline(always)]
    fn forward<K: Kernels>(
        &self,
        kernels: K,
        _: &Position,
        own: &Accumulator<CLASSIC_WIDTH>,
        other: &Accumulator<CLASSIC_WIDTH>,
    ) -> i32 {
        kernels.classic(self, own, other)
    }
}

impl Layers<PAIRWISE_WIDTH> for LayerStacks {
    #[inline(always)]
    fn forward<K: Kernels>(
        &self,
        kernels: K,
        pos: &Position,
        own: &Accumulator<PAIRWISE_WIDTH>,
        other: &Accumulator<PAIRWISE_WIDTH>,
    ) -> i32 {
        kernels.pairwise(self.select(pos), own, other)
    }
}

/// The accumulators of both sides, one pair for each ply from the root of a search on.
#[derive(Clone, Debug)]
pub(super) struct AccumulatorStack<F, L, const W: usize> {
    model: Arc<Model<F, L, W>>,
    /// `[ply][side]`, valid where [`super::dirty_pieces::DirtyPieces::computed`] says so.
    plies: Vec<[Accumulator<W>; 2]>,
    /// The accumulator cache (Finny table), `[entries of a side * side + entry]`; empty if no input depends on the king.
    cache: Vec<CacheEntry<W>>,
}

impl<F: FeatureSet, L: Layers<W>, const W: usize> AccumulatorStack<F, L, W> {
    pub(super) fn new(model: Arc<Model<F, L, W>>) -> AccumulatorStack<F, L, W> {
        let entry = CacheEntry::empty(model.biases);
        let cache = vec![entry; 2 * F::CACHE_ENTRIES];
        AccumulatorStack { model, plies: Vec::new(), cache }
    }

    /// Computes the accumulators of the position where the stack of moves starts, once for all plies after it.
    pub(super) fn start<K: Kernels>(&mut self, kernels: K, dirty: &mut DirtyPiecesStack, pos: &Position) {
        if self.plies.is_empty() {
            self.plies.push([self.model.biases; 2]);
        }
        for side in Color::ALL {
            self.plies[0][side] = self.refresh(kernels, pos, side);
            dirty.set_computed(0, side);
        }
    }

    /// The output of the net for the position that the moves have led to.
    #[inline(always)]
    pub(super) fn output<K: Kernels>(&mut self, kernels: K, dirty: &mut DirtyPiecesStack, pos: &Position) -> i32 {
        let last = dirty.last();
        if self.plies.len() <= last {
            // Rarely, and by many: a search comes back to the same plies again and again.
            self.plies.resize(last + 32, [self.model.biases; 2]);
        }
        for side in Color::ALL {
            self.update_side(kernels, dirty, pos, side);
        }
        let accumulators = &self.plies[last];
        self.model.layers.forward(kernels, pos, &accumulators[pos.side()], &accumulators[!pos.side()])
    }

    /// Computes a side's accumulator at the last ply: incrementally from the nearest ply where it is computed (the first
    /// always is), or from the board if its king's moves since have changed all inputs.
    #[inline(always)]
    fn update_side<K: Kernels>(&mut self, kernels: K, dirty: &mut DirtyPiecesStack, pos: &Position, side: Color) {
        let last = dirty.last();
        let mut known = last;
        while !dirty.ply(known).computed[side] {
            if F::CACHE_ENTRIES > 0 && changes_all::<F>(dirty.ply(known), side) {
                self.plies[last][side] = self.refresh(kernels, pos, side);
                dirty.set_computed(last, side);
                return;
            }
            known -= 1;
        }
        if known < last {
            let view = View::of(pos, side);
            for ply in known..last {
                let dirty_pieces = dirty.ply(ply + 1);
                self.update_ply(kernels, ply, view, &dirty_pieces.removed, &dirty_pieces.added);
                dirty.set_computed(ply + 1, side);
            }
        }
    }

    /// Computes a side's accumulator one ply later.
    #[inline(always)]
    fn update_ply<K: Kernels>(
        &mut self,
        kernels: K,
        ply: usize,
        view: View,
        removed: &PlacementList,
        added: &PlacementList,
    ) {
        const { assert!(F::MAX_CHANGES <= 3) };
        // Plain arrays: lists that are handed around would be copied, and each copy waits for what was just written.
        let (mut sub, mut add) = ([&self.model.biases; 3], [&self.model.biases; 3]);
        let count = self.model.rows_of(view, removed, &mut sub);
        let count_add = self.model.rows_of(view, added, &mut add);
        debug_assert_eq!(count, count_add, "a move takes away as many pieces as it puts down");
        let (before, after) = self.plies.split_at_mut(ply + 1);
        let (from, to) = (&before[ply][view.side], &mut after[0][view.side]);
        let ([a, b, c], [x, y, z]) = (sub, add);
        match count {
            0 => *to = *from,
            1 => kernels.update(from, to, [a], [x]),
            2 => kernels.update(from, to, [a, b], [x, y]),
            _ => kernels.update(from, to, [a, b, c], [x, y, z]),
        }
    }

    /// A side's accumulator from the board, by way of the accumulator cache.
    #[inline(never)]
    fn refresh<K: Kernels>(&mut self, kernels: K, pos: &Position, side: Color) -> Accumulator<W> {
        if F::CACHE_ENTRIES == 0 {
            return scalar::accumulator(&self.model, pos, side);
        }
        let view = View::of(pos, side);
        let entry = &mut self.cache[F::CACHE_ENTRIES * side.index() + F::cache_entry(view)];
        entry.refresh::<F, K>(kernels, &self.model.rows, Pieces::of(pos), view);
        entry.accumulator
    }
}

/// Whether a move changes all inputs of a side: its king has moved to where the accumulator cache has another entry.
#[inline(always)]
fn changes_all<F: FeatureSet>(ply: &DirtyPieces, side: Color) -> bool {
    let entry = |king| F::cache_entry(View { side, king });
    ply.king_moved[side] && {
        let [from, to] = [&ply.removed, &ply.added].map(|list| king_in(list, side).map(entry));
        from != to
    }
}

/// Where the king of a side stands in a list.
#[inline(always)]
fn king_in(list: &PlacementList, side: Color) -> Option<Square> {
    list.iter().find_map(|&placement| match placement {
        Placement::Board(piece, square) if piece == Piece::new(side, PieceType::King) => Some(square),
        _ => None,
    })
}

impl<F: FeatureSet, L, const W: usize> Model<F, L, W> {
    /// Puts the weight rows of the inputs that some placements switch on into a list and returns their number.
    #[inline(always)]
    fn rows_of<'a>(&'a self, view: View, placements: &PlacementList, rows: &mut [&'a WeightRow<W>; 3]) -> usize {
        let mut count = 0;
        for &placement in placements {
            F::visit(view, placement, |input| {
                rows[count] = &self.rows[input];
                count += 1;
            });
        }
        count
    }
}

/// The planes of the piece numbers, and the king.
const PLANES: [PieceType; 10] = {
    let [a, b, c, d, e, f, g, h, i] = bona_piece::PLANES;
    [a, b, c, d, e, f, g, h, i, PieceType::King]
};

/// The pieces that the inputs depend on, as bitboards, so that two sets are compared by a few operations.
#[derive(Clone, Copy, Debug)]
struct Pieces {
    /// `[color][plane]`, planes as in [`bona_piece::PLANES`], and the king.
    planes: [[Bitboard; 10]; 2],
    hands: [Hand; 2],
    missing: usize,
}

impl Pieces {
    /// No piece, but none is missing either.
    const NONE: Pieces = Pieces { planes: [[Bitboard::EMPTY; 10]; 2], hands: [Hand::EMPTY; 2], missing: 0 };

    fn of(pos: &Position) -> Pieces {
        let planes = Color::ALL.map(|color| {
            PLANES.map(|piece_type| match piece_type {
                PieceType::Gold => pos.pieces_moving_as(color, PieceType::Gold),
                _ => pos.pieces_of(color, piece_type),
            })
        });
        Pieces { planes, hands: Color::ALL.map(|color| pos.hand(color)), missing: missing_pieces(pos) }
    }

    /// Calls with each placement here that is not in `other`.
    fn visit_without(&self, other: &Pieces, mut visit: impl FnMut(Placement)) {
        for color in Color::ALL {
            for (plane, piece_type) in PLANES.into_iter().enumerate() {
                let piece = Piece::new(color, piece_type);
                for square in self.planes[color][plane].without(other.planes[color][plane]) {
                    visit(Placement::Board(piece, square));
                }
            }
            if self.hands[color] != other.hands[color] {
                for piece_type in PieceType::HAND {
                    let counts = other.hands[color].count(piece_type) + 1..=self.hands[color].count(piece_type);
                    counts.for_each(|nth| visit(Placement::Hand(color, piece_type, nth)));
                }
            }
        }
    }
}

/// An entry of the accumulator cache: a side's accumulator when its king last stood on one square or in one zone, and the
/// pieces then.
///
/// When the king comes back, only the pieces that have changed since are added and subtracted, mostly a few instead of
/// all. (Known as Finny table, after Finn Eggers of the chess engine Koivisto.)
#[derive(Clone, Debug)]
struct CacheEntry<const W: usize> {
    accumulator: Accumulator<W>,
    pieces: Pieces,
}

impl<const W: usize> CacheEntry<W> {
    fn empty(biases: WeightRow<W>) -> CacheEntry<W> {
        CacheEntry { accumulator: biases, pieces: Pieces::NONE }
    }

    fn refresh<F: FeatureSet, K: Kernels>(&mut self, kernels: K, rows: &[WeightRow<W>], now: Pieces, view: View) {
        let mut sub = ArrayVec::<&WeightRow<W>, MAX_PLACEMENTS>::new();
        let mut add = ArrayVec::<&WeightRow<W>, MAX_PLACEMENTS>::new();
        self.pieces.visit_without(&now, |placement| F::visit(view, placement, |input| sub.push(&rows[input])));
        now.visit_without(&self.pieces, |placement| F::visit(view, placement, |input| add.push(&rows[input])));
        let missing = &rows[F::missing(view)];
        (now.missing..self.pieces.missing).for_each(|_| sub.push(missing));
        (self.pieces.missing..now.missing).for_each(|_| add.push(missing));
        kernels.apply(&mut self.accumulator, &sub, &add);
        self.pieces = now;
    }
}

/// Inputs of a king-relative set that one refresh may subtract or add: the 38 pieces, present or missing, of two positions,
/// and two inputs for each king.
const MAX_PLACEMENTS: usize = 2 * super::features::PIECES + 4;
