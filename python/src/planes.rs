//! Batches for the nets of dlshogi: planes and labels of positions and moves.

use crate::arrays::{array, visit};
use crate::errors::bad_value;
use komainu::position::Position;
use komainu_tools::training::dlshogi::{BOARD_PLANES, HAND_PLANES, label, visit_inputs};
use pyo3::prelude::*;

/// The planes of positions as bytes of float32: of the boards, and of the hands.
#[derive(Default)]
struct Planes {
    board: Vec<u8>,
    hands: Vec<u8>,
}

impl Planes {
    fn push(&mut self, pos: &Position) {
        let board = self.board.len();
        let hands = self.hands.len();
        self.board.resize(board + 4 * 81 * BOARD_PLANES, 0);
        self.hands.resize(hands + 4 * 81 * HAND_PLANES, 0);
        let one = 1.0_f32.to_le_bytes();
        visit_inputs(pos, |input| match input.checked_sub(81 * BOARD_PLANES) {
            None => self.board[board + 4 * input..][..4].copy_from_slice(&one),
            Some(input) => self.hands[hands + 4 * input..][..4].copy_from_slice(&one),
        });
    }
}

/// The planes of one position.
pub(crate) fn planes_of<'py>(py: Python<'py>, pos: &Position) -> PyResult<[Bound<'py, PyAny>; 2]> {
    let mut made = Planes::default();
    made.push(pos);
    Ok([array(py, &made.board, "<f4", (BOARD_PLANES, 9, 9))?, array(py, &made.hands, "<f4", (HAND_PLANES, 9, 9))?])
}

/// The planes of records of a kind.
#[pyfunction]
pub(crate) fn planes<'py>(
    py: Python<'py>,
    kind: &str,
    records: &Bound<'py, PyAny>,
) -> PyResult<[Bound<'py, PyAny>; 2]> {
    let mut made = Planes::default();
    let count = visit(py, kind, records, |_, pos, _| {
        made.push(pos);
        Ok(())
    })?;
    Ok([
        array(py, &made.board, "<f4", (count, BOARD_PLANES, 9, 9))?,
        array(py, &made.hands, "<f4", (count, HAND_PLANES, 9, 9))?,
    ])
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
