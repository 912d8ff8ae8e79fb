//! Matches as those run them who must answer for the results: which engines played, what was said, what was whose
//! fault.

mod engines;

use crate::scripted;
use crate::shell::{Folder, game_lines, komainu, own_engine, refused, run, stderr, stdout, wait_for};
use komainu::notation::json::GameLine;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const KOMAINU: &str = env!("CARGO_BIN_EXE_komainu");

/// A match in a folder of its own between engines that resign at once, unless they follow a script.
struct Match {
    folder: Folder,
    engines: Vec<String>,
}

impl Match {
    fn new(name: &str, scripts: [&str; 2]) -> Match {
        let folder = Folder::new(name);
        let command =
            |(name, script): (&str, &str)| format!("{name}={}", scripted::command(&folder.path(""), name, script));
        let engines = ["a", "b"].into_iter().zip(scripts).map(command).collect();
        Match { folder, engines }
    }

    fn out(&self) -> PathBuf {
        self.folder.path("m")
    }

    fn command(&self, more: &[&str]) -> Command {
        let out = self.folder.text("m");
        let mut command = komainu(&["match", "--out", &out]);
        for engine in &self.engines {
            command.args(["--engine", engine]);
        }
        command.args(["--nodes", "10"]).args(more);
        command
    }

    fn play(&self, more: &[&str]) -> Output {
        self.command(more).output().expect("the program runs")
    }

    fn resume(&self, more: &[&str]) -> Output {
        let out = self.folder.text("m");
        run(&[&["match", "--out", &out, "--resume"], more].concat())
    }

    fn games(&self) -> Vec<GameLine> {
        game_lines(&self.out())
    }

    fn plan(&self) -> String {
        fs::read_to_string(self.out().join("match.toml")).expect("there is a plan")
    }

    fn log(&self, name: &str) -> String {
        fs::read_to_string(self.out().join("logs").join(name)).expect("there is a log")
    }
}

#[test]
fn values_of_options_are_held_against_what_the_engine_lists() {
    let game = Match::new("org-options", ["", ""]);
    let told = refused(&game.play(&["--games", "2", "--option", "a:Level=abc"]));
    assert!(told.contains("engine a: option Level: \"abc\" is no whole number from 1 to 5"), "{told}");
    let told = refused(&game.play(&["--games", "2", "--option", "b:USI_Hash=0"]));
    assert!(told.contains("engine b: option USI_Hash: \"0\" is not from 1 to"), "{told}");
    let told = refused(&game.play(&["--games", "2", "--option", "a:Nope=1"]));
    assert!(told.contains("engine a lists no option Nope; --lenient"), "{told}");
    assert!(!game.out().exists(), "nothing is left of a match that cannot begin");
    let output = game.play(&["--games", "2", "--option", "a:Nope=1", "--lenient", "--option", "a:Style=wild"]);
    let said = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(said.contains("note: a does not list the option Nope\n"), "{said}");
    assert!(said.contains("note: a: heard setoption name Style value wild\n"), "{said}");
}

