//! `komainu match` as its users run it: results, resumption after a kill, interruption, bad usage.

use crate::notation::games::read_game;
use crate::scripted;
use crate::shell::{game_lines, last_line, own_engine, refused, stderr, stdout, wait_for};
use komainu::notation::json::GameLine;
use komainu::notation::usi::parse_move;
use komainu::notation::{csa, kif};
use komainu::types::Color;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

const KOMAINU: &str = env!("CARGO_BIN_EXE_komainu");

fn folder(name: &str) -> PathBuf {
    crate::engine::folder(&format!("matches-{name}"))
}

/// `komainu match` with two copies of the engine, unequal in nodes.
fn unequal(out: &Path, games: u64) -> Command {
    let mut command = Command::new(KOMAINU);
    command.args(["match", "--engine", &own_engine("much"), "--engine", &own_engine("little")]);
    command.args(["--option", "much:USI_Hash=4", "--option", "little:USI_Hash=4"]);
    command.args(["--nodes", "600", "--odds", "little=nodes=150", "--games", &games.to_string()]);
    command.args(["--concurrency", "2", "--max-plies", "200", "--opening-plies", "8"]).arg("--out").arg(out);
    command
}

fn finish(mut command: Command) -> Output {
    command.output().expect("the program runs")
}

/// The numbers of the last line by their words.
fn summary(output: &Output) -> Vec<(String, f64)> {
    let last = last_line(output);
    let words: Vec<&str> = last.split(' ').collect();
    words.chunks(2).map(|pair| (pair[0].to_string(), pair[1].parse().expect("a number"))).collect()
}

fn number(summary: &[(String, f64)], word: &str) -> f64 {
    summary.iter().find(|pair| pair.0 == word).unwrap_or_else(|| panic!("no {word} in {summary:?}")).1
}

/// The numbers of the games in the journal.
fn games(out: &Path) -> Vec<u64> {
    game_lines(out).iter().map(|line| line.game).collect()
}

#[test]
fn a_match_ends_with_a_line_for_scripts_and_leaves_its_games() {
    let out = folder("whole");
    let output = finish(unequal(&out, 12));
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    let summary = summary(&output);
    let words: Vec<&str> = summary.iter().map(|pair| pair.0.as_str()).collect();
    assert_eq!(words, ["games", "wins", "draws", "losses", "elo", "error", "illegal", "timeouts", "crashes"]);
    let count = |word: &str| number(&summary, word);
    assert_eq!(count("games"), 12.0);
    assert_eq!(count("wins") + count("draws") + count("losses"), 12.0);
    assert_eq!(count("illegal") + count("timeouts") + count("crashes"), 0.0);
    assert_eq!(games(&out).into_iter().collect::<BTreeSet<_>>(), (0..12).collect());
    let records = fs::read_dir(out.join("records")).expect("there are records").count();
    assert_eq!(records, 24, "a CSA and a KIF file a game, and nothing left over");
    let report = fs::read_to_string(out.join("report.html")).expect("there is a report");
    assert!(report.contains("much") && report.contains("little"));
    // The same folder is not used twice by mistake.
    let output = finish(unequal(&out, 12));
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("holds a match already"), "{output:?}");
    // A match that is complete has nothing left to play.
    let mut again = Command::new(KOMAINU);
    let output = finish_with(&mut again, &["match", "--resume", "--out"], &out);
    assert_eq!(self::summary(&output), summary);
}

/// What ShogiHome finds in the comments of a move: score from black's side, winner and plies of a mate.
fn shogihome(comments: &[String]) -> (Option<i32>, Option<(Color, u32)>) {
    let score = comments.iter().find_map(|comment| comment.strip_prefix("*評価値=")?.parse().ok());
    let mate = comments.iter().find_map(|comment| {
        let (winner, plies) = comment.strip_prefix("*詰み=")?.strip_suffix('手')?.split_once(':')?;
        let winner =
            [Color::Black, Color::White].into_iter().zip(["先手勝ち", "後手勝ち"]).find(|pair| pair.1 == winner)?;
        Some((winner.0, plies.parse().ok()?))
    });
    (score, mate)
}

