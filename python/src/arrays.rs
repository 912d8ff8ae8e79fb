//! Arrays of numpy: boards and hands, records of training data, the active inputs of nets.

use crate::bad_value;
use komainu::eval::nnue::features::{FeatureSet, HalfKa1, HalfKa2, HalfKaHm1, HalfKaHm2, HalfKp, HalfKpVm, Ka2, Kp};
use komainu::position::{PackedPosition, Position};
use komainu::types::{Color, PieceType, Square};
use komainu_tools::training::records::RECORD_BYTES;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The hands in the order of `hands_array`.
const HAND_ORDER: [PieceType; 7] = [
    PieceType::Pawn,
    PieceType::Lance,
    PieceType::Knight,
    PieceType::Silver,
    PieceType::Gold,
    PieceType::Bishop,
    PieceType::Rook,
];

/// The pieces on the 81 squares: 0 for none, 1 to 14 black's, 17 to 30 white's.
pub(crate) fn squares(pos: &Position) -> [u8; 81] {
    Square::ALL.map(|square| match pos.piece_on(square) {
        None => 0,
        Some(piece) => piece.piece_type().index() as u8 + 16 * piece.color().index() as u8,
    })
}

/// Black's and white's hand, seven counts each.
pub(crate) fn hands(pos: &Position) -> [[u8; 7]; 2] {
    Color::ALL.map(|color| HAND_ORDER.map(|kind| pos.hand(color).count(kind)))
}

/// An array of numpy over bytes.
pub(crate) fn array<'py>(
    py: Python<'py>,
    bytes: &[u8],
    kind: &str,
    shape: impl IntoPyObject<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let flat = py.import("numpy")?.call_method1("frombuffer", (PyBytes::new(py, bytes), kind))?;
    flat.call_method1("reshape", (shape,))
}

/// The active inputs of a position, those of the side to move first.
type Inputs = fn(&Position) -> [Vec<u32>; 2];

fn inputs<F: FeatureSet>(pos: &Position) -> [Vec<u32>; 2] {
    [pos.side(), !pos.side()].map(|side: Color| {
        let mut list = Vec::with_capacity(42);
        F::visit_active(pos, side, |index| list.push(index as u32));
        list.sort_unstable();
        list
    })
}

/// The inputs of a set by its name, whatever its case, dashes and underscores.
pub(crate) fn features(set: &str) -> PyResult<Inputs> {
    match set.to_ascii_lowercase().replace(['-', '_'], "").as_str() {
        "halfkp" => Ok(inputs::<HalfKp>),
        "halfkpvm" => Ok(inputs::<HalfKpVm>),
        "halfka1" => Ok(inputs::<HalfKa1>),
        "halfka2" => Ok(inputs::<HalfKa2>),
        "halfkahm1" => Ok(inputs::<HalfKaHm1>),
        "halfkahm2" => Ok(inputs::<HalfKaHm2>),
        "kp" => Ok(inputs::<Kp>),
        "ka2" => Ok(inputs::<Ka2>),
        _ => Err(bad_value(format_args!(
            "{set:?} is none of HalfKP, HalfKPvm, HalfKA1, HalfKA2, HalfKA_hm1, HalfKA_hm2, K-P, KA2"
        ))),
    }
}

/// Numbers as the bytes of an array of int32.
pub(crate) fn int32(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Calls with the position of each record of 40 bytes. The error names the record.
fn visit(records: &[u8], mut visit: impl FnMut(&Position)) -> PyResult<()> {
    let (records, rest) = records.as_chunks::<RECORD_BYTES>();
    if !rest.is_empty() {
        return Err(bad_value(format_args!("the last record has {} bytes, not {RECORD_BYTES}", rest.len())));
    }
    for (number, record) in records.iter().enumerate() {
        let packed = PackedPosition(record[..32].try_into().expect("32 bytes of 40"));
        visit(&packed.unpack().map_err(|error| bad_value(format_args!("record {number}: {error}")))?);
    }
    Ok(())
}

/// Boards, hands and sides of records of training data, given as bytes.
#[pyfunction]
pub(crate) fn unpack_psv<'py>(py: Python<'py>, records: &[u8]) -> PyResult<[Bound<'py, PyAny>; 3]> {
    let count = records.len() / RECORD_BYTES;
    let [mut boards, mut held, mut turns] = [Vec::with_capacity(81 * count), Vec::new(), Vec::new()];
    py.detach(|| {
        visit(records, |pos| {
            boards.extend(squares(pos));
            held.extend(hands(pos).as_flattened());
            turns.push(pos.side().index() as u8);
        })
    })?;
    Ok([
        array(py, &boards, "u1", (count, 81))?,
        array(py, &held, "u1", (count, 2, 7))?,
        array(py, &turns, "u1", (count,))?,
    ])
}

/// The active inputs of records of training data, given as bytes: those of the side to move, and of the other.
#[pyfunction]
pub(crate) fn features_of_psv<'py>(py: Python<'py>, records: &[u8], set: &str) -> PyResult<[Bound<'py, PyAny>; 2]> {
    let inputs = features(set)?;
    let count = records.len() / RECORD_BYTES;
    let [mut own, mut other] = [Vec::new(), Vec::new()];
    py.detach(|| {
        visit(records, |pos| {
            let [first, second] = inputs(pos);
            own.extend(int32(&first));
            other.extend(int32(&second));
        })
    })?;
    // Packed positions have both kings, so as many inputs are active in each.
    let width = (own.len() / 4).checked_div(count).unwrap_or(0);
    Ok([array(py, &own, "<i4", (count, width))?, array(py, &other, "<i4", (count, width))?])
}
