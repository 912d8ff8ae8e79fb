//! `komainu book` from the command line.

use super::sample::{HEADER, START, entries, find, open, text, words};
use crate::notation::games::read_game;
use crate::shell::{Folder, printed, refusal, refuses, run, stderr, stdout};
use komainu::book::OnTheFly;
use komainu::notation::Format;
use komainu::position::Position;
use std::fs;

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

#[test]
fn sorting_twice_is_sorting_once_in_any_memory() {
    let folder = Folder::new("book-sort");
    let mut entries = entries(5_000, 11);
    let sorted = text(&entries);
    entries.reverse();
    let unsorted = folder.write("unsorted.db", text(&entries));
    let once = folder.text("once.db");
    let twice = folder.text("twice.db");
    let said = printed(&["book", "sort", &unsorted, "--out", &once, "--memory", "1"]);
    let moves: usize = entries.iter().map(|entry| entry.moves.len()).sum();
    assert_eq!(last_line(&said), format!("5000 positions, {moves} moves"));
    assert_eq!(folder.read("once.db"), sorted);
    printed(&["book", "sort", &once, "--out", &twice]);
    assert_eq!(folder.bytes("twice.db"), folder.bytes("once.db"));
    // In place too, and nothing stays beside it.
    printed(&["book", "sort", &unsorted, "--out", &unsorted]);
    assert_eq!(folder.bytes("unsorted.db"), folder.bytes("once.db"));
    assert_eq!(fs::read_dir(folder.path("")).unwrap().count(), 3);
}

/// Waits until a process has files of a folder open that have no name, or ends.
#[cfg(target_os = "linux")]
fn wait_for_nameless_files(child: &mut std::process::Child, folder: &str) -> bool {
    let open = format!("/proc/{}/fd", child.id());
    let is_nameless = |link: std::path::PathBuf| {
        let name = link.to_string_lossy();
        name.starts_with(folder) && name.ends_with(" (deleted)")
    };
    while child.try_wait().expect("it can be asked").is_none() {
        let mut links =
            fs::read_dir(&open).into_iter().flatten().flatten().filter_map(|fd| fs::read_link(fd.path()).ok());
        if links.any(is_nameless) {
            return true;
        }
    }
    false
}

#[cfg(target_os = "linux")]
#[test]
fn a_sort_that_is_killed_leaves_its_folder_as_it_was() {
    let folder = Folder::new("book-killed");
    let unsorted = folder.write("a.db", text(&entries(40_000, 21)));
    let place = folder.path("").canonicalize().unwrap();
    let arguments = ["book", "sort", &unsorted, "--out", &folder.text("b.db"), "--memory", "1"];
    let mut command = crate::shell::komainu(&arguments);
    let mut child = command.stderr(std::process::Stdio::null()).spawn().expect("the binary runs");
    assert!(wait_for_nameless_files(&mut child, place.to_str().unwrap()));
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    let names: Vec<_> = fs::read_dir(place).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["a.db"]);
}

#[test]
fn merging_a_book_with_itself_is_sorting_it() {
    let folder = Folder::new("book-merge");
    let a = folder.write("a.db", text(&entries(400, 12)));
    let b = folder.write("b.db", text(&entries(400, 13)));
    let merge = |books: &[&str], out: &str, more: &[&str]| {
        let said = printed(&[&["book", "merge"], books, &["--out", &folder.text(out)], more].concat());
        assert!(last_line(&said).ends_with(" moves"));
        folder.bytes(out)
    };
    for prefer in ["deeper", "first", "last"] {
        assert_eq!(merge(&[&a, &a], "aa.db", &["--prefer", prefer]), folder.bytes("a.db"), "{prefer}");
    }
    let once = merge(&[&a, &b], "ab.db", &[]);
    let ab = folder.text("ab.db");
    assert_eq!(merge(&[&ab, &b], "abb.db", &[]), once);
    let split = String::from_utf8(merge(&[&a, &b], "split.db", &["--split", "bw"])).unwrap();
    let count = |text: &str, side: &str| text.lines().filter(|line| line.contains(side)).count();
    let text_of = |name: &str| folder.read(name);
    assert_eq!(count(&split, " b "), count(&text_of("a.db"), " b "));
    assert_eq!(count(&split, " w "), count(&text_of("b.db"), " w "));
    refuses(&["book", "merge", &a, &b, "--out", &ab, "--split", "x"], "neither bw nor wb");
}

