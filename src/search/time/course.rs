//! What the course of a search says about the time that its move is worth.
//!
//! After each iteration three things are known: whether the best move has changed lately, whether the score falls, and
//! how much of the work went into the best move. A move that stands firm is played sooner; one in doubt gets more time
//! (Stockfish's time management, by idea; chessprogramming wiki, "Time management").

use crate::types::{Move, Score};

/// The least and the most that a search's own course makes of its time.
const RANGE: (f64, f64) = (0.45, 2.2);
/// A fall of the score by this many centipawns is worth as much time again.
const FALL: f64 = 300.0;
/// No score beyond this counts as a fall: the game is decided.
const DECIDED: i32 = 2_000;

/// The course of a search, iteration by iteration.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::search) struct Course {
    best: Option<Move>,
    /// How often the best move has changed, each change counting half as much with every iteration.
    changes: f64,
    /// The scores so far, the last ones weighing most, in centipawns.
    usual: f64,
    /// By how much the last score lies below that.
    fall: f64,
    /// Share of the last search's nodes that went into the best move, 0 to 1.
    effort: f64,
}

impl Course {
    /// An iteration has ended with this best move, its score, and the share of all nodes that it took.
    pub(in crate::search) fn note(&mut self, best: Move, score: Score, effort: f64) {
        let score = f64::from(score.0.clamp(-DECIDED, DECIDED));
        self.changes /= 2.0;
        match self.best {
            None => self.usual = score,
            Some(last) => self.changes += f64::from(u8::from(last != best)),
        }
        self.best = Some(best);
        self.fall = self.usual - score;
        self.usual += (score - self.usual) / 3.0;
        self.effort = effort;
    }

    /// How many times its usual time the move is worth, within [`RANGE`].
    pub(in crate::search) fn factor(&self) -> f64 {
        if self.best.is_none() {
            return 1.0;
        }
        let falling = (1.0 + self.fall / FALL).clamp(0.75, 1.7);
        let doubt = 0.75 + 0.75 * self.changes;
        let effort = 1.4 - 0.6 * self.effort;
        (falling * doubt * effort).clamp(RANGE.0, RANGE.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(moves: &[(&str, i32)], effort: f64) -> Course {
        let mut course = Course::default();
        moves.iter().for_each(|&(mv, score)| course.note(mv.parse().unwrap(), Score(score), effort));
        course
    }

    #[test]
    fn a_firm_move_takes_less_time_and_a_doubtful_one_more() {
        let firm = course(&[("7g7f", 30); 8], 0.9).factor();
        let changing = course(&[("7g7f", 30), ("2g2f", 31), ("7g7f", 30), ("2g2f", 33)], 0.4).factor();
        let falling = course(&[("7g7f", 30), ("7g7f", 20), ("7g7f", -300)], 0.9).factor();
        assert!(firm < 0.7 && changing > 1.3 && falling > 1.0, "{firm} {changing} {falling}");
        assert_eq!(Course::default().factor(), 1.0);
    }

    #[test]
    fn the_factor_stays_within_its_range_whatever_happens() {
        let wild = course(&[("7g7f", 32_000), ("2g2f", -32_000), ("7g7f", 32_000), ("2g2f", -32_000)], 0.0).factor();
        let calm = course(&[("7g7f", -2_000), ("7g7f", 32_000)], 1.0).factor();
        assert_eq!((wild, calm), (RANGE.1, RANGE.0));
    }
}
