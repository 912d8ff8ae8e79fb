//! The end of a session that the user wants, and the one that nobody wants.

use super::mock::{LOGIN, Mock, begin, summary_at, until_start};
use super::{client, ends, games, moves, records, texts};
use crate::scripted;
use crate::shell::Folder;
use komainu::notation::record::Ending;
use std::fs;
use std::time::{Duration, Instant};

/// Waits until a file of the records holds a text.
fn await_text(folder: &Folder, extension: &str, text: &str) {
    let until = Instant::now() + Duration::from_secs(30);
    while Instant::now() < until {
        let names = fs::read_dir(folder.path("records")).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut names = names.filter(|path| path.extension().is_some_and(|found| found == extension));
        if names.any(|path| fs::read_to_string(path).is_ok_and(|found| found.contains(text))) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("no {text} in a file {extension}");
}

#[cfg(unix)]
#[test]
fn a_kill_in_the_middle_of_a_game_leaves_a_record_with_all_moves() {
    let folder = Folder::new("csa-kill");
    let script = until_start("-")
        + "> +7776FU,T1\n< -3334FU*\n> -3334FU,T1\n> +2726FU,T2\n< -8384FU*\n> -8384FU,T1\n\
                                            > +2625FU,T3\nawait 1\n";
    let mock = Mock::start([script]);
    let engine = scripted::command(&folder.path(""), "engine", "score 35 3c3d\n8c8d\nhang\n");
    let mut child = client(&mock, &folder, &["--engine", &engine]).spawn().unwrap();
    await_text(&folder, "csa", "+2625FU");
    await_text(&folder, "kifu", "２五歩");
    await_text(&folder, "jsonl", "2f2e");
    crate::shell::signal(&child, "-9");
    child.wait().unwrap();
    mock.proceed();
    mock.finish();
    let records = records(&folder);
    assert_eq!(moves(&records[0]), "7g7f 3c3d 2g2f 8c8d 2f2e");
    assert_eq!(records[0].moves[1].comments[0], "* -35 #77");
    assert_eq!(records[0].conclusion, None);
    assert!(!folder.path("records/games.jsonl").exists());
    // The next session in this folder lists the game before its own.
    let mock = Mock::start([until_start("-") + "> +7776FU,T1\n> #TIME_UP\n> #WIN\n"]);
    let output = client(&mock, &folder, &["--engine", &engine, "--games", "1"]).output().unwrap();
    mock.finish();
    assert!(texts(&output).1.contains("a game of an earlier session is added to the list: a - b"), "{output:?}");
    let listed = games(&folder);
    let moves: Vec<&str> = listed[0].moves.iter().map(|played| played.mv.as_str()).collect();
    assert_eq!(moves, ["7g7f", "3c3d", "2g2f", "8c8d", "2f2e"]);
    assert_eq!((listed.len(), listed[0].ending, listed[0].result(), listed[1].game), (2, Ending::Error, None, 1));
    let left = fs::read_dir(folder.path("records")).unwrap().flatten();
    assert!(left.map(|entry| entry.file_name()).all(|name| !name.to_string_lossy().starts_with("unfinished")));
}

#[cfg(unix)]
#[test]
fn the_first_interrupt_plays_on_and_the_second_resigns() {
    let folder = Folder::new("csa-interrupt");
    let script = until_start("-")
        + "> +7776FU,T1\n< -3334FU*\n> -3334FU,T1\nawait 1\n> +2726FU,T2\n< -8384FU*\n\
                                            > -8384FU,T1\nawait 2\n> +2625FU,T3\n< %TORYO\n> %TORYO\n> #RESIGN\n> #LOSE\n";
    let mock = Mock::start([script]);
    let engine = scripted::command(&folder.path(""), "engine", "3c3d\n8c8d\n");
    let child = client(&mock, &folder, &["--engine", &engine]).spawn().unwrap();
    await_text(&folder, "csa", "-3334FU");
    crate::shell::signal(&child, "-INT");
    std::thread::sleep(Duration::from_millis(100));
    mock.proceed();
    await_text(&folder, "csa", "-8384FU");
    crate::shell::signal(&child, "-TERM");
    std::thread::sleep(Duration::from_millis(100));
    mock.proceed();
    let output = child.wait_with_output().unwrap();
    mock.finish();
    let (out, errors) = texts(&output);
    assert_eq!(output.status.code(), Some(130), "{out}\n{errors}");
    assert_eq!(moves(&records(&folder)[0]), "7g7f 3c3d 2g2f 8c8d 2f2e");
    assert_eq!(out.lines().last(), Some("games 1 wins 0 losses 1 draws 0 others 0"), "{out}");
}

#[test]
fn the_file_stop_ends_the_session_after_the_game() {
    let folder = Folder::new("csa-stop");
    let script = until_start("-") + "> +7776FU,T1\n< -3334FU*\n> -3334FU,T1\nawait 1\n> #TIME_UP\n> #WIN\n";
    let mock = Mock::start([script]);
    let engine = scripted::command(&folder.path(""), "engine", "3c3d\n");
    let child = client(&mock, &folder, &["--engine", &engine]).spawn().unwrap();
    await_text(&folder, "csa", "-3334FU");
    folder.write("records/stop", "");
    mock.proceed();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    mock.finish();
    assert_eq!(games(&folder).len(), 1);
    // With the file there no game is begun at all.
    let nobody = Mock::start([""; 0]);
    let (out, _) = ends(client(&nobody, &folder, &["--engine", &engine]), 0);
    assert!(out.contains("no game is begun"), "{out}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_while_waiting_for_a_game_ends_at_once() {
    let folder = Folder::new("csa-waiting");
    let mock = Mock::start([format!("< {LOGIN}\n> LOGIN:me OK\n< LOGOUT\n> LOGOUT:completed\n")]);
    let child = client(&mock, &folder, &[]).spawn().unwrap();
    await_text(&folder, "log", "LOGIN:me OK");
    let began = Instant::now();
    crate::shell::signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert!(output.status.code() == Some(130) && began.elapsed() < Duration::from_secs(5));
    mock.finish();
}

/// A game whose server confirms no move from some point on, with these times.
fn silent_server(steps: &str, time: &str) -> Mock {
    Mock::start([begin(LOGIN, &summary_at("-", "", time, "PI;+")) + steps])
}

#[cfg(unix)]
#[test]
fn one_signal_ends_the_wait_for_a_server_that_does_not_answer() {
    // An own move is not confirmed; the clock of the opponent is out.
    let unconfirmed = "> +7776FU,T1\n< -3334FU*\nawait 1\n";
    let out_of_time = "> +7776FU,T1\n< -3334FU*\n> -3334FU,T1\nawait 1\n";
    for (name, steps) in [("unconfirmed", unconfirmed), ("out-of-time", out_of_time)] {
        let folder = Folder::new(&format!("csa-silent-{name}"));
        let mock = silent_server(steps, "Time_Unit:1sec;Total_Time:2;Byoyomi:0;Least_Time_Per_Move:0");
        let engine = scripted::command(&folder.path(""), "engine", "3c3d\n");
        let child = client(&mock, &folder, &["--engine", &engine]).spawn().unwrap();
        await_text(&folder, "csa", "+7776FU");
        let began = Instant::now();
        crate::shell::signal(&child, "-TERM");
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{name}: {:?}", texts(&output));
        assert!(began.elapsed() < Duration::from_secs(12), "{name}: {:?}", began.elapsed());
        assert!(games(&folder)[0].detail.contains("the server does not answer"), "{name}");
        mock.proceed();
        mock.finish();
    }
}

#[test]
fn a_server_that_does_not_answer_is_given_up_when_both_clocks_and_the_patience_are_out() {
    let folder = Folder::new("csa-given-up");
    let mock = silent_server(
        "> +7776FU,T1\n< -3334FU*\n> -3334FU,T1\nawait 1\n",
        "Time_Unit:1sec;Total_Time:1;Byoyomi:0;Increment:1;Least_Time_Per_Move:0",
    );
    let engine = scripted::command(&folder.path(""), "engine", "3c3d\n");
    let began = Instant::now();
    let output = client(&mock, &folder, &["--engine", &engine, "--patience", "1", "--games", "1"]).output().unwrap();
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", texts(&output));
    assert!(games(&folder)[0].detail.contains("the server does not answer"), "{:?}", texts(&output));
    mock.proceed();
    mock.finish();
}
