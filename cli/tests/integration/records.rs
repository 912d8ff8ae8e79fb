//! Records as programs, sites and people write them, and as they are damaged on the way.

use crate::shell::{Folder, run, stderr, stdout};
use komainu::games::{SourceGame, read_source};
use komainu::notation::record::{Conclusion, EndWord, Ending, GameRecord};
use komainu::notation::time_limit::time_limits;
use komainu::notation::{Format, jkf, kif};
use komainu::types::Color;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::time::Duration;

fn data(name: &str) -> Vec<u8> {
    fs::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("tests/data/records").join(name))
        .expect("the file is there")
}

/// The games of a text, without a fault.
#[track_caller]
fn games(name: &str, text: impl AsRef<[u8]>) -> Vec<SourceGame> {
    let games: Vec<SourceGame> = read_source(name, text.as_ref())
        .into_iter()
        .map(|game| game.unwrap_or_else(|error| panic!("{name}: {error}")))
        .collect();
    for game in &games {
        assert_eq!(game.fault, None, "{name}");
    }
    games
}

#[track_caller]
fn game(name: &str, text: impl AsRef<[u8]>) -> GameRecord {
    let mut games = games(name, text);
    assert_eq!(games.len(), 1, "{name}");
    games.remove(0).record
}

fn of_file(name: &str) -> GameRecord {
    game(name, data(name))
}

/// Why a text is refused, or what is wrong with its first game.
#[track_caller]
fn fault(name: &str, text: impl AsRef<[u8]>) -> String {
    match read_source(name, text.as_ref()).remove(0) {
        Err(unread) => unread.told,
        Ok(game) => game.fault.unwrap_or_else(|| panic!("{name}: no fault in {:?}", game.record)),
    }
}

fn usi(record: &GameRecord) -> String {
    record.moves.iter().map(|made| made.mv.to_string()).collect::<Vec<_>>().join(" ")
}

fn end(record: &GameRecord) -> Option<(Ending, Option<Color>)> {
    record.conclusion.map(|end| (end.ending, end.winner))
}

#[test]
fn text_that_is_no_record_is_a_fault_and_says_what_it_looks_like() {
    let record = "手合割：平手\n先手：青山\n   1 ７六歩(77)   ( 0:00/00:00:00)\n   2 投了\n";
    let mojibake = latin(record);
    for (name, text, told) in [
        ("a.kif", "1 apples\n2 pears\n", "no move and no end of a game, but \"apples\""),
        ("a.kif", "The first line.\n3: the third\n", "this is no record of a game"),
        ("a.kif", mojibake.as_str(), "it looks like UTF-8 that was read as windows-1252"),
        ("a.kif", "   1 ?????(77)\n   2 ??\n", "it looks like text whose characters were lost (?)"),
        ("a.kif", "[Event \"x\"]\n\n1. P7g-7f P3c-3d\n", "it looks like PGN"),
        ("a.kif", "[Sente \"x\"]\n1. P7g-7f\n", "it looks like PSN"),
        ("a.ki2", "▲hello △world\n", "no move and no end of a game, but \"hello\""),
    ] {
        let told_of = fault(name, text);
        assert!(told_of.contains(told), "{text}: {told_of}");
    }
    // Heads, diagrams and ends alone are records.
    for text in ["手合割：平手\n先手：青山\n", "   1 中断\n", "まで0手で中断\n"] {
        assert_eq!(game("a.kif", text).moves.len(), 0, "{text}");
    }
    let diagram = kif::write_board(&komainu::position::Position::startpos());
    assert_eq!(game("a.kif", format!("詰将棋　第一番\n{diagram}")).moves.len(), 0);
    // A format that its name does not tell.
    assert_eq!(usi(&game("a.kif", "V2.2\nPI\n+\n+7776FU\n%TORYO\n")), "7g7f");
    assert_eq!(usi(&game("a.csa", "手合割：平手\n   1 ７六歩(77)\n")), "7g7f");
    assert_eq!(usi(&game("a.kif", "startpos moves 7g7f 3c3d\n")), "7g7f 3c3d");
}

/// UTF-8 that was read as Latin-1, as Windows has it.
fn latin(text: &str) -> String {
    // The letters of 0x80 to 0x9F; bytes without one stay.
    const LETTERS: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘',
        '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    let letter =
        |byte: u8| if (0x80..0xA0).contains(&byte) { LETTERS[usize::from(byte) - 0x80] } else { char::from(byte) };
    text.bytes().map(letter).collect()
}

