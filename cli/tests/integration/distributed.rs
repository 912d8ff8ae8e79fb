//! Work that several workers share: parts of a match joined while they are played, stop files, results that count once.

use crate::shell::{
    Folder, game_lines, komainu, last_line, own_engine, printed, refusal, refused, refuses, run, stderr, stdout,
    wait_for,
};
use komainu::notation::json::GameLine;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// A match between two copies of the engine, unequal in nodes, of nine games: four pairs and one of one game.
fn part(out: &str, more: &[&str]) -> Command {
    let mut command = komainu(&["match", "--engine", &own_engine("much"), "--engine", &own_engine("little")]);
    command.args(["--each", "USI_Hash=1", "--nodes", "80", "--odds", "little=nodes=20", "--format", "none"]);
    if !more.contains(&"--games") {
        command.args(["--games", "9"]);
    }
    command.args(["--max-plies", "60", "--out", out]).args(more);
    command
}

/// A part that is played to its end.
fn play(out: &str, more: &[&str]) -> String {
    let output = part(out, more).output().expect("the program runs");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    stdout(&output)
}

/// Numbers, players, moves and ends of games, in the order of their numbers.
fn games(folder: &Path) -> Vec<String> {
    let mut games = game_lines(folder);
    games.sort_by_key(|game| game.game);
    let moves = |game: &GameLine| game.moves.iter().map(|played| played.mv.clone()).collect::<Vec<_>>().join(" ");
    games
        .iter()
        .map(|game| format!("{} {} {:?} {} {:?}", game.game, game.pair, game.players, moves(game), game.winner))
        .collect()
}

fn write_games(folder: &Path, games: &[GameLine]) {
    let text: String = games.iter().map(|game| serde_json::to_string(game).expect("JSON") + "\n").collect();
    fs::write(folder.join("games.jsonl"), text).expect("it can be written");
}

/// `match --merge --follow` of these folders, running.
fn follow(folders: &[&str], out: &str, more: &[&str]) -> Child {
    let mut command = komainu(&["match", "--merge"]);
    command.args(folders).args(["--follow", "--out", out]).args(more).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program runs")
}

fn count_of(folder: &Path) -> usize {
    fs::read_to_string(folder.join("games.jsonl")).map_or(0, |text| text.lines().count())
}

#[test]
fn ranges_of_pairs_are_joined_to_the_match_of_one_machine() {
    let folder = Folder::new("distributed-ranges");
    let [whole, a, b, both] = ["whole", "a", "b", "both"].map(|name| folder.text(name));
    let expected = play(&whole, &[]);
    let text = play(&a, &["--pairs", "0..2"]);
    assert!(text.contains("\n4 games, ") && text.contains("the pairs are complete; --merge joins them"), "{text}");
    // The last pair is one of one game.
    let text = play(&b, &["--pairs", "2..5", "--concurrency", "2"]);
    assert!(text.contains("\n5 games, "), "{text}");
    let text = printed(&["match", "--merge", &b, &a, "--out", &both]);
    assert!(text.contains("the match is complete\n"), "{text}");
    assert_eq!(text.lines().last(), expected.lines().last());
    assert_eq!(games(&folder.path("both")), games(&folder.path("whole")));
    let plan = folder.read("a/match.toml");
    assert!(plan.contains("pairs = \"0..2\""), "{plan}");
    assert!(!folder.read("both/match.toml").contains("pairs"));
    // A part goes on as a part, and the folder that holds the parts stands for them.
    let parts = folder.path("parts");
    fs::create_dir(&parts).expect("a folder");
    for name in ["a", "b"] {
        fs::rename(folder.path(name), parts.join(name)).expect("it can be moved");
    }
    let all = game_lines(&parts.join("a"));
    write_games(&parts.join("a"), &all[..3]);
    let output = run(&["match", "--resume", "--out", parts.join("a").to_str().expect("UTF-8")]);
    assert!(last_line(&output).starts_with("games 4 "), "{output:?}");
    let again = printed(&["match", "--merge", parts.to_str().expect("UTF-8"), "--out", &folder.text("again")]);
    assert_eq!(again.lines().last(), expected.lines().last());
}

