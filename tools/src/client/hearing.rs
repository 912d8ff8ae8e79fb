//! The lines of an engine as they arrive: which are kept, which are handed on.
//!
//! `info` lines stay with whoever reads them: a flood of them costs no memory, and nobody has to keep up with it. A
//! `bestmove` takes along those of its search.

use super::transcript::{Listener, Speaker};
use komainu::protocol::{BestMove, Info};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Reports of a search that are kept at most: the first ones, then the last ones.
const MAX_FIRST: usize = 1_024;
const MAX_LAST: usize = 4_096;
/// First `info string` lines that are kept, and characters of each.
const MAX_STRINGS: usize = 20;
const MAX_STRING_CHARS: usize = 500;

/// The reports of a search that a `bestmove` takes along.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Infos {
    /// The last one on the best line that has a score.
    #[default]
    Last,
    /// All that have a score, of very many the first and the last ones.
    All,
}

/// A line of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineLine {
    /// When it arrived.
    pub at: Instant,
    /// The line without its end and without blanks around it.
    pub text: String,
    /// Reports of the search, if the line is a `bestmove`, in the order in which they came.
    pub infos: Vec<Info>,
}

impl EngineLine {
    /// The last report on the best line, if the line is a `bestmove`.
    pub fn info(&self) -> Option<&Info> {
        self.infos.iter().rev().find(|info| info.multi_pv.unwrap_or(1) == 1)
    }
}

/// News of an engine.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum EngineEvent {
    /// A line that is no `info`.
    Line(EngineLine),
    /// It says no more.
    Closed,
}

/// Reports and signs of life of an engine, shared with the thread that reads it.
#[derive(Clone)]
pub(super) struct Heard(Arc<Mutex<State>>);

struct State {
    /// The last sign of life.
    at: Instant,
    /// The first `info string` lines, until somebody has asked for them.
    strings: Option<Vec<String>>,
    infos: VecDeque<Info>,
}

impl Heard {
    pub(super) fn new() -> Heard {
        let state = State { at: Instant::now(), strings: Some(Vec::new()), infos: VecDeque::new() };
        Heard(Arc::new(Mutex::new(state)))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The moment of the last line of any kind.
    pub(super) fn at(&self) -> Instant {
        self.lock().at
    }

    /// Something was asked: silence counts from now on.
    pub(super) fn begin_waiting(&self) {
        self.lock().at = Instant::now();
    }

    /// The `info string` lines so far; from then on none is kept.
    pub(super) fn take_strings(&self) -> Vec<String> {
        self.lock().strings.take().unwrap_or_default()
    }

    /// The last report of the search under way.
    pub(super) fn last_info(&self) -> Option<Info> {
        self.lock().infos.back().cloned()
    }

    /// A new search begins.
    pub(super) fn forget(&self) {
        self.lock().infos.clear();
    }
}

/// The one that hears the lines, in the thread that reads them.
pub(super) struct Ear {
    pub(super) heard: Heard,
    pub(super) infos: Infos,
    pub(super) listener: Arc<dyn Listener>,
    pub(super) tell: Box<dyn FnMut(EngineEvent) + Send>,
}

impl Ear {
    /// Takes a line.
    pub(super) fn hear(&mut self, at: Instant, line: &str) {
        let text = line.trim();
        self.listener.note(Speaker::Engine, at, text);
        let mut state = self.heard.lock();
        state.at = at.max(state.at);
        if text.starts_with("info") {
            return self.note_info(&mut state, text);
        }
        let is_answer = BestMove::read(text).is_some();
        let infos = if is_answer { std::mem::take(&mut state.infos).into() } else { Vec::new() };
        drop(state);
        (self.tell)(EngineEvent::Line(EngineLine { at, text: text.to_string(), infos }));
    }

    fn note_info(&self, state: &mut State, text: &str) {
        if let Some(said) = text.strip_prefix("info string ")
            && let Some(strings) = state.strings.as_mut().filter(|strings| strings.len() < MAX_STRINGS)
        {
            strings.push(said.chars().take(MAX_STRING_CHARS).collect());
        }
        match self.infos {
            Infos::Last => {
                if let Some(info) = Info::read_best(text) {
                    state.infos.clear();
                    state.infos.push_back(info);
                }
            }
            Infos::All => {
                if let Some(info) = Info::read(text).filter(|info| info.score.is_some()) {
                    if state.infos.len() == MAX_FIRST + MAX_LAST {
                        state.infos.remove(MAX_FIRST);
                    }
                    state.infos.push_back(info);
                }
            }
        }
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        // It is dropped when the output of the engine has ended.
        (self.tell)(EngineEvent::Closed);
    }
}
