//! One set of files of games through every tool that reads games: each tells the same games, plies and faults.

use crate::shell::{Folder, run, stderr, stdout};
use komainu::games::{SourceGame, Unread, move_scores, read_source};
use komainu::notation::Format;
use komainu::notation::encoding::{decode, encode_cp932};
use komainu::notation::json::{GameLine, MoveLine};
use komainu::position::{Position, START_SFEN};
use komainu_tools::browser::Answerer;
use komainu_tools::openings;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

/// A file with what is in it: the plies of each game, and the text of each fault.
struct Case {
    name: &'static str,
    bytes: Vec<u8>,
    plies: &'static [usize],
    faults: &'static [&'static str],
}

fn case(name: &'static str, text: &str, plies: &'static [usize], faults: &'static [&'static str]) -> Case {
    Case { name, bytes: text.as_bytes().to_vec(), plies, faults }
}

fn match_line(moves: &[&str]) -> String {
    let line = GameLine {
        players: ["甲".to_string(), "乙".to_string()],
        start: START_SFEN.to_string(),
        moves: moves.iter().map(|mv| MoveLine { mv: mv.to_string(), ..MoveLine::default() }).collect(),
        started: "2026-11-21T12:00:00Z".to_string(),
        ..GameLine::default()
    };
    serde_json::to_string(&line).unwrap() + "\n"
}

fn cases() -> Vec<Case> {
    let kif = "先手：甲\n後手：乙\n手合割：平手\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ９九玉(59)\n";
    let jkf = r#"{"header":{},"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}},
        {"move":{"from":{"x":3,"y":3},"to":{"x":3,"y":5},"piece":"FU"}}]}"#;
    let csa = "V2.2\nN+a\nPI\n+\n+7776FU\n-3334FU\n%TORYO\n/\nN+b\nPI\n+\n+2726FU\n-3334FU\n+9911OU\n";
    let games = match_line(&["7g7f", "3c3d", "2g2f"]) + &match_line(&["2g2f", "9a9i"]) + "{\"game\":2,\"pa";
    vec![
        Case { name: "cp932.kif", ..Case { bytes: encode_cp932(kif).bytes, ..case("", "", &[2], &["move 3: "]) } },
        case("good.kif", "手合割：平手\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 投了\n", &[2], &[]),
        case("good.ki2", "先手：甲\n\n▲７六歩 △３四歩 ▲２六歩\nまで3手で中断\n", &[3], &[]),
        case("two.csa", csa, &[2, 2], &["CSA, line 14: move 3: "]),
        case("web.jkf", jkf, &[1], &["JSON, move 2: "]),
        case(
            "list.usi",
            "# list\nstartpos moves 7g7f\nsfen x\nstartpos moves 2g2f 2g2f\n",
            &[1, 1],
            &["line 3: ", "line 4: "],
        ),
        case("games.jsonl", &games, &[3, 1], &["line 2: move 2: "]),
        case("nothing.kif", "", &[], &["KIF, line 0: this is no record of a game"]),
        case("apples.txt", "1 apples\n2 pears\n", &[], &["no move and no end of a game, but \"apples\""]),
        case("unnamed", "startpos moves 7g7f 3c3d\n7g7f\n", &[2, 1], &[]),
    ]
}

/// Faults that a tool told about a file.
fn faults(output: &Output) -> Vec<String> {
    let told = stderr(output);
    let of_line = |line: &str| {
        let fault = line.strip_suffix("; passed over").or(line.strip_suffix("; the moves before it are kept"))?;
        (!fault.contains("torn off")).then(|| fault.to_string())
    };
    told.lines().filter_map(of_line).collect()
}

#[track_caller]
fn assert_faults(case: &Case, tool: &str, output: &Output) {
    let told = faults(output);
    assert_eq!(told.len(), case.faults.len(), "{tool} {}: {output:?}", case.name);
    for (told, fault) in told.iter().zip(case.faults) {
        assert!(told.contains(&format!("{}: ", case.name)) && told.contains(fault), "{tool} {}: {told}", case.name);
    }
}

/// Runs a tool and checks its faults and its exit status.
#[track_caller]
fn checked(case: &Case, arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_faults(case, arguments[0], &output);
    let failed = !case.faults.is_empty();
    assert_eq!(output.status.code(), Some(failed.into()), "{arguments:?}: {output:?}");
    stdout(&output)
}

