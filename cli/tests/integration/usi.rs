//! The engine as a GUI meets it: a process that speaks USI over pipes.

use crate::engine::{Engine, word_after};
use crate::shell::{Folder, is_visible, stderr, stdout};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn it_says_nothing_before_it_is_asked_and_then_who_it_is() {
    let mut engine = Engine::start();
    engine.assert_silent(200);
    let lines = engine.ask("usi", "usiok");
    assert!(lines[0].starts_with("id name Komainu "));
    assert!(lines[1].starts_with("id author "));
    assert_eq!(lines.last().unwrap(), "usiok");
    assert!(lines[2..lines.len() - 1].iter().all(|line| line.starts_with("option name ")));
    for line in &lines {
        assert!(line.is_ascii() && !line.ends_with(' ') && !line.contains("  "), "{line:?}");
    }
    engine.quit();
}

#[test]
fn strange_input_neither_ends_nor_hangs_it() {
    let mut engine = Engine::ready();
    engine.send_bytes(b"\r\n   \n\xEF\xBB\xBFisready\r\n");
    assert_eq!(engine.until("readyok").len(), 2);
    engine.send_bytes(b"\xff\xfe\x00\x81\nis\x00ready\nfoo bar\njoho isready\n?? go infinite\n");
    engine.send("set option name Threads value 2");
    engine.send_bytes(b"setoption name EvalFile value C:\\\x8F\xAB\x8A\xFB\\x.db\n");
    engine.send_bytes(&[b"a".repeat(1_000_000), b"\n".to_vec()].concat());
    engine.send(&format!("position startpos moves {}", "7g7f ".repeat(20_000)));
    engine.send("setoption\nsetoption name\nsetoption name MultiPV value abc\nsetoption name Threads value 0");
    engine.send("debug on\nregister later\nponderhit\nstop\ngameover banana\nposition\nposition foo");
    let lines = engine.ask("isready", "readyok");
    for line in &lines[..lines.len() - 1] {
        assert!(line.starts_with("info string ") && is_visible(line) && line.len() < 200, "{line}");
    }
    // What was sent in CP932 is shown in UTF-8, as it is.
    assert!(
        lines.iter().any(|line| line.starts_with("info string error: EvalFile: ") && line.contains("将棋")),
        "{lines:?}"
    );
    engine.assert_alive();
}

#[test]
fn an_option_without_the_word_name_is_named_and_not_set() {
    let mut engine = Engine::ready();
    for (bad, message) in [
        ("setoption Threads value 2", "error: setoption: \"Threads\" is not name; it takes name NAME value VALUE"),
        ("setoption value 2", "error: setoption: \"value\" is not name; it takes name NAME value VALUE"),
        ("setoption", "error: setoption: nothing follows; it takes name NAME value VALUE"),
        ("setoption name", "no option \"\""),
        ("setoption name Threads 2", "no option \"Threads 2\""),
        ("setoption name Threads value", "Threads takes a number from 1 to 1024, not \"\""),
    ] {
        engine.send(bad);
        assert_eq!(engine.line(), format!("info string {message}"), "{bad}");
    }
    engine.assert_alive();
}

#[test]
fn a_bad_position_is_reported_and_no_other_board_is_searched_for_it() {
    let mut engine = Engine::ready();
    engine.send("position sfen 4k4/9/9/9/4r4/9/9/9/4RK3 b - 1");
    for (bad, token) in [
        ("position sfen 4k4/9/9/9/9/9/9/9/4K4 q - 1", "\"q\""),
        ("position startpos moves 7g7f 7g7f", "move 2: 7g7f"),
        ("position startpos moves zzzz", "\"zzzz\""),
        ("position sfen 4k3P/9/9/9/9/9/9/9/4K4 b - 1", "P on 1a"),
    ] {
        engine.send(bad);
        let line = engine.line();
        assert!(line.starts_with("info string error: ") && line.contains(token), "{line}");
        for (go, answer) in [
            ("go depth 4", "bestmove resign"),
            ("go btime 0 wtime 0 byoyomi 100", "bestmove resign"),
            ("go mate 500", "checkmate timeout"),
            ("go mate infinite", "checkmate timeout"),
        ] {
            engine.send(go);
            let why = engine.line();
            assert!(why.starts_with("info string error: go") && why.contains(token), "{go}: {why}");
            assert_eq!(engine.line(), answer, "{go}");
        }
    }
    assert_eq!(engine.best("position sfen 4k4/9/9/9/4r4/9/9/9/4RK3 b - 1\ngo depth 4"), "bestmove 5i5e");
}