#[test]
fn a_thousand_positions_are_found_in_every_format() {
    let folder = Folder::new("book-formats");
    let entries = entries(1_000, 15);
    let db = folder.write("a.db", text(&entries));
    for name in ["a.bin", "a.ybb", "a.sbk"] {
        let path = folder.text(name);
        let said = printed(&["book", "export", &db, "--out", &path]);
        assert!(last_line(&said).starts_with("1000 positions, "), "{name}: {said}");
        for on_the_fly in [OnTheFly::Yes, OnTheFly::No] {
            let opened = open(&folder.path(name), on_the_fly);
            for entry in &entries {
                let mut found = find(&opened, &entry.position).unwrap_or_else(|| panic!("{name}: {}", entry.position));
                let mut moves: Vec<_> = entry.moves.iter().map(|candidate| candidate.mv).collect();
                moves.sort();
                found.sort_by_key(|candidate| candidate.mv);
                assert_eq!(found.iter().map(|candidate| candidate.mv).collect::<Vec<_>>(), moves, "{name}");
                for candidate in &entry.moves {
                    let same = found.iter().find(|other| other.mv == candidate.mv).unwrap();
                    assert!(name == "a.sbk" || same.value == candidate.value, "{name}");
                    assert!(name == "a.ybb" || same.count == candidate.count, "{name}");
                    assert!(name != "a.ybb" || same.depth == candidate.depth, "{name}");
                }
            }
        }
    }
}

#[test]
fn a_graph_says_only_the_positions_that_no_move_leads_to() {
    let folder = Folder::new("book-roots");
    let after = |line: &str| komainu::notation::usi::parse_position(line).unwrap().position;
    let kings = "sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1 moves ";
    let lines = [
        "startpos".to_string(),
        "startpos moves 7g7f".to_string(),
        "startpos moves 2g2f 8c8d".to_string(),
        // A cycle into which nothing leads.
        format!("{kings}5i5h"),
        format!("{kings}5i5h 5a5b"),
        format!("{kings}5i5h 5a5b 5h5i"),
        format!("{kings}5i5h 5a5b 5h5i 5b5a"),
    ];
    let moves = ["7g7f", "3c3d", "7g7f", "5a5b", "5h5i", "5b5a", "5i5h"];
    let blocks = lines.iter().zip(moves).map(|(line, mv)| format!("sfen {}\n{mv}\n", after(line)));
    let db = folder.write("a.db", format!("{HEADER}{}", blocks.collect::<String>()));
    let sbk = folder.text("a.sbk");
    let back = folder.text("back.db");
    assert_eq!(last_line(&printed(&["book", "export", &db, "--out", &sbk])), "7 positions, 7 moves");
    let bytes = folder.bytes("a.sbk");
    let positions = bytes.windows(5).filter(|window| *window == b" b - " || *window == b" w - ").count();
    assert_eq!(positions, 3);
    assert_eq!(last_line(&printed(&["book", "export", &sbk, "--out", &back])), "7 positions, 7 moves");
    let opened = open(&folder.path("back.db"), OnTheFly::No);
    for line in &lines {
        assert!(find(&opened, &after(line)).is_some(), "{line}");
    }
}

