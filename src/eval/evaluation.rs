//! The evaluation that the user has chosen, a position together with it, and evaluations that a user of the library
//! writes.

use super::nnue::{EMBEDDED_FV_SCALE, Net, Nnue, embedded};
use crate::position::Position;
use crate::types::{Move, Score};
use std::fmt;

/// A net and the scale of its output. Cheap to clone: the parameters of a net are shared.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The net.
    pub net: Net,
    /// `FV_SCALE`: the output over this number is in points of which a pawn is worth 90.
    pub fv_scale: i32,
}

/// The net that is built in.
///
/// # Panics
///
/// If whoever built the program put in a faulty file ([`embedded`] tells the fault).
impl Default for Evaluation {
    fn default() -> Evaluation {
        let net = embedded()
            .unwrap_or_else(|error| panic!("{error}: the program must be built with another KOMAINU_EVALFILE"));
        Evaluation { net, fv_scale: EMBEDDED_FV_SCALE }
    }
}

impl Evaluation {
    /// Tests whether both give the same scores because they are one. Two copies of a file count as different.
    pub fn is_same(&self, other: &Evaluation) -> bool {
        self.net.shares_parameters(&other.net) && self.fv_scale == other.fv_scale
    }

    /// The state of the net in a position, to be updated along with it.
    pub fn start(&self, pos: &Position) -> Nnue {
        Nnue::new(&self.net, pos).with_fv_scale(self.fv_scale)
    }
}

/// Name that tells evaluations apart: the same text, the same scores.
impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "net {:08x}/{}", self.net.checksum(), self.fv_scale)
    }
}

/// The evaluation of a position as it stands, for the side to move.
///
/// ```
/// use komainu::eval::{Evaluation, StaticEvaluation};
/// use komainu::position::Position;
///
/// let evaluation = StaticEvaluation::of(&Evaluation::default(), &Position::startpos());
/// assert_eq!(evaluation.to_string(), format!("cp {} raw {}", evaluation.score.0, evaluation.raw));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaticEvaluation {
    /// The score that the search starts from, in centipawns.
    pub score: Score,
    /// The output of the net as it is, before the division by `FV_SCALE`.
    pub raw: i32,
}

impl StaticEvaluation {
    /// The evaluation of a position.
    pub fn of(evaluation: &Evaluation, pos: &Position) -> StaticEvaluation {
        let mut nnue = evaluation.start(pos);
        StaticEvaluation { score: nnue.evaluate(pos), raw: nnue.output(pos) }
    }
}

/// `cp N raw M`.
impl fmt::Display for StaticEvaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cp {} raw {}", self.score.0, self.raw)
    }
}

/// Static evaluation of a user's own, in place of a net: [`ThreadPool::set_evaluator`] takes it.
///
/// Every thread of a search asks the same object. A function of a position is one, too.
///
/// ```
/// use komainu::eval::Evaluate;
/// use komainu::position::{GameRules, Position};
/// use komainu::search::{Limits, ThreadPool};
/// use komainu::types::{Color, PieceType, Score, StopToken};
/// use std::sync::Arc;
///
/// /// Material: what a piece is worth in centipawns.
/// struct Material(fn(PieceType) -> i32);
///
/// impl Evaluate for Material {
///     fn evaluate(&self, position: &Position) -> Score {
///         let of = |color: Color| -> i32 {
///             let board = position.pieces(color).into_iter().filter_map(|square| position.piece_on(square));
///             let hand = position.hand(color).iter().map(|(piece, count)| self.0(piece) * i32::from(count));
///             board.map(|piece| self.0(piece.piece_type())).chain(hand).sum()
///         };
///         Score(of(position.side()) - of(!position.side()))
///     }
/// }
///
/// let mut pool = ThreadPool::new(1, 1);
/// pool.set_evaluator(Some(Arc::new(Material(|piece| if piece == PieceType::Rook { 1_000 } else { 100 }))));
/// // The rook can be taken for nothing.
/// let position = Position::from_sfen("4k4/9/9/9/4r4/4L4/9/9/4K4 b - 1")?;
/// let (rules, stop) = (GameRules::default(), StopToken::new());
/// let result = pool.search(&position, rules, &Limits::to_depth(3), &stop, &mut |_| ())?;
/// assert_eq!(result.report.expect("a report").pv[0].to_string(), "5f5e");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`ThreadPool::set_evaluator`]: crate::search::ThreadPool::set_evaluator
pub trait Evaluate: Send + Sync {
    /// Score of a position for the side to move, in centipawns. The same position must have the same score: the search
    /// keeps scores in its table. What is larger than [`Score::MAX_EVAL`] counts as that.
    ///
    /// The position is that of the search, with the moves that led to it. It is not asked of positions in check, except
    /// at the end of the longest lines.
    fn evaluate(&self, position: &Position) -> Score;
}

impl<F: Fn(&Position) -> Score + Send + Sync> Evaluate for F {
    fn evaluate(&self, position: &Position) -> Score {
        self(position)
    }
}

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
        self.pos = pos;
        self.made = 0;
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
