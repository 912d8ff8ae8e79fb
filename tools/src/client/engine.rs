//! One engine: started, told its options, spoken to, ended.

use super::answer::Answer;
use super::files::{FileStamp, OptionFiles};
use super::reader::{EngineEvent, EngineLine, EngineState, Infos, LineReader, MemoryInput, MemoryOutput};
use super::transcript::{Listener, Speaker};
use crate::process::{Launch, NoLine, Process};
use komainu::protocol::{BestMove, Command, EngineOption, Go, Id, Info, OptionType, PositionCommand, READYOK, USIOK};
use komainu::types::{Quoted, Visible, opaque_debug};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel, sync_channel};
use std::time::{Duration, Instant};
use std::{io, thread};
use thiserror::Error;

/// Longest time that an engine may take to end after `quit`.
pub(crate) const QUIT_TIMEOUT: Duration = Duration::from_secs(3);
/// Longest wait for the end of an engine that has closed its output, and then for its last words on standard error.
const END_TIMEOUT: Duration = Duration::from_millis(500);
/// The longest silence that is waited for unless another one is set: reading a large book or net takes tens of seconds.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
/// Interval at which it is looked whether nobody wants to wait any more.
const HALT_POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Lines that wait to be read; further ones are thrown away.
const MAX_WAITING: usize = 1_024;

/// Names of options that mean the same, first the one of USI.
const ALIASES: [[&str; 2]; 3] = [["USI_Hash", "Hash"], ["USI_Ponder", "Ponder"], ["USI_MultiPV", "MultiPV"]];

/// An option that an engine lists, by this name or by another that means the same, in any case.
pub fn listed_option<'a>(options: &'a [EngineOption], name: &str) -> Option<&'a EngineOption> {
    let listed = |name: &str| options.iter().find(|option| option.name.eq_ignore_ascii_case(name));
    let means_it = |names: &&[&str; 2]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    listed(name).or_else(|| ALIASES.iter().find(means_it)?.iter().find_map(|name| listed(name)))
}

/// Where an engine comes from.
#[derive(Debug)]
pub enum Source<'a> {
    /// A program.
    Program(&'a Launch),
    /// A session within this process, on a thread of its own.
    Within(fn(MemoryInput, MemoryOutput)),
}

/// Settings of a conversation.
#[derive(Clone)]
pub struct Setup {
    /// The reports of a search that are kept.
    pub infos: Infos,
    /// The longest silence of the engine that is waited for. Whoever talks is alive: each of its lines, also an empty
    /// one, begins the time anew, however long it reads its book before `readyok`.
    pub timeout: Duration,
    /// The longest silence within a search, beyond the time that the move may take.
    pub search_timeout: Duration,
    /// What is told of all lines.
    pub listener: Arc<dyn Listener>,
    /// A flag that ends every wait for the engine.
    pub halt: Option<Arc<AtomicBool>>,
}

opaque_debug!(Setup);

impl Default for Setup {
    fn default() -> Setup {
        Setup::of_patience(DEFAULT_TIMEOUT)
    }
}

impl Setup {
    /// A conversation with this timeout, and one of ten times that in a search: many engines report nothing between two
    /// iterations, and a late one takes minutes.
    pub fn of_patience(timeout: Duration) -> Setup {
        Setup { infos: Infos::default(), timeout, search_timeout: timeout * 10, listener: Arc::new(()), halt: None }
    }
}

/// The way to an engine.
enum Link {
    Program(Box<Process>),
    Within(Sender<Vec<u8>>),
}

