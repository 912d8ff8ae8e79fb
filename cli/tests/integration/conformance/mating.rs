//! `go mate`: answers, limits, `stop`, and everything that may come in between.

use crate::engine::{Engine, PATIENCE, word_after};
use komainu::movegen::{has_legal_move, is_legal};
use komainu::notation::usi::parse_position;
use komainu_tools::conformance::grammar::Checker;
use std::time::{Duration, Instant};

/// A problem that takes far longer than any test waits (Zuko, 1755).
const LARGE: &str = "position sfen +r2S5/4p2+B1/9/6+p+r1/3N1P1S1/2+l6/k1G6/1+p4pG1/1BS3PN1 b G3LPgs2n11p 1";
/// A mate in five of which a longer one is found first.
const IN_FIVE: &str = "position sfen 5+PS1k/8+p/5G2P/5p2S/8B/6p2/9/9/9 b NP2rb3g2s3n4l12p 1";
const IN_ONE: &str = "position sfen 8k/9/7GG/9/9/9/9/9/K8 b - 1";
const NO_KING: &str = "position sfen 8k/9/7GG/9/9/9/9/9/9 b - 1";
const ONLY_PAWN_DROP: &str = "position sfen 8k/9/7GN/9/9/9/9/9/K8 b P 1";
const MATED: &str = "position sfen 8k/8G/7G1/9/9/9/9/9/K8 w - 1";

/// Sends this and returns the lines up to the answer, which ends in mate if it is a line of moves.
fn mate(engine: &mut Engine, position: &str, go: &str) -> Vec<String> {
    let lines = engine.ask(&format!("{position}\n{go}"), "checkmate");
    check(position, &lines);
    lines
}

/// Every line must be one that the grammar allows; a line of moves must end in mate.
fn check(position: &str, lines: &[String]) {
    let mut checker = Checker::default();
    checker.command(position);
    checker.command("go mate infinite");
    for line in lines {
        assert_eq!(checker.answer(line), [], "{line}");
    }
    let answer = lines.last().unwrap();
    let said: Vec<&str> = answer.split(' ').skip(1).collect();
    if matches!(said[..], ["nomate" | "timeout"]) {
        return;
    }
    let mut pos = parse_position(position.strip_prefix("position ").unwrap()).unwrap().position;
    for (ply, word) in said.iter().enumerate() {
        let mv = word.parse().unwrap_or_else(|_| panic!("{answer}"));
        assert!(is_legal(&pos, mv), "{answer}");
        pos.do_move(mv);
        assert!(ply % 2 == 1 || pos.in_check(), "{answer}");
    }
    assert!(said.len() % 2 == 1 && !has_legal_move(&pos), "{answer}");
}

#[test]
fn a_search_for_a_mate_answers_what_is_true() {
    let mut engine = Engine::ready();
    for position in [IN_ONE, NO_KING] {
        let lines = mate(&mut engine, position, "go mate 5000");
        assert_eq!(lines.last().unwrap().split(' ').count(), 2, "{lines:?}");
        let info = &lines[lines.len() - 2];
        assert!(info.contains(" score mate 1 pv ") && !info.ends_with(' '), "{lines:?}");
    }
    // No mate: only a pawn drop would be one, the attacker is mated, has nothing to check with, or nothing to mate.
    let no_king = "position sfen 9/9/9/9/9/9/9/9/4K4 b R 1";
    let in_check = "position sfen 4k4/9/4P4/9/9/9/9/9/3rK4 b G 1";
    for position in [ONLY_PAWN_DROP, MATED, "position startpos", no_king, in_check] {
        let lines = mate(&mut engine, position, "go mate infinite");
        assert_eq!(lines.last().unwrap(), "checkmate nomate", "{position}");
    }
    // Both kings, moves behind the position, white attacks.
    let white = "position sfen k8/9/9/9/9/9/7gg/9/8K b - 1 moves 1i2i 2g3g 2i1i";
    assert_eq!(mate(&mut engine, white, "go mate 5000").last().unwrap().split(' ').count(), 2);
    engine.assert_alive();
}

