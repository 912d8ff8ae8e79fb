//! A table of few weights, fitted to the results of games: what the scores of a search miss.
//!
//! A net of many weights learns the results of some ten thousand games by heart. Here the chance to win is the logistic
//! curve of a position's score, as the search gave it, and of a weighted sum of [`features`] on top of it, of which
//! there are some two hundred; they show what results know and scores do not. The weights are the likeliest for the
//! results under a prior of normally distributed ones, found by Newton's method (iteratively reweighted least squares,
//! as in every textbook of logistic regression). The positions of a game share one result, so a game counts as one
//! observation against the prior, however long it is.

pub mod features;

use super::games::Game;
use super::records::{Record, visit_records};
use super::win_rate::WinRates;
use crate::position::Position;
use crate::random::Random;
use crate::training::filter::PositionFilter;
use features::{FEATURES, difference};
use rayon::prelude::*;
use std::convert::Infallible;

/// Weights of a fit: those of the features, and at the end that of the move.
pub const WEIGHTS: usize = FEATURES + 1;
/// Rows whose sums one thread takes; their order does not depend on the number of threads.
const CHUNK: usize = 1 << 14;
const MAX_STEPS: usize = 30;
/// A step is the last one if no weight moves by more than this.
const SMALL: f64 = 1e-6;

/// Positions of games with their features.
#[derive(Debug, Default)]
pub struct FitData {
    rows: Vec<Row>,
    /// The features of all rows that are not zero, with their numbers.
    cells: Vec<(u8, i8)>,
    games: u64,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    /// Where its cells end.
    end: usize,
    game: u64,
    /// Centipawns for the side to move.
    score: i16,
    /// 1 a win, 0 a draw, -1 a loss.
    result: i8,
}

/// Settings of a fit.
#[derive(Clone, Copy, Debug)]
pub struct FitSettings {
    /// The standard deviation of the prior of the weights, in centipawns.
    pub spread: f64,
    /// One game in this many is held out.
    pub held_out: usize,
    /// Which games are held out.
    pub seed: u64,
}

/// A table, and what it foretells.
#[derive(Clone, Debug)]
pub struct Fit {
    /// Centipawns at which a side wins 73 of 100 games, before any weight.
    pub scale: f64,
    /// Centipawns for each feature, and for the move.
    pub weights: Vec<f64>,
    /// Errors of the weights that follow from the curvature, in centipawns.
    pub errors: Vec<f64>,
    pub held_out: HeldOut,
}

/// Mean cross entropies of the results of games that were held out.
#[derive(Clone, Copy, Debug)]
pub struct HeldOut {
    pub positions: usize,
    pub games: usize,
    /// Of the scores alone.
    pub scores: f64,
    /// Of scores and table.
    pub table: f64,
    /// Standard error of the difference, over the games.
    pub error: f64,
}

impl FitData {
    /// Takes the positions of a game that the filter passes.
    pub fn add(&mut self, game: &Game, filter: &mut PositionFilter) {
        filter.begin_game(self.games);
        let visited = visit_records(game, |record, pos, next| {
            if let Ok(kept) = filter.pass(record, pos, next) {
                match kept.position == record.position {
                    true => self.push(&kept, pos),
                    // The one after the best move.
                    false => self.push(&kept, &kept.unpack().expect("the filter has packed it")),
                }
            }
            Ok::<(), Infallible>(())
        });
        let Ok(()) = visited;
        self.games += 1;
    }

    fn push(&mut self, record: &Record, pos: &Position) {
        let counts = difference(pos);
        let cells = counts.iter().enumerate().filter(|(_, count)| **count != 0);
        self.cells.extend(cells.map(|(i, &count)| (i as u8, count)));
        self.rows.push(Row { end: self.cells.len(), game: self.games, score: record.score, result: record.result });
    }

    /// Number of positions.
    pub fn positions(&self) -> usize {
        self.rows.len()
    }

