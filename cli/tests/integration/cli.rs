//! The command line's contract: last lines, exit codes, messages.

use crate::shell::{Folder, last_line, run, stderr, stdout};

/// The one line on stderr of a call that must end with this code.
fn message(arguments: &[&str], code: i32) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    let text = stderr(&output);
    assert_eq!(text.lines().count(), 1, "{text}");
    text
}

/// The numbers of `nodes N time_ms T nps R`.
fn perft_line(line: &str) -> [u64; 3] {
    let words: Vec<&str> = line.split(' ').collect();
    assert_eq!([words[0], words[2], words[4]], ["nodes", "time_ms", "nps"], "{line}");
    assert_eq!(words.len(), 6, "{line}");
    [1, 3, 5].map(|i| words[i].parse().unwrap_or_else(|_| panic!("{line}")))
}

#[test]
fn perft_ends_with_nodes_time_and_speed() {
    for (arguments, nodes) in [
        (&["perft", "4"][..], 719_731),
        (&["perft", "0"], 1),
        (&["perft", "4", "--threads", "2"], 719_731),
        (&["perft", "4", "--threads", "0", "--hash", "16"], 719_731),
        (&["perft", "2", "--sfen", "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1"], 105_677),
        (&["perft", "1", "--sfen", "startpos moves 7g7f 3c3d 8h2b+"], 33),
    ] {
        let output = run(arguments);
        assert!(output.status.success() && output.stderr.is_empty());
        assert_eq!(perft_line(&last_line(&output))[0], nodes, "{arguments:?}");
    }
}

#[test]
fn divide_lists_every_move_and_adds_up() {
    let output = run(&["perft", "3", "--divide"]);
    let text = stdout(&output);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 31);
    let counts = lines[..30].iter().map(|line| line.split_once(": ").unwrap().1.parse::<u64>().unwrap());
    assert_eq!(counts.sum::<u64>(), 25_470);
    assert_eq!(perft_line(lines[30])[0], 25_470);
    assert!(lines.iter().any(|line| line.starts_with("7g7f: ")));
}

#[test]
fn a_suite_names_each_failure_and_exits_with_1() {
    let folder = Folder::new("cli");
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let good = folder.write("good", format!("# comment\n\n{start} ;D1 30 ;D2 900 ;D3 25470\r\n"));
    let output = run(&["perft", "--suite", &good]);
    assert_eq!((output.status.code(), last_line(&output).as_str()), (Some(0), "3 passed, 0 failed"));
    let output = run(&["perft", "--suite", &good, "--max-nodes", "900"]);
    assert_eq!(last_line(&output), "2 passed, 0 failed");
    let bad = folder.write("bad", format!("{start} ;D1 30 ;D2 901\n9/9 b - 1 ;D1 1\n{start} ;X 5\n{start}\n"));
    let output = run(&["perft", "--suite", &bad]);
    assert_eq!((output.status.code(), last_line(&output).as_str()), (Some(1), "1 passed, 4 failed"));
    let text = stdout(&output);
    assert!(text.contains("bad:1: depth 2: found 900, expected 901"), "{text}");
    assert!(text.contains("bad:2: the board has 2 ranks"), "{text}");
    assert!(text.contains("bad:3: \"X 5\""), "{text}");
}

#[test]
fn bench_ends_with_the_signature_in_plain_digits() {
    let run = || {
        let output = run(&["bench", "5"]);
        assert!(output.status.success());
        let line = last_line(&output);
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!([words[1], words[3]], ["nodes", "nps"], "{line}");
        assert!(words[2].parse::<u64>().is_ok(), "{line}");
        words[0].parse::<u64>().unwrap()
    };
    assert_eq!(run(), run());
}

#[test]
fn a_bench_that_is_checked_fails_when_the_nodes_differ() {
    let nodes = last_line(&run(&["bench", "4"])).split(' ').next().unwrap().to_string();
    let output = run(&["bench", "4", "--bench-check", &nodes]);
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
    assert!(last_line(&output).starts_with(&format!("{nodes} nodes ")));
    let told = message(&["bench", "4", "--bench-check", "7"], 1);
    assert_eq!(told, format!("komainu: --bench-check: {nodes} nodes, not 7\n"));
    assert!(message(&["bench", "--bench-check", "many"], 2).contains("many"));
}

#[test]
fn bad_usage_exits_with_2_and_names_the_token() {
    assert!(message(&["perft", "x"], 2).contains("'x'"));
    assert!(message(&["perft"], 2).contains("DEPTH"));
    assert!(message(&["frobnicate"], 2).contains("frobnicate"));
    assert!(message(&["perft", "3", "--sfen", "9/9 q - 1"], 2).contains("\"q\""));
    assert!(message(&["perft", "3", "--sfen", "startpos 7g7f"], 2).contains("\"7g7f\""));
    assert!(message(&["perft", "--suite", "no/such/file"], 2).contains("no/such/file"));
    assert!(message(&["perft", "3", "--threads", "many"], 2).contains("many"));
    assert!(message(&["perft", "3", "--hash", "1048576"], 2).contains("--hash 1048576"));
    assert!(message(&["bench", "0"], 2).contains('0'));
}

