//! Lists in every form, their faults, and the built-in list.

use super::*;
use komainu::types::{Color, PieceType};
use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

/// The openings of a list in which none is at fault.
fn load(file: Option<&Path>, plies: u64, shuffle: Option<u64>) -> Result<Vec<Opening>, OpeningError> {
    Ok(super::load(file, plies, shuffle, false)?.0)
}

fn read(text: &str) -> Vec<Opening> {
    read_list("test", text, 0).unwrap()
}

fn error(text: &str) -> String {
    read_list("book.txt", text, 0).unwrap_err().to_string()
}

#[test]
fn every_form_of_a_line_is_read() {
    let text = "\u{feff}# a comment\n\
        startpos moves 7g7f 3c3d ; another\r\n\
        \n\
        position startpos moves 2g2f\n\
        startpos\n\
        sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 moves 5g5f\n\
        position sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1\n\
        lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1 moves 5a6b 7g7f";
    let openings = read(text);
    assert_eq!(openings.iter().map(|opening| opening.moves.len()).collect::<Vec<_>>(), [2, 1, 0, 1, 0, 2]);
    assert!(openings.iter().all(|opening| opening.start.moves_made() == 0));
    assert_eq!(openings[0].line, "startpos moves 7g7f 3c3d");
    assert_eq!(openings[5].position().moves_made(), 2);
    assert_eq!(openings[5].position().to_sfen().split(' ').nth(3), Some("3"));
}

#[test]
fn a_fault_is_named_with_its_list_and_line() {
    assert_eq!(error("startpos\n# c\nstartpos moves 7g7f 7g7f"), "book.txt:3: move 2: 7g7f is not legal");
    assert_eq!(error("startpos moves 7g7f x"), "book.txt:1: move 2: \"x\" is not a move");
    assert_eq!(error("startpos 7g7f"), "book.txt:1: \"7g7f\" stands where moves should");
    let unreadable = "book.txt:3: bad sfen: the board has 1 rank, not 9; unknown piece \"h\"";
    assert!(error("\n\nhello").starts_with(unreadable), "{}", error("\n\nhello"));
    assert!(error("position").starts_with("book.txt:1: bad sfen"), "{}", error("position"));
}

#[test]
fn an_opening_after_which_the_game_is_over_is_refused() {
    let mated = "startpos\nsfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";
    assert_eq!(error(mated), "book.txt:2: the game is over: no legal move");
    let cycle = "2h3h 8b7b 3h2h 7b8b ".repeat(3);
    assert_eq!(
        error(&format!("startpos moves {cycle}")),
        "book.txt:1: the game is over: the position occurs for the fourth time"
    );
    // Cut short of the end, the same line is an opening.
    let cut = read_list("test", &format!("startpos moves {cycle}"), 11).unwrap();
    assert_eq!(cut[0].moves.len(), 11);
}

#[test]
fn a_line_that_goes_on_behind_the_end_of_its_game_is_refused_with_the_move() {
    let cycle = "2h3h 8b7b 3h2h 7b8b ".repeat(3);
    let fourth = "behind the end of the game: the position occurs for the fourth time";
    let beyond = format!("startpos\nstartpos moves {cycle}7g7f 3c3d\n");
    assert_eq!(error(&beyond), format!("book.txt:2: move 13: 7g7f stands {fourth}"));
    // What is cut off does no harm.
    assert_eq!(read_list("test", &beyond, 4).unwrap()[1].moves.len(), 4);
    let checks = "sfen 4k4/9/9/9/9/9/9/R8/K8 b - 1 moves ".to_string()
        + "9h5h 5a4a 5h4h 4a5a 4h5h 5a4a 5h4h 4a5a 4h5h 5a4a 5h4h 4a5a 4h5h 5a4a 5h4h";
    assert!(error(&checks).contains(fourth), "{}", error(&checks));
    assert_eq!(error("startpos moves 7g7f resign 3c3d"), "book.txt:1: \"3c3d\" stands behind \"resign\"");
    assert_eq!(read_list("test", "startpos moves 7g7f 3c3d resign", 0).unwrap()[0].moves.len(), 2);
}

#[test]
fn openings_at_fault_are_passed_over_and_told_if_that_is_wanted() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path();
    let cycle = "2h3h 8b7b 3h2h 7b8b ".repeat(3);
    let list = format!("startpos moves 2g2f\nstartpos moves {cycle}7g7f\nstartpos moves 7g7f 7g7f\nx\n");
    fs::write(folder.join("a.txt"), list).unwrap();
    // The first moves of a game that was given up or broken off are an opening.
    let game = |end: &str| format!("手合割：平手\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 {end}\n");
    fs::write(folder.join("b.kif"), game("投了")).unwrap();
    fs::write(folder.join("c.kif"), game("中断")).unwrap();
    let (openings, faults) = super::load(Some(folder), 0, None, true).unwrap();
    assert_eq!(openings.iter().map(|opening| opening.moves.len()).collect::<Vec<_>>(), [1, 2, 2]);
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    for (fault, told) in faults.iter().zip(["a.txt:2: move 13: 7g7f ", "a.txt:3: move 2: 7g7f ", "a.txt:4: "]) {
        assert!(fault.contains(told), "{fault}");
    }
    assert_eq!(faults.len(), 3);
    assert!(load(Some(folder), 0, None).unwrap_err().to_string().contains("a.txt:2: move 13"));
    fs::write(folder.join("a.txt"), "x\n").unwrap();
    let none = super::load(Some(&folder.join("a.txt")), 0, None, true).unwrap_err().to_string();
    assert!(none.ends_with("a.txt: no openings"), "{none}");
}