#[test]
fn after_a_bad_position_an_answer_waits_for_what_it_always_waits_for() {
    let mut engine = Engine::ready();
    for (go, end) in [
        ("go infinite", "stop"),
        ("go", "stop"),
        ("go infinite", "gameover lose"),
        ("go ponder btime 0 wtime 0 byoyomi 100", "stop"),
        ("go ponder btime 0 wtime 0 byoyomi 100", "ponderhit"),
        ("go ponder", "ponderhit btime 0 wtime 0 byoyomi 100"),
    ] {
        engine.ask(&format!("position sfen 9/9/9/9/9/9/9/9/9 b - 1\n{go}"), "info string error: go");
        // A good position meanwhile is for the next search.
        assert!(!engine.ask("position startpos\nisready", "readyok").iter().any(|line| line.starts_with("bestmove")));
        engine.assert_silent(50);
        engine.send(end);
        assert_eq!(engine.line(), "bestmove resign", "{go}, {end}");
        engine.assert_alive();
    }
    engine.send("position foo\ngo infinite\ngo infinite\nquit");
    let answers: Vec<String> = std::iter::from_fn(|| engine.line_within(Duration::from_secs(5))).collect();
    assert_eq!(answers.iter().filter(|line| *line == "bestmove resign").count(), 2, "{answers:?}");
}

#[test]
fn pondering_answers_only_after_the_move_was_played() {
    let mut engine = Engine::ready();
    engine.send("setoption name USI_Ponder value true\nposition sfen 8k/9/7GG/9/9/9/9/9/K8 b - 1");
    let lines = engine.ask("go ponder btime 0 wtime 0 byoyomi 100", "info");
    assert!(!lines[0].starts_with("bestmove"));
    std::thread::sleep(Duration::from_millis(300));
    assert!(engine.best("ponderhit").starts_with("bestmove "));
    assert!(engine.best("position startpos\ngo nodes 3000").contains(" ponder "));
}

#[test]
fn the_clock_that_comes_with_the_ponder_hit_counts() {
    let mut engine = Engine::ready();
    let answer_time = |engine: &mut Engine, go: &str, hit: &str| {
        engine.send(&format!("position startpos\n{go}"));
        std::thread::sleep(Duration::from_millis(100));
        engine.send(hit);
        let started = Instant::now();
        let mut watch = engine.stopwatch();
        engine.bestmove();
        (started.elapsed(), watch.elapsed())
    };
    let (wall, spent) = answer_time(&mut engine, "go ponder", "ponderhit btime 0 wtime 0 byoyomi 500");
    assert!(wall >= Duration::from_millis(100) && spent < Duration::from_millis(900), "{wall:?} {spent:?}");
    let (_, spent) =
        answer_time(&mut engine, "go ponder btime 0 wtime 0 byoyomi 30000", "ponderhit btime 0 byoyomi 200");
    assert!(spent < Duration::from_millis(600), "{spent:?}");
    // Without any clock there is nothing to think about.
    let (_, spent) = answer_time(&mut engine, "go ponder", "ponderhit");
    assert!(spent < Duration::from_millis(400), "{spent:?}");
}