    /// Number of games.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// The table that these results make likeliest; `None` without any score to begin with, or any game held out.
    pub fn fit(&self, settings: &FitSettings) -> Option<Fit> {
        let is_held = |game| Random::new(settings.seed, game).below(settings.held_out) == 0;
        let held: Vec<bool> = (0..self.games).map(is_held).collect();
        let mut rates = WinRates::default();
        let shown = || (0..self.rows.len()).filter(|&i| !held[self.rows[i].game as usize]);
        shown().for_each(|i| rates.add(self.rows[i].score, self.rows[i].result));
        let scale = f64::from(rates.scale()?);
        let rows: Vec<usize> = shown().collect();
        if rows.len() == self.rows.len() {
            return None;
        }
        let games = held.iter().filter(|held| !**held).count();
        let weight = games as f64 / rows.len() as f64;
        let problem = Problem { data: self, rows, scale, weight, ridge: (scale / settings.spread).powi(2) };
        let (weights, curvature) = problem.solve();
        let variances = curvature.inverse_diagonal();
        let held_out = self.held_out(&held, scale, &weights);
        let errors = variances.iter().map(|variance| variance.sqrt() * scale).collect();
        Some(Fit { scale, weights: weights.iter().map(|weight| weight * scale).collect(), errors, held_out })
    }

    fn cells_of(&self, row: usize) -> &[(u8, i8)] {
        let begin = if row == 0 { 0 } else { self.rows[row - 1].end };
        &self.cells[begin..self.rows[row].end]
    }

    /// The chance's logit that scores and weights give.
    fn logit(&self, row: usize, scale: f64, weights: &[f64]) -> f64 {
        let table: f64 = self.cells_of(row).iter().map(|&(i, count)| weights[i as usize] * f64::from(count)).sum();
        f64::from(self.rows[row].score) / scale + table + weights[FEATURES]
    }

    /// Cross entropy of the result of a row under a logit.
    fn loss(&self, row: usize, logit: f64) -> f64 {
        let result = self.rows[row].points();
        // ln(1 + e^x), without an overflow.
        logit.max(0.0) + (-logit.abs()).exp().ln_1p() - result * logit
    }

    fn held_out(&self, held: &[bool], scale: f64, weights: &[f64]) -> HeldOut {
        let nothing = [0.0; WEIGHTS];
        // Positions and both losses of each game.
        let mut sums = vec![[0.0; 3]; held.len()];
        for (i, row) in self.rows.iter().enumerate().filter(|(_, row)| held[row.game as usize]) {
            let losses = [&nothing[..], weights].map(|weights| self.loss(i, self.logit(i, scale, weights)));
            let sum = &mut sums[row.game as usize];
            *sum = [sum[0] + 1.0, sum[1] + losses[0], sum[2] + losses[1]];
        }
        let all = sums.iter().fold([0.0; 3], |all, sum| [0, 1, 2].map(|i| all[i] + sum[i]));
        let [scores, table] = [all[1] / all[0], all[2] / all[0]];
        let misses = sums.iter().map(|sum| (sum[2] - sum[1] - (table - scores) * sum[0]).powi(2));
        HeldOut {
            positions: all[0] as usize,
            games: sums.iter().filter(|sum| sum[0] > 0.0).count(),
            scores,
            table,
            error: misses.sum::<f64>().sqrt() / all[0],
        }
    }
}

impl Row {
    /// Points for the side to move: 1, 1/2 or 0.
    fn points(self) -> f64 {
        (f64::from(self.result) + 1.0) / 2.0
    }
}

/// The rows that a fit sees. What it lowers is the cross entropy of their results, times `weight`, and half the squares
/// of the weights, times `ridge`.
struct Problem<'a> {
    data: &'a FitData,
    rows: Vec<usize>,
    scale: f64,
    weight: f64,
    ridge: f64,
}

