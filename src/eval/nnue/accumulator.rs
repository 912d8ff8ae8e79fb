//! The accumulators of a net along the plies of a search: the output of its first layer, updated by the pieces that
//! each move adds and removes (dirty pieces), which are recorded by observing the position.
//!
//! Updates are lazy: a move is only recorded, because many positions of a search are never evaluated.

use super::features::{self, Attackers, FeatureSet, MAX_INPUTS_OF_PLACEMENT, PIECES, Placement, View, missing_pieces};
use super::layers::{Scratch, Words};
use super::net::Parameters;
use super::simd::{Changes, Kernels};
use crate::bitboard::Bitboard;
use crate::position::{Observer, Position};
use crate::types::{Color, Hand, Piece, PieceType, Square};
use arrayvec::ArrayVec;
use std::sync::Arc;

/// Placements that one move removes or adds: a capture removes two, the piece that moves and its victim, and adds two,
/// on the board and in hand.
pub(crate) type PlacementList = ArrayVec<Placement, 2>;

/// Changes of one move; the first entry stands for the position where the stack starts and changes nothing.
#[derive(Clone, Debug)]
pub(crate) struct DirtyPieces {
    pub(crate) removed: PlacementList,
    pub(crate) added: PlacementList,
    /// Each side's king has moved.
    pub(crate) king_moved: [bool; 2],
    /// Each side's accumulator at this ply has been computed.
    pub(crate) computed: [bool; 2],
    /// `[color][type]`: pieces in hand afterwards.
    held: [[u8; 8]; 2],
}

/// The moves from a position on.
#[derive(Clone, Debug)]
pub(crate) struct DirtyPiecesStack {
    /// Never empty.
    plies: Vec<DirtyPieces>,
}

impl DirtyPiecesStack {
    pub(crate) fn new(pos: &Position) -> DirtyPiecesStack {
        let mut dirty = DirtyPiecesStack { plies: Vec::with_capacity(256) };
        dirty.reset(pos);
        dirty
    }

    /// Starts again from a position.
    pub(crate) fn reset(&mut self, pos: &Position) {
        let mut held = [[0; 8]; 2];
        for color in Color::ALL {
            for (piece_type, count) in pos.hand(color).iter() {
                held[color][piece_type.index() & 7] = count;
            }
        }
        self.plies.clear();
        self.plies.push(DirtyPieces::after(held));
    }

    /// The number of the last ply, 0 where the stack starts.
    pub(crate) fn last(&self) -> usize {
        self.plies.len() - 1
    }

    pub(crate) fn ply(&self, number: usize) -> &DirtyPieces {
        &self.plies[number]
    }

    pub(crate) fn set_computed(&mut self, number: usize, side: Color) {
        self.plies[number].computed[side] = true;
    }

    /// A move will be made.
    pub(crate) fn push(&mut self) {
        let held = self.top().held;
        self.plies.push(DirtyPieces::after(held));
    }

