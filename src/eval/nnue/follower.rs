//! The sums of a net along the plies of a search.

use super::changes::{Changed, Changes};
use super::features::{FeatureSet, Placement, View, bona_piece, missing_pieces};
use super::net::{ClassicLayers, Model, PairwiseLayers, Row};
use super::scalar;
use super::shape::{CLASSIC_WIDTH, PAIRWISE_WIDTH};
use super::simd::Kernels;
use crate::bitboard::Bitboard;
use crate::position::Position;
use crate::types::{Color, Hand, Piece, PieceType};
use arrayvec::ArrayVec;
use std::sync::Arc;

/// What comes behind the sums.
pub(super) trait Layers<const W: usize>: Send + Sync {
    /// The output from the sums of the side to move and of the other.
    fn forward<K: Kernels>(&self, kernels: K, own: &Row<W>, other: &Row<W>) -> i32;
}

impl Layers<CLASSIC_WIDTH> for ClassicLayers {
    #[inline(always)]
    fn forward<K: Kernels>(&self, kernels: K, own: &Row<CLASSIC_WIDTH>, other: &Row<CLASSIC_WIDTH>) -> i32 {
        kernels.classic(self, own, other)
    }
}

impl Layers<PAIRWISE_WIDTH> for PairwiseLayers {
    #[inline(always)]
    fn forward<K: Kernels>(&self, kernels: K, own: &Row<PAIRWISE_WIDTH>, other: &Row<PAIRWISE_WIDTH>) -> i32 {
        kernels.pairwise(self, own, other)
    }
}

/// Follows a position with the sums of a net.
#[derive(Clone, Debug)]
pub(super) struct Follower<F, L, const W: usize> {
    model: Arc<Model<F, L, W>>,
    /// The sums of both sides at each ply, as far as [`super::changes::Ply::ready`] says.
    plies: Vec<[Row<W>; 2]>,
    /// `[81 * side + king]`, empty if no input depends on the king.
    refreshes: Vec<Snapshot<W>>,
}

impl<F: FeatureSet, L: Layers<W>, const W: usize> Follower<F, L, W> {
    pub(super) fn new(model: Arc<Model<F, L, W>>) -> Follower<F, L, W> {
        let snapshot = Snapshot::empty(model.biases);
        let refreshes = vec![snapshot; if F::KING_RELATIVE { 2 * 81 } else { 0 }];
        Follower { model, plies: Vec::new(), refreshes }
    }

    /// Computes the sums of the position where the changes start, once for all that comes after it.
    pub(super) fn start<K: Kernels>(&mut self, kernels: K, changes: &mut Changes, pos: &Position) {
        if self.plies.is_empty() {
            self.plies.push([self.model.biases; 2]);
        }
        for side in Color::ALL {
            self.plies[0][side] = self.refreshed(kernels, pos, side);
            changes.set_ready(0, side);
        }
    }

    /// The output of the net for the position that the changes have led to.
    #[inline(always)]
    pub(super) fn output<K: Kernels>(&mut self, kernels: K, changes: &mut Changes, pos: &Position) -> i32 {
        let last = changes.last();
        if self.plies.len() <= last {
            // Rarely, and by many: a search comes back to the same plies again and again.
            self.plies.resize(last + 32, [self.model.biases; 2]);
        }
        for side in Color::ALL {
            self.bring_up_to_date(kernels, changes, pos, side);
        }
        let sums = &self.plies[last];
        self.model.layers.forward(kernels, &sums[pos.side()], &sums[!pos.side()])
    }

    /// Computes a side's sums at the last ply from the nearest ply where they are known, as they are at the first, or
    /// from the board.
    #[inline(always)]
    fn bring_up_to_date<K: Kernels>(&mut self, kernels: K, changes: &mut Changes, pos: &Position, side: Color) {
        let last = changes.last();
        let mut known = last;
        while !changes.ply(known).ready[side] {
            if F::KING_RELATIVE && changes.ply(known).king_moved[side] {
                self.plies[last][side] = self.refreshed(kernels, pos, side);
                changes.set_ready(last, side);
                return;
            }
            known -= 1;
        }
        if known < last {
            let view = View::of(pos, side);
            for ply in known..last {
                let change = changes.ply(ply + 1);
                self.update(kernels, ply, view, &change.gone, &change.come);
                changes.set_ready(ply + 1, side);
            }
        }
    }