/// A number behind this word.
fn number_after(comments: &[String], word: &str) -> Option<u64> {
    comments.iter().find_map(|comment| comment.strip_prefix(word)?.parse().ok())
}

#[test]
fn records_tell_what_the_engines_thought_as_other_programs_read_it_and_are_read_back_whole() {
    let out = folder("thoughts");
    finish(unequal(&out, 4));
    let mut mates = 0;
    let mut lines = 0;
    for game in game_lines(&out) {
        let [black, white] = &game.players;
        let path = |end: &str| out.join(format!("records/{:05}-{black}-{white}.{end}", game.game + 1));
        let [csa, kif] = ["csa", "kifu"].map(|end| fs::read_to_string(path(end)).expect("the record is there"));
        let [in_csa, in_kif] = [&csa, &kif].map(|text| read_game(text.as_bytes(), None).expect("a record").record);
        assert_eq!((csa::write(&in_csa), kif::write(&in_kif)), (csa, kif));
        let mut pos = in_csa.start.clone();
        assert_eq!((in_csa.moves.len(), in_kif.moves.len()), (game.moves.len(), game.moves.len()));
        for (played, (in_csa, in_kif)) in game.moves.iter().zip(in_csa.moves.iter().zip(&in_kif.moves)) {
            let mover = pos.side();
            let sign = if mover == Color::Black { 1 } else { -1 };
            pos.do_move(in_csa.mv);
            let mate = played.mate.map(|plies| (if plies > 0 { mover } else { !mover }, plies.unsigned_abs()));
            assert_eq!(shogihome(&in_kif.comments), (played.cp.map(|cp| sign * cp), mate), "{played:?}");
            assert_eq!(number_after(&in_kif.comments, "*深さ="), played.depth.map(u64::from));
            assert_eq!(number_after(&in_kif.comments, "*ノード数="), played.nodes);
            let Some(floodgate) = in_csa.comments.first() else {
                assert_eq!((played.cp, played.mate), (None, None));
                continue;
            };
            let words: Vec<&str> = floodgate.strip_prefix("* ").expect("floodgate's line").split(' ').collect();
            let score = played.cp.unwrap_or_else(|| 30_000 * played.mate.expect("a score").signum());
            assert_eq!(words[0], (sign * score).to_string());
            assert_eq!(
                words[words.len() - 1].strip_prefix('#'),
                played.nodes.map(|nodes| nodes.to_string()).as_deref()
            );
            let depth = in_csa.comments[1].split(' ').skip_while(|&word| word != "depth").nth(1);
            assert_eq!(depth, played.depth.map(|depth| depth.to_string()).as_deref());
            let expected: Vec<&str> = played.line.split_ascii_whitespace().collect();
            assert_eq!(words.len(), expected.len() + 2);
            for (word, mv) in words[1..].iter().zip(&expected) {
                let mv = parse_move(&pos, mv).expect("the line is legal");
                assert_eq!(*word, csa::move_text(&pos, mv));
                pos.do_move(mv);
            }
            for _ in &expected {
                pos.undo();
            }
            lines += usize::from(!expected.is_empty());
            mates += usize::from(played.mate.is_some());
        }
    }
    assert!(lines > 50 && mates > 0, "{lines} lines, {mates} mates");
}

fn finish_with(command: &mut Command, arguments: &[&str], path: &Path) -> Output {
    command.args(arguments).arg(path).output().expect("the program runs")
}

fn wait_for_games(out: &Path, child: &mut Child, count: usize) {
    let played = || fs::read(out.join("games.jsonl")).map_or(0, |bytes| bytes.iter().filter(|&&b| b == b'\n').count());
    wait_for("games", || played() >= count || child.try_wait().expect("the child can be asked").is_some());
}

