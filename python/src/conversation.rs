//! Conversations with engines, of which Python makes `UsiEngine` and `Engine`: the partner is another program, or a
//! session of this engine within this process. Both are asked, set and stopped in the same way.

use crate::analysis::{Analysis, Feed, Stream};
use crate::board::Board;
use crate::engine::analyse;
use crate::errors::{EngineError, bad_value};
use crate::limits::Asked;
use crate::lines::result;
use crate::numbers::maybe;
use crate::record::Record;
use crate::task;
use komainu::eval::{Evaluation, StaticEvaluation};
use komainu::host::lock;
use komainu::protocol::{EngineOption, OptionType, PositionCommand};
use komainu::types::{Quoted, StopToken};
use komainu::usi::options::Options;
use komainu_tools::analyst::{Own, set_to_search};
use komainu_tools::client::{self, Answer, DEFAULT_TIMEOUT, Infos, Setup, UsiEngine, listed_option};
use komainu_tools::process::Launch;
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError, Weak};
use std::thread;
use std::time::Duration;

/// Interval at which a thread looks whether it is its turn to ask.
const TURN_INTERVAL: Duration = Duration::from_millis(5);

/// A conversation with an engine; `Engine` and `UsiEngine` are made of it.
#[pyclass(module = "komainu", frozen, subclass)]
pub(crate) struct Conversation(pub(crate) Arc<Shared>);

/// What the threads of a conversation share.
pub(crate) struct Shared {
    /// The engine; once it is gone, why.
    engine: Mutex<Result<UsiEngine, String>>,
    /// Name that the engine gives itself, or its command.
    name: String,
    /// The engine of this package, within this process.
    is_own: bool,
    listed: Vec<EngineOption>,
    sent: Mutex<BTreeMap<String, String>>,
    feed: Arc<Feed>,
    /// Ends the search under way.
    stop: Mutex<StopToken>,
    /// Ends every wait for the engine.
    halt: Arc<AtomicBool>,
    /// The analysis that was begun last.
    analysis: Mutex<Weak<Stream>>,
    /// The evaluation that the options ask for, once it was wanted.
    evaluation: Mutex<Option<Evaluation>>,
    /// The process that the conversation belongs to.
    process: u32,
}

impl Shared {
    /// Asks and waits for the answer; one asks at a time. An engine that fails is ended. `poll` is called every few
    /// milliseconds.
    pub(crate) fn ask(
        &self,
        asked: &Asked,
        stop: &StopToken,
        stream: Option<&Arc<Stream>>,
        poll: &mut dyn FnMut(),
    ) -> Result<Answer, String> {
        let mut engine = loop {
            match self.engine.try_lock() {
                Ok(engine) => break engine,
                Err(TryLockError::Poisoned(poisoned)) => break poisoned.into_inner(),
                Err(TryLockError::WouldBlock) if stop.is_stopped() => return Err("interrupted".to_string()),
                Err(TryLockError::WouldBlock) => thread::sleep(TURN_INTERVAL),
            }
            poll();
        };
        let partner = engine.as_mut().map_err(|why| format!("{}: {why}", self.name))?;
        *lock(&self.stop) = stop.clone();
        self.feed.take_errors();
        self.feed.begin(asked.mate, stop, stream);
        let answer = ask(partner, asked, &mut || {
            poll();
            stop.is_stopped()
        });
        self.feed.end();
        *lock(&self.sent) = partner.sent().clone();
        // Without its book it goes on; all else means that the answer is not one to rely on.
        let errors = self.feed.take_errors();
        match answer {
            Ok(answer) => match errors.iter().find(|error| self.is_own && !error.starts_with("BookFile")) {
                Some(error) => Err(format!("{}: {error}", self.name)),
                None => Ok(answer),
            },
            Err(error) => {
                if is_the_end(&error) {
                    // What it says later would be taken for the answer to another question.
                    *engine = Err(error.to_string());
                }
                Err(format!("{}: {error}", self.name))
            }
        }
    }

