//! The evaluation by a net, kept along with the position.

use super::accumulator::{AccumulatorStack, DirtyPiecesStack};
use super::net::{Net, Parameters};
use super::shape::{Shape, with_features};
use super::simd::{InstructionSet, Kernels};
use crate::position::{Observer, Position};
use crate::types::{Color, Piece, PieceType, Score, Square};
use std::sync::Arc;

/// The default of `FV_SCALE`: the output of a net over this number is in points of which a pawn is worth 90. Public
/// nets want 16 to 40.
pub const DEFAULT_FV_SCALE: i32 = 16;

/// The largest evaluation of the classic programs, in points of which a pawn is worth 90.
const MAX_POINTS: i32 = 31_753;

/// The evaluation by a net as an observer of a position.
///
/// Before each move call [`Nnue::push`], after taking it back [`Nnue::pop`]. A null move needs neither: the
/// accumulators of both sides stay what they are.
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
    accumulators: AccumulatorStack,
    /// The functions for the set of inputs.
    functions: Functions,
    parameters: Arc<Parameters>,
    fv_scale: i32,
}

/// Functions that depend on the set of inputs, chosen once for a net.
#[derive(Clone, Copy, Debug)]
struct Functions {
    start: fn(&mut AccumulatorStack, &mut DirtyPiecesStack, &Position),
    output: fn(&mut AccumulatorStack, &mut DirtyPiecesStack, &Position) -> i32,
}

impl Nnue {
    /// The evaluation of a position by a net, to be kept along with the position.
    pub fn new(net: &Net, pos: &Position) -> Nnue {
        Nnue::with_parameters(Arc::clone(&net.parameters), InstructionSet::best(), pos)
    }

    /// The evaluation with the instructions of this set, which the score does not depend on: for tests and
    /// measurements.
    pub fn with_instructions(net: &Net, pos: &Position, instructions: InstructionSet) -> Nnue {
        let parameters = Net::packed(&net.parameters, instructions.packing()).expect("there is memory for the layers");
        Nnue::with_parameters(parameters, instructions, pos)
    }

    fn with_parameters(parameters: Arc<Parameters>, instructions: InstructionSet, pos: &Position) -> Nnue {
        let kernels = Kernels::new(instructions, &parameters.layers.sizes);
        let (accumulators, functions) = with_features!(parameters.shape.features, F => {
            let functions = Functions { start: AccumulatorStack::start::<F>, output: AccumulatorStack::output::<F> };
            (AccumulatorStack::new::<F>(Arc::clone(&parameters), kernels), functions)
        });
        let dirty = DirtyPiecesStack::new(pos);
        let mut eval = Nnue { dirty, accumulators, functions, parameters, fv_scale: DEFAULT_FV_SCALE };
        (eval.functions.start)(&mut eval.accumulators, &mut eval.dirty, pos);
        eval
    }

    /// This evaluation with another divisor of the output, at least 1.
    #[must_use]
    pub fn with_fv_scale(mut self, fv_scale: i32) -> Nnue {
        self.fv_scale = fv_scale.max(1);
        self
    }

    /// Goes on from another position and keeps the accumulator cache.
    pub fn reset(&mut self, pos: &Position) {
        self.dirty.reset(pos);
        (self.functions.start)(&mut self.accumulators, &mut self.dirty, pos);
    }

    /// The kind of net.
    pub fn shape(&self) -> Shape {
        self.parameters.shape
    }

    /// The score for the side to move. `pos` must be the position that the moves have led to.
    pub fn evaluate(&mut self, pos: &Position) -> Score {
        Score(centipawns(self.output(pos), self.fv_scale)).clamp_eval()
    }

    /// The net's output as it is, for the side to move.
    pub fn output(&mut self, pos: &Position) -> i32 {
        (self.functions.output)(&mut self.accumulators, &mut self.dirty, pos)
    }

    /// Remembers where the position stands before a move.
    pub fn push(&mut self) {
        self.dirty.push();
    }

    /// Returns to where it stood before the last move.
    pub fn pop(&mut self) {
        self.dirty.pop();
    }
}

/// Centipawns of an output.
fn centipawns(output: i32, fv_scale: i32) -> i32 {
    (output / fv_scale).clamp(-MAX_POINTS, MAX_POINTS) * 100 / 90
}

impl Observer for Nnue {
    fn piece_added(&mut self, piece: Piece, square: Square) {
        self.dirty.piece_added(piece, square);
    }

    fn piece_removed(&mut self, piece: Piece, square: Square) {
        self.dirty.piece_removed(piece, square);
    }

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
