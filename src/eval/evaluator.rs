//! The evaluation that the user has chosen, and its state that is updated along with a position.

use super::HandCrafted;
use super::nnue::{EMBEDDED_FV_SCALE, Net, Nnue, embedded};
use crate::position::Position;
use crate::types::Score;
use std::fmt;

/// Choice of an evaluation. Cheap to clone: the parameters of a net are shared.
#[derive(Clone, Debug)]
pub enum Evaluation {
    /// The hand-crafted one.
    HandCrafted,
    /// A net and its `FV_SCALE`: the output over this number is in points of which a pawn is worth 90.
    Net(Net, i32),
}

/// The net that is built in. A program that was built with a faulty file has the hand-crafted evaluation instead.
impl Default for Evaluation {
    fn default() -> Evaluation {
        embedded().map_or(Evaluation::HandCrafted, |net| Evaluation::Net(net, EMBEDDED_FV_SCALE))
    }
}

impl Evaluation {
    /// Tests whether both give the same scores because they are one. Two copies of a file count as different.
    pub fn is_same(&self, other: &Evaluation) -> bool {
        match (self, other) {
            (Evaluation::HandCrafted, Evaluation::HandCrafted) => true,
            (Evaluation::Net(net, scale), Evaluation::Net(other, other_scale)) => {
                net.shares_parameters(other) && scale == other_scale
            }
            _ => false,
        }
    }
}

/// Name that tells evaluations apart: the same text, the same scores.
impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Evaluation::HandCrafted => f.write_str("hand-crafted"),
            Evaluation::Net(net, fv_scale) => write!(f, "net {:08x}/{fv_scale}", net.checksum()),
        }
    }
}

/// The evaluation of a position as it stands, for the side to move.
///
/// ```
/// use komainu::eval::{Evaluation, StaticEvaluation};
/// use komainu::position::Position;
///
/// let start = Position::startpos();
/// let by_hand = StaticEvaluation::of(&Evaluation::HandCrafted, &start);
/// assert_eq!(by_hand.to_string(), format!("cp {}", by_hand.score.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaticEvaluation {
    /// The score that the search starts from, in centipawns.
    pub score: Score,
    /// The output of the net as it is, before the division by `FV_SCALE`; the hand-crafted evaluation has none.
    pub raw: Option<i32>,
}

impl StaticEvaluation {
    /// The evaluation of a position.
    pub fn of(evaluation: &Evaluation, pos: &Position) -> StaticEvaluation {
        let mut evaluator = Evaluator::new(evaluation, pos);
        let raw = match &mut evaluator {
            Evaluator::HandCrafted(_) => None,
            Evaluator::Net(nnue) => Some(nnue.output(pos)),
        };
        StaticEvaluation { score: evaluator.evaluate(pos), raw }
    }
}

/// `cp N raw M`, or `cp N` where there is no net.
impl fmt::Display for StaticEvaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cp {}", self.score.0)?;
        self.raw.map_or(Ok(()), |raw| write!(f, " raw {raw}"))
    }
}

/// An evaluation that is kept along with a position; matched once a move and once an evaluation.
///
/// ```
/// use komainu::eval::{Evaluation, Evaluator};
/// use komainu::position::{Handicap, Position};
///
/// let start = Position::startpos();
/// let mut evaluator = Evaluator::new(&Evaluation::HandCrafted, &start);
/// let even = evaluator.evaluate(&start);
/// // White gives a bishop and is to move.
/// let handicap = Position::from_sfen(Handicap::Bishop.sfen())?;
/// evaluator.reset(&handicap);
/// assert!(evaluator.evaluate(&handicap) < even);
/// # Ok::<(), komainu::position::SfenError>(())
/// ```
#[derive(Clone, Debug)]
pub enum Evaluator {
    /// By hand-crafted features.
    HandCrafted(Box<HandCrafted>),
    /// By a net.
    Net(Box<Nnue>),
}

impl Evaluator {
    /// The evaluation of a position, to be updated along with it.
    pub fn new(evaluation: &Evaluation, pos: &Position) -> Evaluator {
        match evaluation {
            Evaluation::HandCrafted => Evaluator::HandCrafted(Box::new(HandCrafted::new(pos))),
            Evaluation::Net(net, fv_scale) => Evaluator::Net(Box::new(Nnue::new(net, pos).with_fv_scale(*fv_scale))),
        }
    }

    /// Goes on from another position.
    pub fn reset(&mut self, pos: &Position) {
        match self {
            Evaluator::HandCrafted(eval) => **eval = HandCrafted::new(pos),
            Evaluator::Net(eval) => eval.reset(pos),
        }
    }

    /// The score for the side to move, in centipawns. `pos` must be the position that the moves have led to.
    #[inline(always)]
    pub fn evaluate(&mut self, pos: &Position) -> Score {
        match self {
            Evaluator::HandCrafted(eval) => eval.evaluate(pos),
            Evaluator::Net(eval) => eval.evaluate(pos),
        }
    }

    /// Returns to where the position stood before the last move.
    #[inline(always)]
    pub fn pop(&mut self) {
        match self {
            Evaluator::HandCrafted(eval) => eval.pop(),
            Evaluator::Net(eval) => eval.pop(),
        }
    }
}