#[test]
fn a_match_that_is_killed_again_and_again_loses_and_repeats_no_game() {
    let whole = folder("unkilled");
    let out = folder("killed");
    let expected = finish(unequal(&whole, 24));
    let mut kills = 0;
    for (round, &count) in [1, 4, 5, 9, 14, 20].iter().enumerate() {
        let mut command = unequal(&out, 24);
        if round > 0 {
            command.arg("--resume");
        }
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program runs");
        wait_for_games(&out, &mut child, count);
        kills += child.try_wait().expect("the child can be asked").is_none() as usize;
        child.kill().expect("the child can be killed");
        child.wait().expect("the child ends");
        // The engines of a killed match end when their input closes; the journal is free at once.
    }
    assert!(kills >= 4, "killed {kills} times only");
    let output = finish_with(&mut Command::new(KOMAINU), &["match", "--resume", "--out"], &out);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let mut played = games(&out);
    played.sort();
    assert_eq!(played, (0..24).collect::<Vec<_>>());
    // Which engine searched how many nodes decides the games, not when they were played; table and histories of earlier
    // games are cleared. So the result is that of the match that ran through.
    assert_eq!(summary(&output), summary(&expected));
}

#[cfg(unix)]
#[test]
fn an_interrupted_match_ends_with_the_results_so_far() {
    let out = folder("interrupted");
    let mut child = unequal(&out, 10_000).stdout(Stdio::piped()).spawn().expect("the program runs");
    wait_for_games(&out, &mut child, 4);
    crate::shell::signal(&child, "-INT");
    let output = child.wait_with_output().expect("the child ends");
    assert_eq!(output.status.code(), Some(130));
    let text = stdout(&output);
    assert!(text.contains("the match was interrupted; --resume goes on with it\n"), "{text}");
    let count = number(&summary(&output), "games");
    assert_eq!(count as usize, games(&out).len());
    assert!(count >= 4.0);
}

#[test]
fn a_crash_is_counted_and_the_match_goes_on() {
    let out = folder("crash");
    let script = scripted::command(&out, "crasher", "crash");
    let mut command = Command::new(KOMAINU);
    command.args(["match", "--engine", &format!("crasher={script}"), "--engine", &own_engine("other")]);
    command.args(["--option", "other:USI_Hash=4", "--nodes", "100", "--games", "4"]).arg("--out").arg(out.join("m"));
    let output = finish(command);
    let summary = summary(&output);
    assert_eq!((number(&summary, "losses"), number(&summary, "crashes")), (4.0, 4.0), "{output:?}");
}

#[test]
fn a_test_ends_as_soon_as_it_is_decided() {
    let out = folder("sprt");
    let mut command = unequal(&out, 5_000);
    command.args(["--sprt", "-300,-100"]);
    let output = finish(command);
    let text = stdout(&output);
    assert!(text.contains("the test is decided: passed\n"), "{text}");
    assert!(text.contains("LLR "), "{text}");
    assert!(number(&summary(&output), "games") < 1_000.0, "{text}");
}

#[test]
fn several_engines_play_a_tournament_from_a_file() {
    let out = folder("tournament");
    let engine = |name: &str, nodes: u64| {
        format!(
            "[[engine]]\nname = \"{name}\"\ncommand = \"'{KOMAINU}'\"\nlimit = {{ nodes = {nodes} }}\n\
            options = {{ USI_Hash = \"4\" }}\n"
        )
        .replace('\\', "\\\\")
    };
    let file = out.join("plan.toml");
    let head = "tournament = \"swiss\"\nrounds = 2\ngames = 2\n[rules]\nset = \"denryu\"\n";
    let engines: String = [("a", 50), ("b", 100), ("c", 200)].map(|(name, nodes)| engine(name, nodes)).concat();
    fs::write(&file, format!("{head}{engines}")).expect("the plan is written");
    let mut command = Command::new(KOMAINU);
    command.arg("match").arg(&file).args(["--concurrency", "2", "--format", "none"]).arg("--out").arg(out.join("m"));
    let output = finish(command);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    assert_eq!(games(&out.join("m")).len(), 4);
    let text = stdout(&output);
    assert!(text.contains("draw after 512 plies") && text.contains("points"), "{text}");
    assert!(!out.join("m/records").exists());
}