    /// The last move was taken back.
    pub(crate) fn pop(&mut self) {
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

/// The accumulators of both sides, one pair for each ply from the root of a search on.
#[derive(Clone, Debug)]
pub(crate) struct AccumulatorStack {
    parameters: Arc<Parameters>,
    kernels: Kernels,
    /// Lines of an accumulator.
    lines: usize,
    /// `[ply][side][line]`, valid where [`DirtyPieces::computed`] says so.
    plies: Vec<Words>,
    /// The accumulator cache (Finny table), `[entries of a side * side + entry]`.
    cache: Vec<CacheEntry>,
    scratch: Box<Scratch>,
}

impl AccumulatorStack {
    pub(crate) fn new<F: FeatureSet>(parameters: Arc<Parameters>, kernels: Kernels) -> AccumulatorStack {
        let entry = CacheEntry::empty(&parameters.transformer.biases);
        let lines = parameters.transformer.lines;
        AccumulatorStack {
            parameters,
            kernels,
            lines,
            plies: vec![Words::ZERO; 2 * lines],
            cache: vec![entry; 2 * F::CACHE_ENTRIES],
            scratch: Box::new(Scratch::EMPTY),
        }
    }

    /// Computes the accumulators of the position where the stack of moves starts, once for all plies after it.
    pub(crate) fn start<F: FeatureSet>(&mut self, dirty: &mut DirtyPiecesStack, pos: &Position) {
        if F::USES_ATTACKS {
            return;
        }
        for side in Color::ALL {
            self.refresh::<F>(0, pos, side);
            dirty.set_computed(0, side);
        }
    }

    /// The output of the net for the position that the moves have led to.
    pub(crate) fn output<F: FeatureSet>(&mut self, dirty: &mut DirtyPiecesStack, pos: &Position) -> i32 {
        let stack = self.parameters.stack(pos);
        if F::USES_ATTACKS {
            let own = self.refresh_by_attacks::<F>(pos, pos.side());
            let other = self.refresh_by_attacks::<F>(pos, !pos.side());
            let own = &self.cache[own].accumulator;
            let other = &self.cache[other].accumulator;
            return self.kernels.forward(&self.parameters.layers, stack, own, other, &mut self.scratch);
        }
        let last = dirty.last();
        if self.plies.len() < 2 * self.lines * (last + 1) {
            // Rarely, and by many: a search comes back to the same plies again and again.
            self.plies.resize(2 * self.lines * (last + 32), Words::ZERO);
        }
        for side in Color::ALL {
            self.update_side::<F>(dirty, pos, side);
        }
        let (black, white) = self.plies[2 * self.lines * last..][..2 * self.lines].split_at(self.lines);
        let (own, other) = if pos.side() == Color::Black { (black, white) } else { (white, black) };
        self.kernels.forward(&self.parameters.layers, stack, own, other, &mut self.scratch)
    }

    /// Computes a side's accumulator at the last ply: incrementally from the nearest ply where it is computed (the
    /// first one at the latest), or from the board if the side's king has moved since in a way that changes all inputs.
    #[inline(always)]
    fn update_side<F: FeatureSet>(&mut self, dirty: &mut DirtyPiecesStack, pos: &Position, side: Color) {
        let last = dirty.last();
        let mut known = last;
        while !dirty.ply(known).computed[side] {
            if F::CACHE_ENTRIES > 1 && dirty.ply(known).king_moved[side] {
                self.refresh::<F>(last, pos, side);
                dirty.set_computed(last, side);
                return;
            }
            known -= 1;
        }
        if known < last {
            let view = View::of(pos, side);
            for ply in known..last {
                self.update_ply::<F>(ply, view, dirty.ply(ply + 1));
                dirty.set_computed(ply + 1, side);
            }
        }
    }

    /// Computes a side's accumulator one ply later.
    #[inline(always)]
    fn update_ply<F: FeatureSet>(&mut self, ply: usize, view: View, dirty: &DirtyPieces) {
        let mut changes = Changes { count: 0, sub: [0; Changes::MOST], add: [0; Changes::MOST] };
        changes.count = inputs_of::<F>(view, &dirty.removed, &mut changes.sub);
        let added = inputs_of::<F>(view, &dirty.added, &mut changes.add);
        debug_assert_eq!(changes.count, added, "a move takes away as many pieces as it puts down");
        let (before, after) = self.plies.split_at_mut(2 * self.lines * (ply + 1));
        let of_side = self.lines * view.side.index();
        let from = &before[2 * self.lines * ply + of_side..];
        let to = &mut after[of_side..];
        self.kernels.update(&self.parameters.transformer, from, to, &changes);
    }

    /// A side's accumulator at a ply from the board, by way of the accumulator cache.
    #[inline(never)]
    fn refresh<F: FeatureSet>(&mut self, ply: usize, pos: &Position, side: Color) {
        let view = View::of(pos, side);
        let entry = &mut self.cache[F::CACHE_ENTRIES * side.index() + F::cache_entry(view)];
        entry.refresh::<F>(&self.parameters, self.kernels, Pieces::of(pos), view);
        self.plies[self.lines * (2 * ply + side.index())..][..self.lines].copy_from_slice(&entry.accumulator);
    }

    /// Brings the cache entry for a side up to date where the attackers of squares count, and returns its number.
    #[inline(never)]
    fn refresh_by_attacks<F: FeatureSet>(&mut self, pos: &Position, side: Color) -> usize {
        let view = View::of(pos, side);
        let number = F::CACHE_ENTRIES * side.index() + F::cache_entry(view);
        self.cache[number].refresh_by_attacks::<F>(&self.parameters, self.kernels, pos, view);
        number
    }
}

/// Puts the inputs that some placements switch on into a list and returns their number.
#[inline(always)]
fn inputs_of<F: FeatureSet>(view: View, placements: &PlacementList, inputs: &mut [u32; Changes::MOST]) -> usize {
    let mut count = 0;
    for &placement in placements {
        F::visit(view, placement, |input| {
            inputs[count] = input as u32;
            count += 1;
        });
    }
    count
}

/// The planes of the piece numbers, and the king.
const PLANES: [PieceType; 10] = {
    let [a, b, c, d, e, f, g, h, i] = features::PLANES;
    [a, b, c, d, e, f, g, h, i, PieceType::King]
};

/// The pieces that the inputs depend on, as bitboards, so that two sets are compared by a few operations.
#[derive(Clone, Copy, Debug)]
struct Pieces {
    /// `[color][plane]`, planes as in [`features::PLANES`], and the king.
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
            self.visit_hand_without(other, color, &mut visit);
        }
    }