#[test]
fn the_shortest_mate_is_sought_and_bounds_are_told_as_such() {
    let mut engine = Engine::ready();
    engine.send("setoption name ShortestMate value false");
    let lines = mate(&mut engine, IN_FIVE, "go mate 20000");
    assert!(lines[lines.len() - 2].contains(" lowerbound pv "), "{lines:?}");
    engine.send("setoption name ShortestMate value true");
    let lines = mate(&mut engine, IN_FIVE, "go mate 20000");
    assert!(lines[..lines.len() - 2].iter().any(|line| line.contains(" lowerbound pv ")), "{lines:?}");
    assert!(lines[lines.len() - 2].contains(" score mate 5 pv "), "{lines:?}");
    assert_eq!(lines.last().unwrap().split(' ').count(), 6, "{lines:?}");
}

#[test]
fn futile_interpositions_are_left_out_of_the_answer_on_request() {
    let mut engine = Engine::ready();
    let afar = "position sfen 7lk/9/7G1/9/4R4/9/9/9/9 b r2b3g4s4n3l18p 1";
    assert_eq!(mate(&mut engine, afar, "go mate 20000").last().unwrap().split(' ').count(), 8);
    let lines = engine.ask(&format!("setoption name OmitFutile value true\n{afar}\ngo mate 20000"), "checkmate");
    // The score counts by the rules, and its line is the whole one.
    assert!(lines[lines.len() - 2].contains(" score mate 7 pv 5e1e "), "{lines:?}");
    assert_eq!(lines.last().unwrap(), "checkmate 5e1e");
}

#[test]
fn a_limit_of_time_or_nodes_ends_it_with_a_timeout() {
    let mut engine = Engine::ready();
    engine.send(LARGE);
    let sent = Instant::now();
    let mut watch = engine.stopwatch();
    let lines = mate(&mut engine, LARGE, "go mate 500");
    let spent = sent.elapsed().as_millis();
    let took = watch.elapsed().as_millis();
    assert_eq!(lines.last().unwrap(), "checkmate timeout");
    assert!(spent >= 480 && took < 800, "{spent} {took}");
    for go in ["go mate infinite nodes 5000", "go mate 0"] {
        assert_eq!(mate(&mut engine, LARGE, go).last().unwrap(), "checkmate timeout");
    }
    engine.assert_silent(100);
}

#[test]
fn progress_is_told_after_a_tenth_of_a_second_and_then_every_second() {
    let mut engine = Engine::ready();
    let mut watch = engine.stopwatch();
    let lines = mate(&mut engine, LARGE, "go mate 1300");
    let took = watch.elapsed().as_millis();
    let (last, infos) = lines[..lines.len() - 1].split_last().unwrap();
    let times: Vec<u64> = infos.iter().map(|line| word_after(line, "time").unwrap().parse().unwrap()).collect();
    assert!(times[0] >= 100 && (1..=4).contains(&times.len()), "{times:?}");
    assert!(infos.iter().all(|line| word_after(line, "hashfull").is_some() && line.contains(" pv ")), "{infos:?}");
    let time: u64 = word_after(last, "time").unwrap().parse().unwrap();
    assert!(last.starts_with("info time ") && time >= 1_300 && took < 1_400, "{last}, {took}");
}

#[test]
fn stop_is_answered_at_once_whatever_is_going_on() {
    let mut engine = Engine::ready();
    let mut quickest = PATIENCE;
    for round in 0..20u64 {
        // In turn: while tables are made or cleared, in the first nodes, and later.
        if round % 4 == 0 {
            engine.search("position startpos\ngo nodes 500");
        }
        engine.send(&format!("{LARGE}\ngo mate infinite"));
        std::thread::sleep(Duration::from_millis(round * 15 % 100));
        let mut sent = engine.stopwatch();
        let lines = engine.ask("stop", "checkmate");
        let took = sent.elapsed();
        check(LARGE, &lines);
        assert_eq!(lines.last().unwrap(), "checkmate timeout");
        // A busy machine may be late once.
        assert!(took < Duration::from_millis(300), "{took:?}");
        quickest = quickest.min(took);
    }
    assert!(quickest < Duration::from_millis(50), "{quickest:?}");
    engine.send("stop");
    engine.assert_silent(100);
    engine.assert_alive();
}