impl Problem<'_> {
    /// Gradient and second derivatives.
    fn derivatives(&self, weights: &[f64]) -> (Vec<f64>, Matrix) {
        let of_chunk = |rows: &[usize]| {
            let (mut gradient, mut curvature) = (vec![0.0; WEIGHTS], Matrix::zero(WEIGHTS));
            let mut cells = Vec::new();
            for &row in rows {
                let chance = 1.0 / (1.0 + (-self.data.logit(row, self.scale, weights)).exp());
                let miss = chance - self.data.rows[row].points();
                cells.clear();
                let counts = self.data.cells_of(row).iter();
                cells.extend(counts.map(|&(i, count)| (i as usize, f64::from(count))).chain([(FEATURES, 1.0)]));
                for (n, &(i, count)) in cells.iter().enumerate() {
                    gradient[i] += miss * count;
                    let factor = chance * (1.0 - chance) * count;
                    // Cells come in the order of their numbers: the lower half.
                    cells[..=n].iter().for_each(|&(j, other)| curvature.cells[i * WEIGHTS + j] += factor * other);
                }
            }
            (gradient, curvature)
        };
        let chunks: Vec<_> = self.rows.par_chunks(CHUNK).map(of_chunk).collect();
        let mut gradient: Vec<f64> = weights.iter().map(|weight| self.ridge * weight).collect();
        let mut curvature = Matrix::zero(WEIGHTS);
        for (part, square) in &chunks {
            gradient.iter_mut().zip(part).for_each(|(sum, part)| *sum += self.weight * part);
            curvature.cells.iter_mut().zip(&square.cells).for_each(|(sum, part)| *sum += self.weight * part);
        }
        (0..WEIGHTS).for_each(|i| curvature.cells[i * WEIGHTS + i] += self.ridge);
        (gradient, curvature)
    }

    /// The weights at the minimum, and the factor of the second derivatives there.
    fn solve(&self) -> (Vec<f64>, Factor) {
        let mut weights = vec![0.0; WEIGHTS];
        for step in 1.. {
            let (gradient, curvature) = self.derivatives(&weights);
            let factor = curvature.factor();
            let change = factor.solve(&gradient);
            weights.iter_mut().zip(&change).for_each(|(weight, change)| *weight -= change);
            if step == MAX_STEPS || change.iter().all(|change| change.abs() < SMALL) {
                return (weights, factor);
            }
        }
        unreachable!("the last step returns")
    }
}

/// A symmetric matrix, of which the lower half counts.
#[derive(Clone, Debug)]
struct Matrix {
    size: usize,
    cells: Vec<f64>,
}

/// The lower triangle whose product with its transpose is a matrix (Cholesky).
#[derive(Clone, Debug)]
struct Factor(Matrix);

impl Matrix {
    fn zero(size: usize) -> Matrix {
        Matrix { size, cells: vec![0.0; size * size] }
    }

    /// The factor of a positive definite matrix.
    fn factor(mut self) -> Factor {
        let n = self.size;
        for i in 0..n {
            for j in 0..=i {
                let (row, column) = (i * n, j * n);
                let known: f64 = (0..j).map(|k| self.cells[row + k] * self.cells[column + k]).sum();
                let left = self.cells[row + j] - known;
                self.cells[row + j] = if i == j { left.sqrt() } else { left / self.cells[column + j] };
            }
        }
        Factor(self)
    }
}

impl Factor {
    /// The solution of the linear equations with this right side.
    fn solve(&self, right: &[f64]) -> Vec<f64> {
        let (n, cells) = (self.0.size, &self.0.cells);
        let mut x = right.to_vec();
        for i in 0..n {
            let known: f64 = (0..i).map(|k| cells[i * n + k] * x[k]).sum();
            x[i] = (x[i] - known) / cells[i * n + i];
        }
        for i in (0..n).rev() {
            let known: f64 = (i + 1..n).map(|k| cells[k * n + i] * x[k]).sum();
            x[i] = (x[i] - known) / cells[i * n + i];
        }
        x
    }

    /// The diagonal of the inverse of the matrix.
    fn inverse_diagonal(&self) -> Vec<f64> {
        let unit = |i| (0..self.0.size).map(|k| f64::from(u8::from(k == i))).collect::<Vec<_>>();
        (0..self.0.size).map(|i| self.solve(&unit(i))[i]).collect()
    }
}

#[cfg(test)]
mod tests;
