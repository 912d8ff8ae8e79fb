//! `komainu convert`, `show`, and `mate` from records: as a user calls them.

use crate::shell::{Folder, last_line, run, stderr, stdout};
use komainu::games::read_source;
use komainu::notation::record::GameRecord;
use komainu::notation::{Format, encoding, kif};
use komainu::position::{Position, START_SFEN};
use std::fs;
use std::path::Path;

fn text(path: &Path) -> &str {
    path.to_str().expect("the path is UTF-8")
}

/// A game with times, headers and comments.
fn game(seed: u64) -> GameRecord {
    GameRecord { variations: Vec::new(), ..crate::analyse::game(START_SFEN, 60, seed) }
}

#[test]
fn a_folder_is_converted_there_and_back() {
    let folder = Folder::new("convert");
    let kif_in = folder.path("in");
    let csa = folder.path("csa");
    let kif_out = folder.path("out");
    let usi = folder.path("a.usi");
    fs::create_dir_all(kif_in.join("below")).unwrap();
    for number in 0..6 {
        let text = kif::write(&game(number));
        let path =
            if number < 3 { kif_in.join(format!("{number}.kif")) } else { kif_in.join(format!("below/{number}.kifu")) };
        let bytes = if number < 3 { encoding::encode_cp932(&text).bytes } else { text.into_bytes() };
        fs::write(path, bytes).unwrap();
    }
    let output = run(&["convert", text(&kif_in), "--to", "csa", "--out", text(&csa)]);
    assert_eq!((output.status.code(), last_line(&output).as_str()), (Some(0), "6 games, 6 files"));
    let output = run(&["convert", text(&csa), "--out", text(&kif_out)]);
    assert_eq!((output.status.code(), last_line(&output).as_str()), (Some(0), "6 games, 6 files"));
    let output = run(&["convert", text(&csa), "--to", "usi", "--out", text(&usi)]);
    assert_eq!((output.status.code(), last_line(&output).as_str()), (Some(0), "6 games, 1 file"));
    let told = stderr(&output);
    assert!(told.contains("USI has no comments: left out of 6 games"), "{told}");
    let lines = fs::read(&usi).unwrap();
    let by_usi = read_source("a.usi", &lines);
    for (number, line) in (0..6).zip(by_usi) {
        let name = if number < 3 { format!("{number}.kifu") } else { format!("below/{number}.kifu") };
        let bytes = fs::read(kif_out.join(name)).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), kif::write(&game(number)), "{number}");
        let moves = |record: &GameRecord| record.moves.iter().map(|made| made.mv).collect::<Vec<_>>();
        assert_eq!(moves(&line.unwrap().record), moves(&game(number)));
    }
}