    /// Has a thread of its own talk to the engine. Ctrl-C ends the wait; what the engine says later is passed over.
    fn talk<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
        let done = task::run(py, || self.halt.store(true, Ordering::Relaxed), work);
        self.halt.store(false, Ordering::Relaxed);
        done
    }

    /// A new game begins.
    pub(crate) fn clear(&self) -> Result<(), String> {
        let mut engine = lock(&self.engine);
        let engine = engine.as_mut().map_err(|why| format!("{}: {why}", self.name))?;
        engine.new_game().map_err(|error| format!("{}: {error}", self.name))
    }

    pub(crate) fn stop(&self) {
        lock(&self.stop).stop();
    }

    /// Fails in another process than that of the engine, and while an analysis is open.
    pub(crate) fn check(&self) -> PyResult<()> {
        if self.process != process::id() {
            let told = "an engine does not go through a fork: make a new one in the child process";
            return Err(PyRuntimeError::new_err(told));
        }
        let analysis = lock(&self.analysis).upgrade();
        if analysis.is_some_and(|analysis| analysis.is_open()) {
            return Err(EngineError::new_err(format!(
                "{}: an analysis is under way: stop or leave it first",
                self.name
            )));
        }
        Ok(())
    }

    /// Sets an option and has the engine take it; if it does not, the old value stays.
    fn set_option(&self, name: &str, value: &str) -> PyResult<()> {
        let mut engine = lock(&self.engine);
        let engine = engine.as_mut().map_err(|why| EngineError::new_err(format!("{}: {why}", self.name)))?;
        let old = self.value(name).unwrap_or_default();
        self.feed.take_errors();
        engine.set(name, value).map_err(|error| self.refusal(&error))?;
        let mut refused = engine.ready().err().map(|error| self.refusal(&error));
        let errors = self.feed.take_errors();
        if self.is_own && !errors.is_empty() {
            refused = Some(bad_value(errors.join("; ")));
        }
        if refused.is_some() {
            let restored = engine.set(name, &old).and_then(|()| engine.ready());
            restored.map_err(|error| self.refusal(&error))?;
        }
        *lock(&self.sent) = engine.sent().clone();
        *lock(&self.evaluation) = None;
        refused.map_or(Ok(()), Err)
    }

    fn refusal(&self, error: &client::EngineError) -> PyErr {
        match error {
            client::EngineError::NotListed(_) => PyKeyError::new_err(format!("{} {error}", self.name)),
            client::EngineError::Option(..) => bad_value(error),
            _ => EngineError::new_err(format!("{}: {error}", self.name)),
        }
    }

    /// The value of an option that the engine lists.
    fn value(&self, name: &str) -> Option<String> {
        let option = listed_option(&self.listed, name)?;
        let sent = lock(&self.sent).get(&option.name).cloned();
        Some(sent.unwrap_or_else(|| option.default.clone()))
    }

    /// The options of the engine within this process.
    pub(crate) fn options(&self) -> Options {
        let mut options = Options::default();
        for (name, value) in &*lock(&self.sent) {
            // They were checked when they were sent.
            _ = options.set(name, Some(value));
        }
        options
    }

    /// The evaluation that the options ask for.
    fn evaluation(&self) -> PyResult<Evaluation> {
        let mut known = lock(&self.evaluation);
        if known.is_none() {
            *known = Some(self.options().evaluation().map_err(bad_value)?);
        }
        Ok(known.clone().expect("it was read"))
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // In another process there is no thread of the engine, and a program belongs to the parent.
        if self.process != process::id() {
            let engine = self.engine.get_mut().unwrap_or_else(PoisonError::into_inner);
            std::mem::forget(std::mem::replace(engine, Err(String::new())));
        }
    }
}

fn ask(
    engine: &mut UsiEngine,
    asked: &Asked,
    is_enough: &mut dyn FnMut() -> bool,
) -> Result<Answer, client::EngineError> {
    // What it has learnt stays: neither needs `isready`.
    engine.set_lines(asked.lines)?;
    match engine.set_if_taken("ConsiderationMode", if asked.is_game { "false" } else { "true" }) {
        Err(client::EngineError::Option(..)) => {}
        result => result?,
    }
    engine.ask_until(&PositionCommand::of_game(&asked.pos), &asked.go, is_enough)
}

