//! Symmetric matrices as a rating list needs them: a sum of squares, inverted.

use std::ops::Index;

/// A symmetric matrix, row after row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Symmetric {
    size: usize,
    cells: Vec<f64>,
}

/// The sum of products, as long as both go.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Index<(usize, usize)> for Symmetric {
    type Output = f64;

    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.cells[row * self.size + column]
    }
}

impl Symmetric {
    fn of(size: usize, cell: impl Fn(usize, usize) -> f64) -> Symmetric {
        Symmetric { size, cells: (0..size * size).map(|at| cell(at / size, at % size)).collect() }
    }

    /// The value on the diagonal, zeros elsewhere.
    pub(super) fn diagonal(size: usize, value: f64) -> Symmetric {
        Symmetric::of(size, |row, column| if row == column { value } else { 0.0 })
    }

    /// Adds `weight` times `v vᵀ` for a vector `v` of which these are the entries that are not 0, with their places.
    pub(super) fn add_square(&mut self, vector: &[(usize, f64)], weight: f64) {
        for &(row, a) in vector {
            for &(column, b) in vector {
                self.cells[row * self.size + column] += weight * a * b;
            }
        }
    }

    pub(super) fn scaled(&self, factor: f64) -> Symmetric {
        Symmetric { size: self.size, cells: self.cells.iter().map(|cell| cell * factor).collect() }
    }

    pub(super) fn times(&self, vector: &[f64]) -> Vec<f64> {
        self.cells.chunks(self.size).map(|row| dot(row, vector)).collect()
    }

    /// The covariance of values less their sum with these weights; of what has no weight it tells nothing.
    pub(super) fn shifted(&self, weights: &[f64]) -> Symmetric {
        let with_origin: Vec<f64> = self.cells.chunks(self.size).map(|row| dot(row, weights)).collect();
        let of_origin = dot(&with_origin, weights);
        Symmetric::of(weights.len(), |a, b| self[(a, b)] - with_origin[a] - with_origin[b] + of_origin)
    }

    /// `self inner self`.
    pub(super) fn around(&self, inner: &Symmetric) -> Symmetric {
        // The rows of `inner self`: as both are symmetric, its columns are `inner` times the rows of `self`.
        let columns: Vec<Vec<f64>> = self.cells.chunks(self.size).map(|row| inner.times(row)).collect();
        let product: Vec<Vec<f64>> = columns.iter().map(|column| self.times(column)).collect();
        Symmetric::of(self.size, |row, column| product[column][row])
    }

    /// The inverse by Cholesky's decomposition `L Lᵀ`. Nothing unless the matrix is positive definite.
    pub(super) fn inverse(&self) -> Option<Symmetric> {
        let size = self.size;
        let mut lower = vec![vec![0.0; size]; size];
        for row in 0..size {
            for column in 0..=row {
                let known: f64 = (0..column).map(|k| lower[row][k] * lower[column][k]).sum();
                let rest = self[(row, column)] - known;
                lower[row][column] = match row == column {
                    // Not a number is refused as well.
                    true if rest > 0.0 => rest.sqrt(),
                    true => return None,
                    false => rest / lower[column][column],
                };
            }
        }
        // Each column of the inverse of `L`, then their products: `(L Lᵀ)⁻¹ = L⁻ᵀ L⁻¹`.
        let mut inverse: Vec<Vec<f64>> = vec![vec![0.0; size]; size];
        for (column, entries) in inverse.iter_mut().enumerate() {
            for row in column..size {
                let known: f64 = (column..row).map(|k| lower[row][k] * entries[k]).sum();
                entries[row] = (f64::from(row == column) - known) / lower[row][row];
            }
        }
        let product = |a: usize, b: usize| (a.max(b)..size).map(|k| inverse[a][k] * inverse[b][k]).sum();
        Some(Symmetric::of(size, product))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use komainu::random::SplitMix64;

    /// A sum of squares of random vectors, and a little on the diagonal: positive definite.
    fn random(size: usize, seed: u64) -> Symmetric {
        let mut random = SplitMix64(seed);
        let mut matrix = Symmetric::diagonal(size, 0.01);
        for _ in 0..2 * size {
            let vector: Vec<(usize, f64)> = (0..size).map(|at| (at, random.below(2_001) as f64 / 1e3 - 1.0)).collect();
            matrix.add_square(&vector, 0.5);
        }
        matrix
    }

    #[test]
    fn a_matrix_times_its_inverse_is_the_identity() {
        for (seed, size) in (1..).zip([1, 2, 3, 7, 40]) {
            let matrix = random(size, seed);
            let inverse = matrix.inverse().unwrap();
            for column in 0..size {
                let unit: Vec<f64> = (0..size).map(|row| f64::from(row == column)).collect();
                let back = matrix.times(&inverse.times(&unit));
                assert!(back.iter().zip(&unit).all(|(a, b)| (a - b).abs() < 1e-8), "{size}: {back:?}");
            }
        }
    }

    #[test]
    fn a_matrix_around_another_is_the_product_of_three() {
        let (outer, inner) = (random(6, 1), random(6, 2));
        let product = outer.around(&inner);
        for row in 0..6 {
            for column in 0..6 {
                let terms = (0..36).map(|at| (at / 6, at % 6));
                let sum: f64 = terms.map(|(a, b)| outer[(row, a)] * inner[(a, b)] * outer[(b, column)]).sum();
                assert!((product[(row, column)] - sum).abs() < 1e-9, "{row}, {column}");
            }
        }
        let twice = outer.scaled(2.0);
        assert!(outer.cells.iter().zip(&twice.cells).all(|(one, two)| 2.0 * one == *two));
    }

    #[test]
    fn what_is_not_positive_definite_has_no_inverse() {
        let mut flat = Symmetric::diagonal(2, 0.0);
        flat.add_square(&[(0, 1.0), (1, 1.0)], 1.0);
        assert_eq!(flat.inverse(), None);
        assert_eq!(Symmetric::diagonal(3, -1.0).inverse(), None);
        assert_eq!(Symmetric::diagonal(3, f64::NAN).inverse(), None);
        assert_eq!(Symmetric::diagonal(1, 4.0).inverse(), Some(Symmetric::diagonal(1, 0.25)));
    }
}
