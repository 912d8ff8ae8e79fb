//! `komainu csa` against a server that does what a script says.

mod mock;

mod endings;
mod engines;
mod faults;
mod live;
mod logins;
mod secrets;
mod stops;

use crate::scripted;
use crate::shell::{Folder, game_lines, komainu, stderr, stdout};
use komainu::notation::csa;
use komainu::notation::json::GameLine;
use komainu::notation::record::GameRecord;
use mock::Mock;
use std::process::{Command, Output, Stdio};

/// The client of a mock server, with the name `me` and the password `sesame`; its records and its log go to a folder.
fn client(mock: &Mock, folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = komainu(&["csa", &mock.address(), "--name", "me", "--retries", "20", "--log", "all"]);
    if !arguments.contains(&"--relogin") {
        command.args(["--relogin", "0"]);
    }
    command.args(["--record", &folder.text("records")]).args(arguments);
    command.env("KOMAINU_CSA_PASSWORD", "sesame").stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A client that must end with this code; what it printed, and what it said on standard error.
#[track_caller]
fn ends(mut command: Command, code: i32) -> (String, String) {
    let output = command.output().expect("the binary runs");
    let (out, errors) = texts(&output);
    assert_eq!(output.status.code(), Some(code), "{out}\n{errors}");
    (out, errors)
}

/// A client that must end well; what it printed.
#[track_caller]
fn run(command: Command) -> String {
    ends(command, 0).0
}

fn texts(output: &Output) -> (String, String) {
    (stdout(output), stderr(output))
}

/// Follows the scripts with an engine of these steps, for a client that must end with this code; what it printed, and
/// what it said on standard error.
#[track_caller]
fn play(
    folder: &Folder,
    scripts: impl IntoIterator<Item = String>,
    steps: &str,
    arguments: &[&str],
    code: i32,
) -> (String, String) {
    let mock = Mock::start(scripts);
    let engine = scripted::command(&folder.path(""), "engine", steps);
    let told = ends(client(&mock, folder, &[&["--engine", &engine], arguments].concat()), code);
    mock.finish();
    told
}

/// The games of the list of a folder of records.
fn games(folder: &Folder) -> Vec<GameLine> {
    game_lines(&folder.path("records"))
}

/// The records in CSA's format of a folder, in the order of their names.
fn records(folder: &Folder) -> Vec<GameRecord> {
    let mut names: Vec<_> = std::fs::read_dir(folder.path("records"))
        .expect("there is a folder")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "csa"))
        .collect();
    // Records of one second are told apart by a number behind the names.
    names.sort_by_key(|path| {
        let name = path.file_name().expect("it has one").to_string_lossy().into_owned();
        (name[..15].to_string(), name.len(), name)
    });
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("it is UTF-8");
        csa::read(&text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", path.display())).record
    };
    names.iter().map(read).collect()
}

fn moves(record: &GameRecord) -> String {
    record.moves.iter().map(|made| made.mv.to_string()).collect::<Vec<_>>().join(" ")
}