#[test]
fn a_broken_record_is_converted_up_to_its_fault() {
    let folder = Folder::new("convert-broken");
    let path = folder.path("broken.kif");
    let whole = kif::write(&game(1));
    let line = whole.lines().position(|line| line.starts_with("  31 ")).unwrap();
    let broken: Vec<&str> =
        whole.lines().enumerate().map(|(at, text)| if at == line { "  31 ５五玉(11)" } else { text }).collect();
    fs::write(&path, broken.join("\n")).unwrap();
    let output = run(&["convert", text(&path), "--to", "usi"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stdout(&output).split_ascii_whitespace().count(), 3 + 30);
    let told = stderr(&output);
    assert!(told.contains(&format!("line {}: move 31", line + 1)), "{told}");
    // Nothing at all can be read of the next, and what was read is never written over.
    folder.write("none.csa", "nothing");
    assert_eq!(run(&["convert", text(&folder.path("none.csa"))]).status.code(), Some(1));
    assert_eq!(run(&["convert", "no/such/file.kif"]).status.code(), Some(2));
    let output = run(&["convert", text(&path), "--out", text(&path)]);
    assert_eq!((output.status.code(), fs::read_to_string(&path).unwrap()), (Some(2), broken.join("\n")));
}

#[test]
fn show_prints_the_board_at_a_move() {
    let folder = Folder::new("show");
    let path = folder.path("a.csa");
    fs::write(&path, "V2.2\nPI\n+\n+7776FU\n'*良い手\n-3334FU\n+8822UM\n").unwrap();
    let shown = |arguments: &[&str]| {
        let output = run(&[&["show", text(&path)], arguments].concat());
        (output.status.code(), stdout(&output))
    };
    let (code, board) = shown(&[]);
    assert_eq!(code, Some(0));
    assert!(board.starts_with("3手目 ▲２二角成\n") && board.contains("|v香v桂v銀v金v玉v金v銀v桂v香|一"), "{board}");
    assert!(board.ends_with("sfen lnsgkgsnl/1r5+B1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/7R1/LNSGKGSNL w B 4\n"), "{board}");
    let (code, board) = shown(&["1"]);
    assert!(code == Some(0) && board.starts_with("1手目 ▲７六歩\n") && board.contains("*良い手"), "{board}");
    assert!(shown(&["0"]).1.starts_with("開始局面\n"));
    assert_eq!(shown(&["4"]).0, Some(2));
    assert_eq!(shown(&["--game", "2"]).0, Some(2));
}

#[test]
fn problems_are_read_from_records_and_answered_in_japanese() {
    let folder = Folder::new("mate-records");
    let position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G 1").unwrap();
    folder.write("a.bod", encoding::encode_cp932(&kif::write_board(&position)).bytes);
    folder.write("b.csa", Format::Csa.write(&GameRecord::new(position)));
    for name in ["a.bod", "b.csa"] {
        let output = run(&["mate", text(&folder.path(name))]);
        assert_eq!((output.status.code(), stdout(&output).lines().next()), (Some(0), Some("▲５二金打")), "{name}");
        assert!(last_line(&output).starts_with("mate 1 exact nodes "), "{}", stdout(&output));
    }
    let root = folder.text(".");
    let output = run(&["mate", text(&folder.path("a.bod")), "--notation", "usi"]);
    assert_eq!(stdout(&output).lines().next(), Some("G*5b"));
    for arguments in [&["mate"][..], &["mate", "--suite"]] {
        let output = run(&[arguments, &[&root]].concat());
        assert_eq!((output.status.code(), last_line(&output).as_str()), (Some(0), "2 passed, 0 failed"));
        assert!(stdout(&output).contains("a: mate 1 exact: ▲５二金打"), "{}", stdout(&output));
    }
    let none = Position::from_sfen("4k4/9/9/9/9/9/9/9/9 b G 1").unwrap();
    folder.write("c.kif", kif::write_board(&none));
    let output = run(&["mate", &root]);
    assert_eq!((output.status.code(), last_line(&output).as_str()), (Some(1), "2 passed, 1 failed"));
    folder.write("c.kif", kif::write_board(&none) + "   1 不詰\n");
    assert_eq!(last_line(&run(&["mate", &root])), "3 passed, 0 failed");
}

#[test]
fn a_check_tells_faults_and_writes_nothing() {
    let folder = Folder::new("convert-check");
    let games_folder = folder.path("games");
    fs::create_dir_all(games_folder.join("below")).unwrap();
    for number in 0..3 {
        fs::write(games_folder.join(format!("{number}.kif")), kif::write(&game(number))).unwrap();
    }
    let named = text(&games_folder).to_string();
    let checked = |arguments: &[&str]| {
        let output = run(&[&["convert", "--check"], arguments].concat());
        (output.status.code(), stdout(&output), stderr(&output))
    };
    assert_eq!(checked(&[&named]), (Some(0), "3 games, 3 files, 0 faults\n".to_string(), String::new()));
    let bad = games_folder.join("below/bad.kif");
    fs::write(&bad, "手合割：平手\n   1 ７六歩(77)\n   2 ９九王(51)\n").unwrap();
    fs::write(games_folder.join("below/none.csa"), "nothing").unwrap();
    let (code, out, told) = checked(&[&named]);
    assert_eq!((code, out.as_str()), (Some(1), "4 games, 5 files, 2 faults\n"), "{told}");
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), 2, "{told}");
    assert!(
        lines[0].contains("bad.kif: KIF, line 3: move 2: ") && lines[1].contains("none.csa: CSA, line 1: "),
        "{told}"
    );
    // Oddities are no faults, nothing to read is one.
    folder.write("odd.kif", "手合割：平手\n   1 ７六歩(77)\n   2 雨天順延\n");
    let (code, out, told) = checked(&[text(&folder.path("odd.kif"))]);
    assert_eq!((code, out.as_str(), told.lines().count()), (Some(0), "1 game, 1 file, 0 faults\n", 1), "{told}");
    fs::create_dir_all(folder.path("empty")).unwrap();
    let (code, out, told) = checked(&[text(&folder.path("empty"))]);
    assert_eq!((code, out.as_str()), (Some(1), "0 games, 0 files, 1 fault\n"));
    assert!(told.contains("no game was found"), "{told}");
    assert_eq!(checked(&["no/such/file.kif"]).0, Some(2));
    // It goes with nothing that writes.
    for flags in [["--to", "csa"], ["--out", "x"], ["--encoding", "cp932"]] {
        assert_eq!(checked(&[&[named.as_str()], &flags[..]].concat()).0, Some(2), "{flags:?}");
    }
    assert_eq!(fs::read_dir(&games_folder).unwrap().count(), 4);
}