#[test]
fn comments_and_json() {
    let folder = Folder::new("book-comments");
    let text = format!("{HEADER}sfen {START}\n# the start\n7g7f 3c3d 40 20 5\n# often played\n2g2f none none 0 1\n");
    let db = folder.write("a.db", &text);
    let same = folder.text("same.db");
    let bare = folder.text("bare.db");
    let json = folder.text("a.jsonl");
    printed(&["book", "export", &db, "--out", &same]);
    assert_eq!(folder.read("same.db"), text);
    printed(&["book", "export", &db, "--out", &bare, "--no-comments"]);
    assert!(!folder.read("bare.db").contains("played"));
    printed(&["book", "export", &db, "--out", &json]);
    let line = format!(
        "{{\"sfen\":\"{START}\",\"moves\":[{{\"move\":\"7g7f\",\"reply\":\"3c3d\",\"value\":40,\"depth\":20,\"count\":5,\
         \"comment\":\"often played\"}},{{\"move\":\"2g2f\",\"value\":null,\"depth\":0,\"count\":1}}],\
         \"comment\":\"the start\"}}\n"
    );
    assert_eq!(folder.read("a.jsonl"), line);
    assert_eq!(printed(&["book", "query", &db, "--sfen", "startpos"]).lines().count(), 3);
    assert_eq!(
        printed(&["book", "query", &db, "--moves", "", "--lines", "1"]).lines().nth(1),
        Some("7g7f reply 3c3d value 40 depth 20 count 5 # often played")
    );
    let output = run(&["book", "query", &db, "--moves", "1g1f"]);
    assert_eq!(output.status.code(), Some(1));
    refuses(&["book", "query", &db, "--moves", "1g1e"], "1g1e is not legal");
    refuses(&["book", "query", &db, "--sfen", "startpos 7g7f"], "--sfen: unexpected \"7g7f\"");
    let roots = folder.text("roots.txt");
    fs::write(&roots, "startpos\nstartpos 7g7f\n").unwrap();
    refuses(&["book", "next", &db, "--roots", &roots], "line 2: unexpected \"7g7f\"");
    refuses(&["book", "export", &db, "--out", "x.doc"], "\"x.doc\": no book format has this ending");
    let stats = printed(&["book", "stats", &db]);
    assert!(stats.contains("positions 1: black to move 1, white 0"), "{stats}");
    assert_eq!(last_line(&stats), "1 positions, 2 moves");
}

#[test]
fn a_check_names_what_is_wrong_and_mends_it() {
    let folder = Folder::new("book-check");
    let after = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
    let twin = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 3";
    let text = format!(
        "sfen {START}\n7g7f 3c3e 0 0 1\n7g7e none 0 0 1\nwhat is this\n2g2f none 99999 0 1\n\
         sfen {after}\n3c3d none 5 0 1\nsfen {START}\n1g1f\nsfen {twin}\n7g7f none 6 0 1\n"
    );
    let bad = folder.write("bad.db", &text);
    let output = run(&["book", "check", &bad]);
    assert_eq!(output.status.code(), Some(1));
    let said = stdout(&output);
    for expected in [
        "line 1: the header #YANEURAOU-DB2016 1.00 is missing",
        "line 1: reply 3c3e to 7g7f is not legal",
        "line 1: 7g7e is not legal",
        "line 4: \"what\" is neither a move nor a position nor a comment",
        "line 1: value 99999 of 2g2f is beyond 32000",
        "line 6: not sorted from here on",
        "line 8: the position of line 1 once more",
        "line 10: the position of line 6 turned by 180 degrees, with other values",
    ] {
        assert!(said.contains(&format!("bad.db: {expected}\n")), "{expected} in\n{said}");
    }
    assert_eq!(last_line(&said), "4 positions, 6 moves, 8 faults");
    let good = folder.text("good.db");
    let said = printed(&["book", "check", &bad, "--fix", &good]);
    assert_eq!(last_line(&said), "3 positions, 5 moves");
    let said = stdout(&run(&["book", "check", &good]));
    // Which of two twins is right nobody can know.
    assert!(said.contains("turned by 180 degrees") && last_line(&said).ends_with("1 fault"), "{said}");
}