    fn visit_hand_without(&self, other: &Pieces, color: Color, mut visit: impl FnMut(Placement)) {
        if self.hands[color] == other.hands[color] {
            return;
        }
        for piece_type in PieceType::HAND {
            for nth in other.hands[color].count(piece_type) + 1..=self.hands[color].count(piece_type) {
                visit(Placement::Hand(color, piece_type, nth));
            }
        }
    }
}

/// Inputs that one refresh subtracts or adds.
type InputList = ArrayVec<u32, MAX_INPUTS>;

/// The most of them: all inputs of a position, the 38 pieces, present or missing, and the kings, at both ends.
const MAX_INPUTS: usize = 2 * PIECES + 2 * MAX_INPUTS_OF_PLACEMENT;

/// No input.
const NONE: u32 = u32::MAX;

/// An entry of the accumulator cache: a side's accumulator when its king last stood on one square, or whenever it was
/// last asked for if that does not matter, and the pieces then.
///
/// When the king comes back, only the pieces that have changed since are added and subtracted, mostly a few instead of
/// all. (Known as Finny table, after Finn Eggers of the chess engine Koivisto.)
#[derive(Clone, Debug)]
struct CacheEntry {
    accumulator: Vec<Words>,
    pieces: Pieces,
    /// `[square]`: the input of the piece there, or [`NONE`]; empty until it is asked for where attackers count.
    inputs: Vec<u32>,
}

impl CacheEntry {
    fn empty(biases: &[Words]) -> CacheEntry {
        CacheEntry { accumulator: biases.to_vec(), pieces: Pieces::NONE, inputs: Vec::new() }
    }

    fn refresh<F: FeatureSet>(&mut self, parameters: &Parameters, kernels: Kernels, now: Pieces, view: View) {
        let mut sub = InputList::new();
        let mut add = InputList::new();
        self.pieces.visit_without(&now, |placement| F::visit(view, placement, |input| sub.push(input as u32)));
        now.visit_without(&self.pieces, |placement| F::visit(view, placement, |input| add.push(input as u32)));
        self.change_missing::<F>(&now, view, &mut sub, &mut add);
        kernels.apply(&parameters.transformer, &mut self.accumulator, &sub, &add);
        self.pieces = now;
    }

    /// Brings the entry up to date where the kind of a square is part of the input of the piece on it.
    fn refresh_by_attacks<F: FeatureSet>(
        &mut self,
        parameters: &Parameters,
        kernels: Kernels,
        pos: &Position,
        view: View,
    ) {
        let mut sub = InputList::new();
        let mut add = InputList::new();
        if self.inputs.is_empty() {
            self.inputs.resize(Square::ALL.len(), NONE);
        }
        let attackers = Attackers::of(pos);
        for (square, before) in Square::ALL.into_iter().zip(&mut self.inputs) {
            let mut now = NONE;
            if let Some(piece) = pos.piece_on(square) {
                F::visit_attacked(view, Placement::Board(piece, square), attackers.kind(view.side, square), |input| {
                    now = input as u32;
                });
            }
            if now == *before {
                continue;
            }
            if *before != NONE {
                sub.push(*before);
            }
            if now != NONE {
                add.push(now);
            }
            *before = now;
        }
        let now = Pieces::of(pos);
        for color in Color::ALL {
            self.pieces.visit_hand_without(&now, color, |placement| {
                F::visit(view, placement, |input| sub.push(input as u32));
            });
            now.visit_hand_without(&self.pieces, color, |placement| {
                F::visit(view, placement, |input| add.push(input as u32));
            });
        }
        self.change_missing::<F>(&now, view, &mut sub, &mut add);
        kernels.apply(&parameters.transformer, &mut self.accumulator, &sub, &add);
        self.pieces = now;
    }

    /// Lists the inputs of pieces that are missing in only one of the positions.
    fn change_missing<F: FeatureSet>(&self, now: &Pieces, view: View, sub: &mut InputList, add: &mut InputList) {
        let missing = F::missing(view) as u32;
        for _ in now.missing..self.pieces.missing {
            sub.push(missing);
        }
        for _ in self.pieces.missing..now.missing {
            add.push(missing);
        }
    }
}
