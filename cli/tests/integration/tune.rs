//! `komainu tune` from outside: what it finds, what it refuses, and what a kill leaves of it.

mod engine;

use crate::live::Shown;
use crate::shell::{Folder, komainu, last_line, refusal, refuses, run, stderr, stdout, wait_for};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Output, Stdio};

/// A tuning in a folder of its own.
struct Tuning {
    folder: Folder,
    engine: String,
}

const LEVEL: &str = "Level, int, 10, 0, 100, 8, 0.1\n";

impl Tuning {
    fn new(name: &str, parameters: &str, habits: &str) -> Tuning {
        let folder = Folder::new(name);
        folder.write("parameters", parameters);
        folder.write("start.sfen", "startpos\n");
        let engine = engine::command(&folder.path(""), "engine", habits);
        Tuning { folder, engine }
    }

    /// The words of a call that writes into a folder.
    fn call(&self, out: &str, more: &str) -> Vec<String> {
        let of = |name: &str| self.folder.text(name);
        let files = [("--parameters", of("parameters")), ("--openings", of("start.sfen")), ("--out", of(out))];
        let mut words = vec!["tune".to_string(), "--engine".to_string(), self.engine.clone()];
        words.extend(files.into_iter().flat_map(|(flag, file)| [flag.to_string(), file]));
        words.extend(["--nodes", "10"].map(str::to_string));
        words.extend(more.split_ascii_whitespace().map(str::to_string));
        words
    }

