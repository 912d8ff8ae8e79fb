//! The engine plays from books.

use super::sample::{HEADER, START, disordered, text};
use crate::engine::{Engine, folder};
use std::collections::HashSet;
use std::fs;
use std::path::Path;

const BOOK: &str = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n\
    7g7f 3c3d 60 20 50\n2g2f none 55 18 30\n5g5f none 10 20 15\n7g7e none 5 1 1\n";

/// An engine with a book.
fn with_book(path: &Path, options: &[(&str, &str)]) -> (Engine, Vec<String>) {
    let book = path.display().to_string();
    with_options(&[&[("BookFile", book.as_str())], options].concat())
}

fn written(name: &str, body: &str) -> std::path::PathBuf {
    let path = folder(name).join("book.db");
    fs::write(&path, format!("{HEADER}{body}")).unwrap();
    path
}

#[test]
fn a_move_of_the_book_is_played_at_once_and_explained() {
    let path = written("play", BOOK);
    let (mut engine, said) = with_book(&path, &[("BookEvalDiff", "0"), ("USI_Ponder", "true")]);
    let remark = said.iter().find(|line| line.starts_with("info string book ")).expect("the book is described");
    assert!(remark.ends_with("book.db: 1 position, in memory"), "{remark}");
    let lines = engine.search("position startpos\ngo btime 60000 wtime 60000 byoyomi 1000");
    let expected = [
        "info string book: 7g7e is not legal here",
        "info string book 7g7f 100.0% value 60 depth 20 count 50",
        "info string book 2g2f 0.0% value 55 depth 18 count 30",
        "info string book 5g5f 0.0% value 10 depth 20 count 15",
        "info string book: BookEvalDiff 0 leaves 1 of 3 moves",
        "info depth 20 time 0 nodes 0 nps 0 hashfull 0 score cp 60 pv 7g7f 3c3d",
        "bestmove 7g7f ponder 3c3d",
    ];
    assert_eq!(lines, expected);
    // Who wants several lines sees all moves of the book.
    let lines = engine.search("setoption name MultiPV value 2\ngo btime 60000 wtime 60000 byoyomi 1000");
    let rows = [
        "info multipv 1 score cp 60 pv 7g7f",
        "info multipv 2 score cp 55 pv 2g2f",
        "info multipv 3 score cp 10 pv 5g5f",
    ];
    assert_eq!(lines, [&expected[..5], &rows[..], &expected[5..]].concat());
    engine.send("setoption name MultiPV value 1");
    // Out of the book the engine thinks.
    let lines = engine.search("position startpos moves 7g7f 3c3d 2g2f\ngo nodes 500");
    assert!(!lines.concat().contains("book"));
    engine.quit();
}

#[test]
fn without_a_book_or_with_its_use_switched_off_nothing_changes() {
    let path = written("play-off", BOOK);
    let search = |options: &[(&str, &str)], path: &Path| {
        let (mut engine, _) = with_book(path, options);
        engine.search("position startpos\ngo nodes 2000")
    };
    let plain = search(&[], Path::new("no_book"));
    let off = search(&[("USI_OwnBook", "false")], &path);
    let moved = |lines: &[String]| lines.last().cloned();
    assert_eq!(moved(&plain), moved(&off));
    assert!(!off.concat().contains("book"));
    let past = search(&[("BookMoves", "0")], &path);
    assert_eq!(moved(&plain), moved(&past));
}

#[test]
fn a_missing_or_broken_book_is_told_and_the_game_goes_on() {
    let folder = folder("play-broken");
    let missing = folder.join("nothing.db");
    let (mut engine, said) = with_book(&missing, &[]);
    let said = said.join("\n");
    assert!(said.contains("error: BookFile: no file ") && said.contains("nothing.db"), "{said}");
    engine.assert_alive();
    let broken = folder.join("broken.ybb");
    fs::write(&broken, b"YANE-BINBOOK-V1\0xxxxxxxx").unwrap();
    engine.send(&format!("setoption name BookFile value {}\nisready", broken.display()));
    let said = engine.until("readyok").join("\n");
    assert!(said.contains("byte 24: the file ends 8 bytes too early; it is not used"), "{said}");
    engine.assert_alive();
    // Once it is mended the next game has it.
    fs::write(&broken, format!("{HEADER}sfen {START}\n9g9f none 0 0 1\n")).unwrap();
    let said = engine.ask("isready", "readyok").join("\n");
    assert!(said.contains("broken.ybb: 1 position, in memory"), "{said}");
    assert_eq!(engine.best("position startpos\ngo nodes 500"), "bestmove 9g9f");
    // A book that has not changed is not read again.
    assert!(!engine.ask("isready", "readyok").join("\n").contains("broken.ybb"));
}