/// A running engine. When it is dropped it gets `quit` and three seconds to write what it has to write, then it is killed.
///
/// ```no_run
/// use komainu_tools::client::{Setup, UsiEngine};
/// use komainu::position::Position;
/// use komainu_tools::process::Launch;
/// use komainu::protocol::{Go, PositionCommand};
///
/// let mut engine = UsiEngine::start(&Launch::new("./engine", None)?, Setup::default())?;
/// engine.set("Threads", "2")?;
/// engine.ready()?;
/// engine.new_game()?;
/// let start = PositionCommand::new(&Position::startpos());
/// let answer = engine.ask(&start, &Go { nodes: Some(10_000), ..Go::default() })?;
/// println!("{} plays {:?}", engine.name(), answer.best);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct UsiEngine {
    link: Link,
    /// The program that it is: this one, for a session within it.
    launch: Launch,
    /// The files that its arguments named when it was started.
    arguments: Vec<FileStamp>,
    /// The lines that it says; none if they go to a function.
    lines: Option<Receiver<EngineLine>>,
    setup: Setup,
    state: EngineState,
    name: String,
    options: Vec<EngineOption>,
    /// Options that it was sent, by the name that it lists.
    sent: BTreeMap<String, String>,
    /// It has answered `isready` since it was sent an option.
    is_ready: bool,
}

opaque_debug!(UsiEngine);

impl UsiEngine {
    /// Starts a program and waits until it has listed its options.
    pub fn start(launch: &Launch, setup: Setup) -> Result<UsiEngine, EngineError> {
        UsiEngine::start_source(Source::Program(launch), setup)
    }

    /// Starts a session of this engine within this process, and waits until it has listed its options.
    pub fn start_within(setup: Setup) -> Result<UsiEngine, EngineError> {
        UsiEngine::start_source(Source::Within(|input, output| _ = komainu::usi::run(input, output)), setup)
    }

    fn start_source(source: Source<'_>, setup: Setup) -> Result<UsiEngine, EngineError> {
        let (sender, lines) = sync_channel(MAX_WAITING);
        let on_event = move |event| {
            if let EngineEvent::Line(line) = event {
                // Nobody has to keep up with an engine that says more than it is asked.
                _ = sender.try_send(line);
            }
        };
        let command = match source {
            Source::Program(launch) => launch.to_command(),
            Source::Within(_) => "a session".to_string(),
        };
        let start = UsiEngine::connect(source, setup, on_event);
        let mut engine = start.map_err(|error| EngineError::Start(command, error))?;
        engine.lines = Some(lines);
        engine.send(Command::Usi)?;
        engine.await_word(USIOK)?;
        Ok(engine)
    }

    /// Starts an engine to which nothing is said yet. Its lines go to `on_event`, which hands them to
    /// [`UsiEngine::take`]; [`EngineEvent::Closed`] comes last.
    pub fn connect(
        source: Source<'_>,
        setup: Setup,
        on_event: impl FnMut(EngineEvent) + Send + 'static,
    ) -> io::Result<UsiEngine> {
        let state = EngineState::new();
        let mut reader = LineReader {
            state: state.clone(),
            infos: setup.infos,
            listener: Arc::clone(&setup.listener),
            on_event: Box::new(on_event),
        };
        let launch = match source {
            Source::Program(launch) => launch.clone(),
            Source::Within(_) => Launch::of_program(&std::env::current_exe().unwrap_or_default()),
        };
        let arguments = launch.argument_files().into_iter().map(FileStamp::of).collect();
        let link = match source {
            Source::Program(launch) => {
                let process = Process::start_with_handler(launch, move |line| reader.read_line(line.at, &line.text))?;
                Link::Program(Box::new(process))
            }
            Source::Within(run) => {
                let (sender, receiver) = channel();
                let input = MemoryInput::new(receiver);
                let output = MemoryOutput::new(reader);
                thread::Builder::new().name("engine".into()).spawn(move || run(input, output))?;
                Link::Within(sender)
            }
        };
        Ok(UsiEngine {
            link,
            launch,
            arguments,
            lines: None,
            setup,
            state,
            name: String::new(),
            options: Vec::new(),
            sent: BTreeMap::new(),
            is_ready: false,
        })
    }

    /// Tests whether it runs within this process.
    pub fn is_within(&self) -> bool {
        matches!(self.link, Link::Within(_))
    }

