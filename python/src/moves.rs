//! Moves: one Python object for each of the moves that there are, made when it is first met.

use crate::errors::bad_value;
use komainu::types::{Move, MoveKind};
use pyo3::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString};
use std::hash::{DefaultHasher, Hash, Hasher};

/// What `__reduce__` returns for pickle: a callable and its arguments.
pub(crate) type Pickled<A> = (Py<PyAny>, A);

/// A move, `Move("7g7f")` or `Move(bits)`. `str(m)` is its USI text, `int(m)` its 16 bits as in training records.
///
/// Errors: ValueError for a text or a number that is no move.
///
/// >>> m = Move("8h2b+")
/// >>> str(m), int(m), m.from_square, m.to_square, m.is_promotion
/// ('8h2b+', 41738, '8h', '2b', True)
/// >>> Move("P*5e").drop
/// 'P'
#[pyclass(frozen, name = "Move", module = "komainu")]
#[derive(Clone, Copy)]
pub(crate) struct PyMove(pub(crate) Move);

/// Sources of a move: 81 squares and 7 kinds of drops; then targets, then with and without promotion.
const MOVES: usize = 88 * 81 * 2;

static KNOWN: [PyOnceLock<Py<PyMove>>; MOVES] = [const { PyOnceLock::new() }; MOVES];

/// The Python object of a move.
pub(crate) fn object(py: Python<'_>, mv: Move) -> PyResult<Py<PyMove>> {
    let at = (mv.from_or_drop_index() * 81 + mv.to().index()) * 2 + usize::from(mv.is_promotion());
    KNOWN[at].get_or_try_init(py, || Py::new(py, PyMove(mv))).map(|known| known.clone_ref(py))
}

/// The objects of several moves.
pub(crate) fn objects(py: Python<'_>, moves: &[Move]) -> PyResult<Vec<Py<PyMove>>> {
    moves.iter().map(|&mv| object(py, mv)).collect()
}

/// The moves that were given as text so far: to look one up is quicker than to parse it, which needs its text in UTF-8.
static BY_TEXT: PyOnceLock<Py<PyDict>> = PyOnceLock::new();

/// The Python object of a move that is given as text in USI.
pub(crate) fn of_text(text: &Bound<'_, PyString>) -> PyResult<Py<PyMove>> {
    let py = text.py();
    let by_text = BY_TEXT.get_or_init(py, || PyDict::new(py).unbind()).bind(py);
    if let Some(known) = by_text.get_item(text)? {
        return Ok(known.downcast_into()?.unbind());
    }
    let mv = object(py, text.to_string_lossy().parse().map_err(bad_value)?)?;
    by_text.set_item(text, &mv)?;
    Ok(mv)
}

/// A move that somebody gives as a `Move`, as its text, or as its bits.
#[derive(Clone, Copy)]
pub(crate) struct AnyMove(pub(crate) Move);

impl<'py> FromPyObject<'py> for AnyMove {
    fn extract_bound(value: &Bound<'py, PyAny>) -> PyResult<AnyMove> {
        if let Ok(mv) = value.downcast::<PyMove>() {
            return Ok(AnyMove(mv.get().0));
        }
        if let Ok(text) = value.downcast::<PyString>() {
            return of_text(text).map(|mv| AnyMove(mv.get().0));
        }
        let bits = value.extract::<u16>();
        if bits.as_ref().is_err_and(|error| error.is_instance_of::<PyTypeError>(value.py())) {
            return Err(PyTypeError::new_err(format!("{value} is not a move")));
        }
        let mv = bits.ok().and_then(Move::from_bits);
        mv.map(AnyMove).ok_or_else(|| bad_value(format_args!("{value} is not a move")))
    }
}

#[pymethods]
impl PyMove {
    #[new]
    fn new(value: AnyMove) -> PyMove {
        PyMove(value.0)
    }

    /// The move of 16 bits in the files of Apery and dlshogi (hcpe). ValueError for bits that are no move.
    #[staticmethod]
    fn from_apery(py: Python<'_>, bits: &Bound<'_, PyAny>) -> PyResult<Py<PyMove>> {
        let mv = bits.extract::<u16>().ok().and_then(Move::from_apery_bits);
        object(py, mv.ok_or_else(|| bad_value(format_args!("{bits} is not a move")))?)
    }

    /// The 16 bits of the move in the files of Apery and dlshogi, `bestMove16` of cshogi.
    #[getter]
    fn apery_bits(&self) -> u16 {
        self.0.apery_bits()
    }

    /// The square that the piece leaves, as "7g"; None for a drop.
    #[getter(from_square)]
    fn origin(&self) -> Option<String> {
        self.0.from().map(|square| square.to_string())
    }

    /// The square that the piece goes to, as "7f".
    #[getter(to_square)]
    fn target(&self) -> String {
        self.0.to().to_string()
    }

    /// The letter of the piece that is dropped, as "P"; None for a move on the board.
    #[getter]
    fn drop(&self) -> Option<String> {
        match self.0.kind() {
            MoveKind::Drop { piece_type, .. } => Some(piece_type.to_string()),
            MoveKind::Board { .. } => None,
        }
    }

    #[getter]
    fn is_drop(&self) -> bool {
        self.0.is_drop()
    }

    #[getter]
    fn is_promotion(&self) -> bool {
        self.0.is_promotion()
    }

    /// The text of the move in USI.
    fn usi(&self) -> String {
        self.0.to_string()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    /// The text as formats of strings want it: `f"{move:>8}"`.
    fn __format__<'py>(&self, py: Python<'py>, spec: &str) -> PyResult<Bound<'py, PyAny>> {
        PyString::new(py, &self.0.to_string()).call_method1("__format__", (spec,))
    }

    fn __repr__(&self) -> String {
        format!("Move('{}')", self.0)
    }

    fn __int__(&self) -> u16 {
        self.0.bits()
    }

    fn __index__(&self) -> u16 {
        self.0.bits()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        hasher.finish()
    }

    fn __richcmp__(&self, other: PyRef<'_, PyMove>, how: CompareOp) -> bool {
        how.matches(self.0.bits().cmp(&other.0.bits()))
    }

    fn __reduce__(&self, py: Python<'_>) -> Pickled<(String,)> {
        (py.get_type::<PyMove>().into_any().unbind(), (self.0.to_string(),))
    }
}
