//! `komainu analyse`: what it writes is what other programs read, and an interrupt changes nothing.

mod expressions;
mod forms;
mod page;
mod verdicts;

use crate::oracle::play::choose;
use crate::shell::{Folder, komainu, last_line, stderr, wait_for};
use komainu::notation::record::{Conclusion, Ending, GameRecord, RecordMove, Variation};
use komainu::notation::{csa, encoding, kif};
use komainu::position::Position;
use komainu::random::SplitMix64;
use serde_json::Value;
use std::fs;
use std::process::{Output, Stdio};
use std::time::Duration;

/// A random game of so many moves from a start, with times, headers, comments and a variation.
pub(crate) fn game(start: &str, plies: usize, seed: u64) -> GameRecord {
    let mut random = SplitMix64(seed);
    let mut record = GameRecord::new(Position::from_sfen(start).unwrap());
    record.players = [Some("駒犬".to_string()), Some("狛犬".to_string())];
    record.headers = vec![("備考".to_string(), "解析の試験".to_string())];
    record.comments = vec!["対局前の一言".to_string()];
    let mut pos = record.start.clone();
    for ply in 0..plies {
        let Some(mv) = choose(&mut pos, &mut random) else { break };
        pos.do_move(mv);
        let comments = if ply % 5 == 2 { vec!["良い手".to_string()] } else { Vec::new() };
        record.moves.push(RecordMove { mv, spent: Some(Duration::from_secs(ply as u64)), comments });
    }
    record.conclusion = Some(Conclusion::usual(Ending::Resignation, pos.side()));
    if record.moves.len() > 4 {
        let mut pos = record.start.clone();
        for made in &record.moves[..4] {
            pos.do_move(made.mv);
        }
        let mv = choose(&mut pos, &mut random).expect("it has moves");
        let mut made = RecordMove::new(mv);
        made.comments = vec!["変化の手".to_string()];
        record.variations = vec![Variation { from: 5, moves: vec![made], conclusion: None }];
    }
    record
}

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

fn analyse(arguments: &[&str]) -> Output {
    komainu(&[&["analyse", "--hash", "1", "--mate", "2"], arguments].concat()).output().expect("the binary runs")
}

/// The same in a folder, with the arguments in one line.
fn analyse_in(folder: &Folder, arguments: &str) -> Output {
    let mut command = komainu(&["analyse", "--hash", "1", "--mate", "2"]);
    command.args(arguments.split(' ')).current_dir(folder.path("")).output().expect("the binary runs")
}

fn json(folder: &Folder, name: &str) -> Value {
    serde_json::from_slice(&folder.bytes(name)).expect("JSON")
}

