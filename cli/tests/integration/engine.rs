//! An engine as a process that speaks USI over pipes.

use crate::stopwatch::Stopwatch;
use komainu::notation::usi::{parse_move, parse_position};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Longer than anything takes on a busy machine; a test that waits this long has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A running engine, killed when it is dropped.
pub(crate) struct Engine {
    pub(crate) process: Child,
    pub(crate) input: Option<ChildStdin>,
    lines: Receiver<(Instant, String)>,
}

impl Engine {
    pub(crate) fn start() -> Engine {
        Engine::run(Command::new(env!("CARGO_BIN_EXE_komainu")))
    }

    /// Starts this command with its pipes connected.
    pub(crate) fn run(mut command: Command) -> Engine {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        let (sender, lines) = channel();
        let output = BufReader::new(process.stdout.take().unwrap());
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send((Instant::now(), line)))
        });
        let input = process.stdin.take();
        Engine { process, input, lines }
    }

    /// An engine that has been set up with a small table.
    pub(crate) fn ready() -> Engine {
        let mut engine = Engine::start();
        engine.ask("setoption name USI_Hash value 8\nisready", "readyok");
        engine
    }

    pub(crate) fn send(&mut self, text: &str) {
        self.send_bytes(format!("{text}\n").as_bytes());
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the engine reads");
    }

    pub(crate) fn line(&self) -> String {
        self.timed_line().1
    }

    /// A line and when it arrived.
    pub(crate) fn timed_line(&self) -> (Instant, String) {
        self.lines.recv_timeout(PATIENCE).expect("a line in time")
    }

    /// A line, unless none comes in this time.
    pub(crate) fn line_within(&self, patience: Duration) -> Option<String> {
        self.lines.recv_timeout(patience).ok().map(|(_, line)| line)
    }

    /// The lines up to the first that begins with this, which comes last.
    pub(crate) fn until(&self, start: &str) -> Vec<String> {
        let mut lines = vec![self.line()];
        while !lines[lines.len() - 1].starts_with(start) {
            lines.push(self.line());
        }
        lines
    }

    /// Sends this and returns the lines up to the first that begins with the other.
    pub(crate) fn ask(&mut self, text: &str, start: &str) -> Vec<String> {
        self.send(text);
        self.until(start)
    }

    /// Sends this and returns the lines up to `bestmove`.
    pub(crate) fn search(&mut self, text: &str) -> Vec<String> {
        self.ask(text, "bestmove")
    }

    /// Sends this and returns the line with `bestmove`.
    pub(crate) fn best(&mut self, text: &str) -> String {
        self.send(text);
        self.bestmove()
    }

    pub(crate) fn bestmove(&self) -> String {
        self.until("bestmove").pop().unwrap()
    }

    /// Panics if the engine says anything within this time.
    pub(crate) fn assert_silent(&self, millis: u64) {
        match self.lines.recv_timeout(Duration::from_millis(millis)) {
            Err(RecvTimeoutError::Timeout) => {}
            other => panic!("not silent: {other:?}"),
        }
    }

    /// Panics unless the engine plays a legal move from the start position.
    pub(crate) fn assert_alive(&mut self) {
        self.ask("isready", "readyok");
        let best = self.best("position startpos\ngo nodes 500");
        let start = parse_position("startpos").unwrap().position;
        parse_move(&start, best.split(' ').nth(1).unwrap()).unwrap_or_else(|error| panic!("{best}: {error}"));
    }

    /// Measures what the engine does from now on.
    pub(crate) fn stopwatch(&self) -> Stopwatch {
        Stopwatch::of(self.process.id())
    }

    /// Tells the engine to quit and waits for its end.
    pub(crate) fn quit(mut self) {
        self.send("quit");
        self.assert_ends();
    }

    /// Waits for the end of the process; it must be in good order and quiet on standard error. Returns how long it
    /// took.
    pub(crate) fn assert_ends(mut self) -> Duration {
        let started = Instant::now();
        let mut watch = self.stopwatch();
        let mut took;
        loop {
            took = watch.elapsed();
            if let Some(status) = self.process.try_wait().unwrap() {
                assert_eq!(status.code(), Some(0));
                break;
            }
            assert!(started.elapsed() < PATIENCE, "the engine does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
        let mut stderr = String::new();
        std::io::Read::read_to_string(&mut self.process.stderr.take().unwrap(), &mut stderr).unwrap();
        assert_eq!(stderr, "");
        took
    }
}

/// An empty folder of its own for a test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

/// The word behind this one on a line.
pub(crate) fn word_after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let mut words = line.split(' ').skip_while(|&found| found != word);
    words.nth(1)
}

impl Drop for Engine {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}