#[test]
fn a_record_with_a_fault_is_no_problem_of_its_start() {
    let folder = Folder::new("records-mate");
    let path = folder.write("a.kif", "手合割：平手\n   1 ７六歩(77)\n   2 ９九王(51)\n");
    let output = run(&["mate", &path]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("a: a fault of the record hides the position\n0 passed, 1 failed"), "{output:?}");
}

#[test]
fn euc_jp_and_iso_2022_jp_are_read() {
    let record = of_file("n8-eucjp.kif");
    assert_eq!((record.players[0].as_deref(), record.moves.len()), (Some("青山"), 7));
    let iso = b"\x1B$B<j9g3d!'J?<j\x1B(B\n   1 \x1B$B#7O;Jb\x1B(B(77)\n";
    assert_eq!(usi(&game("a.kif", iso)), "7g7f");
}

#[test]
fn a_damaged_byte_costs_no_game() {
    for name in ["cutname.kifu", "onebad.kif"] {
        let read = read_source(name, &data(name)).remove(0).unwrap();
        assert!(read.record.event.as_deref() == Some("駒犬杯") && read.record.moves.len() > 1, "{name}: {read:?}");
    }
    let record = "手合割：平手\n先手：青山\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ２六歩(27)\n";
    let at = record.find('３').unwrap();
    for (from, count, told) in [(at, 1, "move 2: "), (at, 3, "move 2: "), (record.find('青').unwrap(), 1, "")] {
        let mut bytes = record.as_bytes().to_vec();
        bytes[from..from + count].fill(0xFF);
        let read = read_source("a.kif", &bytes).remove(0).unwrap();
        let fault = read.fault.clone().unwrap_or_default();
        assert!(fault.contains(told) && fault.is_empty() == told.is_empty(), "{fault}");
        assert_eq!(read.record.moves.len(), if told.is_empty() { 3 } else { 1 });
    }
}

#[test]
fn several_games_of_a_text_are_games_of_their_own() {
    let two = games("w2-two-games.kif", data("w2-two-games.kif"));
    assert_eq!(two.iter().map(|game| usi(&game.record)).collect::<Vec<_>>(), ["7g7f 3c3d", "2g2f 8c8d"]);
    assert_eq!(two[1].record.players[1].as_deref(), Some("赤井"));
    assert_eq!((end(&two[0].record), end(&two[1].record)), (None, Some((Ending::Resignation, Some(Color::White)))));
    let two = games("w3-two-ki2.ki2", data("w3-two-ki2.ki2"));
    let names: Vec<_> = two.iter().map(|game| game.record.players[0].clone().unwrap()).collect();
    assert_eq!((names, two.len()), (vec!["青山".to_string(), "黒田".to_string()], 2));
    // The lines of faults are those of the file.
    let first = String::from_utf8(data("w3-two-ki2.ki2")).unwrap();
    let told = read_source("a.ki2", format!("{first}\n先手：丙\n▲９九玉\n").as_bytes()).remove(2);
    assert!(told.unwrap().fault.unwrap().starts_with("KI2, line 12: move 1: "));
    let folder = Folder::new("records-several");
    let path = folder.write("two.kif", data("w2-two-games.kif"));
    let shown = run(&["show", &path]);
    assert!(stdout(&shown).contains("▲青山　△白井"), "{shown:?}");
    assert!(stderr(&shown).contains("the first of 2 games is shown"), "{shown:?}");
    let shown = run(&["show", &path, "--game", "2"]);
    assert!(stdout(&shown).contains("▲黒田　△赤井") && shown.stderr.is_empty(), "{shown:?}");
}