    fn command(&self, out: &str, more: &str) -> Command {
        let words = self.call(out, more);
        komainu(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn play(&self, out: &str, more: &str) -> Output {
        self.command(out, more).output().expect("the program runs")
    }

    fn resume(&self, out: &str, more: &str) -> Output {
        let out = self.folder.text(out);
        run(&[&["tune", "--resume", "--out", &out], &more.split_ascii_whitespace().collect::<Vec<_>>()[..]].concat())
    }

    fn refused(&self, more: &str) -> String {
        let words = self.call("refused", more);
        refusal(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn read(&self, name: &str) -> String {
        self.folder.read(name)
    }

    fn json(&self, out: &str) -> Value {
        serde_json::from_str(&self.read(&format!("{out}/tune.json"))).expect("it is JSON")
    }

    fn games(&self, out: &str) -> Vec<Value> {
        self.read(&format!("{out}/games.jsonl")).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

/// What is said must succeed.
fn said(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    stdout(output)
}

/// The value of the line that sets an option.
fn value(said: &str, name: &str) -> f64 {
    let start = format!("setoption name {name} value ");
    let line = said.lines().find_map(|line| line.strip_prefix(&start));
    line.expect("the line is there").parse().expect("a number")
}

#[test]
fn a_game_names_the_values_that_the_engines_were_sent() {
    let parameters = "Level, int, 98, 0, 100, 8, 0.1\nRate, float, 1.5, 0, 2, 0.313, 0.1\n";
    let tuning = Tuning::new("tune-sent", parameters, "");
    said(&tuning.play("t", "--games 12 --scale Rate=100 --log all --option Hash=2"));
    for game in tuning.games("t") {
        let number = game["game"].as_u64().expect("a number") + 1;
        let players = [0, 1].map(|side| game["players"][side].as_str().expect("a name"));
        let log = tuning.read(&format!("t/logs/{number:05}-{}-{}.log", players[0], players[1]));
        for (side, name) in ["black", "white"].iter().enumerate() {
            let options = game["origin"]["engines"][side]["options"].as_object().expect("options");
            assert_eq!(options.keys().collect::<Vec<_>>(), ["Hash", "Level", "Rate"]);
            for (option, value) in options {
                let said = format!("sid={name} > setoption name {option} value ");
                let sent: Vec<&str> =
                    log.lines().filter_map(|line| line.split_once(&said)).map(|(_, sent)| sent).collect();
                assert_eq!(sent, [value.as_str().expect("a text")], "game {number}, {name}, {option}: {log}");
            }
        }
    }
}

#[test]
fn an_option_is_moved_from_the_wrong_end_to_its_best_value() {
    let tuning = Tuning::new("tune-best", LEVEL, "");
    let output = tuning.play("t", "--games 160 --concurrency 2 --force");
    let said = said(&output);
    assert_eq!(last_line(&output), "games 160");
    let level = value(&said, "Level");
    assert!((level - engine::BEST[0]).abs() <= 12.0, "{said}");
    // The course: each iteration, in the JSON and on the page.
    let json = tuning.json("t");
    let course = json["course"].as_array().expect("a list");
    assert_eq!((course.len(), &json["state"]), (80, &"complete".into()));
    let last = course[79]["value"][0].as_f64().expect("a number");
    assert_eq!(last.round(), level);
    let page = tuning.read("t/tune.html");
    for part in ["<title>Komainu: tuning of Tuned</title>", "\"iteration\":80", &format!("\"text\":\"{level}\"")] {
        assert!(page.contains(part), "{part}");
    }
    // What more of it is worth, on the way up: much.
    assert!(json["parameters"][0]["effect"]["elo"].as_f64().expect("a number") > 40.0, "{}", json["parameters"]);
    // Another tuning begins where this one has ended, and a match tests the values.
    assert_eq!(tuning.read("t/parameters.txt"), format!("Level, int, {level}, 0, 100, 8, 0.1\n"));
    let proposed = said.lines().find_map(|line| line.strip_prefix("to test the values against the start: komainu "));
    let mut words: Vec<&str> = proposed.expect("a match is proposed").split(' ').collect();
    words.push("--plan");
    let plan = stdout(&run(&words));
    assert!(plan.contains(&format!("Level = \"{level}\"")) && plan.contains("Level = \"10\""), "{plan}");
    assert!(plan.contains("elo1 = 5.0") && plan.contains("nodes = 10"), "{plan}");
}

#[test]
fn both_games_of_a_pair_have_one_opening_with_colours_swapped_and_the_options_of_each_side_are_kept() {
    let tuning = Tuning::new("tune-pairs", "level, int, 40, 0, 100, 8, 0.1\nusi_hash, int, 16, 1, 64, 4, 0.1\n", "");
    said(&tuning.play("t", "--games 8 --option Rate=140"));
    let games = tuning.games("t");
    assert_eq!(games.len(), 8);
    for pair in games.chunks(2) {
        let [first, second] = pair else { panic!("two games") };
        assert_eq!((&first["pair"], &first["start"]), (&second["pair"], &second["start"]));
        assert_eq!(first["players"][0], second["players"][1]);
        let [one, other] = [0, 1].map(|side| &first["origin"]["engines"][side]);
        assert_eq!([one, other], [1, 0].map(|side| &second["origin"]["engines"][side]), "the same values");
        assert_ne!(one["options"]["Level"], other["options"]["Level"], "{one}");
        assert!(one["options"]["Hash"].is_string() && one["options"]["Rate"] == "140", "{one}");
        assert!(!one["files"].as_object().expect("files").is_empty(), "{one}");
    }
    assert!(tuning.read("t/match.toml").contains("level, int, 40, 0, 100, 8, 0.1"));
}

#[test]
fn a_float_is_multiplied_by_its_scale_for_a_spin_and_a_decimal_for_a_string() {
    let tuning =
        Tuning::new("tune-float", "Rate, float, 0.9, 0.1, 2, 0.1, 0.1\nWords, float, 1.5, 0, 3, 0.25, 0.1\n", "");
    let told = tuning.refused("--games 2");
    assert!(
        told.ends_with("line 1: Rate is a float and the engine's option a spin: --scale Rate=FACTOR is missing"),
        "{told}"
    );
    let output = tuning.play("t", "--games 160 --scale rate=100 --option Level=70 --gamma 0");
    let said = said(&output);
    assert!((value(&said, "Rate") - engine::BEST[1]).abs() <= 15.0, "{said}");
    assert!((0.0..=3.0).contains(&value(&said, "Words")), "{said}");
    let log = tuning.read("engine.log");
    let sent = |name: &str| {
        let start = format!("setoption name {name} value ");
        log.lines().filter_map(|line| line.strip_prefix(&start).map(str::to_string)).collect::<BTreeSet<_>>()
    };
    assert!(sent("Rate").iter().all(|value| value.parse::<u32>().is_ok_and(|value| (10..=200).contains(&value))));
    assert!(sent("Words").contains("1.75") && sent("Words").contains("1.25"), "{:?}", sent("Words"));
    let rate = tuning.json("t")["parameters"][0]["value"].as_f64().expect("a number");
    assert!((rate - value(&said, "Rate") / 100.0).abs() <= 0.005, "{rate}");
}

#[test]
fn whatever_cannot_be_tuned_is_refused_before_the_first_game_with_its_line() {
    let tuning = Tuning::new("tune-refused", "", "");
    for (parameters, flags, told) in [
        ("\nLevel, int, 10, 0, 100, 8\n", "", "line 2: 6 instead of 7: NAME, int|float, START, MIN, MAX, C_END, R_END"),
        ("Level, int, 10, -1, 100, 8, 0.1\n", "", "line 1: MIN: option Level: \"-1\" is not from 0 to 100"),
        ("#\nLevel, int, 10, 0, 101, 8, 0.1\n", "", "line 2: MAX: option Level: \"101\" is not from 0 to 100"),
        ("Lever, int, 10, 0, 100, 8, 0.1\n", "", "line 1: the engine lists no option \"Lever\""),
        ("Mode, int, 1, 0, 2, 1, 0.1\n", "", "line 1: option Mode is a combo: only a spin and a string can be tuned"),
        (
            "Hash, int, 1, 1, 2, 1, 0.1\nUSI_Hash, int, 1, 1, 2, 1, 0.1\n",
            "",
            "line 2: Hash is the option of Hash already",
        ),
        (LEVEL, "--option level=3", "line 1: --option: level is tuned"),
        (LEVEL, "--scale Rate=2", "--scale: there is no parameter \"Rate\""),
        (LEVEL, "--scale Level=2", "--scale: Level is an int"),
        (LEVEL, "--games 3", "--games: 3 is odd, and games are played in pairs"),
        (
            LEVEL,
            "--concurrency 5 --pairs 1",
            "--concurrency: 5 games at once, but two iterations have 4 (--pairs: more)",
        ),
        (LEVEL, "--option Nope=1", "engine plus lists no option Nope"),
    ] {
        tuning.folder.write("parameters", parameters);
        let games = if flags.contains("--games") { "" } else { "--games 2" };
        let said = tuning.refused(&format!("{games} {flags}"));
        assert!(said.contains(told), "{parameters}{flags}: {said}");
        assert!(!tuning.folder.path("refused").exists(), "nothing is left of a tuning that cannot begin");
    }
    assert!(!tuning.read("engine.log").contains("go nodes"), "no game was played");
    for missing in ["--parameters", "--games"] {
        let words: Vec<String> = tuning.call("refused", if missing == "--games" { "" } else { "--games 2" });
        let words = words.iter().map(String::as_str).filter(|word| !word.ends_with("parameters")).collect::<Vec<_>>();
        refuses(&words, missing);
    }
}

#[cfg(unix)]
#[test]
fn a_kill_in_the_middle_loses_and_doubles_nothing() {
    let tuning = Tuning::new("tune-kill", LEVEL, "slow");
    said(&tuning.play("whole", "--games 24 --pairs 2 --concurrency 4 --force"));
    let mut child = tuning
        .command("killed", "--games 24 --pairs 2 --concurrency 4 --force")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program runs");
    let journal = tuning.folder.path("killed/games.jsonl");
    let games = || fs::read_to_string(&journal).map_or(0, |text| text.matches('\n').count());
    wait_for("games", || games() >= 7);
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    let before = games();
    assert!((7..24).contains(&before), "{before} games");
    // Torn by the kill, as a line may be.
    let whole = fs::read_to_string(&journal).expect("there are games");
    fs::write(&journal, format!("{whole}{{\"game\":23,")).expect("it is written");
    let output = tuning.resume("killed", "--concurrency 2 --force");
    said(&output);
    assert_eq!(last_line(&output), "games 24");
    let numbers: BTreeSet<u64> =
        tuning.games("killed").iter().map(|game| game["game"].as_u64().expect("a number")).collect();
    assert_eq!((numbers.len(), tuning.games("killed").len()), (24, 24));
    assert!(fs::read_to_string(&journal).expect("there are games").starts_with(&whole), "what was there stays");
    // The engine does the same each time: the course is that of the tuning that nobody has killed.
    assert_eq!(tuning.json("killed")["course"], tuning.json("whole")["course"]);
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_whole_files_and_the_tuning_goes_on() {
    let tuning = Tuning::new("tune-interrupt", LEVEL, "slow");
    let child = tuning.command("t", "--games 40").stdout(Stdio::piped()).spawn().expect("the program runs");
    let journal = tuning.folder.path("t/games.jsonl");
    wait_for("games", || fs::read_to_string(&journal).is_ok_and(|text| text.matches('\n').count() >= 4));
    // Another program in the folder is told who has it.
    let other = tuning.resume("t", "");
    let told = stderr(&other);
    assert_eq!(other.status.code(), Some(2), "{told}");
    assert!(
        told.contains("is at work on it") && told.contains(&child.id().to_string()) | !cfg!(target_os = "linux"),
        "{told}"
    );
    let other = tuning.play("t", "--games 40");
    assert!(stderr(&other).contains("--resume goes on with it"), "{other:?}");
    crate::shell::signal(&child, "-INT");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let said = stdout(&output);
    assert!(
        said.contains("\nthe tuning was interrupted; --resume goes on with it\nsetoption name Level value "),
        "{said}"
    );
    let read = tuning.json("t");
    let games = tuning.games("t").len();
    assert_eq!((&read["state"], read["games"].as_u64()), (&"broken-off".into(), Some(games as u64)));
    assert!(games < 40 && tuning.read("t/tune.html").contains("</html>"));
    assert_eq!(last_line(&tuning.resume("t", "--games 40 --nodes 10")), "games 40");
    assert_eq!(tuning.json("t")["state"], "complete");
}

#[test]
fn a_flag_that_contradicts_a_tuning_is_named_and_a_match_is_no_tuning() {
    let tuning = Tuning::new("tune-contradiction", LEVEL, "");
    said(&tuning.play("t", "--games 4 --pairs 1 --seed 5"));
    let journal = tuning.read("t/games.jsonl");
    let other = tuning.folder.write("other", "Level, int, 11, 0, 100, 8, 0.1\n");
    for (flag, value) in [
        ("--games", "6"),
        ("--pairs", "2"),
        ("--seed", "6"),
        ("--alpha", "0.5"),
        ("--gamma", "0.2"),
        ("--a-ratio", "0.2"),
        ("--nodes", "11"),
        ("--option", "Rate=3"),
        ("--engine", "x"),
        ("--parameters", &other),
        ("--scale", "100"),
        ("--max-plies", "9"),
    ] {
        let out = tuning.folder.text("t");
        let told = refusal(&["tune", "--resume", "--out", &out, flag, value]);
        assert!(told.starts_with(&format!("komainu: {flag}: ")), "{flag} {value}: {told}");
    }
    let out = tuning.folder.text("t");
    refuses(&["match", "--resume", "--out", &out], "the plan is that of a tuning: komainu tune plays it");
    let plan = tuning.folder.text("t/match.toml");
    let elsewhere = tuning.folder.text("elsewhere");
    refuses(&["match", &plan, "--out", &elsewhere], "the plan is that of a tuning");
    assert_eq!(tuning.read("t/games.jsonl"), journal);
    // A match is none of a tuning.
    let [one, other] = ["a", "b"].map(|name| format!("{name}={}", tuning.engine));
    let out = tuning.folder.text("m");
    let words = ["match", "--engine", &one, "--engine", &other, "--nodes", "5", "--games", "2", "--out", &out];
    assert!(run(&words).status.success());
    refuses(&["tune", "--resume", "--out", &out], "holds a match, and no tuning");
}

#[test]
fn the_plan_is_printed_and_nothing_is_started() {
    let tuning = Tuning::new("tune-plan", LEVEL, "");
    let said = said(&tuning.play("t", "--games 100 --pairs 5 --plan"));
    assert!(said.contains("\n# 100 games, 10 iterations of 5 pairs, nodes 10, 1 opening: "), "{said}");
    assert!(said.contains("\n# Level, int, 10, 0, 100, 8, 0.1\n") && said.contains("\n[tune]\n"), "{said}");
    assert!(!tuning.folder.path("t").exists() && !tuning.folder.path("engine.log").exists());
}

#[test]
fn an_engine_that_ends_after_each_game_is_told_the_options_again() {
    let tuning = Tuning::new("tune-leaves", LEVEL, "leaves");
    said(&tuning.play("t", "--games 6"));
    let games = tuning.games("t");
    assert!(games.iter().all(|game| game["ending"] == "resignation"), "{games:?}");
    // Each process that plays was told its value: two a game, and one to try it out.
    let log = tuning.read("engine.log");
    let [told, played] = ["setoption name Level", "gameover"].map(|word| log.matches(word).count());
    assert!(played == 12 && told >= 12, "{log}");
}

#[test]
fn a_page_and_its_events_follow_a_tuning_to_its_end() {
    let tuning = Tuning::new("tune-live", LEVEL, "slow");
    let mut shown = Shown::start(tuning.command("t", "--games 24 --live 0"));
    let page = shown.get("/?lang=ja");
    let mut events = shown.events();
    assert!(page.starts_with("HTTP/1.1 200 OK") && page.contains("; connect-src 'self'"), "{page}");
    assert!(page.contains("new EventSource(\"events\")") && page.contains("<title>Komainu: tuning of Tuned</title>"));
    // Whoever asks for the report meanwhile is told that the tuning is under way.
    let told = run(&["report", &tuning.folder.text("t"), "--out", &tuning.folder.text("now.html")]);
    assert!(said(&told).starts_with(&tuning.folder.text("now.html")));
    assert!(tuning.read("now.html").contains("\"state\":\"running\""));
    let all: Vec<(String, Value)> = events.by_ref().collect();
    let (figures, end) = all.split_at(all.len() - 1);
    assert_eq!(end, [("end".to_string(), "the tuning is complete".into())]);
    assert!(figures.len() > 1 && figures.iter().all(|(name, _)| name == "tuning"), "{all:?}");
    let figures: Vec<&Value> = figures.iter().map(|(_, figures)| figures).collect();
    assert!(page.contains(&format!("\"live\":{}", figures[0]["live"])), "the page and the events are of one run");
    let games: Vec<u64> = figures.iter().map(|figures| figures["games"].as_u64().expect("a number")).collect();
    assert!(games.is_sorted() && games[0] < 24, "the figures grow: {games:?}");
    let last = figures[figures.len() - 1];
    assert_eq!((&last["games"], &last["state"], &last["iterations"][0]), (&24.into(), &"complete".into(), &12.into()));
    assert!(shown.child.wait().expect("it ends").success());
    // What the page was told is what the files say, and the finished page asks for nothing.
    let written = tuning.json("t");
    for key in ["parameters", "course", "tally", "set_options", "next"] {
        assert_eq!(last[key], written[key], "{key}");
    }
    let page = tuning.read("t/tune.html");
    assert!(!page.contains("EventSource") && !page.contains("connect-src") && !page.contains("\"live\""));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_tuning_with_a_browser_at_its_page() {
    let tuning = Tuning::new("tune-live-interrupt", LEVEL, "slow");
    let mut shown = Shown::start(tuning.command("t", "--games 400 --live 0"));
    let mut events = shown.events();
    assert!(events.by_ref().any(|(_, figures)| figures["games"].as_u64() > Some(1)));
    crate::shell::signal(&shown.child, "-INT");
    assert_eq!(shown.child.wait().expect("it ends").code(), Some(130));
    let left: Vec<(String, Value)> = events.collect();
    assert_eq!(left[left.len() - 2].1["state"], "broken-off");
    let words = "the tuning was interrupted; --resume goes on with it";
    assert_eq!(left.last(), Some(&("end".to_string(), words.into())));
}

#[test]
fn the_report_of_a_tuning_is_its_page_as_the_games_in_the_folder_say() {
    let tuning = Tuning::new("tune-report", "Rate, float, 0.9, 0.1, 2, 0.1, 0.1\nlevel, int, 40, 0, 100, 8, 0.1\n", "");
    said(&tuning.play("t", "--games 8 --scale 100"));
    let out = tuning.folder.text("t");
    let page = tuning.read("t/tune.html");
    fs::remove_file(tuning.folder.path("t/tune.html")).expect("it can be removed");
    let told = said(&run(&["report", &out]));
    assert_eq!(told.trim_end(), format!("{}: 8 games", tuning.folder.path("t/tune.html").display()));
    assert!(tuning.read("t/tune.html") == page, "the page is the one that the tuning has written");
    // As a kill leaves it.
    let journal = tuning.read("t/games.jsonl");
    let cut: String = journal.lines().take(5).map(|line| format!("{line}\n")).collect();
    tuning.folder.write("t/games.jsonl", cut);
    assert!(said(&run(&["report", &out])).contains(": 5 games"));
    let page = tuning.read("t/tune.html");
    for part in ["\"state\":\"broken-off\"", "\"games\":5", "\"iterations\":[2,4]"] {
        assert!(page.contains(part), "{part}");
    }
    // Without what the tuning has written about its options, or with what it has not, there is no page.
    let json = tuning.read("t/tune.json");
    for written in [
        json.replace("\"scale\":100.0", "\"scale\":1e-9"),
        json.replacen("\"name\":\"level\"", "\"name\":\"other\"", 1),
        "{".to_string(),
    ] {
        assert_ne!(written, json);
        tuning.folder.write("t/tune.json", written);
        let refused = refusal(&["report", &out]);
        let told = "the options of the parameters are not those of match.toml";
        assert!(refused.contains("t/tune.json") && refused.contains(told), "{refused}");
    }
    fs::remove_file(tuning.folder.path("t/tune.json")).expect("it can be removed");
    refuses(&["report", &out], "tune.json");
}

#[test]
fn the_folder_of_a_tuning_is_no_part_of_a_match() {
    let tuning = Tuning::new("tune-merge", LEVEL, "");
    said(&tuning.play("t", "--games 4"));
    let [one, other] = ["a", "b"].map(|name| format!("{name}={}", tuning.engine));
    let [t, m, out] = ["t", "m", "out"].map(|name| tuning.folder.text(name));
    assert!(
        run(&["match", "--engine", &one, "--engine", &other, "--nodes", "5", "--games", "2", "--out", &m])
            .status
            .success()
    );
    for folders in [&[&*t][..], &[&*m, &*t], &[&*t, &*m]] {
        for follow in [&[][..], &["--follow"]] {
            let words = [&["match", "--merge"], folders, follow, &["--out", &out]].concat();
            let told = refusal(&words);
            assert!(told.contains(&format!("{t}: it holds a tuning")), "{words:?}: {told}");
        }
    }
    assert!(!tuning.folder.path("out/games.jsonl").exists());
}