/// Positions in which a move was made.
fn positions(lines: &str) -> usize {
    let mut keys = HashSet::new();
    for line in lines.lines() {
        let mut pos = Position::startpos();
        for mv in line.split_once(" moves ").map_or("", |(_, moves)| moves).split(' ').filter(|mv| !mv.is_empty()) {
            keys.insert(pos.key());
            pos.do_move(mv.parse().unwrap());
        }
    }
    keys.len()
}

#[test]
fn every_tool_reads_the_same_games_and_faults() {
    let folder = Folder::new("games-tools");
    for case in cases() {
        let path = folder.write(case.name, &case.bytes);
        let lines = checked(&case, &["convert", &path, "--to", "usi"]);
        let plies: Vec<usize> =
            lines.lines().map(|line| line.split(" moves ").nth(1).unwrap_or_default().split(' ').count()).collect();
        assert_eq!(plies, case.plies, "convert {}", case.name);
        let last = case.plies.last().copied().unwrap_or_default().to_string();
        if !case.plies.is_empty() {
            let number = case.plies.len().to_string();
            let shown = checked(&case, &["show", &path, "--game", &number]);
            assert!(shown.contains(&format!("{last}手目")), "{shown}");
        }
        let out = folder.text(&format!("{}.analysis", case.name));
        checked(&case, &["analyse", &path, "--nodes", "1", "--mate", "0", "--format", "json", "--out", &out]);
        let written = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().path());
        let json = written.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
        let mut analysed: Vec<usize> = json
            .map(|path| {
                let value: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
                value["moves"].as_array().unwrap().len()
            })
            .collect();
        analysed.sort();
        let mut expected = case.plies.to_vec();
        expected.sort();
        assert_eq!(analysed, expected, "analyse {}", case.name);
        // Problems that are no problems: the count of the lines, and the faults.
        let mate = run(&["mate", &path, "--nodes", "100"]);
        assert_faults(&case, "mate", &mate);
        let solved = stdout(&mate).lines().filter(|line| !line.contains("passed, ")).count();
        assert_eq!(solved, case.plies.len(), "mate {}: {mate:?}", case.name);
        let book = folder.text("book.db");
        let made = checked(&case, &["book", "make", &path, "--min-count", "1", "--out", &book]);
        if !case.plies.is_empty() {
            let games = if case.plies.len() == 1 { "1 game\n".into() } else { format!("{} games\n", case.plies.len()) };
            assert!(made.starts_with(&games), "{made}");
            let positions = format!("\n{} position", positions(&lines));
            assert!(made.contains(&positions), "{made} {positions}");
        }
    }
}

/// All files of records, in the order of their names, with what the library reads of them.
fn records() -> Vec<(PathBuf, Vec<Result<SourceGame, Unread>>)> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("tests/data/records");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    read(paths)
}

fn read(paths: Vec<PathBuf>) -> Vec<(PathBuf, Vec<Result<SourceGame, Unread>>)> {
    let games = |path: &PathBuf| read_source(&path.to_string_lossy(), &fs::read(path).unwrap());
    paths.into_iter().map(|path| (path.clone(), games(&path))).collect()
}

/// The games that could be read, each with the name that tools give it.
fn named(records: &[(PathBuf, Vec<Result<SourceGame, Unread>>)]) -> Vec<(String, &SourceGame)> {
    let mut named = Vec::new();
    for (path, games) in records {
        let stem = path.file_stem().unwrap().to_string_lossy();
        for (number, game) in (1..).zip(games) {
            let name = if games.len() == 1 { stem.to_string() } else { format!("{stem}-{number}") };
            named.extend(game.as_ref().ok().map(|game| (name, game)));
        }
    }
    named
}