#[test]
fn a_range_of_pairs_that_means_nothing_is_refused() {
    let folder = Folder::new("distributed-nonsense");
    let out = folder.text("out");
    let refused = |more: &[&str], words: &str| {
        let output = part(&out, more).output().expect("the program runs");
        let text = stderr(&output);
        assert!(output.status.code() == Some(2) && text.contains(words), "{more:?}: {text}");
        assert!(!folder.path("out").exists());
    };
    refused(&["--pairs=3..3"], "\"3..3\" is no range: A..B with A below B");
    refused(&["--pairs", "0..6"], "--pairs 0..6: the match has 5 pairs, numbered from 0");
    refused(&["--pairs", "5..7"], "--pairs 5..7: the match has 5 pairs");
    refused(&["--pairs", "0..2", "--shard", "1/2"], "--pairs");
    refused(&["--pairs", "0..1", "--tournament", "swiss"], "--pairs: a Swiss tournament has no shards");
    for (more, words) in [
        (&["--follow"][..], "--merge"),
        (&["--merge", "x", "--resume"], "--resume: with --merge only beside --follow"),
        (&["--merge", "x", "--stop-file", "s"], "--stop-file: with --merge only beside --follow"),
        (&["--merge", "x", "--follow", "--pairs", "0..1"], "--pairs"),
        (&["--merge", &out, "--follow"], "is one of the shards"),
    ] {
        let output = run(&[&["match", "--out", &out], more].concat());
        let text = stderr(&output);
        assert!(output.status.code() == Some(2) && text.contains(words), "{more:?}: {text}");
    }
}

#[test]
fn folders_that_grow_are_joined_as_they_grow_until_every_pair_is_there() {
    let folder = Folder::new("distributed-growth");
    let [whole, a, b, out] = ["whole", "a", "b", "out"].map(|name| folder.text(name));
    let expected = play(&whole, &["--pairs", "0..5"]);
    // Neither folder is there yet.
    let child = follow(&[&a, &b], &out, &[]);
    let plan = fs::read(folder.path("whole/match.toml")).expect("a plan");
    let all = game_lines(&folder.path("whole"));
    let text: Vec<String> = all.iter().map(|game| serde_json::to_string(game).expect("JSON") + "\n").collect();
    let begin = |name: &str| {
        fs::create_dir(folder.path(name)).expect("a folder");
        folder.write(&format!("{name}/match.toml"), &plan);
        File::create(folder.path(name).join("games.jsonl")).expect("it can be made")
    };
    let mut first = begin("a");
    first.write_all(text[..2].concat().as_bytes()).expect("it can be written");
    wait_for("first pair", || count_of(&folder.path("out")) == 2);
    // One game of a pair, and of the other one a part of its line: no pair, and no error.
    let half = text[3].len() / 2;
    first.write_all((text[2].clone() + &text[3][..half]).as_bytes()).expect("it can be written");
    let mut second = begin("b");
    second.write_all(text[4..6].concat().as_bytes()).expect("it can be written");
    wait_for("second pair", || count_of(&folder.path("out")) == 4);
    wait_for("report", || folder.path("out/report.html").exists() && folder.path("out/summary.json").exists());
    assert!(!folder.path("out/stop").exists(), "pairs are missing");
    first.write_all(&text[3].as_bytes()[half..]).expect("it can be written");
    second.write_all(text[6..].concat().as_bytes()).expect("it can be written");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(last_line(&output), expected.lines().last().unwrap_or_default());
    let said = stdout(&output);
    assert!(said.contains("2 of 9 games, ") && said.contains("9 of 9 games, "), "{said}");
    assert!(said.contains("the match is complete\n"), "{said}");
    assert_eq!(games(&folder.path("out")), games(&folder.path("whole")));
    assert_eq!(folder.read("out/stop"), "the match is complete\n");
}

