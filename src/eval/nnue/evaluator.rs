//! The evaluation by a net, kept along with the position.

use super::accumulator::{AccumulatorStack, Layers};
use super::dirty_pieces::DirtyPiecesStack;
use super::features::{HalfKp, Ka2, Ka2Zones, Kp};
use super::net::{Architecture, ClassicLayers, LayerStacks, Net};
use super::shape::{CLASSIC_WIDTH, PAIRWISE_WIDTH, Shape};
use super::simd::{InstructionSet, with_kernels};
use crate::position::{Observer, Position};
use crate::types::{Color, Piece, PieceType, Score, Square};
use std::sync::Arc;

/// The default of `FV_SCALE`: the output of a net over this number is in points of which a pawn is worth 90. Public nets
/// want 16 to 24.
pub const DEFAULT_FV_SCALE: i32 = 16;

/// The largest evaluation of the classic programs, in points of which a pawn is worth 90.
const MAX_POINTS: i32 = 31_753;

/// The evaluation by a net as an observer of a position.
///
/// Before each move call [`Nnue::push`], after taking it back [`Nnue::pop`]. A null move needs neither: the accumulators
/// of both sides stay what they are.
///
/// ```
/// use komainu::eval::nnue::{Nnue, embedded};
/// use komainu::position::Position;
///
/// // The accumulators follow the moves as an observer of the position.
/// let net = embedded().expect("the net that is built in");
/// let mut position = Position::startpos();
/// let mut nnue = Nnue::new(&net, &position);
/// let before = nnue.evaluate(&position);
/// nnue.push();
/// position.do_move_observed("7g7f".parse()?, &mut nnue);
/// assert_eq!(nnue.evaluate(&position), Nnue::new(&net, &position).evaluate(&position));
/// nnue.pop();
/// position.undo();
/// assert_eq!(nnue.evaluate(&position), before);
/// # Ok::<(), komainu::types::ParseMoveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Nnue {
    dirty: DirtyPiecesStack,
    accumulators: AnyAccumulatorStack,
    instructions: InstructionSet,
    shape: Shape,
    fv_scale: i32,
}

/// The accumulators by architecture; matched once an evaluation.
#[derive(Clone, Debug)]
enum AnyAccumulatorStack {
    HalfKp(AccumulatorStack<HalfKp, ClassicLayers, CLASSIC_WIDTH>),
    Kp(AccumulatorStack<Kp, ClassicLayers, CLASSIC_WIDTH>),
    Ka2(AccumulatorStack<Ka2, LayerStacks, PAIRWISE_WIDTH>),
    Ka2Zones(AccumulatorStack<Ka2Zones, LayerStacks, PAIRWISE_WIDTH>),
}

impl Nnue {
    /// The evaluation of a position by a net, to be kept along with the position.
    pub fn new(net: &Net, pos: &Position) -> Nnue {
        let accumulators = match &net.architecture {
            Architecture::HalfKp(model) => AnyAccumulatorStack::HalfKp(AccumulatorStack::new(Arc::clone(model))),
            Architecture::Kp(model) => AnyAccumulatorStack::Kp(AccumulatorStack::new(Arc::clone(model))),
            Architecture::Ka2(model) => AnyAccumulatorStack::Ka2(AccumulatorStack::new(Arc::clone(model))),
            Architecture::Ka2Zones(model) => AnyAccumulatorStack::Ka2Zones(AccumulatorStack::new(Arc::clone(model))),
        };
        let instructions = InstructionSet::best();
        let (dirty, shape) = (DirtyPiecesStack::new(pos), net.shape());
        let mut eval = Nnue { dirty, accumulators, instructions, shape, fv_scale: DEFAULT_FV_SCALE };
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

    /// Goes on from another position and keeps the accumulator cache.
    pub fn reset(&mut self, pos: &Position) {
        self.dirty.reset(pos);
        self.start(pos);
    }

    fn start(&mut self, pos: &Position) {
        let Nnue { dirty, accumulators, instructions, .. } = self;
        with_kernels!(*instructions, |kernels| match accumulators {
            AnyAccumulatorStack::HalfKp(accumulators) => accumulators.start(kernels, dirty, pos),
            AnyAccumulatorStack::Kp(accumulators) => accumulators.start(kernels, dirty, pos),
            AnyAccumulatorStack::Ka2(accumulators) => accumulators.start(kernels, dirty, pos),
            AnyAccumulatorStack::Ka2Zones(accumulators) => accumulators.start(kernels, dirty, pos),
        })
    }

    /// The kind of net.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The score for the side to move. `pos` must be the position that the moves have led to.
    pub fn evaluate(&mut self, pos: &Position) -> Score {
        Score(centipawns(self.output(pos), self.fv_scale)).clamp_eval()
    }

    /// The net's output as it is, for the side to move.
    pub fn output(&mut self, pos: &Position) -> i32 {
        let Nnue { dirty, accumulators, instructions, .. } = self;
        match accumulators {
            AnyAccumulatorStack::HalfKp(accumulators) => output(*instructions, accumulators, dirty, pos),
            AnyAccumulatorStack::Kp(accumulators) => output(*instructions, accumulators, dirty, pos),
            AnyAccumulatorStack::Ka2(accumulators) => output(*instructions, accumulators, dirty, pos),
            AnyAccumulatorStack::Ka2Zones(accumulators) => output(*instructions, accumulators, dirty, pos),
        }
    }

    /// Remembers where the position stands before a move.
    #[inline(always)]
    pub fn push(&mut self) {
        self.dirty.push();
    }

    /// Returns to where it stood before the last move.
    #[inline(always)]
    pub fn pop(&mut self) {
        self.dirty.pop();
    }
}

/// One evaluation, compiled as a whole for each kind of net and each instruction set.
#[inline(always)]
fn output<F: super::features::FeatureSet, L: Layers<W>, const W: usize>(
    instructions: InstructionSet,
    accumulators: &mut AccumulatorStack<F, L, W>,
    dirty: &mut DirtyPiecesStack,
    pos: &Position,
) -> i32 {
    with_kernels!(instructions, |kernels| accumulators.output(kernels, dirty, pos))
}

/// Centipawns of an output.
fn centipawns(output: i32, fv_scale: i32) -> i32 {
    (output / fv_scale).clamp(-MAX_POINTS, MAX_POINTS) * 100 / 90
}

impl Observer for Nnue {
    #[inline(always)]
    fn piece_added(&mut self, piece: Piece, square: Square) {
        self.dirty.piece_added(piece, square);
    }

    #[inline(always)]
    fn piece_removed(&mut self, piece: Piece, square: Square) {
        self.dirty.piece_removed(piece, square);
    }

    #[inline(always)]
    fn hand_changed(&mut self, color: Color, piece_type: PieceType, count: u8) {
        self.dirty.hand_changed(color, piece_type, count);
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