#[test]
fn every_tool_tells_the_same_of_a_folder_of_records() {
    let folder = Folder::new("games-records");
    let records = records();
    let games = named(&records);
    assert!(games.len() > 20);
    let all = folder.text("all");
    fs::create_dir_all(&all).unwrap();
    for (path, _) in &records {
        fs::copy(path, folder.path("all").join(path.file_name().unwrap())).unwrap();
    }
    let told: Vec<String> = records.iter().flat_map(|(path, games)| told(path, games)).collect();
    let out = folder.text("out");
    let analysis = folder.text("analysis");
    let book = folder.text("book.db");
    let mut outputs = Vec::new();
    for arguments in [
        &["convert", &all, "--to", "json", "--out", &out][..],
        &["convert", &all, "--check"],
        &["analyse", &all, "--nodes", "1", "--mate", "0", "--format", "json", "--out", &analysis],
        &["book", "make", &all, "--min-count", "1", "--scores", "--out", &book],
        &["mate", &all, "--nodes", "100"],
    ] {
        let output = run(arguments);
        let of_files: Vec<String> =
            faults(&output).into_iter().map(|line| line.rsplit_once("all/").unwrap().1.to_string()).collect();
        assert_eq!(of_files, told, "{arguments:?}");
        let has_failed = output.status.code() == Some(1);
        // The text that is no record is no fault in a folder.
        assert!(has_failed == (told.len() > 1) || arguments[0] == "mate", "{output:?}");
        outputs.push(stdout(&output));
    }
    assert!(outputs[1].starts_with(&format!("{} games, {} files, ", games.len(), records.len())), "{}", outputs[1]);
    // Several files hold the same game, which counts once.
    let first = outputs[3].lines().next().unwrap_or_default();
    let counts = first.split(' ').filter_map(|word| word.parse::<usize>().ok());
    assert_eq!(counts.sum::<usize>(), games.len(), "{}", outputs[3]);
    assert_eq!(outputs[4].lines().filter(|line| !line.contains("passed, ")).count(), games.len(), "{}", outputs[4]);
    for (name, game) in &games {
        let written = fs::read_to_string(folder.path("out").join(format!("{name}.json"))).unwrap();
        assert_eq!(written, Format::Json.write(&game.record), "{name}");
        let text = fs::read(folder.path("analysis").join(format!("{name}.json"))).unwrap();
        assert_analysed(&serde_json::from_slice(&text).unwrap(), game);
        assert!(outputs[4].contains(&format!("{name}: ")), "{name}: {}", outputs[4]);
    }
    for (path, games) in records.iter().filter(|(_, games)| games.len() == 1) {
        let Ok(game) = &games[0] else { continue };
        assert_scored(&path.to_string_lossy(), game, &book);
    }
}

/// Asserts that the book of one game has the scores that the library reads of it.
fn assert_scored(path: &str, game: &SourceGame, book: &str) {
    let scores = move_scores(&game.record);
    if scores.iter().all(|score| score.value.is_none()) {
        return;
    }
    run(&["book", "make", path, "--min-count", "1", "--scores", "--out", book]);
    let book = fs::read_to_string(book).unwrap();
    for (made, score) in game.record.moves.iter().zip(scores) {
        let line = score.value.map(|value| format!("\n{} none {value} {} 1\n", made.mv, score.depth));
        assert!(line.is_none_or(|line| book.contains(&line)), "{path}: {book}");
    }
}

/// Faults of a file as tools tell them.
fn told(path: &Path, games: &[Result<SourceGame, Unread>]) -> Vec<String> {
    let faults = games.iter().filter_map(|game| match game {
        Ok(game) => game.fault.clone(),
        Err(unread) => Some(unread.told.clone()),
    });
    let name = path.file_name().unwrap().to_string_lossy();
    faults.map(|fault| format!("{name}: {fault}")).collect()
}

#[track_caller]
fn assert_analysed(analysed: &Value, game: &SourceGame) {
    let record = &game.record;
    assert_eq!(analysed["start"], record.start.to_sfen());
    assert_eq!(analysed["players"], json!(record.players));
    let moves: Vec<&str> =
        analysed["moves"].as_array().unwrap().iter().map(|made| made["usi"].as_str().unwrap()).collect();
    assert_eq!(moves, record.moves.iter().map(|made| made.mv.to_string()).collect::<Vec<_>>());
    assert_eq!(analysed["fault"].as_str(), game.fault.as_deref());
}

