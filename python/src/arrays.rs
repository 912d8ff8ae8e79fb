//! What trainers read: records of training data as arrays, and the active inputs of nets.

use crate::board::{array, hands, squares};
use crate::record::{Record, in_file};
use crate::{bad_value, task};
use komainu::eval::nnue::features::{FeatureSet, HalfKa1, HalfKa2, HalfKaHm1, HalfKaHm2, HalfKp, HalfKpVm, Ka2, Kp};
use komainu::notation::record::{Conclusion, GameRecord, RecordMove};
use komainu::position::{PackedPosition, Position};
use komainu::types::Color;
use komainu_tools::training::games::{Game, GamesReadError, GamesReader, Hcpe3Reader};
use komainu_tools::training::records::RECORD_BYTES;
use pyo3::prelude::*;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

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
    let width = if count == 0 { 0 } else { own.len() / 4 / count };
    Ok([array(py, &own, "<i4", (count, width))?, array(py, &other, "<i4", (count, width))?])
}

/// The games of a file, which its name tells: of dlshogi (.hcpe3), or of this program.
fn games(path: &Path) -> Result<Box<dyn Iterator<Item = Result<Game, GamesReadError>>>, GamesReadError> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("hcpe3")) {
        return Ok(Box::new(Hcpe3Reader::open(path)?));
    }
    Ok(Box::new(GamesReader::open(path)?))
}

/// The games of a file of training games (.games, .hcpe3), each with the scores of its moves as bytes of int16.
#[pyfunction]
pub(crate) fn read_games(py: Python<'_>, path: PathBuf) -> PyResult<Vec<(Record, Vec<u8>)>> {
    File::open(&path).map_err(|error| in_file(&path, &error))?;
    let halt = AtomicBool::new(false);
    let read = task::run(
        py,
        || halt.store(true, Ordering::Relaxed),
        || {
            let games = games(&path)?.take_while(|_| !halt.load(Ordering::Relaxed));
            games.map(|game| game.map(|game| of_game(&game))).collect::<Result<Vec<_>, _>>()
        },
    )?;
    read.map_err(bad_value)
}

fn of_game(game: &Game) -> (Record, Vec<u8>) {
    let conclusion = Some(Conclusion::new(game.ending(), game.winner()));
    let moves = game.plies().iter().map(|ply| RecordMove::new(ply.mv)).collect();
    let scores = game.plies().iter().flat_map(|ply| ply.score.to_le_bytes()).collect();
    (Record::of_record(GameRecord { moves, conclusion, ..GameRecord::new(game.start().clone()) }), scores)
}