#[test]
fn games_become_a_book() {
    let folder = Folder::new("book-make");
    fs::create_dir_all(folder.path("games")).unwrap();
    let kif = "先手：Alpha\n後手：Beta\n手数----指手---------消費時間--\n   1 ７六歩(77)\n**評価値=50\n**深さ=12\n   2 ３四歩(33)\n**評価値=40\n   3 ２六歩(27)\n   4 投了\n";
    folder.write("games/a.kif", kif);
    folder.write("games/b.sfen", "startpos moves 7g7f 8c8d 2g2f\nstartpos moves 2g2f zzzz\n");
    let games = folder.text("games");
    let out = folder.text("out.db");
    let make = |more: &[&str]| {
        let output = run(&[&["book", "make", &games, "--out", &out], more].concat());
        // A line of a file has a fault.
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let errors = stderr(&output);
        assert!(
            errors.contains("b.sfen: line 2: move 2: \"zzzz\" is not a move; the moves before it are kept"),
            "{errors}"
        );
        (stdout(&output), folder.read("out.db"))
    };
    let (said, text) = make(&[]);
    assert_eq!(said, "3 games\n1 positions, 1 moves, 1 file refused\n");
    assert_eq!(text, format!("{HEADER}sfen {START}\n7g7f none none 0 2\n"));
    let (said, text) = make(&["--min-count", "1", "--scores", "--reply"]);
    assert_eq!(last_line(&said), "4 positions, 6 moves, 1 file refused");
    assert!(text.contains("7g7f 3c3d 50 12 2\n") && text.contains("3c3d 2g2f -40 0 1\n"), "{text}");
    // The loser of the only game with a result is white's opponent: black has resigned... to white.
    let (said, text) = make(&["--min-count", "1", "--winner"]);
    assert_eq!((last_line(&said), text.contains("2g2f")), ("2 positions, 2 moves, 1 file refused", true), "{text}");
    assert_eq!(last_line(&make(&["--min-count", "1", "--player", "beta"]).0), "1 positions, 1 moves, 1 file refused");
    assert_eq!(last_line(&make(&["--min-count", "1", "--side", "w"]).0), "1 positions, 2 moves, 1 file refused");
    assert_eq!(last_line(&make(&["--min-count", "1", "--plies", "1"]).0), "1 positions, 2 moves, 1 file refused");
    // Results are kept where the format has room for them.
    let sbk = folder.text("out.sbk");
    run(&["book", "make", &games, "--out", &sbk, "--min-count", "1"]);
    let json = folder.text("out.jsonl");
    printed(&["book", "export", &sbk, "--out", &json]);
    let lines = folder.read("out.jsonl");
    assert!(lines.contains("\"games\":[1,1,0]"), "{lines}");
}

#[test]
fn a_book_may_be_of_one_opening() {
    let folder = Folder::new("book-opening");
    let games = "startpos moves 7g7f 3c3d 6g6f 8c8d 2h6h 8d8e\nstartpos moves 2g2f 8c8d 2f2e 8d8e\n";
    let games = folder.write("a.sfen", games);
    let out = folder.text("out.db");
    let make = |name: &str| run(&["book", "make", &games, "--out", &out, "--min-count", "1", "--opening", name]);
    let last = |name: &str| last_line(&stdout(&make(name))).to_string();
    // Black's moves of the first game.
    assert_eq!([last("四間飛車"), last("fourth-file")], ["3 positions, 3 moves", "3 positions, 3 moves"]);
    let unknown = make("Sicilian");
    assert_eq!(unknown.status.code(), Some(2));
    let told = stderr(&unknown);
    assert!(told.contains("--opening \"Sicilian\": no opening and no castle has this name"), "{told}");
}

#[test]
fn positions_are_thought_about_and_work_is_gone_on_with() {
    let folder = Folder::new("book-think");
    let db = folder.write("a.db", format!("{HEADER}sfen {START}\n9g9f none none 0 7\n"));
    let lines = "startpos\nstartpos moves 7g7f\nstartpos moves 2g2f\n";
    let positions = folder.write("lines", lines);
    let out = folder.text("out.db");
    let think = |more: &[&str]| {
        let usual = ["book", "think", &db, "--out", &out, "--hash", "4", "--nodes", "300", "--multipv", "2"];
        run(&[&usual[..], more].concat())
    };
    let output = think(&["--positions", &positions, "--threads", "2"]);
    assert!(output.status.success(), "{output:?}");
    let whole = folder.bytes("out.db");
    let text = String::from_utf8(whole.clone()).unwrap();
    assert_eq!(text.matches("sfen ").count(), 3, "{text}");
    // The move of the book keeps its count, and has a value only if it was searched.
    assert!(text.contains("9g9f ") && text.lines().filter(|line| line.ends_with(" 7")).count() == 1, "{text}");
    // The end of a work that was broken off while it wrote its second position.
    fs::remove_file(folder.path("out.db")).unwrap();
    let blocks: Vec<&str> = text.split_inclusive("sfen ").collect();
    let first = format!("sfen {}", blocks[1].trim_end_matches("sfen "));
    let journal = format!("# komainu book think nodes 300 multipv 2 hash 4\n{first}\nsfen lnsgkgsnl/1r5b1/ppp");
    folder.write("out.db.thinking", &journal);
    let refused = stderr(&think(&["--positions", &positions]));
    assert!(refused.contains("--resume goes on with it"), "{refused}");
    assert!(think(&["--positions", &positions, "--resume"]).status.success());
    assert_eq!(folder.bytes("out.db"), whole);
    assert!(!folder.path("out.db.thinking").exists());
    // Another engine: this one.
    let engine = format!("\"{}\"", env!("CARGO_BIN_EXE_komainu"));
    let output = think(&["--positions", &positions, "--engine", &engine]);
    assert!(output.status.success(), "{output:?}");
    // Two machines do half each.
    let counts: Vec<usize> = ["1/2", "2/2"]
        .iter()
        .map(|part| {
            let output = think(&["--positions", &positions, "--shard", part]);
            assert!(output.status.success());
            folder.read("out.db").lines().filter(|line| line.contains(" 1")).count()
        })
        .collect();
    assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
}