#[test]
fn numbered_moves_on_one_line_are_all_read() {
    assert_eq!(usi(&of_file("u4-one-line.ki2")), "7g7f 3c3d 6g6f 8c8d");
    for line in [
        "1 ▲７六歩 2 △３四歩 3 ▲６六歩",
        "1▲７六歩2△３四歩3▲６六歩",
        "1.７六歩 2.３四歩 3.６六歩",
        "1 ７六歩(77) 2 ３四歩(33) 3 ６六歩(67)",
        "1 ７六歩(77) ( 0:01/00:00:01) 2 ３四歩(33) ( 0:02/00:00:02)+ 3 ６六歩(67)",
        "1７六歩(77)\n2３四歩(33)\n3６六歩(67)",
        "1 ７六歩 (77)\n2 ３四歩 (33)\n3 ６六歩 (67)",
    ] {
        let record = game("a.kif", format!("手合割：平手\n{line}\n"));
        assert_eq!(usi(&record), "7g7f 3c3d 6g6f", "{line}");
        let times = if line.contains("0:02") { Some(Duration::from_secs(2)) } else { None };
        assert_eq!(record.moves[1].spent, times, "{line}");
    }
    let told = fault("a.kif", "1 ７六歩(77) 2 xyz 3 ６六歩(67)\n");
    assert!(told.contains("line 1: move 2: \"xyz\" is no move"), "{told}");
}

fn json(record: &GameRecord) -> Value {
    serde_json::from_str(&jkf::write(record)).unwrap()
}

#[test]
fn json_says_promotion_only_where_there_is_a_choice() {
    let moves = json(&of_file("l1.usi"));
    let promote: Vec<Option<bool>> = (1..=4).map(|ply| moves["moves"][ply]["move"]["promote"].as_bool()).collect();
    assert_eq!(promote, [None, None, Some(true), None]);
    let kept = json(&game("a.usi", "sfen 4k4/9/9/4S4/9/9/9/9/4K4 b - 1 moves 5d5c 5a6a 5c6d\n"));
    let promote: Vec<Option<bool>> = (1..=3).map(|ply| kept["moves"][ply]["move"]["promote"].as_bool()).collect();
    assert_eq!(promote, [Some(false), None, Some(false)]);
}