#[test]
fn the_clock_is_kept() {
    let mut engine = Engine::ready();
    for (go, limit) in [
        ("go btime 0 wtime 0 byoyomi 0", 300),
        ("go btime 300 wtime 300 byoyomi 0", 300),
        ("go btime 0 wtime 0 byoyomi 200", 200),
        ("go btime 1 wtime 1", 300),
        ("go btime 0 wtime 0 binc 300 winc 300", 300),
        ("go btime -500 wtime 99999999999999999999", 300),
        ("go movetime 100", 130),
    ] {
        engine.send(&format!("position startpos\n{go}"));
        let mut started = engine.stopwatch();
        engine.bestmove();
        // Tests run beside each other on a machine that may be busy: some slack on top of the clock.
        assert!(started.elapsed() < Duration::from_millis(limit + 250), "{go}: {:?}", started.elapsed());
    }
}

#[test]
fn the_time_to_think_begins_once_the_engine_is_ready() {
    let mut engine = Engine::start();
    // To make this table takes longer than the move may. A script writes all of it at once.
    let lines = engine.search("setoption name USI_Hash value 1024\nisready\nposition startpos\ngo movetime 60");
    let depths = lines.iter().filter(|line| line.starts_with("info depth")).count();
    assert!(depths > 2, "{lines:#?}");
}

#[test]
fn it_ends_at_quit_and_at_the_end_of_the_input() {
    for last in ["quit", "go infinite\nquit", "isready\nquit", "go ponder\nquit"] {
        let mut engine = Engine::start();
        engine.send(last);
        engine.assert_ends();
    }
    for last in ["", "go infinite"] {
        let mut engine = Engine::start();
        engine.send(last);
        engine.input = None;
        engine.assert_ends();
    }
}