#[test]
fn values_are_carried_back_and_the_ends_are_listed() {
    let folder = Folder::new("book-minimax");
    let after = |moves: &str| {
        let position = komainu::notation::usi::parse_position(&format!("startpos moves {moves}")).unwrap().position;
        format!("sfen {position}\n")
    };
    let text = format!(
        "{HEADER}sfen {START}\n7g7f none 0 1 1\n2g2f none 20 1 1\n{}3c3d none -80 9 1\n8c8d none -85 9 1\n",
        after("7g7f")
    );
    let db = folder.write("a.db", &text);
    let out = folder.text("out.db");
    assert_eq!(last_line(&printed(&["book", "minimax", &db, "--out", &out])), "2 positions, 4 moves");
    let opened = open(&folder.path("out.db"), OnTheFly::No);
    assert_eq!(words(&find(&opened, &Position::startpos()).unwrap()), ["7g7f 3c3d 80 1 1", "2g2f none 20 0 1"]);
    assert_eq!(printed(&["book", "next", &out, "--side", "b", "--margin", "4"]), "startpos moves 7g7f 3c3d\n");
    let both = printed(&["book", "next", &out, "--margin", "5"]);
    assert_eq!(both, "startpos moves 7g7f 3c3d\nstartpos moves 7g7f 8c8d\n");
    // A side that may give 80 plays the second move of the start position too; it leads out of the book.
    let wide = printed(&["book", "next", &out, "--side", "b", "--margin", "4", "--own-margin", "80"]);
    assert_eq!(wide, "startpos moves 2g2f\nstartpos moves 7g7f 3c3d\n");
    let pruned = folder.text("pruned.db");
    let prune =
        |more: &[&str]| last_line(&printed(&[&["book", "prune", &out, "--out", &pruned], more].concat())).to_string();
    assert_eq!(prune(&["--margin", "0"]), "2 positions, 2 moves");
    assert_eq!(prune(&["--margin", "5"]), "2 positions, 3 moves");
    assert_eq!(prune(&["--margin", "80", "--plies", "1"]), "1 positions, 2 moves");
    assert_eq!(prune(&["--margin", "80", "--verified"]), "1 positions, 1 moves");
    let roots = folder.write("roots", "startpos moves 7g7f\n");
    assert_eq!(prune(&["--margin", "0", "--roots", &roots]), "1 positions, 1 moves");
    let shrunk = folder.text("shrunk.db");
    assert_eq!(last_line(&printed(&["book", "minimax", &db, "--out", &shrunk, "--shrink"])), "2 positions, 2 moves");
}

