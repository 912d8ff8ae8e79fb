//! Arrays of numpy: boards and hands, records of training data, the active inputs of nets.

use crate::errors::bad_value;
use crate::octets::octets;
use komainu::eval::nnue::features::{FeatureSet, HalfKa1, HalfKa2, HalfKaHm1, HalfKaHm2, HalfKp, HalfKpVm, Ka2, Kp};
use komainu::position::{HuffmanPosition, PackedPosition, Position, UnpackError};
use komainu::types::{Color, Move};
use komainu_tools::training::records::{HCPE_BYTES, RECORD_BYTES};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

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

/// A kind of records of training data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Psv,
    Hcpe,
}

impl Kind {
    fn read(name: &str) -> PyResult<Kind> {
        match name {
            "psv" => Ok(Kind::Psv),
            "hcpe" => Ok(Kind::Hcpe),
            _ => Err(bad_value(format_args!("{name:?} is neither psv nor hcpe"))),
        }
    }

    /// Bytes of a record.
    fn bytes(self) -> usize {
        match self {
            Kind::Psv => RECORD_BYTES,
            Kind::Hcpe => HCPE_BYTES,
        }
    }

    fn position(self, record: &[u8]) -> Result<Position, UnpackError> {
        let packed = record[..32].try_into().expect("32 bytes of a record");
        match self {
            Kind::Psv => PackedPosition(packed).unpack(),
            Kind::Hcpe => HuffmanPosition(packed).unpack(),
        }
    }

    /// The move of a record, behind the position and its score.
    fn best_move(self, record: &[u8]) -> Option<Move> {
        let bits = u16::from_le_bytes([record[34], record[35]]);
        match self {
            Kind::Psv => Move::from_bits(bits),
            Kind::Hcpe => Move::from_apery_bits(bits),
        }
    }
}

/// Calls with number, position and move of each record of a kind, "psv" or "hcpe", and returns how many there are. The
/// error names the record.
pub(crate) fn visit(
    py: Python<'_>,
    kind: &str,
    records: &Bound<'_, PyAny>,
    mut visit: impl FnMut(usize, &Position, Option<Move>) -> PyResult<()> + Send,
) -> PyResult<usize> {
    let kind = Kind::read(kind)?;
    let size = kind.bytes();
    let records = octets(records)?;
    let records = records.as_bytes().chunks_exact(size);
    if !records.remainder().is_empty() {
        return Err(bad_value(format_args!("the last record has {} bytes, not {size}", records.remainder().len())));
    }
    let count = records.len();
    py.detach(|| {
        for (number, record) in records.enumerate() {
            let pos = kind.position(record).map_err(|error| bad_value(format_args!("record {number}: {error}")))?;
            visit(number, &pos, kind.best_move(record))?;
        }
        Ok(count)
    })
}

/// Boards, hands and sides of records of training data.
#[pyfunction]
pub(crate) fn unpack_records<'py>(
    py: Python<'py>,
    kind: &str,
    records: &Bound<'py, PyAny>,
) -> PyResult<[Bound<'py, PyAny>; 3]> {
    let [mut boards, mut held, mut turns] = [Vec::new(), Vec::new(), Vec::new()];
    let count = visit(py, kind, records, |_, pos, _| {
        boards.extend(pos.board_numbers());
        held.extend(Color::ALL.map(|color| pos.hand_counts(color)).as_flattened());
        turns.push(pos.side().index() as u8);
        Ok(())
    })?;
    Ok([
        array(py, &boards, "u1", (count, 81))?,
        array(py, &held, "u1", (count, 2, 7))?,
        array(py, &turns, "u1", (count,))?,
    ])
}

/// The active inputs of records of training data: those of the side to move, and of the other.
#[pyfunction]
pub(crate) fn features_of_records<'py>(
    py: Python<'py>,
    kind: &str,
    records: &Bound<'py, PyAny>,
    set: &str,
) -> PyResult<[Bound<'py, PyAny>; 2]> {
    let inputs = features(set)?;
    let [mut own, mut other] = [Vec::new(), Vec::new()];
    let count = visit(py, kind, records, |_, pos, _| {
        let [first, second] = inputs(pos);
        own.extend(int32(&first));
        other.extend(int32(&second));
        Ok(())
    })?;
    // Packed positions have both kings, so as many inputs are active in each.
    let width = (own.len() / 4).checked_div(count).unwrap_or(0);
    Ok([array(py, &own, "<i4", (count, width))?, array(py, &other, "<i4", (count, width))?])
}