#[test]
fn each_loss_is_told_once_for_all_games() {
    let folder = Folder::new("convert-losses");
    let named = folder.path("games");
    fs::create_dir_all(&named).unwrap();
    let record = "先手：甲☗乙\n   1 ７六歩(77)   ( 0:05/00:00:05)\n*角道\n   2 雨天順延\n変化：1手\n   1 ２六歩(27)\n";
    for name in ["a.kif", "b.kif", "c.kif"] {
        fs::write(named.join(name), record).unwrap();
    }
    let told = |to: &[&str]| {
        let out = folder.path(&format!("out{}", to.concat()));
        let output = run(&[&["convert", text(&named), "--out", text(&out), "--to"], to].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let told = stderr(&output);
        told.lines().filter(|line| !line.contains("is not known")).map(str::to_string).collect::<Vec<_>>()
    };
    let lost = |format: &str, parts: &[&str]| -> Vec<String> {
        parts.iter().map(|part| format!("komainu: {format} has no {part}: left out of 3 games")).collect()
    };
    assert_eq!(told(&["kif"]), lost("KIF", &[]));
    assert_eq!(told(&["ki2"]), lost("KI2", &["times"]));
    assert_eq!(told(&["csa"]), lost("CSA", &["variations", "words for the end that it does not know"]));
    assert_eq!(told(&["usi"]), lost("USI", &["headers", "comments", "variations", "times", "end of a game"]));
    assert_eq!(told(&["json"]), lost("JSON", &[]));
    let letters = "komainu: CP932 has no ☗: 〓 stands for them".to_string();
    assert_eq!(told(&["kif", "--encoding", "cp932"]), [letters]);
}

#[test]
fn show_writes_a_picture_with_the_move_below_it() {
    let folder = Folder::new("show-svg");
    let path = folder.write("game.usi", "startpos moves 7g7f 3c3d 8h2b+\n");
    for (ply, caption, has_mark) in [("3", "3手目 ▲２二角成", true), ("0", "開始局面", false)] {
        let output = run(&["show", &path, ply, "--svg"]);
        assert_eq!(output.status.code(), Some(0));
        let svg = stdout(&output);
        assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"), "{svg}");
        assert!(svg.contains(&format!(">{caption}</text>")), "{svg}");
        assert_eq!(svg.contains("#d8d8d8"), has_mark);
    }
    fs::write(&path, "startpos moves 7g7f 7g7f\n").expect("a game is written");
    let output = run(&["show", &path, "--svg"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("1手目") && stderr(&output).contains("move 2: 7g7f"));
    assert_eq!(run(&["show", &path, "9", "--svg"]).status.code(), Some(2));
}