#[test]
fn a_decided_test_ends_the_workers_and_a_finished_follower_says_the_same_again() {
    let folder = Folder::new("distributed-decided");
    let [a, b, out] = ["a", "b", "out"].map(|name| folder.text(name));
    let stop = folder.text("out/stop");
    let test = ["--sprt", "-1500,-1400", "--games", "600", "--stop-file", &stop];
    let follower = follow(&[&a, &b], &out, &[]);
    let workers = [(&a, "0..150"), (&b, "150..300")].map(|(out, pairs)| {
        let mut worker = part(out, &[&test[..], &["--pairs", pairs]].concat());
        worker.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs")
    });
    let output = follower.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(stdout(&output).contains("the test is decided: passed\n"), "{output:?}");
    assert_eq!(fs::read_to_string(&stop).expect("a stop file"), "the test is decided: passed\n");
    for worker in workers {
        let output = worker.wait_with_output().expect("it ends");
        assert_eq!((output.status.code(), output.stderr.is_empty()), (Some(0), true), "{output:?}");
        assert!(stdout(&output).contains("stopped by the stop file; --resume goes on\n"), "{output:?}");
    }
    for name in ["a", "b"] {
        let mut pairs: Vec<u64> = game_lines(&folder.path(name)).iter().map(|game| game.pair).collect();
        pairs.sort_unstable();
        assert!(
            !pairs.is_empty() && pairs.chunks(2).all(|games| games.len() == 2 && games[0] == games[1]),
            "{pairs:?}"
        );
    }
    // A worker that comes late plays nothing, and the follower has nothing left to do.
    let late = play(&folder.text("late"), &[&test[..], &["--pairs", "0..1"]].concat());
    assert!(
        late.starts_with(&format!("no game: {stop} is there\ngames 0 ")) && !folder.path("late").exists(),
        "{late}"
    );
    let again = follow(&[&a, &b], &out, &["--resume"]).wait_with_output().expect("it ends");
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    assert!(stdout(&again).contains("the test is decided: passed\n"), "{again:?}");
    let other = folder.text("other");
    let output = follow(&[&a], &other, &["--stop-file", &stop]).wait_with_output().expect("it ends");
    assert!(refused(&output).contains(&format!("--stop-file: {stop} is there already")), "{output:?}");
}

#[test]
fn a_pair_that_two_workers_played_counts_once_whatever_the_order_of_the_folders() {
    let folder = Folder::new("distributed-doubled");
    let [whole, a, b, c] = ["whole", "a", "b", "c"].map(|name| folder.text(name));
    let expected = play(&whole, &["--pairs", "0..5"]);
    play(&a, &["--pairs", "0..3"]);
    play(&b, &["--pairs", "2..5"]);
    // A worker that vanished in the middle of its second pair.
    play(&c, &["--pairs", "0..2"]);
    let all = game_lines(&folder.path("c"));
    write_games(&folder.path("c"), &all[..3]);
    let orders = [[&a, &b, &c], [&c, &b, &a], [&b, &c, &a]];
    let mut results = Vec::new();
    for (number, order) in orders.into_iter().enumerate() {
        let order = order.map(String::as_str);
        let [out, followed] = ["merged", "followed"].map(|name| format!("{name}{number}"));
        let text = printed(&[&["match", "--merge"], &order[..], &["--out", &folder.text(&out)]].concat());
        assert_eq!(text.lines().last(), expected.lines().last());
        assert!(text.contains("note: 3 pairs played more than once: that which ended first counts\n"), "{text}");
        assert!(!text.contains(" differ"), "{text}");
        let child = follow(&order, &folder.text(&followed), &[]);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(last_line(&output), expected.lines().last().unwrap_or_default(), "{output:?}");
        for name in [out, followed] {
            assert_eq!(games(&folder.path(&name)), games(&folder.path("whole")));
        }
        results.push(["merged", "followed"].map(|name| folder.bytes(&format!("{name}{number}/games.jsonl"))));
    }
    assert!(results.iter().all(|result| *result == results[0]), "the order of the folders changes nothing");
    // Games that differ: that of the pair which ended first counts, and it is said.
    let mut other = game_lines(&folder.path("b"));
    for game in other.iter_mut().filter(|game| game.pair == 2) {
        game.winner = game.winner.map(|winner| !winner);
        game.moves.truncate(20);
        game.started = "2020-01-01T00:00:00Z".to_string();
    }
    write_games(&folder.path("b"), &other);
    for order in [[&a, &b], [&b, &a]] {
        let out = folder.text("differing");
        let text = printed(&["match", "--merge", order[0], order[1], "--out", &out]);
        let [a, b] = [&a, &b].map(|path| path.as_str());
        let note = format!("note: games of 1 pair differ from those that count, as of pair 2 in {a} from {b}\n");
        assert!(text.contains(&note), "{text}");
        let kept = game_lines(&folder.path("differing"));
        assert!(kept.iter().filter(|game| game.pair == 2).all(|game| game.moves.len() == 20));
        fs::remove_dir_all(&out).expect("it can be removed");
    }
}