    /// The sums one ply later.
    #[inline(always)]
    fn update<K: Kernels>(&mut self, kernels: K, ply: usize, view: View, gone: &Changed, come: &Changed) {
        const { assert!(F::MOST_CHANGES <= 3) };
        // Plain arrays: lists that are handed around would be copied, and each copy waits for what was just written.
        let (mut off, mut on) = ([&self.model.biases; 3], [&self.model.biases; 3]);
        let count = self.model.rows_of(view, gone, &mut off);
        let count_on = self.model.rows_of(view, come, &mut on);
        debug_assert_eq!(count, count_on, "a move takes away as many pieces as it puts down");
        let (before, after) = self.plies.split_at_mut(ply + 1);
        let (from, to) = (&before[ply][view.side], &mut after[0][view.side]);
        let ([a, b, c], [x, y, z]) = (off, on);
        match count {
            0 => *to = *from,
            1 => kernels.update(from, to, [a], [x]),
            2 => kernels.update(from, to, [a, b], [x, y]),
            _ => kernels.update(from, to, [a, b, c], [x, y, z]),
        }
    }

    /// The sums of a position that no known ply leads to.
    #[inline(never)]
    fn refreshed<K: Kernels>(&mut self, kernels: K, pos: &Position, side: Color) -> Row<W> {
        if !F::KING_RELATIVE {
            return scalar::sums(&self.model, pos, side);
        }
        let view = View::of(pos, side);
        let snapshot = &mut self.refreshes[81 * side.index() + view.king.index()];
        snapshot.renew::<F, K>(kernels, &self.model.rows, Pieces::of(pos), view);
        snapshot.sums
    }
}

impl<F: FeatureSet, L, const W: usize> Model<F, L, W> {
    /// The rows of the inputs that some placements switch on, put into a list: their number.
    #[inline(always)]
    fn rows_of<'a>(&'a self, view: View, placements: &Changed, rows: &mut [&'a Row<W>; 3]) -> usize {
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

/// Everything that the inputs depend on, in a form whose differences are found in no time.
#[derive(Clone, Copy, Debug)]
struct Pieces {
    /// `[color][plane]`, planes as in [`bona_piece::PLANES`].
    planes: [[Bitboard; 9]; 2],
    hands: [Hand; 2],
    missing: usize,
}

impl Pieces {
    /// No piece, but none is missing either.
    const NONE: Pieces = Pieces { planes: [[Bitboard::EMPTY; 9]; 2], hands: [Hand::EMPTY; 2], missing: 0 };

    fn of(pos: &Position) -> Pieces {
        let planes = Color::ALL.map(|color| {
            bona_piece::PLANES.map(|piece_type| match piece_type {
                PieceType::Gold => pos.pieces_moving_as(color, PieceType::Gold),
                _ => pos.pieces_of(color, piece_type),
            })
        });
        Pieces { planes, hands: Color::ALL.map(|color| pos.hand(color)), missing: missing_pieces(pos) }
    }

    /// Calls with each placement here that is not in `other`.
    fn visit_without(&self, other: &Pieces, mut visit: impl FnMut(Placement)) {
        for color in Color::ALL {
            for (plane, piece_type) in bona_piece::PLANES.into_iter().enumerate() {
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

/// The sums of a side with its king on one square, as they were when it last stood there.
///
/// Coming back, only what has changed since is added and taken off, mostly a few pieces instead of all. (The idea is
/// known as Finny tables, after Finn Eggers of the chess engine Koivisto.)
#[derive(Clone, Debug)]
struct Snapshot<const W: usize> {
    sums: Row<W>,
    pieces: Pieces,
}

impl<const W: usize> Snapshot<W> {
    fn empty(biases: Row<W>) -> Snapshot<W> {
        Snapshot { sums: biases, pieces: Pieces::NONE }
    }

    fn renew<F: FeatureSet, K: Kernels>(&mut self, kernels: K, rows: &[Row<W>], now: Pieces, view: View) {
        let mut off = ArrayVec::<&Row<W>, MOST_PLACEMENTS>::new();
        let mut on = ArrayVec::<&Row<W>, MOST_PLACEMENTS>::new();
        self.pieces.visit_without(&now, |placement| F::visit(view, placement, |input| off.push(&rows[input])));
        now.visit_without(&self.pieces, |placement| F::visit(view, placement, |input| on.push(&rows[input])));
        let missing = &rows[F::missing(view)];
        (now.missing..self.pieces.missing).for_each(|_| off.push(missing));
        (self.pieces.missing..now.missing).for_each(|_| on.push(missing));
        kernels.apply(&mut self.sums, &off, &on);
        self.pieces = now;
    }
}

/// Inputs of a king-relative set that are on at once: 38 pieces, in the game or not.
const MOST_PLACEMENTS: usize = 2 * super::features::PIECES;
