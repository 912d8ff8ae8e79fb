//! A tab of a browser and its engines.
//!
//! An engine of the page is two things, each begun when it is first needed: a session that speaks USI, and an analyst
//! that answers questions one after the other. Both run on threads of their own, and end when the engine is dropped.

use super::super::{Answerer, Halt};
use komainu::host::{lock, spawn};
use komainu::protocol::Command;
use komainu::usi;
use komainu::usi::options::{OptionKind, Options};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, PipeWriter, Write, pipe};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

/// Engines of a tab at a time.
const MAX_ENGINES: usize = 256;
/// What engines have said and the browser has not read yet; then they wait.
const MAX_UNREAD: usize = 1024;

/// What a tab tells one of its engines, which it numbers itself.
#[derive(Debug, Deserialize)]
pub(super) struct Message {
    engine: u64,
    /// A line of USI.
    line: Option<String>,
    /// A question that takes long.
    question: Option<Value>,
    /// The engine is not needed any more.
    #[serde(default)]
    close: bool,
}

pub(super) struct Tab {
    engines: Mutex<HashMap<u64, Engine>>,
    said: SyncSender<String>,
}

impl Tab {
    /// A tab, and what its engines say as JSON.
    pub(super) fn new() -> (Tab, Receiver<String>) {
        let (said, heard) = sync_channel(MAX_UNREAD);
        (Tab { engines: Mutex::default(), said }, heard)
    }

    pub(super) fn take(&self, message: Message) {
        let number = message.engine;
        let voice = Voice { engine: number, said: self.said.clone() };
        let mut engines = lock(&self.engines);
        if message.close {
            engines.remove(&number);
            return;
        }
        if engines.len() >= MAX_ENGINES && !engines.contains_key(&number) {
            return voice.fail("too many engines in one tab");
        }
        let engine = engines.entry(number).or_insert_with(|| Engine::new(voice));
        if let Some(line) = message.line {
            engine.line(&line);
        }
        if let Some(question) = message.question {
            engine.question(&question);
        }
    }
}

/// By which an engine is heard in its tab.
#[derive(Clone)]
struct Voice {
    engine: u64,
    said: SyncSender<String>,
}

impl Voice {
    /// Says something; false if the tab is gone.
    fn say(&self, key: &str, value: &Value) -> bool {
        self.said.send(json!({ "engine": self.engine, key: value }).to_string()).is_ok()
    }

    fn fail(&self, error: &str) {
        self.say("failure", &error.into());
    }
}

struct Engine {
    voice: Voice,
    /// What the session reads.
    input: Option<PipeWriter>,
    questions: Option<Sender<String>>,
    /// Ends a study.
    halt: Halt,
}

impl Engine {
    fn new(voice: Voice) -> Engine {
        Engine { voice, input: None, questions: None, halt: Halt::default() }
    }

    /// Hands a line to the session. It is set nothing that names a file: a page needs none.
    fn line(&mut self, line: &str) {
        let line = line.lines().next().unwrap_or_default();
        if let Command::SetOption { name, .. } = Command::read(line)
            && let Some(OptionKind::Filename { .. } | OptionKind::Text { .. }) =
                Options::find(&name).map(|spec| &spec.kind)
        {
            self.voice.say("line", &format!("info string error: {name} is not set by a page").into());
            return;
        }
        if let Err(error) = self.session().and_then(|input| writeln!(input, "{line}")) {
            self.voice.fail(&error.to_string());
        }
    }

    /// The input of the session, which is started when it is first needed.
    fn session(&mut self) -> io::Result<&mut PipeWriter> {
        match &mut self.input {
            Some(input) => Ok(input),
            none => Ok(none.insert(start_session(self.voice.clone())?)),
        }
    }

    fn question(&mut self, question: &Value) {
        let questions = match &mut self.questions {
            Some(questions) => questions,
            none => match start_analyst(self.voice.clone(), self.halt.clone()) {
                Ok(questions) => none.insert(questions),
                Err(error) => return self.voice.fail(&error.to_string()),
            },
        };
        if questions.send(question.to_string()).is_err() {
            self.voice.fail("the analysis has ended");
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.halt.halt();
    }
}

/// Starts a session that speaks USI. It ends with its input.
fn start_session(voice: Voice) -> io::Result<PipeWriter> {
    let (input, to_session) = pipe()?;
    let (from_session, output) = pipe()?;
    let failure = voice.clone();
    spawn("USI of a page", move || {
        if let Err(error) = usi::run(input, output) {
            failure.fail(&error.to_string());
        }
    })?;
    spawn("lines for a page", move || {
        for line in BufReader::new(from_session).lines() {
            let Ok(line) = line else { return };
            if !voice.say("line", &line.into()) {
                return;
            }
        }
    })?;
    Ok(to_session)
}

/// Starts an analyst. It ends when nobody can ask any more.
fn start_analyst(voice: Voice, halt: Halt) -> io::Result<Sender<String>> {
    let (questions, asked) = channel::<String>();
    spawn("analyst of a page", move || {
        let mut answerer = Answerer::until(halt);
        for question in asked {
            let answer = answerer.answer(&question, &mut |part| {
                voice.say("part", &serde_json::from_str(part).expect("a part is JSON"));
            });
            voice.say("answer", &serde_json::from_str(&answer).expect("an answer is JSON"));
        }
    })?;
    Ok(questions)
}