    /// Name that it gives itself; empty if it has given none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The options that it lists.
    pub fn options(&self) -> &[EngineOption] {
        &self.options
    }

    /// The options that it was sent, by name.
    pub fn sent(&self) -> &BTreeMap<String, String> {
        &self.sent
    }

    /// An option that it lists, by this name or by another that means the same, in any case.
    pub fn option(&self, name: &str) -> Option<&EngineOption> {
        listed_option(&self.options, name)
    }

    /// Tests whether it takes an option: one that it lists, or one that engines take without listing it.
    pub fn takes(&self, name: &str) -> bool {
        self.option(name).is_some() || EngineOption::reserved(name).is_some()
    }

    /// Sets an option. One that the engine does not take and a value that does not fit are errors, and are not sent; a
    /// value that it has already is not sent again.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), EngineError> {
        let option = self.option_for(name, value)?;
        let is_set = self.sent.get(&option.name).is_some_and(|sent| sent == value);
        if is_set && option.kind != OptionType::Button { Ok(()) } else { self.set_unlisted(&option.name, value) }
    }

    /// Sets an option and sends it also if it has this value already: the conversation of a game then tells the value.
    pub fn set_again(&mut self, name: &str, value: &str) -> Result<(), EngineError> {
        let option = self.option_for(name, value)?;
        self.set_unlisted(&option.name, value)
    }

    /// The option of this name, which must take the value.
    fn option_for(&self, name: &str, value: &str) -> Result<EngineOption, EngineError> {
        let option = self.option(name).cloned().or_else(|| EngineOption::reserved(name));
        let option = option.ok_or_else(|| EngineError::NotListed(name.to_string()))?;
        option.check(value).map_err(|fault| EngineError::Option(name.to_string(), fault))?;
        Ok(option)
    }

    /// Sets an option if the engine takes it.
    pub fn set_if_taken(&mut self, name: &str, value: &str) -> Result<(), EngineError> {
        if self.takes(name) { self.set(name, value) } else { Ok(()) }
    }

    /// Sends an option as it is, whatever the engine lists.
    pub fn set_unlisted(&mut self, name: &str, value: &str) -> Result<(), EngineError> {
        self.sent.insert(name.to_string(), value.to_string());
        self.is_ready = false;
        self.send(Command::set_option(name, value))
    }

    /// Sets how many lines a search shows. An engine that has no option for it shows one.
    pub fn set_lines(&mut self, lines: usize) -> Result<(), EngineError> {
        match self.set("MultiPV", &lines.to_string()) {
            Err(EngineError::NotListed(_)) if lines <= 1 => Ok(()),
            Err(EngineError::NotListed(_)) => Err(EngineError::OneLine(lines)),
            result => result,
        }
    }

    /// Threads that it searches with, by its options.
    pub fn threads(&self) -> usize {
        let set = self.sent.iter().find(|(name, _)| name.eq_ignore_ascii_case("Threads")).map(|(_, value)| value);
        let value = set.or_else(|| self.option("Threads").map(|option| &option.default));
        value.and_then(|value| value.parse().ok()).unwrap_or(1).max(1)
    }

    /// The files that it is: its program and those of its options, by whole paths.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self.launch.program().into_iter().collect();
        files.extend(self.option_files().found());
        files
    }

    /// The files that its arguments name and that have not changed since its start: what it writes, such as its log, is
    /// no part of it.
    pub fn argument_files(&self) -> Vec<PathBuf> {
        let is_unchanged = |stamp: &&FileStamp| FileStamp::of(stamp.path.clone()) == **stamp;
        self.arguments.iter().filter(is_unchanged).map(|stamp| stamp.path.clone()).collect()
    }

    /// Fails if an option that it was sent names a file that is not there: engines go on with another net or without a
    /// book then, and few say so.
    pub fn check_files(&self) -> Result<(), EngineError> {
        self.option_files().check().map_err(|(name, why)| EngineError::Option(name, why))
    }

    fn option_files(&self) -> OptionFiles<'_> {
        OptionFiles { listed: &self.options, sent: &self.sent, launch: &self.launch }
    }

    /// Has it read what its options name, which must be there, and waits until it is ready.
    pub fn ready(&mut self) -> Result<(), EngineError> {
        if !self.is_ready {
            self.check_files()?;
        }
        self.send(Command::IsReady)?;
        self.await_word(READYOK)?;
        self.is_ready = true;
        Ok(())
    }

    /// Tests whether it has been sent an option since it was ready last.
    pub fn needs_ready(&self) -> bool {
        !self.is_ready
    }

    /// It has answered `isready`, as the function that has its lines saw.
    pub fn note_ready(&mut self) {
        self.is_ready = true;
    }

    /// What is said from now on belongs to another game: lines that wait are those of the one before.
    pub fn begin_game(&self) {
        self.drain();
        self.setup.listener.begin_game();
    }

    fn drain(&self) {
        let now = Instant::now();
        while self.line(Some(now)).is_ok() {}
    }

    /// Prepares it for a game.
    pub fn new_game(&mut self) -> Result<(), EngineError> {
        self.drain();
        if !self.is_ready {
            self.ready()?;
        }
        self.send(Command::NewGame)?;
        // What it does for a new game must not cost time of the first move.
        self.ready()
    }

    /// Searches a position and waits for the answer, as long as the engine is not silent for longer than
    /// [`Setup::search_timeout`] beyond the time that the move may take.
    pub fn ask(&mut self, position: &PositionCommand, go: &Go) -> Result<Answer, EngineError> {
        self.ask_until(position, go, &mut || false)
    }

    /// Searches as [`UsiEngine::ask`] does, and ends the search once the function that is asked every 20 ms says so: the
    /// answer is then what the engine has found until `stop`. A search without a limit is waited for until then.
    pub fn ask_until(
        &mut self,
        position: &PositionCommand,
        go: &Go,
        is_enough: &mut dyn FnMut() -> bool,
    ) -> Result<Answer, EngineError> {
        let began = Instant::now();
        self.send(format_args!("{position}\n{}", Command::Go(Box::new(go.clone()))))?;
        let mut timeout = self.setup.search_timeout + go.longest_time();
        let mut is_stopped = false;
        self.state.restart_timeout();
        loop {
            if let Some(line) = self.line_soon("bestmove", timeout, is_stopped || !go.is_endless())?
                && let Some(best) = BestMove::read(&line.text)
            {
                return Ok(Answer { best, took: line.at.saturating_duration_since(began), infos: line.infos });
            }
            if !is_stopped && is_enough() {
                self.stop()?;
                self.state.restart_timeout();
                timeout = self.setup.timeout;
                is_stopped = true;
            }
        }
    }

    /// Has it end its search at once. The answer is still to come.
    pub fn stop(&mut self) -> Result<(), EngineError> {
        self.send(Command::Stop)
    }

    /// Sends a command, or several with line ends between them in one piece.
    pub fn send(&mut self, text: impl Display) -> Result<(), EngineError> {
        let mut text = text.to_string();
        self.setup.listener.note(Speaker::Client, Instant::now(), &text);
        text.push('\n');
        let sent = match &mut self.link {
            Link::Program(process) => process.send(text.as_bytes()).is_ok(),
            Link::Within(sender) => sender.send(text.into_bytes()).is_ok(),
        };
        if sent { Ok(()) } else { Err(self.ended()) }
    }

    /// The next line that is no `info`; waits for it up to a moment, for ever without one.
    pub fn line(&self, deadline: Option<Instant>) -> Result<EngineLine, NoLine> {
        let lines = self.lines.as_ref().ok_or(NoLine::Closed)?;
        if let Link::Program(process) = &self.link
            && let Some(mut output) = process.lock_output()
        {
            loop {
                match lines.try_recv() {
                    Ok(line) => return Ok(line),
                    Err(TryRecvError::Disconnected) => return Err(NoLine::Closed),
                    Err(TryRecvError::Empty) => output.read(deadline)?,
                }
            }
        }
        let Some(deadline) = deadline else { return lines.recv().map_err(|_| NoLine::Closed) };
        lines.recv_timeout(deadline.saturating_duration_since(Instant::now())).map_err(|error| match error {
            RecvTimeoutError::Timeout => NoLine::Late,
            RecvTimeoutError::Disconnected => NoLine::Closed,
        })
    }

    /// The next line if there is one within a moment. Too long a silence before it is an error if the engine may time
    /// out.
    fn line_soon(
        &mut self,
        word: &'static str,
        timeout: Duration,
        may_time_out: bool,
    ) -> Result<Option<EngineLine>, EngineError> {
        if self.setup.halt.as_ref().is_some_and(|halt| halt.load(Ordering::Relaxed)) {
            return Err(EngineError::Halted);
        }
        let mut deadline = Instant::now() + HALT_POLL_INTERVAL;
        if may_time_out {
            deadline = deadline.min(self.state.last_line() + timeout);
        }
        match self.line(Some(deadline)) {
            Ok(line) => Ok(Some(line)),
            Err(NoLine::Closed) => Err(self.ended()),
            Err(NoLine::Late) if !may_time_out || self.state.last_line().elapsed() < timeout => Ok(None),
            Err(NoLine::Late) => Err(EngineError::Silent(word, timeout)),
        }
    }

    fn await_word(&mut self, word: &'static str) -> Result<(), EngineError> {
        self.state.restart_timeout();
        loop {
            let Some(line) = self.line_soon(word, self.setup.timeout, true)? else { continue };
            if line.text == word {
                return Ok(());
            }
            self.take(&line);
        }
    }

    /// Keeps what a line before `usiok` tells.
    pub fn take(&mut self, line: &EngineLine) {
        match Id::read(&line.text) {
            Some(Id::Name(name)) => self.name = name,
            Some(Id::Author(_)) => {}
            None => self.options.extend(EngineOption::read(&line.text)),
        }
    }

    /// Tests whether it has said nothing since a moment for longer than its timeout.
    pub fn is_silent(&self, since: Instant) -> bool {
        self.state.last_line().max(since).elapsed() >= self.setup.timeout
    }

    /// The longest silence that is waited for.
    pub fn timeout(&self) -> Duration {
        self.setup.timeout
    }

    /// The number by which the system knows its process, unless it runs within this one.
    pub fn process_id(&self) -> Option<u32> {
        match &self.link {
            Link::Program(process) => Some(process.id()),
            Link::Within(_) => None,
        }
    }

    /// The first `info string` lines since its start, once.
    pub fn take_strings(&mut self) -> Vec<String> {
        self.state.take_strings()
    }

    /// The last report of the search under way.
    pub fn last_info(&self) -> Option<Info> {
        self.state.last_info()
    }

    /// Forgets what it has reported: another search begins.
    pub fn forget_infos(&self) {
        self.state.forget();
    }

    /// Error with the way in which the engine ended; waits a moment for the process to be gone, and kills it if it is
    /// not.
    pub fn ended(&mut self) -> EngineError {
        let Link::Program(process) = &mut self.link else {
            return EngineError::Ended("the session is over".to_string());
        };
        process.close_input();
        let how = match process.exit_status(END_TIMEOUT) {
            Some(status) => status.to_string(),
            None => {
                process.kill();
                "it has closed its output".to_string()
            }
        };
        process.await_stderr(END_TIMEOUT);
        match process.stderr_tail() {
            words if words.is_empty() => EngineError::Ended(how),
            words => EngineError::Ended(format!("{how}: {}", words.replace(['\n', '\r'], " | "))),
        }
    }

    /// Ends it now, as it ends when it is dropped.
    pub fn quit(self) {}
}

