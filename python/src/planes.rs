//! Batches for the nets of dlshogi: planes and labels of positions and moves.

use crate::arrays::{array, visit};
use crate::errors::bad_value;
use komainu::position::Position;
use komainu_tools::training::dlshogi::{BOARD_PLANES, HAND_PLANES, label, push_planes};
use pyo3::prelude::*;

/// The bytes of numbers, as arrays have them.
fn float32(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// The planes of one position.
pub(crate) fn planes_of<'py>(py: Python<'py>, pos: &Position) -> PyResult<[Bound<'py, PyAny>; 2]> {
    let [mut board, mut hands] = [Vec::new(), Vec::new()];
    push_planes(pos, &mut board, &mut hands);
    Ok([
        array(py, &float32(&board), "<f4", (BOARD_PLANES, 9, 9))?,
        array(py, &float32(&hands), "<f4", (HAND_PLANES, 9, 9))?,
    ])
}

/// The planes of records of a kind.
#[pyfunction]
pub(crate) fn planes<'py>(
    py: Python<'py>,
    kind: &str,
    records: &Bound<'py, PyAny>,
) -> PyResult<[Bound<'py, PyAny>; 2]> {
    let [mut board, mut hands] = [Vec::new(), Vec::new()];
    let count = visit(py, kind, records, |_, pos, _| {
        push_planes(pos, &mut board, &mut hands);
        Ok(())
    })?;
    Ok([
        array(py, &float32(&board), "<f4", (count, BOARD_PLANES, 9, 9))?,
        array(py, &float32(&hands), "<f4", (count, HAND_PLANES, 9, 9))?,
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
