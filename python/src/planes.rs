//! Batches for the nets of dlshogi: planes and labels of positions and moves.

use crate::arrays::{array, visit};
use crate::errors::bad_value;
use komainu::position::Position;
use komainu_tools::training::dlshogi::{BOARD_PLANES, HAND_PLANES, board_planes, hand_planes, label};
use pyo3::prelude::*;

/// The planes of positions by what is 1 in them: squares of the planes of boards, and whole planes of hands, as bytes of int64.
#[derive(Default)]
struct Planes {
    count: usize,
    board: Vec<u8>,
    hands: Vec<u8>,
}

impl Planes {
    fn push(&mut self, pos: &Position) {
        for (plane, squares) in board_planes(pos).into_iter().enumerate() {
            let first = 81 * (BOARD_PLANES * self.count + plane);
            for square in squares {
                self.board.extend(((first + square.index()) as i64).to_le_bytes());
            }
        }
        for (plane, is_one) in hand_planes(pos).into_iter().enumerate() {
            if is_one {
                self.hands.extend(((HAND_PLANES * self.count + plane) as i64).to_le_bytes());
            }
        }
        self.count += 1;
    }

    /// The array of the boards, (n, 62, 9, 9), and that of the hands, (n, 57, 9, 9).
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, PyAny>; 2]> {
        let board = zeros_and_ones(py, (81 * BOARD_PLANES * self.count,), &self.board)?;
        let hands = zeros_and_ones(py, (HAND_PLANES * self.count, 81), &self.hands)?;
        Ok([
            board.call_method1("reshape", ((self.count, BOARD_PLANES, 9, 9),))?,
            hands.call_method1("reshape", ((self.count, HAND_PLANES, 9, 9),))?,
        ])
    }
}

/// An array of float32 that is 1 at these places of its first axis and 0 elsewhere.
fn zeros_and_ones<'py>(py: Python<'py>, shape: impl IntoPyObject<'py>, ones: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let made = py.import("numpy")?.call_method1("zeros", (shape, "<f4"))?;
    made.set_item(array(py, ones, "<i8", (-1,))?, 1.0)?;
    Ok(made)
}

/// The planes of one position.
pub(crate) fn planes_of<'py>(py: Python<'py>, pos: &Position) -> PyResult<[Bound<'py, PyAny>; 2]> {
    let mut made = Planes::default();
    made.push(pos);
    let [board, hands] = made.arrays(py)?;
    Ok([board.get_item(0)?, hands.get_item(0)?])
}

/// The planes of records of a kind.
#[pyfunction]
pub(crate) fn planes<'py>(
    py: Python<'py>,
    kind: &str,
    records: &Bound<'py, PyAny>,
) -> PyResult<[Bound<'py, PyAny>; 2]> {
    let mut made = Planes::default();
    visit(py, kind, records, |_, pos, _| {
        made.push(pos);
        Ok(())
    })?;
    made.arrays(py)
}

/// The labels of the moves of records of a kind.
#[pyfunction]
pub(crate) fn labels<'py>(py: Python<'py>, kind: &str, records: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let mut labels = Vec::new();
    visit(py, kind, records, |number, pos, mv| {
        let found = mv.and_then(|mv| label(mv, pos.side()));
        let found = found.ok_or_else(|| bad_value(format_args!("record {number}: it has no move")))?;
        labels.extend((found as i64).to_le_bytes());
        Ok(())
    })?;
    array(py, &labels, "<i8", (-1,))
}
