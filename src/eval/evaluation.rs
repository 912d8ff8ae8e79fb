//! The evaluation that the user has chosen, and the static evaluation of a position by it.

use super::nnue::{EMBEDDED_FV_SCALE, Net, Nnue, embedded};
use crate::position::Position;
use crate::types::Score;
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