#[test]
fn json_tells_moves_apart_as_books_do() {
    let written = json(&of_file("l2.usi"));
    let relative: Vec<Option<&str>> = (1..=7).map(|ply| written["moves"][ply]["move"]["relative"].as_str()).collect();
    assert_eq!(relative, [None, None, Some("L"), None, None, None, None]);
    // A drop beside a piece that could go there, and two golds.
    let golds = "sfen 4k4/9/9/9/9/9/9/9/3GKG3 b G 1 moves";
    for (mv, letters) in [("4i5h", "R"), ("6i5h", "L"), ("G*5h", "H")] {
        let written = json(&game("a.usi", format!("{golds} {mv}\n")));
        assert_eq!(written["moves"][1]["move"]["relative"].as_str(), Some(letters), "{mv}");
        // The move is found by the letters alone.
        let mut bare = written.clone();
        bare["moves"][1]["move"].as_object_mut().unwrap().remove("from");
        assert_eq!(usi(&game("a.jkf", bare.to_string())), mv, "{bare}");
    }
    // A drop to which nobody has given its letter, and a piece that nobody can drop.
    let to = r#""to":{"x":5,"y":8},"piece":"KI""#;
    let start = &json(&game("a.usi", format!("{golds} G*5h\n")))["initial"];
    let text = |to: &str| format!(r#"{{"header":{{}},"initial":{start},"moves":[{{}},{{"move":{{{to}}}}}]}}"#);
    assert_eq!(usi(&game("a.jkf", text(to))), "G*5h");
    assert_eq!(fault("a.jkf", text(&to.replace("KI", "NG"))), "JSON, move 1: no squares and piece");
}

#[test]
fn variations_of_one_move_stay_beside_each_other() {
    let record = of_file("j6-forks.jkf");
    let first = |record: &GameRecord| -> Vec<String> {
        record.variations.iter().map(|line| format!("{} {}", line.from, line.moves[0].mv)).collect()
    };
    assert_eq!(first(&record), ["1 2g2f", "1 5g5f", "1 1g1f"]);
    for again in [
        game("a.kif", kif::write(&record)),
        game("a.jkf", jkf::write(&record)),
        game("b.jkf", jkf::write(&game("a.kif", kif::write(&record)))),
    ] {
        assert_eq!(first(&again), first(&record));
    }
    let written = json(&record);
    assert_eq!(written["moves"][1]["forks"].as_array().unwrap().len(), 3, "{written}");
    // Any number of them.
    let mut text = "手合割：平手\n   1 ７六歩(77)\n   2 ３四歩(33)\n".to_string();
    for _ in 0..60 {
        text += "変化：2手\n   2 ８四歩(83)\n   3 ２六歩(27)\n変化：3手\n   3 ６六歩(67)\n";
    }
    let many = game("a.kif", &text);
    assert_eq!(many.variations.len(), 120);
    assert_eq!(game("a.jkf", jkf::write(&many)), many);
}

/// A variation in each variation.
pub(crate) fn nested(depth: usize) -> String {
    let moves = ["４八玉(59)", "６二玉(51)", "５八玉(48)", "７二玉(62)", "４八玉(58)", "６二玉(72)"];
    let others = ["３八銀(39)", "７二銀(71)", "３八銀(39)", "４二銀(31)", "３八銀(39)", "７二銀(71)"];
    let at = |ply: usize| if ply < 2 { ply } else { 2 + (ply - 2) % 4 };
    let mut text = format!("手合割：平手\n   1 {}\n   2 {}\n", others[0], others[1]);
    for from in 1..=depth {
        text += &format!("変化：{from}手\n{from:4} {}\n{:4} {}\n", moves[at(from - 1)], from + 1, others[at(from)]);
    }
    text
}

#[test]
fn variations_within_variations_are_written_up_to_a_bound() {
    let record = game("a.kif", nested(30));
    assert_eq!(record.variations.len(), 30);
    assert_eq!(game("a.jkf", jkf::write(&record)), record);
    let record = game("a.kif", nested(2_000));
    assert!(record.variations.len() == 2_000 && !jkf::holds_variations(&record));
    assert_eq!(game("a.jkf", jkf::write(&record)).variations.len(), 40);
    assert_eq!(game("a.kif", kif::write(&record)), record);
}

#[test]
fn words_for_the_end_are_kept() {
    let sealed = of_file("a3-sealed.kif");
    let spent = Some(Duration::from_secs(61 * 60));
    assert_eq!(sealed.conclusion, Some(Conclusion { ending: Ending::Interrupted, winner: None, spent }));
    assert_eq!(sealed.end_word, Some(EndWord { word: "封じ手".to_string(), spent }));
    assert!(kif::write(&sealed).contains("   4 封じ手       (61:00/01:01:12)\n"), "{}", kif::write(&sealed));
    assert_eq!(game("a.kif", kif::write(&sealed)), sealed);
    let unknown = game("a.kif", "手合割：平手\n   1 ７六歩(77)   ( 0:05/00:00:05)\n   2 雨天順延   ( 1:00/00:01:00)\n");
    let kept = Some(EndWord { word: "雨天順延".to_string(), spent: Some(Duration::from_secs(60)) });
    assert_eq!((&unknown.end_word, unknown.conclusion), (&kept, None));
    for again in [game("a.kif", kif::write(&unknown)), game("a.jkf", jkf::write(&unknown))] {
        assert_eq!(again.end_word, kept);
    }
    assert_eq!(end(&of_file("v3-myshogi.kif")), Some((Ending::Declaration, Some(Color::Black))));
    use Color::{Black, White};
    for (word, ending, winner) in [
        ("勝ち宣言", Ending::Declaration, Some(Black)),
        ("最大手数超過", Ending::PlyLimit, None),
        ("王手連続千日手", Ending::PerpetualCheck, Some(Black)),
        ("接続切れ", Ending::Crash, Some(White)),
        ("指し掛け", Ending::Interrupted, None),
        ("Time-up", Ending::TimeUp, Some(White)),
        ("トライ", Ending::Declaration, Some(Black)),
    ] {
        let read =
            game("a.kif", format!("手合割：平手\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 {word}   ( 0:05/00:00:06)\n"));
        assert_eq!(end(&read), Some((ending, winner)), "{word}");
        assert_eq!(read.conclusion.unwrap().spent, Some(Duration::from_secs(5)), "{word}");
        assert_eq!(end(&game("a.kif", kif::write(&read))), end(&read), "{word}");
    }
}

#[test]
fn the_ends_of_81dojo_are_read() {
    for (name, plies, ending, winner) in [
        ("b1-81-timeup.kif", 3, Ending::TimeUp, Color::Black),
        ("b2-81-foul.kif", 4, Ending::IllegalMove, Color::White),
        ("b4-81-timeup-en.kif", 3, Ending::TimeUp, Color::Black),
    ] {
        let record = of_file(name);
        assert_eq!((record.moves.len(), end(&record)), (plies, Some((ending, Some(winner)))), "{name}");
    }
    let drawn = game("a.kif", "手合割：平手\n   1 ７六歩(77)\n*千日手にて終局\n");
    assert_eq!(end(&drawn), Some((Ending::Repetition, None)));
    // People may write anything.
    let talk = game("a.kif", "手合割：平手\n   1 ７六歩(77)\n*夕食にて終局\n   2 投了\n");
    assert_eq!(end(&talk), Some((Ending::Resignation, Some(Color::Black))));
}

#[test]
fn a_declaration_behind_usi_moves_ends_the_game() {
    assert_eq!(end(&of_file("f5-win.usi")), Some((Ending::Declaration, Some(Color::White))));
}

#[test]
fn the_name_of_a_handicap_says_who_begins_under_a_diagram() {
    let record = of_file("d5-handicap-diagram.kif");
    assert_eq!((usi(&record).as_str(), record.start.side()), ("7a6b 7g7f", Color::White));
    let text = String::from_utf8(data("d5-handicap-diagram.kif")).unwrap();
    let even = text.replace("手合割：二枚落ち", "手合割：平手").replace("   1 ６二銀(71)\n   2", "   1");
    assert_eq!(game("a.kif", &even).start.side(), Color::Black);
    let told = text.replace("下手：ao", "先手番\n下手：ao").replace("   1 ６二銀(71)\n   2", "   1");
    assert_eq!(game("a.kif", &told).start.side(), Color::Black);
}

#[test]
fn handicaps_of_sites_are_known_and_doubts_are_told() {
    for (name, board, hand) in [
        ("両香落ち", "1nsgkgsn1/1r5b1/ppppppppp/", "-"),
        ("五枚落ち", "2sgkgsn1/9/ppppppppp/", "-"),
        ("九枚落ち", "4kg3/9/ppppppppp/", "-"),
        ("歩三兵", "4k4/9/9/", "3p"),
        ("裸玉", "4k4/9/9/", "-"),
        ("トンボ", "4k4/1r5b1/ppppppppp/", "-"),
        ("トンボ＋桂香", "ln2k2nl/1r5b1/ppppppppp/", "-"),
        ("三枚落ち", "lnsgkgsn1/9/ppppppppp/", "-"),
        ("三枚落ち\n場所：https://lishogi.org/abc", "1nsgkgsnl/9/ppppppppp/", "-"),
    ] {
        let read = games("a.kif", format!("手合割：{name}\n   1 ５二玉(51)\n")).remove(0);
        let sfen = read.record.start.to_sfen();
        assert!(sfen.starts_with(board) && sfen.ends_with(&format!(" w {hand} 1")), "{name}: {sfen}");
        let is_doubtful = ["三枚", "五枚", "九枚"].iter().any(|doubtful| name.starts_with(doubtful));
        assert_eq!(!read.warnings.is_empty(), is_doubtful, "{name}: {:?}", read.warnings);
        let again = game("b.kif", kif::write(&read.record));
        assert_eq!(again.start, read.record.start, "{name}");
    }
    assert!(fault("a.kif", "手合割：百枚落ち\n   1 ５二玉(51)\n").contains("百枚落ち"));
}

#[test]
fn time_limits_in_figures_are_minutes_in_kif() {
    let seconds =
        |record: &GameRecord| time_limits(record)[0].map(|limit| (limit.main.as_secs(), limit.byoyomi.as_secs()));
    assert_eq!(seconds(&of_file("y1-sh.kif")), Some((30, 5)));
    assert_eq!(seconds(&of_file("y2.kif")), Some((30, 5)));
    let csa = game("a.csa", "V2.2\n$TIME_LIMIT:00:25+10\nPI\n+\n+7776FU\n");
    assert_eq!(seconds(&csa), Some((25 * 60, 10)));
    for format in Format::RECORDS {
        assert_eq!(seconds(&game(&format!("a.{format}"), format.write(&csa))), Some((25 * 60, 10)), "{format}");
        let record = of_file("y1-sh.kif");
        assert_eq!(seconds(&game(&format!("a.{format}"), format.write(&record))), Some((30, 5)), "{format}");
    }
    assert_eq!(seconds(&game("a.jkf", jkf::write(&csa))), Some((25 * 60, 10)));
}

#[test]
fn passes_are_named_and_comments_of_variations_kept() {
    let told = fault("a.kif", "手合割：平手\n   1 ７六歩(77)\n   2 パス\n   3 ２六歩(27)\n");
    assert!(told.contains("line 3: move 2: a pass, which no game of shogi has"), "{told}");
    assert!(fault("a.usi", "startpos moves 7g7f pass 2g2f\n").contains("move 2: a pass"));
    let commented = "手合割：平手\n   1 ７六歩(77)\n変化：1手\n*別の手\n   1 ２六歩(27)\n*その後\n";
    let record = game("a.kif", commented);
    assert_eq!(record.variations[0].moves[0].comments, ["別の手", "その後"]);
    assert!(games("a.kif", commented)[0].warnings.is_empty());
}

#[test]
fn words_for_the_end_are_kept_in_every_format_that_has_a_place_for_them() {
    let word = |record: &GameRecord| record.end_word.as_ref().map(|end| end.word.clone());
    let unknown = game("a.ki2", "手合割：平手\n▲７六歩 △３四歩\nまで2手で雨天順延\n");
    assert_eq!((word(&unknown).as_deref(), unknown.conclusion), (Some("雨天順延"), None));
    let sealed = game("a.ki2", "手合割：平手\n▲７六歩 △３四歩\nまで2手で封じ手\n");
    assert_eq!((word(&sealed).as_deref(), end(&sealed)), (Some("封じ手"), Some((Ending::Interrupted, None))));
    for record in [&unknown, &sealed] {
        for format in [Format::Kif, Format::Ki2] {
            assert_eq!(&game(&format!("a.{format}"), format.write(record)), record, "{format}");
        }
    }
    let stopped = game("a.csa", "V2.2\nPI\n+\n+7776FU\nT5\n%STOPPED\nT7\n");
    let kept = Some(EndWord { word: "STOPPED".to_string(), spent: Some(Duration::from_secs(7)) });
    assert_eq!(stopped.end_word, kept);
    for again in [
        game("a.csa", Format::Csa.write(&stopped)),
        game("a.kif", kif::write(&stopped)),
        game("a.jkf", jkf::write(&stopped)),
    ] {
        assert_eq!(again.end_word, kept);
    }
    // A known end behind it is the end; so is a move.
    let known = game("a.csa", "V2.2\nPI\n+\n+7776FU\n%STOPPED\n'summary:jishogi:a draw:b draw\n");
    assert_eq!((word(&known), end(&known)), (None, Some((Ending::Impasse, None))));
    assert_eq!(word(&game("a.csa", "V2.2\nPI\n+\n+7776FU\n%STOPPED\n-3334FU\n")), None);
    // What stands in the place of a move that cannot be read is none, nor what follows a foul.
    for (name, text) in [
        ("a.kif", "手合割：平手\n   1 ７六歩(77)\n   2 雨\n   3 ２六歩(27)\n"),
        ("a.ki2", "手合割：平手\n▲７六歩 △９九玉\nまで2手で封じ手\n"),
    ] {
        let read = read_source(name, text.as_bytes()).remove(0).unwrap();
        assert!(read.fault.is_some() && word(&read.record).is_none(), "{read:?}");
    }
    // A Japanese word in JSON means what it means in KIF.
    let text = r#"{"header":{},"moves":[{},{"special":"切れ負け"}]}"#;
    assert_eq!(end(&game("a.jkf", text)), Some((Ending::TimeUp, Some(Color::White))));
}

#[test]
fn comments_of_json_are_lines_and_stand_at_the_last_move_of_their_line() {
    let mv = |from: &str, to: &str| format!(r#""move":{{"from":{from},"to":{to},"piece":"FU"}}"#);
    let [first, other] = [mv(r#"{"x":7,"y":7}"#, r#"{"x":7,"y":6}"#), mv(r#"{"x":2,"y":7}"#, r#"{"x":2,"y":6}"#)];
    let fork = format!(r#"[{{{other}}},{{"special":"TORYO","comments":["終"]}}]"#);
    let text = format!(
        r#"{{"header":{{"手合割":"平手"}},"moves":[{{"comments":["一\r\n二"]}},{{{first},"comments":["三\n四"],"forks":[{fork}]}}]}}"#
    );
    let record = game("a.jkf", text);
    assert_eq!(
        (&record.comments[..], &record.moves[0].comments[..]),
        (&["一".into(), "二".into()][..], &["三".into(), "四".into()][..])
    );
    assert_eq!((&record.variations[0].moves[0].comments, record.headers.len()), (&vec!["終".to_string()], 0));
}