#[test]
fn lines_that_cannot_be_read_are_told_and_passed_over() {
    let path = written("play-damaged", &format!("sfen {START}\nnonsense here\n9g9f none 0 0 1\n"));
    let (mut engine, said) = with_book(&path, &[]);
    let said = said.join("\n");
    assert!(said.contains("1 line passed over, the first: line 3: \"nonsense\" is neither a move"), "{said}");
    assert_eq!(engine.best("position startpos\ngo nodes 500"), "bestmove 9g9f");
}

#[test]
fn an_analysis_is_told_what_the_book_says_and_goes_on() {
    let path = written("play-analysis", BOOK);
    let (mut engine, _) = with_book(&path, &[]);
    engine.ask("position startpos\ngo infinite", "info string book 7g7f 50.0%");
    engine.until("info depth 5");
    engine.search("stop");
    let lines = engine.search("setoption name ConsiderationMode value true\ngo nodes 3000");
    assert!(lines.iter().any(|line| line.contains(" nodes 3")), "{lines:?}");
}

#[test]
fn pondering_in_the_book_waits_for_the_move() {
    let path = written("play-ponder", BOOK);
    let (mut engine, _) = with_book(&path, &[("BookEvalDiff", "0")]);
    for end in ["ponderhit", "stop"] {
        engine.ask("position startpos\ngo ponder btime 60000 wtime 60000", "info string book: BookEvalDiff 0 ");
        engine.assert_silent(300);
        let lines = engine.search(end);
        assert!(lines[0].starts_with("info depth 20 ") && lines[1] == "bestmove 7g7f", "{lines:?}");
    }
    engine.assert_alive();
}

#[test]
fn only_the_wanted_moves_and_depths_are_shown() {
    let path = written("play-wanted", BOOK);
    let (mut engine, _) = with_book(&path, &[]);
    let lines = engine.search("position startpos\ngo depth 4 searchmoves 2g2f");
    assert!(lines.iter().any(|line| line.starts_with("info depth 4 time 0 ")), "{lines:?}");
    assert_eq!(lines.last().unwrap(), "bestmove 2g2f");
    assert!(!lines.concat().contains("pv 7g7f"));
}

#[test]
fn a_declaration_comes_before_the_book() {
    let won = "+R8/2+NK1+R+P+P1/+P+PPS+P4/6g+b1/7p1/3g5/3+b1g+p1+p/5p3/5k+p2 b G3S3N3L7pl 1";
    let path = written("play-declaration", &format!("sfen {won}\n6b5a none 0 0 1\n"));
    let (mut engine, _) = with_book(&path, &[]);
    assert_eq!(engine.best(&format!("position sfen {won}\ngo nodes 500")), "bestmove win");
}

#[test]
fn files_with_numbers_come_first_and_a_missing_text_may_be_packed() {
    let folder = folder("play-set");
    let entry = |mv: &str| format!("{HEADER}sfen {START}\n{mv} none 0 0 1\n");
    let after = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2\n3c3d none 0 0 1\n";
    fs::write(folder.join("x-000.db"), entry("9g9f")).unwrap();
    fs::write(folder.join("x-001.db"), entry("1g1f")).unwrap();
    // The gap ends the list.
    fs::write(folder.join("x-003.db"), entry("2g2f")).unwrap();
    fs::write(folder.join("x.db"), format!("{}{after}", entry("7g7f"))).unwrap();
    let (mut engine, said) = with_book(Path::new("x.db"), &[("BookDir", folder.to_str().unwrap())]);
    assert_eq!(said.iter().filter(|line| line.contains("string book ")).count(), 3, "{said:?}");
    assert_eq!(engine.best("position startpos\ngo nodes 500"), "bestmove 9g9f");
    assert_eq!(engine.best("position startpos moves 7g7f\ngo nodes 500"), "bestmove 3c3d");
    // A text that is named and missing: the packed book of the same name.
    fs::write(folder.join("y.ybb"), entry("6g6f")).unwrap();
    assert_eq!(engine.best("setoption name BookFile value y.db\nposition startpos\ngo nodes 500"), "bestmove 6g6f");
}

