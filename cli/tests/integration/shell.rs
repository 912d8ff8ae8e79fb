//! The program as a shell calls it, and folders for its files.

use komainu::notation::json::GameLine;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Whether a text is one line in which everything can be seen: no control characters, no blanks but the common one, no
/// marks that turn or hide what is written, nothing that is no character.
pub(crate) fn is_visible(text: &str) -> bool {
    let is_hidden = |c| matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    let is_private = |c| matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..);
    text.chars().all(|c| c == ' ' || !(c.is_control() || c.is_whitespace() || is_hidden(c) || is_private(c)))
}

/// One such line, short enough for a log.
pub(crate) fn is_tidy(message: &str) -> bool {
    !message.is_empty() && message.len() < 4_000 && is_visible(message)
}

/// A folder for one test, removed in the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// The name must be that of no other test.
    pub(crate) fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("komainu-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder can be made");
        Folder(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.path(name).to_str().expect("a path in UTF-8").to_string()
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("the file is there")
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("the file is there")
    }

    /// The path of a program of these lines for `/bin/sh`.
    #[cfg(unix)]
    pub(crate) fn script(&self, name: &str, lines: &str) -> String {
        let path = self.write(name, format!("#!/bin/sh\n{lines}\n"));
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("it can be run");
        path
    }

    /// The path of what is written.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        fs::write(self.path(name), bytes).expect("it can be written");
        self.text(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn komainu(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_komainu"));
    command.args(arguments).stdin(Stdio::null());
    command
}

pub(crate) fn run(arguments: &[&str]) -> Output {
    komainu(arguments).output().expect("the binary runs")
}

/// Sends a process a signal by its name, such as `-INT`.
#[cfg(unix)]
pub(crate) fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(status.expect("kill runs").success());
}

/// Waits until something is there, at most longer than anything takes on a busy machine.
pub(crate) fn wait_for(what: &str, mut is_there: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_there() {
        assert!(began.elapsed() < Duration::from_secs(300), "no {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// The standard output of a call.
pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("output is UTF-8")
}

/// What a call says on standard error.
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("output is UTF-8")
}

/// The last line of the standard output of a call.
pub(crate) fn last_line(output: &Output) -> String {
    stdout(output).lines().last().unwrap_or_default().to_string()
}

/// What a call prints that must succeed.
pub(crate) fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("output is UTF-8")
}

/// The message of a call that must fail for bad usage.
pub(crate) fn refusal(arguments: &[&str]) -> String {
    refused(&run(arguments))
}

/// Panics unless a call fails for bad usage with a message that contains this.
#[track_caller]
pub(crate) fn refuses(arguments: &[&str], part: &str) {
    let message = refusal(arguments);
    assert!(message.contains(part), "{message}");
}

/// The message, one line, of a call that has failed for bad usage.
#[track_caller]
pub(crate) fn refused(output: &Output) -> String {
    let text = stderr(output);
    assert_eq!((output.status.code(), text.lines().count()), (Some(2), 1), "{output:?}");
    text.trim_end().to_string()
}

/// This engine under a name, as `match --engine` takes it.
pub(crate) fn own_engine(name: &str) -> String {
    format!("{name}='{}'", env!("CARGO_BIN_EXE_komainu"))
}

/// The games of a folder.
pub(crate) fn game_lines(folder: &Path) -> Vec<GameLine> {
    let text = fs::read_to_string(folder.join("games.jsonl")).expect("there are games");
    text.lines().map(|line| serde_json::from_str(line).expect("a game")).collect()
}