#[test]
fn a_record_keeps_everything_that_it_had() {
    let folder = Folder::new("analyse-keeps");
    let record = game(START, 14, 7);
    let text = kif::write(&record).replace("# ---- Komainu ----", "# ---- その他のソフト ----").replace('\n', "\r\n");
    folder.write("a.kif", encoding::encode_cp932(&text).bytes);
    let output = analyse(&[&folder.text("a.kif"), "--nodes", "300", "--out", &folder.text("out"), "--variations", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let annotated = folder.read("out/a.kifu");
    // Every line of the old text, in its order.
    let mut rest = annotated.split_inclusive('\n');
    for line in text.split_inclusive('\n') {
        assert!(rest.any(|new| new == line), "{line:?} is lost in\n{annotated}");
    }
    let read = kif::read(&annotated).unwrap();
    assert_eq!(read.warnings, [""; 0], "{annotated}");
    let plain = |record: &GameRecord| record.moves.iter().map(|made| (made.mv, made.spent)).collect::<Vec<_>>();
    assert_eq!(plain(&read.record), plain(&record));
    assert!(read.record.variations.iter().any(|line| line == &record.variations[0]), "{annotated}");
    let analysis = json(&folder, "out/a.json");
    let labels = analysis["moves"].as_array().unwrap().iter().filter(|made| !made["label"].is_null()).count();
    assert!(last_line(&output).ends_with(&format!(", {labels} label{}", if labels == 1 { "" } else { "s" })));
    assert!(labels > 0, "a random game has bad moves");
    // Once more, in place of what was found.
    let again = analyse_in(&folder, "out/a.kifu --nodes 300 --out again --replace --format kif");
    assert_eq!(again.status.code(), Some(0));
    let replaced = folder.read("again/a.kifu");
    assert_eq!(
        replaced.matches("#評価値=").count() + replaced.matches("#詰み=").count(),
        record.moves.len() + 1,
        "{replaced}"
    );
    let skipped = analyse(&[&folder.text("out/a.kifu"), "--out", &folder.text("skipped"), "--skip-analysed"]);
    assert_eq!(last_line(&skipped), "0 games, 0 positions, 0 labels");
}

#[test]
fn a_csa_record_keeps_every_line() {
    let folder = Folder::new("analyse-keeps-csa");
    let mut record = game(START, 14, 11);
    record.variations.clear();
    let text = csa::write(&record).replace("N+", "'a remark of somebody\nN+").replace('\n', "\r\n");
    folder.write("a.csa", &text);
    let output = analyse(&[&folder.text("a.csa"), "--nodes", "300", "--out", &folder.text("out"), "--format", "csa"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let annotated = folder.read("out/a.csa");
    let added = |line: &str| ["'** ", "'*#", "'*【"].iter().any(|head| line.starts_with(head));
    let words = ["互角", "有望", "有利", "優勢", "勝勢", "：", "入玉宣言", "詰"];
    let is_new = |line: &str| added(line) || line.starts_with("'*") && words.iter().any(|word| line.contains(word));
    let kept: String = annotated.split_inclusive('\n').filter(|line| !is_new(line)).collect();
    assert_eq!(kept, text);
    assert!(annotated.split_inclusive('\n').all(|line| line.ends_with("\r\n")));
    let again = csa::read(&annotated).unwrap();
    assert_eq!(again.warnings, [""; 0], "{annotated}");
    assert_eq!(annotated.matches("'*#評価値=").count() + annotated.matches("'*#詰み=").count(), 15, "{annotated}");
}

#[test]
fn work_that_is_broken_off_anywhere_comes_to_the_same() {
    let folder = Folder::new("analyse-resume");
    folder.write("a.kifu", kif::write(&game(START, 34, 3)));
    let run = |out: &str, more: &[&str]| {
        let arguments = [&folder.text("a.kifu"), "--nodes", "300", "--out", &folder.text(out)];
        let output = analyse(&[&arguments[..], more].concat());
        (output.status.code(), last_line(&output))
    };
    assert_eq!(run("whole", &[]).0, Some(0));
    let files = |out: &str| ["kifu", "csa", "json"].map(|end| folder.bytes(&format!("{out}/a.{end}")));
    // Side by side, the parts of a game come to the same.
    assert_eq!(run("parts", &["--jobs", "3"]).0, Some(0));
    assert_eq!(files("parts"), files("whole"));
    let journal = folder.bytes("whole/analysis.jsonl");
    let text = String::from_utf8(journal).unwrap();
    let count = text.lines().count();
    fs::create_dir_all(folder.path("cut")).unwrap();
    for lines in [1, 9, count - 1] {
        let kept: String = text.split_inclusive('\n').take(lines).collect();
        folder.write("cut/analysis.jsonl", kept + "{\"position\":{\"game\":\"a\",");
        if lines > 1 {
            assert_eq!(run("cut", &[]).0, Some(2), "without --resume nothing is lost");
        }
        assert_eq!(run("cut", &["--resume"]).0, Some(0));
        assert_eq!(files("cut"), files("whole"), "after {lines} lines");
    }
    let (code, line) = run("cut", &["--resume"]);
    assert_eq!((code, line.starts_with("1 game, 35 positions, ")), (Some(0), true), "{line}");
}

#[test]
fn a_broken_record_is_analysed_up_to_its_fault() {
    let folder = Folder::new("analyse-broken");
    let whole = kif::write(&game(START, 10, 5));
    let broken: String = whole
        .split_inclusive('\n')
        .map(|line| if line.starts_with("   7 ") { "   7 ５五玉(11)\n" } else { line })
        .collect();
    folder.write("a.kif", &broken);
    folder.write("b.csa", "nothing\n");
    let output = analyse(&[&folder.text("."), "--nodes", "200", "--out", &folder.text("out")]);
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("a.kif: KIF, line ") && told.contains("move 7") && told.contains("b.csa: CSA, "), "{told}");
    assert!(last_line(&output).starts_with("1 game, 7 positions, "), "{}", last_line(&output));
    let analysis = json(&folder, "out/a.json");
    assert_eq!(analysis["moves"].as_array().unwrap().len(), 6);
    assert!(analysis["fault"].as_str().unwrap().contains("move 7"), "{}", analysis["fault"]);
    let annotated = folder.read("out/a.kifu");
    assert!(annotated.contains("   7 ５五玉(11)\n"), "what could not be read is kept: {annotated}");
    // Nothing is written over what is read.
    let before = folder.bytes("a.kif");
    let output = analyse(&[&folder.text("a.kif"), "--out", &folder.text("."), "--encoding", "cp932"]);
    assert_eq!((output.status.code(), folder.bytes("a.kif")), (Some(2), before));
}

#[test]
fn mates_declarations_and_ranges_are_told() {
    let folder = Folder::new("analyse-told");
    // Black mates by G*5b and moves the king instead; a declaration is possible in the other game.
    folder.write("mate.usi", "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1 moves 5i5h 5a6a\n");
    let sfen = "K+R+R6/+B+BGGGG3/SSSS5/9/9/9/9/9/8k b 4P4n4l14p 1";
    folder.write("declare.usi", format!("sfen {sfen} moves 7a6a\n"));
    let output = analyse(&[&folder.text("mate.usi"), "--nodes", "500", "--out", &folder.text("out")]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let made = json(&folder, "out/mate.json")["moves"][0].clone();
    assert_eq!((&made["missed"], made["before"]["mate"].as_i64()), (&Value::from("mate"), Some(1)), "{made}");
    assert_eq!(made["label"], "blunder");
    let text = folder.read("out/mate.kifu");
    assert!(text.contains("*【大悪手】") && text.contains("1手詰を逃した"), "{text}");
    assert!(text.contains("*#詰み=先手勝ち:1手"), "the position at the start: {text}");
    let declare = folder.text("declare.usi");
    let arguments = ["analyse", &declare, "--mate", "0", "--nodes", "500", "--rules", "wcsc", "--out"];
    let output = komainu(&[&arguments[..], &[&folder.text("declared")]].concat()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let declared = json(&folder, "declared/declare.json");
    assert_eq!(declared["moves"][0]["missed"], "declaration", "{declared}");
    assert_eq!(declared["moves"][0]["before"]["words"][0], "▲宣言勝ち", "{declared}");
    let output = analyse_in(&folder, "mate.usi --nodes 200 --out range --from 2 --format json");
    assert!(last_line(&output).starts_with("1 game, 2 positions, "), "{}", last_line(&output));
    let analysis = json(&folder, "range/mate.json");
    assert!(analysis["moves"][0]["before"].is_null() && !analysis["moves"][1]["before"].is_null());
    assert!(!folder.path("range/mate.kifu").exists());
}

#[test]
fn a_mate_has_the_same_words_everywhere_and_none_is_counted_after_it() {
    let folder = Folder::new("analyse-mate-words");
    // White answers one check, and the next one is mate.
    let start = "8k/6G2/R8/7N1/9/9/9/9/9 b r2b3g4s3n4l18p 1";
    folder.write("a.usi", format!("sfen {start} moves 9c1c+ P*1b 1c1b\n"));
    let out = folder.text("out");
    let output = analyse(&[&folder.text("a.usi"), "--nodes", "3000", "--out", &out, "--format", "kif,json,html"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let game = json(&folder, "out/a.json");
    let record = folder.read("out/a.kifu");
    let page = folder.read("out/a.html");
    let told: Vec<&Value> = game["moves"].as_array().unwrap().iter().map(|made| &made["after"]["words"]).collect();
    let words = [["▲詰み筋（残り2手）", "▲mate, 2 plies left"], ["▲1手詰", "▲mate in 1"], ["詰み", "mated"]];
    assert_eq!(told, words.map(Value::from).each_ref(), "{game}");
    assert_eq!(game["moves"][0]["before"]["words"][0], "▲3手詰", "{game}");
    for [ja, en] in words {
        assert!(record.contains(&format!("*{ja}\n")), "{ja}: {record}");
        assert!(page.contains(&format!("[\"{ja}\",\"{en}\"]")), "{ja}");
    }
}

#[test]
fn a_quick_analysis_is_whole_and_says_that_it_is_provisional() {
    let folder = Folder::new("analyse-quick");
    folder.write("a.kifu", kif::write(&game(START, 12, 3)));
    let run =
        |more: &[&str]| analyse(&[&[&folder.text("a.kifu"), "--out", &folder.text("out"), "--quick"], more].concat());
    let output = run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(last_line(&output).starts_with("1 game, 13 positions, "), "{}", last_line(&output));
    let analysis = json(&folder, "out/a.json");
    let moves = analysis["moves"].as_array().unwrap();
    assert!(moves.iter().all(|made| made["before"]["quick"] == true && made["before"]["deep"].is_null()), "{analysis}");
    assert!(moves.iter().any(|made| !made["label"].is_null()), "a random game has bad moves");
    assert!(folder.read("out/a.html").contains("\"running\":false"));
    for limit in ["--nodes", "--depth", "--movetime"] {
        assert_eq!(run(&[limit, "9"]).status.code(), Some(2), "{limit}");
    }
}

#[cfg(unix)]
#[test]
fn the_page_of_a_long_analysis_is_there_after_the_quick_pass_and_rests_when_it_is_interrupted() {
    let folder = Folder::new("analyse-passes");
    folder.write("a.kifu", kif::write(&game(START, 12, 3)));
    let mut command = komainu(&["analyse", &folder.text("a.kifu"), "--mate", "0", "--movetime", "500"]);
    command.args(["--format", "html,json", "--out", &folder.text("out")]);
    let running = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the binary runs");
    let page = || fs::read_to_string(folder.path("out/a.html")).unwrap_or_default();
    // Pages are written once a second, so a few positions may have been searched thoroughly meanwhile.
    let is_there = |page: String| page.contains("\"running\":true") && page.matches("\"quick\":true").count() > 6;
    wait_for("page", || is_there(page()));
    crate::shell::signal(&running, "-INT");
    let output = running.wait_with_output().unwrap();
    let journal = folder.read("out/analysis.jsonl");
    let done = format!("interrupted after {} positions; --resume goes on", journal.lines().count() - 1);
    assert_eq!((output.status.code(), last_line(&output)), (Some(130), done));
    assert!(page().contains("\"running\":false") && page().contains("\"quick\":true"), "{}", page());
    assert!(!folder.path("out/a.json").exists());
}

#[test]
fn a_blunder_in_byoyomi_is_marked_as_one() {
    let folder = Folder::new("analyse-pressure");
    let mut record = GameRecord::new(Position::from_sfen("5k3/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1").unwrap());
    record.time_limit = Some("10秒+30秒".to_string());
    // The second move of Black misses a mate, with the ten seconds gone.
    for (mv, seconds) in [("5i5h", 12), ("4a5a", 3), ("5h5i", 20), ("5a6a", 1)] {
        let spent = Some(Duration::from_secs(seconds));
        record.moves.push(RecordMove { spent, ..RecordMove::new(mv.parse().unwrap()) });
    }
    let analysed = |record: &GameRecord, out: &str, more: &[&str]| {
        folder.write("a.kifu", kif::write(record));
        let output = analyse(&[&[&folder.text("a.kifu"), "--nodes", "500", "--out", &folder.text(out)], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        (json(&folder, &format!("{out}/a.json")), folder.read(&format!("{out}/a.kifu")))
    };
    let (analysis, text) = analysed(&record, "ja", &[]);
    let pressures: Vec<&Value> = analysis["moves"].as_array().unwrap().iter().map(|made| &made["pressure"]).collect();
    let byoyomi = serde_json::json!({"kind": "byoyomi", "left_ms": 30_000});
    assert_eq!(pressures, [&Value::Null, &Value::Null, &byoyomi, &Value::Null]);
    assert_eq!(analysis["moves"][2]["label"], "blunder", "{analysis}");
    assert_eq!(text.matches("秒読み（30秒）").count(), 1, "{text}");
    let figures = |side: &str| ["pressed", "pressed_bad"].map(|key| analysis["summary"][side][key].as_u64());
    assert_eq!((figures("black"), figures("white")), ([Some(1), Some(1)], [Some(0), Some(0)]));
    let (_, english) = analysed(&record, "en", &["--lang", "en"]);
    assert!(english.contains("in byoyomi of 30 s"), "{english}");
    record.time_limit = None;
    let (_, text) = analysed(&record, "none", &[]);
    assert!(text.contains("*【大悪手】") && !text.contains("秒読み"), "{text}");
}

#[test]
fn an_analysis_that_is_replaced_leaves_nothing_behind() {
    let folder = Folder::new("analyse-replace");
    // With a mate that is missed, so that there is a sentence.
    let mut record = GameRecord::new(Position::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1").unwrap());
    record.moves = ["5i5h", "5a6a"].map(|mv| RecordMove::new(mv.parse().unwrap())).into();
    folder.write("mate.kifu", kif::write(&record));
    folder.write("long.kifu", kif::write(&game(START, 30, 7)));
    let mut sentences = 0;
    for name in ["mate", "long"] {
        for (form, language) in
            [("shogihome", "ja"), ("shogihome", "en"), ("plain", "ja"), ("plain", "en"), ("shogigui", "ja")]
        {
            let annotated = |input: &str, out: &str| {
                let form = ["--comment", form, "--lang", language, "--format", "kif", "--replace", "--nodes", "300"];
                let output = analyse(&[&[input, "--out", &folder.text(out)], &form[..]].concat());
                assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
                folder.read(&format!("{out}/{name}.kifu"))
            };
            let once = annotated(&folder.text(&format!("{name}.kifu")), &format!("{form}-{language}"));
            let twice =
                annotated(&folder.text(&format!("{form}-{language}/{name}.kifu")), &format!("again-{form}-{language}"));
            let odd = twice.lines().zip(once.lines()).find(|(again, first)| again != first);
            assert_eq!(odd, None, "{form} {language}");
            assert_eq!(twice.len(), once.len(), "{form} {language}");
            sentences += once.matches("：▲").count() + once.matches("：△").count();
        }
    }
    assert!(sentences >= 5, "one in each analysis of the mate");
}

/// The record and the JSON of the analysis of one move by an engine, which is asked about the position after it first.
fn analysed_by(name: &str, steps: &str) -> (String, Value) {
    let folder = Folder::new(name);
    let game = folder.write("a.usi", "startpos moves 7g7f\n");
    let engine = crate::scripted::command(&folder.path(""), "engine", steps);
    let out = folder.text("out");
    let output =
        komainu(&["analyse", &game, "--out", &out, "--nodes", "9", "--multipv", "1", "--mate", "0", "--format"])
            .args(["kif,csa,json", "--engine", &engine])
            .output()
            .unwrap();
    assert!(output.status.success(), "{output:?}");
    (folder.read("out/a.kifu"), json(&folder, "out/a.json"))
}

#[test]
fn a_mate_of_unknown_length_is_a_mate_without_a_number() {
    // Whoever is to move is mated; of the two lines one is legal in each position.
    let infos = "depth 5 score mate - pv 7g7f|depth 5 score mate - pv 3c3d|depth 6 score cp 900 lowerbound pv 3c3d";
    let (record, game) = analysed_by("analyse-mate-sign", &format!("infos 3c3d {infos}\ninfos 7g7f {infos}\n"));
    assert!(record.contains("*#詰み=先手勝ち\n") && !record.contains("手勝ち:"), "{record}");
    let before = &game["moves"][0]["before"];
    let after = &game["moves"][0]["after"];
    assert_eq!((&before["mates"], &after["mates"]), (&Value::from("white"), &Value::from("black")), "{game}");
    assert_eq!((&after["cp"], &after["mate"]), (&Value::Null, &Value::Null), "{game}");
}

#[test]
fn a_bound_is_no_score_of_a_position() {
    // All that is said of the position after the move is a bound; before it the last score is that of another move.
    let before = "infos 2g2f depth 5 score cp 40 pv 7g7f|depth 6 score mate 3 lowerbound";
    for bound in ["cp 900 lowerbound", "cp -900 upperbound", "mate -3 upperbound", "mate + lowerbound"] {
        let name = format!("analyse-bound-{}", bound.replace(' ', ""));
        let (record, game) = analysed_by(&name, &format!("infos 3c3d depth 6 score {bound}\n{before}\n"));
        assert!(!record.contains("900") && !record.contains("詰み"), "{record}");
        let before = &game["moves"][0]["before"];
        let after = &game["final"];
        assert_eq!(
            (&after["cp"], &after["mate"], &before["mate"]),
            (&Value::Null, &Value::Null, &Value::Null),
            "{game}"
        );
        assert_eq!(before["cp"], 40, "{game}");
    }
}