#[test]
fn bad_usage_is_told_in_one_line() {
    let out = folder("usage");
    let fails = |arguments: &[&str], part: &str| {
        let output = finish_with(Command::new(KOMAINU).arg("match").args(arguments), &["--out"], &out.join("m"));
        let message = refused(&output);
        assert!(message.contains(part), "{message}");
    };
    let two = ["--engine", "a=./no-such-engine", "--engine", "b=./neither", "--games", "2"];
    let with = |more: &[&'static str]| [&two[..], more].concat();
    fails(&[], "needs two engines or a file");
    fails(&with(&[]), "nothing bounds a move");
    fails(&with(&["--nodes", "5"]), "engine a: cannot start \"./no-such-engine\"");
    fails(&with(&["--nodes", "5", "--openings", "no-such-file"]), "no-such-file");
    fails(&with(&["--nodes", "five"]), "five");
    fails(&["--resume"], "holds no match");
    fails(&["no-such-plan.toml"], "no-such-plan.toml");
}

/// A game without what differs from run to run.
fn timeless(out: &Path) -> Vec<GameLine> {
    let mut games = game_lines(out);
    for game in &mut games {
        (game.started, game.duration_ms, game.last_millis) = (String::new(), 0, None);
        for played in &mut game.moves {
            played.millis = None;
        }
    }
    games.sort_by_key(|game| game.game);
    games
}

/// `komainu match --merge` of these folders.
fn merge(folders: &[&Path], out: &Path) -> Output {
    finish_with(Command::new(KOMAINU).args(["match", "--merge"]).args(folders), &["--format", "kif", "--out"], out)
}

#[test]
fn shards_are_joined_to_the_match_that_one_machine_would_have_played() {
    let out = folder("shards");
    let path = |name: &str| out.join(name);
    let test = ["--sprt", "-300,-100"];
    // Without the test, which would end the whole match early but no shard.
    let expected = finish(unequal(&path("whole"), 15));
    for (name, shard) in [("a", "1/2"), ("b", "2/2")] {
        let mut command = unequal(&path(name), 15);
        let output = finish_with(command.args(test), &["--shard", shard, "--format"], Path::new("none"));
        let told = stdout(&output);
        assert!(told.contains("the shard is complete; --merge joins it with the others\n"), "{output:?}");
        assert!(told.contains(if name == "a" { "\n8 games, " } else { "\n7 games, " }), "{told}");
    }
    // A shard goes on as a shard.
    let output = finish_with(&mut Command::new(KOMAINU), &["match", "--resume", "--out"], &path("a"));
    assert_eq!((number(&summary(&output), "games"), games(&path("a")).len()), (8.0, 8), "{output:?}");
    let output = merge(&[&path("a"), &path("b")], &path("ab"));
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    assert_eq!(summary(&output), summary(&expected));
    assert_eq!(timeless(&path("ab")), timeless(&path("whole")));
    let told = stdout(&output);
    assert!(told.contains("LLR ") && told.contains("the match is complete\n"), "{told}");
    assert_eq!(fs::read_dir(path("ab/records")).expect("there are records").count(), 15);
    assert!(path("ab/report.html").exists());
    // In any order, with a shard that is given twice.
    let again = merge(&[&path("b"), &path("a"), &path("b")], &path("ba"));
    assert_eq!(summary(&again), summary(&output));
    for file in ["games.jsonl", "match.toml"] {
        assert_eq!(fs::read(path("ab").join(file)).unwrap(), fs::read(path("ba").join(file)).unwrap(), "{file}");
    }
    // What a missing shard leaves out is played by --resume.
    let half = merge(&[&path("b")], &path("half"));
    assert!(stdout(&half).contains("7 of 15 games; --resume plays the others\n"), "{half:?}");
    assert_eq!(number(&summary(&half), "games"), 7.0);
}

#[test]
fn folders_that_are_no_shards_of_one_match_are_not_joined() {
    let out = folder("no-shards");
    let path = |name: &str| out.join(name);
    for name in ["a", "b", "c"] {
        let mut command = unequal(&path(name), 4);
        let shard = if name == "b" { "2/2" } else { "1/2" };
        assert!(finish(std::mem::replace(command.args(["--shard", shard]), Command::new(KOMAINU))).status.success());
    }
    let fails = |folders: &[&str], words: &[&str]| {
        let folders: Vec<PathBuf> = folders.iter().map(|name| path(name)).collect();
        let folders: Vec<&Path> = folders.iter().map(PathBuf::as_path).collect();
        let output = merge(&folders, &path("out"));
        let told = refused(&output);
        assert!(words.iter().all(|word| told.contains(word)), "{told}");
        assert!(!path("out").exists());
    };
    // The same shard, played twice, counts once.
    let twice = merge(&[&path("a"), &path("b"), &path("c")], &path("twice"));
    assert_eq!(number(&summary(&twice), "games"), 4.0);
    assert!(stdout(&twice).contains("note: 1 pair played more than once: "), "{twice:?}");
    fails(&["a", "missing"], &["missing holds no match"]);
    let plan = fs::read_to_string(path("b/match.toml")).unwrap();
    for (key, old, new) in [
        ("limit", "nodes = 600", "nodes = 601"),
        ("games", "games = 4", "games = 6"),
        ("engine", "USI_Hash = \"4\"", "USI_Hash = \"5\""),
    ] {
        assert!(plan.contains(old), "{plan}");
        fs::write(path("b/match.toml"), plan.replacen(old, new, 1)).unwrap();
        fails(&["a", "b"], &["no-shards/b: match.toml differs from that of ", &format!("no-shards/a: {key}")]);
    }
    fs::write(path("b/match.toml"), &plan).unwrap();
    let journal = fs::read_to_string(path("b/games.jsonl")).unwrap();
    fs::write(path("b/games.jsonl"), journal.replacen("\"pair\":1", "\"pair\":0", 1)).unwrap();
    fails(&["a", "b"], &["no-shards/b/games.jsonl: line ", ": game ", " is none of this match"]);
    let refused = |arguments: &[&str], word: &str| {
        let output = finish_with(Command::new(KOMAINU).arg("match").args(arguments), &["--out"], &path("a"));
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(word), "{output:?}");
    };
    let folder = path("a");
    refused(&["--merge", folder.to_str().unwrap()], "is one of the shards");
    refused(&["--shard", "3/2", "--engine", "a=x"], "\"3/2\" is no shard");
    refused(&["--games", "4", "--merge", "x"], "--merge");
}

/// The plan that measures the techniques one by one can be played with the constants as they are.
#[test]
fn what_switches_techniques_off_lies_in_the_ranges_of_the_constants() {
    let path = format!("{}/../docs/experiments/without.toml", env!("CARGO_MANIFEST_DIR"));
    let plan: komainu_tools::arena::plan::Plan =
        toml::from_str(&std::fs::read_to_string(path).expect("the plan")).expect("a plan");
    let (all, others) = plan.engines.split_first().expect("engines");
    assert!(all.options.is_empty() && others.len() >= 30);
    for engine in others {
        assert!(!engine.options.is_empty(), "{}", engine.name);
        for (name, value) in &engine.options {
            let tunable =
                komainu::search::Tunable::find(name).unwrap_or_else(|| panic!("{}: no constant {name}", engine.name));
            let (value, (min, max)): (i32, _) = (value.parse().expect("a number"), tunable.range);
            assert!((min..=max).contains(&value) && value != tunable.default, "{}: {name} {value}", engine.name);
        }
    }
}
