//! Quality of a side's play: accuracy by winning chances, and the average loss in centipawns.
//!
//! The accuracy of a move is that of lichess: 100 if it costs nothing, less the more winning chance it costs. That of a
//! side is the mean of two means of its moves: one weighted by how much was at stake, the other harmonic, which bad
//! moves pull down. It depends on the curve from scores to chances and on how deep the search was, so it is told with
//! both.

/// Accuracy and error of a side's moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// 0 to 100.
    pub value: f64,
    /// Standard error of the mean over [`Accuracy::moves`], in the same unit; `None` for a single move.
    pub error: Option<f64>,
    /// Moves that were counted.
    pub moves: usize,
}

/// The accuracy of a move that costs so much winning chance, in percentage points; 0 to 100.
pub fn accuracy_of_loss(points: f64) -> f64 {
    if points <= 0.0 {
        return 100.0;
    }
    (103.166_8 * (-0.043_544_15 * points).exp() - 3.166_9 + 1.0).clamp(0.0, 100.0)
}

/// The accuracy of moves, each with what it cost in percentage points and how much was at stake around it.
pub fn accuracy_of_moves(moves: &[(f64, f64)]) -> Option<Accuracy> {
    if moves.is_empty() {
        return None;
    }
    let single: Vec<f64> = moves.iter().map(|&(loss, _)| accuracy_of_loss(loss)).collect();
    let weights: f64 = moves.iter().map(|&(_, weight)| weight).sum();
    let weighted = single.iter().zip(moves).map(|(value, &(_, weight))| value * weight).sum::<f64>() / weights;
    let count = single.len() as f64;
    let harmonic = count / single.iter().map(|value| 1.0 / value.max(1.0)).sum::<f64>();
    let error = (single.len() > 1).then(|| standard_deviation(&single) * (count / (count - 1.0)).sqrt() / count.sqrt());
    Some(Accuracy { value: (weighted + harmonic) / 2.0, error, moves: single.len() })
}

/// Stakes at each move: the standard deviation of the chances (in percent, from black's side, one more
/// than there are moves) in a window that slides over the game, from 0.5 to 12.
pub fn volatility(chances: &[f64]) -> Vec<f64> {
    let moves = chances.len().saturating_sub(1);
    let size = (moves / 10).clamp(2, 8).min(chances.len());
    let windows: Vec<f64> =
        chances.windows(size.max(1)).map(|window| standard_deviation(window).clamp(0.5, 12.0)).collect();
    let Some(&first) = windows.first() else { return Vec::new() };
    std::iter::repeat_n(first, size.saturating_sub(2)).chain(windows).take(moves).collect()
}

fn standard_deviation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

/// Scores count up to this in an average loss, as on lishogi.
const CLAMP: i32 = 5_500;

/// The loss of a move in centipawns, its score and that of the best one held within ±5,500.
pub fn centipawn_loss(best: i32, played: i32) -> i32 {
    (best.clamp(-CLAMP, CLAMP) - played.clamp(-CLAMP, CLAMP)).max(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_accuracy_of_a_move_falls_as_lichess_has_it() {
        for (loss, expected) in [(0.0, 100.0), (5.0, 80.8), (10.0, 64.6), (20.0, 41.0), (40.0, 15.9), (60.0, 5.4)] {
            assert!((accuracy_of_loss(loss) - expected).abs() < 0.06, "{loss}: {}", accuracy_of_loss(loss));
        }
        assert_eq!(accuracy_of_loss(-3.0), 100.0);
        assert_eq!(accuracy_of_loss(100.0), 0.0);
    }

    #[test]
    fn a_side_has_the_mean_of_the_weighted_and_the_harmonic_mean() {
        let accuracy = accuracy_of_moves(&[(0.0, 1.0), (10.0, 3.0)]).unwrap();
        let low = accuracy_of_loss(10.0);
        let expected = ((100.0 + 3.0 * low) / 4.0 + 2.0 / (1.0 / 100.0 + 1.0 / low)) / 2.0;
        assert!((accuracy.value - expected).abs() < 1e-9);
        // Two values: half their difference.
        assert!((accuracy.error.unwrap() - (100.0 - low) / 2.0).abs() < 1e-9);
        assert_eq!(accuracy_of_moves(&[(3.0, 1.0)]).unwrap().error, None);
        assert_eq!(accuracy_of_moves(&[]), None);
    }

    #[test]
    fn volatility_has_a_value_for_each_move() {
        for plies in [1, 2, 3, 19, 20, 25, 90, 200] {
            let chances: Vec<f64> = (0..=plies).map(|ply| 50.0 + f64::from(ply % 7)).collect();
            let weights = volatility(&chances);
            assert_eq!(weights.len(), plies as usize);
            assert!(weights.iter().all(|weight| (0.5..=12.0).contains(weight)));
        }
        assert_eq!(volatility(&[50.0, 50.0, 90.0]), [0.5, 12.0]);
        assert_eq!(volatility(&[50.0]), [0.0; 0]);
    }

    #[test]
    fn losses_in_centipawns_are_held_within_bounds() {
        assert_eq!(centipawn_loss(100, 40), 60);
        assert_eq!(centipawn_loss(40, 100), 0);
        assert_eq!(centipawn_loss(32_000, -32_000), 11_000);
    }
}
