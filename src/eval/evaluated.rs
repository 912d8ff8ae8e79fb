//! A position and the state of a net that follows it, as one object.

use super::Evaluation;
use super::nnue::Nnue;
use crate::position::Position;
use crate::types::{Move, Score};

/// A position with the state of a net: its moves update both, so that they cannot get out of step.
///
/// ```
/// use komainu::eval::{EvaluatedPosition, Evaluation, StaticEvaluation};
/// use komainu::position::Position;
///
/// let evaluation = Evaluation::default();
/// let mut evaluated = EvaluatedPosition::new(&evaluation, Position::startpos());
/// let before = evaluated.evaluate();
/// evaluated.do_move("7g7f".parse()?);
/// assert_eq!(evaluated.evaluate(), StaticEvaluation::of(&evaluation, evaluated.position()).score);
/// assert_eq!(evaluated.undo(), Some("7g7f".parse()?));
/// assert_eq!((evaluated.evaluate(), evaluated.undo()), (before, None));
/// # Ok::<(), komainu::types::ParseMoveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct EvaluatedPosition {
    pos: Position,
    nnue: Nnue,
    /// Moves that were made here and can be taken back.
    made: usize,
}

impl EvaluatedPosition {
    /// A position with its evaluation. The moves that led to it are part of it and are not taken back.
    pub fn new(evaluation: &Evaluation, pos: Position) -> EvaluatedPosition {
        let nnue = evaluation.start(&pos);
        EvaluatedPosition { pos, nnue, made: 0 }
    }

    /// Goes on from another position.
    pub fn set(&mut self, pos: Position) {
        self.nnue.reset(&pos);
        (self.pos, self.made) = (pos, 0);
    }

    /// The position.
    pub fn position(&self) -> &Position {
        &self.pos
    }

    /// Makes a move.
    ///
    /// # Panics
    /// As [`Position::do_move`]: at a move that would break the board.
    pub fn do_move(&mut self, mv: Move) {
        self.nnue.push();
        self.pos.do_move_observed(mv, &mut self.nnue);
        self.made += 1;
    }

    /// Takes the last move back that was made here and returns it; `None` if there is none.
    pub fn undo(&mut self) -> Option<Move> {
        self.made = self.made.checked_sub(1)?;
        let mv = self.pos.last_move();
        self.pos.undo();
        self.nnue.pop();
        mv
    }

    /// The static score for the side to move.
    pub fn evaluate(&mut self) -> Score {
        self.nnue.evaluate(&self.pos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::StaticEvaluation;
    use crate::random::SplitMix64;

    #[test]
    fn scores_are_those_of_the_position_whatever_was_made_and_taken_back() {
        let evaluation = Evaluation::default();
        let mut evaluated = EvaluatedPosition::new(&evaluation, Position::startpos());
        let mut random = SplitMix64(1);
        for step in 0..400 {
            let moves = evaluated.position().legal_moves();
            if random.below(3) == 0 || moves.is_empty() {
                evaluated.undo();
            } else {
                evaluated.do_move(moves[random.below(moves.len())]);
            }
            let expected = StaticEvaluation::of(&evaluation, evaluated.position()).score;
            assert_eq!(evaluated.evaluate(), expected, "step {step}");
        }
        let mut elsewhere = evaluated.clone();
        elsewhere.set(Position::startpos());
        assert_eq!(elsewhere.evaluate(), StaticEvaluation::of(&evaluation, &Position::startpos()).score);
        assert_eq!(elsewhere.undo(), None);
    }
}