#[test]
fn it_ends_quietly_when_nobody_reads() {
    let mut process = Command::new(env!("CARGO_BIN_EXE_komainu"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(process.stdout.take());
    let mut input = process.stdin.take().unwrap();
    // The engine may end while it is still being written to.
    for _ in 0..100 {
        if input.write_all(b"usi\n").and_then(|()| input.flush()).is_err() {
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = process.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{}", stderr(&output));
}

#[test]
fn a_declaration_is_made_after_a_ponder_hit_too() {
    let mut engine = Engine::ready();
    let b28 = "+R8/2+NK1+R+P+P1/+P+PPS+P4/6g+b1/7p1/3g5/3+b1g+p1+p/5p3/5k+p2 b G3S3N3L7pl 1";
    engine.send(&format!("position sfen {b28}\ngo ponder btime 0 wtime 0 byoyomi 100"));
    engine.assert_silent(200);
    assert_eq!(engine.best("ponderhit"), "bestmove win");
}

#[test]
fn a_ponder_hit_means_nothing_to_a_search_on_the_own_clock() {
    let mut engine = Engine::ready();
    engine.send("position startpos\ngo btime 0 wtime 0 byoyomi 600");
    let mut started = engine.stopwatch();
    std::thread::sleep(Duration::from_millis(350));
    engine.search("ponderhit");
    assert!(started.elapsed() < Duration::from_millis(850), "{:?}", started.elapsed());
}

#[test]
fn a_board_full_of_loose_pieces_does_not_outlast_the_clock() {
    // Here a first iteration with an unbounded quiescence search took over ten seconds.
    let sfen = "1+P2+b3+N/1+N+S+S+pbk1+P/+R1g+P+p1Pl1/2+P+p5/rgL2K3/4P1+pNG/3pG1+P+s+P/+P1+p+l5/+P+P+sN+L1P2 w - 1";
    let mut engine = Engine::ready();
    engine.send(&format!("position sfen {sfen}\ngo movetime 1"));
    let mut started = engine.stopwatch();
    assert!(engine.bestmove().starts_with("bestmove "));
    assert!(started.elapsed() < Duration::from_millis(500), "{:?}", started.elapsed());
}

#[test]
fn a_line_without_end_is_thrown_away_whole() {
    let mut engine = Engine::ready();
    engine.send(&("x ".repeat(9 << 20) + "quit"));
    assert!(engine.line().starts_with("info string error: a line of more than"));
    engine.assert_alive();
}

#[test]
fn a_person_who_types_is_answered() {
    let mut engine = Engine::ready();
    let said = engine.ask("position startpos moves 7g7f\nd\nisready", "readyok");
    let board = "info string   l  n  s  g  k  g  s  n  l  a";
    let sfen = "info string sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
    for line in [board, "info string White to move", sfen] {
        assert!(said.iter().any(|said| said == line), "{line}: {said:?}");
    }
    for word in ["help", "?"] {
        let said = engine.ask(&format!("{word}\nisready"), "readyok");
        for command in ["usi", "position", "go", "d", "eval", "quit"] {
            assert!(said.iter().any(|line| line.starts_with(&format!("info string {command} "))), "{said:?}");
        }
    }
    engine.send("hello\nisready");
    assert!(engine.until("readyok").contains(&"info string unknown command \"hello\"; try help".to_string()));
    // The score is that of `komainu eval`, before the first `isready` too, and for the side to move.
    let of_subcommand = |moves: &str| {
        let sfen = format!("startpos moves {moves}");
        let output = Command::new(env!("CARGO_BIN_EXE_komainu")).args(["eval", "--sfen", &sfen]).output();
        format!("info string {}", stdout(&output.expect("it runs")).trim_end())
    };
    let mut fresh = Engine::start();
    for moves in ["7g7f", "7g7f 3c3d 8h2b+"] {
        let said = fresh.ask(&format!("position startpos moves {moves}\neval"), "info string cp ");
        assert_eq!(said.last(), Some(&of_subcommand(moves)));
    }
    let said = fresh.search("position startpos\ngo infinite\neval\nd\nstop");
    assert!(said.iter().any(|line| line.starts_with("info string cp ")), "{said:?}");
    let said = fresh.ask("position foo\neval\nd\nisready", "readyok");
    assert!(said.iter().filter(|line| line.contains("the last position was refused")).count() == 2, "{said:?}");
}

#[test]
fn the_line_before_the_answer_is_exact_whole_and_the_deepest() {
    // In the last one a move turns out better than the window just when many of these searches end.
    let positions = [
        "startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b",
        "sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        "sfen ln1g5/1r2S1k2/p2pppn2/2ps2p2/1p7/2P6/PPSPPPPLP/2G2K1pr/LN4G1b w BGSLPnp 62",
    ];
    let mut engine = Engine::ready();
    engine.send("setoption name PvInterval value 0");
    let mut short = 0;
    for position in positions {
        for nodes in (1_000..=20_000).step_by(1_000) {
            engine.send(&format!("usinewgame\nposition {position}"));
            let said = engine.search(&format!("go nodes {nodes}"));
            let lines: Vec<&String> = said.iter().filter(|line| line.contains(" score ")).collect();
            let last = lines.last().expect("a line with a score");
            assert!(!last.contains("bound "), "{nodes} {position}: {last}");
            let (_, pv) = last.split_once(" pv ").expect("a line of moves");
            let depth = |line: &str| word_after(line, "depth").and_then(|depth| depth.parse::<usize>().ok());
            // Reductions can leave one move in front of the quiescence search of the first iterations, and those can take
            // as many nodes among many drops.
            if pv.split(' ').count() < 2 {
                assert!(depth(last).unwrap() <= 3, "{nodes} {position}: {last}");
                short += usize::from(depth(last).unwrap() > 1);
            }
            assert_eq!(depth(last), lines.iter().filter_map(|line| depth(line)).max(), "{nodes} {position}: {last}");
            assert_eq!(word_after(said.last().unwrap(), "bestmove"), pv.split(' ').next(), "{last}");
        }
    }
    assert!(short <= 1, "{short} of 60 lines behind the first iteration are one move long");
}

#[test]
fn what_was_asked_before_the_end_of_the_input_is_answered() {
    for (input, answers) in [
        ("usi\nisready\nquit\n", &["usiok", "readyok"][..]),
        ("isready\n", &["readyok"]),
        ("position startpos\ngo infinite\nquit\n", &["bestmove "]),
        ("position startpos\ngo ponder btime 1000\n", &["bestmove "]),
        ("go nodes 100000000\nisready\nd\n", &["readyok", "info string sfen ", "bestmove "]),
        ("position sfen 4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1\ngo mate infinite\n", &["checkmate "]),
    ] {
        let mut engine = Engine::start();
        engine.send_bytes(input.as_bytes());
        engine.input = None;
        for answer in answers {
            drop(engine.until(answer));
        }
        engine.assert_ends();
    }
}

/// The nodes of `komainu bench` with these arguments.
fn nodes_of_subcommand(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_komainu")).arg("bench").args(arguments).output().expect("it runs");
    let text = stdout(&output);
    text.lines().last().and_then(|line| line.split(' ').next()).expect("a last line").to_string()
}

#[test]
fn a_bench_on_the_input_is_answered_before_the_quit_behind_it() {
    let nodes = nodes_of_subcommand(&["8"]);
    // Without `usi`, and with the end of the input in place of `quit`.
    for input in ["bench 8\nquit\n", "bench 8\n", "usi\nisready\nbench 8\nquit\n"] {
        let mut engine = Engine::start();
        engine.send_bytes(input.as_bytes());
        engine.input = None;
        let lines = engine.until(&format!("{nodes} nodes "));
        assert!(lines.iter().all(|line| line.is_ascii()), "{lines:?}");
        let line = &lines[lines.len() - 1];
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!([words[1], words[3], words[0]], ["nodes", "nps", &nodes], "{input:?}");
        assert!(words[2].parse::<u64>().is_ok() && words.len() == 4, "{line}");
        engine.assert_ends();
    }
}

#[test]
fn a_bench_depends_on_nothing_of_the_session_and_leaves_it_as_it_was() {
    let nodes = nodes_of_subcommand(&["6"]);
    let bench = |engine: &mut Engine| {
        engine.send("bench 6");
        engine.until(&format!("{nodes} nodes "));
    };
    let search = |engine: &mut Engine| -> Vec<String> {
        let lines = engine.search("position startpos moves 7g7f\ngo depth 7");
        let timeless = |line: &String| line.split(" time ").next().unwrap_or(line).to_string();
        lines.iter().filter(|line| line.contains(" pv ") || line.starts_with("bestmove")).map(timeless).collect()
    };
    // On a busy machine lines that come within the interval of others would be left out.
    let options = "setoption name Threads value 1\nsetoption name Level value full\nsetoption name Rules value wcsc\n\
                   setoption name PvInterval value 0";
    let [mut with, mut without] = [Engine::ready(), Engine::ready()];
    for engine in [&mut with, &mut without] {
        engine.send(options);
        assert!(search(engine).len() > 3);
    }
    bench(&mut with);
    bench(&mut with);
    // The table is as warm as without a bench between.
    assert_eq!(search(&mut with), search(&mut without));
    with.send("setoption name Threads value 3\nsetoption name USI_Hash value 1\nsetoption name MultiPV value 4");
    bench(&mut with);
    let folder = Folder::new("usi-bench");
    crate::conformance::pawn_net(&folder.path(""));
    let net = folder.text("nn.bin");
    with.send(&format!("setoption name EvalFile value {net}\nbench 3"));
    let other = nodes_of_subcommand(&["3", "--eval-file", &net]);
    with.until(&format!("{other} nodes "));
    let lines = with.ask("setoption name EvalFile value no/such/net\nbench 6", "info string error: bench: ");
    assert!(lines[0].contains("no/such/net") && lines.iter().all(|line| !line.contains("nodes")), "{lines:?}");
    with.assert_alive();
}

#[test]
fn a_bench_is_refused_during_a_search_and_ended_by_stop() {
    let mut engine = Engine::ready();
    engine.send("bench 0\nbench x\nbench 5 6");
    for word in ["0", "x", "6"] {
        assert_eq!(engine.line(), format!("info string error: bench: \"{word}\" is no depth from 1 to 100"));
    }
    engine.ask("position startpos\ngo infinite\nbench 5", "info string error: bench: a search is running");
    engine.search("stop");
    engine.ask("go mate infinite\nbench 5\nstop", "info string error: bench: a search is running");
    engine.until("checkmate");
    engine.send("position startpos moves 7g7e\ngo infinite\nbench 5\nstop\nposition startpos");
    engine.until("info string error: bench: a search is running");
    engine.bestmove();
    engine.send("bench 100");
    engine.assert_silent(200);
    engine.send("stop");
    assert_eq!(engine.line(), "info string error: bench: stopped");
    engine.assert_alive();
    engine.ask("bench 100\nstop\nquit", "info string error: bench: stopped");
    engine.assert_ends();
}

#[test]
fn a_go_is_answered_whatever_its_numbers_are() {
    let mut engine = Engine::ready();
    for (go, said) in [
        ("go movetime 20.9", "info string movetime: \"20.9\" is read as 20"),
        ("go btime 100.5 wtime 100.5 byoyomi 2e1", "info string btime: \"100.5\" is read as 100"),
        ("go movetime 20.0", ""),
        ("go byoyomi abc", "info string byoyomi: \"abc\" is no number and counts as absent"),
        ("go movetime", "info string movetime without a number counts as absent"),
        ("go nodes NaN", "info string go: no limit could be read; it is answered at once"),
        ("go depth 1.9", "info string depth: \"1.9\" is read as 1"),
        ("go fancy", "info string ignored \"fancy\" after go"),
        ("go ponder movetime abc\nponderhit", "info string movetime: \"abc\" is no number and counts as absent"),
        ("go ponder\nponderhit byoyomi 20.5", "info string byoyomi: \"20.5\" is read as 20"),
        ("go infinite depth x\nstop", "info string depth: \"x\" is no number and counts as absent"),
        ("go\nstop", ""),
    ] {
        let lines = engine.search(&format!("position startpos\n{go}"));
        assert!(said.is_empty() || lines.iter().any(|line| line == said), "{go}: {lines:?}");
    }
    engine.send("position sfen 8k/9/7GG/9/9/9/9/9/K8 b - 1\ngo mate 500.5");
    assert!(engine.until("checkmate").last().unwrap().starts_with("checkmate 1c1b"));
    engine.send("setoption name MultiPV value 2.0\nsetoption name USI_Hash value 16.5\nisready");
    let said = engine.until("readyok").concat();
    assert!(said.contains("USI_Hash") && !said.contains("MultiPV"), "{said}");
}

#[test]
fn moves_behind_searchmoves_that_cannot_be_searched_are_named() {
    let mut engine = Engine::ready();
    let search = |engine: &mut Engine, go: &str| {
        let lines = engine.search(&format!("position startpos\ngo {go}"));
        let said: Vec<String> =
            lines.iter().filter_map(|line| line.strip_prefix("info string ")).map(str::to_string).collect();
        (said, lines.last().unwrap().clone())
    };
    let (said, best) = search(&mut engine, "searchmoves 9a9i 1g1f zzzz depth 2");
    assert_eq!(said, ["searchmoves: 9a9i is not legal here", "searchmoves: \"zzzz\" is not a move"]);
    assert!(best.starts_with("bestmove 1g1f"), "{best}");
    let (said, best) = search(&mut engine, "searchmoves 9a9i 5e5d byoyomi 50");
    let none = "searchmoves without a legal move: all moves are searched";
    assert_eq!(said[2..], [none]);
    assert!(best.starts_with("bestmove ") && !best.starts_with("bestmove resign"), "{best}");
    let (said, best) = search(&mut engine, "nodes 500 searchmoves resign");
    assert_eq!(said[1], "searchmoves without a move: all moves are searched");
    assert!(!best.starts_with("bestmove resign"), "{best}");
}