#[test]
fn what_each_engine_is_set_to_is_kept_and_one_may_differ() {
    let game = Match::new("org-each", ["", ""]);
    let output = game.play(&["--games", "2", "--each", "Level=3", "--option", "b:level=4"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let lines = game.games();
    let level =
        |line: &GameLine, side: usize| line.origin.as_ref().expect("kept").engines[side].options["Level"].clone();
    assert_eq!([level(&lines[0], 0), level(&lines[0], 1)], ["3", "4"]);
    let origin = lines[0].origin.as_ref().expect("kept");
    assert_eq!(origin.engines[0].id_name, "Scripted");
    assert!(!origin.machine.host.is_empty() && origin.machine.cores >= 1);
    let plan = game.plan();
    assert!(plan.contains("id_name = \"Scripted\"") && plan.contains("[[machine]]"), "{plan}");
}

#[cfg(unix)]
#[test]
fn a_match_goes_on_from_any_folder_and_with_the_same_engines_only() {
    let folder = Folder::new("org-identity");
    let engine_of = |note: &str| folder.script("engine.sh", &format!("# {note}\nexec '{KOMAINU}'"));
    let engine = engine_of("first");
    let out = folder.text("m");
    let mut command = komainu(&["match", "--engine", "a=./engine.sh", "--engine", "b=./engine.sh", "--nodes", "5"]);
    command.args(["--each", "USI_Hash=1", "--games", "2", "--max-plies", "6", "--out", "m", "--format", "none"]);
    let output = command.current_dir(folder.path("")).output().expect("the program runs");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let plan = folder.read("m/match.toml");
    assert!(plan.contains(&format!("command = \"{engine}\"")), "{plan}");
    let resume = |more: &[&str]| run(&[&["match", "--out", &out, "--resume"], more].concat());
    engine_of("second");
    let told = refused(&resume(&["--games", "4"]));
    assert!(told.contains("was played by another engine \"a\": ") && told.contains("SHA-256"), "{told}");
    engine_of("first");
    let output = resume(&["--games", "4"]);
    assert!(stdout(&output).contains("\ngames 4 "), "{output:?}");
    assert!(!folder.path("m/records").exists(), "--format none is kept");
    assert!(folder.read("m/match.toml").contains("games = 4"));
}

#[test]
fn a_flag_that_contradicts_the_plan_is_named_and_a_doubled_game_is_one() {
    let game = Match::new("org-resume", ["", ""]);
    assert_eq!(game.play(&["--games", "4", "--sprt", "0,1", "--format", "none"]).status.code(), Some(0));
    for (flag, value) in [
        ("--nodes", "11"),
        ("--sprt", "0,400"),
        ("--games", "2"),
        ("--format", "kif"),
        ("--max-plies", "9"),
        ("--option", "a:Level=2"),
        ("--engine", "c=x"),
        ("--engine", "a=x"),
        ("--patience", "7"),
    ] {
        let told = refused(&game.resume(&[flag, value]));
        assert!(told.starts_with(&format!("komainu: {flag}: ")), "{flag} {value}: {told}");
    }
    let path = game.out().join("games.jsonl");
    let journal = fs::read_to_string(&path).expect("there are games");
    let first = journal.lines().next().expect("a game");
    fs::write(&path, format!("{journal}{first}\n")).expect("it is written");
    let output = game.resume(&["--games", "6", "--nodes", "10", "--concurrency", "2", "--force"]);
    let said = stdout(&output);
    assert!(said.contains("\n4 games played already\n") && said.contains("\ngames 6 "), "{output:?}");
    assert!(stderr(&output).contains("games.jsonl: line 5: game 0 stands further up already"), "{output:?}");
    assert!(!game.out().join("records").exists());
}

#[test]
fn conversations_are_kept_for_faults_or_for_all_games_and_can_be_replayed() {
    let game = Match::new("org-faults", ["crash", "resign\nresign"]);
    game.play(&["--games", "2"]);
    let kept = fs::read_dir(game.out().join("logs")).expect("there are logs").count();
    let faults = game.games().iter().filter(|line| line.ending.is_fault()).count();
    assert!(faults >= 1 && kept == faults, "{kept} logs of {faults} faults");
    let fault = game.games().into_iter().find(|line| line.ending.is_fault()).expect("a crash");
    let log = game.log(&format!("{:05}-{}-{}.log", fault.game + 1, fault.players[0], fault.players[1]));
    assert!(log.starts_with(&format!("# game {}: {} (black) - ", fault.game + 1, fault.players[0])), "{log}");
    for part in [" sid=black > usi\n", " sid=white < usiok\n", " > go nodes 10\n"] {
        assert!(log.contains(part), "{part} in {log}");
    }
    let folder = Folder::new("org-log-all");
    let out = folder.text("m");
    let plain =
        ["--nodes", "20", "--games", "2", "--max-plies", "12", "--each", "USI_Hash=1", "--log", "all", "--out", &out];
    let output = run(&[&["match", "--engine", &own_engine("x"), "--engine", &own_engine("y")], &plain[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let log = folder.text("m/logs/00002-y-x.log");
    let output = run(&["replay", &log, "--session", "white", "--max-pause", "0"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn more_games_than_cores_are_warned_of_unless_that_is_wanted() {
    let game = Match::new("org-cores", ["", ""]);
    let output = game.play(&["--games", "2", "--concurrency", "999"]);
    let told = stderr(&output);
    assert!(told.starts_with("komainu: warning: --concurrency 999 keeps 999 threads busy on "), "{told}");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stderr(&game.resume(&["--force"])), "");
}

#[test]
fn standings_are_printed_once_and_summaries_hold_the_results() {
    let game = Match::new("org-summary", ["", ""]);
    let output = game.play(&["--games", "20", "--format", "none"]);
    let said = stdout(&output);
    assert_eq!(said.matches("\na - b: ").count(), 1, "{said}");
    let json = fs::read_to_string(game.out().join("summary.json")).expect("there is a summary");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["planned"], &json["games"], &json["without_result"]), (&20.into(), &20.into(), &0.into()));
    // Black resigns every game.
    let first = &json["engines"][0];
    assert_eq!((&first["wins"], &first["losses"], &first["elo"]), (&10.into(), &10.into(), &0.0.into()), "{first}");
    assert_eq!(first["pentanomial"], serde_json::json!([0, 0, 10, 0, 0]));
    let csv = fs::read_to_string(game.out().join("summary.csv")).expect("there is a summary");
    let lines: Vec<&str> = csv.split("\r\n").collect();
    assert!(lines[0].starts_with("name,id,games,wins,draws,losses,points,score,elo,"), "{csv}");
    assert!(lines[1].starts_with("a,Scripted,20,10,0,10,10,0.5,0,"), "{csv}");
}

/// A match of two unequal engines from two openings.
fn from_two_openings(folder: &Folder, out: &str, more: &[&str]) -> Output {
    let list = folder.write("two.sfen", "startpos moves 7g7f 3c3d\nstartpos moves 2g2f 8c8d\n");
    let out = folder.text(out);
    let engines = ["much", "little"].map(own_engine);
    let fixed = ["--nodes", "60", "--odds", "little=nodes=20", "--each", "USI_Hash=1", "--max-plies", "60"];
    let given = ["match", "--engine", &engines[0], "--engine", &engines[1], "--openings", &list, "--out", &out];
    run(&[&given[..], &fixed, &["--games", "20", "--format", "none"], more].concat())
}

#[test]
fn equal_games_count_once_however_a_match_was_played_and_are_warned_of() {
    let folder = Folder::new("org-equal");
    let last = |output: &Output| stdout(output).lines().last().expect("a line").to_string();
    let whole = from_two_openings(&folder, "whole", &["--sprt", "0,50", "--concurrency", "2"]);
    let told = stderr(&whole);
    assert!(told.contains("warning: 10 pairs of games between two engines, but 2 openings: "), "{told}");
    let said = stdout(&whole);
    assert!(last(&whole).starts_with("games 4 wins "), "{said}");
    assert!(said.contains("\n16 games not counted: equal to earlier ones, or their partners\n"), "{said}");
    assert!(said.contains("the match is complete\n"), "equal games decide no test: {said}");
    for (part, shard) in [("one", "1/2"), ("other", "2/2")] {
        assert_eq!(from_two_openings(&folder, part, &["--shard", shard, "--force"]).stderr, b"");
    }
    let merged = ["other", "one"].map(|part| folder.text(part));
    let merged = run(&["match", "--merge", &merged[0], &merged[1], "--out", &folder.text("merged")]);
    assert_eq!(last(&merged), last(&whole));
    // A match that was broken off: the games of some pairs are there, those before them not.
    let journal = folder.path("whole/games.jsonl");
    let games = fs::read_to_string(&journal).expect("there are games");
    let left: String =
        games.lines().rev().filter(|line| !line.contains("\"pair\":0,")).map(|line| format!("{line}\n")).collect();
    fs::write(&journal, left).expect("it is written");
    let resumed = run(&["match", "--resume", "--out", &folder.text("whole")]);
    assert_eq!(last(&resumed), last(&whole));
    let summary = folder.read("whole/summary.json");
    assert!(summary.contains("\"repeated\": 16"), "{summary}");
    // A clock makes games differ.
    let list = folder.text("two.sfen");
    let game = Match::new("org-clock", ["", ""]);
    let clock =
        ["match", "--engine", &game.engines[0], "--engine", &game.engines[1], "--byoyomi", "1000", "--games", "10"];
    let played = run(&[&clock[..], &["--openings", &list, "--out", &game.folder.text("m")]].concat());
    assert_eq!((played.status.code(), stderr(&played)), (Some(0), String::new()));
}

#[cfg(unix)]
#[test]
fn a_game_lost_on_time_while_the_machine_stood_still_is_played_again() {
    let game = Match::new("org-stall", ["wait 300 7g7f\nresign", "resign\nresign"]);
    let limit = ["--byoyomi", "700", "--games", "1"];
    let out = game.folder.text("m");
    let mut command = komainu(&["match", "--out", &out, "--engine", &game.engines[0], "--engine", &game.engines[1]]);
    let child = command.args(limit).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs");
    let log = game.folder.path("a.log");
    wait_for("game", || fs::read_to_string(&log).is_ok_and(|log| log.contains("go btime")));
    crate::shell::signal(&child, "-STOP");
    std::thread::sleep(Duration::from_millis(1_200));
    crate::shell::signal(&child, "-CONT");
    let output = child.wait_with_output().expect("the child ends");
    let said = stdout(&output);
    let again =
        said.lines().find(|line| line.starts_with("note: game 1: a - b is played again: ")).expect("it is told");
    assert!(again.contains(" s used of 0.70000 s, host stall "), "{again}");
    let lines = game.games();
    assert!(lines.len() == 1 && lines[0].host_stall_ms.is_none() && lines[0].result().is_some(), "{lines:?}");
    assert!(said.lines().last().is_some_and(|last| last.starts_with("games 1 ") && last.contains(" timeouts 0 ")));
}

#[test]
fn a_match_folder_holds_each_game_once_whoever_reads_it() {
    let game = Match::new("org-once", ["", ""]);
    assert_eq!(game.play(&["--games", "6", "--format", "csa,kif"]).status.code(), Some(0));
    let out = game.folder.text("m");
    let book = game.folder.text("b.db");
    let make = |folders: &[&str]| {
        let output = run(&[&["book", "make"], folders, &["--out", &book, "--min-count", "1", "--plies", "4"]].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        stdout(&output).lines().next().expect("a line").to_string()
    };
    assert_eq!(make(&[&out]), "6 games");
    // The records of the same games add nothing.
    let records = format!("{out}/records");
    assert_eq!(make(&[&out, &records]), "6 games, 12 more were there twice");
    // What a kill leaves behind is told, and is no fault.
    let path = game.out().join("games.jsonl");
    let journal = fs::read_to_string(&path).expect("there are games");
    fs::write(&path, &journal[..journal.len() - 9]).expect("it is written");
    let output = run(&["book", "make", &out, "--out", &book, "--min-count", "1"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(stderr(&output).contains("line 6: torn off"), "{output:?}");
    let output = run(&["level-report", &out, "--engine-name", "a", "--level", "5kyu", "--rating", "b=1000"]);
    let said = stdout(&output);
    // The built-in openings are no starts of even games, but each game is counted once.
    assert!(said.lines().last().is_some_and(|last| last.ends_with("games 5 left_out 0")), "{said}");
}