#[test]
fn folders_of_another_match_are_refused_while_one_is_followed() {
    let folder = Folder::new("distributed-foreign");
    let [a, b, out] = ["a", "b", "out"].map(|name| folder.text(name));
    play(&a, &["--pairs", "0..1"]);
    play(&b, &["--pairs", "1..2", "--margin", "7"]);
    for order in [[&a, &b], [&b, &a]] {
        let output = follow(&order.map(String::as_str), &out, &[]).wait_with_output().expect("it ends");
        assert!(refused(&output).contains(": match.toml differs from that of "), "{output:?}");
        assert!(refused(&output).ends_with(": margin_ms") && !folder.path("out/stop").exists(), "{output:?}");
        _ = fs::remove_dir_all(folder.path("out"));
    }
    // A line that is none of the match, behind good ones.
    let mut games = game_lines(&folder.path("a"));
    games[1].pair = 3;
    write_games(&folder.path("a"), &games);
    let output = follow(&[&a], &out, &[]).wait_with_output().expect("it ends");
    assert!(refused(&output).contains("a/games.jsonl: line 2: game "), "{output:?}");
    // What is no plan.
    folder.write("a/match.toml", "games = \"many\"\n");
    let output = follow(&[&a], &folder.text("new"), &[]).wait_with_output().expect("it ends");
    assert!(refused(&output).contains("a/match.toml"), "{output:?}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_follower_leaves_whole_files_and_goes_on() {
    let folder = Folder::new("distributed-interrupted");
    let [a, b, out] = ["a", "b", "out"].map(|name| folder.text(name));
    // Nothing is there.
    let child = follow(&[&a], &out, &[]);
    sleep(Duration::from_millis(700));
    crate::shell::signal(&child, "-INT");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), folder.path("out").exists()), (Some(130), false), "{output:?}");
    play(&a, &["--pairs", "0..2"]);
    for name in ["-INT", "-TERM"] {
        // The report that is waited for is that of this follower.
        _ = fs::remove_file(folder.path("out/report.html"));
        let child = follow(&[&a, &b], &out, if name == "-INT" { &[] } else { &["--resume"] });
        wait_for("pairs", || count_of(&folder.path("out")) == 4 && folder.path("out/report.html").exists());
        crate::shell::signal(&child, name);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        assert!(stdout(&output).contains("interrupted after 4 of 9 games; --resume goes on\n"), "{output:?}");
        assert!(last_line(&output).starts_with("games 4 ") && !folder.path("out/stop").exists(), "{output:?}");
        assert!(folder.path("out/summary.csv").exists());
    }
    refuses(&["match", "--merge", &a, "--follow", "--out", &out], "holds a match already: --resume goes on with it");
    // The folder that was joined first may have gone by now.
    fs::remove_dir_all(folder.path("a")).expect("it can be removed");
    play(&b, &["--pairs", "2..5"]);
    let output = follow(&[&a, &b], &out, &["--resume"]).wait_with_output().expect("it ends");
    assert!(last_line(&output).starts_with("games 9 "), "{output:?}");
    assert_eq!(count_of(&folder.path("out")), 9);
}

/// Calls a tool that makes a file, and returns what it prints.
fn made(tool: &[&str], out: &str, more: &[&str]) -> String {
    printed(&[tool, &["--out", out], more].concat())
}

#[test]
fn a_stop_file_ends_self_play_and_rescoring_and_what_is_there_can_be_joined() {
    let folder = Folder::new("distributed-stops");
    let stop = folder.text("stop");
    let selfplay = ["selfplay", "--nodes", "40", "--hash", "1", "--games", "100000", "--shard", "1/2"];
    let [a, again, whole] = ["a", "again", "whole"].map(|name| folder.text(name));
    let mut command = komainu(&selfplay);
    let mut child = command.args(["--out", &a, "--stop-file", &stop]).stdout(Stdio::piped()).spawn().expect("it runs");
    wait_for("games", || fs::metadata(&a).is_ok_and(|data| data.len() > 2_000));
    assert!(child.try_wait().expect("it can be asked").is_none());
    fs::write(&stop, "").expect("it can be written");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(stdout(&output).contains(&format!("\nstopped by {stop}; --resume goes on\ngames ")), "{output:?}");
    // Another worker plays the same share, and stops at once.
    assert!(made(&selfplay, &again, &["--stop-file", &stop]).contains("\ngames 0 "));
    refuses(&["data", "merge", &a, &again, "--out", &whole], "no file of shard 2/2");
    let text = printed(&["data", "merge", &again, &a, "--partial", "--out", &whole]);
    assert_eq!(
        text.lines().last(),
        printed(&["data", "merge", &a, "--partial", "--out", &folder.text("b")]).lines().last()
    );
    refuses(&[&selfplay[..7], &["--out", &whole, "--resume"]].concat(), ", not with ");
    for input in ["games", "records"] {
        let old = folder.text(input);
        if input == "games" {
            made(&["selfplay", "--nodes", "40", "--hash", "1", "--games", "3"], &old, &[]);
        } else {
            printed(&["data", "convert", &folder.text("games"), &old]);
        }
        let out = folder.text(&format!("new-{input}"));
        let text = made(&["data", "rescore", &old, "--nodes", "40", "--hash", "1"], &out, &["--stop-file", &stop]);
        assert!(text.contains(&format!("stopped by {stop} after 0 of ")), "{text}");
    }
    let lines = folder.write("lines", "startpos\nstartpos moves 7g7f\n");
    let think = ["book", "think", "--positions", &lines, "--nodes", "50", "--hash", "1"];
    let book = folder.text("book.db");
    let text = made(&think, &book, &["--stop-file", &stop]);
    assert!(text.contains(&format!("stopped by {stop} after 0 positions; --resume goes on")), "{text}");
    assert!(!folder.path("book.db").exists());
    assert_eq!(made(&think, &book, &["--resume"]).lines().last().map(|line| &line[..12]), Some("2 positions,"));
}