#[test]
fn plies_are_cut_to_the_limit() {
    let text = "startpos moves 7g7f 3c3d 2g2f\nstartpos moves 7g7f";
    let lengths = |plies| read_list("test", text, plies).unwrap().iter().map(|o| o.moves.len()).collect::<Vec<_>>();
    assert_eq!(lengths(0), [3, 1]);
    assert_eq!(lengths(2), [2, 1]);
    assert_eq!(lengths(u64::MAX), [3, 1]);
    // What is cut off must be legal all the same.
    assert!(read_list("test", "startpos moves 7g7f 9a9i", 1).is_err());
}

#[test]
fn files_and_folders_are_read_in_the_order_of_their_names() {
    let home = tempfile::Builder::new().prefix("a blank ").tempdir().unwrap();
    let folder = home.path();
    fs::create_dir_all(folder.join("c")).unwrap();
    fs::write(folder.join("b.txt"), "startpos moves 2g2f").unwrap();
    fs::write(folder.join("a.SFEN"), "startpos moves 7g7f").unwrap();
    fs::write(folder.join("c/d.usi"), b"startpos moves 5g5f # \x8b\xee").unwrap();
    fs::write(folder.join("notes.md"), "not a list").unwrap();
    let load = |file: PathBuf| load(Some(&file), 0, None);
    let openings = load(folder.to_path_buf()).unwrap();
    let first: Vec<String> = openings.iter().map(|opening| opening.moves[0].to_string()).collect();
    assert_eq!(first, ["7g7f", "2g2f", "5g5f"]);
    assert_eq!(load(folder.join("b.txt")).unwrap().len(), 1);
    let missing = load(folder.join("missing.txt")).unwrap_err().to_string();
    assert!(missing.contains("missing.txt: "), "{missing}");
    fs::write(folder.join("b.txt"), "# nothing").unwrap();
    let empty = load(folder.join("b.txt")).unwrap_err().to_string();
    assert!(empty.ends_with("b.txt: no openings"), "{empty}");
}

#[test]
fn the_built_in_openings_are_legal_unique_and_playable() {
    let openings = load(None, 0, None).unwrap();
    assert_eq!(openings.len(), 500);
    let ends: HashSet<_> = openings.iter().map(|opening| opening.position().key()).collect();
    assert_eq!(ends.len(), openings.len());
    for opening in &openings {
        assert!((8..=16).contains(&opening.moves.len()), "{}", opening.line);
        assert!(!opening.position().in_check(), "{}", opening.line);
    }
    assert!(EMBEDDED.len() < 80_000);
}

/// Where the rook of a side has gone in an opening.
fn rook_place(pos: &Position, side: Color) -> &'static str {
    let square = pos.pieces_of(side, PieceType::Rook).into_iter().next().expect("a rook is on the board");
    match square.seen_by(side).to_string().as_bytes() {
        [b'5', b'h'] => "central",
        [b'6'..=b'8', b'h' | b'i'] => "ranging",
        _ => "static",
    }
}

#[test]
fn the_first_twenty_built_in_openings_are_of_every_kind_and_for_both_sides() {
    let openings = load(None, 0, None).unwrap();
    let first: Vec<[&str; 2]> =
        openings[..20].iter().map(|opening| Color::ALL.map(|side| rook_place(&opening.position(), side))).collect();
    assert!(first.contains(&["static"; 2]));
    for side in Color::ALL {
        for place in ["ranging", "central"] {
            assert!(first.iter().any(|places| places[side] == place), "{side:?} {place} {first:?}");
        }
    }
    // No part of the list is of one kind: no four plies begin half of twenty lines in a row.
    for lines in openings.windows(20) {
        let begins = |opening: &Opening| opening.moves[..4].to_vec();
        let most = lines.iter().map(|one| lines.iter().filter(|other| begins(one) == begins(other)).count()).max();
        assert!(most < Some(10), "{most:?} from {}", lines[0].line);
    }
}

#[test]
fn a_seed_shuffles_the_list() {
    let lines =
        |shuffle| -> Vec<String> { load(None, 0, shuffle).unwrap().into_iter().map(|opening| opening.line).collect() };
    let plain = lines(None);
    let first = lines(Some(1));
    assert_eq!(lines(Some(1)), first);
    assert!(first != plain && first != lines(Some(2)));
    assert_eq!(HashSet::<String>::from_iter(first), HashSet::from_iter(plain));
}

#[test]
fn handicaps_are_openings_by_their_names() {
    let load = |text: &str| load(Some(Path::new(text)), 0, None);
    let openings = load("handicap:rook,10-PIECES").unwrap();
    let starts: Vec<String> = openings.iter().map(|opening| opening.position().to_sfen()).collect();
    assert_eq!(starts, [Handicap::Rook.sfen(), Handicap::TenPieces.sfen()]);
    let error = load("handicap:queen").unwrap_err().to_string();
    assert!(error.contains("queen") && error.contains("rook-lance"), "{error}");
}