#[test]
fn a_record_shows_the_book_as_a_tree() {
    let folder = Folder::new("book-kif");
    let after = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
    let text = format!(
        "{HEADER}sfen {START}\n7g7f none 40 9 5\n2g2f none 30 9 1\nsfen {after}\n3c3d none -40 9 1\n8c8d none -45 9 1\n"
    );
    let db = folder.write("a.db", &text);
    for name in ["a.kif", "a.kifu"] {
        let out = folder.text(name);
        assert_eq!(last_line(&printed(&["book", "export", &db, "--out", &out])), "2 positions, 4 moves");
        let record = read_game(&folder.bytes(name), Some(Format::Kif)).unwrap().record;
        let words = |moves: &[komainu::notation::record::RecordMove]| {
            moves.iter().map(|made| made.mv.to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(words(&record.moves), "7g7f 3c3d");
        let variations: Vec<(usize, String)> =
            record.variations.iter().map(|line| (line.from, words(&line.moves))).collect();
        assert_eq!(variations, [(2, "8c8d".to_string()), (1, "2g2f".to_string())]);
        assert!(record.moves[0].comments.iter().any(|line| line.contains("評価値=40")), "{:?}", record.moves[0]);
        assert!(record.moves[1].comments.iter().any(|line| line.contains("評価値=40")), "{:?}", record.moves[1]);
    }
}

#[test]
fn bad_books_are_refused_with_their_place() {
    let folder = Folder::new("book-refused");
    let bad = folder.write("bad.db", format!("{HEADER}sfen {START}\n7g7f\nhello\n"));
    let out = folder.text("out.db");
    let message = refusal(&["book", "sort", &bad, "--out", &out]);
    assert!(message.ends_with("bad.db: line 4: \"hello\" is neither a move nor a position nor a comment"), "{message}");
    assert!(!folder.path("out.db").exists());
    refuses(&["book", "sort", "missing.db", "--out", &out], "missing.db: ");
    refuses(&["book", "think", "--out", &out, "--nodes", "5"], "--from-book");
}

#[test]
fn the_built_in_book_can_be_read_by_its_name() {
    let folder = Folder::new("book-internal");
    let said = printed(&["book", "query", "<internal>", "--moves", ""]);
    assert!(said.lines().count() >= 3 && said.contains(" value "), "{said}");
    assert_eq!(printed(&["book", "query", "<internal>"]), said, "the start position is the default");
    let db = folder.text("own.db");
    let exported = printed(&["book", "export", "<internal>", "--out", &db]);
    assert_eq!(printed(&["book", "query", &db, "--moves", ""]), said);
    let counted = last_line(&printed(&["book", "stats", "<internal>"])).to_string();
    assert_eq!(counted, last_line(&exported));
    assert_eq!(last_line(&printed(&["book", "check", "<internal>"])), format!("{counted}, 0 faults"));
}

#[test]
fn columns_that_are_empty_stay_empty_in_every_tool() {
    let folder = Folder::new("book-empty-columns");
    let text = format!("{HEADER}sfen {START}\n2g2f 8c8d   500\n7g7f 3c3d 30  7\n1g1f 8c8d  12 3\n9g9f  25 9 2\n");
    let db = folder.write("a.db", &text);
    let expected = ["7g7f 3c3d 30 0 7", "9g9f none 25 9 2", "2g2f 8c8d none 0 500", "1g1f 8c8d none 12 3"];
    for on_the_fly in [OnTheFly::No, OnTheFly::Yes] {
        let opened = open(&folder.path("a.db"), on_the_fly);
        assert_eq!(words(&find(&opened, &Position::startpos()).unwrap()), expected);
    }
    assert_eq!(last_line(&printed(&["book", "check", &db])), "1 positions, 4 moves, 0 faults");
    let sorted = folder.text("b.db");
    printed(&["book", "sort", &db, "--out", &sorted]);
    let opened = open(&folder.path("b.db"), OnTheFly::No);
    assert_eq!(words(&find(&opened, &Position::startpos()).unwrap()), expected);
    let bad = folder.write("bad.db", format!("{text}7g7f  zzzz  5\n"));
    let message = refusal(&["book", "sort", &bad, "--out", &sorted]);
    assert!(message.ends_with("bad.db: line 7: reply \"zzzz\" is not a move"), "{message}");
}

#[test]
fn moves_that_are_none_or_listed_twice_and_values_that_are_no_numbers_are_faults() {
    let folder = Folder::new("book-check-moves");
    let check = |body: &str| {
        let output = run(&["book", "check", &folder.write("a.db", format!("{HEADER}sfen {START}\n{body}"))]);
        let said = stdout(&output);
        assert_eq!(output.status.code(), Some(i32::from(!said.ends_with(" 0 faults\n"))), "{said}");
        said
    };
    let said = check("5g5f none 99999 1 1\n5g5f none 3 1 1\n");
    assert!(said.contains("a.db: line 2: 5g5f is listed twice\n"), "{said}");
    assert!(said.contains("a.db: line 2: value 99999 of 5g5f is beyond 32000\n"), "{said}");
    assert!(said.ends_with("1 positions, 2 moves, 2 faults\n"), "{said}");
    for value in ["-2147483648", "-2147483647", "2147483647", "-32001"] {
        let said = check(&format!("7g7f none {value} 0 1\n"));
        assert!(said.contains(&format!("value {value} of 7g7f is beyond 32000\n")), "{said}");
    }
    assert!(check("7g7f none -32000 0 1\n").ends_with(" 0 faults\n"));
    for (body, fault) in [
        ("7g7f none abc 1 1\n", "line 3: value \"abc\" of 7g7f is no number"),
        ("7g7f none 12.5 1 1\n", "line 3: value \"12.5\" of 7g7f is no number"),
        ("7g7f none 5 deep 1\n", "line 3: depth \"deep\" of 7g7f is no number"),
        ("7g7f none 5 1 many\n", "line 3: count \"many\" of 7g7f is no number"),
        ("7g7f none 5 -1 1\n", "line 3: depth -1 of 7g7f is below 0 or beyond 4294967295"),
        ("7g7f none 5 1 5000000000\n", "line 3: count 5000000000 of 7g7f is below 0 or beyond 4294967295"),
        ("resign none 0 0 1\n", "line 3: \"resign\" stands where a move must"),
        ("7g7f none 5 1 1\nwin none 0 0 1\n", "line 4: \"win\" stands where a move must"),
        ("7g7f none 5 1 1\nnone none 0 0 1\n", "line 4: none beside moves"),
        ("none none 0 0 1\n7g7f none 5 1 1\n", "line 4: none beside moves"),
    ] {
        let said = check(body);
        assert!(said.contains(&format!("a.db: {fault}\n")) && said.ends_with(" 1 fault\n"), "{said}");
    }
    // No move at all is said by `none`, and a column of a move may be `none` too.
    check("none none 0 0 1\n");
    assert!(check("none\n7g7f none None none\n").ends_with(" 1 fault\n"));
    assert!(check("7g7f none none none none\n").ends_with(" 0 faults\n"));
    // Other formats list moves twice too.
    let text = format!("{HEADER}sfen {START}\n7g7f none 5 1 1\n2g2f none 5 1 1\n");
    printed(&["book", "export", &folder.write("b.db", &text), "--out", &folder.text("b.ybb")]);
    let mut bytes = folder.bytes("b.ybb");
    let moves = bytes.len() - 12;
    bytes.copy_within(moves..moves + 2, moves + 6);
    folder.write("b.ybb", bytes);
    let said = stdout(&run(&["book", "check", &folder.text("b.ybb")]));
    assert!(said.contains("position 1: 7g7f is listed twice\n"), "{said}");
}

#[test]
fn what_a_format_has_no_place_for_is_told_in_one_line() {
    let folder = Folder::new("book-losses");
    let moves =
        "2g2f none none none 90\n7g7f none none none 70000\n5g5f 8c8d -40 20 5\n9g9f none 40000 99999 5\n# a word\n";
    let db = folder.write("a.db", format!("{HEADER}sfen {START}\n# of the position\n{moves}"));
    for (name, losses) in [
        ("b.db", ""),
        ("b.jsonl", ""),
        ("b.ybb", "values beyond 32767 (cut) 1, depths above 65535 (cut) 1, counts 4, comments 2, replies 1"),
        ("b.bin", "unknown values (now 0) 2, counts above 65535 (cut) 1, depths 2, comments 2, replies 1"),
        ("b.sbk", "values 2, depths 2, comments 1, replies 1"),
        ("b.kif", "comments 1"),
    ] {
        let output = run(&["book", "export", &db, "--out", &folder.text(name)]);
        assert_eq!(last_line(&stdout(&output)), "1 positions, 4 moves");
        let said = stderr(&output);
        if losses.is_empty() {
            assert_eq!(said, "", "{name}");
            continue;
        }
        assert_eq!(said.lines().count(), 1, "{said}");
        let (_, told) =
            said.trim_end().split_once("has no place for some of it; lost: ").unwrap_or_else(|| panic!("{said}"));
        let sorted = |text: &str| {
            let mut parts: Vec<String> = text.split(", ").map(str::to_string).collect();
            parts.sort();
            parts
        };
        assert_eq!(sorted(told), sorted(losses), "{name}");
    }
}

#[test]
fn a_game_that_is_there_twice_is_one_game_with_the_best_of_both() {
    let folder = Folder::new("book-make-twice");
    fs::create_dir_all(folder.path("games")).unwrap();
    let game = |score: &str, end: &str| {
        format!("開始日時：2026/01/01\n先手：甲\n後手：乙\n   1 ２六歩(27)\n{score}   2 ３四歩(33)\n{end}")
    };
    let shallow = "*#評価値=40\n*#深さ=12\n";
    let deep = "*#評価値=95\n*#深さ=30\n";
    let resigned = "   3 投了\n";
    let make = |files: &[String], more: &[&str]| {
        for (number, text) in files.iter().enumerate() {
            folder.write(&format!("games/{number}.kifu"), text);
        }
        let games = folder.text("games");
        let out = folder.text("out.jsonl");
        let usual = ["book", "make", &games, "--out", &out, "--min-count", "1", "--scores"];
        let said = printed(&[&usual[..], more].concat());
        assert!(said.starts_with(&format!("1 game, {} more were there twice\n", files.len() - 1)), "{said}");
        folder.read("out.jsonl")
    };
    // In either order, and a third copy without a score.
    for order in [[shallow, deep, ""], [deep, "", shallow], ["", shallow, deep]] {
        let text = make(&order.map(|score| game(score, resigned)), &[]);
        assert!(text.contains(r#""move":"2g2f","value":95,"depth":30,"count":1"#), "{text}");
        assert!(text.contains(r#""games":[1,0,1]"#), "{text}");
    }
    // The copy that tells the result need not come first.
    let copies = [game("", ""), game(shallow, resigned), game("", resigned)];
    let text = make(&copies, &["--winner"]);
    assert!(text.contains(r#""move":"3c3d""#) && !text.contains(r#""move":"2g2f""#), "{text}");
    assert!(text.contains(r#""count":1"#) && text.contains(r#""games":[1,0,1]"#), "{text}");
}

#[test]
fn a_mate_of_unknown_length_is_a_long_one_in_a_book_and_a_bound_is_no_value() {
    let folder = Folder::new("book-think-mate");
    let positions = folder.write("lines", "startpos\nstartpos moves 7g7f\nstartpos moves 2g2f\nstartpos moves 1g1f\n");
    let out = folder.text("out.db");
    let script = "infos 7g7f depth 4 score cp 35|depth 5 score cp 900 lowerbound\ninfos 3c3d depth 9 score mate -\n\
                  infos 8c8d depth 9 score mate -3 upperbound\n\
                  infos 8c8d depth 4 score cp -20 pv 3c3d|depth 5 score cp 70 lowerbound";
    let engine = crate::scripted::command(&folder.path(""), "thinker", script);
    let think = ["book", "think", "--out", &out, "--positions", &positions, "--engine", &engine, "--nodes", "5"];
    printed(&[&think[..], &["--multipv", "1"]].concat());
    let opened = open(&folder.path("out.db"), OnTheFly::No);
    assert_eq!(words(&find(&opened, &Position::startpos()).unwrap()), ["7g7f none 35 4 1"]);
    let after = |mv: &str| {
        let position = komainu::notation::usi::parse_position(&format!("startpos moves {mv}")).unwrap().position;
        words(&find(&opened, &position).unwrap_or_default())
    };
    assert_eq!(after("7g7f"), ["3c3d none -31000 9 1"]);
    // All that was said is a bound; or all that was said of the move that was decided on.
    assert_eq!(after("2g2f"), [""; 0]);
    assert_eq!(after("1g1f"), ["8c8d none -20 4 1", "3c3d none -20 4 1"]);
}