#[test]
fn shards_of_old_games_and_records_are_joined_to_the_file_of_one_machine() {
    let folder = Folder::new("distributed-rescore");
    let games = folder.text("games");
    made(&["selfplay", "--nodes", "40", "--hash", "1", "--games", "20"], &games, &[]);
    let records = folder.text("records");
    printed(&["data", "convert", &games, &records]);
    assert!(fs::metadata(&records).expect("it is there").len() > 2 * 512 * 40, "two blocks and a part of one");
    for (old, last) in [(&games, "games 20 positions "), (&records, "records ")] {
        let tool = ["data", "rescore", old.as_str(), "--nodes", "60", "--hash", "1"];
        let name = |part: &str| format!("{old}-{part}");
        made(&tool, &name("whole"), &[]);
        for part in ["1/3", "2/3", "3/3"] {
            let out = name(&part[..1]);
            let text = made(&tool, &out, &["--shard", part, "--threads", "2"]);
            assert!(text.contains(&format!("shard {part} crc32 ")), "{text}");
        }
        let [a, b, c, joined] = ["1", "2", "3", "joined"].map(name);
        let text = printed(&["data", "merge", &c, &a, &b, "--out", &joined]);
        assert!(text.lines().last().is_some_and(|line| line.starts_with(last)), "{text}");
        assert!(fs::read(&joined).unwrap() == fs::read(name("whole")).unwrap(), "{last}");
        // A worker that was killed, and another one that did its share again.
        let half = name("half");
        let bytes = fs::read(&a).expect("it is there");
        fs::write(&half, &bytes[..bytes.len() - 9]).expect("it can be written");
        refuses(&["data", "merge", &half, &b, &c, "--out", &name("new")], "half");
        let text = printed(&["data", "merge", &half, &b, &a, &c, "--out", &name("twice")]);
        assert!(text.lines().last().is_some_and(|line| line.starts_with(last)), "{text}");
        assert!(fs::read(name("twice")).unwrap() == fs::read(name("whole")).unwrap(), "{last}");
        made(&tool, &half, &["--shard", "1/3", "--resume"]);
        assert!(fs::read(&half).unwrap() == bytes, "it goes on to the same end");
        // Other settings, and a share that is taken for the whole.
        let told = refusal(
            &[&tool[..3], &["--nodes", "61", "--hash", "1", "--out", &half, "--shard", "1/3", "--resume"]].concat(),
        );
        assert!(told.contains("rescore nodes 60 ") && told.contains("rescore nodes 61 "), "{told}");
    }
    refuses(&["data", "info", &format!("{records}-1")], "a share of records, which `data merge` joins with the others");
}

#[test]
fn the_recipes_of_the_documents_are_the_scripts_that_run() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let read = |path: &str| fs::read_to_string(root.join(path)).expect("it is there");
    let scripts = ["worker.sh", "array.sbatch"].map(|name| read(&format!("cli/tests/schedulers/{name}")));
    let is_shown = |line: &&str| !line.trim().is_empty() && (!line.starts_with("# ") && !line.contains("$PIDS"));
    for document in ["docs/distributed.md", "docs/distributed.ja.md"] {
        let text = read(document);
        for line in scripts.iter().flat_map(|script| script.lines().skip(1)).filter(is_shown) {
            assert!(text.contains(&format!("{line}\n")), "{document} lacks {line}");
        }
        let run = read("cli/tests/schedulers/run.sh");
        for words in [
            "'./worker.sh parts/{}-$$ {}' :::: tasks",
            "--output=task-%a.log array.sbatch",
            "--retries 3 --joblog jobs.log",
        ] {
            assert!(text.contains(words) && run.contains(words), "{document}: {words}");
        }
    }
}
