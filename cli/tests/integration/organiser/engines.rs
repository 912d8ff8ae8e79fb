//! Engines that end between games, lack their files, share cores or outlive their match; and the tables of tournaments.

use super::{KOMAINU, Match};
use crate::shell::{Folder, refused, run, stderr, stdout};
use komainu::notation::json::GameLine;
use serde_json::Value;
use std::fs;
use std::process::Output;
#[cfg(target_os = "linux")]
use std::time::{Duration, Instant};

/// A match of two games of this engine, with these flags.
fn own(folder: &Folder, out: &str, more: &[&str]) -> Output {
    let engines = ["a", "b"].map(|name| format!("{name}='{KOMAINU}'"));
    let given = ["match", "--engine", &engines[0], "--engine", &engines[1], "--out", &folder.text(out)];
    let small = ["--nodes", "20", "--games", "2", "--max-plies", "4", "--each", "USI_Hash=1", "--format", "csa"];
    run(&[&given[..], &small, more].concat())
}

fn summary(folder: &Folder, out: &str) -> Value {
    serde_json::from_slice(&folder.bytes(&format!("{out}/summary.json"))).expect("JSON")
}

#[test]
fn files_that_options_name_are_looked_up_before_the_first_game() {
    let folder = Folder::new("org-files");
    folder.write("lines.db", "");
    let place = folder.text("");
    for option in ["a:EvalFile=nofile.bin", "a:EvalDir=nofile.bin", "b:BookFile=nofile.bin"] {
        let told = refused(&own(&folder, "m", &["--option", option]));
        let (engine, name) = option.split_once(':').expect("it has two parts");
        let name = name.split('=').next().expect("it has a name");
        let expected = format!("engine {engine}: option {name}: there is no file \"nofile.bin\" in ");
        assert!(told.contains(&expected), "{told}");
        assert!(!folder.path("m").exists(), "nothing is left of a match that cannot begin");
    }
    // What is there where the user stands is not there for an engine that runs elsewhere.
    let told = refused(&own(&folder, "m", &["--option", "a:BookFile=Cargo.toml", "--folder", &format!("a={place}")]));
    assert!(told.contains("there is no file \"Cargo.toml\" in ") && told.contains("org-files"), "{told}");
    let output = own(&folder, "m", &["--option", "a:BookFile=lines.db", "--folder", &format!("a={place}")]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    // Empty: the sum of nothing.
    let sum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let engine = &summary(&folder, "m")["engines"][0];
    assert_eq!(engine["options"]["BookFile"], "lines.db");
    let path = fs::canonicalize(folder.path("lines.db")).expect("it is there");
    let sums = engine["files"].as_object().expect("they are named");
    let found = sums.iter().find(|(file, _)| fs::canonicalize(file).is_ok_and(|file| file == path));
    assert_eq!(found.map(|(_, sum)| sum.as_str().expect("a text")), Some(sum), "{sums:?}");
    let lines = folder.read("m/games.jsonl");
    for line in lines.lines() {
        let game: GameLine = serde_json::from_str(line).expect("a game");
        let (side, name) = if game.players[0] == "a" { (0, "black") } else { (1, "white") };
        let origin = game.origin.as_ref().expect("it is kept");
        assert!(origin.engines[side].files.values().any(|found| found == sum), "{origin:?}");
        let record = format!("m/records/{:05}-{}-{}.csa", game.game + 1, game.players[0], game.players[1]);
        let record = folder.read(&record);
        for part in ["Komainu ", "option BookFile=lines.db", &format!("file lines.db SHA-256 {sum}")] {
            assert!(record.contains(&format!("'*{name}: {part}")), "{part} in {record}");
        }
    }
}

/// A program for `/bin/sh` that plays by resigning, and does something at a word.
#[cfg(unix)]
fn shell_engine(folder: &Folder, name: &str, at: &str) -> String {
    let lines = format!(
        "while read -r line; do\ncase \"$line\" in\n{at}\nusi) echo usiok;;\nisready) echo readyok;;\n\
         go*) echo bestmove resign;;\nquit) exit;;\nesac\ndone"
    );
    format!("{name}='{}'", folder.script(name, &lines))
}

#[cfg(unix)]
#[test]
fn a_file_of_an_argument_that_the_engine_writes_is_no_part_of_it() {
    let folder = Folder::new("org-argument-log");
    let other = shell_engine(&folder, "b", "x) ;;");
    let writes = "echo \"$line\" >> \"$1\"";
    for (name, at, notes) in [
        // At its start, and while it plays.
        ("log", format!("usi) {writes}; echo usiok;;"), 0),
        ("late", format!("go*) {writes}; echo bestmove resign;;"), 1),
    ] {
        let file = folder.path(&format!("{name}.txt"));
        fs::write(&file, "before\n").expect("it is written");
        let engine = format!("{} '{}'", shell_engine(&folder, name, &at), file.display());
        let out = folder.text(&format!("m-{name}"));
        let words = ["match", "--engine", &engine, "--engine", &other, "--nodes", "5", "--restart", "--out", &out];
        let output = run(&[&words[..], &["--games", "4"]].concat());
        assert_eq!(output.status.code(), Some(0), "{name}: {output:?}");
        let told = format!("note: {name}: {}, which its command names, has changed", file.display());
        assert_eq!(stdout(&output).matches(&told).count(), notes, "{name}: {output:?}");
        fs::write(&file, "of somebody else\n").expect("it is written");
        let output = run(&["match", "--resume", "--out", &out, "--games", "6"]);
        assert_eq!(output.status.code(), Some(0), "{name}: {output:?}");
        assert_eq!(stderr(&output).contains(&told), name == "late", "{name}: {output:?}");
        assert!(stdout(&output).contains("\ngames 6 "), "{name}: {output:?}");
    }
}

#[cfg(unix)]
#[test]
fn an_engine_that_ends_with_each_game_is_started_anew_and_loses_nothing() {
    let folder = Folder::new("org-gameover");
    let plain = shell_engine(&folder, "plain", "nothing) ;;");
    for (name, at) in [
        ("exits", "gameover*) exit 0;;"),
        ("crashes", "gameover*) echo broken >&2; exit 3;;"),
        ("lingers", "gameover*) sleep 0.05; exit 0;;"),
    ] {
        let engine = shell_engine(&folder, name, at);
        let out = folder.text(&format!("m-{name}"));
        let output =
            run(&["match", "--engine", &engine, "--engine", &plain, "--nodes", "1", "--games", "6", "--out", &out]);
        let said = stdout(&output);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(said.lines().last().is_some_and(|last| last.starts_with("games 6 wins 3 draws 0 losses 3 ")), "{said}");
        assert!(said.ends_with(" crashes 0\n"), "{said}");
        let told = format!("note: {name} ends after its games and is started anew before the next ones\n");
        assert_eq!(said.matches(&told).count(), 1, "{said}");
    }
    // One that ends before its first game is at fault, and again after each start.
    let at = "usinewgame) test -e \"$0.tried\" && exit 1; : > \"$0.tried\";;";
    let engine = shell_engine(&folder, "sulks", at);
    let out = folder.text("m-sulks");
    let output =
        run(&["match", "--engine", &engine, "--engine", &plain, "--nodes", "1", "--games", "2", "--out", &out]);
    assert!(stdout(&output).ends_with(" crashes 2\n"), "a start that fails is a fault: {output:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn each_game_has_as_many_cores_as_its_engines_use_at_once_or_none_begins() {
    let game = Match::new("org-affinity", ["", ""]);
    let threads = ["--lenient", "--each", "Threads=4000"];
    let told = refused(&game.play(&[&["--games", "2", "--affinity"][..], &threads].concat()));
    assert!(told.contains("--affinity: 1 game at once with 4000 cores each, but "), "{told}");
    let told = refused(&game.play(&[&["--games", "2", "--affinity", "--ponder", "on"][..], &threads].concat()));
    assert!(told.contains("--affinity: 1 game at once with 8000 cores each, but "), "{told}");
    let told = refused(&game.play(&["--games", "2", "--affinity", "--concurrency", "1000"]));
    assert!(told.contains("--affinity: 1000 games at once with 1 core each, but "), "{told}");
    assert!(!game.out().exists());
    // What the engines of a game may use is seen from within.
    let folder = Folder::new("org-cores-of");
    let says = "isready) echo \"info string $(grep Cpus_allowed_list /proc/self/status)\"; echo readyok;;";
    let engines = ["a", "b"].map(|name| shell_engine(&folder, name, says));
    let cores =
        |ponder: &str, out: &str| -> Option<usize> {
            let given = ["match", "--engine", &engines[0], "--engine", &engines[1], "--nodes", "1", "--games", "1"];
            let output =
                run(&[&given[..], &["--affinity", "--log", "all", "--ponder", ponder, "--out", &folder.text(out)]]
                    .concat());
            if output.status.code() == Some(2) {
                // This machine has one core.
                return None;
            }
            let log = folder.read(&format!("{out}/logs/00001-a-b.log"));
            let list = log.lines().find_map(|line| line.split("Cpus_allowed_list:").nth(1)).expect("it is told").trim();
            let count = |part: &str| match part.split_once('-') {
                Some((first, last)) => {
                    last.parse::<usize>().expect("a number") - first.parse::<usize>().expect("a number") + 1
                }
                None => 1,
            };
            Some(list.split(',').map(count).sum())
        };
    assert_eq!(cores("off", "one"), Some(1));
    assert!([Some(2), None].contains(&cores("on", "two")));
}

#[cfg(target_os = "linux")]
#[test]
fn engines_end_with_a_match_that_is_killed_though_they_ignore_the_end_of_their_input() {
    let folder = Folder::new("org-killed");
    let id = folder.text("id");
    for (name, at) in [
        ("sleeps", format!("go*) echo $$ > '{id}'; while :; do sleep 0.1; done;;")),
        ("waits", format!("go*) echo $$ > '{id}'; cat > /dev/null; while :; do sleep 0.1; done;;")),
        (
            "deaf",
            format!(
                "usi) trap '' HUP INT TERM PIPE; echo usiok;;\ngo*) echo $$ > '{id}'; while :; do sleep 0.1; done;;"
            ),
        ),
    ] {
        _ = fs::remove_file(&id);
        let engine = shell_engine(&folder, name, &at);
        let other = shell_engine(&folder, "other", "nothing) ;;");
        let arguments = ["match", "--engine", &engine, "--engine", &other, "--nodes", "1", "--games", "2"];
        let mut command = crate::shell::komainu(&arguments);
        let child = command.args(["--out", &folder.text(&format!("m-{name}"))]).stdout(std::process::Stdio::null());
        let mut child = child.spawn().expect("it runs");
        let started = Instant::now();
        let engine = loop {
            let text = fs::read_to_string(&id).unwrap_or_default();
            if text.ends_with('\n') {
                break text.trim().to_string();
            }
            assert!(started.elapsed() < Duration::from_secs(30), "{name}: no game begins");
            std::thread::sleep(Duration::from_millis(5));
        };
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        let is_alive = || {
            let stat = fs::read_to_string(format!("/proc/{engine}/stat")).unwrap_or_default();
            stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with(['Z', 'X']))
        };
        let killed = Instant::now();
        while is_alive() && killed.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(!is_alive(), "{name}: process {engine} lives on");
    }
}

/// A tournament between engines that resign with black at once.
fn tournament(folder: &Folder, out: &str, engines: usize, more: &[&str]) -> String {
    let commands: Vec<String> = (0..engines)
        .map(|index| format!("k{index}={}", crate::scripted::command(&folder.path(""), &format!("k{index}"), "")))
        .collect();
    let given: Vec<&str> = commands.iter().flat_map(|command| ["--engine", command.as_str()]).collect();
    let out = folder.text(out);
    let output = run(&[&["match", "--nodes", "1", "--format", "none", "--out", &out], &given[..], more].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    stdout(&output)
}

#[test]
fn tournaments_have_a_table_by_points_and_what_tells_equal_points_apart() {
    let folder = Folder::new("org-standings");
    let said = tournament(&folder, "swiss", 5, &["--tournament", "swiss", "--rounds", "2", "--games", "1"]);
    assert!(said.contains("points  Buchholz  Sonneborn-Berger  direct  byes  +  =  -\n"), "{said}");
    let rows = summary(&folder, "swiss")["standings"].as_array().expect("a table").clone();
    let number = |row: &Value, key: &str| row[key].as_f64().expect("a number");
    let keys = ["points", "buchholz", "sonneborn_berger"];
    let key = |row: &Value| keys.map(|key| (4.0 * number(row, key)) as u64);
    assert!(rows.windows(2).all(|pair| key(&pair[0]) >= key(&pair[1])), "{rows:?}");
    // Two games a round, and somebody rests.
    assert_eq!(rows.iter().map(|row| number(row, "points")).sum::<f64>(), 6.0);
    assert_eq!(rows.iter().map(|row| number(row, "byes")).sum::<f64>(), 2.0);
    let lines: Vec<&str> = said.lines().skip_while(|line| !line.contains("Buchholz")).skip(1).collect();
    for (row, line) in rows.iter().zip(lines) {
        assert!(line.contains(row["name"].as_str().expect("a name")), "{row} {line}");
    }
    let page = folder.read("swiss/report.html");
    assert!(page.contains("\"standings\":[{\"engine\":"), "the page has it");

    let said = tournament(&folder, "robin", 3, &["--games", "1"]);
    assert!(said.contains("points  Sonneborn-Berger  direct  +  =  -") && !said.contains("Buchholz"), "{said}");
    assert!(said.contains("  *") && summary(&folder, "robin")["standings"][0].get("buchholz").is_none(), "{said}");
    let duel = tournament(&folder, "duel", 2, &["--games", "2"]);
    assert!(!duel.contains("Sonneborn") && summary(&folder, "duel").get("standings").is_none(), "{duel}");
}

#[test]
fn openings_behind_the_end_of_a_game_are_named_and_passed_over_where_that_is_wanted() {
    let folder = Folder::new("org-bad-openings");
    let cycle = "2h3h 8b7b 3h2h 7b8b ".repeat(3);
    fs::write(folder.path("bad.txt"), format!("startpos moves {cycle}7g7f 3c3d\nstartpos moves 7g7f\n"))
        .expect("written");
    fs::write(folder.path("p.txt"), "Threads, int, 1, 1, 4, 1, 0\n").expect("written");
    let bad = folder.text("bad.txt");
    let parameters = folder.text("p.txt");
    let komainu = format!("'{KOMAINU}'");
    let engines = ["a", "b"].map(|name| format!("{name}={komainu}"));
    for (name, words) in [
        (
            "match",
            vec!["--engine", &engines[0], "--engine", &engines[1], "--nodes", "9", "--games", "2", "--max-plies", "3"],
        ),
        ("tune", vec!["--parameters", &parameters, "--nodes", "9", "--games", "2", "--max-plies", "3"]),
        ("selfplay", vec!["--games", "1", "--max-plies", "32", "--nodes", "9"]),
    ] {
        let out = folder.text(name);
        let call = [&[name, "--openings", &bad, "--out", &out], &words[..]].concat();
        let output = run(&call);
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{name}: {output:?}");
        assert!(told.contains("1: move 13: 7g7f stands behind the end of the game"), "{name}: {told}");
        let output = run(&[&call[..], &["--skip-bad-openings"]].concat());
        assert_eq!(output.status.code(), Some(0), "{name}: {output:?}");
        let told = stderr(&output);
        assert!(told.contains("1 opening at fault passed over, the first one: "), "{name}: {told}");
    }
}

#[test]
fn a_plan_is_printed_as_a_file_that_plays_it_and_nothing_is_started() {
    let folder = Folder::new("org-plan");
    let out = folder.text("m");
    let engines = ["--engine", "a=./no-such-engine", "--engine", "b=./neither"];
    let shown = |more: &[&str]| run(&[&["match", "--plan", "--out", &out], &engines[..], more].concat());
    let output =
        shown(&["--nodes", "9", "--games", "6", "--rules", "wcsc", "--option", "a:Level=2", "--odds", "b=depth=3"]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    let said = stdout(&output);
    assert!(
        said.starts_with("# rules: ") && said.contains("\n# 6 games, nodes 9, 500 openings: a, b depth 3\n"),
        "{said}"
    );
    assert!(!folder.path("m").exists());
    folder.write("plan.toml", &said);
    let again = run(&["match", &folder.text("plan.toml"), "--plan", "--out", &out]);
    assert_eq!(stdout(&again), said);
    // What cannot be played is no plan.
    assert!(refused(&shown(&["--games", "6"])).contains("nothing bounds a move"));
    assert!(refused(&shown(&["--nodes", "9", "--games", "6", "--openings", "missing"])).contains("missing"));
    // More games than openings are warned of as before a match.
    let output = shown(&["--nodes", "9", "--games", "4000"]);
    assert!(stderr(&output).contains("warning: 2000 pairs of games"), "{output:?}");
}