#[test]
fn a_book_that_turns_out_to_be_unsorted_is_read_whole_before_the_next_game() {
    let path = folder("play-unsorted").join("book.db");
    let (entries, part) = disordered();
    fs::write(&path, text(&entries)).unwrap();
    let options = [
        ("BookOnTheFly", "true"),
        ("BookEvalDiff", "99999"),
        ("BookEvalBlackLimit", "-99999"),
        ("BookEvalWhiteLimit", "-99999"),
    ];
    let (mut engine, _) = with_book(&path, &options);
    let mut told = 0;
    for entry in entries[part.clone()].iter().step_by(500) {
        let lines = engine.search(&format!("position sfen {}\ngo nodes 100", entry.position));
        told += lines.iter().filter(|line| line.contains("it is read whole at the next isready")).count();
    }
    assert!(told <= 1);
    engine.ask("isready", "readyok");
    for entry in entries[part.clone()].iter().step_by(500) {
        let lines = engine.search(&format!("position sfen {}\ngo nodes 100", entry.position));
        let best = lines.last().unwrap().split(' ').nth(1).unwrap();
        let is_book_move = entry.moves.iter().any(|candidate| candidate.mv.to_string() == best);
        assert!(is_book_move || told == 0, "{}: {lines:?}", entry.position);
    }
}

/// A game by the clock.
const TIMED: &str = "go btime 60000 wtime 60000 byoyomi 1000";

/// An engine with these options, and what it says at `isready`.
fn with_options(options: &[(&str, &str)]) -> (Engine, Vec<String>) {
    let mut engine = Engine::start();
    engine.send("setoption name USI_Hash value 8");
    for (name, value) in options {
        engine.send(&format!("setoption name {name} value {value}"));
    }
    let said = engine.ask("isready", "readyok");
    (engine, said)
}

fn is_from_book(lines: &[String]) -> bool {
    lines.iter().any(|line| line.starts_with("info string book "))
}

#[test]
fn games_by_the_clock_are_opened_from_the_built_in_book_in_several_ways() {
    let (mut engine, said) = with_options(&[]);
    let remark = said.iter().find(|line| line.starts_with("info string book ")).expect("the book is described");
    assert!(remark.starts_with("info string book <internal>: ") && remark.ends_with(", sorted, in memory"), "{remark}");
    // It is opened once.
    assert!(!is_from_book(&engine.ask("isready", "readyok")));
    let mut openings = HashSet::new();
    for _ in 0..40 {
        engine.send("usinewgame");
        let mut game = "position startpos moves".to_string();
        for _ in 0..2 {
            let lines = engine.search(&format!("{game}\n{TIMED}"));
            assert!(is_from_book(&lines) && lines.concat().contains(" time 0 nodes 0 "), "{lines:?}");
            let best = lines.last().unwrap().split(' ').nth(1).unwrap().to_string();
            game.push_str(&format!(" {best}"));
        }
        openings.insert(game);
    }
    assert!(openings.len() >= 4, "{openings:?}");
    // White's first move in a game that begins with white: the same turned by 180 degrees.
    let turned = "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    assert!(is_from_book(&engine.search(&format!("{turned}\n{TIMED}"))));
    engine.quit();
}

#[test]
fn the_built_in_book_is_silent_where_a_search_is_wanted() {
    let (mut engine, _) = with_options(&[]);
    for go in [
        "go movetime 30",
        "go btime 0 wtime 60000 byoyomi 30",
        "go btime 0 wtime 0 binc 30 winc 30",
        "go depth 2",
        "go nodes 300",
        "go btime 60000 wtime 60000 nodes 300",
        "go btime 60000 wtime 60000 depth 2",
        "go btime 200 wtime 200 searchmoves 2g2f 7g7f",
        "go infinite\nstop",
    ] {
        let lines = engine.search(&format!("position startpos\n{go}"));
        assert!(!is_from_book(&lines), "{go}: {lines:?}");
    }
    for option in [
        ("MultiPV", "2"),
        ("ConsiderationMode", "true"),
        ("Level", "15kyu"),
        ("USI_LimitStrength", "true"),
        ("USI_OwnBook", "false"),
        ("BookFile", "no_book"),
        ("BookFile", ""),
        ("BookMoves", "0"),
    ] {
        let (mut engine, _) = with_options(&[option]);
        let lines = engine.search("position startpos\ngo btime 200 wtime 200 byoyomi 20");
        assert!(!is_from_book(&lines), "{option:?}: {lines:?}");
    }
}

#[test]
fn the_users_book_stands_in_place_of_the_built_in_one() {
    let path = written("play-instead", &format!("sfen {START}\n9g9f none 0 0 1\n"));
    let (mut engine, said) = with_book(&path, &[]);
    assert!(!said.concat().contains("<internal>"), "{said:?}");
    assert_eq!(engine.search(&format!("position startpos\n{TIMED}")).last().unwrap(), "bestmove 9g9f");
    let lines = engine.search("position startpos moves 7g7f\ngo btime 300 wtime 300");
    assert!(!is_from_book(&lines), "{lines:?}");
    // And it comes back under its name.
    engine.send("setoption name BookFile value <Internal>");
    let lines = engine.search(&format!("position startpos\n{TIMED}"));
    assert!(is_from_book(&lines) && lines.last().unwrap() != "bestmove 9g9f", "{lines:?}");
}
