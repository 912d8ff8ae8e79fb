//! The rating of a player by games against opponents whose ratings are known.

use super::{Z95, score_of_elo};

/// A game against an opponent of known rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatedGame {
    pub opponent: f64,
    /// The points made: 0, 1/2 or 1.
    pub points: f64,
}

/// A rating by games, with its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Performance {
    pub rating: f64,
    /// Half of the 95 % interval.
    pub error: f64,
}

impl Performance {
    /// The most likely rating on a logistic scale of which `tenfold` points make odds of ten to one (400 for Elo);
    /// `None` without a game. A draw with an opponent of the mean rating is added to the games: without it wins alone
    /// would have no end.
    ///
    /// ```
    /// use komainu_tools::arena::stats::{Performance, RatedGame};
    ///
    /// let games = [1.0, 1.0, 1.0, 0.0].map(|points| RatedGame { opponent: 1_500.0, points });
    /// let performance = Performance::of(&games, 400.0).unwrap();
    /// // 3.5 points of 5 games, the added draw included.
    /// assert_eq!(performance.rating.round(), 1_647.0);
    /// assert!(Performance::of(&[], 400.0).is_none());
    /// ```
    pub fn of(games: &[RatedGame], tenfold: f64) -> Option<Performance> {
        if games.is_empty() {
            return None;
        }
        let mean = games.iter().map(|game| game.opponent).sum::<f64>() / games.len() as f64;
        let games: Vec<RatedGame> = games.iter().copied().chain([RatedGame { opponent: mean, points: 0.5 }]).collect();
        let expected = |rating: f64, game: &RatedGame| score_of_elo((rating - game.opponent) * 400.0 / tenfold);
        let surplus = |rating| games.iter().map(|game| game.points - expected(rating, game)).sum::<f64>();
        // The surplus falls with the rating: halve the interval around its zero.
        let (mut low, mut high) = (mean - 100.0 * tenfold, mean + 100.0 * tenfold);
        for _ in 0..100 {
            let middle = (low + high) / 2.0;
            if surplus(middle) > 0.0 { low = middle } else { high = middle }
        }
        let variance = |game: &RatedGame| expected(low, game) * (1.0 - expected(low, game));
        let slope = std::f64::consts::LN_10 / tenfold;
        let error = Z95 / (slope * games.iter().map(variance).sum::<f64>().sqrt());
        Some(Performance { rating: low, error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rating_is_where_the_points_are_those_expected() {
        let of = |games: &[(f64, f64)]| {
            let games: Vec<_> = games.iter().map(|&(opponent, points)| RatedGame { opponent, points }).collect();
            Performance::of(&games, 430.0).unwrap()
        };
        assert_eq!(of(&[(700.0, 0.5), (500.0, 0.5)]).rating.round(), 600.0);
        // Ten to one and the added draw: 20.5 of 23.
        let many: Vec<_> = (0..22).map(|i| (600.0, f64::from(i % 11 > 0))).collect();
        assert!((of(&many).rating - (600.0 + 430.0 * (20.5_f64 / 2.5).log10())).abs() < 0.01);
        // Four times the games, half of the error, as far as the added draw allows.
        let four: Vec<_> = many.iter().cycle().take(88).copied().collect();
        let ratio = of(&many).error / of(&four).error;
        assert!((1.7..2.1).contains(&ratio), "{ratio}");
        // Wins alone have an end.
        assert!(of(&[(600.0, 1.0); 30]).rating < 2_000.0);
    }
}
