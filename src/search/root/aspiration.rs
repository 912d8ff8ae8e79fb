//! Aspiration windows: a search of the root asks about the scores near those of the last iterations first.

use crate::search::bound::Bound;
use crate::search::params::{aspiration_delta, aspiration_square_divisor};
use crate::search::tree::node::Window;
use crate::search::tree::root_move::RootMove;
use crate::types::Score;

/// Searches of an iteration for one place of the order; the moves before that place are left out. The window lies
/// around the mean of the last scores and widens until the score lies inside.
pub(super) struct Aspiration {
    /// Place of the order that is searched for.
    pub(super) place: usize,
    /// Window of the next search.
    pub(super) window: Window,
    /// A score lay inside the window.
    pub(super) is_over: bool,
    /// By how much the window widens next.
    delta: i32,
    /// Number of searches in a row whose score lay above the window.
    highs: i32,
}

impl Aspiration {
    /// The searches for the place of a move by the worker with this number: each of eight has another window.
    pub(super) fn new(place: usize, root: &RootMove, worker: usize) -> Aspiration {
        let delta = aspiration_delta() + (worker % 8) as i32 + root.mean_square.abs() / aspiration_square_divisor();
        let window = root.average.map_or(Window::FULL, |average| Window::around(average, delta));
        Aspiration { place, window, is_over: false, delta, highs: 0 }
    }

    /// Depth of the next search of an iteration.
    pub(super) fn depth(&self, root_depth: usize) -> i32 {
        (root_depth as i32 - self.highs).max(1)
    }

    /// Widens the window on the side on which the score lies. Returns the bound that the score is.
    pub(super) fn adjust(&mut self, score: Score) -> Bound {
        let Window { alpha, beta } = self.window;
        let bound = self.window.bound_of(score);
        match bound {
            Bound::UPPER => {
                self.window = Window { alpha: (score - self.delta).max(-Score::INFINITE), beta: alpha };
                self.highs = 0;
            }
            Bound::LOWER => {
                let alpha = (beta - self.delta).max(alpha);
                self.window = Window { alpha, beta: (score + self.delta).min(Score::INFINITE) };
                // The score of a later line is not one to act on but to compare: it is searched as deep as the first.
                self.highs += i32::from(self.place == 0);
            }
            _ => self.is_over = true,
        }
        self.delta += self.delta / 3;
        bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The searches for a place whose move has the mean score 100.
    fn aspiration(place: usize) -> Aspiration {
        let mut root = RootMove::new("7g7f".parse().unwrap());
        root.note(Score(100), 1);
        Aspiration::new(place, &root, 0)
    }

    #[test]
    fn the_first_window_lies_around_the_mean_and_is_wider_for_wilder_scores_and_other_workers() {
        let calm = aspiration(0).window;
        assert_eq!((calm.alpha.0 + calm.beta.0) / 2, 100);
        let mut wild = RootMove::new("7g7f".parse().unwrap());
        wild.note(Score(2_000), 1);
        assert!(Aspiration::new(0, &wild, 0).window.width() > calm.width());
        assert!(Aspiration::new(0, &wild, 3).window.width() > Aspiration::new(0, &wild, 8).window.width());
        let unknown = RootMove::new("7g7f".parse().unwrap());
        assert_eq!(Aspiration::new(0, &unknown, 0).window, Window::FULL);
    }

    #[test]
    fn only_the_first_line_is_searched_less_deep_when_it_is_above_its_window() {
        for place in [0, 1] {
            let mut aspiration = aspiration(place);
            let depths: Vec<i32> = (0..4)
                .map(|_| {
                    assert_eq!(aspiration.adjust(aspiration.window.beta), Bound::LOWER);
                    aspiration.depth(3)
                })
                .collect();
            assert_eq!(depths, if place == 0 { [2, 1, 1, 1] } else { [3; 4] });
            // Below its window the score is searched for as deep as ever.
            assert_eq!(aspiration.adjust(aspiration.window.alpha), Bound::UPPER);
            assert_eq!((aspiration.depth(3), aspiration.is_over), (3, false));
        }
    }

    #[test]
    fn a_window_that_is_missed_again_and_again_opens_to_all_scores_on_that_side() {
        let mut low = aspiration(0);
        while low.window.alpha > -Score::INFINITE {
            let alpha = low.window.alpha;
            assert_eq!(low.adjust((alpha - 50).max(-Score::INFINITE)), Bound::UPPER);
            assert!(low.window.beta == alpha && low.window.alpha < alpha);
        }
        assert_eq!(low.adjust(-Score::INFINITE + 1), Bound::EXACT);
        assert!(low.is_over);
        let mut high = aspiration(0);
        while high.window.beta < Score::INFINITE {
            let beta = high.window.beta;
            assert_eq!(high.adjust(beta), Bound::LOWER);
            assert!(high.window.beta > beta && high.window.alpha < beta);
        }
        assert_eq!(high.adjust(Score::INFINITE - 1), Bound::EXACT);
    }
}
