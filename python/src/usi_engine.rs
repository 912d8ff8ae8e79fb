//! Any program that speaks USI.

use crate::board::Board;
use crate::engine::{Asked, Line};
use crate::numbers::{Bounds, maybe};
use crate::{EngineError, bad_value, task};
use komainu::host::lock;
use komainu::position::Position;
use komainu::protocol::{BestMove, Go};
use komainu::types::StopToken;
use komainu_tools::analyst::{Analyst, External, Program, Searched};
use komainu_tools::client::{DEFAULT_TIMEOUT, Setup};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// A program that speaks USI, as a context manager: it ends with the block.
///
/// command: a command line as a shell reads it, a path, or a list of words. options: USI options by name, their values
/// as text, numbers or True and False. silence_s: seconds of silence after which it counts as hung.
///
/// Errors: EngineError if it cannot be started, ends (with what it wrote last), is silent, or takes no such option.
///
/// with UsiEngine("./engine", options={"USI_Hash": 64}) as e:
///     line, = e.search(Board(), nodes=10_000)
#[pyclass(module = "komainu", name = "UsiEngine", frozen)]
pub(crate) struct PyUsiEngine {
    /// None once it was closed.
    engine: Mutex<Option<External>>,
    stop: StopToken,
    /// Ends every wait for the program.
    halt: Arc<AtomicBool>,
    /// Name that it gives itself, or its command.
    #[pyo3(get)]
    name: String,
}

fn command(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = value.downcast::<PyString>() {
        return Ok(text.to_string_lossy().into_owned());
    }
    if let Ok(path) = value.extract::<PathBuf>() {
        return path.into_os_string().into_string().map_err(|path| bad_value(format_args!("{path:?} is no text")));
    }
    let words: Vec<String> = value.extract().map_err(|_| PyTypeError::new_err(format!("{value} is no command")))?;
    let quoted = words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''")));
    Ok(quoted.collect::<Vec<_>>().join(" "))
}

fn options(values: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<(String, String)>> {
    let text = |value: &Bound<'_, PyAny>| match value.downcast::<PyBool>() {
        Ok(flag) => Ok(flag.is_true().to_string()),
        Err(_) => value.str().map(|text| text.to_string()),
    };
    let Some(values) = values else { return Ok(Vec::new()) };
    values.iter().map(|(name, value)| Ok((text(&name)?, text(&value)?))).collect()
}

fn engine_error(error: impl std::fmt::Display) -> PyErr {
    EngineError::new_err(error.to_string())
}

impl PyUsiEngine {
    fn engine(&self) -> MutexGuard<'_, Option<External>> {
        lock(&self.engine)
    }

    pub(crate) fn stop_token(&self) -> &StopToken {
        &self.stop
    }

    pub(crate) fn search_here(
        &self,
        pos: &Position,
        bounds: &Bounds,
        lines: usize,
    ) -> PyResult<(BestMove<String>, Searched)> {
        let go = Go {
            nodes: bounds.nodes,
            depth: bounds.depth,
            movetime: bounds.movetime,
            infinite: bounds.is_endless(),
            ..Go::default()
        };
        let mut engine = self.engine();
        let engine = engine.as_mut().ok_or_else(|| engine_error(format_args!("{}: it was closed", self.name)))?;
        engine.search_within(pos, &go, lines).map_err(engine_error)
    }

    pub(crate) fn clear_here(&self) -> PyResult<()> {
        let mut engine = self.engine();
        let engine = engine.as_mut().ok_or_else(|| engine_error(format_args!("{}: it was closed", self.name)))?;
        engine.forget().map_err(engine_error)
    }
}

#[pymethods]
impl PyUsiEngine {
    #[new]
    #[pyo3(signature = (command, options=None, *, silence_s=None))]
    fn new(
        py: Python<'_>,
        command: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
        silence_s: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyUsiEngine> {
        let halt = Arc::new(AtomicBool::new(false));
        let silence = maybe("silence_s", silence_s, 1, 1_000_000)?;
        let timeout = silence.map_or(DEFAULT_TIMEOUT, Duration::from_secs);
        let setup = Setup { timeout, halt: Some(Arc::clone(&halt)), ..Setup::default() };
        let program = Program {
            command: self::command(command)?,
            usual: Vec::new(),
            wished: self::options(options)?,
            lines: 1,
            setup,
        };
        let start = || External::start(&program);
        let engine = task::run(py, || halt.store(true, Ordering::Relaxed), start)?.map_err(engine_error)?;
        let stop = engine.stop_token();
        let name = engine.name().to_string();
        Ok(PyUsiEngine { engine: Mutex::new(Some(engine)), stop, halt, name })
    }

    /// Searches a position and returns its best lines, as `Engine.search` does. A move that the program plays without a
    /// report (out of its book) is a line without a score; a resignation is no line.
    #[pyo3(signature = (board, *, nodes=None, depth=None, movetime_ms=None, multipv=None))]
    fn search(
        &self,
        py: Python<'_>,
        board: PyRef<'_, Board>,
        nodes: Option<&Bound<'_, PyAny>>,
        depth: Option<&Bound<'_, PyAny>>,
        movetime_ms: Option<&Bound<'_, PyAny>>,
        multipv: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Line>> {
        let Asked { pos, bounds, lines } = Asked::new(board, [nodes, depth, movetime_ms, multipv])?;
        self.stop.reset();
        let found = task::run(py, || self.stop.stop(), || self.search_here(&pos, &bounds, lines))??;
        let (best, Searched { lines, .. }) = found;
        if lines.is_empty()
            && let BestMove::Move(mv, _) = &best
            && let Ok(mv) = komainu::notation::usi::parse_move(&pos, mv)
        {
            return Ok(vec![Line { pv: vec![mv], score: None, depth: 0, nodes: 0 }]);
        }
        Ok(lines.into_iter().map(Line::from).collect())
    }

    /// Ends the search under way, from another thread; `search` then returns what was found.
    fn stop(&self) {
        self.stop.stop();
    }

    /// Tells the program that a new game begins.
    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        task::run(py, || self.halt.store(true, Ordering::Relaxed), || self.clear_here())?
    }

    /// Ends the program. Nothing happens if it has ended already.
    fn close(&self, py: Python<'_>) {
        self.stop.stop();
        py.detach(|| {
            if let Some(engine) = self.engine().take() {
                engine.quit();
            }
        });
    }

    fn __enter__(this: PyRef<'_, PyUsiEngine>) -> PyRef<'_, PyUsiEngine> {
        this
    }

    fn __exit__(
        &self,
        py: Python<'_>,
        _kind: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) {
        self.close(py);
    }

    fn __repr__(&self) -> String {
        format!("<UsiEngine {}>", self.name)
    }
}