#[test]
fn a_word_that_is_no_command_is_answered_with_what_was_meant() {
    for (arguments, said) in [
        (&["mtach"][..], "no command \"mtach\"; did you mean `match`? See `komainu help`"),
        (&["frobnicate"], "no command \"frobnicate\"; see `komainu help`"),
        (&["将棋"], "no command \"将棋\"; see `komainu help`"),
        (&["book", "qurey", "x.db"], "no command \"qurey\"; did you mean `query`? See `komainu book --help`"),
    ] {
        assert_eq!(message(arguments, 2), format!("komainu: {said}\n"));
    }
    let missing = message(&["book"], 2);
    assert!(missing.starts_with("komainu: book: a command is missing: make, think, "), "{missing}");
    assert!(missing.ends_with("stats; see `komainu book --help`\n"), "{missing}");
    assert!(message(&["data"], 2).starts_with("komainu: data: a command is missing: "));
}

#[test]
fn a_game_record_in_place_of_a_command_is_sent_to_the_commands_that_read_one() {
    let help = stdout(&run(&["help"]));
    let is_there = |command: &str| help.lines().any(|line| line.trim_start().starts_with(&format!("{command} ")));
    let said = message(&["game.kif"], 2);
    for command in ["analyse", "convert"] {
        assert_eq!(said.contains(&format!("`komainu {command} game.kif`")), is_there(command), "{said}");
    }
}

#[test]
fn help_and_version_are_printed_for_every_command() {
    let version = run(&["--version"]);
    assert_eq!(stdout(&version).trim(), concat!("komainu ", env!("CARGO_PKG_VERSION")));
    for arguments in [&["--help"][..], &["perft", "--help"], &["bench", "--help"], &["replay", "--help"]] {
        let output = run(arguments);
        assert!(output.status.success() && stdout(&output).contains("Usage: komainu"), "{arguments:?}");
    }
}

/// A record of one move, after which the side to move resigns: black wins.
fn won_by_black(black: &str, white: &str, start: &str) -> String {
    format!("{start}先手：{black}\n後手：{white}\n手数----指手---------消費時間--\n   1 ７六歩(77)\n   2 投了\n")
}

#[test]
fn level_report_fits_levels_to_games_with_people() {
    let folder = Folder::new("level-report");
    let games = [
        won_by_black("Komainu 10kyu", "Taro R650", ""),
        won_by_black("Taro R650", "Komainu 10級", ""),
        won_by_black("komainu", "花子（700）", ""),
        won_by_black("Komainu 1dan", "Jiro", ""),
        // Left out: no rating, a handicap, two engines.
        won_by_black("Komainu 1dan", "Saburo", ""),
        won_by_black("Komainu 1dan", "Taro R650", "手合割：香落ち\n").replace("７六歩(77)", "３四歩(33)"),
        won_by_black("Komainu 1dan", "Komainu 2dan", ""),
    ];
    for (number, game) in games.iter().enumerate() {
        folder.write(&format!("{number}.kif"), game);
    }
    // The first copy of a game lacks its result.
    folder.write("0-copy.kif", games[0].replace("投了", "中断"));
    let games = folder.text("");
    let output = run(&["level-report", &games, "--level", "9kyu", "--rating", "jiro=1500"]);
    let text = stdout(&output);
    let lines: Vec<&str> = text.lines().collect();
    // 10 kyu: a win and a loss at 650; the others a win and the added draw each: 430 log10 3 = 205 above the opponent.
    let row = |start: &str| *lines.iter().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{text}"));
    let fields = |start| row(start).split_whitespace().take(5).collect::<Vec<_>>().join(" ");
    assert_eq!(fields("10kyu"), "10kyu 600 2 1.0 650");
    assert_eq!(fields("9kyu"), "9kyu 700 1 1.0 905");
    assert_eq!(fields("1dan"), "1dan 1600 1 1.0 1705");
    assert!(row("1dan").ends_with("fewer than 30 games"), "{text}");
    assert_eq!(row("left out, no rating"), "left out, no rating: 1");
    assert_eq!(last_line(&output), "levels 3 games 4 left_out 3");
    assert!(message(&["level-report", "nowhere.kif"], 2).contains("nowhere.kif"));
    assert!(message(&["level-report", &games, "--rating", "jiro"], 2).contains("jiro"));
}

#[test]
fn completions_of_every_shell_name_the_subcommands_and_their_flags() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = stdout(&run(&["completions", shell]));
        for word in ["analyse", "level-report", "sprt"] {
            assert!(text.contains(word), "{shell}: {word}");
        }
    }
    assert!(message(&["completions", "tcsh"], 2).contains("tcsh"));
}

#[test]
fn manual_pages_are_written_for_the_program_and_each_command() {
    let folder = Folder::new("man");
    let place = folder.text("new");
    let output = run(&["man", &place]);
    assert!(output.status.success() && last_line(&output).starts_with(&place), "{output:?}");
    let page = |name: &str| folder.read(&format!("new/{name}"));
    assert!(page("komainu.1").contains(".TH") && page("komainu.1").contains("match"));
    assert!(page("komainu-match.1").contains("sprt") && page("komainu-data-filter.1").contains(".TH"));
    // A folder that cannot be made is named.
    let file = folder.write("file", "");
    assert!(message(&["man", &file], 2).contains(&file));
}