#[test]
fn show_openings_and_the_page_tell_the_same_of_every_record() {
    let folder = Folder::new("games-page");
    let cases = cases().iter().map(|case| PathBuf::from(folder.write(case.name, &case.bytes))).collect();
    let mut answerer = Answerer::default();
    for (path, games) in records().into_iter().chain(read(cases)) {
        let name = path.to_string_lossy().into_owned();
        let bytes = fs::read(&path).unwrap();
        for (number, game) in games.iter().enumerate() {
            // A list's lines that are no game have a place on the page and none here.
            let readable = games[..number].iter().flatten().count();
            let output = run(&["show", &name, "--game", &(readable + 1).to_string()]);
            let question = json!({ "ask": "read", "name": name, "text": decode(&bytes), "game": number });
            let page: Value = serde_json::from_str(&answerer.answer(&question.to_string(), &mut |_| ())).unwrap();
            let Ok(game) = game else {
                assert!(!output.status.success() && page["error"].is_string(), "{name}");
                continue;
            };
            let record = &game.record;
            let mut pos = record.start.clone();
            for made in &record.moves {
                pos.do_move(made.mv);
            }
            let shown = stdout(&output);
            assert!(shown.ends_with(&format!("sfen {pos}\n")), "{name}: {shown}");
            if let [Some(black), Some(white)] = &record.players {
                assert!(shown.starts_with(&format!("▲{black}　△{white}\n")), "{name}: {shown}");
            }
            let comments = record.moves.last().map_or(&record.comments, |made| &made.comments);
            assert!(comments.iter().all(|comment| shown.contains(&format!("\n*{comment}\n"))), "{name}: {shown}");
            assert_eq!(page["moves"], json!(record.moves.iter().map(|made| made.mv.to_string()).collect::<Vec<_>>()));
            assert_eq!((&page["players"], &page["warnings"]), (&json!(record.players), &json!(game.warnings)));
            assert_eq!(
                (page["fault"].as_str(), &page["start"]),
                (game.fault.as_deref(), &json!(record.start.to_sfen()))
            );
        }
        let is_good = games.iter().all(|game| game.as_ref().is_ok_and(|game| game.fault.is_none()));
        match openings::load(Some(&path), 0, None, false) {
            Ok((read, _)) => {
                assert!(is_good, "{name}");
                let plies: Vec<usize> = read.iter().map(|opening| opening.moves.len()).collect();
                assert_eq!(plies, games.iter().flatten().map(|game| game.record.moves.len()).collect::<Vec<_>>());
            }
            Err(error) => assert!(!is_good, "{name}: {error}"),
        }
    }
}

#[test]
fn the_folder_of_a_match_is_read_from_its_games_alone() {
    let folder = Folder::new("games-match");
    fs::create_dir_all(folder.path("m/records")).unwrap();
    folder.write("m/games.jsonl", match_line(&["7g7f", "3c3d"]));
    folder.write("m/records/1.kif", "   1 ７六歩(77)\n   2 ３四歩(33)\n");
    folder.write("m/readme.txt", "no list\n");
    fs::create_dir_all(folder.path("other")).unwrap();
    folder.write("other/readme.txt", "Games of mine, do not read this.\n");
    folder.write("other/list.txt", "startpos moves 2g2f\n");
    let output = run(&["convert", &folder.text("m"), &folder.text("other"), "--to", "usi"]);
    let lines = "position startpos moves 7g7f 3c3d\nposition startpos moves 2g2f\n";
    assert_eq!((stdout(&output).as_str(), output.status.code()), (lines, Some(0)), "{output:?}");
}

#[test]
fn a_minus_sign_is_the_standard_input() {
    use std::io::Write;
    use std::process::Stdio;
    for arguments in [&["convert", "-", "--to", "usi"][..], &["show", "-"], &["mate", "--", "-"]] {
        let mut command = crate::shell::komainu(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all("▲７六歩 △３四歩\n".as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let expected = ["position startpos moves 7g7f 3c3d", "2手目 △３四歩", ""][match arguments[0] {
            "convert" => 0,
            "show" => 1,
            _ => 2,
        }];
        assert!(stdout(&output).contains(expected), "{output:?}");
        assert!(output.stderr.is_empty(), "{output:?}");
    }
}

#[test]
fn a_folder_without_a_game_is_a_fault_whoever_reads_it() {
    let folder = Folder::new("games-none");
    let empty = folder.text("empty");
    let notes = folder.text("notes");
    fs::create_dir_all(&empty).unwrap();
    fs::create_dir_all(&notes).unwrap();
    folder.write("notes/readme.txt", "read me\n");
    for named in [&empty, &notes] {
        for words in [
            ["convert", named, "--out", &folder.text("out")],
            ["analyse", named, "--out", &folder.text("out")],
            ["mate", named, "--time", "10"],
            ["book", "make", named, "--out"],
        ] {
            let book = folder.text("out.db");
            let mut words = words.to_vec();
            words.extend((words[0] == "book").then_some(book.as_str()));
            let output = run(&words);
            let said = stderr(&output);
            assert_eq!(output.status.code(), Some(1), "{words:?}: {said}");
            assert!(said.contains("no game"), "{words:?}: {said}");
        }
    }
}
