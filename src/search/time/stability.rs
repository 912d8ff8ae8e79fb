//! Stability of the best move over the iterations, and the time that the move is worth by it.
//!
//! After each iteration four things are known: how long the best move has stood, how often it has changed lately,
//! whether the score falls, and how much of the work went into the best move. A move that stands firm is played sooner;
//! one in doubt gets more time (Stockfish's time management; chessprogramming wiki, "Time management").

use crate::types::{Move, Score};

/// Number of iterations back with which a score is compared.
const LOOK_BACK: usize = 4;
/// No score beyond this counts as a fall: the game is decided.
const DECIDED: i32 = 2_000;

/// The stability of the best move over the iterations of a search and from move to move of a game.
#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct BestMoveStability {
    best: Option<Move>,
    /// Iterations so far, and the one since which the best move has stood.
    iterations: usize,
    stands_since: usize,
    /// Number of changes of the best move, each counting half as much with every iteration.
    changes: f64,
    /// The scores of the last iterations, in centipawns.
    scores: [f64; LOOK_BACK],
    /// The last score.
    score: f64,
    /// The score's average of the last move of the game.
    last_average: Option<f64>,
    /// Firmness of the best move at the last move of the game, and now: 0.6 to 1.6.
    last_firmness: f64,
    firmness: f64,
    /// Share of the last search's nodes that went into the best move, 0 to 1.
    effort: f64,
}

impl Default for BestMoveStability {
    fn default() -> BestMoveStability {
        BestMoveStability {
            best: None,
            iterations: 0,
            stands_since: 0,
            changes: 0.0,
            scores: [0.0; LOOK_BACK],
            score: 0.0,
            last_average: None,
            last_firmness: 0.85,
            firmness: 0.85,
            effort: 0.0,
        }
    }
}

/// The value at `x` of the line through two points.
fn line(x: f64, (x0, y0): (f64, f64), (x1, y1): (f64, f64)) -> f64 {
    y0 + (x - x0) * (y1 - y0) / (x1 - x0)
}

fn centipawns(score: Score) -> f64 {
    f64::from(score.0.clamp(-DECIDED, DECIDED))
}

impl BestMoveStability {
    /// Begins a search; what the last move of the game taught is kept.
    pub(in crate::search) fn begin_search(&mut self) {
        *self = BestMoveStability {
            best: None,
            iterations: 0,
            stands_since: 0,
            changes: 0.0,
            scores: [self.score; LOOK_BACK],
            last_firmness: if self.iterations > 0 { self.firmness } else { self.last_firmness },
            effort: 0.0,
            ..*self
        };
    }

    /// So often, on average over the threads, a move after the first has turned out best within an iteration.
    pub(in crate::search) fn note_changes(&mut self, changes: f64) {
        self.changes += changes;
    }

    /// An iteration has ended with this best move, its score, and the share of all nodes that it took.
    pub(in crate::search) fn note(&mut self, best: Move, score: Score, effort: f64) {
        if self.best != Some(best) {
            (self.best, self.stands_since) = (Some(best), self.iterations);
        }
        self.score = centipawns(score);
        self.effort = effort;
        if self.iterations == 0 && self.last_average.is_none() {
            self.scores = [self.score; LOOK_BACK];
        }
        let stood = (self.iterations - self.stands_since) as f64;
        self.firmness = line(stood, (4.96, 0.639), (18.79, 1.712)).clamp(0.629, 1.544);
    }

    /// The iteration that was noted counts as one of the past.
    pub(in crate::search) fn end_iteration(&mut self) {
        self.scores[self.iterations % LOOK_BACK] = self.score;
        self.iterations += 1;
        self.changes /= 2.0;
    }

    /// The search has ended; the best move's scores were this on average.
    pub(in crate::search) fn end_search(&mut self, average: Score) {
        self.last_average = Some(centipawns(average));
    }

    /// Factor of its usual time that the move is worth: about 0.3 to 4.
    pub(in crate::search) fn factor(&self) -> f64 {
        if self.best.is_none() {
            return 1.0;
        }
        let earlier = self.scores[self.iterations % LOOK_BACK];
        let fall = self.last_average.map_or(f64::INFINITY, |average| 2.30 * (average - self.score));
        let falling = ((11.48 + fall + 1.1 * (earlier - self.score)) / 100.0).clamp(0.576, 1.728);
        let standing = (1.468 + self.last_firmness) / (2.284 * self.firmness);
        let instability = 1.077 + 2.229 * self.changes;
        let effort = line(self.effort, (0.758, 0.969), (1.0451, 0.714)).clamp(0.693, 0.838);
        falling * standing * instability * effort
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A search in a game whose last move had this score, with changes of mind within the iterations.
    fn stability(last: i32, moves: &[(&str, i32)], effort: f64) -> BestMoveStability {
        let mut stability = BestMoveStability::default();
        stability.end_search(Score(last));
        stability.score = f64::from(last);
        stability.begin_search();
        let mut before = None;
        for &(mv, score) in moves {
            if before.is_some_and(|before| before != mv) {
                stability.note_changes(1.0);
            }
            before = Some(mv);
            stability.note(mv.parse().unwrap(), Score(score), effort);
            stability.end_iteration();
        }
        stability
    }

    #[test]
    fn a_firm_move_takes_less_time_and_a_doubtful_one_more() {
        let firm = stability(30, &[("7g7f", 30); 16], 0.95).factor();
        let changing = stability(30, &[("7g7f", 30), ("2g2f", 31), ("7g7f", 30), ("2g2f", 33)].repeat(4), 0.4).factor();
        let falling = stability(30, &[[("7g7f", 30); 12].as_slice(), &[("7g7f", -70)]].concat(), 0.95).factor();
        assert!(firm < 0.55 && changing > 1.3 && falling > 1.5 * firm, "{firm} {changing} {falling}");
        assert_eq!(BestMoveStability::default().factor(), 1.0);
    }

    #[test]
    fn the_first_move_of_a_game_takes_its_time() {
        let mut first = BestMoveStability::default();
        first.begin_search();
        first.note("7g7f".parse().unwrap(), Score(30), 0.9);
        assert!(first.factor() > 1.5, "{first:?}");
    }

    #[test]
    fn the_factor_is_finite_whatever_happens() {
        let wild = stability(32_000, &[("7g7f", 32_000), ("2g2f", -32_000)].repeat(20), 0.0).factor();
        let calm = stability(-2_000, &[("7g7f", 32_000); 40], 1.0).factor();
        assert!(wild < 12.0 && calm > 0.1, "{wild} {calm}");
    }

    #[test]
    fn the_firmness_of_the_last_move_lasts_for_one_search() {
        let mut firm = stability(30, &[("7g7f", 30); 30], 0.9);
        firm.begin_search();
        assert_eq!(firm.last_firmness, 1.544);
        firm.begin_search();
        assert_eq!(firm.last_firmness, 1.544);
    }
}
