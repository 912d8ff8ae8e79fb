//! The lines of an engine as they arrive: which are kept, which are handed on.
//!
//! `info` lines stay with whoever reads them: a flood of them costs no memory, and nobody has to keep up with it. A
//! `bestmove` takes along those of its search.
//!
//! An engine that runs within this process has a [`MemoryInput`] and a [`MemoryOutput`] in the place of pipes.

use super::transcript::{Listener, Speaker};
use komainu::host::lock;
use komainu::protocol::{BestMove, Info};
use komainu::types::opaque_debug;
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
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

/// Reports and last line of an engine, shared with the thread that reads its output.
#[derive(Clone)]
pub(crate) struct EngineState(Arc<Mutex<State>>);

struct State {
    /// When the last line of any kind came, or something was asked.
    last_line: Instant,
    /// The first `info string` lines, until somebody has asked for them.
    strings: Option<Vec<String>>,
    infos: VecDeque<Info>,
}

impl EngineState {
    pub(crate) fn new() -> EngineState {
        let state = State { last_line: Instant::now(), strings: Some(Vec::new()), infos: VecDeque::new() };
        EngineState(Arc::new(Mutex::new(state)))
    }

    /// When the last line of any kind came, or something was asked.
    pub(crate) fn last_line(&self) -> Instant {
        lock(&self.0).last_line
    }

    /// Something was asked: silence counts from now on.
    pub(crate) fn restart_timeout(&self) {
        lock(&self.0).last_line = Instant::now();
    }

    /// The `info string` lines so far; from then on none is kept.
    pub(crate) fn take_strings(&self) -> Vec<String> {
        lock(&self.0).strings.take().unwrap_or_default()
    }

    /// The last report of the search under way.
    pub(crate) fn last_info(&self) -> Option<Info> {
        lock(&self.0).infos.back().cloned()
    }

    /// A new search begins.
    pub(crate) fn forget(&self) {
        lock(&self.0).infos.clear();
    }
}

/// Takes the lines, in the thread that reads them.
pub(crate) struct LineReader {
    pub(crate) state: EngineState,
    pub(crate) infos: Infos,
    pub(crate) listener: Arc<dyn Listener>,
    pub(crate) on_event: Box<dyn FnMut(EngineEvent) + Send>,
}

impl LineReader {
    pub(crate) fn read_line(&mut self, at: Instant, line: &str) {
        // Some runtimes begin their output with a byte order mark.
        let text = line.trim_start_matches('\u{feff}').trim();
        self.listener.note(Speaker::Engine, at, text);
        let mut state = lock(&self.state.0);
        state.last_line = at.max(state.last_line);
        if text.starts_with("info") {
            return self.note_info(&mut state, text);
        }
        let is_answer = BestMove::read(text).is_some();
        let infos = if is_answer { std::mem::take(&mut state.infos).into() } else { Vec::new() };
        drop(state);
        (self.on_event)(EngineEvent::Line(EngineLine { at, text: text.to_string(), infos }));
    }

    fn note_info(&self, state: &mut State, text: &str) {
        if let Some(said) = text.strip_prefix("info string ")
            && let Some(strings) = &mut state.strings
            && strings.len() < MAX_STRINGS
        {
            strings.push(said.chars().take(MAX_STRING_CHARS).collect());
        }
        match self.infos {
            Infos::Last => {
                if let Some(info) = Info::read_best(text) {
                    // A bound does not take the place of a score.
                    if is_exact(&info) || !state.infos.iter().any(is_exact) {
                        state.infos.clear();
                        state.infos.push_back(info);
                    }
                }
            }
            Infos::All => {
                if let Some(info) = Info::read(text)
                    && info.score.is_some()
                {
                    if state.infos.len() == MAX_FIRST + MAX_LAST {
                        state.infos.remove(MAX_FIRST);
                    }
                    state.infos.push_back(info);
                }
            }
        }
    }
}

fn is_exact(info: &Info) -> bool {
    info.score.is_some_and(|score| score.exact().is_some())
}

impl Drop for LineReader {
    fn drop(&mut self) {
        // It is dropped when the output of the engine has ended.
        (self.on_event)(EngineEvent::Closed);
    }
}

/// The longest line that is kept, in bytes.
const MAX_LINE_BYTES: usize = 1 << 16;

/// The input of the engine. It ends when its client is dropped.
#[derive(Debug)]
pub struct MemoryInput {
    receiver: Receiver<Vec<u8>>,
    piece: Vec<u8>,
    read: usize,
}

impl MemoryInput {
    pub(crate) fn new(receiver: Receiver<Vec<u8>>) -> MemoryInput {
        MemoryInput { receiver, piece: Vec::new(), read: 0 }
    }
}

impl Read for MemoryInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.read == self.piece.len() {
            match self.receiver.recv() {
                Ok(piece) => {
                    self.piece = piece;
                    self.read = 0;
                }
                Err(_) => return Ok(0),
            }
        }
        let rest = &self.piece[self.read..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.read += count;
        Ok(count)
    }
}

/// The output of the engine, cut into lines.
pub struct MemoryOutput {
    reader: LineReader,
    line: Vec<u8>,
}

opaque_debug!(MemoryOutput);

impl MemoryOutput {
    pub(crate) fn new(reader: LineReader) -> MemoryOutput {
        MemoryOutput { reader, line: Vec::new() }
    }
}

impl Write for MemoryOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let at = Instant::now();
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend(piece);
            if self.line.pop_if(|last| *last == b'\n').is_some() {
                self.reader.read_line(at, &String::from_utf8_lossy(&self.line));
                self.line.clear();
            }
            self.line.truncate(MAX_LINE_BYTES);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