/// Tests whether nothing can be said to an engine after an error.
fn is_the_end(error: &client::EngineError) -> bool {
    use client::EngineError::{Ended, Halted, Silent};
    matches!(error, Ended(_) | Silent(..) | Halted)
}

/// A command line as a shell reads it, a path, or a list of words.
fn command_line(value: &Bound<'_, PyAny>) -> PyResult<String> {
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

/// The value of an option as it is sent: True is `true`, None (for a button) nothing.
fn option_text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if value.is_none() {
        return Ok(String::new());
    }
    match value.downcast::<PyBool>() {
        Ok(flag) => Ok(flag.is_true().to_string()),
        Err(_) => Ok(value.str()?.to_string()),
    }
}

fn options(values: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<(String, String)>> {
    let mut options = Vec::new();
    for (name, value) in values.into_iter().flatten() {
        options.push((name.str()?.to_string(), option_text(&value)?));
    }
    Ok(options)
}

#[pymethods]
impl Conversation {
    /// command: None for the engine within this process.
    #[new]
    #[pyo3(signature = (command, options, silence_s))]
    fn new(
        py: Python<'_>,
        command: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
        silence_s: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Conversation> {
        let command = command.map(command_line).transpose()?;
        let options = self::options(options)?;
        let silence = maybe("silence_s", silence_s, 1, 1_000_000)?.map(Duration::from_secs);
        let halt = Arc::new(AtomicBool::new(false));
        let feed = Arc::new(Feed::default());
        let mut setup = Setup::of_patience(silence.unwrap_or(DEFAULT_TIMEOUT));
        setup.search_timeout = silence.unwrap_or(setup.search_timeout);
        setup.infos = Infos::All;
        setup.listener = feed.clone();
        setup.halt = Some(Arc::clone(&halt));
        let start = || {
            let mut engine = match &command {
                None => UsiEngine::start_within(setup)?,
                Some(command) => {
                    let launch = Launch::new(command, None);
                    let launch = launch.map_err(|error| client::EngineError::Start(command.clone(), error))?;
                    UsiEngine::start(&launch, setup)?
                }
            };
            set_to_search(&mut engine)?;
            for (name, value) in &options {
                engine.set(name, value)?;
            }
            engine.new_game()?;
            Ok::<_, client::EngineError>(engine)
        };
        let started = task::run(py, || halt.store(true, Ordering::Relaxed), start)?;
        let engine = match (started, &command) {
            (Ok(engine), _) => engine,
            (Err(error), Some(command)) => {
                return Err(EngineError::new_err(format!("engine {}: {error}", Quoted(command))));
            }
            (Err(error @ client::EngineError::Option(..)), None) => return Err(bad_value(error)),
            (Err(error), None) => return Err(EngineError::new_err(error.to_string())),
        };
        let errors = feed.take_errors();
        if command.is_none() && !errors.is_empty() {
            return Err(bad_value(errors.join("; ")));
        }
        let name =
            if engine.name().is_empty() { command.clone().unwrap_or_default() } else { engine.name().to_string() };
        Ok(Conversation(Arc::new(Shared {
            name,
            is_own: command.is_none(),
            listed: engine.options().to_vec(),
            sent: Mutex::new(engine.sent().clone()),
            engine: Mutex::new(Ok(engine)),
            feed,
            stop: Mutex::default(),
            halt,
            analysis: Mutex::default(),
            evaluation: Mutex::default(),
            process: process::id(),
        })))
    }

    /// Name that the engine gives itself, or its command.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// A search (as a game has it, if `is_game`) to its end: a `Result`.
    fn _ask(
        &self,
        py: Python<'_>,
        board: PyRef<'_, Board>,
        is_game: bool,
        limits: &Bound<'_, PyDict>,
    ) -> PyResult<Py<PyAny>> {
        self.0.check()?;
        let mut asked = Asked::read(board, is_game, limits)?;
        if is_game && !asked.go.is_bounded() {
            if !self.0.is_own || self.0.options().playing_level().is_none() {
                return Err(bad_value("play: a clock, nodes, depth or movetime_ms is wanted"));
            }
            // A level has its own measure.
            asked.go.nodes = Some(i64::MAX as u64);
        }
        let stop = StopToken::new();
        let mut raised = None;
        let mut poll = || {
            if raised.is_none()
                && let Err(error) = Python::attach(|py| py.check_signals())
            {
                raised = Some(error);
                stop.stop();
            }
        };
        // On this thread: a search of some nodes takes less time than another thread.
        let answer = py.detach(|| self.0.ask(&asked, &stop, None, &mut poll));
        if let Some(raised) = raised {
            return Err(raised);
        }
        let answer = answer.map_err(EngineError::new_err)?;
        result(py, &self.0.name, &asked, &answer)
    }

    /// A search that goes on while its lines are looked at.
    fn _analysis(&self, board: PyRef<'_, Board>, limits: &Bound<'_, PyDict>) -> PyResult<Analysis> {
        self.0.check()?;
        let asked = Arc::new(Asked::read(board, false, limits)?);
        let stop = StopToken::new();
        let stream = Arc::new(Stream::new(&stop));
        *lock(&self.0.analysis) = Arc::downgrade(&stream);
        let analysis = Analysis::new(&stream, &asked, &self.0.name);
        let shared = Arc::clone(&self.0);
        let search = move || stream.end(shared.ask(&asked, &stop, Some(&stream), &mut || ()));
        thread::Builder::new().name("komainu".into()).spawn(search)?;
        Ok(analysis)
    }

    fn _option_names(&self) -> Vec<&str> {
        self.0.listed.iter().map(|option| option.name.as_str()).collect()
    }

    /// The value of an option: a bool, an int or a text.
    fn _option(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let option = listed_option(&self.0.listed, name);
        let value = self.0.value(name);
        let (Some(option), Some(value)) = (option, value) else {
            return Err(self.0.refusal(&client::EngineError::NotListed(name.to_string())));
        };
        match (&option.kind, value.parse::<i64>()) {
            (OptionType::Check, _) => {
                Ok(value.eq_ignore_ascii_case("true").into_pyobject(py)?.to_owned().into_any().unbind())
            }
            (OptionType::Spin { .. }, Ok(number)) => Ok(number.into_pyobject(py)?.into_any().unbind()),
            _ => Ok(value.into_pyobject(py)?.into_any().unbind()),
        }
    }

    fn _set_option(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.check()?;
        let value = option_text(value)?;
        self.0.talk(py, || self.0.set_option(name, &value))?
    }

    /// Ends the search under way, from another thread; what was found until then is its result. Without a search nothing
    /// happens.
    fn stop(&self) {
        self.0.stop();
    }

    /// A new game begins: forgets what earlier searches have learnt.
    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        self.0.check()?;
        let cleared = self.0.talk(py, || self.0.clear())?;
        cleared.map_err(EngineError::new_err)
    }

    /// Ends the engine. Nothing happens if it has ended already.
    fn close(&self, py: Python<'_>) {
        if self.0.process != process::id() {
            return;
        }
        self.0.stop();
        py.detach(|| {
            let engine = std::mem::replace(&mut *lock(&self.0.engine), Err("it was closed".to_string()));
            if let Ok(engine) = engine {
                engine.quit();
            }
        });
    }

    fn _evaluate(&self, py: Python<'_>, board: PyRef<'_, Board>) -> PyResult<i32> {
        let pos = board.pos.clone();
        drop(board);
        py.detach(|| Ok(StaticEvaluation::of(&self.0.evaluation()?, &pos).score.0))
    }

    fn _analyse(
        &self,
        py: Python<'_>,
        record: PyRef<'_, Record>,
        nodes: Option<&Bound<'_, PyAny>>,
        multipv: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Py<PyAny>>> {
        self.0.check()?;
        let options = self.0.options();
        let make = || Ok::<_, PyErr>(Own::new(self.0.evaluation()?, options.threads, options.hash, options.rules()));
        let own = task::run(py, || (), make)??;
        *lock(&self.0.stop) = own.stop_token();
        analyse(py, own, options.rules(), &record, nodes, multipv)
    }

    fn __repr__(&self) -> String {
        format!("<{} {}>", if self.0.is_own { "Engine" } else { "UsiEngine" }, self.0.name)
    }
}
