//! The evaluation by a net, kept along with the position.

use super::changes::Changes;
use super::features::{HalfKp, Ka2, Kp};
use super::follower::{Follower, Layers};
use super::net::{Body, ClassicLayers, Net, PairwiseLayers};
use super::shape::{CLASSIC_WIDTH, PAIRWISE_WIDTH, Shape};
use super::simd::{InstructionSet, with_kernels};
use crate::position::{Observer, Position};
use crate::types::{Color, Piece, PieceType, Score, Square};
use std::sync::Arc;

/// By what the output of a net is divided to give points of which a pawn is worth 90. Public nets want 16 to 24.
pub const DEFAULT_FV_SCALE: i32 = 16;

/// The largest value that the classic programs let an evaluation have, where a pawn is worth 90.
const MOST_POINTS: i32 = 31_753;

/// The evaluation by a net as an observer of a position.
///
/// Before each move call [`Nnue::push`], after taking it back [`Nnue::pop`]. A null move is not told at all: the sums
/// of both sides stay what they are.
#[derive(Clone, Debug)]
pub struct Nnue {
    changes: Changes,
    follower: Followers,
    instructions: InstructionSet,
    fv_scale: i32,
}

/// The sums by kind of net; matched once an evaluation.
#[derive(Clone, Debug)]
enum Followers {
    HalfKp(Follower<HalfKp, ClassicLayers, CLASSIC_WIDTH>),
    Kp(Follower<Kp, ClassicLayers, CLASSIC_WIDTH>),
    Ka2(Follower<Ka2, PairwiseLayers, PAIRWISE_WIDTH>),
}

impl Nnue {
    /// The evaluation of a position by a net, to be kept along with the position.
    pub fn new(net: &Net, pos: &Position) -> Nnue {
        let follower = match &net.body {
            Body::HalfKp(model) => Followers::HalfKp(Follower::new(Arc::clone(model))),
            Body::Kp(model) => Followers::Kp(Follower::new(Arc::clone(model))),
            Body::Ka2(model) => Followers::Ka2(Follower::new(Arc::clone(model))),
        };
        let instructions = InstructionSet::best();
        let mut eval = Nnue { changes: Changes::new(pos), follower, instructions, fv_scale: DEFAULT_FV_SCALE };
        eval.start(pos);
        eval
    }

    /// The same with another divisor of the output, at least 1.
    #[must_use]
    pub fn with_fv_scale(mut self, fv_scale: i32) -> Nnue {
        self.fv_scale = fv_scale.max(1);
        self
    }

    /// The same with the instructions of this set. The score does not depend on them.
    #[must_use]
    pub fn with_instructions(mut self, instructions: InstructionSet) -> Nnue {
        self.instructions = instructions;
        self
    }

    /// Goes on from another position, with what was learnt of the net's sums so far.
    pub fn reset(&mut self, pos: &Position) {
        self.changes.reset(pos);
        self.start(pos);
    }

    fn start(&mut self, pos: &Position) {
        let Nnue { changes, follower, instructions, .. } = self;
        with_kernels!(*instructions, |kernels| match follower {
            Followers::HalfKp(follower) => follower.start(kernels, changes, pos),
            Followers::Kp(follower) => follower.start(kernels, changes, pos),
            Followers::Ka2(follower) => follower.start(kernels, changes, pos),
        })
    }

    /// The kind of net.
    pub fn shape(&self) -> Shape {
        match self.follower {
            Followers::HalfKp(_) => Shape::HalfKp,
            Followers::Kp(_) => Shape::Kp,
            Followers::Ka2(_) => Shape::Ka2,
        }
    }

    /// The score for the side to move. `pos` must be the position that the moves have led to.
    pub fn evaluate(&mut self, pos: &Position) -> Score {
        Score(centipawns(self.output(pos), self.fv_scale)).clamp_eval()
    }

    /// The net's output as it is, for the side to move.
    pub fn output(&mut self, pos: &Position) -> i32 {
        let Nnue { changes, follower, instructions, .. } = self;
        match follower {
            Followers::HalfKp(follower) => output(*instructions, follower, changes, pos),
            Followers::Kp(follower) => output(*instructions, follower, changes, pos),
            Followers::Ka2(follower) => output(*instructions, follower, changes, pos),
        }
    }

    /// Remembers where the position stands before a move.
    #[inline(always)]
    pub fn push(&mut self) {
        self.changes.push();
    }

    /// Returns to where it stood before the last move.
    #[inline(always)]
    pub fn pop(&mut self) {
        self.changes.pop();
    }
}

/// One evaluation, compiled as a whole for each kind of net and each instruction set.
#[inline(always)]
fn output<F: super::features::FeatureSet, L: Layers<W>, const W: usize>(
    instructions: InstructionSet,
    follower: &mut Follower<F, L, W>,
    changes: &mut Changes,
    pos: &Position,
) -> i32 {
    with_kernels!(instructions, |kernels| follower.output(kernels, changes, pos))
}

/// Centipawns of an output.
fn centipawns(output: i32, fv_scale: i32) -> i32 {
    (output / fv_scale).clamp(-MOST_POINTS, MOST_POINTS) * 100 / 90
}

impl Observer for Nnue {
    #[inline(always)]
    fn piece_added(&mut self, piece: Piece, square: Square) {
        self.changes.piece_added(piece, square);
    }

    #[inline(always)]
    fn piece_removed(&mut self, piece: Piece, square: Square) {
        self.changes.piece_removed(piece, square);
    }

    #[inline(always)]
    fn hand_changed(&mut self, color: Color, piece_type: PieceType, count: u8) {
        self.changes.hand_changed(color, piece_type, count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_scaled_towards_zero_and_held_below_mates() {
        assert_eq!(centipawns(1_439, 16), 98);
        assert_eq!(centipawns(1_440, 16), 100);
        assert_eq!(centipawns(-1_455, 16), -100);
        assert_eq!(centipawns(2_400, 24), 111);
        assert_eq!(centipawns(i32::MIN, 1), -35_281);
        assert!(!Score(centipawns(i32::MAX, 1)).clamp_eval().is_mate());
    }
}