#[test]
fn other_commands_are_obeyed_in_a_search_for_a_mate() {
    let mut engine = Engine::ready();
    engine.send(&format!("{LARGE}\ngo mate infinite\nsetoption name USI_Hash value 16\nisready"));
    assert_eq!(engine.until("readyok").last().unwrap(), "readyok");
    // A position for the next search, and what means nothing here.
    engine.send("position startpos\nponderhit\nusinewgame\nfoobar\n");
    assert!(engine.until("info string").last().unwrap().contains("\"foobar\""));
    // Another search ends it first.
    let lines = engine.search("go nodes 500");
    let answers: Vec<&String> =
        lines.iter().filter(|line| line.starts_with("checkmate") || line.starts_with("bestmove")).collect();
    assert_eq!(answers[0], "checkmate timeout", "{answers:?}");
    assert_eq!(answers.len(), 2);
    engine.ask(&format!("{LARGE}\ngo mate infinite\ngo mate 200\n{IN_ONE}\ngo mate 500"), "checkmate timeout");
    engine.until("checkmate timeout");
    assert_eq!(engine.until("checkmate").last().unwrap().split(' ').count(), 2);
    // The end of the game ends it, in one line.
    let lines = engine.ask(&format!("{LARGE}\ngo mate infinite\ngameover lose\nisready"), "readyok");
    assert_eq!(lines.iter().filter(|line| line.as_str() == "checkmate timeout").count(), 1, "{lines:?}");
    engine.assert_alive();
}

#[test]
fn a_word_that_is_no_time_is_named_and_answered() {
    let mut engine = Engine::ready();
    let lines = mate(&mut engine, LARGE, "go mate soon");
    assert!(lines[0].starts_with("info string error: go mate: \"soon\" "), "{lines:?}");
    assert_eq!(lines[1..], ["checkmate timeout"]);
    let lines = mate(&mut engine, IN_ONE, "go mate 2000 fancy");
    assert!(lines[0].contains("ignored \"fancy\""), "{lines:?}");
    assert_eq!(lines.last().unwrap().split(' ').count(), 2);
    engine.assert_alive();
}

#[test]
fn quit_and_the_end_of_the_input_end_it() {
    for by_quit in [true, false] {
        let mut engine = Engine::ready();
        engine.send(&format!("{LARGE}\ngo mate infinite"));
        std::thread::sleep(Duration::from_millis(150));
        if by_quit {
            engine.send("quit")
        } else {
            engine.input = None
        }
        let took = engine.assert_ends();
        assert!(took < Duration::from_secs(2), "{took:?}");
    }
}

/// The most memory that the engine has held, in megabytes.
#[cfg(target_os = "linux")]
fn most_memory(engine: &Engine) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", engine.process.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.split_ascii_whitespace().next().unwrap().parse::<usize>().unwrap() / 1_024
}

#[cfg(target_os = "linux")]
#[test]
fn both_kinds_of_search_share_the_memory() {
    let mut engine = Engine::ready();
    engine.assert_alive();
    let bare = most_memory(&engine) - 8;
    engine.send("setoption name USI_Hash value 64");
    for _ in 0..3 {
        engine.assert_alive();
        // Enough to fill the solver's tables.
        assert_eq!(mate(&mut engine, LARGE, "go mate infinite nodes 600000").last().unwrap(), "checkmate timeout");
    }
    let most = most_memory(&engine);
    assert!(most < bare + 64 + 32, "{most} MB, {bare} MB without a table");
}
