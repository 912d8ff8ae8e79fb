//! Scores.

use std::ops::{Add, Neg, Sub};

/// A score in centipawns (pawn = 100) from the side to move's view; a mate in `n` plies is `32000 - n`.
///
/// | size | meaning |
/// | --- | --- |
/// | 0 to 14,000 | an evaluation |
/// | about 15,000 | the same board with better hands: a *superior* repetition |
/// | about 30,999 | the opponent gives perpetual check |
/// | above 30,999 | mate |
///
/// All but evaluations are *decisive*: they count plies from the root, and are neither averaged nor learnt from.
///
/// ```
/// use komainu::types::Score;
///
/// let score = Score::mate_in(3);
/// assert_eq!((score.0, score.mate_plies()), (31_997, Some(3)));
/// assert_eq!((-score).mate_plies(), Some(-3));
/// assert!(score.is_win() && !Score(14_000).is_decisive());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Score(pub i32);

impl Score {
    /// A draw, before the user's draw value is added.
    pub const DRAW: Score = Score(0);
    /// Mate at the root; a mate in `n` plies is this minus `n`.
    pub const MATE: Score = Score(32_000);
    /// Larger than every score.
    pub const INFINITE: Score = Score(32_001);
    /// The longest mate that can be told apart from an evaluation, in plies.
    pub const MAX_MATE_PLY: i32 = 1_000;
    /// The largest score that is not a mate.
    pub const MAX_NON_MATE: Score = Score(Score::MATE.0 - Score::MAX_MATE_PLY - 1);
    /// The largest evaluation: what lies beyond is decisive.
    pub const MAX_EVAL: Score = Score(14_000);
    /// The opponent's perpetual check ends the game at the root; in `n` plies it is worth this minus `n`.
    pub const REPETITION_WIN: Score = Score::MAX_NON_MATE;
    /// A *superior* repetition at the root: the board has come back with more in hand and less in the opponent's; in
    /// `n` plies it is worth this minus `n`.
    pub const SUPERIOR: Score = Score(15_000);

    /// The side to move mates `ply` plies from the root.
    #[inline]
    pub const fn mate_in(ply: usize) -> Score {
        Score(Score::MATE.0 - ply as i32)
    }

    /// The side to move is mated `ply` plies from the root.
    #[inline]
    pub const fn mated_in(ply: usize) -> Score {
        Score(ply as i32 - Score::MATE.0)
    }

    /// Tests whether this is a mate for either side.
    #[inline]
    pub const fn is_mate(self) -> bool {
        self.0.abs() > Score::MAX_NON_MATE.0
    }

    /// Tests whether the game is won or lost as far as the search can see: a mate or a repetition that decides.
    #[inline]
    pub const fn is_decisive(self) -> bool {
        self.0.abs() > Score::MAX_EVAL.0
    }

    /// Tests whether this is decisive for the side to move.
    #[inline]
    pub const fn is_win(self) -> bool {
        self.0 > Score::MAX_EVAL.0
    }

    /// Tests whether this is decisive for the opponent.
    #[inline]
    pub const fn is_loss(self) -> bool {
        self.0 < -Score::MAX_EVAL.0
    }

    /// Plies to the mate, positive if the side to move gives it, if this is a mate score.
    pub const fn mate_plies(self) -> Option<i32> {
        if !self.is_mate() {
            None
        } else if self.0 > 0 {
            Some(Score::MATE.0 - self.0)
        } else {
            Some(-Score::MATE.0 - self.0)
        }
    }

    /// Tests whether this is a superior repetition for either side.
    pub const fn is_superior(self) -> bool {
        self.is_decisive() && self.0.abs() <= Score::SUPERIOR.0
    }

    /// The score held within the range of evaluations.
    #[inline]
    pub fn clamp_eval(self) -> Score {
        Score(self.0.clamp(-Score::MAX_EVAL.0, Score::MAX_EVAL.0))
    }
}

impl Neg for Score {
    type Output = Score;
    #[inline]
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl Add<i32> for Score {
    type Output = Score;
    #[inline]
    fn add(self, other: i32) -> Score {
        Score(self.0 + other)
    }
}

impl Sub<i32> for Score {
    type Output = Score;
    #[inline]
    fn sub(self, other: i32) -> Score {
        Score(self.0 - other)
    }
}
