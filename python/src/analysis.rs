//! Searches whose lines are looked at while they go on.

use crate::errors::EngineError;
use crate::limits::Asked;
use crate::lines::{line, result};
use crate::task::SIGNAL_INTERVAL;
use komainu::host::lock;
use komainu::notation::score::{InfoScore, ReportedScore};
use komainu::notation::usi::legal_part;
use komainu::protocol::Info;
use komainu::types::StopToken;
use komainu_tools::client::{Answer, Listener, Speaker};
use pyo3::prelude::*;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

/// Lines that wait to be looked at; of more the oldest are lost.
const MAX_WAITING: usize = 4_096;
/// Errors of the engine that are kept until somebody asks for them.
const MAX_ERRORS: usize = 20;

/// Hears what an engine reports: for an analysis, and for whoever wants no more than a mate.
#[derive(Default)]
pub(crate) struct Feed(Mutex<Heard>);

#[derive(Default)]
struct Heard {
    search: Option<Watched>,
    /// What the engine within this process has said of its options.
    errors: Vec<String>,
}

/// The search under way.
struct Watched {
    stream: Option<Arc<Stream>>,
    mate: Option<i32>,
    stop: StopToken,
}

impl Feed {
    pub(crate) fn begin(&self, mate: Option<i32>, stop: &StopToken, stream: Option<&Arc<Stream>>) {
        lock(&self.0).search = Some(Watched { stream: stream.cloned(), mate, stop: stop.clone() });
    }

    pub(crate) fn end(&self) {
        lock(&self.0).search = None;
    }

    pub(crate) fn take_errors(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.0).errors)
    }
}

impl Listener for Feed {
    fn note(&self, speaker: Speaker, _: Instant, text: &str) {
        if speaker == Speaker::Client || !text.starts_with("info") {
            return;
        }
        let mut heard = lock(&self.0);
        if let Some(error) = text.strip_prefix("info string error: ") {
            if heard.errors.len() < MAX_ERRORS {
                heard.errors.push(error.to_string());
            }
            return;
        }
        let Some(Watched { stream, mate, stop }) = &heard.search else { return };
        if stream.is_none() && mate.is_none() {
            return;
        }
        let Some(info) = Info::read(text).filter(|info| info.score.is_some()) else { return };
        if let Some(InfoScore::Exact(ReportedScore::Mate(plies))) = info.score
            && mate.is_some_and(|mate| (1..=mate).contains(&plies))
            && info.multi_pv.unwrap_or(1) == 1
        {
            stop.stop();
        }
        if let Some(stream) = stream {
            stream.push(info);
        }
    }
}

/// The lines of a search on their way to whoever looks at them, and its end.
pub(crate) struct Stream {
    state: Mutex<StreamState>,
    changed: Condvar,
    stop: StopToken,
}

#[derive(Default)]
struct StreamState {
    waiting: VecDeque<Info>,
    end: Option<Result<Answer, String>>,
}

impl Stream {
    /// The stream of a search that ends with the token.
    pub(crate) fn new(stop: &StopToken) -> Stream {
        Stream { state: Mutex::default(), changed: Condvar::new(), stop: stop.clone() }
    }

    /// Tests whether the search goes on and was not told to end.
    pub(crate) fn is_open(&self) -> bool {
        !self.stop.is_stopped() && lock(&self.state).end.is_none()
    }

    fn push(&self, info: Info) {
        let mut state = lock(&self.state);
        if state.waiting.len() == MAX_WAITING {
            state.waiting.pop_front();
        }
        state.waiting.push_back(info);
        drop(state);
        self.changed.notify_all();
    }

    pub(crate) fn end(&self, answer: Result<Answer, String>) {
        lock(&self.state).end = Some(answer);
        self.changed.notify_all();
    }

    /// Waits for the end, or for a line too, but no longer than until signals are to be looked for.
    fn wait(&self, for_lines: bool) {
        let state = lock(&self.state);
        let is_quiet = |state: &mut StreamState| state.end.is_none() && (state.waiting.is_empty() || !for_lines);
        drop(self.changed.wait_timeout_while(state, SIGNAL_INTERVAL, is_quiet).unwrap_or_else(PoisonError::into_inner));
    }
}

/// A search that goes on while its lines are looked at: an iterator of `Line`, and a context manager that ends the search.
///
/// A line comes whenever the engine reports one; with `multipv` each of its places for itself, and `bound` tells that a
/// score is only a bound. The iteration ends with the search. Without a limit that is `stop()` or the end of the block.
/// Until then the engine takes no other question.
///
/// >>> engine = Engine(hash_mb=1)
/// >>> with engine.analysis(Board()) as lines:
/// ...     for line in lines:
/// ...         if line.depth >= 3:
/// ...             break
/// >>> lines.result().move in Board().legal_moves
/// True
#[pyclass(module = "komainu", frozen)]
pub(crate) struct Analysis {
    stream: Arc<Stream>,
    asked: Arc<Asked>,
    /// Name of the engine.
    name: String,
}

impl Analysis {
    pub(crate) fn new(stream: &Arc<Stream>, asked: &Arc<Asked>, name: &str) -> Analysis {
        Analysis { stream: Arc::clone(stream), asked: Arc::clone(asked), name: name.to_string() }
    }

    /// Waits for the end of the search.
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        while lock(&self.stream.state).end.is_none() {
            self.wait_a_moment(py, false)?;
        }
        Ok(())
    }

    fn wait_a_moment(&self, py: Python<'_>, for_lines: bool) -> PyResult<()> {
        py.detach(|| self.stream.wait(for_lines));
        py.check_signals().inspect_err(|_| self.stop())
    }
}

impl Drop for Analysis {
    fn drop(&mut self) {
        self.stop();
    }
}

#[pymethods]
impl Analysis {
    fn __iter__(this: PyRef<'_, Analysis>) -> PyRef<'_, Analysis> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        loop {
            let mut state = lock(&self.stream.state);
            if let Some(mut info) = state.waiting.pop_front() {
                drop(state);
                info.pv = legal_part(&self.asked.pos, info.pv);
                return line(py, &info).map(Some);
            }
            match &state.end {
                Some(Ok(_)) => return Ok(None),
                Some(Err(error)) => return Err(EngineError::new_err(error.clone())),
                None => drop(state),
            }
            self.wait_a_moment(py, true)?;
        }
    }

    fn __enter__(this: PyRef<'_, Analysis>) -> PyRef<'_, Analysis> {
        this
    }

    fn __exit__(
        &self,
        py: Python<'_>,
        _kind: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        self.stop();
        self.wait(py)
    }

    /// Ends the search; the lines that are already there can still be looked at. Returns at once.
    fn stop(&self) {
        self.stream.stop.stop();
    }

    /// Waits for the end of the search and returns its `Result`, as `search` does.
    ///
    /// Errors: EngineError if the engine has failed.
    fn result(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.wait(py)?;
        let answer = match lock(&self.stream.state).end.as_ref().expect("the search has ended") {
            Ok(answer) => answer.clone(),
            Err(error) => return Err(EngineError::new_err(error.clone())),
        };
        result(py, &self.name, &self.asked, &answer)
    }
}