impl Drop for UsiEngine {
    fn drop(&mut self) {
        self.setup.listener.note(Speaker::Client, Instant::now(), &Command::Quit.to_string());
        let last_words = format!("{}\n", Command::Quit).into_bytes();
        match &mut self.link {
            Link::Program(process) => process.quit(&last_words, QUIT_TIMEOUT),
            Link::Within(sender) => _ = sender.send(last_words),
        }
    }
}

/// Why an engine cannot go on. The texts do not name the engine: whoever has several does.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The command cannot be read or run.
    #[error("cannot start \"{}\": {}", Visible(.0), .1)]
    Start(String, #[source] io::Error),
    /// The process has ended: how, and the end of what it wrote to standard error.
    #[error("ended by itself: {}", Visible(.0))]
    Ended(String),
    /// The value of an option is none that it takes: the name, and why.
    #[error("option {0}: {1}")]
    Option(String, String),
    /// It lists no option of this name, nor one that means the same.
    #[error("lists no option {}", Quoted(.0))]
    NotListed(String),
    /// It has no option for the number of lines, and more than one are wanted.
    #[error("lists neither MultiPV nor USI_MultiPV: it cannot show {0} lines")]
    OneLine(usize),
    /// Its move is not legal.
    #[error("illegal move {}", Quoted(.0))]
    Illegal(String),
    /// It has been silent for so long, and has not said this word.
    #[error("no {}: silent for {} s", .0, .1.as_secs_f64())]
    Silent(&'static str, Duration),
    /// Nobody wants to wait for it any more.
    #[error("interrupted")]
    Halted,
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use tempfile::TempDir;

    /// A conversation with an engine of a shell script, which does something at `quit`, in a folder of its own.
    fn converse(at_quit: &str) -> (UsiEngine, TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("engine.sh");
        fs::write(
            &script,
            format!("while read -r line; do case $line in usi) echo usiok;; quit) {at_quit};; esac; done; sleep 60\n"),
        )
        .unwrap();
        let launch = Launch::new(&format!("/bin/sh '{}'", script.display()), Some(folder.path())).unwrap();
        (UsiEngine::start(&launch, Setup::default()).unwrap(), folder)
    }

    #[test]
    fn an_engine_that_is_dropped_may_write_what_it_has_learnt() {
        let (engine, folder) = converse("sleep 0.3; echo learnt > learnt.txt; exit");
        drop(engine);
        assert_eq!(fs::read_to_string(folder.path().join("learnt.txt")).unwrap(), "learnt\n");
    }

    #[test]
    fn an_engine_that_does_not_end_is_killed_and_one_that_has_ended_is_not_waited_for() {
        for (at_quit, least, most) in [("true", 3.0, 8.0), ("exit", 0.0, 2.9)] {
            let (engine, _folder) = converse(at_quit);
            let process = engine.process_id().unwrap();
            let began = Instant::now();
            drop(engine);
            let took = began.elapsed().as_secs_f64();
            assert!((least..most).contains(&took), "{at_quit}: {took} s");
            assert!(!std::path::Path::new(&format!("/proc/{process}")).exists(), "{at_quit}");
        }
    }

    #[test]
    fn a_file_that_the_engine_writes_is_none_of_those_that_its_arguments_name() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("e.sh", "echo x >> $1; while read -r line; do case $line in usi) echo usiok;; quit) exit;; esac; done"),
            ("old.log", "before\n"),
            ("set.ini", "a\n"),
        ] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        for log in ["old.log", "new.log"] {
            let launch = Launch::new(&format!("/bin/sh e.sh {log} set.ini"), Some(folder.path())).unwrap();
            let engine = UsiEngine::start(&launch, Setup::default()).unwrap();
            let files = engine.argument_files();
            let names: Vec<_> = files.iter().filter_map(|path| path.file_name()?.to_str()).collect();
            assert_eq!(names, ["e.sh", "set.ini"], "{log}");
        }
    }
}
